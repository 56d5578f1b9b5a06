package enginetest

import (
	"fmt"
	"strings"
	"time"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/engine/brief"
	"github.com/alanbuscaglia/engram/internal/engine/read"
	"github.com/alanbuscaglia/engram/internal/engine/relate"
	"github.com/alanbuscaglia/engram/internal/engine/search"
)

// places returns the anchors of a memory with their states.
func (w World) places(num int64) string {
	w.Helper()
	var all []string
	for _, a := range w.MustGet(num).Anchors {
		text := a.Place().String()
		if a.Named {
			text += " named"
		}
		if a.State != "" {
			text += " " + string(a.State)
		}
		all = append(all, text)
	}
	return strings.Join(all, ", ")
}

// WantPlaces fails unless these are the anchors of a memory, with their states.
func (w World) WantPlaces(what string, num int64, want string) {
	w.Helper()
	if got := w.places(num); got != want {
		w.Errorf("%s: the places of #%d\n got %s\nwant %s", what, num, got, want)
	}
}

// Later moves the clock on by an hour and returns the time in between.
func (w World) Later() time.Time {
	w.Clock.Add(time.Hour)
	return w.Clock.Now().Add(-30 * time.Minute)
}

// Report returns the context of a session.
func (w World) Report(in brief.ContextInput) engram.Context {
	w.Helper()
	c, err := w.Engine.Context(w.Context(), in)
	if err != nil {
		w.Fatalf("context %+v: %v", in, err)
	}
	return c
}

// Relate writes a relation, like a verdict.
func (w World) Relate(source int64, verb engram.Verb, target int64, status engram.RelationStatus) {
	w.Helper()
	err := w.Store.Update(w.Context(), func(tx engram.Tx) error {
		now := w.Clock.Now()
		return tx.InsertRelation(w.Context(), &engram.Relation{ID: fmt.Sprintf("rel-%d-%d", source, target), Source: source, Target: target,
			Verb: verb, Status: status, Strength: 1, Actor: "agent", CreatedAt: now, UpdatedAt: now})
	})
	if err != nil {
		w.Fatalf("relate #%d %s #%d: %v", source, verb, target, err)
	}
}

// MustGraph is Graph of the engine; the test fails on its error.
func (w World) MustGraph(in read.GraphInput) engram.Graph {
	w.Helper()
	g, err := w.Graph(w.Context(), in)
	if err != nil {
		w.Fatalf("graph %+v: %v", in, err)
	}
	return g
}

// Live returns the relations of a memory.
func (w World) Live(num int64) []engram.Relation {
	w.Helper()
	var all []engram.Relation
	err := w.Store.View(w.Context(), func(r engram.Reader) (err error) {
		all, err = engram.RelationsOf(w.Context(), r, []int64{num}, nil, 0)
		return err
	})
	if err != nil {
		w.Fatalf("relations of #%d: %v", num, err)
	}
	return all
}

// MustLink is Link of the engine; the test fails on its error.
func (w World) MustLink(source int64, verb engram.Verb, target int64) relate.Linked {
	w.Helper()
	l, err := w.Link(w.Context(), relate.LinkInput{Source: engram.ByNum(source), Verb: verb, Target: engram.ByNum(target)})
	if err != nil {
		w.Fatalf("link #%d %s #%d: %v", source, verb, target, err)
	}
	return l
}

// MustUnlink is Unlink of the engine; the test fails on its error.
func (w World) MustUnlink(a, b int64, verb engram.Verb) []relate.Linked {
	w.Helper()
	gone, err := w.Unlink(w.Context(), relate.UnlinkInput{A: engram.ByNum(a), B: engram.ByNum(b), Verb: verb})
	if err != nil {
		w.Fatalf("unlink #%d %s #%d: %v", a, verb, b, err)
	}
	return gone
}

// LiveRelations returns the relations between memories as text, oldest first.
func (w World) LiveRelations(nums ...int64) string {
	w.Helper()
	var all []engram.Relation
	err := w.Store.View(w.Context(), func(r engram.Reader) (err error) {
		all, err = engram.RelationsOf(w.Context(), r, nums, nil, 0)
		return err
	})
	if err != nil {
		w.Fatalf("relations of %v: %v", nums, err)
	}
	return Edges(all)
}

// Flag flags a candidate, as a save does.
func (w World) Flag(source, target int64) engram.Relation {
	w.Helper()
	r := engram.Relation{ID: fmt.Sprintf("rel-%d-%d", source, target), Source: source, Target: target, Verb: engram.VerbContradicts,
		Status: engram.RelationPending, Strength: 1, CreatedAt: w.Now(), UpdatedAt: w.Now()}
	if err := w.Store.Update(w.Context(), func(tx engram.Tx) error { return tx.InsertRelation(w.Context(), &r) }); err != nil {
		w.Fatalf("suspect #%d and #%d: %v", source, target, err)
	}
	return r
}

// MustRecall is Recall of the engine; the test fails on its error.
func (w World) MustRecall(in search.RecallInput) search.Recalled {
	w.Helper()
	r, err := w.Recall(w.Context(), in)
	if err != nil {
		w.Fatalf("recall %+v: %v", in, err)
	}
	return r
}
