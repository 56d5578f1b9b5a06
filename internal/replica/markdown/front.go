package markdown

import (
	"bytes"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"go.yaml.in/yaml/v4"

	"github.com/alanbuscaglia/engram"
)

// readFront reads front matter, which begins at line 2 of the file.
func (r *read) readFront(head string) *flaw {
	if len(head) > maxFront {
		return flawed(1, "the front matter has %d bytes, the limit is %d", len(head), maxFront)
	}
	doc, f := parseYAML(head)
	if f != nil {
		return f
	}
	seen, own := map[string]bool{}, ownKeys()
	var extra []*yaml.Node
	for i := 0; i+1 < len(doc); i += 2 {
		k, v := doc[i], doc[i+1]
		if seen[k.Value] {
			return flawed(k.Line+1, "%s is there twice", strconv.Quote(k.Value))
		}
		seen[k.Value] = true
		if !slices.Contains(own, k.Value) {
			extra = append(extra, k, v)
			continue
		}
		if f := r.take(k.Value, v); f != nil {
			return f
		}
	}
	for _, name := range []string{"title", "type", "scope", "importance"} {
		if !seen[name] {
			r.lacks = append(r.lacks, name)
		}
	}
	return r.keep(extra)
}

// parseYAML reads a mapping: alternating keys and values.
func parseYAML(head string) ([]*yaml.Node, *flaw) {
	if empty(head) {
		return nil, nil
	}
	var doc yaml.Node
	if err := yaml.Load([]byte(head), &doc); err != nil {
		return nil, flawed(yamlLine(err)+1, "the front matter is not YAML: %s", yamlReason(err))
	}
	if doc.Kind != yaml.DocumentNode || len(doc.Content) != 1 {
		return nil, nil
	}
	m := doc.Content[0]
	if m.Kind == yaml.ScalarNode && m.ShortTag() == "!!null" {
		return nil, nil
	}
	if m.Kind != yaml.MappingNode {
		return nil, flawed(m.Line+1, "the front matter is not a list of keys and values")
	}
	if n := outlawed(m); n != nil {
		return nil, flawed(n.Line+1, "front matter must not have YAML anchors, aliases, tags or merges")
	}
	for i := 0; i+1 < len(m.Content); i += 2 {
		if m.Content[i].Kind != yaml.ScalarNode {
			return nil, flawed(m.Content[i].Line+1, "a key of the front matter is not a word")
		}
	}
	return m.Content, nil
}

// empty reports front matter of blank lines and comments, which the library rejects.
func empty(head string) bool {
	for line := range strings.SplitSeq(head, "\n") {
		if line = strings.TrimLeft(line, " "); line != "" && line[0] != '#' {
			return false
		}
	}
	return true
}

// outlawed returns the first node that is an alias or a merge, or has an anchor or a tag.
func outlawed(n *yaml.Node) *yaml.Node {
	if n.Kind == yaml.AliasNode || n.Anchor != "" || n.Style&yaml.TaggedStyle != 0 || n.ShortTag() == "!!merge" {
		return n
	}
	for _, c := range n.Content {
		if bad := outlawed(c); bad != nil {
			return bad
		}
	}
	return nil
}

// yamlLine returns the line in an error of the library; 1 if it has none.
func yamlLine(err error) int {
	text := err.Error()
	for _, before := range []string{" at L", "line "} {
		if _, after, found := strings.Cut(text, before); found {
			digits := after[:len(after)-len(strings.TrimLeft(after, "0123456789"))]
			if n, err := strconv.Atoi(digits); err == nil && n > 0 {
				return n
			}
		}
	}
	return 1
}

// yamlReason returns the library's message without the location, which is reported with the file.
func yamlReason(err error) string {
	text := err.Error()
	return strings.TrimSpace(text[strings.LastIndex(text, ": ")+1:])
}

func (r *read) take(key string, v *yaml.Node) *flaw {
	switch key {
	case "aliases", "tags":
		words, f := wordsOf(key, v)
		if key == "tags" {
			r.fields.Tags = words
		} else {
			r.kept.aliases = words
		}
		return f
	case "importance":
		n, err := strconv.ParseFloat(v.Value, 64)
		if v.Kind != yaml.ScalarNode || err != nil || !(n >= 0 && n <= 1) {
			return flawed(v.Line+1, "importance must be a number from 0 to 1")
		}
		r.fields.Importance = n
		return nil
	case "permanent":
		b, known := map[string]bool{"true": true, "false": false, "": false, "null": false, "~": false}[strings.ToLower(v.Value)]
		if v.Kind != yaml.ScalarNode || !known {
			return flawed(v.Line+1, "permanent must be true or false")
		}
		r.fields.Permanent = b
		return nil
	}
	s, f := wordOf(key, v)
	if f != nil {
		return f
	}
	switch key {
	case "id":
		r.id = engram.ID(s)
		r.foreign = s != "" && !ourID(s)
	case "title":
		r.fields.Title = s
	case "project":
		r.project = s
	case "type":
		r.fields.Type = engram.Type(s)
	case "scope":
		r.fields.Scope = engram.Scope(s)
		if s != "" && engram.ParseScope(s) != engram.Scope(strings.ToLower(s)) {
			return flawed(v.Line+1, "scope must be project, personal or global")
		}
		r.fields.Scope = engram.ParseScope(s)
	case "topic", "topic_key":
		r.fields.TopicKey = s
	default: // an edit does not change it
		if r.fixed == nil {
			r.fixed = map[string]string{}
		}
		r.fixed[key] = s
	}
	return nil
}

