package provider_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/embedding/prefix"
	"github.com/alanbuscaglia/engram/internal/embedding/provider"
	"github.com/alanbuscaglia/engram/internal/embedding/provider/providertest"
	"github.com/alanbuscaglia/engram/internal/waittest"
)

func start(t *testing.T, m providertest.Model) *providertest.Server {
	t.Helper()
	if m.Name == "" {
		m.Name = "bge-m3"
	}
	if m.Dimensions == 0 {
		m.Dimensions = 16
	}
	s, err := providertest.Start(m)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Stop() })
	return s
}

// options are those for a server, with short waits.
func options(api provider.API, url string) provider.Options {
	return provider.Options{API: api, Model: "bge-m3", URL: url, Now: time.Now, Pause: time.Millisecond}
}

func open(t *testing.T, o provider.Options) *provider.Embedder {
	t.Helper()
	e, err := provider.New(o)
	if err != nil {
		t.Fatalf("New(%+v): %v", o, err)
	}
	t.Cleanup(func() { _ = e.Close() })
	return e
}

// before goes before texts.
func before() prefix.Set {
	return prefix.Set{engram.RoleQuery: "Q: ", engram.RoleMemory: "memo "}
}

func TestBothProtocolsEmbedInOrder(t *testing.T) {
	for _, tt := range []struct {
		api         provider.API
		fingerprint string
	}{{provider.Ollama, "ollama:bge-m3@0123456789ab/16" + before().Mark()}, {provider.OpenAI, "openai:bge-m3@/16" + before().Mark()}} {
		t.Run(string(tt.api), func(t *testing.T) {
			s := start(t, providertest.Model{Digest: "sha256:0123456789abcdef"})
			o := options(tt.api, s.URL())
			o.Prefixes, o.Marks = before(), engram.Model{Name: "x", Related: 0.7, Instant: true}
			e := open(t, o)
			if m := e.Model(); m.Name != string(tt.api)+":bge-m3" || m.Fingerprint != "" || m.Dimensions != 0 || m.Instant || m.Related != 0.7 {
				t.Errorf("before the first answer: %+v", m)
			}
			var texts []string
			for i := range 70 { // three requests
				texts = append(texts, fmt.Sprintf("memory %s of the shop", strings.Repeat(string(rune('a'+i%26)), 1+i/26)))
			}
			texts[3], texts[69] = " \n", ""
			vs, err := e.Embed(t.Context(), texts, engram.RoleMemory)
			if err != nil || len(vs) != len(texts) {
				t.Fatalf("got %d vectors, %v", len(vs), err)
			}
			for i, v := range vs {
				want := s.Model().Vector("memo " + texts[i])
				if strings.TrimSpace(texts[i]) == "" {
					want = make([]float32, 16)
				}
				if d := cosine(v, want); len(v) != 16 || strings.TrimSpace(texts[i]) != "" && (math.Abs(d-1) > 1e-6 || math.Abs(cosine(v, v)-1) > 1e-6) {
					t.Errorf("text %d %q: the vector is another's, or not of length 1: %v", i, texts[i], v)
				}
			}
			if m := e.Model(); m.Fingerprint != tt.fingerprint || m.Dimensions != 16 {
				t.Errorf("after the first answer: %+v, want %s", m, tt.fingerprint)
			}
			sizes := []int{}
			for _, r := range s.Asked() {
				if n := len(r.Texts); n > 0 {
					sizes = append(sizes, n)
				}
			}
			if !slices.Equal(sizes, []int{32, 32, 4}) {
				t.Errorf("requests of %v texts, want 32, 32 and 4", sizes)
			}
			if _, err := e.Embed(t.Context(), []string{"where"}, engram.RoleQuery); err != nil {
				t.Fatal(err)
			}
			if asked := s.Asked(); len(asked) != 1 || !slices.Equal(asked[0].Texts, []string{"Q: where"}) {
				t.Errorf("a question was sent as %+v", asked)
			}
			long := strings.Repeat("é", 20<<10) // two bytes each
			if _, err := e.Embed(t.Context(), slices.Repeat([]string{long}, 24), engram.RoleMemory); err != nil {
				t.Fatal(err)
			}
			for _, r := range s.Asked() {
				size := len(strings.Join(r.Texts, ""))
				if size > 256<<10 || !strings.HasSuffix(strings.Join(r.Texts, ""), "é") {
					t.Errorf("%d bytes in a request, or a character is cut", size)
				}
			}
		})
	}
}

