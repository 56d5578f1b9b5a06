package engine

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strconv"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/contradiction"
	"github.com/alanbuscaglia/engram/internal/lifecycle"
	"github.com/alanbuscaglia/engram/internal/text"
	"github.com/alanbuscaglia/engram/internal/vector"
)

// A save searches for similar memories before its transaction: embedding and ranking would block all other
// writers. Within the transaction the journal tells what was written meanwhile (recentWrites), so of two
// processes that save the same text at once, the second finds the first one's memory.

// intake is a memory to save and what is known before its transaction.
type intake struct {
	in       SaveInput
	draft    engram.Memory
	redactor *redactor             // redacted its texts
	reading  contradiction.Reading // of the draft; only with a vector
	vector   []float32             // nil: no similarity search
	project  string                // project that was searched
	near     []neighbour           // at least the model's related mark, nearest first
	// overtaken is set if a later item of the batch has the same topic.
	overtaken bool
	// instead is the NormalizedHash of the session summary that this one replaces; "" for none.
	instead string
	worded  []int64 // memories that contain all its words; only for a possible merge
}

// neighbour is a similar memory, compared with the saved one.
type neighbour struct {
	Near
	difference contradiction.Difference
	differs    bool
	series     bool // equal but for the counted part of a series
}

// lookahead is what a save or batch knew before its transaction.
type lookahead struct {
	intakes  []intake
	seen     int64                // Seq of the newest journal entry then
	embedded map[string][]float32 // vectors by text, to compute each once
	trouble  string               // why similarity was not checked, for a person; "" if it was
}

// lookAhead embeds the drafts and finds similar memories. A slow or failing model, or damaged vectors, only
// cost the similarity check.
func (e *Engine) lookAhead(ctx context.Context, intakes []intake) (*lookahead, error) {
	out := &lookahead{intakes: intakes}
	if err := e.lookForWords(ctx, intakes); err != nil || e.embedder == nil {
		return out, err
	}
	model := e.embedder.Model()
	if !model.Instant {
		out.trouble = model.Name + " is too slow to ask during a save"
		return out, nil
	}
	texts := mapped(intakes, func(t intake) string { return embeddedText(t.draft) })
	vectors, err := vectorsOf(ctx, e.embedder, texts, engram.RoleMemory)
	if err != nil {
		out.trouble = model.Name + " cannot answer"
		return out, ctx.Err()
	}
	out.embedded = make(map[string][]float32, len(texts))
	for i, v := range vectors {
		out.embedded[texts[i]] = v
	}
	if model.Related <= 0 {
		out.trouble = model.Name + " has no similarity marks"
		return out, nil
	}
	err = e.store.View(ctx, func(r engram.Reader) error { return e.lookAround(ctx, r, out, vectors) })
	if engram.CodeOf(err) == engram.CodeInternal {
		out.trouble, err = "the vectors are damaged: run engram reembed --all", nil
	}
	return out, err
}

// Limits of the search for memories containing a text. A text merged into a long memory may be far from it in
// meaning; without this search, every repeat would be saved again.
const (
	mostWordsLookedFor = 24
	mostWorded         = 20
)

// lookForWords finds memories that may contain the text of a draft that may be merged.
func (e *Engine) lookForWords(ctx context.Context, intakes []intake) error {
	if !slices.ContainsFunc(intakes, func(t intake) bool { return t.in.Admit == AdmitMerging }) {
		return nil
	}
	return e.store.View(ctx, func(r engram.Reader) error {
		for i := range intakes {
			t := &intakes[i]
			terms := slices.DeleteFunc(text.Query(t.draft.Content), func(w engram.Term) bool { return w.Stop || w.Joined })
			if t.in.Admit != AdmitMerging || len(terms) == 0 {
				continue
			}
			project, err := projectAhead(ctx, r, t.draft)
			if err != nil {
				return err
			}
			found, err := r.Lexical(ctx, engram.LexicalQuery{Terms: terms[:min(len(terms), mostWordsLookedFor)], All: true, Limit: mostWorded,
				Filter: engram.Filter{Project: project, Scope: t.draft.Scope}})
			if err != nil {
				return err
			}
			t.worded = numsOf(found.Hits)
		}
		return nil
	})
}

func (e *Engine) lookAround(ctx context.Context, r engram.Reader, out *lookahead, vectors [][]float32) error {
	last, err := engram.LastMutation(ctx, r)
	if err != nil {
		return err
	}
	out.seen = last.Seq
	for i := range out.intakes {
		t := &out.intakes[i]
		if !e.compares(t.draft.Type, t.in.Admit) {
			continue
		}
		t.vector, t.reading = vectors[i], contradiction.Read(comparisonText(t.draft))
		m := t.draft
		if m.Project, err = projectAhead(ctx, r, m); err != nil {
			return err
		}
		t.project = m.Project
		if t.near, err = e.neighbours(ctx, r, *t, m); err != nil {
			return err
		}
	}
	return nil
}

// compares reports whether a save of this type checks for similar memories.
func (e *Engine) compares(t engram.Type, mode lifecycle.AdmitMode) bool {
	return mode == lifecycle.AdmitMerging || !slices.Contains(e.policy.Unlinked, t)
}

// projectAhead predicts the project of a draft; place decides.
func projectAhead(ctx context.Context, r engram.Reader, m engram.Memory) (string, error) {
	name := m.Project
	if name == "" && m.SessionID != "" {
		s, err := r.Session(ctx, m.SessionID)
		if err != nil && engram.CodeOf(err) != engram.CodeNotFound {
			return "", err
		}
		name = s.Project
	}
	return canonicalProject(ctx, r, name)
}

