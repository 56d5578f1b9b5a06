package mcp_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/enginetest"
	"github.com/alanbuscaglia/engram/internal/mcp"
)

// askChoices sends one request to /mcp with a query.
func askChoices(t *testing.T, c *mcp.Choices, query, body string) *httptest.ResponseRecorder {
	t.Helper()
	r := httptest.NewRequest("POST", "http://127.0.0.1/mcp?"+query, strings.NewReader(body))
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Accept", "application/json, text/event-stream")
	w := httptest.NewRecorder()
	c.ServeHTTP(w, r)
	return w
}

const listRequest = `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`

func TestEachClientChoosesItsToolsOverHTTP(t *testing.T) {
	t.Parallel()
	c, err := mcp.NewChoices(mcp.Options{Engine: enginetest.New(t), Tools: "mem_save,mem_search"})
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		name, query string
		want        []string
	}{
		{"nothing chosen", "", []string{"mem_save", "mem_search"}},
		{"an empty choice", "tools=", []string{"mem_save", "mem_search"}},
		{"a choice of commas", "tools=,%20,", []string{"mem_save", "mem_search"}},
		{"a profile", "tools=recall", []string{"forget", "recall", "remember"}},
		{"a profile and a tool", "tools=core," + "mem_stats", []string{"mem_context", "mem_save", "mem_search", "mem_stats"}},
		{"the same in another order", "tools=mem_stats&tools=Core", []string{"mem_context", "mem_save", "mem_search", "mem_stats"}},
	} {
		w := askChoices(t, c, tt.query, listRequest)
		if got := names(toolsOf(t, w.Body.Bytes())); w.Code != http.StatusOK || !slices.Equal(got, tt.want) {
			t.Errorf("%s: /mcp?%s: got %d %v, want %v", tt.name, tt.query, w.Code, got, tt.want)
		}
	}
	w := askChoices(t, c, "tools=recal", listRequest)
	want := `{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"there is no MCP profile or tool \"recal\"","data":{"code":"invalid","hint":"did you mean recall? profiles: agent, core, admin, mem, memory, recall, all; or names of tools"}}}`
	if got := strings.TrimSpace(w.Body.String()); w.Code != http.StatusBadRequest || got != want {
		t.Errorf("a choice of what does not exist\n got %d %s\nwant 400 %s", w.Code, got, want)
	}
	if _, err := mcp.NewChoices(mcp.Options{Tools: "nothing"}); engram.CodeOf(err) != engram.CodeInvalid {
		t.Errorf("choices whose own tools do not exist: got %v, want invalid", err)
	}
}

// More lists than are kept ready, many at once, and a long name of nothing.
func TestAnyNumberOfChoicesIsServed(t *testing.T) {
	t.Parallel()
	c, err := mcp.NewChoices(mcp.Options{Engine: enginetest.New(t)})
	if err != nil {
		t.Fatal(err)
	}
	all := names(toolsOf(t, askChoices(t, c, "tools=all", listRequest).Body.Bytes()))
	var wg sync.WaitGroup
	for i := range 4 * len(all) {
		wg.Go(func() {
			name := all[i%len(all)]
			w := askChoices(t, c, "tools="+name, listRequest)
			if got := names(toolsOf(t, w.Body.Bytes())); !slices.Contains(got, name) || len(got) > 3 {
				t.Errorf("/mcp?tools=%s: got %v", name, got)
			}
		})
	}
	wg.Wait()
	w := askChoices(t, c, "tools="+url.QueryEscape(strings.Repeat("x", 100_000)), listRequest)
	if w.Code != http.StatusBadRequest || w.Body.Len() > 1000 {
		t.Errorf("a long name: got %d and %d bytes, want 400 and few", w.Code, w.Body.Len())
	}
}

func BenchmarkAChoiceThatIsReady(b *testing.B) {
	c, err := mcp.NewChoices(mcp.Options{})
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		r := httptest.NewRequest("POST", "http://127.0.0.1/mcp?tools=core", strings.NewReader(listRequest))
		r.Header.Set("Content-Type", "application/json")
		r.Header.Set("Accept", "application/json, text/event-stream")
		w := httptest.NewRecorder()
		if c.ServeHTTP(w, r); w.Code != http.StatusOK {
			b.Fatal(fmt.Sprint(w.Code, w.Body))
		}
	}
}
