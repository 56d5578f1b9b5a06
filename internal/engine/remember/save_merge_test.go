package remember_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/engine"
	"github.com/alanbuscaglia/engram/internal/engine/ledger"
	"github.com/alanbuscaglia/engram/internal/engine/remember"
	"github.com/alanbuscaglia/engram/internal/enginetest"
)

func TestANearDuplicateIsMergedWhereThatWasAsked(t *testing.T) {
	t.Parallel()
	w := enginetest.NewWorld(t)
	first := w.MustSave(enginetest.Queue(enginetest.Retries)).Memory
	w.Clock.Add(time.Hour)
	same := enginetest.Queue("The upload queue retries three times, and waits two seconds in between. Then the owner is told.")
	same.Title, same.Tags = "Queue of uploads", []string{"retry"}
	if apart := w.MustSave(same); apart.Action != ledger.ActionInserted || len(apart.Related) != 1 || apart.Related[0].Memory.Num != first.Num {
		t.Errorf("unasked: got %s, related to %v; want a memory that is tied to #%d", apart.Action, apart.Related, first.Num)
	}
	if _, err := w.Forget(t.Context(), engram.ByNum(2)); err != nil {
		t.Fatal(err)
	}
	w.Clock.Add(time.Hour)
	res := w.MustSave(enginetest.Merging(same))
	if res.Action != ledger.ActionMerged || res.Memory.Num != first.Num || !strings.HasPrefix(res.Reason, "near-duplicate of #1, cosine ") ||
		res.MergedWith == nil || res.MergedWith.Content != enginetest.Retries {
		t.Fatalf("got %+v", res)
	}
	d := w.MustGet(first.Num)
	if want := same.Content; d.Memory.Content != want || d.Memory.Title != same.Title || !slices.Equal(d.Memory.Tags, []string{"retry"}) {
		t.Errorf("got %q with %v, want %q", d.Memory.Content, d.Memory.Tags, want)
	}
	if len(d.Revisions) != 1 || d.Revisions[0].Content != enginetest.Retries {
		t.Errorf("got revisions %+v, want the old text", d.Revisions)
	}
	if got := w.MustFind("uploads"); len(got) != 1 || got[0] != first.Num {
		t.Errorf("the new words find %v, want #%d alone", got, first.Num)
	}
	w.Clock.Add(time.Hour)
	if again := w.MustSave(enginetest.Merging(same)); again.Action != ledger.ActionRepeated || again.Memory.Num != first.Num || again.Memory.RevisionCount != 2 {
		t.Errorf("once more: got %s of #%d, revision %d; want a repeat of what was merged", again.Action, again.Memory.Num, again.Memory.RevisionCount)
	}
}

func TestWhatIsNotMerged(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name   string
		in     func(*remember.SaveInput)
		before func(w enginetest.World)
	}{
		{"another project", func(in *remember.SaveInput) { in.Project = "other" }, nil},
		{"no project", func(in *remember.SaveInput) { in.Project = "" }, nil},
		{"another scope", func(in *remember.SaveInput) { in.Scope = engram.ScopePersonal }, nil},
		{"other words under another type", func(in *remember.SaveInput) {
			in.Type, in.Content = "bugfix", strings.Replace(enginetest.Retries, "times and", "times, and", 1)
		}, nil},
		{"the same words with another title", func(in *remember.SaveInput) { in.Type, in.Title = "bugfix", "Backoff" }, nil},
		{"a topic of its own", func(in *remember.SaveInput) { in.TopicKey = "queue" }, nil},
		{"what contradicts", func(in *remember.SaveInput) { in.Content = strings.Replace(enginetest.Retries, "three", "five", 1) }, nil},
		{"what was forgotten", nil, func(w enginetest.World) {
			if _, err := w.Forget(w.Context(), engram.ByNum(1)); err != nil {
				w.Fatal(err)
			}
		}},
		{"what another memory has taken the place of", nil, func(w enginetest.World) {
			w.MustSave(remember.SaveInput{Title: "Kettle", Content: "It whistles.", Project: "demo"})
			w.MustLink(2, engram.VerbSupersedes, 1)
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			w := enginetest.NewWorld(t)
			w.MustSave(enginetest.Queue(enginetest.Retries))
			if tt.before != nil {
				tt.before(w)
			}
			w.Clock.Add(time.Hour)
			in := enginetest.Merging(enginetest.Queue(enginetest.Retries))
			if tt.in != nil {
				tt.in(&in)
			}
			if res := w.MustSave(in); res.Action != ledger.ActionInserted || res.MergedWith != nil {
				t.Errorf("got %s, %q, want a memory of its own", res.Action, res.Reason)
			}
		})
	}
}

