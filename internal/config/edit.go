package config

import (
	"bytes"
	"fmt"
	"maps"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/BurntSushi/toml"

	"github.com/alanbuscaglia/engram"
)

// edit sets key in a TOML file to what spelled says; "" removes the key. It changes the characters
// of that value alone, and checks the result against the input; a file that cannot be edited so is
// CodeInvalid.
func edit(file []byte, key, spelled string) ([]byte, error) {
	was, err := readKeys(file)
	if err != nil {
		return nil, engram.Errorf(engram.CodeInvalid, "the configuration file is not valid TOML: %v", err).WithHint("mend it in an editor first")
	}
	out := edited(file, key, spelled)
	now, err := readKeys(out)
	if err == nil {
		want := maps.Clone(was)
		delete(want, key)
		if spelled != "" {
			one, err := readKeys([]byte("x = " + spelled))
			if err != nil {
				return nil, fmt.Errorf("spell %s: %w", key, err)
			}
			want[key] = one["x"]
		}
		if fmt.Sprintf("%#v", now) == fmt.Sprintf("%#v", want) { // maps are printed by key; NaN equals itself
			return out, nil
		}
	}
	hint := fmt.Sprintf("write it in an editor:  %s = %s", key, spelled)
	if spelled == "" {
		hint = "take it out in an editor"
	}
	return nil, engram.Errorf(engram.CodeInvalid, "the configuration file is written in a way that %s cannot be changed in", key).WithHint("%s", hint)
}

// readKeys reads a file, whichever keys it has.
func readKeys(file []byte) (map[string]any, error) {
	keys := map[string]any{}
	err := toml.Unmarshal(file, &keys)
	return keys, err
}

// spell writes a value as the file has it: numbers bare when they are TOML's, switches as
// true or false, whichever way they were said, everything else between quotes.
func spell(k Key, value string) string {
	value = strings.TrimSpace(value)
	var on bool
	if k.Kind == Switch && setSwitch(&on, value) == nil {
		return strconv.FormatBool(on)
	}
	if k.Kind != Text {
		one, err := readKeys([]byte("x = " + value))
		switch one["x"].(type) {
		case int64, float64, bool:
			if err == nil && len(one) == 1 {
				return value
			}
		}
	}
	return quoted(value)
}

// quoted is s as a basic string of TOML.
func quoted(s string) string {
	var b strings.Builder
	b.WriteByte('"')
	for _, r := range s {
		switch {
		case r == '"' || r == '\\':
			b.WriteByte('\\')
			b.WriteRune(r)
		case r < ' ' || r == 0x7f:
			fmt.Fprintf(&b, `\u%04X`, r)
		default:
			b.WriteRune(r)
		}
	}
	b.WriteByte('"')
	return b.String()
}

// edited looks for the statement of key at the top of the file, where alone keys may
// stand, and changes its value; without one it adds a line.
func edited(file []byte, key, spelled string) []byte {
	for _, s := range statements(file) {
		if s.key != key {
			continue
		}
		if spelled != "" {
			return splice(file, s.value, s.valueEnd, spelled)
		}
		// A comment behind the value stays, for it was somebody's.
		if s.comment < s.end && file[s.comment] == '#' {
			return splice(file, s.start, s.comment, "")
		}
		return splice(file, s.start, s.end, "")
	}
	if spelled == "" {
		return file
	}
	newline := "\n"
	if bytes.Contains(file, []byte("\r\n")) {
		newline = "\r\n"
	}
	out := bytes.Clone(file)
	if len(out) > 0 && out[len(out)-1] != '\n' {
		out = append(out, newline...)
	}
	return append(out, key+" = "+spelled+newline...)
}

func splice(file []byte, from, to int, text string) []byte {
	return append(append(bytes.Clone(file[:from]), text...), file[to:]...)
}

// statement is one `key = value` of a file, by the places of its parts in it.
type statement struct {
	key             string
	start           int // of the line
	value, valueEnd int
	comment         int // what follows the value and blanks: a comment, or the end of the line
	end             int // behind the end of the line
}

