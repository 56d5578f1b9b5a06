package consolidate_test

import (
	"context"
	"errors"
	"maps"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/engine"
	"github.com/alanbuscaglia/engram/internal/engine/consolidate"
	"github.com/alanbuscaglia/engram/internal/engine/remember"
	"github.com/alanbuscaglia/engram/internal/engine/search"
	"github.com/alanbuscaglia/engram/internal/enginetest"
)

// remote is letters behind a server, which is known once it has answered.
type remote struct {
	letters
	digest string
	down   atomic.Bool
	known  atomic.Pointer[string]
	asked  atomic.Int32 // texts
}

func (r *remote) Model() engram.Model {
	m := r.letters.Model()
	if m.Fingerprint, m.Dimensions = "", 0; r.known.Load() != nil {
		m.Fingerprint, m.Dimensions = *r.known.Load(), 26
	}
	return m
}

func (r *remote) Embed(ctx context.Context, texts []string, role engram.Role) ([][]float32, error) {
	r.asked.Add(int32(len(texts)))
	if r.down.Load() {
		return nil, engram.Errorf(engram.CodeUnavailable, "it cannot be reached").WithHint("start it")
	}
	r.known.Store(new(r.name + "@" + r.digest))
	return r.letters.Embed(ctx, texts, role)
}

func newRemote(name, digest string) *remote {
	return &remote{letters: letters{name: name}, digest: digest}
}

// beside returns an engine that asks a model, beside the built-in one.
func beside(w enginetest.World, asked engram.Embedder) *engine.Engine {
	return w.With(engine.Options{Embedder: enginetest.Embedder(), Asked: asked})
}

// searched searches and returns what is degraded, once coverage is counted anew.
func searched(t *testing.T, w enginetest.World, e *engine.Engine, query string) []string {
	t.Helper()
	w.Clock.Add(time.Minute)
	found, err := e.Search(t.Context(), search.SearchInput{Query: query, Mode: search.ModeSemantic, Filter: engram.Filter{Project: "demo"}})
	if err != nil {
		t.Fatal(err)
	}
	if hits, _ := found.InOrder(); len(hits) == 0 {
		t.Errorf("%q: nothing is found by meaning, degraded %q", query, found.Degraded)
	}
	return found.Degraded
}

func TestAModelAtAServerIsAskedBesideTheBuiltInOne(t *testing.T) {
	t.Parallel()
	builtin := enginetest.Embedder().Model().Name
	w := crowd(t, 20)
	far := newRemote("far", "1")
	e := beside(w, far)
	says := func(when string, want ...string) {
		t.Helper()
		degraded := strings.Join(searched(t, w, e, "valve boiler greased"), "; ")
		for _, part := range want {
			if !strings.Contains(degraded, part) {
				t.Errorf("%s: degraded says %q, want …%s…", when, degraded, part)
			}
		}
		if len(want) == 0 && degraded != "" {
			t.Errorf("%s: degraded says %q", when, degraded)
		}
	}
	asked := func(when string, want int32) {
		t.Helper()
		if got := far.asked.Swap(0); got != want {
			t.Errorf("%s: the server was sent %d texts, want %d", when, got, want)
		}
	}

	says("before it has vectors", "far", builtin+" finds by meaning", "engram reembed")
	asked("before it has vectors", 0)

	far.down.Store(true)
	w.Clock.Add(time.Minute)
	if _, err := e.Reembed(t.Context(), consolidate.ReembedInput{All: true}); engram.CodeOf(err) != engram.CodeUnavailable {
		t.Errorf("reembed while it is down: %v", err)
	}
	if got := models(w); !maps.Equal(got, map[string]int{builtin: 20}) {
		t.Errorf("reembed while it is down left %v", got)
	}
	far.down.Store(false)
	res, err := e.Reembed(t.Context(), consolidate.ReembedInput{})
	if err != nil || res.Embedded != 20 || res.Model.Name != "far" || len(res.Dropped) > 0 {
		t.Fatalf("reembed: %+v, %v", res, err)
	}
	if got := models(w); !maps.Equal(got, map[string]int{builtin: 20, "far": 20}) {
		t.Errorf("models cover %v, want both all", got)
	}
	far.asked.Store(0)
	says("with vectors")
	asked("with vectors", 1)

	// Down: the built-in model finds, and a save neither waits nor loses anything.
	far.down.Store(true)
	says("while it is down", "far cannot be asked", builtin+" finds", "it cannot be reached: start it")
	asked("while it is down", 1)
	saved, err := e.Save(t.Context(), remember.SaveInput{Title: "A pump", Content: "The pump of the boiler was greased too.", Project: "demo"})
	if err != nil || len(saved.Warnings) > 0 {
		t.Errorf("save: %v, warnings %q", err, saved.Warnings)
	}
	asked("a save", 0)
	if _, err := e.Reembed(t.Context(), consolidate.ReembedInput{Background: true}); engram.CodeOf(err) != engram.CodeUnavailable {
		t.Errorf("in the background: %v", err)
	}
	far.down.Store(false)
	if res, err = e.Reembed(t.Context(), consolidate.ReembedInput{Background: true}); err != nil || res.Embedded != 1 {
		t.Errorf("when it is back: %+v, %v, want the one that was saved", res, err)
	}
	says("when it is back")

	// A question that cannot be asked by meaning is not sent.
	far.asked.Store(0)
	for _, in := range []search.SearchInput{{Query: "valve", Mode: search.ModeLexical}, {Query: "valve", All: true}, {}} {
		if _, err := e.Search(t.Context(), in); err != nil {
			t.Fatal(err)
		}
	}
	asked("by words alone", 0)

	// Called off, it is an error and not another model's turn.
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := e.Search(ctx, search.SearchInput{Query: "valve"}); !errors.Is(err, context.Canceled) {
		t.Errorf("called off: %v", err)
	}
}