func TestTheSameWordsAreKnownWhateverTheirType(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name         string
		first, again engram.Type
		want         ledger.Action
		typ          engram.Type
	}{
		{"as an insight after a fact", "fact", "insight", ledger.ActionRepeated, "fact"},
		{"as nothing in particular after a fact", "fact", "", ledger.ActionRepeated, "fact"},
		{"as a fact after nothing in particular", "", "fact", ledger.ActionMerged, "fact"},
		{"as a fact after a learning", engram.TypePassive, "fact", ledger.ActionRepeated, engram.TypePassive},
	} {
		t.Run(tt.name, func(t *testing.T) {
			w := enginetest.NewWorld(t)
			w.MustSave(remember.SaveInput{Content: enginetest.Retries, Type: tt.first, Project: "demo"})
			w.Clock.Add(time.Hour)
			res := w.MustSave(enginetest.Merging(remember.SaveInput{Content: "  " + strings.ToUpper(enginetest.Retries), Type: tt.again, Project: "demo"}))
			if res.Memory.Num != 1 || res.Action != tt.want || res.Memory.Type != tt.typ || res.Memory.Content != enginetest.Retries {
				t.Errorf("got %s of #%d [%s] %q, want %s of #1 [%s] with its text", res.Action, res.Memory.Num, res.Memory.Type, res.Memory.Content, tt.want, tt.typ)
			}
		})
	}
}

func TestInNoProjectWhatIsNearIsFoundToo(t *testing.T) {
	t.Parallel()
	w := enginetest.NewWorld(t)
	for i := range 40 {
		in := enginetest.Queue(fmt.Sprintf("%s Variant %c.", enginetest.Retries, 'a'+i))
		in.Project = []string{"demo", "other"}[i%2]
		w.MustSave(in)
	}
	in := enginetest.Queue(enginetest.Retries)
	in.Project = ""
	first := w.MustSave(in).Memory.Num
	w.Clock.Add(time.Hour)
	in.Title = "Queue"
	if res := w.MustSave(enginetest.Merging(in)); res.Memory.Num != first {
		t.Errorf("got %s of #%d, %q; want it to be known by #%d", res.Action, res.Memory.Num, res.Reason, first)
	}
}

// broken is an embedder that fails; slow one that does not answer instantly.
type broken struct{ engram.Embedder }

func (broken) Embed(context.Context, []string, engram.Role) ([][]float32, error) {
	return nil, errors.New("out of order")
}

type slow struct{ engram.Embedder }

func (s slow) Model() engram.Model {
	m := s.Embedder.Model()
	m.Instant = false
	return m
}

func TestWithoutVectorsASaveGoesOn(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		embedder engram.Embedder
		warns    bool
	}{
		"no model":                 {nil, false},
		"a model that is broken":   {broken{enginetest.Embedder()}, true},
		"a model that takes long":  {slow{enginetest.Embedder()}, true},
		"the model that is always": {enginetest.Embedder(), false},
	} {
		t.Run(name, func(t *testing.T) {
			w := enginetest.NewWorld(t)
			w.Engine = engine.New(engine.Options{Store: w.Store, Embedder: tt.embedder, Now: w.Clock.Now, NewID: enginetest.IDs()})
			first := w.MustSave(enginetest.Merging(enginetest.Queue(enginetest.Retries)))
			w.Clock.Add(time.Hour)
			again := w.MustSave(enginetest.Merging(enginetest.Queue(enginetest.Retries + " It is drained at midnight.")))
			if again.Action != ledger.ActionMerged || again.Memory.Num != first.Memory.Num {
				t.Errorf("got %s of #%d, want the same title to be recognised", again.Action, again.Memory.Num)
			}
			if warned := len(again.Warnings) > 0; warned != tt.warns {
				t.Errorf("warnings %q, want some: %v", again.Warnings, tt.warns)
			}
			plain := w.MustSave(enginetest.Queue("Other words."))
			if len(plain.Warnings) > 0 {
				t.Errorf("a save that does not merge warns %q", plain.Warnings)
			}
		})
	}
}

// counting counts embedded texts.
type counting struct {
	engram.Embedder
	texts *[]string
}