func cosine(a, b []float32) float64 {
	var ab, aa, bb float64
	for i := range a {
		ab, aa, bb = ab+float64(a[i])*float64(b[i]), aa+float64(a[i])*float64(a[i]), bb+float64(b[i])*float64(b[i])
	}
	return ab / math.Sqrt(aa*bb)
}

// What servers say wrongly is an error with a hint and the address. It has neither key nor text.
func TestWrongAnswers(t *testing.T) {
	ollama := func(v string) string { return `{"embeddings":` + v + `}` }
	openai := func(v string) string { return `{"data":` + v + `}` }
	for _, tt := range []struct {
		name, body string
		api        provider.API
		want       string
	}{
		{"too few", ollama(`[[1,2]]`), provider.Ollama, "1 results for 2 texts"},
		{"too many", ollama(`[[1,2],[1,2],[1,2]]`), provider.Ollama, "more than 2 results"},
		{"none", ollama(`[]`), provider.Ollama, "0 results"},
		{"no list", ollama(`null`), provider.Ollama, "no list"},
		{"another shape", `{"result":"secret-text"}`, provider.Ollama, "no list"},
		{"unequal lengths", ollama(`[[1,2],[1,2,3]]`), provider.Ollama, "3 numbers instead of 2"},
		{"null, which is how some write NaN", ollama(`[[1,2],[1,null]]`), provider.Ollama, "not a finite number"},
		{"a bare NaN", ollama(`[[1,2],[1,NaN]]`), provider.Ollama, "cannot be used"},
		{"a number beyond float32", ollama(`[[1,2],[1,1e39]]`), provider.Ollama, "not a finite number"},
		{"text for a number", ollama(`[[1,2],[1,"secret-text"]]`), provider.Ollama, "not a finite number"},
		{"a zero vector", ollama(`[[1,2],[0,0]]`), provider.Ollama, "empty or zero"},
		{"an empty vector", ollama(`[[1,2],[]]`), provider.Ollama, "not a finite number"},
		{"nested lists", ollama(`[[[1,2]],[[1,2]]]`), provider.Ollama, "not a finite number"},
		{"too many numbers", ollama(`[[1` + strings.Repeat(",1", 1<<16) + `],[1]]`), provider.Ollama, "more than 65536 numbers"},
		{"no JSON", `<html>secret-text</html>`, provider.Ollama, "cannot be used"},
		{"cut off", `{"embeddings":[[1,2`, provider.Ollama, "cannot be used"},
		{"an index twice", openai(`[{"index":1,"embedding":[1]},{"index":1,"embedding":[1]}]`), provider.OpenAI, "index 1 twice"},
		{"an index beyond", openai(`[{"index":0,"embedding":[1]},{"index":7,"embedding":[1]}]`), provider.OpenAI, "index 7"},
		{"an index below", openai(`[{"index":-1,"embedding":[1]},{"index":0,"embedding":[1]}]`), provider.OpenAI, "index -1"},
		{"a text that is not base64", openai(`[{"index":0,"embedding":"%%"},{"index":1,"embedding":[1]}]`), provider.OpenAI, "no list of numbers"},
		{"base64 of NaN", openai(`[{"index":0,"embedding":"AADAfw=="},{"index":1,"embedding":[1]}]`), provider.OpenAI, "not a finite number"},
		{"an error with status 200", `{"error":"secret-text"}`, provider.OpenAI, "no list"},
		{"millions of elements", openai(`[` + strings.Repeat("{},", 1<<20) + `{}]`), provider.OpenAI, "no list of numbers"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := start(t, providertest.Model{})
			s.Fail(func(w http.ResponseWriter, _ *http.Request) { providertest.Answer(w, 200, tt.body) })
			e := open(t, options(tt.api, s.URL()))
			vs, err := e.Embed(t.Context(), []string{"secret-text", "b"}, engram.RoleMemory)
			if vs != nil || engram.CodeOf(err) != engram.CodeUnavailable || !strings.Contains(fmt.Sprint(err), tt.want) {
				t.Errorf("got %v, %v, want unavailable: …%s…", vs, err, tt.want)
			}
			if hint := engram.HintOf(err); !strings.Contains(hint, s.URL()) || !strings.Contains(hint, "embedding_model") {
				t.Errorf("hint: %q", hint)
			}
			if strings.Contains(fmt.Sprint(err, engram.HintOf(err)), "secret") {
				t.Errorf("the error repeats what was sent: %v", err)
			}
			if n := len(s.Asked()); n > 2 {
				t.Errorf("%d requests: such an answer is no better the next time", n)
			}
		})
	}
}

