package httpapi_test

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/engine"
	"github.com/alanbuscaglia/engram/internal/enginetest"
	"github.com/alanbuscaglia/engram/internal/httpapi"
)

// failing is a store that answers every call with one error.
type failing struct{ err error }

func (f failing) View(context.Context, func(engram.Reader) error) error { return f.err }
func (f failing) Update(context.Context, func(engram.Tx) error) error   { return f.err }
func (f failing) UpdateAfter(context.Context, func(engram.Reader) error, func(engram.Tx) error) error {
	return f.err
}
func (f failing) Close() error { return nil }

func TestErrorsBecomeStatuses(t *testing.T) {
	t.Parallel()
	const inner = "disk sector 7 of /home/somebody"
	for _, tt := range []struct {
		err        error
		status     int
		flat, deep string
	}{
		{engram.Errorf(engram.CodeInvalid, "wrong").WithHint("do better"), 400, `{"error":"wrong","code":"invalid","hint":"do better"}`, `{"error":{"code":"invalid","message":"wrong","hint":"do better"}}`},
		{engram.Errorf(engram.CodeConflict, "taken").WithCause(errors.New(inner)), 409, `{"error":"taken","code":"conflict"}`, `{"error":{"code":"conflict","message":"taken","hint":""}}`},
		{engram.Errorf(engram.CodeForbidden, "no"), 403, `{"error":"no","code":"forbidden"}`, `{"error":{"code":"forbidden","message":"no","hint":""}}`},
		{engram.Errorf(engram.CodeUnavailable, "the disk is full").WithCause(errors.New(inner)), 503, `{"error":"the disk is full","code":"unavailable"}`, `{"error":{"code":"unavailable","message":"the disk is full","hint":""}}`},
		{engram.Errorf(engram.CodeInternal, inner), 500, `{"error":"internal error","code":"internal"}`, `{"error":{"code":"internal","message":"internal error","hint":""}}`},
		{errors.New(inner), 500, `{"error":"internal error","code":"internal"}`, `{"error":{"code":"internal","message":"internal error","hint":""}}`},
	} {
		var log bytes.Buffer
		e := engine.New(engine.Options{Store: failing{tt.err}, Now: enginetest.Start, NewID: enginetest.IDs()})
		h := newAPI(t, httpapi.Options{Engine: e, Log: slog.New(slog.NewTextHandler(&log, nil))})
		w := ask(h, "GET", "/stats", "")
		want(t, w, tt.err.Error(), tt.status, tt.flat)
		want(t, ask(h, "GET", "/projects", ""), tt.err.Error(), tt.status, tt.deep)
		if retry := w.Header().Get("Retry-After"); (retry != "") != (tt.status == 503) {
			t.Errorf("%v: got Retry-After %q", tt.err, retry)
		}
		if logged := strings.Contains(log.String(), inner); logged != (tt.status == 500) {
			t.Errorf("%v: got the log %q; only internal errors belong there", tt.err, log.String())
		}
	}
}

func TestAPanicTellsNothing(t *testing.T) {
	t.Parallel()
	var log bytes.Buffer
	const secret = "the inner secret"
	h := newAPI(t, httpapi.Options{
		MCP: http.HandlerFunc(func(http.ResponseWriter, *http.Request) { panic(secret) }),
		Log: slog.New(slog.NewTextHandler(&log, nil)),
	})
	w := ask(h, "POST", "/mcp", "{}")
	want(t, w, "POST /mcp", 500, `{"jsonrpc":"2.0","id":null,"error":{"code":-32603,"message":"internal error","data":{"code":"internal","hint":""}}}`)
	if !strings.Contains(log.String(), secret) || !strings.Contains(log.String(), "chain_test.go") {
		t.Errorf("got the log %.300q, want the panic and its stack", log.String())
	}
}

func TestAPanicInMidAnswerCutsItOff(t *testing.T) {
	t.Parallel()
	addr := live(t, httpapi.Options{MCP: http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = w.Write([]byte(strings.Repeat("x", 100)))
		w.(http.Flusher).Flush()
		panic("half-way")
	})})
	resp, err := http.Post("http://"+addr+"/mcp", "application/json", strings.NewReader("{}"))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = resp.Body.Close() }()
	var b bytes.Buffer
	if n, err := b.ReadFrom(resp.Body); err == nil {
		t.Errorf("got %d bytes and a clean end, want an error after what was sent", n)
	}
}

func TestAClientThatLeftIsNoError(t *testing.T) {
	t.Parallel()
	var log bytes.Buffer
	e := engine.New(engine.Options{Store: failing{context.Canceled}, Now: enginetest.Start, NewID: enginetest.IDs()})
	h := newAPI(t, httpapi.Options{Engine: e, Log: slog.New(slog.NewTextHandler(&log, nil))})
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	r := httptest.NewRequest("GET", "/stats", nil).WithContext(ctx)
	r.Host = host
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	if w.Code != 503 || log.Len() > 0 {
		t.Errorf("got %d and the log %q, want 503 and nothing", w.Code, log.String())
	}
}

func TestEveryAnswerIsKeptToItself(t *testing.T) {
	t.Parallel()
	h := newAPI(t, httpapi.Options{})
	for _, r := range everyRoute(h) {
		w := ask(h, r[0], r[1], "")
		cache := "no-store"
		if w.Code == 200 && (r[0] == "GET" || r[0] == "HEAD") && r[1] != "/export" && r[1] != "/events" { // streams
			cache = "private, no-cache"
		}
		for name, value := range map[string]string{"X-Content-Type-Options": "nosniff", "Cross-Origin-Resource-Policy": "same-origin", "Cache-Control": cache} {
			if got := w.Header().Get(name); got != value {
				t.Errorf("%s %s: got %s %q, want %q", r[0], r[1], name, got, value)
			}
		}
	}
}

func TestADegradedSearchSaysSo(t *testing.T) {
	t.Parallel()
	h := newAPI(t, httpapi.Options{})
	stocked(t, h)
	w := ask(h, "GET", "/search?q=%3F%3F%3F", "")
	if w.Code != 200 || w.Header().Get("Engram-Degraded") == "" {
		t.Errorf("GET /search?q=???: got %d and Engram-Degraded %q, want 200 and a reason", w.Code, w.Header().Get("Engram-Degraded"))
	}
}

// A bare list cannot say where was looked: a header does, and the list stays what clients parse.
func TestAnEmptyListSaysInAHeaderWhatIsElsewhere(t *testing.T) {
	t.Parallel()
	h := newAPI(t, httpapi.Options{})
	stocked(t, h)
	for path, want := range map[string]string{
		"/search?q=zeppelin&project=nobody":    "No memories in project nobody; 3 in others: leave project out",
		"/observations/recent?project=nobody":  "No memories in project nobody; 3 in others: leave project out",
		"/search?q=login&project=other&weak=1": "",
	} {
		w := ask(h, http.MethodGet, path, "")
		if got := w.Header().Get("Engram-Elsewhere"); w.Code != 200 || got != want || want != "" && strings.TrimSpace(w.Body.String()) != "[]" {
			t.Errorf("GET %s: got %d, Engram-Elsewhere %q and %s; want %q and []", path, w.Code, got, w.Body, want)
		}
	}
}
