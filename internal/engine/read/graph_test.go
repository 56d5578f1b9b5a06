package read_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/engine/read"
	"github.com/alanbuscaglia/engram/internal/engine/remember"
	"github.com/alanbuscaglia/engram/internal/engine/search"
	"github.com/alanbuscaglia/engram/internal/enginetest"
)

// nodes are a graph's memories with their depths, in order.
func nodes(g engram.Graph) string {
	var words []string
	for _, n := range g.Nodes {
		words = append(words, fmt.Sprintf("%d/%d", n.Memory.Num, n.Depth))
	}
	return strings.Join(words, " ")
}

func TestGraph(t *testing.T) {
	t.Parallel()
	w := enginetest.NewWorld(t).Unlinked()
	for i := range 6 {
		w.Note(fmt.Sprint("title ", i+1), fmt.Sprint("content ", i+1))
	}
	w.MustLink(1, engram.VerbRelatesTo, 2)
	w.MustLink(3, engram.VerbSupersedes, 1)
	w.MustLink(2, engram.VerbCausedBy, 3) // a circle
	w.MustLink(2, engram.VerbRelatesTo, 1)
	w.MustLink(3, engram.VerbDerivedFrom, 4)
	w.MustLink(4, engram.VerbDerivedFrom, 5)
	w.Flag(1, 6)
	w.MustLink(1, engram.VerbNotConflict, 5)
	gone := w.Note("gone", "content 7")
	w.MustLink(1, engram.VerbRelatesTo, gone)
	if _, err := w.Forget(t.Context(), engram.ByNum(gone)); err != nil {
		t.Fatal(err)
	}
	elsewhere := w.MustSave(remember.SaveInput{Title: "elsewhere", Content: "content 8", Project: "other", Scope: engram.ScopeGlobal}).Memory.Num
	w.MustLink(5, engram.VerbRelatesTo, elsewhere)

	for _, tt := range []struct {
		name  string
		in    read.GraphInput
		nodes string
		edges string
		cut   bool
	}{
		{"two hops unless said otherwise, and round the circle once", read.GraphInput{Ref: engram.ByNum(1)}, "1/0 2/1 3/1 4/2",
			"1 relates_to 2, 3 supersedes 1, 2 relates_to 1, 2 caused_by 3, 3 derived_from 4", false},
		{"one hop has no relation between what is one hop away", read.GraphInput{Ref: engram.ByNum(1), Depth: 1}, "1/0 2/1 3/1",
			"1 relates_to 2, 3 supersedes 1, 2 relates_to 1", false},
		{"further", read.GraphInput{Ref: engram.ByNum(1), Depth: 4}, "1/0 2/1 3/1 4/2 5/3 8/4",
			"1 relates_to 2, 3 supersedes 1, 2 relates_to 1, 2 caused_by 3, 3 derived_from 4, 4 derived_from 5, 5 relates_to 8", false},
		{"by some verbs alone, as dialects spell them", read.GraphInput{Ref: engram.ByNum(1), Verbs: []engram.Verb{"related", "related_to"}}, "1/0 2/1",
			"1 relates_to 2, 2 relates_to 1", false},
		{"candidates when they are asked for", read.GraphInput{Ref: engram.ByNum(1), Depth: 1, Pending: true, Verbs: []engram.Verb{"conflicts_with"}},
			"1/0 6/1", "1 contradicts 6 (pending)", false},
		{"no conflict when it is named", read.GraphInput{Ref: engram.ByNum(1), Depth: 1, Verbs: []engram.Verb{engram.VerbNotConflict}}, "1/0 5/1",
			"1 not_conflict 5", false},
		{"no more memories than asked for", read.GraphInput{Ref: engram.ByNum(1), Limit: 2}, "1/0 2/1", "1 relates_to 2, 2 relates_to 1", true},
		{"nothing around it", read.GraphInput{Ref: engram.ByNum(6)}, "6/0", "", false},
		{"by its other end", read.GraphInput{Ref: engram.ByNum(4), Depth: 1}, "4/0 3/1 5/1", "3 derived_from 4, 4 derived_from 5", false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			g := w.In(t).MustGraph(tt.in)
			if got := nodes(g); got != tt.nodes || g.Cut != tt.cut {
				t.Errorf("nodes %s (cut %v), want %s (cut %v)", got, g.Cut, tt.nodes, tt.cut)
			}
			if got := enginetest.Edges(g.Edges); got != tt.edges {
				t.Errorf("edges\n got %s\nwant %s", got, tt.edges)
			}
		})
	}
}

func TestGraphStaysInTheProjectUnlessAskedToLeave(t *testing.T) {
	t.Parallel()
	w := enginetest.NewWorld(t)
	here := w.Note("here", "one")
	there := w.MustSave(remember.SaveInput{Title: "there", Content: "two", Project: "other", Scope: engram.ScopeGlobal}).Memory.Num
	w.MustLink(here, engram.VerbRelatesTo, there)
	project := engram.ScopeProject
	if _, err := w.Update(t.Context(), remember.UpdateInput{Ref: engram.ByNum(there), Scope: &project}); err != nil {
		t.Fatal(err)
	}
	if got := nodes(w.MustGraph(read.GraphInput{Ref: engram.ByNum(here)})); got != "1/0" {
		t.Errorf("got %s, want nothing of the other project", got)
	}
	if got := nodes(w.MustGraph(read.GraphInput{Ref: engram.ByNum(here), AllProjects: true})); got != "1/0 2/1" {
		t.Errorf("in all projects: got %s, want both", got)
	}
}

