package wire

import (
	"bytes"
	"encoding/json"
	"slices"
	"unicode/utf8"

	"github.com/alanbuscaglia/engram"
)

// maxValues is the most values that Inspect accepts; a memory with 10,000 revisions has less than
// half.
const maxValues = 200_000

// Field is a field of an object, unparsed.
type Field struct {
	Name  string
	Key   []byte // the name with its quotes
	Value []byte
}

// WellFormed returns a CodeInvalid error if b is not JSON or not UTF-8. FieldsOf, ItemsOf and
// Inspect need bytes that passed it.
func WellFormed(b []byte) error {
	if !utf8.Valid(b) {
		return engram.Errorf(engram.CodeInvalid, "it is not valid UTF-8")
	}
	if !json.Valid(b) {
		return engram.Errorf(engram.CodeInvalid, "it is not JSON").WithCause(json.Unmarshal(b, new(struct{})))
	}
	return nil
}

// FieldsOf splits an object with at most most fields; otherwise ok is false. The fields share the
// bytes of b.
func FieldsOf(b []byte, most int) (all []Field, ok bool) {
	i := blank(b, 0)
	if b[i] != '{' {
		return nil, false
	}
	for i = blank(b, i+1); b[i] != '}'; {
		if len(all) == most {
			return nil, false
		}
		end, _ := quoted(b, i)
		f := Field{Key: b[i:end], Name: Unquote(b[i:end])}
		i = blank(b, blank(b, end)+1) // skip the colon
		end = after(b, i)
		f.Value = b[i:end]
		all = append(all, f)
		if i = blank(b, end); b[i] == ',' {
			i = blank(b, i+1)
		}
	}
	return all, true
}

// ItemsOf splits a list of at most most items, or null; otherwise ok is false. The items share the
// bytes of b.
func ItemsOf(b []byte, most int) (all [][]byte, ok bool) {
	i := blank(b, 0)
	if b[i] == 'n' {
		return nil, true
	}
	if b[i] != '[' {
		return nil, false
	}
	for i = blank(b, i+1); b[i] != ']'; {
		if len(all) == most {
			return nil, false
		}
		end := after(b, i)
		all = append(all, b[i:end])
		if i = blank(b, end); b[i] == ',' {
			i = blank(b, i+1)
		}
	}
	return all, true
}

// blank returns the position of the next character from i on that is not white space.
func blank(b []byte, i int) int {
	for i < len(b) && (b[i] == ' ' || b[i] == '\n' || b[i] == '\t' || b[i] == '\r') {
		i++
	}
	return i
}

// quoted returns the position behind the string at i, and whether it has a NUL.
func quoted(b []byte, i int) (end int, nul bool) {
	for i++; b[i] != '"'; i++ {
		if b[i] == '\\' {
			nul = nul || bytes.HasPrefix(b[i:], []byte(`\u0000`))
			i++
		}
	}
	return i + 1, nul
}

// after returns the position behind the value at i.
func after(b []byte, i int) int {
	depth := 0
	for i < len(b) {
		switch b[i] {
		case '"':
			i, _ = quoted(b, i)
			if depth == 0 {
				return i
			}
			continue
		case '{', '[':
			depth++
		case '}', ']':
			if depth == 0 { // behind a number
				return i
			}
			if depth--; depth == 0 {
				return i + 1
			}
		case ',', ' ', '\n', '\t', '\r':
			if depth == 0 {
				return i
			}
		}
		i++
	}
	return i
}

// Unquote returns the text of a well-formed JSON string.
func Unquote(key []byte) string {
	if !bytes.ContainsRune(key, '\\') {
		return string(key[1 : len(key)-1])
	}
	var name string
	_ = json.Unmarshal(key, &name) // a string of well-formed JSON
	return name
}

// inside is an object or list that Inspect is in.
type inside struct {
	object bool
	free   bool // metadata: any content
	names  [][]byte
	many   map[string]bool // names, if there are many
}

// add adds a name and reports whether it is new.
func (x *inside) add(name []byte) bool {
	if x.many == nil {
		if slices.ContainsFunc(x.names, func(known []byte) bool { return bytes.Equal(known, name) }) {
			return false
		}
		if x.names = append(x.names, name); len(x.names) > few {
			x.many = make(map[string]bool, 2*few)
			for _, n := range x.names {
				x.many[string(n)] = true
			}
		}
		return true
	}
	if x.many[string(name)] {
		return false
	}
	x.many[string(name)] = true
	return true
}

// few is how many names are compared one by one.
const few = 32

