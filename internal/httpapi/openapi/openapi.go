// Package openapi writes a table of routes as an OpenAPI 3.1 document: routes and parameters here, the Go
// types of bodies and answers as JSON Schema in schema.go. The table is its only source.
package openapi

import (
	"cmp"
	"encoding/json"
	"fmt"
	"net/http"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/alanbuscaglia/engram/internal/httpapi/route"
)

// Document writes routes as an OpenAPI 3.1 document in JSON; needsToken reports which require the token.
//
// Source: https://spec.openapis.org/oas/v3.1.1.html
func Document(routes []route.Route, version string, needsToken func(route.Route) bool) (string, error) {
	s := &schemas{named: map[string]object{}, types: map[string]reflect.Type{}, read: map[reflect.Type]bool{}, failures: object{}, needsToken: needsToken}
	paths := object{}
	for _, r := range routes {
		if r.Hidden {
			continue
		}
		path := strings.Replace(r.Path, "...}", "}", 1)
		method := cmp.Or(r.Method, http.MethodPost)
		child(paths, path)[strings.ToLower(method)] = s.operation(r, method)
	}
	doc := object{
		"openapi": "3.1.1",
		"info": object{"title": "Engram", "version": version, "license": object{"name": "MIT", "identifier": "MIT"},
			"description": "A memory for agents, on this machine. docs/http.md describes what all routes share."},
		"servers": []object{{"url": "/"}},
		"tags":    tags(routes),
		"paths":   paths,
		"components": object{
			"schemas":   s.named,
			"responses": s.failures,
			"securitySchemes": object{"token": object{"type": "http", "scheme": "bearer",
				"description": "The token in ENGRAM_HTTP_TOKEN; not needed when it is unset."}},
		},
	}
	line, err := json.Marshal(doc)
	if err == nil {
		err = s.err
	}
	return string(line), err
}

// child returns the object under a key of o, and makes it if absent.
func child(o object, key string) object {
	if o[key] == nil {
		o[key] = object{}
	}
	return o[key].(object)
}

func (s *schemas) operation(r route.Route, method string) object {
	op := object{
		"operationId": operationID(method, r.Path),
		"summary":     r.Summary,
		"tags":        []string{tagOf(r)},
		"responses":   s.responses(r, method),
		"security":    []object{},
	}
	if s.needsToken(r) {
		op["security"] = []object{{"token": []string{}}}
	}
	var parameters []object
	for _, m := range regexp.MustCompile(`\{([a-z]+)(\.\.\.)?\}`).FindAllStringSubmatch(r.Path, -1) {
		parameters = append(parameters, pathParameter(r.Path, m[1]))
	}
	for _, p := range r.Params {
		parameters = append(parameters, parameter(p))
	}
	if parameters != nil {
		op["parameters"] = parameters
	}
	if r.Body != nil {
		use := lenient
		if r.Newer {
			use = strict
		}
		op["requestBody"] = object{"required": !r.Optional,
			"content": object{route.MediaJSON: object{"schema": s.of(reflect.TypeOf(r.Body), use)}}}
	}
	return op
}

// responses describes the answers of a route, with the errors that any route may return.
func (s *schemas) responses(r route.Route, method string) object {
	out := object{}
	for _, answer := range r.Answers {
		response := child(out, strconv.Itoa(answer.Status))
		response["description"] = http.StatusText(answer.Status)
		if answer.Body == nil {
			continue
		}
		media, schema := cmp.Or(answer.Media, route.MediaJSON), object{"type": "string"}
		if reflect.TypeOf(answer.Body) != reflect.TypeFor[string]() {
			schema = s.of(reflect.TypeOf(answer.Body), written)
		}
		content := child(response, "content")
		if other, ok := content[media].(object); ok { // one of several
			others, _ := other["schema"].(object)["anyOf"].([]object)
			if others == nil {
				others = []object{other["schema"].(object)}
			}
			schema = object{"anyOf": append(others, schema)}
		}
		content[media] = object{"schema": schema}
	}
	if r.Stream == nil && method == http.MethodGet {
		out["304"] = object{"description": "If-None-Match matches the current answer"}
	}
	for _, status := range s.failing(r) {
		out[strconv.Itoa(status)] = s.failure(status, r)
	}
	return out
}

