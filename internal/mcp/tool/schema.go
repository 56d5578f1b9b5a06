package tool

import (
	"bytes"
	"encoding/json"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/alanbuscaglia/engram/internal/document"
)

// ID is an argument that names a memory by its number. Unlike a count it is never rounded.
type ID int64

// param is one argument. It is read from a field of an input struct:
//
//	Limit int `json:"limit" doc:"how many" default:"10" min:"1" max:"20" lax:"true"`
//
// json is the name, doc the description. required:"true" is checked here, with a generic message;
// required:"schema" is only in the schema, because the dialect has its own message or accepts less. enum lists
// the allowed values, separated by commas. A lax argument is never out of range: a value below min or not in
// enum counts as the default, one above max as max. schema:"-" omits an argument from the schema: one that
// clients know from elsewhere, such as an old name, and that no model should pay for reading. schema:"only"
// puts enum, min and max in the schema without checking them, because the dialect has its own messages.
// one:"true" describes a list as a string: most calls pass one value, and a list is accepted too. small:"-"
// omits an argument from the schema for small models; any other text there is their doc, and needed:"small"
// makes it required for them.
type param struct {
	name      string
	doc       string
	field     int
	kind      reflect.Type // of the value, without the pointer
	required  string
	enum      []string
	def       json.RawMessage // nil for none
	min, max  *float64
	ref       bool // names a memory: a number is accepted too
	lax       bool
	unchecked bool // enum, min and max are only in the schema
	unlisted  bool
	one       bool    // a list that the schema describes as one string
	items     []param // the fields of the objects of a list; nil for other kinds
	small     string  // "-": not for small models; else their doc, where it differs
	needed    bool    // required for small models
}

func paramsOf(in reflect.Type) []param {
	var ps []param
	for i := range in.NumField() {
		f := in.Field(i)
		p := param{name: f.Tag.Get("json"), doc: f.Tag.Get("doc"), field: i, kind: f.Type,
			required: f.Tag.Get("required"), lax: f.Tag.Get("lax") != "", ref: f.Tag.Get("ref") != "", unchecked: f.Tag.Get("schema") == "only", unlisted: f.Tag.Get("schema") == "-",
			one:   f.Tag.Get("one") != "",
			small: f.Tag.Get("small"), needed: f.Tag.Get("needed") == "small"}
		if f.Type.Kind() == reflect.Pointer {
			p.kind = f.Type.Elem()
		}
		if e := f.Tag.Get("enum"); e != "" {
			p.enum = strings.Split(e, ",")
		}
		if d := f.Tag.Get("default"); d != "" && p.kind.Kind() == reflect.String {
			p.def = appendText(nil, d)
		} else if d != "" {
			p.def = json.RawMessage(d)
		}
		p.min, p.max = bound(f.Tag.Get("min")), bound(f.Tag.Get("max"))
		if p.kind == reflect.TypeFor[ID]() && p.min == nil {
			p.min = bound("1")
		}
		if isList(p.kind) && p.kind.Elem().Kind() == reflect.Struct {
			p.items = paramsOf(p.kind.Elem())
		}
		ps = append(ps, p)
	}
	return ps
}

// small returns the arguments as described to a small model.
func small(ps []param) []param {
	reduced := slices.Clone(ps)
	for i, p := range reduced {
		if p.needed {
			reduced[i].required = "schema"
		}
		if p.small == "-" {
			reduced[i].unlisted = true
		} else if p.small != "" {
			reduced[i].doc = p.small
		}
	}
	return reduced
}

func bound(s string) *float64 {
	n, err := strconv.ParseFloat(s, 64)
	if err != nil {
		return nil
	}
	return &n
}

// inputSchema writes the arguments in the order of their fields, the most important first, because models read
// a schema from the top.
func inputSchema(ps []param) json.RawMessage { return appendInput(make([]byte, 0, 1024), ps) }

