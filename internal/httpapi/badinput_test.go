package httpapi_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/alanbuscaglia/engram/internal/httpapi"
)

// bad is one wrong request, made from what the document says of its route.
type bad struct {
	what, method, path, query, body string
	must                            bool // it must be refused; else it may count as something
}

func (b bad) target() string {
	if b.query == "" {
		return b.path
	}
	return b.path + "?" + b.query
}

// badRequests makes the wrong requests of one operation.
func badRequests(doc openDocument, method, path string, op operation) []bad {
	m := maker{doc: doc, method: strings.ToUpper(method), op: op}
	m.path = strings.NewReplacer("{ref}", "1", "{name}", "demo").Replace(path)
	m.path = strings.ReplaceAll(m.path, "{id}", map[bool]string{true: "s1", false: "1"}[strings.HasPrefix(path, "/sessions")])
	m.fill()
	m.paths(path)
	for _, p := range op.Parameters {
		if p.In == "query" {
			m.parameter(p)
		}
	}
	m.add("an unknown parameter", m.withQuery("unheard_of", "1"), m.fields, false)
	m.add("a huge unknown parameter", m.withQuery("unheard_of", strings.Repeat("x", 1<<16)), m.fields, false)
	m.raw("a body that is no JSON", `{"`, m.schema != nil)
	if m.schema != nil {
		m.bodies()
	}
	return m.all
}

type maker struct {
	doc          openDocument
	op           operation
	method, path string
	query        url.Values         // what must be there
	fields       map[string]any     // of the body; what must be there
	schema       *jsonschema.Schema // of the body; nil for no body
	all          []bad
}

func (m *maker) add(what string, query url.Values, fields map[string]any, must bool) {
	body := ""
	if fields != nil {
		line, err := json.Marshal(fields)
		if err != nil {
			panic(err) // a map of plain values
		}
		body = string(line)
	}
	m.all = append(m.all, bad{what, m.method, m.path, query.Encode(), body, must})
}

func (m *maker) raw(what, body string, must bool) {
	m.all = append(m.all, bad{what, m.method, m.path, m.query.Encode(), body, must})
}

// fill finds what must be there.
func (m *maker) fill() {
	m.query = url.Values{}
	for _, p := range m.op.Parameters {
		if p.In == "query" && p.Required {
			m.query.Set(p.Name, "1")
		}
	}
	if m.op.RequestBody == nil {
		return
	}
	m.schema = m.follow(m.op.RequestBody.Content["application/json"].Schema)
	m.fields = map[string]any{}
	for _, name := range m.schema.Required {
		m.fields[name] = m.fitting(m.schema.Properties[name])
	}
}

func (m *maker) follow(s *jsonschema.Schema) *jsonschema.Schema {
	if name, ok := strings.CutPrefix(s.Ref, "#/components/schemas/"); ok {
		return m.doc.Components.Schemas[name]
	}
	return s
}

func (m *maker) fitting(s *jsonschema.Schema) any {
	s = m.follow(s)
	switch typeOf(s) {
	case "integer", "number":
		return 1
	case "boolean":
		return false
	case "array":
		return []any{m.fitting(s.Items)}
	case "object":
		fields := map[string]any{}
		for _, name := range s.Required {
			fields[name] = m.fitting(s.Properties[name])
		}
		return fields
	}
	return "x"
}

// typeOf is the type of what a schema allows beside null.
func typeOf(s *jsonschema.Schema) string {
	for _, t := range s.Types {
		if t != "null" {
			return t
		}
	}
	return s.Type
}

func (m *maker) withQuery(name, value string) url.Values {
	q := maps.Clone(m.query)
	q.Set(name, value)
	return q
}

func (m *maker) with(name string, value any) map[string]any {
	fields := maps.Clone(m.fields)
	fields[name] = value
	return fields
}

// texts are unusual texts that a client may send.
func texts() map[string]string {
	return map[string]string{"nothing": "", "a blank": " ", "a NUL": "\x00", "what turns a terminal": "\u202e\x1b[31m", "a path": "../../etc/passwd",
		"SQL": `"'; DROP TABLE memories; --`, "20,000 letters": strings.Repeat("é", 20_000), "bytes that are no UTF-8": "\xff\xfe", "markup": "<script>alert(1)</script>"}
}

