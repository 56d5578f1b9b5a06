package httpapi_test

import (
	"encoding/json"
	"fmt"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/sv-tools/openapi"

	"github.com/alanbuscaglia/engram/internal/httpapi"
)

// openDocument is what GET /openapi.json says, as far as the tests look.
type openDocument struct {
	Paths      map[string]map[string]operation
	Components struct {
		Schemas   map[string]*jsonschema.Schema
		Responses map[string]response
	}
	raw []byte
}

type operation struct {
	ID          string `json:"operationId"`
	Summary     string
	Parameters  []parameter
	RequestBody *struct {
		Required bool
		Content  map[string]struct{ Schema *jsonschema.Schema }
	}
	Responses map[string]response
	Security  []map[string][]string
}

type parameter struct {
	Name, In    string
	Description string
	Required    bool
	Lenient     bool `json:"x-engram-lenient"`
	Schema      *jsonschema.Schema
	Content     map[string]any
}

type response struct {
	Ref     string `json:"$ref"`
	Content map[string]struct{ Schema *jsonschema.Schema }
}

// described reads the document of h.
func described(t testing.TB, h *httpapi.API) openDocument {
	t.Helper()
	w := ask(h, "GET", "/openapi.json", "")
	if w.Code != 200 {
		t.Fatalf("GET /openapi.json: got %d %s, want 200", w.Code, w.Body)
	}
	doc := openDocument{raw: w.Body.Bytes()}
	if err := json.Unmarshal(doc.raw, &doc); err != nil {
		t.Fatalf("GET /openapi.json: %v", err)
	}
	return doc
}

func TestTheDocumentIsOpenAPI(t *testing.T) {
	t.Parallel()
	for _, o := range []httpapi.Options{{}, {MCP: reached(), Exposed: true}} {
		doc := described(t, newAPI(t, o))
		spec := openapi.NewExtendable(&openapi.OpenAPI{})
		if err := json.Unmarshal(doc.raw, spec); err != nil {
			t.Fatalf("the document cannot be read: %v", err)
		}
		v, err := openapi.NewValidator(spec)
		if err == nil {
			err = v.ValidateSpec()
		}
		if err != nil {
			t.Errorf("the document is not OpenAPI 3.1: %v", err)
		}
	}
}

// strict makes a schema refuse fields that it does not name: what is answered beside the
// document would be found nowhere else.
func strict(s *jsonschema.Schema) {
	if s == nil {
		return
	}
	for _, sub := range s.Properties {
		strict(sub)
	}
	for _, sub := range s.AnyOf {
		strict(sub)
	}
	strict(s.Items)
	if s.Properties != nil && s.AdditionalProperties == nil {
		s.AdditionalProperties = &jsonschema.Schema{Not: &jsonschema.Schema{}}
	}
}

// referee knows what every route may answer.
type referee struct {
	doc   openDocument
	paths []routePattern
	// whole has a property for every kind of answer: resolving each by itself takes half a
	// minute.
	whole *jsonschema.Resolved
}

type routePattern struct {
	path string
	fits *regexp.Regexp
}

func newReferee(t testing.TB) *referee {
	doc := described(t, newAPI(t, httpapi.Options{MCP: reached()}))
	r := &referee{doc: doc}
	for _, s := range doc.Components.Schemas {
		strict(s)
	}
	answers := map[string]*jsonschema.Schema{}
	for path, methods := range doc.Paths {
		for method, op := range methods {
			for status, answer := range op.Responses {
				if body := r.body(answer); body != nil {
					strict(body)
					answers[kind(method, path, status)] = body
				}
			}
		}
	}
	r.resolve(t, answers)
	for path := range doc.Paths {
		end := `[^/]+`
		if strings.HasSuffix(path, "{ref}") {
			end = `.*`
		}
		expr := regexp.MustCompile(`\\\{[a-z]+\\\}`).ReplaceAllString(regexp.QuoteMeta(path), end)
		r.paths = append(r.paths, routePattern{path, regexp.MustCompile("^" + expr + "$")})
	}
	return r
}

// operation returns the operation that a request reaches; nil for none.
func (r *referee) operation(method, path string) (string, *operation) {
	if method == "HEAD" {
		method = "GET"
	}
	best := ""
	for _, p := range r.paths {
		_, has := r.doc.Paths[p.path][strings.ToLower(method)]
		// What is spelled out comes before what has a name in it.
		if has && p.fits.MatchString(path) && (best == "" || p.path == path || strings.Count(p.path, "{") < strings.Count(best, "{")) {
			best = p.path
		}
	}
	if best == "" {
		return "", nil
	}
	op := r.doc.Paths[best][strings.ToLower(method)]
	return best, &op
}

