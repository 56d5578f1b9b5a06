package read

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/engine/ledger"
	"github.com/alanbuscaglia/engram/internal/engine/screen"
	"github.com/alanbuscaglia/engram/internal/engine/search"
	"github.com/alanbuscaglia/engram/internal/engine/view"
	"github.com/alanbuscaglia/engram/internal/engine/walk"
	"github.com/alanbuscaglia/engram/internal/lifecycle"
	"github.com/alanbuscaglia/engram/internal/redact"
	"github.com/alanbuscaglia/engram/internal/suspicion"
	"github.com/alanbuscaglia/engram/internal/topic"
)

// List returns memories newest first. Limit 0 is 20, at most 1000.
func (d *Reader) List(ctx context.Context, f engram.Filter, p engram.Page) ([]engram.Memory, error) {
	l, err := d.ListAsOf(ctx, f, p, time.Time{})
	return l.Memories, err
}

// Listed is a page of memories.
type Listed struct {
	Memories []engram.Memory // newest first
	Notes    engram.Notes    // of Memories
	Degraded []string        // what is unknown at a past time
}

// ListNoted is ListAsOf with notes on how to read each memory.
func (d *Reader) ListNoted(ctx context.Context, f engram.Filter, p engram.Page, at time.Time) (Listed, error) {
	return d.listAt(ctx, f, p, at, true)
}

// ListAsOf is List at a past time; the zero time is now.
func (d *Reader) ListAsOf(ctx context.Context, f engram.Filter, p engram.Page, at time.Time) (Listed, error) {
	return d.listAt(ctx, f, p, at, false)
}

func (d *Reader) listAt(ctx context.Context, f engram.Filter, p engram.Page, at time.Time, noted bool) (Listed, error) {
	p, err := screen.PageOf(p, 20)
	if err != nil {
		return Listed{}, err
	}
	if f, err = search.CleanFilter(f); err != nil {
		return Listed{}, err
	}
	now := at
	if now.IsZero() {
		now = d.ledger.Now()
	}
	return ledger.Read(ctx, d.ledger, func(r engram.Reader) (l Listed, err error) {
		if r, l.Degraded, err = view.ReaderAt(ctx, d.ledger, r, at); err != nil {
			return l, err
		}
		if l.Memories, err = d.search.Matching(ctx, r, f, p); err != nil {
			return l, err
		}
		if err := d.screen.RedactForDisplay(ctx, r, l.Memories); err != nil || !noted {
			return l, err
		}
		l.Notes, err = search.NotesOn(ctx, r, now, l.Memories, screen.Flagged)
		return l, err
	})
}

// Count counts the memories that match f, whatever their strength.
func (d *Reader) Count(ctx context.Context, f engram.Filter) (int, error) {
	f, err := search.CleanFilter(f)
	if err != nil {
		return 0, err
	}
	return ledger.Read(ctx, d.ledger, func(r engram.Reader) (int, error) { return r.Count(ctx, f) })
}

// StateOf returns whether m is due for review now.
func (d *Reader) StateOf(m engram.Memory) engram.State { return lifecycle.State(m, d.ledger.Now()) }

// SuggestTopic proposes a topic key; empty title and content is invalid.
func (d *Reader) SuggestTopic(typ engram.Type, title, content string) (string, error) {
	title, content = screen.Line(title), redact.Private(content)
	if title == "" && strings.TrimSpace(content) == "" {
		return "", engram.Errorf(engram.CodeInvalid, "provide title or content to suggest a topic_key")
	}
	return topic.Suggest(engram.Type(strings.ToLower(screen.Line(string(typ)))), title, content), nil
}

// Topics returns the topic keys of live memories of a project ("" is every one) that start with prefix, sorted.
// Limit 0 is 20, at most 1000.
func (d *Reader) Topics(ctx context.Context, project, prefix string, limit int) (keys []string, err error) {
	if limit, err = screen.Limited("limit", limit, 20, 1000); err != nil {
		return nil, err
	}
	return ledger.Read(ctx, d.ledger, func(r engram.Reader) ([]string, error) {
		return r.Topics(ctx, screen.NormalProject(project), topic.Normalize(prefix), limit)
	})
}

// Timeline returns what was saved around a live memory in its session: at most 100 before and after; a negative
// count is invalid.
func (d *Reader) Timeline(ctx context.Context, ref engram.Ref, before, after int) (engram.Timeline, error) {
	const most = 100
	for i, name := range []string{"before", "after"} {
		if n := []int{before, after}[i]; n < 0 || n > most {
			return engram.Timeline{}, engram.Errorf(engram.CodeInvalid, "%s %d is out of range", name, n).WithHint("use a number from 0 to %d", most)
		}
	}
	return ledger.Read(ctx, d.ledger, func(r engram.Reader) (t engram.Timeline, err error) {
		if t.Focus, err = ledger.Live(ctx, r, ref); err != nil {
			return t, err
		}
		if err := around(ctx, r, &t, before, after); err != nil {
			return t, err
		}
		focus := []engram.Memory{t.Focus}
		for _, ms := range [][]engram.Memory{focus, t.Before, t.After} {
			if err := d.screen.RedactForDisplay(ctx, r, ms); err != nil {
				return t, err
			}
		}
		t.Focus = focus[0]
		t.Notes, err = search.NotesOn(ctx, r, d.ledger.Now(), slices.Concat(t.Before, focus, t.After), screen.Flagged)
		return t, err
	})
}