// A process that starts knows the model by its name. When it turns out to be another, its vectors are not compared.
func TestAModelThatIsAnotherThanBefore(t *testing.T) {
	t.Parallel()
	builtin := enginetest.Embedder().Model().Name
	w := crowd(t, 20)
	if _, err := beside(w, newRemote("far", "1")).Reembed(t.Context(), consolidate.ReembedInput{}); err != nil {
		t.Fatal(err)
	}
	same := newRemote("far", "1")
	if degraded := searched(t, w, beside(w, same), "valve"); len(degraded) > 0 || same.asked.Load() != 1 {
		t.Errorf("the same: degraded %q after %d texts", degraded, same.asked.Load())
	}
	other := newRemote("far", "2")
	e := beside(w, other)
	if degraded := searched(t, w, e, "valve"); len(degraded) != 1 || !strings.Contains(degraded[0], builtin+" finds by meaning: run engram reembed") {
		t.Errorf("another: degraded %q", degraded)
	}
	res, err := e.Reembed(t.Context(), consolidate.ReembedInput{})
	if err != nil || res.Embedded != 20 || !slices.Equal(res.Dropped, []string{"far"}) {
		t.Errorf("reembed: %+v, %v", res, err)
	}
	if degraded := searched(t, w, e, "valve"); len(degraded) > 0 {
		t.Errorf("afterwards: degraded %q", degraded)
	}
}

// Of two servers with different models, neither removes what the other uses. What nothing has used for a week goes.
func TestServersLeaveEachOthersVectors(t *testing.T) {
	t.Parallel()
	builtin := enginetest.Embedder().Model().Name
	w := crowd(t, 70)
	one, two := newRemote("one", ""), newRemote("two", "")
	first, second, plain := beside(w, one), beside(w, two), w.With(engine.Options{Embedder: enginetest.Embedder()})
	tick := func(e *engine.Engine) consolidate.Reembedded {
		t.Helper()
		w.Clock.Add(time.Minute)
		res, err := e.Reembed(t.Context(), consolidate.ReembedInput{Background: true})
		if err != nil {
			t.Fatal(err)
		}
		return res
	}
	for range 3 {
		for _, e := range []*engine.Engine{first, second, plain} {
			tick(e)
		}
	}
	both := map[string]int{builtin: 70, "one": 70, "two": 70}
	if got := models(w); !maps.Equal(got, both) {
		t.Fatalf("models cover %v, want %v", got, both)
	}
	if one.asked.Load() != 71 || two.asked.Load() != 71 { // and one for the fingerprint
		t.Errorf("%d and %d texts were embedded, want 71 each", one.asked.Load(), two.asked.Load())
	}
	res, err := plain.Reembed(t.Context(), consolidate.ReembedInput{}) // a person's, beside them
	if slices.Sort(res.Kept); err != nil || !slices.Equal(res.Kept, []string{"one", "two"}) || len(res.Dropped) > 0 {
		t.Errorf("a person's: %+v, %v, want both kept", res, err)
	}

	w.Clock.Add(6 * 24 * time.Hour)
	tick(first)
	w.Clock.Add(2 * 24 * time.Hour) // the second server was not seen for eight days
	if res := tick(first); !slices.Equal(res.Dropped, []string{"two"}) {
		t.Errorf("dropped %q, want two", res.Dropped)
	}
	res, err = plain.Reembed(t.Context(), consolidate.ReembedInput{All: true})
	if err != nil || !slices.Equal(res.Dropped, []string{"one"}) {
		t.Errorf("all anew: %+v, %v, want one dropped", res, err)
	}
}

