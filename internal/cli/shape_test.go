package cli

import (
	"encoding"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"unicode"

	"github.com/alanbuscaglia/engram/internal/document"
)

// field is one key of a document.
type field struct {
	key      string
	of       reflect.Type
	optional bool // absent if empty
	// The place of its comment: the type and the Go name.
	in   reflect.Type
	name string
}

// fieldsOf returns the keys of a struct in order, including those of embedded structs.
func fieldsOf(t reflect.Type) []field {
	var out []field
	for i := range t.NumField() {
		f := t.Field(i)
		tag, options, _ := strings.Cut(f.Tag.Get("json"), ",")
		switch {
		case f.Anonymous && tag == "":
			out = append(out, fieldsOf(f.Type)...)
		case tag != "-" && f.IsExported():
			if tag == "" {
				tag = f.Name
			}
			out = append(out, field{tag, f.Type, strings.Contains(options, "omitempty"), t, f.Name})
		}
	}
	return out
}

// kindOfJSON names the JSON kind of a type; isStruct means an object with known keys.
func kindOfJSON(t reflect.Type) (kind string, isStruct bool) {
	switch {
	case t == reflect.TypeFor[document.Timestamp]():
		return "time", false
	case t.Implements(reflect.TypeFor[encoding.TextMarshaler]()):
		return "text", false
	}
	switch t.Kind() {
	case reflect.String:
		return "text", false
	case reflect.Bool:
		return "true or false", false
	case reflect.Int, reflect.Int64:
		return "whole number", false
	case reflect.Float64:
		return "number", false
	case reflect.Interface:
		return "anything", false
	case reflect.Struct:
		return documentName(t), true
	}
	return t.String(), false
}

// describe names the JSON kind of a type, with links to sections.
func describe(t reflect.Type) string {
	switch t.Kind() {
	case reflect.Pointer:
		return describe(t.Elem()) + ", or null"
	case reflect.Slice:
		return "list of " + describe(t.Elem())
	case reflect.Map:
		if t.Elem().Kind() == reflect.Interface {
			return "object"
		}
		return "object of " + describe(t.Elem())
	}
	kind, isStruct := kindOfJSON(t)
	switch {
	case isStruct && t.NumField() > 0:
		return fmt.Sprintf("[%s](#%s)", kind, strings.ReplaceAll(kind, " ", "-"))
	case t == reflect.TypeFor[document.Timestamp]():
		return "time, or null"
	}
	return kind
}

// documentName returns the name of a struct on the page: conflictShownDoc is "conflict shown".
func documentName(t reflect.Type) string {
	var b strings.Builder
	for i, r := range strings.TrimSuffix(t.Name(), "Doc") {
		if i > 0 && unicode.IsUpper(r) {
			b.WriteByte(' ')
		}
		b.WriteRune(unicode.ToLower(r))
	}
	return b.String()
}

// structsOf adds the structs that a type leads to.
func structsOf(t reflect.Type, seen map[reflect.Type]bool) {
	switch t.Kind() {
	case reflect.Pointer, reflect.Slice, reflect.Map:
		structsOf(t.Elem(), seen)
	case reflect.Struct:
		if _, isStruct := kindOfJSON(t); !isStruct || seen[t] || t.NumField() == 0 {
			return
		}
		seen[t] = true
		for _, f := range fieldsOf(t) {
			structsOf(f.of, seen)
		}
	}
}

// misshapen compares decoded JSON with a type and returns the differences, by path.
func misshapen(t reflect.Type, v any, path string) []string {
	wrong := func(want string) []string {
		got, _ := json.Marshal(v)
		return []string{fmt.Sprintf("%s: got %.100s, want %s", path, got, want)}
	}
	if _, isStruct := kindOfJSON(t); isStruct {
		return misshapenStruct(t, v, path)
	}
	switch t.Kind() {
	case reflect.Pointer:
		if v == nil {
			return nil
		}
		return misshapen(t.Elem(), v, path)
	case reflect.Slice:
		list, ok := v.([]any)
		if !ok {
			return wrong("a list")
		}
		var bad []string
		for i, item := range list {
			bad = append(bad, misshapen(t.Elem(), item, fmt.Sprintf("%s.%d", path, i))...)
		}
		return bad
	case reflect.Map:
		object, ok := v.(map[string]any)
		if !ok {
			return wrong("an object")
		}
		var bad []string
		for key, item := range object {
			bad = append(bad, misshapen(t.Elem(), item, path+"."+key)...)
		}
		return bad
	}
	kind, _ := kindOfJSON(t)
	text, isText := v.(string)
	number, isNumber := v.(float64)
	_, isBool := v.(bool)
	fits := map[string]bool{"anything": true, "text": isText, "number": isNumber, "whole number": isNumber && number == float64(int64(number)),
		"true or false": isBool, "time": v == nil || isText && strings.HasSuffix(text, "Z")}
	if !fits[kind] {
		return wrong("a " + kind)
	}
	return nil
}

func misshapenStruct(t reflect.Type, v any, path string) []string {
	object, ok := v.(map[string]any)
	if !ok {
		return []string{fmt.Sprintf("%s: got %v, want the object %s", path, v, documentName(t))}
	}
	var bad, keys []string
	for _, f := range fieldsOf(t) {
		keys = append(keys, f.key)
		item, there := object[f.key]
		if there {
			bad = append(bad, misshapen(f.of, item, path+"."+f.key)...)
		} else if !f.optional {
			bad = append(bad, fmt.Sprintf("%s.%s: is not there, and is said to be", path, f.key))
		}
	}
	for key := range object {
		if !slices.Contains(keys, key) {
			bad = append(bad, fmt.Sprintf("%s.%s: is there, and nothing says so", path, key))
		}
	}
	return bad
}
