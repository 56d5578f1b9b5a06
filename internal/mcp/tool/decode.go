package tool

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/document"
)

// decode reads args into the struct in. Missing and null arguments keep their default, unknown ones are
// ignored. Errors are CodeInvalid and name the argument and what it should be.
func decode(args json.RawMessage, params []param, in reflect.Value) error {
	// Go's JSON reader would silently replace invalid bytes, and save other text than was sent.
	if !utf8.Valid(args) {
		return engram.Errorf(engram.CodeInvalid, "the arguments are not valid UTF-8").WithHint("convert the text to UTF-8 first")
	}
	given := map[string]json.RawMessage{}
	if len(args) > 0 && json.Unmarshal(args, &given) != nil {
		return engram.Errorf(engram.CodeInvalid, "the arguments are not a JSON object").WithHint("send %s", `{"name": value, …}`)
	}
	return fill("", given, params, in)
}

// fill reads the given values into the fields of in. path is the prefix of names in errors: "" for arguments,
// "memories[3]." for an object in a list.
func fill(path string, given map[string]json.RawMessage, params []param, in reflect.Value) error {
	for _, p := range params {
		raw := given[p.name]
		p.name = path + p.name
		if absent(raw) {
			raw = p.def
		}
		if p.required == "true" && (absent(raw) || blank(raw)) {
			return engram.Errorf(engram.CodeInvalid, "%s is required", p.name)
		}
		if absent(raw) {
			continue
		}
		if err := p.set(in.Field(p.field), raw); err != nil {
			return err
		}
	}
	return nil
}

func absent(raw json.RawMessage) bool { return len(raw) == 0 || bytes.Equal(raw, []byte("null")) }

// blank reports whether raw is a string of white space.
func blank(raw json.RawMessage) bool {
	var s string
	return raw[0] == '"' && json.Unmarshal(raw, &s) == nil && strings.TrimSpace(s) == ""
}

func (p param) set(field reflect.Value, raw json.RawMessage) error {
	if field.Kind() == reflect.Pointer {
		field.Set(reflect.New(p.kind))
		field = field.Elem()
	}
	if isList(p.kind) {
		return p.setList(field, raw)
	}
	if p.kind == reflect.TypeFor[json.RawMessage]() && raw[0] != '{' {
		return p.mistyped(raw, plural(p.kind))
	}
	switch p.kind.Kind() {
	case reflect.String:
		var s string
		if p.ref && whole(raw) {
			raw = json.RawMessage(`"` + string(raw) + `"`)
		}
		if json.Unmarshal(raw, &s) != nil {
			return p.mistyped(raw, aString)
		}
		s, err := p.allowed(s)
		if err != nil {
			return err
		}
		field.SetString(s)
	case reflect.Bool:
		var v bool
		if json.Unmarshal(document.Unquoted(raw), &v) != nil {
			return p.mistyped(raw, "true or false")
		}
		field.SetBool(v)
	case reflect.Int, reflect.Int64, reflect.Float64:
		return p.setNumber(field, raw)
	default:
		if json.Unmarshal(raw, field.Addr().Interface()) != nil {
			return p.mistyped(raw, plural(p.kind))
		}
	}
	return nil
}

// isList reports whether a schema counts the items of t. Raw JSON is a slice only to Go.
func isList(t reflect.Type) bool {
	return t.Kind() == reflect.Slice && t != reflect.TypeFor[json.RawMessage]()
}

// setList reads a list item by item, so that an error names the item: "memories[3].content is required". Items
// count from 0, as in JSON.
func (p param) setList(field reflect.Value, raw json.RawMessage) error {
	given, ok := document.Items(raw)
	if !ok || p.items != nil && raw[0] == '"' && !slices.ContainsFunc(given, func(raw json.RawMessage) bool { return raw[0] == '{' }) {
		return p.mistyped(raw, plural(p.kind))
	}
	if n := float64(len(given)); !p.unchecked && (p.min != nil && n < *p.min || p.max != nil && n > *p.max) {
		return p.outOfRange("%s has %d items", len(given))
	}
	list := reflect.MakeSlice(p.kind, len(given), len(given))
	for i, raw := range given {
		item := param{name: fmt.Sprintf("%s[%d]", p.name, i), kind: p.kind.Elem(), items: p.items, ref: p.ref}
		var err error
		switch {
		case absent(raw):
			err = engram.Errorf(engram.CodeInvalid, "%s is null", item.name).WithHint("leave it out")
		case p.items != nil:
			var given map[string]json.RawMessage
			if json.Unmarshal(raw, &given) != nil {
				return engram.Errorf(engram.CodeInvalid, "%s must be an object, not %s", item.name, kindOf(raw))
			}
			err = fill(item.name+".", given, p.items, list.Index(i))
		default:
			err = item.set(list.Index(i), raw)
		}
		if err != nil {
			return err
		}
	}
	field.Set(list)
	return nil
}