// around adds the neighbours of t's focus.
func around(ctx context.Context, r engram.Reader, t *engram.Timeline, before, after int) (err error) {
	if t.Focus.SessionID == "" {
		t.Total = 1
		return nil
	}
	if t.Session, err = r.Session(ctx, t.Focus.SessionID); err != nil {
		return err
	}
	t.Flagged = FlaggedSummary(t.Session)
	if t.Total, err = r.Count(ctx, engram.Filter{SessionID: t.Focus.SessionID}); err != nil {
		return err
	}
	t.Before, t.After, err = r.Neighbours(ctx, t.Focus.SessionID, t.Focus.Num, before, after)
	return err
}

// GraphInput selects the surroundings of a memory.
type GraphInput struct {
	Ref   engram.Ref
	Depth int // maximal distance in relations; 0 is 2, at most MaxHops
	// Verbs to follow, as engram.ParseVerb reads them; empty is every verb but not_conflict, which denies a
	// relation.
	Verbs   []engram.Verb
	Pending bool // include candidates for a contradiction
	// AllProjects follows relations into other projects. Otherwise only memories of scope personal or global
	// are included there.
	AllProjects bool
	Limit       int // memories; 0 is 200, at most MaxGraph
}

// Default and maximum of a graph's memories.
const (
	defaultGraph = 200
	MaxGraph     = 1000
)

// Graph follows relations from a memory in both directions, breadth first, older relations first. It contains
// the relations on paths of at most Depth, so none between two memories at the full depth. It leaves out
// forgotten memories and removed or dismissed relations, but not superseded memories. Cycles are followed once.
//
// CodeInvalid for an invalid depth, limit or verb; CodeNotFound if the memory does not exist or was forgotten.
func (d *Reader) Graph(ctx context.Context, in GraphInput) (engram.Graph, error) {
	walk, err := in.clean()
	if err != nil {
		return engram.Graph{}, err
	}
	return ledger.Read(ctx, d.ledger, func(r engram.Reader) (engram.Graph, error) {
		root, err := ledger.Live(ctx, r, in.Ref)
		if err != nil {
			return engram.Graph{}, err
		}
		walk.r, walk.project = r, root.Project
		walk.add(root, 0)
		if err := walk.run(ctx); err != nil {
			return engram.Graph{}, err
		}
		err = walk.mark(ctx, d.ledger.Now())
		return walk.g, err
	})
}

func (in GraphInput) clean() (*graphWalk, error) {
	w := &graphWalk{in: in, at: map[int64]int{}, left: map[int64]bool{}, seen: map[int64]bool{}}
	var err error
	if w.depth, err = screen.Limited("depth", in.Depth, 2, search.MaxHops); err != nil {
		return nil, err
	}
	if w.limit, err = screen.Limited("limit", in.Limit, defaultGraph, MaxGraph); err != nil {
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

type graphWalk struct {
	in      GraphInput
	r       engram.Reader
	project string // of the starting memory
	depth   int
	limit   int
	verbs   []engram.Verb

	g    engram.Graph
	at   map[int64]int  // index of a memory among the nodes
	left map[int64]bool // memories read but not included
	seen map[int64]bool // relations among the edges
}

func (w *graphWalk) add(m engram.Memory, depth int) {
	w.at[m.Num] = len(w.g.Nodes)
	w.g.Nodes = append(w.g.Nodes, engram.GraphNode{Memory: m, Depth: depth})
}

// run expands nodes in the order they were added, which is breadth first.
func (w *graphWalk) run(ctx context.Context) error {
	for i := 0; i < len(w.g.Nodes) && w.g.Nodes[i].Depth < w.depth; i++ {
		if err := w.look(ctx, w.g.Nodes[i]); err != nil {
			return err
		}
	}
	return nil
}

// mark sets the states of nodes: due for review, flagged, superseded by a live memory, even one outside the graph.
func (w *graphWalk) mark(ctx context.Context, now time.Time) error {
	ms := walk.Mapped(w.g.Nodes, func(n engram.GraphNode) engram.Memory { return n.Memory })
	why, err := screen.Flagged(ctx, w.r, ms)
	if err != nil {
		return err
	}
	relations, err := engram.RelationsOf(ctx, w.r, screen.MemoryNums(ms), []engram.Verb{engram.VerbSupersedes}, view.MostRelations)
	if err != nil {
		return err
	}
	notes, err := search.NotesFrom(ctx, w.r, relations, ms)
	for i, m := range ms {
		n := &w.g.Nodes[i]
		n.State, n.Flagged = lifecycle.State(m, now), why[m.Num]
		n.Superseded = slices.ContainsFunc(notes[m.Num], func(n engram.RelationNote) bool {
			return !n.Outgoing && n.Relation.Supersedes() && n.Other.Num != 0 && !n.Other.Forgotten()
		})
	}
	return err
}

func (w *graphWalk) look(ctx context.Context, from engram.GraphNode) error {
	// One more per verb than fits shows that there are too many.
	relations, err := engram.RelationsOf(ctx, w.r, []int64{from.Memory.Num}, w.verbs, w.limit+1)
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

// overfull reports whether a verb and direction has more relations than the limit.
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

// otherEnd returns the memory at the other end of r.
func otherEnd(r engram.Relation, num int64) int64 {
	if r.Source == num {
		return r.Target
	}
	return r.Source
}

// FlaggedSummary says why a session's summary is instruction-like; nil if it is not. A flagged summary is not
// injected. Its memory is pending for a person; ending the session with other words replaces it.
func FlaggedSummary(s engram.Session) (why []string) {
	for _, r := range suspicion.Of(s.Summary) {
		why = append(why, r.Why)
	}
	return why
}