func TestBase64IsRead(t *testing.T) {
	s := start(t, providertest.Model{})
	s.Fail(func(w http.ResponseWriter, _ *http.Request) {
		providertest.Answer(w, 200, `{"data":[{"embedding":"AABAQAAAgEA="}]}`) // 3, 4; and no index
	})
	vs, err := open(t, options(provider.OpenAI, s.URL())).Embed(t.Context(), []string{"a"}, engram.RoleQuery)
	if err != nil || math.Abs(float64(vs[0][0])-0.6) > 1e-6 || math.Abs(float64(vs[0][1])-0.8) > 1e-6 {
		t.Errorf("got %v, %v, want 0.6 and 0.8", vs, err)
	}
}

// A gigabyte is not read: memory stays within some times the limit.
func TestAnAnswerWithoutEnd(t *testing.T) {
	s := start(t, providertest.Model{})
	var sent int
	done := make(chan struct{})
	s.Fail(func(w http.ResponseWriter, _ *http.Request) {
		defer close(done)
		chunk := []byte(`{"embeddings":[[` + strings.Repeat("1,", 1<<19))
		for sent < 1<<30 {
			n, err := w.Write(chunk)
			if sent += n; err != nil {
				return
			}
		}
	})
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	_, err := open(t, options(provider.Ollama, s.URL())).Embed(t.Context(), []string{"a"}, engram.RoleMemory)
	runtime.ReadMemStats(&after)
	if engram.CodeOf(err) != engram.CodeUnavailable || !strings.Contains(err.Error(), "longer than 10 MiB") || engram.HintOf(err) == "" {
		t.Errorf("got %v (hint %q)", err, engram.HintOf(err))
	}
	if took := after.TotalAlloc - before.TotalAlloc; took > 120<<20 {
		t.Errorf("%d MiB were allocated", took>>20)
	}
	_ = s.Stop()
	<-done
	if sent > 200<<20 {
		t.Errorf("%d MiB were taken from the server", sent>>20)
	}
}

func TestRefusals(t *testing.T) {
	for _, tt := range []struct {
		name  string
		api   provider.API
		do    func(s *providertest.Server, o *provider.Options)
		hint  string
		tries int // with texts
	}{
		{"a model that Ollama does not have", provider.Ollama, func(_ *providertest.Server, o *provider.Options) { o.Model = "nomic" }, "ollama pull nomic", 1},
		{"one that another server does not have", provider.OpenAI, func(_ *providertest.Server, o *provider.Options) { o.Model = "nomic" }, "model's name", 2},
		{"a wrong key", provider.OpenAI, func(s *providertest.Server, o *provider.Options) {
			o.Key = "sk-secret"
			s.Have(providertest.Model{Name: "bge-m3", Dimensions: 4, Key: "other"})
		}, "ENGRAM_EMBEDDING_API_KEY", 1},
		{"a busy server is asked three times", provider.OpenAI, func(s *providertest.Server, _ *provider.Options) {
			s.Fail(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(429) })
		}, "try later", 3},
		{"so is one with a bug", provider.Ollama, func(s *providertest.Server, _ *provider.Options) {
			s.Fail(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(503) })
		}, "its log", 3},
		{"and one that hangs up", provider.OpenAI, func(s *providertest.Server, _ *provider.Options) {
			s.Fail(func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) })
		}, "running", 3},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := start(t, providertest.Model{})
			o := options(tt.api, s.URL())
			tt.do(s, &o)
			_, err := open(t, o).Embed(t.Context(), []string{"a"}, engram.RoleMemory)
			if engram.CodeOf(err) != engram.CodeUnavailable || !strings.Contains(engram.HintOf(err), tt.hint) || strings.Contains(fmt.Sprint(err), "secret") {
				t.Errorf("got %v (hint %q), want …%s…", err, engram.HintOf(err), tt.hint)
			}
			n := 0
			for _, r := range s.Asked() {
				if len(r.Texts) > 0 {
					n++
				}
			}
			if n != tt.tries {
				t.Errorf("%d requests, want %d", n, tt.tries)
			}
		})
	}
}

