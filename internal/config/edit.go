package config

import (
	"bytes"
	"fmt"
	"iter"
	"maps"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/BurntSushi/toml"

	"github.com/alanbuscaglia/engram"
)

// edit sets key in a TOML file to a value as spelled; "" removes the key. It changes only the
// characters of that value and verifies the result. CodeInvalid if the file cannot be edited this
// way.
func edit(file []byte, key, spelled string) ([]byte, error) {
	was, err := readKeys(file)
	if err != nil {
		return nil, engram.Errorf(engram.CodeInvalid, "the configuration file is not valid TOML: %v", err).WithHint("repair it in an editor first")
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
		if fmt.Sprintf("%#v", now) == fmt.Sprintf("%#v", want) { // prints maps sorted, and NaN equals itself
			return out, nil
		}
	}
	hint := fmt.Sprintf("write it in an editor:  %s = %s", key, spelled)
	if spelled == "" {
		hint = "remove it in an editor"
	}
	return nil, engram.Errorf(engram.CodeInvalid, "cannot change %s in the form that the configuration file has", key).WithHint("%s", hint)
}

// readKeys decodes a file with any keys.
func readKeys(file []byte) (map[string]any, error) {
	keys := map[string]any{}
	err := toml.Unmarshal(file, &keys)
	return keys, err
}

// spell formats a value for the file: TOML numbers bare, switches as true or false, everything else
// quoted.
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

// quoted returns s as a basic TOML string.
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

// edited changes the value of key in the root table, or adds a line.
func edited(file []byte, key, spelled string) []byte {
	for from, to := range statements(file) {
		text := file[from:to]
		at, is := valueOf(text, key)
		if !is {
			continue
		}
		value := from + at
		value += len(file[value:to]) - len(bytes.TrimLeft(file[value:to], " \t"))
		comment := from + commentIn(text)
		switch {
		case spelled != "":
			return splice(file, value, value+len(bytes.TrimRight(file[value:comment], " \t\r\n")), spelled)
		case comment < to: // keep the person's comment
			return splice(file, from, comment, "")
		}
		return splice(file, from, to, "")
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

// statements returns the `key = value` statements of a valid file up to the first table, each from
// the start of its first line to the end of its last.
func statements(file []byte) iter.Seq2[int, int] {
	return func(yield func(from, to int) bool) {
		from := len(file) - len(bytes.TrimPrefix(file, []byte("\ufeff")))
		for to := from; to < len(file); {
			to = lineEnd(file, to)
			line := bytes.TrimLeft(file[from:to], " \t\r\n")
			if bytes.HasPrefix(line, []byte("[")) {
				return
			}
			if _, err := readKeys(line); err != nil {
				continue // a list, table or string continues in the next line
			}
			if len(line) > 0 && line[0] != '#' && !yield(from, to) {
				return
			}
			from = to
		}
	}
}

// valueOf returns where the value of a statement begins; is is false if its key is another one or
// dotted.
func valueOf(statement []byte, key string) (at int, is bool) {
	for at, c := range statement {
		if c != '=' {
			continue
		}
		if says, err := readKeys(append(bytes.Clone(statement[:at]), "= {}"...)); err == nil { // otherwise inside a quoted key
			inner, table := says[key].(map[string]any)
			return at + 1, table && len(inner) == 0
		}
	}
	return 0, false
}

// commentIn returns where the comment behind a value begins, or the end. A # inside a string or
// list is preceded by an incomplete statement.
func commentIn(statement []byte) int {
	for at, c := range statement {
		if c == '#' {
			if says, err := readKeys(statement[:at]); err == nil && len(says) > 0 {
				return at
			}
		}
	}
	return len(statement)
}

// lineEnd returns the position after the next line end.
func lineEnd(file []byte, at int) int {
	if i := bytes.IndexByte(file[at:], '\n'); i >= 0 {
		return at + i + 1
	}
	return len(file)
}

// checkValue rejects values that no file can hold.
func checkValue(k Key, value string) error {
	switch {
	case strings.TrimSpace(value) == "":
		return engram.Errorf(engram.CodeInvalid, "%s needs a value", k.Name).WithHint("use {config unset %s} for the default", k.Name)
	case !utf8.ValidString(value) || len(value) > maxValue:
		return engram.Errorf(engram.CodeInvalid, "invalid value for %s", k.Name).WithHint("use UTF-8 of at most %s bytes", strconv.Itoa(maxValue))
	}
	return nil
}

// maxValue is the longest value, in bytes: the longest address there is.
const maxValue = 8 << 10