// ourID reports whether s is an ID of Engram.
func ourID(s string) bool {
	ref, err := engram.ParseRef(s)
	return err == nil && ref.ID != "" && ref.Whole()
}

// wordOf returns a single value as written, also numbers and dates.
func wordOf(key string, v *yaml.Node) (string, *flaw) {
	switch {
	case v.Kind != yaml.ScalarNode:
		return "", flawed(v.Line+1, "%s must be one value, not a list", key)
	case v.ShortTag() == "!!null":
		return "", nil
	}
	return v.Value, nil
}

// wordsOf returns a list of strings. A single string is also a list: words between commas, as in
// older Obsidian.
func wordsOf(key string, v *yaml.Node) ([]string, *flaw) {
	var words []string
	if v.Kind == yaml.ScalarNode {
		s, f := wordOf(key, v)
		if key == "aliases" && s != "" {
			return []string{s}, f
		}
		for w := range strings.SplitSeq(s, ",") {
			if w = strings.TrimSpace(w); w != "" {
				words = append(words, w)
			}
		}
		return words, f
	}
	if v.Kind != yaml.SequenceNode {
		return nil, flawed(v.Line+1, "%s must be a list", key)
	}
	for _, item := range v.Content {
		s, f := wordOf(key, item)
		if f != nil {
			return nil, f
		}
		if s != "" {
			words = append(words, s)
		}
	}
	return words, nil
}

// keep stores the person's own keys.
func (r *read) keep(extra []*yaml.Node) *flaw {
	r.kept.aliases = slices.DeleteFunc(r.kept.aliases, func(a string) bool { return a == r.fields.Title })
	if len(extra) == 0 {
		return nil
	}
	b, err := yaml.Dump(&yaml.Node{Kind: yaml.MappingNode, Tag: "!!map", Content: extra})
	if err != nil {
		return flawed(extra[0].Line+1, "cannot keep %s: %v", strconv.Quote(extra[0].Value), err)
	}
	// Do not write what cannot be read again: the next look would not find the note.
	if bytes.Contains(b, []byte("\n---")) || bytes.HasPrefix(b, []byte("---")) || len(b) > maxFront/2 {
		return flawed(extra[0].Line+1, "cannot keep %s", strconv.Quote(extra[0].Value))
	}
	r.kept.extra = string(b)
	return nil
}

// Front matter is formatted here, not by the YAML library: a release with other quoting would
// rewrite every note of every vault.

// scalar returns s as a YAML value that every reader takes for this string: plain if unambiguous,
// otherwise double-quoted on one line.
func scalar(s string) string {
	if plain(s) {
		return s
	}
	var b strings.Builder
	b.WriteByte('"')
	for _, r := range strings.ToValidUTF8(s, "\ufffd") {
		switch {
		case r == '"' || r == '\\':
			b.WriteByte('\\')
			b.WriteRune(r)
		case r == '\n':
			b.WriteString(`\n`)
		case r == '\t':
			b.WriteString(`\t`)
		case unseen(r) && r > 0xffff:
			fmt.Fprintf(&b, `\U%08x`, r)
		case unseen(r):
			fmt.Fprintf(&b, `\u%04x`, r)
		default:
			b.WriteRune(r)
		}
	}
	b.WriteByte('"')
	return b.String()
}

// unseen reports characters that YAML does not allow or editors do not show.
func unseen(r rune) bool {
	return unicode.In(r, unicode.Cc, unicode.Cf, unicode.Co, unicode.Cs, unicode.Zl, unicode.Zp, unicode.Noncharacter_Code_Point)
}

// plain reports whether a string begins with a letter, has words of letters and digits with single
// blanks, and is not a YAML keyword.
func plain(s string) bool {
	last := ' '
	for i, r := range s {
		switch {
		case unicode.IsLetter(r):
		case i == 0:
			return false
		case unicode.IsDigit(r), r == '_', r == '-', r == '.', r == '/':
		case r == ' ' && last != ' ':
		default:
			return false
		}
		last = r
	}
	switch strings.ToLower(s) {
	case "true", "false", "yes", "no", "on", "off", "null", "y", "n":
		return false
	}
	return last != ' '
}

// front builds front matter.
type front struct{ strings.Builder }

func (f *front) put(key, value string) { f.WriteString(key + ": " + value + "\n") }

// text puts a string, unless it is empty.
func (f *front) text(key, value string) {
	if value != "" {
		f.put(key, scalar(value))
	}
}

// list puts a list, unless it is empty.
func (f *front) list(key string, values []string) {
	if len(values) == 0 {
		return
	}
	f.WriteString(key + ":\n")
	for _, v := range values {
		f.WriteString("  - " + scalar(v) + "\n")
	}
}