// check returns what of an answer the document does not say; "" when it says all.
func (r *referee) check(method, path string, w *httptest.ResponseRecorder) string {
	name, op := r.operation(method, path)
	if op == nil || name == "/mcp" || w.Code == 405 || strings.Contains(w.Body.String(), "no such route") {
		return ""
	}
	return r.answer(method, name, w)
}

// answer is check of an operation that is known.
func (r *referee) answer(method, name string, w *httptest.ResponseRecorder) string {
	status := fmt.Sprint(w.Code)
	answer, ok := r.doc.Paths[name][strings.ToLower(method)].Responses[status]
	if !ok {
		return fmt.Sprintf("%s %s: the document has no status %s: %.200s", method, name, status, w.Body)
	}
	if ref, ok := strings.CutPrefix(answer.Ref, "#/components/responses/"); ok {
		answer = r.doc.Components.Responses[ref]
	}
	if w.Code == 304 || method == "HEAD" {
		return ""
	}
	_, ok = answer.Content[w.Header().Get("Content-Type")]
	if !ok {
		return fmt.Sprintf("%s %s: the document has no %s with status %s", method, name, w.Header().Get("Content-Type"), status)
	}
	if w.Header().Get("Content-Type") != "application/json" {
		return ""
	}
	var body any
	if err := json.Unmarshal(w.Body.Bytes(), &body); err != nil {
		return fmt.Sprintf("%s %s: %v", method, name, err)
	}
	if err := r.whole.Validate(map[string]any{kind(method, name, status): body}); err != nil {
		return fmt.Sprintf("%s %s, status %s: the document says otherwise: %v\n%.300s", method, name, status, err, w.Body)
	}
	return ""
}

func kind(method, path, status string) string {
	return strings.ToLower(method) + " " + path + " " + status
}

// body returns the schema of a JSON answer; nil for other answers.
func (r *referee) body(answer response) *jsonschema.Schema {
	if ref, ok := strings.CutPrefix(answer.Ref, "#/components/responses/"); ok {
		answer = r.doc.Components.Responses[ref]
	}
	return answer.Content["application/json"].Schema
}

// resolve puts the schemas of all answers and those that they refer to into one.
func (r *referee) resolve(t testing.TB, answers map[string]*jsonschema.Schema) {
	t.Helper()
	line, err := json.Marshal(map[string]any{"properties": answers, "additionalProperties": false, "$defs": r.doc.Components.Schemas})
	if err != nil {
		t.Fatal(err)
	}
	whole := &jsonschema.Schema{}
	if err := json.Unmarshal([]byte(strings.ReplaceAll(string(line), "#/components/schemas/", "#/$defs/")), whole); err != nil {
		t.Fatal(err)
	}
	if r.whole, err = whole.Resolve(&jsonschema.ResolveOptions{ValidateDefaults: true}); err != nil {
		t.Fatalf("the schemas of the document: %v", err)
	}
}

// TestEveryAnswerIsInTheDocument asks what the other tests of routes ask.
func TestEveryAnswerIsInTheDocument(t *testing.T) {
	t.Parallel()
	r := newReferee(t)
	fresh := func() *httpapi.API {
		h := newAPI(t, httpapi.Options{Dir: "/nowhere", Project: "byhand"})
		stocked(t, h)
		return h
	}
	shared, seen := fresh(), map[string]bool{}
	look := func(h *httpapi.API, request, body, name string) {
		method, target, _ := strings.Cut(request, " ")
		w := ask(h, method, target, body)
		path, _, _ := strings.Cut(target, "?")
		if wrong := r.check(method, path, w); wrong != "" {
			t.Errorf("%s (%s)", wrong, name)
		}
		route, _ := r.operation(method, path)
		seen[method+" "+route] = seen[method+" "+route] || w.Code < 300
	}
	for _, tt := range routeCases() {
		h := shared
		if !strings.HasPrefix(tt.request, "GET") && tt.status < 300 {
			h = fresh()
		}
		look(h, tt.request, tt.body, tt.name)
	}
	// What needs something to be there first.
	h := newAPI(t, httpapi.Options{})
	for _, lives := range []string{"15", "5"} {
		look(h, "POST /observations", `{"session_id":"s1","project":"demo","title":"Tokens `+lives+`","content":"Access tokens live `+lives+` minutes in the shop API"}`, "")
	}
	look(h, "POST /conflicts/scan", `{"project":"demo","apply":true}`, "")
	var page struct {
		Relations []struct {
			SyncID string `json:"sync_id"`
		}
	}
	if err := json.Unmarshal(ask(h, "GET", "/conflicts", "").Body.Bytes(), &page); err != nil || len(page.Relations) != 1 {
		t.Fatalf("GET /conflicts: %+v, %v; want one candidate", page, err)
	}
	for _, step := range [][2]string{
		{"GET /conflicts", ""}, {"GET /conflicts/1", ""}, {"GET /conflicts/stats", ""},
		{"POST /conflicts/judge", `{"judgment_id":"` + page.Relations[0].SyncID + `","relation":"supersedes","reason":"newer"}`},
		{"GET /conflicts", ""}, {"GET /conflicts/1", ""}, {"GET /memories", ""}, {"GET /memories/2", ""}, {"GET /memories?q=tokens&superseded=true", ""},
		{"GET /recall?q=tokens", ""}, {"GET /search?q=tokens&explain=true", ""}, {"GET /graph?ref=1", ""}, {"GET /graph?ref=1&format=dot", ""},
		{"GET /timeline?observation_id=1", ""}, {"GET /log", ""}, {"PATCH /memories/2", `{"content":"Access tokens live 6 minutes"}`}, {"GET /memories/2", ""},
		{"GET /history/2", ""}, {"GET /history/2?from=1&to=2", ""}, {"GET /decay", ""}, {"GET /doctor", ""}, {"GET /diagnostics", ""},
		{"GET /recall?q=tokens&session_id=s1", ""}, {"GET /sessions/s1/uses", ""}, {"DELETE /relations?source=1&target=2", ""}, {"GET /export", ""}, {"POST /import", `{"version":"0.1.0","sessions":[{"id":"s9","project":"demo"}]}`}, {"POST /undo", `{"all_projects":true}`},
	} {
		look(h, step[0], step[1], "a story")
	}
	look(h, "GET /events?since=0", "", "a stream")
	look(measured(t), "GET /metrics", "", "Prometheus")
	for path, methods := range r.doc.Paths {
		for method := range methods {
			if name := strings.ToUpper(method) + " " + path; !seen[name] && path != "/mcp" {
				t.Errorf("no success of %s was looked at", name)
			}
		}
	}
}