func (m *maker) paths(path string) {
	before, name, found := strings.Cut(path, "{")
	if !found {
		return
	}
	_, after, _ := strings.Cut(name, "}")
	for what, text := range texts() {
		if text == "" {
			continue
		}
		m.all = append(m.all, bad{what + " in the path", m.method, before + url.PathEscape(text) + after, m.query.Encode(), "", false})
	}
	for _, number := range []string{"-1", "0", "1.5", "99999999999999999999", "0x10"} {
		m.all = append(m.all, bad{number + " in the path", m.method, before + number + after, m.query.Encode(), "", false})
	}
}

func (m *maker) parameter(p parameter) {
	if p.Required {
		q := maps.Clone(m.query)
		q.Del(p.Name)
		m.add("no "+p.Name, q, m.fields, true)
	}
	wrong, odd := []string{}, []string{"", " "}
	if p.Content != nil { // an object
		wrong = append(wrong, "x", "[1]", "1", `"x"`, `{"a"`)
	} else {
		switch s := p.Schema; s.Type {
		case "integer":
			wrong = append(wrong, "x", "1.5", "1e3", "99999999999999999999", "true")
			if s.Minimum != nil {
				wrong = append(wrong, fmt.Sprint(int(*s.Minimum)-1))
			}
			if s.Maximum != nil {
				odd = append(odd, fmt.Sprint(int(*s.Maximum)+1))
			}
		case "number":
			wrong = append(wrong, "x", "NaN", "Inf", "-0.1", "1.1")
		case "boolean":
			wrong = append(wrong, "perhaps", "2", "yes")
		case "string":
			if s.Enum != nil {
				wrong = append(wrong, "unheard_of")
			} else if strings.Contains(fmt.Sprint(p.Description), "then or later") || p.Name == "as_of" {
				wrong = append(wrong, "soon", "2026-13-01", "99999999999999y")
			}
			odd = append(odd, slices.Collect(maps.Values(texts()))...)
		case "array":
			odd = append(odd, slices.Collect(maps.Values(texts()))...)
		}
	}
	for _, v := range wrong {
		m.add(fmt.Sprintf("%s=%.20q", p.Name, v), m.withQuery(p.Name, v), m.fields, !p.Lenient)
	}
	for _, v := range odd {
		m.add(fmt.Sprintf("%s=%.20q", p.Name, v), m.withQuery(p.Name, v), m.fields, false)
	}
}

func (m *maker) bodies() {
	m.raw("an array for a body", `[1]`, true)
	m.raw("a text for a body", `"x"`, true)
	m.raw("something after the body", `{} x`, true)
	m.raw("null for a body", `null`, len(m.schema.Required) > 0)
	m.raw("no body", ``, m.op.RequestBody.Required)
	m.add("an unknown field", m.query, m.with("unheard_of", []any{1, "x"}), m.schema.AdditionalProperties != nil)
	m.add("a huge unknown field", m.query, m.with("unheard_of", strings.Repeat("x", 1<<16)), m.schema.AdditionalProperties != nil)
	for _, name := range m.schema.Required {
		fields := maps.Clone(m.fields)
		delete(fields, name)
		m.add("no "+name, m.query, fields, true)
	}
	for name, s := range m.schema.Properties {
		m.field(name, m.follow(s))
	}
}

func (m *maker) field(name string, s *jsonschema.Schema) {
	is := typeOf(s)
	for kind, v := range map[string]any{"string": "x", "number": 3, "boolean": true, "array": []any{map[string]any{"a": 1}, 1}, "object": map[string]any{"a": 1}} {
		if kind != is && (kind != "number" || is != "integer") {
			listed := is == "array" && kind == "string" && typeOf(m.follow(s.Items)) == "string" // with commas
			m.add(kind+" for "+name, m.query, m.with(name, v), !listed)
		}
	}
	m.add("null for "+name, m.query, m.with(name, nil), slices.Contains(m.schema.Required, name))
	switch is {
	case "string":
		for what, text := range texts() {
			m.add(what+" for "+name, m.query, m.with(name, text), false)
		}
		m.add("2 MiB for "+name, m.query, m.with(name, strings.Repeat("x", 2<<20)), false)
	case "integer":
		m.add("half a number for "+name, m.query, m.with(name, 1.5), true)
		m.add("a huge number for "+name, m.query, m.with(name, 1e300), true)
	case "number":
		m.add("a huge number for "+name, m.query, m.with(name, 1e300), s.Maximum != nil)
	case "array":
		m.add("nothing in "+name, m.query, m.with(name, []any{}), false)
		m.add("null in "+name, m.query, m.with(name, []any{nil}), false)
		m.add("10,000 things in "+name, m.query, m.with(name, slices.Repeat([]any{m.fitting(s.Items)}, 10_000)), false)
	}
	if s.Minimum != nil {
		m.add("too little for "+name, m.query, m.with(name, *s.Minimum-1), true)
	}
	if s.Maximum != nil {
		m.add("too much for "+name, m.query, m.with(name, *s.Maximum+1), true)
	}
}