func TestASecondTryMayDo(t *testing.T) {
	s := start(t, providertest.Model{})
	n := 0
	s.Fail(func(w http.ResponseWriter, _ *http.Request) {
		if n++; n == 2 {
			s.Fail(nil)
		}
		w.WriteHeader(503)
	})
	if _, err := open(t, options(provider.Ollama, s.URL())).Embed(t.Context(), []string{"a"}, engram.RoleMemory); err != nil || n != 2 {
		t.Errorf("%v after %d failures", err, n)
	}
}

// A text that the model cannot read is cut, and costs the others nothing.
func TestTextsThatAreTooLong(t *testing.T) {
	s := start(t, providertest.Model{Longest: 2000})
	texts := []string{"short", strings.Repeat("wörter ", 2000), "also short"}
	for _, api := range []provider.API{provider.Ollama, provider.OpenAI} {
		vs, err := open(t, options(api, s.URL())).Embed(t.Context(), texts, engram.RoleMemory)
		if err != nil || len(vs) != 3 || math.Abs(cosine(vs[2], s.Model().Vector("also short"))-1) > 1e-6 {
			t.Errorf("%s: got %d vectors, %v", api, len(vs), err)
		}
	}
}

func TestOldOllama(t *testing.T) {
	s := start(t, providertest.Model{})
	var paths []string
	s.Fail(func(w http.ResponseWriter, r *http.Request) {
		paths = append(paths, r.URL.Path)
		if r.URL.Path != "/api/embeddings" {
			http.NotFound(w, r)
			return
		}
		providertest.Answer(w, 200, `{"embedding":[3,4]}`)
	})
	e := open(t, options(provider.Ollama, s.URL()))
	for range 2 {
		if vs, err := e.Embed(t.Context(), []string{"a", "b"}, engram.RoleMemory); err != nil || len(vs) != 2 || len(vs[1]) != 2 {
			t.Fatalf("got %v, %v", vs, err)
		}
	}
	if want := []string{"/api/embed", "/api/embeddings", "/api/embeddings", "/api/embeddings", "/api/embeddings"}; !slices.Equal(paths, want) {
		t.Errorf("asked %q, want %q", paths, want)
	}
}

// The operation is found from every form of the address, and a server without /v1 too.
func TestFormsOfTheAddress(t *testing.T) {
	s := start(t, providertest.Model{})
	for _, suffix := range []string{"", "/", "/v1", "/v1/", "/v1/embeddings"} {
		if _, err := open(t, options(provider.OpenAI, s.URL()+suffix)).Embed(t.Context(), []string{"a"}, engram.RoleQuery); err != nil {
			t.Errorf("%q: %v", suffix, err)
		}
	}
	for _, suffix := range []string{"", "/", "/api", "/api/embed"} {
		if _, err := open(t, options(provider.Ollama, s.URL()+suffix)).Embed(t.Context(), []string{"a"}, engram.RoleQuery); err != nil {
			t.Errorf("%q: %v", suffix, err)
		}
	}
	s.Fail(func(w http.ResponseWriter, r *http.Request) { // Infinity
		if r.URL.Path != "/embeddings" {
			http.NotFound(w, r)
			return
		}
		providertest.Answer(w, 200, `{"data":[{"index":0,"embedding":[1]}]}`)
	})
	if _, err := open(t, options(provider.OpenAI, s.URL())).Embed(t.Context(), []string{"a"}, engram.RoleQuery); err != nil {
		t.Errorf("without /v1: %v", err)
	}
}

func TestAddressesAndKeysThatAreRefused(t *testing.T) {
	for _, tt := range []struct{ name, url, key, model string }{
		{"a key in the open", "http://10.0.0.7:8000/v1", "hunter2", "m"},
		{"a password", "http://u:hunter2@localhost:1", "", "m"},
		{"a query", "http://localhost:1?key=hunter2", "", "m"},
		{"a file", "file:///etc/passwd", "", "m"},
		{"a key with a line break", "https://example.com", "hunter2\r\nHost: x", "m"},
		{"no model", "http://localhost:1", "", " "},
	} {
		for _, api := range []provider.API{provider.Ollama, provider.OpenAI} {
			o := provider.Options{API: api, Model: tt.model, URL: tt.url, Key: tt.key, Now: time.Now}
			_, err := provider.New(o)
			if engram.CodeOf(err) != engram.CodeInvalid || engram.HintOf(err) == "" || strings.Contains(fmt.Sprint(err, engram.HintOf(err)), "hunter2") {
				t.Errorf("%s: got %v (hint %q)", tt.name, err, engram.HintOf(err))
			}
			if _, err := provider.NewReranker(o); engram.CodeOf(err) != engram.CodeInvalid {
				t.Errorf("%s: a reranker: got %v", tt.name, err)
			}
		}
	}
}