func TestEveryRowSaysWhatItReadsAndAnswers(t *testing.T) {
	t.Parallel()
	h := newAPI(t, httpapi.Options{MCP: reached()})
	doc := described(t, h)
	ids := map[string]bool{}
	for _, r := range h.Routes() {
		if r.Hidden {
			continue
		}
		name := r.Method + " " + r.Path
		if r.Summary == "" {
			t.Errorf("%s has no summary", name)
		}
		if len(r.Answers) == 0 {
			t.Errorf("%s does not say what it answers", name)
		}
		path, method := strings.Replace(r.Path, "...", "", 1), strings.ToLower(r.Method)
		if method == "" {
			method = "post"
		}
		op, ok := doc.Paths[path][method]
		switch {
		case !ok:
			t.Errorf("%s is not in the document", name)
		case ids[op.ID] || op.ID == "":
			t.Errorf("%s: the operationId %q is empty or taken", name, op.ID)
		case (len(op.Security) > 0) != r.Token:
			t.Errorf("%s: security is %v, Token is %v", name, op.Security, r.Token)
		}
		ids[op.ID] = true
		for _, p := range op.Parameters {
			if p.Schema == nil && p.Content == nil {
				t.Errorf("%s: the parameter %s has no schema", name, p.Name)
			}
			if p.Description == "" {
				t.Errorf("%s: the parameter %s has no description", name, p.Name)
			}
		}
	}
}

// What is refused on the way to the server of MCP has the shape that the document gives its
// errors, which is that of JSON-RPC.
func TestErrorsOfMCPAreInTheDocument(t *testing.T) {
	t.Parallel()
	r := newReferee(t)
	h := newAPI(t, httpapi.Options{MCP: reached(), Token: func() string { return "secret" }})
	for _, tt := range []struct {
		name   string
		status int
		body   string
		header []string
	}{
		{"no token", 401, "{}", nil},
		{"a foreign host", 421, "{}", []string{"Host: evil.test"}},
		{"a foreign origin", 403, "{}", []string{"Origin: http://evil.test"}},
		{"a type that is not JSON", 415, "{}", []string{"Content-Type: text/plain"}},
		{"a body that is too long", 413, strings.Repeat(" ", 5<<20), []string{"Authorization: Bearer secret"}},
	} {
		w := ask(h, "POST", "/mcp", tt.body, tt.header...)
		if w.Code != tt.status || !strings.HasPrefix(w.Body.String(), `{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"`) {
			t.Errorf("%s: got %d %s, want %d and an error of JSON-RPC", tt.name, w.Code, w.Body, tt.status)
		}
		if wrong := r.answer("post", "/mcp", w); wrong != "" {
			t.Errorf("%s: %s", tt.name, wrong)
		}
	}
	// As the server of MCP refuses a body; its own tests hold it to that.
	w := httptest.NewRecorder()
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(400)
	_, _ = w.WriteString(`{"jsonrpc":"2.0","id":7,"error":{"code":-32700,"message":"parse error: the body is not JSON"}}`)
	if wrong := r.answer("post", "/mcp", w); wrong != "" {
		t.Error(wrong)
	}
}
