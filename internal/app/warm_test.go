package app

import (
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"testing"
	"time"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/config"
	"github.com/alanbuscaglia/engram/internal/engine"
	"github.com/alanbuscaglia/engram/internal/engine/remember"
	"github.com/alanbuscaglia/engram/internal/engine/search"
)

// loaded is what config.Load makes of flags.
func loaded(t *testing.T, flags map[string]string) config.Config {
	t.Helper()
	c, err := config.Load(config.Sources{Flags: flags, Env: func(string) (string, bool) { return "", false }})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// serving is an App with a few memories, and its file as it was when it was opened.
func serving(t *testing.T) (*App, os.FileInfo) {
	t.Helper()
	a := New(Options{Config: loaded(t, map[string]string{"data_dir": t.TempDir(), "timezone": "UTC"}), Actor: "test", Version: "1"})
	t.Cleanup(func() {
		if err := a.Close(); err != nil {
			t.Error(err)
		}
	})
	for i, text := range []string{"Giraffes have seven bones in the neck.", "Access tokens live 15 minutes; refresh tokens a week.", "Tigers sleep in the shade.",
		"Tokens are kept in an httpOnly cookie."} {
		m := map[string]any{"ticket": float64(1) / float64(i+1), "parts": []any{"a", true, nil}}
		if _, err := a.Engine.Save(t.Context(), remember.SaveInput{Content: text, Project: "zoo", Tags: []string{"x"}, Metadata: m}); err != nil {
			t.Fatal(err)
		}
	}
	info, err := os.Stat(a.opts.Config.DBPath)
	if err != nil {
		t.Fatal(err)
	}
	return a, info
}

// asked is what a command with the settings c would be answered.
func asked(t *testing.T, a *App, opened os.FileInfo, c config.Config, in search.SearchInput) (engram.Found, error) {
	t.Helper()
	inForce, served := embeddersOf(c)
	if served != nil {
		inForce = served
	}
	q, err := json.Marshal(warmSearch{Settings: settingsOf(c, time.Now()) + marksOf(inForce), In: in})
	if err != nil {
		t.Fatal(err)
	}
	out, err := a.answerSearch(t.Context(), opened, q)
	if err != nil {
		return engram.Found{}, err
	}
	line, err := json.Marshal(out)
	if err != nil {
		t.Fatal(err)
	}
	var found engram.Found
	if err := json.Unmarshal(line, &found); err != nil {
		t.Fatal(err)
	}
	return found, nil
}

// An answer that went over the wire is the one that a process of its own would find: to the
// last field, but for what moves with the clock.
func TestAServerFindsWhatACommandWould(t *testing.T) {
	a, opened := serving(t)
	none := 0
	for _, in := range []search.SearchInput{
		{Query: "how long do tokens live"},
		{Query: "tokns", Filter: engram.Filter{Project: "zoo"}, Limit: 2},
		{Query: "giraffe", Mode: search.ModeLexical, Hops: &none},
		{Query: "animals of the desert yesterday", Mode: search.ModeSemantic, Filter: engram.Filter{Current: true, Tags: []string{"x"}}},
		{Query: "cookie", Filter: engram.Filter{Metadata: map[string]any{"ticket": 0.25}, Since: time.Now().Add(-time.Hour)}},
		{Query: "nothing about that"},
		{Query: "how long do tokens live", ByStrength: true, MinLikeness: 1}, {Query: ""}, {Query: "tokens", All: true}, {Query: "tokens", ByStrength: true},
	} {
		got, err := asked(t, a, opened, a.opts.Config, in)
		if err != nil {
			t.Errorf("%+v: %v", in, err)
			continue
		}
		want, err := engine.New(a.engineOptions(a.store, time.Now)).Search(t.Context(), in)
		if err != nil {
			t.Fatal(err)
		}
		still(t, got, want)
		if in.MinLikeness == 1 && !got.Uncertain {
			t.Errorf("%+v: certain", in)
		}
		if !reflect.DeepEqual(got, want) {
			t.Errorf("%+v:\ngot  %+v\nwant %+v", in, got, want)
		}
	}
}

// still takes the scores of got for those of want where they differ by no more than what a
// few seconds of age make.
func still(t *testing.T, got, want engram.Found) {
	t.Helper()
	near := func(g *float64, w float64) {
		if math.Abs(*g-w) <= 1e-6 {
			*g = w
		}
	}
	for _, hits := range [][2][]engram.Hit{{got.Hits, want.Hits}, {got.BelowThreshold, want.BelowThreshold}} {
		for i := range min(len(hits[0]), len(hits[1])) {
			g, w := &hits[0][i], hits[1][i]
			near(&g.Score, w.Score)
			near(&g.Relevance, w.Relevance)
			near(&g.Strength, w.Strength)
			for k := range min(len(g.Why.Factors), len(w.Why.Factors)) {
				near(&g.Why.Factors[k].Value, w.Why.Factors[k].Value)
			}
			if g.Memory.CreatedAt.Equal(w.Memory.CreatedAt) && len(g.Memory.Metadata) == 0 {
				t.Errorf("#%d lost its metadata", g.Memory.Num)
			}
		}
	}
}

func TestAServerSeesWhatWasSavedAMomentAgo(t *testing.T) {
	a, opened := serving(t)
	other := New(Options{Config: a.opts.Config, Actor: "test", Version: "1"})
	defer other.Close()
	in := search.SearchInput{Query: "okapi"}
	if found, err := asked(t, a, opened, a.opts.Config, in); err != nil || len(found.Hits) != 0 {
		t.Fatalf("before: got %+v, %v", found, err)
	}
	if _, err := other.Engine.Save(t.Context(), remember.SaveInput{Content: "The okapi is shy.", Project: "zoo"}); err != nil {
		t.Fatal(err)
	}
	if found, err := asked(t, a, opened, a.opts.Config, in); err != nil || len(found.Hits) != 1 {
		t.Errorf("after another process saved it: got %+v, %v, want it", found, err)
	}
}

func TestAServerKnowsItsProjects(t *testing.T) {
	a, opened := serving(t)
	if _, err := a.Engine.RenameProject(t.Context(), "zoo", "garden"); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		in   string
		want any
		code engram.Code
	}{{`"garden"`, "garden", ""}, {`"Zoo"`, "garden", ""}, {`"mine"`, "mine", engram.CodeNotFound}, {`{}`, nil, engram.CodeInvalid}} {
		if got, err := a.answerProject(t.Context(), opened, []byte(tt.in)); got != tt.want || err != nil && engram.CodeOf(err) != tt.code || (err == nil) != (tt.code == "") {
			t.Errorf("%s: got %v, %v, want %v and %q", tt.in, got, err, tt.want, tt.code)
		}
	}
	if err := os.Rename(a.opts.Config.DBPath, a.opts.Config.DBPath+".old"); err != nil {
		t.Fatal(err)
	}
	if got, err := a.answerProject(t.Context(), opened, []byte(`"garden"`)); engram.CodeOf(err) != engram.CodeConflict {
		t.Errorf("of a file that is gone: got %v, %v, want a conflict", got, err)
	}
}