func (c counting) Embed(ctx context.Context, texts []string, role engram.Role) ([][]float32, error) {
	*c.texts = append(*c.texts, texts...)
	return c.Embedder.Embed(ctx, texts, role)
}

func TestNoTextIsEmbeddedTwice(t *testing.T) {
	t.Parallel()
	w := enginetest.NewWorld(t)
	var texts []string
	w.Engine = engine.New(engine.Options{Store: w.Store, Embedder: counting{enginetest.Embedder(), &texts}, Now: w.Clock.Now, NewID: enginetest.IDs()})
	w.MustSave(enginetest.Queue(enginetest.Retries))
	in := enginetest.Queue("We drain it at night.")
	in.TopicKey = "queue"
	w.MustSave(in)
	in.Content = "We drain it in the morning."
	w.MustSave(in)
	if len(texts) != 3 {
		t.Errorf("three saves embedded %d texts: %q", len(texts), texts)
	}
}

func TestEnginesThatSaveTheSameAtOnceMakeOneMemory(t *testing.T) {
	t.Parallel()
	all := enginetest.Engines(t, 2)
	enginetest.Together(t, all, 8, func(ctx context.Context, e *engine.Engine, i int) error {
		in := enginetest.Merging(enginetest.Queue(enginetest.Retries))
		in.Title = []string{"Upload queue", "The upload queue", "upload queue", "An upload queue"}[i%4]
		_, err := e.Save(ctx, in)
		return err
	})
	w := all[0]
	if got := w.MustList(engram.Filter{}); len(got) != 1 {
		t.Fatalf("%d memories of the same text, want one", len(got))
	}
	m := w.MustGet(1).Memory
	if m.Content != enginetest.Retries {
		t.Errorf("it says %q, want what was said", m.Content)
	}
	if m.DuplicateCount != 4*8 {
		t.Errorf("it was said %d times, want %d", m.DuplicateCount, 4*8)
	}
}

// Another engine writes between the lookahead of a save and its transaction.
func TestWhatWasWrittenMeanwhileIsSeen(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name      string
		first     remember.SaveInput // #1, of which there are two more that are far from it
		meanwhile func(w enginetest.World)
		known     bool // the save finds a memory that has its text
	}{
		{"nothing", enginetest.Queue("Somebody waters the plants."), func(enginetest.World) {}, false},
		{"the same is saved", enginetest.Queue("Somebody waters the plants."), func(w enginetest.World) { w.MustSave(enginetest.Queue(enginetest.Retries)) }, true},
		{"a memory comes to say the same", enginetest.Queue("Somebody waters the plants."), func(w enginetest.World) { says(w, 1, enginetest.Retries) }, true},
		{"what said the same is changed", enginetest.Queue(enginetest.Retries), func(w enginetest.World) { says(w, 1, "Somebody waters the plants.") }, false},
		{"what said the same is forgotten", enginetest.Queue(enginetest.Retries), func(w enginetest.World) { drop(w, 1) }, false},
		{"a project comes with it", enginetest.Queue("Somebody waters the plants."), func(w enginetest.World) { w.Merge("demo", "other") }, true},
		{"more is written than is followed", enginetest.Queue("Somebody waters the plants."), func(w enginetest.World) { many(w, 1100); w.MustSave(enginetest.Queue(enginetest.Retries)) }, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			w := enginetest.NewWorld(t)
			w.MustSave(tt.first)
			w.Note("Parking", "The lot is free.")
			elsewhere := enginetest.Queue(enginetest.Retries)
			elsewhere.Project = "other"
			w.MustSave(elsewhere)
			w.Clock.Add(time.Hour)
			other, began := w.Reopened(), false
			w.Engine = engine.New(engine.Options{Store: interposed{w.Store, func() {
				if !began {
					began = true
					tt.meanwhile(other)
				}
			}}, Embedder: enginetest.Embedder(), Now: w.Clock.Now, NewID: func() engram.ID { return engram.ID(fmt.Sprintf("mem_%026d", w.Clock.Now().Unix())) }})
			in := enginetest.Merging(enginetest.Queue(enginetest.Retries))
			in.Title = "Queue of uploads"
			got, err := w.Save(t.Context(), in)
			if err != nil || !began {
				t.Fatalf("began %v: %v", began, err)
			}
			known := got.Action == ledger.ActionRepeated || got.Action == ledger.ActionMerged
			if known != tt.known {
				t.Errorf("got %s of #%d, %q; want it to be known: %v", got.Action, got.Memory.Num, got.Reason, tt.known)
			}
		})
	}
}

