package route

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"os"
	"reflect"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/document"
	"github.com/alanbuscaglia/engram/internal/text"
)

// readBody reads a whole body of at most limit bytes before anything else happens: no operation waits for a
// slow client.
func readBody(w http.ResponseWriter, r *http.Request, limit int64) ([]byte, error) {
	if r.ContentLength > limit {
		return nil, TooLarge(limit)
	}
	if r.ContentLength == 0 {
		return nil, nil
	}
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, limit))
	switch _, over := errors.AsType[*http.MaxBytesError](err); {
	case over:
		return nil, TooLarge(limit)
	case errors.Is(err, os.ErrDeadlineExceeded):
		return nil, Refuse(http.StatusRequestTimeout, engram.Errorf(engram.CodeUnavailable, "the body did not arrive in time").WithCause(err))
	case err != nil:
		return nil, engram.Errorf(engram.CodeInvalid, "cannot read the body").WithCause(err)
	}
	return body, nil
}

// TooLarge is the error for a body of more than limit bytes.
func TooLarge(limit int64) error {
	return Refuse(http.StatusRequestEntityTooLarge, engram.Errorf(engram.CodeInvalid, "the body is larger than %d bytes", limit).
		WithHint("split it into several requests"))
}

// Decode reads the body into a T. Older routes ignore unknown fields, newer ones reject them. The request records
// an error, which is CodeInvalid and names the field.
func Decode[T any](q *Request) (in T) {
	q.Bad(q.decodeInto(&in))
	return in
}

// decodeInto is decode without the type parameter, so that it is compiled once: in is a pointer to the zero value of
// the route's body.
func (q *Request) decodeInto(in any) error {
	v := reflect.ValueOf(in).Elem()
	if v.Type() != reflect.TypeOf(q.route.Body) {
		return engram.Errorf(engram.CodeInternal, "%s decodes a %s, its row takes a %T", q.route.Name(), v.Type(), q.route.Body)
	}
	// Go's JSON reader would silently replace invalid bytes, and save other text than was sent.
	if !utf8.Valid(q.Sent) {
		return engram.Errorf(engram.CodeInvalid, "invalid json: the body is not valid UTF-8").WithHint("convert the text to UTF-8 first")
	}
	body := q.Sent
	switch blank := strings.TrimSpace(string(body)) == ""; {
	case blank && q.route.Optional:
		body = []byte("{}")
	case blank:
		return engram.Errorf(engram.CodeInvalid, "invalid json: the body is empty").WithHint("send a JSON object")
	}
	err := json.Unmarshal(body, in)
	if _, mistyped := errors.AsType[*json.UnmarshalTypeError](err); mistyped { // retry with lenient types
		body = loosened(body, v.Type())
		v.SetZero()
		err = json.Unmarshal(body, in)
	}
	if err != nil {
		return notDecoded(err)
	}
	if q.route.Newer {
		return unknownField(body, v.Type(), "")
	}
	return nil
}

func notDecoded(err error) error {
	mistyped, ok := errors.AsType[*json.UnmarshalTypeError](err)
	switch {
	case !ok:
		return engram.Errorf(engram.CodeInvalid, "invalid json: %v", err).WithHint("send one JSON object")
	case mistyped.Field == "":
		return engram.Errorf(engram.CodeInvalid, "invalid json: the body is not an object").WithHint("send one JSON object")
	}
	field := named(mistyped.Field)
	return engram.Errorf(engram.CodeInvalid, "invalid json: %s cannot be %s", field, article(mistyped.Value)).
		WithHint("send %s as %s", field, kindOf(mistyped))
}

// named returns a path of fields as in the JSON, without the embedded types that Go includes; these begin with
// a capital letter, and no field of ours does.
func named(path string) string {
	fields := strings.Split(path, ".")
	fields = slices.DeleteFunc(fields, func(f string) bool { return f != "" && unicode.IsUpper(rune(f[0])) })
	return strings.Join(fields, ".")
}

// kindOf names in JSON's words what a field should be.
func kindOf(e *json.UnmarshalTypeError) string {
	kind := e.Type.Kind().String()
	switch {
	case strings.HasPrefix(kind, "int"), strings.HasPrefix(kind, "uint"):
		return "a whole number"
	case strings.HasPrefix(kind, "float"):
		return "a number"
	case kind == "bool":
		return "true or false"
	case kind == "slice":
		return "an array"
	case kind == "map", kind == "struct":
		return "an object"
	}
	return "a string"
}

// article returns a JSON kind with its article; a number may come with its text.
func article(kind string) string {
	switch {
	case kind == "array", kind == "object":
		return "an " + kind
	case kind == "bool":
		return "true or false"
	}
	return "a " + kind
}

// loosened converts a JSON value toward t: numbers and booleans out of quotes, lists out of a string with
// commas. What it cannot convert stays.
func loosened(value json.RawMessage, t reflect.Type) json.RawMessage {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if reflect.PointerTo(t).Implements(reflect.TypeFor[json.Unmarshaler]()) {
		return value
	}
	switch t.Kind() {
	case reflect.Bool, reflect.Int, reflect.Int64, reflect.Float64:
		return document.Unquoted(value)
	case reflect.Slice:
		items, ok := document.Items(value)
		if !ok || t.Elem().Kind() == reflect.Uint8 {
			return value
		}
		for i, item := range items {
			items[i] = loosened(item, t.Elem())
		}
		return rewritten(items, value)
	case reflect.Struct:
		var members map[string]json.RawMessage
		if json.Unmarshal(value, &members) != nil || members == nil {
			return value
		}
		fields := fieldsOf(t)
		for name, member := range members {
			if i := indexOf(fields, name); i >= 0 {
				members[name] = loosened(member, fields[i].kind)
			}
		}
		return rewritten(members, value)
	}
	return value
}

