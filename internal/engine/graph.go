package engine

import (
	"context"
	"slices"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/lifecycle"
)

// GraphInput asks for what is around a memory.
type GraphInput struct {
	Ref   engram.Ref
	Depth int // relations from it, at most; 0 is 2, at most MaxHops
	// Verbs are followed, as engram.ParseVerb reads them; none is every verb but
	// not_conflict, which says of two memories that nothing is between them.
	Verbs   []engram.Verb
	Pending bool // candidates for a contradiction too
	// AllProjects leads into other projects. Else memories of those are left out but
	// where their scope is personal or global.
	AllProjects bool
	Limit       int // memories; 0 is 200, at most MaxGraph
}

// How many memories a graph has unless more are asked for, and at most.
const (
	defaultGraph = 200
	MaxGraph     = 1000
)

// Graph follows relations from a memory in both directions, breadth first: what is nearer
// comes first, then what an older relation leads to. It has the relations of all ways of
// at most Depth, so not those between two memories that are just so far away. Forgotten
// memories, removed relations and those set aside are left out; superseded memories are
// not. Going round in a circle changes nothing.
//
// CodeInvalid for a depth, a limit or a verb that does not exist; CodeNotFound when the
// memory does not or was forgotten.
func (e *Engine) Graph(ctx context.Context, in GraphInput) (engram.Graph, error) {
	walk, err := in.clean()
	if err != nil {
		return engram.Graph{}, err
	}
	err = e.store.View(ctx, func(r engram.Reader) error {
		root, err := live(ctx, r, in.Ref)
		if err != nil {
			return err
		}
		walk.r, walk.project = r, root.Project
		walk.add(root, 0)
		if err := walk.run(ctx); err != nil {
			return err
		}
		if err := walk.markSuspect(ctx); err != nil {
			return err
		}
		return walk.markSuperseded(ctx)
	})
	if err != nil {
		return engram.Graph{}, err
	}
	now := e.now()
	for i, n := range walk.g.Nodes {
		walk.g.Nodes[i].State = lifecycle.State(n.Memory, now)
	}
	return walk.g, nil
}

// markSuspect says of each memory why it reads like an order.
func (w *graphWalk) markSuspect(ctx context.Context) error {
	ms := make([]engram.Memory, len(w.g.Nodes))
	for i, n := range w.g.Nodes {
		ms[i] = n.Memory
	}
	why, err := suspects(ctx, w.r, ms)
	for i, m := range ms {
		w.g.Nodes[i].Suspect = why[m.Num]
	}
	return err
}

// clean checks what came in and fills the defaults in.
func (in GraphInput) clean() (*graphWalk, error) {
	w := &graphWalk{in: in, at: map[int64]int{}, left: map[int64]bool{}, seen: map[int64]bool{}}
	var err error
	if w.depth, err = limited("depth", in.Depth, 2, MaxHops); err != nil {
		return nil, err
	}
	if w.limit, err = limited("limit", in.Limit, defaultGraph, MaxGraph); err != nil {
		return nil, err
	}
	for _, given := range in.Verbs {
		verb, err := engram.ParseVerb(string(given))
		if err != nil {
			return nil, err
		}
		if !slices.Contains(w.verbs, verb) {
			w.verbs = append(w.verbs, verb)
		}
	}
	if len(w.verbs) == 0 {
		w.verbs = slices.DeleteFunc(engram.Verbs(), func(v engram.Verb) bool { return v == engram.VerbNotConflict })
	}
	return w, nil
}

// graphWalk is a graph in the making.
type graphWalk struct {
	in      GraphInput
	r       engram.Reader
	project string // of the memory that was asked about
	depth   int
	limit   int
	verbs   []engram.Verb

	g    engram.Graph
	at   map[int64]int  // place of a memory among the nodes
	left map[int64]bool // memories that were read and are not shown
	seen map[int64]bool // relations among the edges
}

func (w *graphWalk) add(m engram.Memory, depth int) {
	w.at[m.Num] = len(w.g.Nodes)
	w.g.Nodes = append(w.g.Nodes, engram.GraphNode{Memory: m, Depth: depth})
}

