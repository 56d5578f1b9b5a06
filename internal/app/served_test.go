package app

import (
	"context"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/config"
	"github.com/alanbuscaglia/engram/internal/embedding/own"
	"github.com/alanbuscaglia/engram/internal/embedding/prefix"
	"github.com/alanbuscaglia/engram/internal/embedding/provider/providertest"
	"github.com/alanbuscaglia/engram/internal/engine/consolidate"
	"github.com/alanbuscaglia/engram/internal/engine/remember"
	"github.com/alanbuscaglia/engram/internal/engine/search"
)

func modelServer(t *testing.T) *providertest.Server {
	t.Helper()
	s, err := providertest.Start(providertest.Model{Name: "m", Dimensions: 64})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Stop() })
	return s
}

// servedBy is an App with memories that a model at a server has embedded.
func servedBy(t *testing.T, s *providertest.Server) *App {
	t.Helper()
	c := loaded(t, map[string]string{"data_dir": t.TempDir(), "embedding_model": "openai:m@" + s.URL()})
	a := New(Options{Config: c, Actor: "test"})
	t.Cleanup(func() {
		if err := a.Close(); err != nil {
			t.Error(err)
		}
	})
	for _, text := range []string{"Giraffes have seven bones in the neck.", "Tokens live 15 minutes.", "Tigers sleep in the shade."} {
		if _, err := a.Engine.Save(t.Context(), remember.SaveInput{Content: text, Project: "zoo"}); err != nil {
			t.Fatal(err)
		}
	}
	if res, err := a.Engine.Reembed(t.Context(), consolidate.ReembedInput{}); err != nil || res.Embedded != 3 {
		t.Fatalf("reembed: %+v, %v", res, err)
	}
	return a
}

// A hook has little time: with a server that hangs it is answered by the built-in model before that is over.
func TestASearchWithLittleTimeDoesNotWaitForAServer(t *testing.T) {
	s := modelServer(t)
	a := servedBy(t, s)
	s.Fail(func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() })
	ctx, cancel := context.WithTimeout(t.Context(), 4*time.Second)
	defer cancel()
	found, err := a.Engine.Search(ctx, search.SearchInput{Query: "how long do tokens live", Filter: engram.Filter{Project: "zoo"}})
	if err != nil || len(found.Hits) == 0 || len(found.Degraded) != 1 || !strings.Contains(found.Degraded[0], "finds by meaning") {
		t.Errorf("got %d hits, degraded %q, %v", len(found.Hits), found.Degraded, err)
	}
}

// Many searches at once, while a server comes and goes and memories are embedded, all find.
func TestSearchesWhileAServerComesAndGoes(t *testing.T) {
	s := modelServer(t)
	a := servedBy(t, s)
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			for range 5 {
				found, err := a.Engine.Search(t.Context(), search.SearchInput{Query: "tokens live", Filter: engram.Filter{Project: "zoo"}})
				if err != nil || len(found.Hits) == 0 {
					t.Errorf("got %d hits, %v", len(found.Hits), err)
				}
			}
		})
	}
	all.Go(func() {
		for i := range 6 {
			s.Fail(nil)
			if i%2 == 0 {
				s.Fail(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusBadGateway) })
			}
			_, _ = a.Engine.Reembed(t.Context(), consolidate.ReembedInput{Background: true}) // it may be down
		}
	})
	all.Wait()
}

// Thresholds that were fitted to a model at a server are in force once it has answered, and a server of this program knows
// before that whether a command has the same.
func TestFittedThresholdsOfAModelAtAServer(t *testing.T) {
	s := modelServer(t)
	c := loaded(t, map[string]string{"data_dir": t.TempDir(), "embedding_model": "openai:m@" + s.URL(), "timezone": "UTC"})
	a := New(Options{Config: c, Actor: "test", Version: "1"})
	t.Cleanup(func() { a.Close() })
	if _, err := a.Calibrated(); err != nil {
		t.Fatal(err)
	}
	fit := ModelMarks{Related: 0.4, Duplicate: 0.8, Noise: 0.1, Answer: 0.3, Memories: 60}
	if err := a.Fit(fit); engram.CodeOf(err) != engram.CodeUnavailable {
		t.Errorf("before it has answered: %v", err)
	}
	answered := func(e engram.Embedder) engram.Model {
		t.Helper()
		if _, err := e.Embed(t.Context(), []string{"a"}, engram.RoleQuery); err != nil {
			t.Fatal(err)
		}
		return e.Model()
	}
	before := answered(a.asked)
	if err := a.Fit(fit); err != nil {
		t.Fatal(err)
	}
	_, after := embeddersOf(c)
	t.Cleanup(func() { _ = closeModels(after) })
	told := marksOf(after)
	if m := answered(after); before.Related <= 1 || m.Related != 0.4 || m.Duplicate != 0.8 || m.Noise != 0.1 || m.Answer != 0.3 || m.Fingerprint != before.Fingerprint {
		t.Errorf("before %+v, after %+v", before, m)
	}
	if told != marksOf(after) || told == marksOf(a.asked) || told != marksOf(New(a.opts).inForce()) {
		t.Error("a server would search for a process with other thresholds, or not for one with the same")
	}
}