// rewritten returns v as JSON, or was when that fails.
func rewritten(v any, was json.RawMessage) json.RawMessage {
	b, err := json.Marshal(v)
	if err != nil {
		return was
	}
	return b
}

// Newer routes reject what they do not know: ignoring a misspelled dry_run would make real changes.

// mostIgnored limits how many unknown names are listed.
const mostIgnored = 10

// ignored returns the names of parameters and body fields that r, an older route, does not know and ignores; a
// header lists them, so that a misspelled one shows. Nil for none.
func (r Route) ignored(q *Request) (names []string) {
	if r.Newer {
		return nil
	}
	for _, name := range slices.Sorted(maps.Keys(q.Query)) {
		if !r.knows(name) {
			names = append(names, Clip(name))
		}
	}
	var members map[string]json.RawMessage
	kind := reflect.TypeOf(r.Body)
	if kind != nil && kind.Kind() == reflect.Struct && json.Unmarshal(q.Sent, &members) == nil { // decode reports its errors
		fields := fieldsOf(kind)
		for _, name := range slices.Sorted(maps.Keys(members)) {
			if indexOf(fields, name) < 0 {
				names = append(names, Clip(name))
			}
		}
	}
	if more := len(names) - mostIgnored; more > 0 {
		names = append(names[:mostIgnored], fmt.Sprintf("and %d more", more))
	}
	return names
}

// refuseUnknown rejects parameters that r does not read, and a body where it reads none. For older routes it
// removes such parameters instead.
func (r Route) refuseUnknown(q *Request) error {
	if !r.Newer {
		maps.DeleteFunc(q.Query, func(name string, _ []string) bool { return !r.knows(name) })
		return nil
	}
	for _, name := range slices.Sorted(maps.Keys(q.Query)) {
		if !r.knows(name) {
			return unknown("parameter", name, r.names())
		}
	}
	if r.Body == nil && !r.unread && !q.Empty() {
		return Invalid("%s %s takes no body", r.Method, r.Path).WithHint("%s", reads("parameter", r.names()))
	}
	return nil
}

// knows reports whether r has a parameter of that name; a member of an object counts as the object.
func (r Route) knows(name string) bool {
	object, _, dotted := strings.Cut(name, ".")
	return slices.ContainsFunc(r.Params, func(p Param) bool {
		return p.Name == name || dotted && p.Name == object && p.Kind == KindObject
	})
}

func (r Route) names() []string {
	return document.Each(r.Params, func(p Param) string { return p.Name })
}

// Empty reports whether the body says nothing: some clients send {} with every request.
func (q *Request) Empty() bool {
	body := strings.TrimSpace(string(q.Sent))
	return body == "" || body == "{}"
}

// unknownField returns the error for the first field of a JSON value that t lacks; nil for none. The value was
// decoded into a t before; path is its prefix in names.
func unknownField(value []byte, t reflect.Type, path string) error {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	switch {
	case t.Kind() == reflect.Struct:
		return unknownMember(value, t, path)
	case t.Kind() == reflect.Slice && t.Elem().Kind() == reflect.Struct:
		var items []json.RawMessage
		if err := json.Unmarshal(value, &items); err != nil {
			return notDecoded(err)
		}
		for i, item := range items {
			if err := unknownField(item, t.Elem(), fmt.Sprintf("%s[%d].", strings.TrimSuffix(path, "."), i)); err != nil {
				return err
			}
		}
	}
	return nil
}

func unknownMember(value []byte, t reflect.Type, path string) error {
	var members map[string]json.RawMessage // nil for null, which has no fields
	if err := json.Unmarshal(value, &members); err != nil {
		return notDecoded(err)
	}
	fields := fieldsOf(t)
	for _, name := range slices.Sorted(maps.Keys(members)) {
		i := indexOf(fields, name)
		if i < 0 {
			return unknown("field", path+name, document.Each(fields, func(f field) string { return path + f.name }))
		}
		if err := unknownField(members[name], fields[i].kind, path+name+"."); err != nil {
			return err
		}
	}
	return nil
}

// field is a field of a struct by its name in JSON.
type field struct {
	name string
	kind reflect.Type
}

// fieldsOf returns the fields of t in order, with those of embedded structs.
func fieldsOf(t reflect.Type) (fields []field) {
	for _, f := range reflect.VisibleFields(t) {
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		if name != "" && name != "-" {
			fields = append(fields, field{name, f.Type})
		}
	}
	return fields
}

// indexOf returns the index of the field that Go's JSON reader, which ignores case, takes for name; -1 for none.
func indexOf(fields []field, name string) int {
	return slices.IndexFunc(fields, func(f field) bool { return strings.EqualFold(f.name, name) })
}

func unknown(what, name string, names []string) error {
	err := Invalid("there is no %s %q", what, Clip(name))
	if near := text.Nearest(name, names); near != "" {
		return err.WithHint("did you mean %s?", near)
	}
	return err.WithHint("%s", reads(what, names))
}

func reads(what string, names []string) string {
	if len(names) == 0 {
		return "this route takes no " + what
	}
	return "use one of " + strings.Join(names, ", ")
}

// Clip shortens an unknown name for an error.
func Clip(name string) string {
	const most = 64 // bytes
	if len(name) <= most {
		return name
	}
	return strings.ToValidUTF8(name[:most], "") + "…"
}
