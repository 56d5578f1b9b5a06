// Package frontmatter reads the front matter of Markdown pages: the part of YAML that notes use, and of
// anything else as much as it understands. It never fails, since a page is worth reading without it.
package frontmatter

import (
	"strconv"
	"strings"
)

// Matter is the front matter of a page, between two lines of --- at its top.
//
// It covers the YAML that notes use: keys with a text, with a list (in brackets or an item per
// line), or with nested keys, one level deep, named "outer.inner"; quoted and multi-line texts (|
// and >). Anything else is ignored.
type Matter struct {
	Fields map[string][]string // by lower-case key
	Order  []string            // the keys in order
	Broken int                 // the line of the page where something unterminated begins; 0 for none
}

// First returns the first value of the first key that has one.
func (m Matter) First(keys ...string) string {
	for _, k := range keys {
		if v := m.Fields[k]; len(v) > 0 && v[0] != "" {
			return v[0]
		}
	}
	return ""
}

// Split splits a page into front matter and rest, and returns the line where the rest begins, from
// 1.
func Split(text string) (m Matter, body string, line int) {
	if !strings.HasPrefix(text, "---\n") {
		return Matter{}, text, 1
	}
	rest := text[len("---\n"):]
	line = 2
	var lines []string
	for rest != "" {
		var l string
		l, rest, _ = strings.Cut(rest, "\n")
		line++
		if t := strings.TrimRight(l, " \t"); t == "---" || t == "..." {
			return parseMatter(lines), rest, line
		}
		lines = append(lines, l)
	}
	if len(lines) > 0 && isKey(lines[0]) {
		return Matter{Broken: 1}, text, 1
	}
	return Matter{}, text, 1 // never closed: a rule across the page
}

// isKey reports whether a line of front matter begins with a key.
func isKey(line string) bool {
	key, value, is := strings.Cut(line, ":")
	return is && key != "" && !strings.ContainsAny(key, " \t") && (value == "" || value[0] == ' ')
}

func parseMatter(lines []string) Matter {
	m := Matter{Fields: map[string][]string{}}
	outer := "" // the key that nested keys or items belong to
	for i := 0; i < len(lines); i++ {
		l := lines[i]
		trimmed := strings.TrimSpace(l)
		if trimmed == "" || strings.HasPrefix(trimmed, "#") {
			continue
		}
		inner := l[0] == ' ' || l[0] == '\t'
		if item, ok := listItem(trimmed); ok && outer != "" {
			m.add(outer, scalar(item))
			continue
		}
		key, value, ok := strings.Cut(trimmed, ":")
		if !ok || value != "" && value[0] != ' ' && value[0] != '\t' || inner && outer == "" {
			continue
		}
		key = strings.ToLower(scalar(key))
		if inner {
			key = outer + "." + key
		} else {
			outer = key
		}
		value = strings.TrimSpace(value)
		switch {
		case value == "":
		case value[0] == '|' || value[0] == '>':
			block, n := blockText(lines[i+1:], indentOf(l), value[0] == '>')
			m.add(key, block)
			i += n
		case value[0] == '[':
			for at := i; !strings.HasSuffix(value, "]") && !strings.Contains(value, "] #"); { // a list over several lines
				if i++; i >= len(lines) || isKey(lines[i]) {
					m.Broken = at + 2
					return m
				}
				value += " " + strings.TrimSpace(lines[i])
			}
			for _, v := range flowList(value) {
				m.add(key, v)
			}
		case value[0] == '{':
			// Maps in braces are ignored.
		default:
			m.add(key, scalar(value))
		}
	}
	return m
}

func (m *Matter) add(key, value string) {
	if _, known := m.Fields[key]; !known {
		m.Order = append(m.Order, key)
	}
	m.Fields[key] = append(m.Fields[key], value)
}

func listItem(s string) (string, bool) {
	if s == "-" {
		return "", true
	}
	return strings.CutPrefix(s, "- ")
}

func indentOf(l string) int { return len(l) - len(strings.TrimLeft(l, " \t")) }

// blockText returns the text of the lines indented deeper than their key, and their number.
func blockText(lines []string, indent int, folded bool) (string, int) {
	var text []string
	n := 0
	for _, l := range lines {
		if strings.TrimSpace(l) != "" && indentOf(l) <= indent {
			break
		}
		text = append(text, strings.TrimSpace(l))
		n++
	}
	between := "\n"
	if folded {
		between = " "
	}
	return strings.TrimSpace(strings.Join(text, between)), n
}

// flowList reads [a, "b, c", d].
func flowList(s string) []string {
	s = strings.TrimSuffix(strings.TrimPrefix(s, "["), "]")
	var out []string
	var quote byte
	start := 0
	for i := 0; i <= len(s); i++ {
		switch {
		case i == len(s) || s[i] == ',' && quote == 0:
			if v := scalar(strings.TrimSpace(s[start:i])); v != "" {
				out = append(out, v)
			}
			start = i + 1
		case quote != 0 && s[i] == quote:
			quote = 0
		case quote == 0 && (s[i] == '"' || s[i] == '\'') && strings.TrimSpace(s[start:i]) == "":
			quote = s[i]
		}
	}
	return out
}

// scalar returns a text without quotes or comment.
func scalar(s string) string {
	s = strings.TrimSpace(s)
	if len(s) >= 2 && s[0] == '"' {
		if end := strings.LastIndexByte(s, '"'); end > 0 {
			if plain, err := strconv.Unquote(s[:end+1]); err == nil {
				return plain
			}
			return s[1:end]
		}
	}
	if len(s) >= 2 && s[0] == '\'' {
		if end := strings.LastIndexByte(s, '\''); end > 0 {
			return strings.ReplaceAll(s[1:end], "''", "'")
		}
	}
	if i := strings.Index(s, " #"); i >= 0 {
		s = strings.TrimSpace(s[:i])
	}
	if s == "null" || s == "~" {
		return ""
	}
	return s
}