func appendInput(b []byte, ps []param) []byte {
	b = append(b, `{"type":"object","properties":{`...)
	required := 0
	for _, p := range ps {
		if p.unlisted {
			continue
		}
		b = p.append(appendComma(b))
		if p.required != "" {
			required++
		}
	}
	b = append(b, '}')
	if required > 0 {
		b = append(b, `,"required":[`...)
		for _, p := range ps {
			if !p.unlisted && p.required != "" {
				b = appendText(appendComma(b), p.name)
			}
		}
		b = append(b, ']')
	}
	return append(b, '}')
}

// appendComma appends a comma, unless b ends with the beginning of an object or a list.
func appendComma(b []byte) []byte {
	if last := b[len(b)-1]; last == '{' || last == '[' {
		return b
	}
	return append(b, ',')
}

// append appends the argument as a member of an object.
func (p param) append(b []byte) []byte {
	b = p.appendType(append(appendText(b, p.name), ":{"...))
	if p.doc != "" {
		b = appendText(append(b, `,"description":`...), p.doc)
	}
	if p.enum != nil {
		b = append(b, `,"enum":[`...)
		for _, value := range p.enum {
			b = appendText(appendComma(b), value)
		}
		b = append(b, ']')
	}
	if p.def != nil {
		b = append(append(b, `,"default":`...), p.def...)
	}
	low, high := `,"minimum":`, `,"maximum":`
	if isList(p.kind) {
		low, high = `,"minItems":`, `,"maxItems":`
	}
	if p.min != nil {
		b = strconv.AppendFloat(append(b, low...), *p.min, 'f', -1, 64)
	}
	if p.max != nil {
		b = strconv.AppendFloat(append(b, high...), *p.max, 'f', -1, 64)
	}
	return append(b, '}')
}

// appendType appends the schema members for the kind, with the constraints on the objects of a list.
func (p param) appendType(b []byte) []byte {
	if p.one {
		return append(b, `"type":"string"`...)
	}
	if p.items != nil {
		return appendInput(append(b, `"type":"array","items":`...), p.items)
	}
	return appendType(b, p.kind)
}

// outputSchema describes the fields of a struct that have a json name and are not marked schema:"-".
//
// Nothing is required: an error answer is an object of another shape, and widely used clients check that
// against the schema too and then hide it from the model.
func outputSchema(t reflect.Type) json.RawMessage {
	return append(appendType(append(make([]byte, 0, 1024), '{'), t), '}')
}

// appendFields appends the fields of a struct and of those that it embeds.
func appendFields(b []byte, t reflect.Type) []byte {
	for i := range t.NumField() {
		f := t.Field(i)
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		switch {
		case f.Anonymous && name == "":
			b = appendFields(b, f.Type)
		case name != "" && name != "-" && f.Tag.Get("schema") != "-":
			b = append(appendText(appendComma(b), name), ":{"...)
			b = append(appendType(b, f.Type), '}')
		}
	}
	return b
}

// appendType appends the schema members for the type of a value; none for a type that no argument or answer may
// have, which a test of every tool checks.
func appendType(b []byte, t reflect.Type) []byte {
	if t == reflect.TypeFor[json.RawMessage]() {
		return append(b, `"type":"object"`...)
	}
	switch t.Kind() {
	case reflect.String, reflect.Bool, reflect.Int, reflect.Int64, reflect.Float64:
		return append(append(append(b, `"type":"`...), document.KindOf(t)...), '"')
	case reflect.Slice:
		return append(appendType(append(b, `"type":"array","items":{`...), t.Elem()), '}')
	case reflect.Map:
		return append(b, `"type":"object"`...)
	case reflect.Struct:
		return append(appendFields(append(b, `"type":"object","properties":{`...), t), '}')
	case reflect.Pointer:
		return appendType(b, t.Elem())
	}
	return b
}

// appendText appends s as a JSON string. It does not escape < and >, which prose uses.
func appendText(b []byte, s string) []byte {
	if !strings.ContainsFunc(s, func(r rune) bool { return r < ' ' || r > '~' || r == '"' || r == '\\' }) {
		return append(append(append(b, '"'), s...), '"')
	}
	text := bytes.NewBuffer(b)
	e := json.NewEncoder(text)
	e.SetEscapeHTML(false)
	_ = e.Encode(s) // cannot fail
	return bytes.TrimRight(text.Bytes(), "\n")
}