// Vectors that were made without what a model is now known to want before memories are asked without it.
func TestAFormerModelIsAskedAsItsVectorsWereMade(t *testing.T) {
	s, err := providertest.Start(providertest.Model{Name: "e5-m", Dimensions: 64})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Stop() })
	c := loaded(t, map[string]string{"data_dir": t.TempDir(), "embedding_model": "openai:e5-m@" + s.URL()})
	_, asked := embeddersOf(c)
	former := formerOf(c, asked, &formers{})
	for fingerprint, want := range map[string]string{"openai:e5-m@/64": "", "openai:e5-m@/64" + prefix.Of("e5-m").Mark(): prefix.Of("e5-m").Mark()} {
		e := former(engram.Model{Name: "openai:e5-m", Fingerprint: fingerprint})
		if e == nil {
			t.Fatalf("%s is not asked", fingerprint)
		}
		if _, err := e.Embed(t.Context(), []string{"a"}, engram.RoleQuery); err != nil || e.Model().Fingerprint != "openai:e5-m@/64"+want {
			t.Errorf("%s: got %v, %+v", fingerprint, err, e.Model())
		}
	}
	if e := former(engram.Model{Name: "openai:e5-m", Fingerprint: "openai:e5-m@/64/p00000000"}); e != nil {
		t.Errorf("vectors after another prefix are asked as %+v", e.Model())
	}
}

// While the configured model has no vectors, the former one at the same server goes on. No other server is asked.
func TestAFormerModelIsAskedAtTheConfiguredServerAlone(t *testing.T) {
	s := modelServer(t)
	at := func(value string) func(engram.Model) engram.Embedder {
		c := loaded(t, map[string]string{"data_dir": t.TempDir(), "embedding_model": value})
		_, asked := embeddersOf(c)
		return formerOf(c, asked, &formers{})
	}
	former := at("openai:new@" + s.URL())
	e := former(engram.Model{Name: "openai:m", Fingerprint: "openai:m@/64"})
	if e == nil {
		t.Fatal("the former model at the same server is not asked")
	}
	if again := former(engram.Model{Name: "openai:m", Fingerprint: "openai:m@/64"}); again != e {
		t.Error("it is opened twice")
	}
	if _, err := e.Embed(t.Context(), []string{"a"}, engram.RoleQuery); err != nil || e.Model().Fingerprint != "openai:m@/64" {
		t.Errorf("got %v, %+v", err, e.Model())
	}
	for _, name := range []string{"ollama:m", "static-30k-256", "not-installed", "../x", ""} {
		if e := former(engram.Model{Name: name, Fingerprint: name}); e != nil {
			t.Errorf("%q is asked as %+v", name, e.Model())
		}
	}
	if at("builtin") != nil || at("none") != nil {
		t.Error("beside the built-in model alone, others are asked")
	}
}

func TestModelsThatCannotBeUsedSayWhy(t *testing.T) {
	for _, tt := range []struct{ name, model, key, offline, want string }{
		{"offline", "openai:m@https://models.example.com/v1", "", "true", "offline is set"},
		{"a key in the open", "openai:m@http://models.example.com/v1", "hunter2", "false", "unencrypted"},
	} {
		c := loaded(t, map[string]string{"data_dir": t.TempDir(), "embedding_model": tt.model, "rerank_model": tt.model, "offline": tt.offline})
		c.EmbeddingKey = tt.key
		beside, asked := embeddersOf(c)
		if beside == nil || asked == nil {
			t.Fatalf("%s: got %v beside %v", tt.name, asked, beside)
		}
		_, err := asked.Embed(t.Context(), []string{"a"}, engram.RoleQuery)
		_, ranked := rerankerOf(c).Rerank(t.Context(), "a", []string{"b"})
		for _, err := range []error{err, ranked} {
			if engram.CodeOf(err) != engram.CodeUnavailable || !strings.Contains(err.Error(), tt.want) || engram.HintOf(err) == "" || strings.Contains(err.Error(), "hunter2") {
				t.Errorf("%s: got %v (hint %q)", tt.name, err, engram.HintOf(err))
			}
		}
	}
}

// A command that may send nothing away is not answered by a server that may.
func TestOfflineIsASettingOfSearchesAtAServer(t *testing.T) {
	c := config.Config{EmbeddingModel: "openai:m@https://models.example.com/v1", EmbeddingKey: "hunter2"}
	offline := c
	offline.Offline = true
	if a, b := settingsOf(c, time.Now()), settingsOf(offline, time.Now()); a == b || strings.Contains(a, "hunter2") {
		t.Errorf("got %s and %s", a, b)
	}
	c.EmbeddingModel, offline.EmbeddingModel = config.BuiltIn, config.BuiltIn
	if a, b := settingsOf(c, time.Now()), settingsOf(offline, time.Now()); a != b {
		t.Errorf("beside the built-in model: got %s and %s", a, b)
	}
}

func TestTheEncoderHasItsNameInSettings(t *testing.T) {
	t.Parallel()
	if config.Encoder != own.Name {
		t.Errorf("settings call it %s, and it is %s", config.Encoder, own.Name)
	}
}