// whole reports whether raw is a whole number, which can name a memory where an id is expected.
func whole(raw json.RawMessage) bool {
	_, err := strconv.ParseInt(string(raw), 10, 64)
	return err == nil
}

// setNumber reads a count, an ID or a fraction.
func (p param) setNumber(field reflect.Value, raw json.RawMessage) error {
	var n float64
	given := raw
	if p.kind == reflect.TypeFor[ID]() {
		raw = unmarked(raw)
	}
	if raw = document.Unquoted(raw); json.Unmarshal(raw, &n) != nil {
		if kindOf(raw) == aNumber {
			return engram.Errorf(engram.CodeInvalid, "%s is out of range", p.name)
		}
		return p.mistyped(given, aNumber)
	}
	n, err := p.inRange(n)
	if err != nil {
		return err
	}
	if p.kind.Kind() == reflect.Float64 {
		field.SetFloat(n)
		return nil
	}
	if p.kind == reflect.TypeFor[ID]() && n != math.Trunc(n) {
		return engram.Errorf(engram.CodeInvalid, "%s must be a whole number, not %v", p.name, n)
	}
	// Beyond this a float64 does not distinguish neighbouring whole numbers.
	if math.Abs(n) > 1<<53 {
		return engram.Errorf(engram.CodeInvalid, "%s is out of range", p.name)
	}
	field.SetInt(int64(n))
	return nil
}

// unmarked removes the # with which texts show the number of a memory.
func unmarked(raw json.RawMessage) json.RawMessage {
	var s string
	if raw[0] != '"' || json.Unmarshal(raw, &s) != nil {
		return raw
	}
	if number, marked := strings.CutPrefix(strings.TrimSpace(s), "#"); marked {
		return appendText(nil, number)
	}
	return raw
}

func (p param) inRange(n float64) (float64, error) {
	if p.unchecked {
		return n, nil
	}
	low, high := p.min != nil && n < *p.min, p.max != nil && n > *p.max
	switch {
	case !low && !high:
		return n, nil
	case p.lax && high:
		return *p.max, nil
	case p.lax && p.def != nil:
		err := json.Unmarshal(p.def, &n)
		return n, err
	case p.lax:
		return *p.min, nil
	}
	return 0, p.outOfRange("%s %v is out of range", n)
}

// outOfRange is the error for a number, or a number of items, out of the range that its hint names.
func (p param) outOfRange(format string, n any) error {
	err := engram.Errorf(engram.CodeInvalid, format, p.name, n)
	switch {
	case p.min != nil && p.max != nil:
		return err.WithHint("use a number from %v to %v", *p.min, *p.max)
	case p.min != nil:
		return err.WithHint("at least %v", *p.min)
	}
	return err.WithHint("at most %v", *p.max)
}

func (p param) allowed(s string) (string, error) {
	if p.enum == nil || p.unchecked {
		return s, nil
	}
	if i := slices.IndexFunc(p.enum, func(e string) bool { return strings.EqualFold(e, strings.TrimSpace(s)) }); i >= 0 {
		return p.enum[i], nil
	}
	if !p.lax && s != "" {
		return "", engram.Errorf(engram.CodeInvalid, "%s %q is not known", p.name, Clip(s)).
			WithHint("use one of: %s", strings.Join(p.enum, ", "))
	}
	var def string
	_ = json.Unmarshal(p.def, &def) // nil, or a string made by paramsOf
	return def, nil
}

// mistyped is the error for a value of the wrong JSON type.
func (p param) mistyped(raw json.RawMessage, want string) error {
	got := kindOf(raw)
	err := engram.Errorf(engram.CodeInvalid, "%s must be %s, not %s", p.name, want, got)
	if got == aString && want != aString {
		return err.WithHint("send the value itself, without quotes")
	}
	return err
}

// The names of JSON types in messages.
const (
	aString = "a string"
	aNumber = "a number"
)

func kindOf(raw json.RawMessage) string {
	return cmp.Or(map[byte]string{'"': aString, '{': "an object", '[': "an array", 't': "a boolean", 'f': "a boolean"}[raw[0]], aNumber)
}

func plural(t reflect.Type) string {
	switch {
	case !isList(t):
		return "an object"
	case t.Elem().Kind() == reflect.Struct:
		return "an array of objects"
	}
	return fmt.Sprintf("an array of %ss", t.Elem().Kind())
}

// Clip shortens an echo of input in a message.
func Clip(s string) string {
	const most = 60
	if r := []rune(s); len(r) > most {
		return string(r[:most]) + "…"
	}
	return s
}
