package tool

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
)

// ID is the argument that names a memory by its number. Unlike a count it is never
// rounded: half a memory is a mistake, not the one before it.
type ID int64

// param is one argument. It is read from a field of an input struct:
//
//	Limit int `json:"limit" doc:"how many" default:"10" min:"1" max:"20" lax:"true"`
//
// json is the name, doc the description. required:"true" is checked here, with a
// generic message; required:"schema" only stands in the schema, because the dialect
// has words of its own for it, or accepts less than it asks for. enum lists what is
// allowed, separated by commas. A lax argument is never out of range: what is below
// min or not in enum counts as the default, what is above max as max. schema:"-" leaves an
// argument out of the schema: one that clients know from elsewhere, such as an old name, and
// that no model should pay for reading about. schema:"only" is the reverse: enum, min and
// max are told and not checked, because the dialect has words of its own for what is wrong.
// one:"true" tells a list as a string: most calls name one, and a list is taken all the same.
// small:"-" leaves an argument out for small models; any other text there is their doc, and
// needed:"small" tells them that it must be there, whatever the dialect says of it.
type param struct {
	name     string
	doc      string
	field    int
	kind     reflect.Type // of the value, without the pointer
	required string
	enum     []string
	def      json.RawMessage // nil for none
	min, max *float64
	ref      bool // names a memory: a number will do, too
	lax      bool
	told     bool // enum, min and max stand in the schema alone
	unlisted bool
	one      bool    // a list that the schema tells as one string
	items    []param // the fields of the objects of a list; nil for other kinds
	small    string  // "-": not for small models; else their doc, where it is another
	needed   bool    // told to small models as required
}

func paramsOf(in reflect.Type) []param {
	var ps []param
	for i := range in.NumField() {
		f := in.Field(i)
		p := param{name: f.Tag.Get("json"), doc: f.Tag.Get("doc"), field: i, kind: f.Type,
			required: f.Tag.Get("required"), lax: f.Tag.Get("lax") != "", ref: f.Tag.Get("ref") != "", told: f.Tag.Get("schema") == "only", unlisted: f.Tag.Get("schema") == "-",
			one:   f.Tag.Get("one") != "",
			small: f.Tag.Get("small"), needed: f.Tag.Get("needed") == "small"}
		if f.Type.Kind() == reflect.Pointer {
			p.kind = f.Type.Elem()
		}
		if e := f.Tag.Get("enum"); e != "" {
			p.enum = strings.Split(e, ",")
		}
		if d := f.Tag.Get("default"); d != "" {
			p.def = defaultJSON(p.kind, d)
		}
		p.min, p.max = bound(f.Tag.Get("min")), bound(f.Tag.Get("max"))
		if p.kind == reflect.TypeFor[ID]() && p.min == nil {
			p.min = bound("1")
		}
		if listsObjects(p.kind) {
			p.items = paramsOf(p.kind.Elem())
		}
		ps = append(ps, p)
	}
	return ps
}

// small are the arguments as a small model is told of them.
func small(ps []param) []param {
	told := slices.Clone(ps)
	for i, p := range told {
		if p.needed {
			told[i].required = "schema"
		}
		switch p.small {
		case "":
		case "-":
			told[i].unlisted = true
		default:
			told[i].doc = p.small
		}
	}
	return told
}

func bound(s string) *float64 {
	if s == "" {
		return nil
	}
	n, err := strconv.ParseFloat(s, 64)
	if err != nil {
		return nil
	}
	return &n
}

func defaultJSON(kind reflect.Type, s string) json.RawMessage {
	if kind.Kind() == reflect.String {
		return quote(s)
	}
	return json.RawMessage(s)
}

// inputSchema writes the arguments in the order of their fields, because models read
// a schema from the top and the fields stand in the order of their worth.
func inputSchema(ps []param) json.RawMessage {
	var b bytes.Buffer
	b.WriteString(`{"type":"object","properties":{`)
	var required []string
	listed := 0
	for _, p := range ps {
		if p.unlisted {
			continue
		}
		if listed++; listed > 1 {
			b.WriteByte(',')
		}
		p.write(&b)
		if p.required != "" {
			required = append(required, p.name)
		}
	}
	b.WriteByte('}')
	if len(required) > 0 {
		b.WriteString(`,"required":`)
		b.Write(encode(required))
	}
	b.WriteByte('}')
	return b.Bytes()
}

func (p param) write(b *bytes.Buffer) {
	fmt.Fprintf(b, `%s:{%s`, quote(p.name), p.typeSchema())
	if p.doc != "" {
		fmt.Fprintf(b, `,"description":%s`, quote(p.doc))
	}
	if p.enum != nil {
		fmt.Fprintf(b, `,"enum":%s`, encode(p.enum))
	}
	if p.def != nil {
		fmt.Fprintf(b, `,"default":%s`, p.def)
	}
	low, high := "minimum", "maximum"
	if isList(p.kind) {
		low, high = "minItems", "maxItems"
	}
	if p.min != nil {
		fmt.Fprintf(b, `,"%s":%v`, low, *p.min)
	}
	if p.max != nil {
		fmt.Fprintf(b, `,"%s":%v`, high, *p.max)
	}
	b.WriteByte('}')
}

// typeSchema is typeSchema of the kind, with what is checked of the objects of a list.
func (p param) typeSchema() string {
	if p.one {
		return `"type":"string"`
	}
	if p.items != nil {
		return `"type":"array","items":` + string(inputSchema(p.items))
	}
	return typeSchema(p.kind)
}

// outputSchema describes the fields of a struct that have a json name and are not
// marked schema:"-".
//
// Nothing is required: an answer that is an error has an object of another shape, and
// widely used clients check that too against the schema and then hide it from the model.
func outputSchema(out reflect.Type) json.RawMessage {
	var b bytes.Buffer
	b.WriteByte('{')
	b.WriteString(objectSchema(out))
	b.WriteByte('}')
	return b.Bytes()
}

func objectSchema(t reflect.Type) string {
	var b strings.Builder
	b.WriteString(`"type":"object","properties":{`)
	sep := ""
	for _, f := range reflect.VisibleFields(t) {
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		if name == "" || name == "-" || f.Tag.Get("schema") == "-" {
			continue
		}
		fmt.Fprintf(&b, `%s%s:{%s}`, sep, quote(name), typeSchema(f.Type))
		sep = ","
	}
	b.WriteByte('}')
	return b.String()
}

// typeSchema returns the members of a schema that say what type a value has; "" for
// a type no argument and no answer should have, which a test of every tool looks for.
func typeSchema(t reflect.Type) string {
	if t == reflect.TypeFor[json.RawMessage]() {
		return `"type":"object"`
	}
	switch t.Kind() {
	case reflect.String:
		return `"type":"string"`
	case reflect.Bool:
		return `"type":"boolean"`
	case reflect.Int, reflect.Int64:
		return `"type":"integer"`
	case reflect.Float64:
		return `"type":"number"`
	case reflect.Slice:
		return `"type":"array","items":{` + typeSchema(t.Elem()) + `}`
	case reflect.Map:
		return `"type":"object"`
	case reflect.Struct:
		return objectSchema(t)
	case reflect.Pointer:
		return typeSchema(t.Elem())
	}
	return ""
}

func quote(s string) json.RawMessage { return encode(s) }

// encode writes strings and lists of them, which cannot fail, and leaves < and > as
// they are, which prose uses.
func encode[T string | []string](v T) json.RawMessage {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	_ = e.Encode(v)
	return bytes.TrimRight(b.Bytes(), "\n")
}