// Of two servers with the same model, one embeds; when it was killed, another goes on.
func TestOneServerEmbeds(t *testing.T) {
	t.Parallel()
	w := crowd(t, 200)
	busy, idle := newRemote("far", ""), newRemote("far", "")
	first, second := beside(w, busy), beside(w, idle)
	during := 0
	ctx, kill := context.WithCancelCause(t.Context())
	_, err := first.Reembed(ctx, consolidate.ReembedInput{Background: true, Progress: func(done, _ int) {
		if done == 0 || during > 0 {
			return
		}
		before := idle.asked.Load()
		res, err := second.Reembed(t.Context(), consolidate.ReembedInput{Background: true})
		if err != nil || res.Embedded != 0 || idle.asked.Load()-before > 1 {
			t.Errorf("beside it: %+v, %v", res, err)
		}
		during = done
		kill(nil)
	}})
	if err == nil || during == 0 || during >= 200 {
		t.Fatalf("%d embedded before the end: %v", during, err)
	}
	res, err := second.Reembed(t.Context(), consolidate.ReembedInput{Background: true})
	if err != nil || res.Embedded != 200-during {
		t.Errorf("afterwards: %+v, %v, want the other %d", res, err, 200-during)
	}

	// A lease that was not given back ends by itself, and a person does not wait for it.
	w.Note("One more", "The boiler is new.")
	lease := func() {
		err := w.Store.Update(t.Context(), func(tx engram.Tx) error {
			return tx.PutFact(t.Context(), "embedding", `{"far@":{"at":1,"until":`+strconv.FormatInt(w.Clock.Now().Add(90*time.Second).UnixMilli(), 10)+`,"by":"x"}}`)
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	lease()
	if res, err := first.Reembed(t.Context(), consolidate.ReembedInput{Background: true}); err != nil || res.Embedded != 0 {
		t.Errorf("while the lease lasts: %+v, %v", res, err)
	}
	w.Clock.Add(2 * time.Minute)
	if res, err := first.Reembed(t.Context(), consolidate.ReembedInput{Background: true}); err != nil || res.Embedded != 1 {
		t.Errorf("after the lease: %+v, %v", res, err)
	}
	w.Note("Another", "The boiler is old.")
	lease()
	if res, err := first.Reembed(t.Context(), consolidate.ReembedInput{}); err != nil || res.Embedded != 1 {
		t.Errorf("a person's: %+v, %v", res, err)
	}
	for _, spoilt := range []string{"{", "[]", `{"far@":7}`} {
		err := w.Store.Update(t.Context(), func(tx engram.Tx) error { return tx.PutFact(t.Context(), "embedding", spoilt) })
		if err != nil {
			t.Fatal(err)
		}
		if _, err := first.Reembed(t.Context(), consolidate.ReembedInput{Background: true}); err != nil {
			t.Errorf("with the fact %s: %v", spoilt, err)
		}
	}
}

// Over a network each call on the store is a round trip: a model beside the built-in one costs one for its finds, and one
// for what it covers, once in five seconds.
func TestAnotherModelCostsTwoCallsOnTheStore(t *testing.T) {
	t.Parallel()
	w := crowd(t, 20)
	far := newRemote("far", "1")
	counting := &enginetest.Counting{Store: w.Store}
	calls := func(asked engram.Embedder, query string) []string {
		t.Helper()
		e := engine.New(engine.Options{Store: counting, Embedder: enginetest.Embedder(), Asked: asked, Now: w.Clock.Now, NewID: enginetest.IDs()})
		if _, err := e.Reembed(t.Context(), consolidate.ReembedInput{}); err != nil {
			t.Fatal(err)
		}
		counting.Calls()
		if _, err := e.Search(t.Context(), search.SearchInput{Query: query, Filter: engram.Filter{Project: "demo"}}); err != nil {
			t.Fatal(err)
		}
		return counting.Calls()
	}
	alone := calls(nil, "valve boiler greased")
	beside := calls(far, "valve boiler greased")
	t.Logf("alone %q\nbeside %q", alone, beside)
	if len(beside) > min(12, len(alone)+2) {
		t.Errorf("%d calls %q, want at most two more than %q", len(beside), beside, alone)
	}
}
