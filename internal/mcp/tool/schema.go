package tool

import (
	"bytes"
	"encoding/json"
	"fmt"
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
			p.def = encode(d)
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
func inputSchema(ps []param) json.RawMessage {
	var members, required []string
	for _, p := range ps {
		if p.unlisted {
			continue
		}
		members = append(members, p.member())
		if p.required != "" {
			required = append(required, p.name)
		}
	}
	schema := "{" + properties(members)
	if len(required) > 0 {
		schema += `,"required":` + string(encode(required))
	}
	return json.RawMessage(schema + "}")
}

func properties(members []string) string {
	return `"type":"object","properties":{` + strings.Join(members, ",") + `}`
}

func (p param) member() string {
	schema := p.typeSchema()
	add := func(keyword string, value any) { schema += fmt.Sprintf(`,"%s":%v`, keyword, value) }
	if p.doc != "" {
		add("description", string(encode(p.doc)))
	}
	if p.enum != nil {
		add("enum", string(encode(p.enum)))
	}
	if p.def != nil {
		add("default", string(p.def))
	}
	low, high := "minimum", "maximum"
	if isList(p.kind) {
		low, high = "minItems", "maxItems"
	}
	if p.min != nil {
		add(low, *p.min)
	}
	if p.max != nil {
		add(high, *p.max)
	}
	return fmt.Sprintf("%s:{%s}", encode(p.name), schema)
}

// typeSchema is the typeSchema of the kind, with the constraints on the objects of a list.
func (p param) typeSchema() string {
	if p.one {
		return `"type":"string"`
	}
	if p.items != nil {
		return `"type":"array","items":` + string(inputSchema(p.items))
	}
	return typeSchema(p.kind)
}

// objectSchema describes the fields of a struct that have a json name and are not marked schema:"-".
//
// Nothing is required: an error answer is an object of another shape, and widely used clients check that
// against the schema too and then hide it from the model.
func objectSchema(t reflect.Type) string {
	var members []string
	for _, f := range reflect.VisibleFields(t) {
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		if name != "" && name != "-" && f.Tag.Get("schema") != "-" {
			members = append(members, fmt.Sprintf("%s:{%s}", encode(name), typeSchema(f.Type)))
		}
	}
	return properties(members)
}

// typeSchema returns the schema members for the type of a value; "" for a type that no argument or answer may
// have, which a test of every tool checks.
func typeSchema(t reflect.Type) string {
	if t == reflect.TypeFor[json.RawMessage]() {
		return `"type":"object"`
	}
	switch t.Kind() {
	case reflect.String, reflect.Bool, reflect.Int, reflect.Int64, reflect.Float64:
		return fmt.Sprintf(`"type":%q`, document.KindOf(t))
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

// encode writes strings and lists of them, which cannot fail, and does not escape < and >, which prose uses.
func encode[T string | []string](v T) json.RawMessage {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	_ = e.Encode(v)
	return bytes.TrimRight(b.Bytes(), "\n")
}