func TestAServerSearchesOnlyForItsOwnSettings(t *testing.T) {
	a, opened := serving(t)
	dir := a.opts.Config.DataDir
	for _, tt := range []struct {
		name  string
		flags map[string]string
		same  bool
	}{
		{"the same", nil, true},
		{"another port", map[string]string{"port": "1", "project": "zoo", "http_token": "x", "sleep_at": "03:00"}, true},
		{"another mirror", map[string]string{"model_mirror": "https://mirror.test", "model_token": "x"}, true},
		{"no model", map[string]string{"embedding_model": "none"}, false},
		{"another decay", map[string]string{"decay_policy": "geometric"}, false},
		{"another rate", map[string]string{"decay_rate": "0.5"}, false},
		{"another zone", map[string]string{"timezone": "Asia/Tokyo"}, false},
		{"another database", map[string]string{"db_path": filepath.Join(dir, "other.db")}, false},
		{"other reviews", map[string]string{"review_months": "decision=1"}, false},
	} {
		flags := map[string]string{"data_dir": dir, "timezone": "UTC"}
		for k, v := range tt.flags {
			flags[k] = v
		}
		_, err := asked(t, a, opened, loaded(t, flags), search.SearchInput{Query: "tokens"})
		if (err == nil) != tt.same || err != nil && engram.CodeOf(err) != engram.CodeConflict {
			t.Errorf("%s: got %v, want answered: %v", tt.name, err, tt.same)
		}
	}
}

func TestAServerWhoseFileWasReplacedSearchesForNobody(t *testing.T) {
	a, opened := serving(t)
	path := a.opts.Config.DBPath
	if err := os.Rename(path, path+".old"); err != nil {
		t.Fatal(err)
	}
	in := search.SearchInput{Query: "tokens"}
	if _, err := asked(t, a, opened, a.opts.Config, in); engram.CodeOf(err) != engram.CodeConflict {
		t.Errorf("without a file: got %v, want a conflict", err)
	}
	if err := os.WriteFile(path, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := asked(t, a, opened, a.opts.Config, in); engram.CodeOf(err) != engram.CodeConflict {
		t.Errorf("with another file: got %v, want a conflict", err)
	}
	if err := os.Rename(path+".old", path); err != nil {
		t.Fatal(err)
	}
	if _, err := asked(t, a, opened, a.opts.Config, in); err != nil {
		t.Errorf("with its own again: got %v, want an answer", err)
	}
	if _, err := a.answerSearch(t.Context(), opened, []byte(`[]`)); engram.CodeOf(err) != engram.CodeInvalid {
		t.Errorf("no search: got %v, want invalid", err)
	}
}
