package httpapi_test

import (
	"encoding/json"
	"fmt"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/alanbuscaglia/engram/internal/httpapi"
)

func TestBodiesThatAreRefusedAndWhy(t *testing.T) {
	t.Parallel()
	h := newAPI(t, httpapi.Options{})
	refused := func(message, hint string) string {
		return `{"error":"invalid json: ` + message + `","code":"invalid","hint":"` + hint + `"}`
	}
	const one = "send one JSON object"
	for _, tt := range []struct{ name, body, want string }{
		{"nothing but blanks", "  ", refused("the body is empty", "send a JSON object")},
		{"no JSON", "hello", refused("invalid character 'h' looking for beginning of value", one)},
		{"half an object", `{"id":"a"`, refused("unexpected end of JSON input", one)},
		{"an array", `[1]`, refused("the body is not an object", one)},
		{"a text", `"x"`, refused("the body is not an object", one)},
		{"something after the object", `{"id":"a","project":"b"} {}`, refused("invalid character '{' after top-level value", one)},
		{"a byte after the object", `{"id":"a","project":"b"}x`, refused("invalid character 'x' after top-level value", one)},
		{"null", `null`, `{"error":"project is required","code":"invalid"}`},
		{"a number for a text", `{"id":5,"project":"b"}`, refused("id cannot be a number", "send id as a string")},
		{"an object for a text", `{"id":{"a":1},"project":"b"}`, refused("id cannot be an object", "send id as a string")},
		{"an array for a text", `{"id":"a","project":["b"]}`, refused("project cannot be an array", "send project as a string")},
		{"true for a text", `{"id":true,"project":"b"}`, refused("id cannot be true or false", "send id as a string")},
		{"bytes that are no UTF-8", "{\"id\":\"a\xff\",\"project\":\"b\"}", refused("the body is not valid UTF-8", "convert the text to UTF-8 first")},
		{"a NUL", `{"id":"a\u0000","project":"b"}`, ""},
		{"a depth that nobody means", strings.Repeat(`{"id":`, 20_000) + "1" + strings.Repeat("}", 20_000), refused("invalid character '{' exceeded max depth", one)},
	} {
		t.Run(tt.name, func(t *testing.T) {
			w := ask(h, "POST", "/sessions", tt.body)
			if tt.want == "" {
				tt.want = told(w)
			}
			want(t, w, fmt.Sprintf("POST /sessions %.60q", tt.body), 400, tt.want)
		})
	}
	for field, kind := range map[string]string{"metadata": "an object", "importance": "a number", "permanent": "true or false"} {
		w := ask(h, "POST", "/memories", `{"content":"x","`+field+`":"y"}`)
		want(t, w, "POST /memories "+field, 400, `{"error":{"code":"invalid","message":"invalid json: `+field+` cannot be a string","hint":"send `+field+` as `+kind+`"}}`)
	}
	w := ask(h, "POST", "/memories", `{"content":"x","importance":1e999}`)
	want(t, w, "a number beyond all", 400, `{"error":{"code":"invalid","message":"invalid json: importance cannot be a number 1e999","hint":"send importance as a number"}}`)
}

// Scripts and models put numbers into quotes and write lists with commas, over HTTP as over MCP.
func TestBodiesMeanTheSameInQuotes(t *testing.T) {
	t.Parallel()
	h := newAPI(t, httpapi.Options{})
	var first string
	for _, body := range []string{`{"content":"Loose one","importance":0.9,"permanent":true,"tags":["a","b"],"metadata":{"n":"5"}}`,
		`{"content":"Loose two","importance":"0.9","permanent":"true","tags":"a, b","metadata":{"n":"5"}}`,
		`{"content":"Loose three","importance":0.9,"permanent":"True","tags":"[\"a\",\"b\"]","metadata":{"n":"5"}}`} {
		w := ask(h, "POST", "/memories", body)
		var got struct {
			Memory struct {
				Importance float64
				Permanent  bool
				Tags       []string
				Metadata   map[string]any
			}
		}
		if err := json.Unmarshal(w.Body.Bytes(), &got); w.Code != 201 || err != nil {
			t.Fatalf("POST /memories %s: %d %s", body, w.Code, w.Body)
		}
		if now := fmt.Sprint(got.Memory); first == "" {
			first = now
		} else if now != first {
			t.Errorf("POST /memories %s: got %s, want %s", body, now, first)
		}
	}
	if want := "{0.9 true [a b permanent] map[n:5]}"; first != want {
		t.Errorf("got %s, want %s", first, want)
	}
	if w := ask(h, "POST", "/memories", `{"content":"x","importance":"much","tags":"a"}`); w.Code != 400 || !strings.Contains(w.Body.String(), "importance cannot be a string") {
		t.Errorf("what cannot be meant: got %d %s", w.Code, w.Body)
	}
	if w := ask(h, "POST", "/memories", `{"content":"x","importance":"0.5","tagz":"a"}`); w.Code != 400 || !strings.Contains(w.Body.String(), "did you mean tags?") {
		t.Errorf("what nobody knows: got %d %s", w.Code, w.Body)
	}
}