func TestNothingFollowsARedirect(t *testing.T) {
	other := start(t, providertest.Model{})
	for _, status := range []int{301, 302, 303, 307, 308} {
		s := start(t, providertest.Model{})
		s.Fail(func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, other.URL()+r.URL.Path, status) })
		o := options(provider.OpenAI, s.URL())
		o.Key = "sk-1"
		_, err := open(t, o).Embed(t.Context(), []string{"a"}, engram.RoleMemory)
		if engram.CodeOf(err) != engram.CodeUnavailable || !strings.Contains(engram.HintOf(err), "redirects") {
			t.Errorf("%d: got %v (hint %q)", status, err, engram.HintOf(err))
		}
	}
	if asked := other.Asked(); len(asked) > 0 {
		t.Errorf("the other server was asked %+v", asked)
	}
}

func TestTheKeyIsSent(t *testing.T) {
	s := start(t, providertest.Model{Key: "sk-1"})
	o := options(provider.OpenAI, s.URL())
	o.Key = "sk-1"
	if _, err := open(t, o).Embed(t.Context(), []string{"a"}, engram.RoleMemory); err != nil {
		t.Error(err)
	}
}

// hang answers nothing until the test ends.
func hang(t *testing.T, s *providertest.Server) {
	release := make(chan struct{})
	t.Cleanup(func() { close(release) })
	s.Fail(func(_ http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		select {
		case <-release:
		case <-r.Context().Done():
		}
	})
}

// A question waits once for a server that hangs. Then it is not asked for a while, by other processes neither; memories
// are sent all the same, and an answer ends it.
func TestAServerThatIsDownIsNotAskedByQuestions(t *testing.T) {
	s := start(t, providertest.Model{})
	hang(t, s)
	var later atomic.Int64 // by how much the clock is ahead
	pass := func(d time.Duration) { later.Add(int64(d)) }
	begun := time.Now()
	o := options(provider.Ollama, s.URL())
	o.Now, o.Question, o.State = func() time.Time { return begun.Add(time.Duration(later.Load())) }, 20*time.Millisecond, filepath.Join(t.TempDir(), "down")
	first, second := open(t, o), open(t, o)
	ask := func(e *provider.Embedder) error {
		_, err := e.Embed(t.Context(), []string{"a"}, engram.RoleQuery)
		return err
	}
	err := ask(first)
	if engram.CodeOf(err) != engram.CodeUnavailable || !strings.Contains(err.Error(), "within 20ms") {
		t.Fatalf("got %v, want that it did not answer", err)
	}
	s.Asked()
	for _, e := range []*provider.Embedder{first, second} {
		if err := ask(e); engram.CodeOf(err) != engram.CodeUnavailable || !strings.Contains(engram.HintOf(err), "asked again in 30s") {
			t.Errorf("got %v (hint %q)", err, engram.HintOf(err))
		}
	}
	for _, asked := range s.Asked() {
		if slices.Contains(asked.Texts, "a") {
			t.Errorf("the server was asked %+v", asked)
		}
	}
	pass(31 * time.Second)
	if err := ask(second); err == nil || !strings.Contains(err.Error(), "within 20ms") {
		t.Errorf("after its rest: got %v, want that it was asked", err)
	}
	pass(31 * time.Second)
	if err := ask(first); !strings.Contains(engram.HintOf(err), "asked again in 29s") {
		t.Errorf("the second rest is not twice as long: %v (hint %q)", err, engram.HintOf(err))
	}
	s.Fail(nil)
	if _, err := first.Embed(t.Context(), []string{"a"}, engram.RoleMemory); err != nil {
		t.Fatal(err)
	}
	if err := ask(second); err != nil {
		t.Errorf("it answers again: got %v", err)
	}
	if _, err := os.Stat(o.State); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the file is still there: %v", err)
	}
	for _, text := range []string{"", "x", "-1 5", "3", "9999999 1", "3 99999999999999"} {
		if err := os.WriteFile(o.State, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := ask(first); err != nil {
			t.Errorf("a file with %q: %v", text, err)
		}
	}
}