func TestGraphSaysWhatIsDueForReview(t *testing.T) {
	t.Parallel()
	w := enginetest.NewWorld(t)
	w.MustSave(remember.SaveInput{Title: "a", Content: "one", Type: engram.TypeDecision, Project: "demo"})
	w.Clock.Add(365 * 24 * time.Hour)
	if g := w.MustGraph(read.GraphInput{Ref: engram.ByNum(1)}); g.Nodes[0].State != engram.StateNeedsReview {
		t.Errorf("a decision of a year ago is %s, want %s", g.Nodes[0].State, engram.StateNeedsReview)
	}
}

func TestGraphRefuses(t *testing.T) {
	t.Parallel()
	w := enginetest.NewWorld(t)
	w.Note("a", "one")
	gone := w.Note("b", "two")
	if _, err := w.Forget(t.Context(), engram.ByNum(gone)); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		name string
		in   read.GraphInput
		want engram.Code
	}{
		{"a memory that does not exist", read.GraphInput{Ref: engram.ByNum(9)}, engram.CodeNotFound},
		{"one that was forgotten", read.GraphInput{Ref: engram.ByNum(gone)}, engram.CodeNotFound},
		{"a depth below one", read.GraphInput{Ref: engram.ByNum(1), Depth: -1}, engram.CodeInvalid},
		{"a depth beyond five", read.GraphInput{Ref: engram.ByNum(1), Depth: 6}, engram.CodeInvalid},
		{"a limit beyond a thousand", read.GraphInput{Ref: engram.ByNum(1), Limit: 1001}, engram.CodeInvalid},
		{"a verb that does not exist", read.GraphInput{Ref: engram.ByNum(1), Verbs: []engram.Verb{"likes"}}, engram.CodeInvalid},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err := w.Graph(t.Context(), tt.in)
			enginetest.WantCode(t, err, tt.want)
		})
	}
}

// For any relations: each memory appears once, at its least distance, within the limit; each relation once,
// between listed memories; and the result is deterministic.
func TestGraphOverAnyRelations(t *testing.T) {
	t.Parallel()
	w := enginetest.NewWorld(t).Unlinked()
	const memories = 12
	for i := range memories {
		w.Note(fmt.Sprint("title ", i), fmt.Sprint("content ", i))
	}
	inserted := 0
	rapid.Check(t, func(rt *rapid.T) {
		var made []engram.Relation
		err := w.Store.Update(t.Context(), func(tx engram.Tx) error {
			for range rapid.IntRange(0, 30).Draw(rt, "relations") {
				inserted++
				r := engram.Relation{ID: fmt.Sprint("rel-", inserted), Source: rapid.Int64Range(1, memories).Draw(rt, "source"),
					Target: rapid.Int64Range(1, memories).Draw(rt, "target"), Verb: rapid.SampledFrom(engram.Verbs()[:6]).Draw(rt, "verb"),
					Status: engram.RelationJudged, CreatedAt: w.Now(), UpdatedAt: w.Now()}
				if err := tx.InsertRelation(t.Context(), &r); err == nil {
					made = append(made, r)
				} else if engram.CodeOf(err) != engram.CodeConflict {
					return err
				}
			}
			return nil
		})
		if err != nil {
			rt.Fatalf("prepare: %v", err)
		}
		in := read.GraphInput{Ref: engram.ByNum(1), Depth: rapid.IntRange(1, search.MaxHops).Draw(rt, "depth"),
			Limit: rapid.IntRange(1, memories).Draw(rt, "limit")}
		g, err := w.Graph(t.Context(), in)
		if err != nil {
			rt.Fatalf("graph: %v", err)
		}
		distance := distances(made, 1)
		shown := map[int64]bool{}
		for _, n := range g.Nodes {
			if shown[n.Memory.Num] || n.Depth > in.Depth {
				rt.Errorf("nodes %s: #%d is twice there or too far", nodes(g), n.Memory.Num)
			}
			if d, reached := distance[n.Memory.Num]; !reached || d != n.Depth {
				rt.Errorf("#%d is at %d, want %d (%v) over %s", n.Memory.Num, n.Depth, d, reached, enginetest.Edges(made))
			}
			shown[n.Memory.Num] = true
		}
		within := 0
		for _, d := range distance {
			if d <= in.Depth {
				within++
			}
		}
		if len(g.Nodes) != min(within, in.Limit) || !g.Cut && within > in.Limit {
			rt.Errorf("%d nodes (cut %v) of %d within %d hops, limit %d", len(g.Nodes), g.Cut, within, in.Depth, in.Limit)
		}
		twice := map[int64]bool{}
		for _, r := range g.Edges {
			if twice[r.Num] || !shown[r.Source] || !shown[r.Target] {
				rt.Errorf("edge %+v is twice there or leads out of %s", r, nodes(g))
			}
			twice[r.Num] = true
		}
		again, err := w.Graph(t.Context(), in)
		if err != nil || nodes(again) != nodes(g) || enginetest.Edges(again.Edges) != enginetest.Edges(g.Edges) {
			rt.Errorf("asked twice: %s and %s, %v", nodes(g), nodes(again), err)
		}
		err = w.Store.Update(t.Context(), func(tx engram.Tx) error {
			for _, r := range made {
				r.RemovedAt = w.Now()
				if err := tx.ReplaceRelation(t.Context(), r); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			rt.Fatalf("clear: %v", err)
		}
	})
}

// distances returns the distance of each memory from one, in either direction.
func distances(relations []engram.Relation, from int64) map[int64]int {
	away := map[int64]int{from: 0}
	for range relations {
		for _, r := range relations {
			for _, way := range [][2]int64{{r.Source, r.Target}, {r.Target, r.Source}} {
				d, reached := away[way[0]]
				if known, is := away[way[1]]; reached && (!is || d+1 < known) {
					away[way[1]] = d + 1
				}
			}
		}
	}
	return away
}
