package httpapi

import (
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"os"
	"reflect"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/alanbuscaglia/engram"
)

// readBody reads the whole body, which may have limit bytes, before anything else is
// done: no verb waits for a slow client.
func readBody(w http.ResponseWriter, r *http.Request, limit int64) ([]byte, error) {
	if r.ContentLength > limit {
		return nil, tooLarge(limit)
	}
	if r.ContentLength == 0 {
		return nil, nil
	}
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, limit))
	switch _, over := errors.AsType[*http.MaxBytesError](err); {
	case over:
		return nil, tooLarge(limit)
	case errors.Is(err, os.ErrDeadlineExceeded):
		return nil, refuse(http.StatusRequestTimeout, engram.Errorf(engram.CodeUnavailable, "the body did not arrive in time").WithCause(err))
	case err != nil:
		return nil, engram.Errorf(engram.CodeInvalid, "the body could not be read").WithCause(err)
	}
	return body, nil
}

func tooLarge(limit int64) error {
	return refuse(http.StatusRequestEntityTooLarge, engram.Errorf(engram.CodeInvalid, "the body is larger than %d bytes", limit).
		WithHint("split it into several requests"))
}

// decode reads the body into a T. Older routes ignore unknown fields, newer ones refuse
// them; errors are *engram.Error of CodeInvalid that name the field.
func decode[T any](q request) (T, error) {
	var in T
	if reflect.TypeFor[T]() != reflect.TypeOf(q.route.Body) {
		return in, engram.Errorf(engram.CodeInternal, "%s decodes a %T, its row takes a %T", q.route.name(), in, q.route.Body)
	}
	// Go's JSON reader would replace broken bytes in silence, and what was saved would
	// not be what was sent.
	if !utf8.Valid(q.body) {
		return in, engram.Errorf(engram.CodeInvalid, "invalid json: the body is not valid UTF-8").WithHint("convert the text to UTF-8 first")
	}
	if strings.TrimSpace(string(q.body)) == "" {
		return in, engram.Errorf(engram.CodeInvalid, "invalid json: the body is empty").WithHint("send a JSON object")
	}
	body := q.body
	err := json.Unmarshal(body, &in)
	if _, mistyped := errors.AsType[*json.UnmarshalTypeError](err); mistyped { // once more, as it was meant
		var meant T
		body = loosened(body, reflect.TypeFor[T]())
		err = json.Unmarshal(body, &meant)
		in = meant
	}
	if err != nil {
		return in, notDecoded(err)
	}
	if q.route.Newer {
		return in, unknownField(body, reflect.TypeFor[T](), "")
	}
	return in, nil
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

// named is a path of fields as they stand in the JSON: Go puts the types in it that are
// embedded, which begin with a capital letter as none of our fields does.
func named(path string) string {
	fields := strings.Split(path, ".")
	fields = slices.DeleteFunc(fields, func(f string) bool { return f != "" && unicode.IsUpper(rune(f[0])) })
	return strings.Join(fields, ".")
}

// kindOf says in JSON's words what a field should have been.
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

// article is a JSON kind as it stands in a sentence; a number may come with its text.
func article(kind string) string {
	switch {
	case kind == "array", kind == "object":
		return "an " + kind
	case kind == "bool":
		return "true or false"
	}
	return "a " + kind
}