// judge checks one answer: it is in the document, our fault is not claimed, and nothing of
// the inside is told.
func judge(t *testing.T, r *referee, b bad, w *httptest.ResponseRecorder) {
	t.Helper()
	where := fmt.Sprintf("%s %.120s with %s (%.120s)", b.method, b.target(), b.what, b.body)
	if b.must && w.Code != 400 {
		t.Errorf("%s\n got %d %.200s\nwant 400", where, w.Code, w.Body)
	}
	if w.Code >= 500 {
		t.Errorf("%s\n got %d %.200s\nwant no fault of ours", where, w.Code, w.Body)
	}
	path, _, _ := strings.Cut(b.path, "?")
	if plain, err := url.PathUnescape(path); err == nil {
		path = plain
	}
	if wrong := r.check(b.method, path, w); wrong != "" {
		t.Errorf("%s: %s", where, wrong)
	}
	if w.Code >= 400 {
		for _, inner := range []string{"json: cannot", "json: unsupported", "sql", "SQLITE", "goroutine", "Go value", "Go struct", ".go:", "httpapi.", "strconv", "engine."} {
			if strings.Contains(w.Body.String(), inner) && !strings.Contains(b.target()+b.body, inner) {
				t.Errorf("%s\n got %.300s\nwhich tells of the inside: %s", where, w.Body, inner)
			}
		}
	}
}

// TestBadInputIsRefusedAndChangesNothing calls every route with what its own description
// forbids.
func TestBadInputIsRefusedAndChangesNothing(t *testing.T) {
	t.Parallel()
	r := newReferee(t)
	open := func() *httpapi.API {
		h := newAPI(t, httpapi.Options{Dir: "/nowhere"})
		stocked(t, h)
		return h
	}
	newest := func(h *httpapi.API) string { return ask(h, "GET", "/log?limit=1", "").Body.String() }
	forbidden, odd := open(), open()
	last := map[*httpapi.API]string{forbidden: newest(forbidden), odd: newest(odd)}
	before, calls := everything(forbidden)+newest(forbidden), 0
	doc := described(t, odd) // the referee's is stricter than what is said
	for _, path := range slices.Sorted(maps.Keys(doc.Paths)) {
		if path == "/mcp" || path == "/import" { // one speaks a protocol, the other reads a file
			continue
		}
		for method, op := range doc.Paths[path] {
			for _, b := range badRequests(doc, method, path, op) {
				if path == "/events" && strings.Contains(b.query, "project=") {
					continue // its client leaves at once, and no operation runs
				}
				calls++
				h := odd
				if b.must {
					h = forbidden
				}
				w := ask(h, b.method, b.target(), b.body)
				judge(t, r, b, w)
				now := newest(h)
				if w.Code >= 400 && now != last[h] {
					t.Errorf("%s %.120s with %s (%.120s): refused with %d, and written all the same: %.300s", b.method, b.target(), b.what, b.body, w.Code, now)
				}
				last[h] = now
			}
		}
	}
	if calls < 2000 {
		t.Errorf("only %d wrong requests were made", calls)
	}
	t.Logf("%d wrong requests", calls)
	if after := everything(forbidden) + newest(forbidden); after != before {
		t.Errorf("what was refused changed the store: got\n%s\nwant\n%s", after, before)
	}
}

// everything is what the store says of itself.
func everything(h *httpapi.API) string {
	var b strings.Builder
	for _, target := range []string{"/memories?limit=1000", "/memories?forgotten=true", "/prompts/recent", "/sessions/recent?limit=100", "/stats", "/projects",
		"/sessions/s1", "/conflicts", "/graph?ref=1", "/history/1", "/projects/demo/decay"} {
		b.WriteString(ask(h, "GET", target, "").Body.String())
	}
	return b.String()
}