// A server that loads its model when it is asked, and stops that when the question gives up, is waited for in the
// background, so that later questions are answered.
func TestAServerThatLoadsItsModel(t *testing.T) {
	s := start(t, providertest.Model{})
	loading := make(chan struct{}, 1)
	s.Fail(func(w http.ResponseWriter, r *http.Request) {
		select {
		case loading <- struct{}{}: // the question
			<-r.Context().Done()
		default:
			s.Fail(nil)
			providertest.Answer(w, 200, map[string]any{"embeddings": [][]float32{s.Model().Vector("engram")}})
		}
	})
	o := options(provider.Ollama, s.URL())
	o.Question = 20 * time.Millisecond
	e := open(t, o)
	if _, err := e.Embed(t.Context(), []string{"a"}, engram.RoleQuery); engram.CodeOf(err) != engram.CodeUnavailable {
		t.Fatalf("got %v", err)
	}
	waittest.Until(t, "the server is awake", func() bool { return e.Unusable() == nil })
	o.Question = 0 // a slow machine
	again := open(t, o)
	if _, err := again.Embed(t.Context(), []string{"a"}, engram.RoleQuery); err != nil {
		t.Error(err)
	}
	hang(t, s)
	e = open(t, options(provider.Ollama, s.URL()))
	ctx, cancel := context.WithTimeout(t.Context(), time.Second)
	defer cancel()
	if _, err := e.Embed(ctx, []string{"a"}, engram.RoleQuery); err == nil {
		t.Error("a server that hangs answers")
	}
	if err := e.Close(); err != nil { // it does not wait for the server
		t.Error(err)
	}
}

// A caller with little time gets its answer in half of it, and that says nothing of the server.
func TestACallerWithLittleTime(t *testing.T) {
	s := start(t, providertest.Model{})
	hang(t, s)
	e := open(t, options(provider.Ollama, s.URL()))
	ctx, cancel := context.WithTimeout(t.Context(), time.Second)
	defer cancel()
	_, err := e.Embed(ctx, []string{"a"}, engram.RoleQuery)
	if engram.CodeOf(err) != engram.CodeUnavailable || ctx.Err() != nil {
		t.Errorf("got %v, %v, want unavailable before the time is over", err, ctx.Err())
	}
	s.Fail(nil)
	if _, err := e.Embed(t.Context(), []string{"a"}, engram.RoleQuery); err != nil {
		t.Errorf("then: %v", err)
	}
	hang(t, s)
	called, off := context.WithCancel(t.Context())
	off()
	if _, err := e.Embed(called, []string{"a"}, engram.RoleMemory); !errors.Is(err, context.Canceled) {
		t.Errorf("called off: got %v", err)
	}
}

// Another model under the same name gets another fingerprint, so that its vectors are not compared with the former's.
func TestAModelThatIsReplacedAtItsServer(t *testing.T) {
	s := start(t, providertest.Model{Digest: "111111111111"})
	now := time.Now()
	o := options(provider.Ollama, s.URL())
	o.Now = func() time.Time { return now }
	o.Marks.Answer, o.Fitted = 0.5, func(m engram.Model) engram.Model { // to the first of them
		if strings.Contains(m.Fingerprint, "111") {
			m.Answer = 0.3
		}
		return m
	}
	e := open(t, o)
	embed := func() error {
		_, err := e.Embed(t.Context(), []string{"a"}, engram.RoleMemory)
		return err
	}
	if before := e.Model().Answer; before != 0.5 {
		t.Errorf("before the first answer: %v", before)
	}
	if err := embed(); err != nil || e.Model().Answer != 0.3 {
		t.Fatalf("fitted: %v, %+v", err, e.Model())
	}
	s.Have(providertest.Model{Name: "bge-m3", Digest: "222222222222", Dimensions: 8})
	if err := embed(); err == nil || !strings.Contains(err.Error(), "8 numbers instead of 16") {
		t.Errorf("another length at once: got %v", err)
	}
	now = now.Add(10 * time.Minute)
	if err := embed(); err != nil || e.Model().Fingerprint != "ollama:bge-m3@222222222222/8" || e.Model().Dimensions != 8 || e.Model().Answer != 0.5 {
		t.Errorf("later: %v, %+v", err, e.Model())
	}
}