// run looks from each node in the order in which they were added, which is breadth first.
func (w *graphWalk) run(ctx context.Context) error {
	for i := 0; i < len(w.g.Nodes) && w.g.Nodes[i].Depth < w.depth; i++ {
		if err := w.look(ctx, w.g.Nodes[i]); err != nil {
			return err
		}
	}
	return nil
}

// markSuperseded marks the nodes in whose place a live memory stands, which may lie beyond
// the graph.
func (w *graphWalk) markSuperseded(ctx context.Context) error {
	nums, ms := make([]int64, len(w.g.Nodes)), make([]engram.Memory, len(w.g.Nodes))
	for i, n := range w.g.Nodes {
		nums[i], ms[i] = n.Memory.Num, n.Memory
	}
	relations, err := w.r.RelationsOf(ctx, nums, []engram.Verb{engram.VerbSupersedes}, mostTies)
	if err != nil {
		return err
	}
	notes, err := notesFrom(ctx, w.r, relations, ms)
	for i, num := range nums {
		w.g.Nodes[i].Superseded = slices.ContainsFunc(notes[num], func(n engram.RelationNote) bool {
			return !n.Outgoing && n.Relation.Supersedes() && n.Other.Num != 0 && !n.Other.Forgotten()
		})
	}
	return err
}

// look adds what a node's relations lead to, and the relations.
func (w *graphWalk) look(ctx context.Context, from engram.GraphNode) error {
	// One more than can be shown of a verb tells that there are too many.
	relations, err := w.r.RelationsOf(ctx, []int64{from.Memory.Num}, w.verbs, w.limit+1)
	if err != nil {
		return err
	}
	w.g.Cut = w.g.Cut || w.overfull(relations, from.Memory.Num)
	relations = slices.DeleteFunc(relations, func(r engram.Relation) bool {
		return r.Status != engram.RelationJudged && !(w.in.Pending && r.Status == engram.RelationPending)
	})
	var unknown []int64
	named := map[int64]bool{}
	for _, r := range relations {
		other := otherEnd(r, from.Memory.Num)
		if _, known := w.at[other]; !known && !w.left[other] && !named[other] {
			named[other] = true
			unknown = append(unknown, other)
		}
	}
	if err := w.read(ctx, unknown, from.Depth+1); err != nil {
		return err
	}
	for _, r := range relations {
		if _, shown := w.at[otherEnd(r, from.Memory.Num)]; shown && !w.seen[r.Num] {
			w.seen[r.Num] = true
			w.g.Edges = append(w.g.Edges, r)
		}
	}
	return nil
}

// overfull reports whether there are more relations of one verb and direction than were
// asked for.
func (w *graphWalk) overfull(relations []engram.Relation, from int64) bool {
	type kind struct {
		verb     engram.Verb
		outgoing bool
	}
	counts := map[kind]int{}
	for _, r := range relations {
		k := kind{r.Verb, r.Source == from}
		if counts[k]++; counts[k] > w.limit {
			return true
		}
	}
	return false
}

// read adds those of the memories that may be shown, as far as there is room.
func (w *graphWalk) read(ctx context.Context, nums []int64, depth int) error {
	for len(nums) > 0 {
		room := w.limit - len(w.g.Nodes)
		if room <= 0 {
			w.g.Cut = true
			return nil
		}
		some := nums[:min(len(nums), room)]
		nums = nums[len(some):]
		ms, err := w.r.Memories(ctx, some)
		if err != nil {
			return err
		}
		for _, num := range some {
			w.left[num] = true
		}
		for _, m := range ms {
			if w.shows(m) {
				delete(w.left, m.Num)
				w.add(m, depth)
			}
		}
	}
	return nil
}

func (w *graphWalk) shows(m engram.Memory) bool {
	return !m.Forgotten() && (w.in.AllProjects || m.Project == w.project || m.Scope != engram.ScopeProject)
}

// otherEnd is the memory at the other end of r.
func otherEnd(r engram.Relation, num int64) int64 {
	if r.Source == num {
		return r.Target
	}
	return r.Source
}