// interposed runs a function between a view, or the look before an update, and the next update.
type interposed struct {
	engram.Store
	before func()
}

func (s interposed) Update(ctx context.Context, fn func(engram.Tx) error) error {
	s.before()
	return s.Store.Update(ctx, fn)
}

func (s interposed) UpdateAfter(ctx context.Context, look func(engram.Reader) error, fn func(engram.Tx) error) error {
	if err := s.View(ctx, look); err != nil {
		return err
	}
	return s.Update(ctx, fn)
}

func says(w enginetest.World, num int64, content string) {
	w.Helper()
	if _, err := w.Update(w.Context(), remember.UpdateInput{Ref: engram.ByNum(num), Content: &content}); err != nil {
		w.Fatalf("update #%d: %v", num, err)
	}
}

func drop(w enginetest.World, num int64) {
	w.Helper()
	if _, err := w.Forget(w.Context(), engram.ByNum(num)); err != nil {
		w.Fatalf("forget #%d: %v", num, err)
	}
}

// many writes n journal entries.
func many(w enginetest.World, n int) {
	w.Helper()
	for i := range n / 100 {
		var ins []remember.SaveInput
		for j := range 100 {
			ins = append(ins, remember.SaveInput{Title: fmt.Sprintf("%d/%d", i, j), Content: fmt.Sprintf("filling %d/%d", i, j), Project: "filler", Type: engram.TypePassive})
		}
		if _, err := w.SaveBatch(w.Context(), ins); err != nil {
			w.Fatalf("save a batch: %v", err)
		}
	}
}

// TestNoMergeLosesAText saves texts that share many sentences, merging, alone and in batches, and looks for
// each text in the memories and their revisions.
func TestNoMergeLosesAText(t *testing.T) {
	t.Parallel()
	sentence := rapid.SampledFrom([]string{"The queue retries three times.", "It waits two seconds.", "Uploads are queued.", "A failed upload is told to the owner.",
		"The queue is drained at midnight.", "It lives in Redis.", "Why it is so nobody knows."})
	title := rapid.SampledFrom([]string{"Upload queue", "Queue of uploads", "How uploads are retried", "The queue"})
	dir, n := t.TempDir(), 0
	rapid.Check(t, func(rt *rapid.T) {
		n++
		w := enginetest.NewWorldIn(t, fmt.Sprintf("%s/%d", dir, n))
		defer w.Close(t)
		var saved []remember.SaveInput
		for range rapid.IntRange(1, 12).Draw(rt, "saves") {
			var ins []remember.SaveInput
			for range rapid.IntRange(1, 4).Draw(rt, "at once") {
				in := enginetest.Merging(enginetest.Queue(strings.Join(rapid.SliceOfN(sentence, 1, 5).Draw(rt, "content"), " ")))
				in.Title = title.Draw(rt, "title")
				ins = append(ins, in)
			}
			saved = append(saved, ins...)
			if _, err := w.SaveBatch(t.Context(), ins); err != nil {
				rt.Fatalf("save %+v: %v", ins, err)
			}
			w.Clock.Add(time.Hour)
			before := len(w.MustList(engram.Filter{}))
			again, err := w.SaveBatch(t.Context(), ins)
			if err != nil {
				rt.Fatalf("save once more: %v", err)
			}
			for i, res := range again {
				if res.Action != ledger.ActionRepeated {
					rt.Fatalf("%q %q once more: %s, %q", ins[i].Title, ins[i].Content, res.Action, res.Reason)
				}
			}
			if after := len(w.MustList(engram.Filter{})); after != before {
				rt.Fatalf("saving once more made %d memories of %d", after, before)
			}
		}
		var said []string
		for _, num := range w.MustList(engram.Filter{}) {
			d := w.MustGet(num)
			said = append(said, folded(d.Memory.Title+" "+d.Memory.Content))
			for _, r := range d.Revisions {
				said = append(said, folded(r.Title+" "+r.Content))
			}
		}
		for _, in := range saved {
			for _, want := range []string{in.Title, in.Content} {
				if !slices.ContainsFunc(said, func(s string) bool { return strings.Contains(s, folded(want)) }) {
					rt.Fatalf("%q is lost: %q", want, said)
				}
			}
		}
	})
}

func folded(s string) string { return strings.Join(strings.Fields(strings.ToLower(s)), " ") }