// failing returns the error statuses of r: those of every route, which come from the guard, the body and inside, and
// its own.
func (s *schemas) failing(r route.Route) []int {
	all := append([]int{http.StatusBadRequest, http.StatusForbidden, http.StatusRequestTimeout, http.StatusRequestEntityTooLarge,
		http.StatusUnsupportedMediaType, http.StatusMisdirectedRequest, http.StatusInternalServerError, http.StatusServiceUnavailable}, r.Fails...)
	if s.needsToken(r) {
		all = append(all, http.StatusUnauthorized)
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// failure describes an error of r and returns the reference to it.
func (s *schemas) failure(status int, r route.Route) object {
	form, body := r.ErrorForm()
	name := form + strings.ReplaceAll(http.StatusText(status), " ", "")
	if s.failures[name] == nil {
		s.failures[name] = object{"description": http.StatusText(status), "content": object{route.MediaJSON: object{"schema": s.of(reflect.TypeOf(body), written)}}}
	}
	return object{"$ref": "#/components/responses/" + name}
}

func parameter(p route.Param) object {
	out := object{"name": p.Name, "in": "query", "description": p.Doc}
	if p.Max != nil && p.Kind == route.KindWhole && !p.Exact {
		out["description"] = fmt.Sprintf("%s; larger values count as %v", p.Doc, int(*p.Max))
	}
	if p.Required {
		out["required"] = true
	}
	if p.Lax {
		out["x-engram-lenient"] = true // what is wrong counts as the default
	}
	schema := object{"type": string(p.Kind)}
	switch p.Kind {
	case route.KindObject:
		out["content"] = object{route.MediaJSON: object{"schema": schema}}
		return out
	case route.KindList:
		schema["items"] = object{"type": "string"}
	case route.KindTime:
		schema["type"], out["example"] = "string", "7d"
	}
	if p.Enum != nil {
		schema["enum"] = p.Enum
	}
	if p.Default != nil {
		schema["default"] = p.Default
	}
	if p.Min != nil {
		schema["minimum"] = *p.Min
	}
	if p.Max != nil {
		schema["maximum"] = *p.Max
	}
	out["schema"] = schema
	return out
}

// pathParameter describes a name in a path. Sessions are named by text, other things of the older routes by
// number, memories in several ways.
func pathParameter(path, name string) object {
	out := object{"name": name, "in": "path", "required": true, "schema": object{"type": "string"}}
	switch {
	case name == "ref":
		out["description"], out["example"] = "a memory: its number, its id or a prefix of it, or topic:KEY", "12"
	case name == "id" && strings.HasPrefix(path, "/sessions"):
		out["description"] = "a session"
	case name == "id":
		out["description"], out["schema"] = "its number", object{"type": "integer"}
	case name == "name":
		out["description"] = "a project"
	}
	return out
}

// operationID turns METHOD /some/{id}/path into getSomePathById.
func operationID(method, path string) string {
	var b strings.Builder
	b.WriteString(strings.ToLower(method))
	for part := range strings.FieldsFuncSeq(strings.NewReplacer("{", "by-", "...}", "", "}", "", ".", "-").Replace(path), func(r rune) bool { return r == '/' || r == '-' }) {
		runes := []rune(part)
		b.WriteString(string(unicode.ToUpper(runes[0])) + string(runes[1:]))
	}
	return b.String()
}

// tagOf returns the first part of a route's path.
func tagOf(r route.Route) string {
	first, _, _ := strings.Cut(strings.TrimPrefix(r.Path, "/"), "/")
	first, _, _ = strings.Cut(first, ".")
	if first == "" || first == "health" || first == "openapi" {
		return "server"
	}
	return first
}

func tags(routes []route.Route) []object {
	var out []object
	seen := map[string]bool{}
	for _, r := range routes {
		if tag := tagOf(r); !r.Hidden && !seen[tag] {
			seen[tag] = true
			out = append(out, object{"name": tag})
		}
	}
	return out
}
