package openapi

import (
	"fmt"
	"reflect"
	"strconv"
	"strings"
	"time"
	"unicode"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/document"
	"github.com/alanbuscaglia/engram/internal/httpapi/route"
)

// object is a JSON object to be written.
type object = map[string]any

// schemas describes Go types as JSON Schema 2020-12. A named struct is written once and referenced.
//
// Tags say the rest: doc is the description, example one value; for decoded types also required:"true", enum
// (separated by commas), min, max and default. Answers require every field without omitempty or omitzero.
type schemas struct {
	named map[string]object
	types map[string]reflect.Type // by component name
	read  map[reflect.Type]bool   // types that are decoded
	// failures are the error responses, by name.
	failures   object
	needsToken func(route.Route) bool
	err        error // the first type that cannot be described
}

// of describes t for a use.
func (s *schemas) of(t reflect.Type, use use) object {
	switch {
	case t == reflect.TypeFor[document.Timestamp]():
		return object{"type": []string{"string", "null"}, "format": "date-time"}
	case t.ConvertibleTo(reflect.TypeFor[time.Time]()):
		return object{"type": "string", "format": "date-time"}
	}
	switch t.Kind() {
	case reflect.String, reflect.Bool, reflect.Int, reflect.Int64, reflect.Float64:
		if names := wordsOf(t); names != nil && use == written {
			return object{"type": "string", "enum": names}
		}
		return object{"type": document.KindOf(t)}
	case reflect.Slice:
		return object{"type": "array", "items": s.of(t.Elem(), use)}
	case reflect.Map:
		return object{"type": "object", "additionalProperties": s.of(t.Elem(), use)}
	case reflect.Pointer:
		return orNull(s.of(t.Elem(), use))
	case reflect.Interface:
		return object{}
	case reflect.Struct:
		return s.structure(t, use)
	}
	s.fail("%s cannot be described", t)
	return object{}
}

// use is how a type is used.
type use int

const (
	written use = iota
	lenient     // decoded; unknown fields are ignored
	strict      // decoded; unknown fields are rejected
)

// structure describes a struct; a named one becomes a reference.
func (s *schemas) structure(t reflect.Type, use use) object {
	if t.Name() == "" {
		return s.members(t, use)
	}
	name := componentName(t)
	known, ok := s.types[name]
	switch {
	case !ok:
		s.types[name], s.read[t] = t, use != written
		s.named[name] = s.members(t, use)
	case known != t || s.read[t] != (use != written):
		s.fail("%s and %s are both called %s", known, t, name)
	}
	return object{"$ref": "#/components/schemas/" + name}
}

// componentName returns the public name of a type.
func componentName(t reflect.Type) string {
	name := []rune(strings.TrimSuffix(t.Name(), "Doc"))
	if len(name) < len(t.Name()) {
		name = append(name, []rune("Answer")...)
	}
	return string(unicode.ToUpper(name[0])) + string(name[1:])
}

func (s *schemas) members(t reflect.Type, use use) object {
	properties, required := object{}, []string{}
	s.fields(t, use, true, properties, &required)
	out := object{"type": "object", "properties": properties}
	if len(required) > 0 {
		out["required"] = required
	}
	if use == strict {
		out["additionalProperties"] = false
	}
	return out
}

// fields adds the fields of t, then those of embedded structs, which outer fields hide. Fields behind a pointer
// that may be nil are never required.
func (s *schemas) fields(t reflect.Type, use use, sure bool, properties object, required *[]string) {
	var embedded []reflect.StructField
	for i := range t.NumField() {
		f := t.Field(i)
		name, options, _ := strings.Cut(f.Tag.Get("json"), ",")
		switch {
		case f.Anonymous && name == "":
			embedded = append(embedded, f)
			continue
		case name == "" || name == "-" || properties[name] != nil:
			continue
		}
		properties[name] = s.field(f, use, options)
		if must := use == written && sure && options == "" || f.Tag.Get("required") != ""; must {
			*required = append(*required, name)
		}
	}
	for _, f := range embedded {
		inner, given := f.Type, sure
		if f.Type.Kind() == reflect.Pointer {
			inner, given = f.Type.Elem(), false
		}
		s.fields(inner, use, given, properties, required)
	}
}

// field describes one field from its type and tags.
func (s *schemas) field(f reflect.StructField, use use, options string) object {
	t := f.Type
	if t.Kind() == reflect.Pointer && options != "" {
		t = t.Elem() // omitted instead of null
	}
	out := s.of(t, use)
	if text := f.Tag.Get("doc"); text != "" {
		out["description"] = text
	}
	if names := f.Tag.Get("enum"); names != "" {
		out["enum"] = strings.Split(names, ",")
	}
	for tag, keyword := range map[string]string{"min": "minimum", "max": "maximum", "default": "default"} {
		if text := f.Tag.Get(tag); text != "" {
			out[keyword] = valueOf(t, text)
		}
	}
	if text := f.Tag.Get("example"); text != "" {
		out["examples"] = []any{valueOf(t, text)}
	}
	return out
}

// valueOf reads a tag's text as a value of t.
func valueOf(t reflect.Type, text string) any {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	switch t.Kind() {
	case reflect.Bool:
		return text == "true"
	case reflect.Int, reflect.Int64, reflect.Float64:
		if n, err := strconv.ParseFloat(text, 64); err == nil {
			return n
		}
	}
	return text
}

// orNull allows null as well.
func orNull(s object) object {
	if kind, ok := s["type"].(string); ok {
		s["type"] = []string{kind, "null"}
		return s
	}
	return object{"anyOf": []object{s, {"type": "null"}}}
}

func (s *schemas) fail(format string, args ...any) {
	if s.err == nil {
		s.err = fmt.Errorf(format, args...)
	}
}

// wordsOf returns the values that a text type can have in an answer; nil for any. Decoded values may be spelled
// in other ways and are not restricted.
func wordsOf(t reflect.Type) []string {
	switch t {
	case reflect.TypeFor[engram.Scope]():
		return route.Texts(engram.ScopeProject, engram.ScopePersonal, engram.ScopeGlobal)
	case reflect.TypeFor[engram.Curve]():
		return route.Texts(engram.Curves()...)
	case reflect.TypeFor[engram.Verb]():
		return route.Texts(engram.Verbs()...)
	case reflect.TypeFor[engram.RelationStatus]():
		return route.Texts(engram.RelationPending, engram.RelationJudged, engram.RelationIgnored, "orphaned")
	case reflect.TypeFor[engram.Entity]():
		return route.Texts(engram.EntityMemory, engram.EntityRelation, engram.EntitySession, engram.EntityPrompt, engram.EntityProject,
			engram.EntityErased, engram.EntityPending)
	}
	return nil
}