// unquoted is Unquote, in the bytes of key where it can be.
func unquoted(key []byte) []byte {
	if bytes.IndexByte(key, '\\') < 0 {
		return key[1 : len(key)-1]
	}
	return []byte(Unquote(key))
}

// lower returns a name in lower case, in its own bytes where it can be.
func lower(name []byte) []byte {
	for _, c := range name {
		if c >= utf8.RuneSelf || 'A' <= c && c <= 'Z' {
			return bytes.ToLower(name)
		}
	}
	return name
}

// Inspect returns a CodeInvalid error for well-formed JSON that readers take differently or that
// costs too much: a duplicate name at any level, deep nesting, too many values, a NUL.
func Inspect(b []byte) error {
	var stack []inside
	values, name, free := 0, false, false // name: the next string is a name; free: its value is metadata
	for i := 0; i < len(b); i++ {
		switch b[i] {
		case '{', '[':
			if len(stack) == deepest {
				return engram.Errorf(engram.CodeInvalid, "it is nested more than %d deep", deepest)
			}
			if len(stack) > 0 {
				free = free || stack[len(stack)-1].free
			}
			name = b[i] == '{'
			stack = append(stack, inside{object: name, free: free})
			values++
		case '}', ']':
			stack = stack[:len(stack)-1]
			name = false
		case ',':
			name = len(stack) > 0 && stack[len(stack)-1].object
			values++
		case '"':
			end, nul := quoted(b, i)
			if nul && !free && (len(stack) == 0 || !stack[len(stack)-1].free) {
				return engram.Errorf(engram.CodeInvalid, "a text in it contains a NUL")
			}
			if name {
				top := &stack[len(stack)-1]
				text := unquoted(b[i:end])
				if !top.add(text) {
					return engram.Errorf(engram.CodeInvalid, "it has %.40q twice", text)
				}
				name, free = false, top.free || string(text) == "metadata"
			}
			i = end - 1
		}
		if values > maxValues {
			return engram.Errorf(engram.CodeInvalid, "it has more than %d values", maxValues)
		}
	}
	return nil
}

// deepest is the deepest nesting of an item.
const deepest = 1000

// Ambiguous rejects JSON that decoders accept with silent loss: a duplicate field, in any case;
// half of a surrogate pair; nesting deeper than 1,000. The item must be valid JSON; the error is
// CodeInvalid.
func Ambiguous(item []byte) error {
	fields := inside{names: make([][]byte, 0, few/2)} // most items have fewer
	depth, key := 0, false                            // key: the next string at depth 1 is a field name
	for at := 0; at < len(item); at++ {
		switch item[at] {
		case '{', '[':
			if depth++; depth > deepest {
				return engram.Errorf(engram.CodeInvalid, "it is nested more than %d deep", deepest)
			}
			if key = depth == 1 && item[at] == '{'; key {
				fields.object = true
			}
		case '}', ']':
			depth--
		case ',':
			key = depth == 1 && fields.object
		case '"':
			end, _ := quoted(item, at)
			text := item[at:end]
			if bytes.Contains(text, []byte(`\u`)) && halfLetter(text) {
				return engram.Errorf(engram.CodeInvalid, "a text has a lone surrogate (half of a character)").WithHint("convert it to UTF-8 first")
			}
			if key && depth == 1 {
				key = false
				if name := lower(unquoted(text)); !fields.add(name) {
					return engram.Errorf(engram.CodeInvalid, "%.40s is there twice", name).WithHint("remove one of the two")
				}
			}
			at = end - 1
		}
	}
	return nil
}

// halfLetter reports whether a string has a surrogate escape without its other half.
func halfLetter(text []byte) bool {
	for at := 0; at+1 < len(text); at++ {
		if text[at] != '\\' {
			continue
		}
		at++
		if text[at] != 'u' {
			continue
		}
		switch surrogate(text[at-1:]) {
		case 'l':
			return true
		case 'h':
			if surrogate(text[min(at+5, len(text)):]) != 'l' {
				return true
			}
			at += 6
		}
	}
	return false
}

// surrogate returns h for a high surrogate escape, l for a low one, 0 for others.
func surrogate(escape []byte) byte {
	if len(escape) < 6 || escape[0] != '\\' || escape[1] != 'u' || escape[2]|0x20 != 'd' {
		return 0
	}
	switch c := escape[3] | 0x20; {
	case c == '8', c == '9', c == 'a', c == 'b':
		return 'h'
	case c >= 'c' && c <= 'f':
		return 'l'
	}
	return 0
}