// neighbours finds memories similar to m, t's draft in its project, except superseded ones.
func (e *Engine) neighbours(ctx context.Context, r engram.Reader, t intake, m engram.Memory) ([]neighbour, error) {
	near, err := e.nearFrom(ctx, r, m, t.vector, e.policy.MostNear, leastOf(e.embedder.Model()))
	if err != nil || len(near) == 0 {
		return nil, err
	}
	nums := mapped(near, func(n Near) int64 { return n.Memory.Num })
	old, err := replaced(ctx, r, nums)
	if err != nil {
		return nil, err
	}
	var all []neighbour
	for _, n := range near {
		if !old[n.Memory.Num] {
			all = append(all, e.against(t, n))
		}
	}
	return all, nil
}

// against compares a draft with a similar memory.
func (e *Engine) against(t intake, n Near) neighbour {
	other := contradiction.Read(comparisonText(n.Memory))
	d, differs := t.reading.Against(other, nearnessOf(e.embedder.Model(), n.Cosine))
	return neighbour{n, d, differs, t.reading.Series(other)}
}

// nearnessOf returns a cosine with the marks of its model.
func nearnessOf(m engram.Model, cosine float64) contradiction.Nearness {
	return contradiction.Nearness{Cosine: cosine, Related: m.Related, Duplicate: m.Duplicate}
}

// leastOf returns the least cosine at which memories are compared. Only those above the model's related mark
// get a relation.
func leastOf(m engram.Model) float64 { return nearnessOf(m, 0).Least() }

// comparisonText returns the text used to find contradictions.
func comparisonText(m engram.Memory) contradiction.Text {
	return contradiction.Text{Title: m.Title, Content: m.Content}
}

// warning reports that the search for near-duplicates, if requested, was not possible.
func (out *lookahead) warning(mode lifecycle.AdmitMode) []string {
	if mode != lifecycle.AdmitMerging || out.trouble == "" {
		return nil
	}
	return []string{fmt.Sprintf("Near-duplicates were not checked: %s.", out.trouble)}
}

// recentWrites are the memories written since a save looked ahead, by others or by the same batch.
type recentWrites struct {
	upto    int64 // Seq of the newest entry read
	far     bool  // too many writes, or projects changed: search again
	touched map[int64]bool
	written map[int64]recentMemory // touched memories that exist
}

type recentMemory struct {
	memory engram.Memory
	vector []float32
}

// mostSince limits the journal entries read before searching again is cheaper.
const mostSince = 1000

// catchUp reads what was written since.
func (s *saver) catchUp(ctx context.Context) error {
	last := s.last
	if s.first != 0 {
		m, err := engram.LastMutation(ctx, s.tx)
		if err != nil {
			return err
		}
		last = m.Seq
	}
	n := last - s.recent.upto
	if n == 0 || s.recent.far {
		return nil
	}
	if n > mostSince {
		s.recent.far = true
		return nil
	}
	entries, err := s.tx.Mutations(ctx, engram.JournalSpan{}, engram.Page{Limit: int(n)})
	if err != nil {
		return err
	}
	var nums []int64
	for _, m := range entries {
		switch {
		case m.Seq <= s.recent.upto:
		case m.Entity == engram.EntityProject && m.Was != nil:
			s.recent.far = true
		case m.Entity == engram.EntityMemory:
			num, err := strconv.ParseInt(m.Key, 10, 64)
			if err != nil {
				return err
			}
			nums = append(nums, num)
		}
	}
	s.recent.upto = last
	return s.read(ctx, nums)
}

func (s *saver) read(ctx context.Context, nums []int64) error {
	if len(nums) == 0 {
		return nil
	}
	slices.Sort(nums)
	nums = slices.Compact(nums)
	ms, err := s.tx.Memories(ctx, nums)
	if err != nil {
		return err
	}
	vectors, err := s.tx.Vectors(ctx, s.embedder.Model().Fingerprint, nums)
	if err != nil {
		return err
	}
	for _, num := range nums {
		s.recent.touched[num] = true
		delete(s.recent.written, num)
	}
	for _, m := range ms {
		w := recentMemory{memory: m}
		if v := vectors[m.Num]; vector.Normalise(v) { // stores keep them as integers
			w.vector = v
		}
		s.recent.written[m.Num] = w
	}
	return nil
}

// around returns what is similar to m now: the earlier neighbours, updated by what was written since.
func (s *saver) around(ctx context.Context, t intake, m engram.Memory) ([]neighbour, error) {
	if t.vector == nil {
		return nil, nil
	}
	if err := s.catchUp(ctx); err != nil {
		return nil, err
	}
	if s.recent.far || t.project != m.Project {
		return s.neighbours(ctx, s.tx, t, m)
	}
	all := slices.DeleteFunc(slices.Clone(t.near), func(n neighbour) bool { return s.recent.touched[n.Memory.Num] })
	mark := leastOf(s.embedder.Model())
	for _, w := range s.recent.written {
		if !isBeside(w.memory, m) || w.vector == nil {
			continue
		}
		if cosine := vector.Dot(t.vector, w.vector); cosine >= mark {
			all = append(all, s.against(t, Near{w.memory, cosine}))
		}
	}
	slices.SortFunc(all, func(a, b neighbour) int {
		return cmp.Or(cmp.Compare(b.Cosine, a.Cosine), cmp.Compare(a.Memory.Num, b.Memory.Num))
	})
	return all[:min(len(all), s.policy.MostNear)], nil
}