// statements returns the statements of a file that is valid, up to the first table.
func statements(file []byte) (all []statement) {
	at := len(file) - len(bytes.TrimPrefix(file, []byte("\ufeff")))
	for at < len(file) {
		s := statement{start: at}
		at = skip(file, at, " \t\r\n")
		s.start = max(s.start, bytes.LastIndexByte(file[:at], '\n')+1)
		if at == len(file) || file[at] == '[' {
			return all
		}
		if file[at] == '#' {
			at = lineEnd(file, at)
			continue
		}
		begin := at
		for at < len(file) && file[at] != '=' && file[at] != '\n' {
			if file[at] == '"' || file[at] == '\'' {
				at = stringEnd(file, at)
			} else {
				at++
			}
		}
		s.key = keyOf(string(file[begin:min(at, len(file))]))
		s.value = skip(file, at+1, " \t")
		s.valueEnd = valueEnd(file, s.value)
		s.comment = skip(file, s.valueEnd, " \t")
		at = lineEnd(file, s.comment)
		s.end = at
		all = append(all, s)
	}
	return all
}

// keyOf reads a key as it is written: bare, quoted, with escapes; "" for one with dots.
func keyOf(written string) string {
	keys, err := readKeys([]byte(written + " = {}"))
	if err != nil || len(keys) != 1 {
		return ""
	}
	for key, value := range keys {
		if inner, ok := value.(map[string]any); ok && len(inner) == 0 {
			return key
		}
	}
	return ""
}

// valueEnd is where the value that begins at a place ends. Lists and tables may hold
// lines and strings of their own.
func valueEnd(file []byte, at int) int {
	depth, end := 0, at // end: behind the last character that is no blank
	for at < len(file) {
		switch c := file[at]; {
		case c == '"' || c == '\'':
			at = stringEnd(file, at)
			end = at
			continue
		case c == '[' || c == '{':
			depth++
		case c == ']' || c == '}':
			depth--
		case c == '#' && depth > 0:
			at = lineEnd(file, at)
			continue
		case c == '#' || c == '\n' && depth <= 0:
			return end
		}
		if !strings.ContainsRune(" \t\r\n", rune(file[at])) {
			end = at + 1
		}
		at++
	}
	return end
}

// stringEnd is where the string that begins at a place ends: one of a quote or of three,
// and with " a backslash takes the next character's meaning.
func stringEnd(file []byte, at int) int {
	quote := file[at]
	long := bytes.HasPrefix(file[at:], bytes.Repeat([]byte{quote}, 3))
	if long {
		at += 3
	} else {
		at++
	}
	for at < len(file) {
		switch {
		case file[at] == '\\' && quote == '"':
			at++
		case file[at] == quote && !long:
			return at + 1
		case long && bytes.HasPrefix(file[at:], bytes.Repeat([]byte{quote}, 3)):
			at += 3
			// The last three are the end: """a""""" ends in two quotes of its text.
			for n := 0; n < 2 && at < len(file) && file[at] == quote; n++ {
				at++
			}
			return at
		}
		at++
	}
	return min(at, len(file))
}

func skip(file []byte, at int, blanks string) int {
	for at < len(file) && strings.IndexByte(blanks, file[at]) >= 0 {
		at++
	}
	return min(at, len(file))
}

// lineEnd is the place behind the next end of a line.
func lineEnd(file []byte, at int) int {
	if i := bytes.IndexByte(file[min(at, len(file)):], '\n'); i >= 0 {
		return at + i + 1
	}
	return len(file)
}

// checkValue refuses what no file can hold.
func checkValue(k Key, value string) error {
	switch {
	case strings.TrimSpace(value) == "":
		return engram.Errorf(engram.CodeInvalid, "%s needs a value", k.Name).WithHint("{config unset %s} goes back to the default", k.Name)
	case !utf8.ValidString(value) || len(value) > maxValue:
		return engram.Errorf(engram.CodeInvalid, "that is no value for %s", k.Name).WithHint("UTF-8 of at most %s bytes", strconv.Itoa(maxValue))
	}
	return nil
}

// maxValue is how long a value may be, in bytes: the longest address there is.
const maxValue = 8 << 10