func TestUnknownFieldsMayBeAsDeepAsTheyLike(t *testing.T) {
	t.Parallel()
	h := newAPI(t, httpapi.Options{})
	deep := strings.Repeat("[", 5000) + strings.Repeat("]", 5000)
	if w := ask(h, "POST", "/sessions", `{"id":"a","project":"b","whatever":`+deep+`}`); w.Code != 201 {
		t.Errorf("POST /sessions with 5,000 arrays: got %d %s, want 201", w.Code, w.Body)
	}
	if w := ask(h, "POST", "/memories", `{"content":"a","metadata":{"whatever":`+deep+`}}`); w.Code != 201 {
		t.Errorf("POST /memories with 5,000 arrays: got %d %.300s, want 201", w.Code, w.Body)
	}
}

func TestTheLargestBodyEveryRouteTakes(t *testing.T) {
	t.Parallel()
	h := newAPI(t, httpapi.Options{MCP: reached()})
	for _, r := range h.Routes() {
		if r.MaxBody != 4<<20 && r.Path != "/import" { // whose body is read as it comes in
			t.Errorf("%s %s: MaxBody is %d, want 4 MiB", r.Method, r.Path, r.MaxBody)
		}
	}
	const limit = 4 << 20
	for _, r := range everyRoute(h) {
		if r[1] == "/import" {
			continue
		}
		for _, chunked := range []bool{false, true} {
			req := httptest.NewRequest(r[0], r[1], strings.NewReader(strings.Repeat("x", limit+1)))
			req.Host = host
			req.Header.Set("Content-Type", "application/json")
			if chunked {
				req.ContentLength = -1
			}
			w := httptest.NewRecorder()
			h.ServeHTTP(w, req)
			if w.Code != 413 || !strings.Contains(w.Body.String(), "the body is larger than 4194304 bytes") {
				t.Errorf("%s %s with 4 MiB and a byte, chunked %v\n got %d %s\nwant 413 and the limit", r[0], r[1], chunked, w.Code, w.Body)
			}
		}
	}
	if w := ask(h, "POST", "/sessions", `{"id":"a","project":"b"}`+strings.Repeat(" ", limit-24)); w.Code != 201 {
		t.Errorf("a body of exactly 4 MiB: got %d %s, want 201", w.Code, w.Body)
	}
}

func TestContentComesBackToTheByte(t *testing.T) {
	t.Parallel()
	h := newAPI(t, httpapi.Options{})
	for _, content := range []string{
		"x", "a\r\nb\tc", "  blanks at both ends  ", "日本語 العربية 😀 \U0010FFFF", "</script><b>&amp;", `"quotes" and \backslashes\`,
		"\u2028\u2029\u200b", strings.Repeat("é", 1<<19),
	} {
		body, err := json.Marshal(map[string]string{"content": content, "title": "t", "session_id": "s"})
		if err != nil {
			t.Fatal(err)
		}
		w := ask(h, "POST", "/observations", string(body))
		var saved struct{ ID int }
		if err := json.Unmarshal(w.Body.Bytes(), &saved); err != nil || w.Code != 201 {
			t.Fatalf("POST /observations %.40q: got %d %s, want 201", content, w.Code, w.Body)
		}
		var got struct{ Content string }
		w = ask(h, "GET", fmt.Sprintf("/observations/%d", saved.ID), "")
		if err := json.Unmarshal(w.Body.Bytes(), &got); err != nil || got.Content != content {
			t.Errorf("content came back otherwise\n got %.80q\nwant %.80q", got.Content, content)
		}
	}
	body, _ := json.Marshal(map[string]string{"content": strings.Repeat("x", 1<<20+1), "title": "t", "session_id": "s"})
	if w := ask(h, "POST", "/observations", string(body)); w.Code != 400 || !strings.Contains(w.Body.String(), "1048576") {
		t.Errorf("a content of 1 MiB and a byte: got %d %s, want 400 and the limit", w.Code, w.Body)
	}
}
