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

// A save looks around before its transaction, because reckoning a vector and ranking a
// project by it would keep every other writer waiting. What was written in between, the
// transaction sees in the journal (since): of two processes that save the same at
// once, the second finds what the first has saved.

// intake is something that is to be saved, and what is known of it before its
// transaction.
type intake struct {
	in      SaveInput
	draft   engram.Memory
	washed  *washing              // what was cut out of its texts
	reading contradiction.Reading // of the draft; only with a vector
	vector  []float32             // nil: nothing can be near
	project string                // in which it was looked around
	near    []likeness            // from the model's related mark on, the nearest first
	// overtaken says that a later one of its batch has its topic.
	overtaken bool
	// instead is the NormalizedHash of what a summary of the session said in whose place this one
	// comes; "" for none.
	instead string
	worded  []int64 // memories that have all its words, and perhaps its text; only when it may be merged
}

// likeness is a near memory, held against what is saved.
type likeness struct {
	Near
	difference contradiction.Difference
	differs    bool
	series     bool // the same but for what a series counts
}

// outlook is what a save, or a batch of them, saw before its transaction.
type outlook struct {
	intakes  []intake
	seen     int64                // Seq of the newest journal entry then
	embedded map[string][]float32 // vectors by text, so that none is reckoned twice
	trouble  string               // why nothing could be near, for a person; "" when it could
}

// lookAhead reckons the drafts' vectors and finds what is near to them. A model that is
// slow or cannot answer, and damaged vectors, cost the look and never the save.
func (e *Engine) lookAhead(ctx context.Context, intakes []intake) (*outlook, error) {
	out := &outlook{intakes: intakes}
	if err := e.lookForWords(ctx, intakes); err != nil || e.embedder == nil {
		return out, err
	}
	model := e.embedder.Model()
	if !model.Instant {
		out.trouble = model.Name + " is not asked while somebody waits"
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
		out.trouble = model.Name + " has no marks that say what is near"
		return out, nil
	}
	err = e.store.View(ctx, func(r engram.Reader) error { return e.lookAround(ctx, r, out, vectors) })
	if engram.CodeOf(err) == engram.CodeInternal {
		out.trouble, err = "the vectors are damaged: run engram reembed --all", nil
	}
	return out, err
}

// How many words of a text are looked for, and how many memories that have them are
// compared with it. A text that was merged into a long memory may be far from it in
// meaning, and would be saved once more each time.
const (
	mostWordsLookedFor = 24
	mostWorded         = 20
)

// lookForWords finds the memories that may have the text of those that may be merged.
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

func (e *Engine) lookAround(ctx context.Context, r engram.Reader, out *outlook, vectors [][]float32) error {
	last, err := r.LastMutation(ctx)
	if err != nil {
		return err
	}
	out.seen = last.Seq
	for i := range out.intakes {
		t := &out.intakes[i]
		if !e.compares(t.draft.Type, t.in.Admit) {
			continue
		}
		t.vector, t.reading = vectors[i], contradiction.Read(textOf(t.draft))
		m := t.draft
		if m.Project, err = projectAhead(ctx, r, m); err != nil {
			return err
		}
		t.project = m.Project
		if t.near, err = e.likenesses(ctx, r, *t, m); err != nil {
			return err
		}
	}
	return nil
}

// compares reports whether a save of the type looks at what is near.
func (e *Engine) compares(t engram.Type, mode lifecycle.AdmitMode) bool {
	return mode == lifecycle.AdmitMerging || !slices.Contains(e.policy.Unlinked, t)
}

// projectAhead is the project that a draft will probably get: place decides.
func projectAhead(ctx context.Context, r engram.Reader, m engram.Memory) (string, error) {
	name := m.Project
	if name == "" && m.SessionID != "" {
		s, err := r.Session(ctx, m.SessionID)
		if err != nil && engram.CodeOf(err) != engram.CodeNotFound {
			return "", err
		}
		name = s.Project
	}
	p, known, err := r.Project(ctx, name)
	if !known {
		return name, err
	}
	return p.Name, err
}

// likenesses finds what is near to m, which is t's draft in its project. What another
// memory has taken the place of is none: it no longer holds.
func (e *Engine) likenesses(ctx context.Context, r engram.Reader, t intake, m engram.Memory) ([]likeness, error) {
	near, err := e.nearFrom(ctx, r, m, t.vector, e.policy.MostNear, leastOf(e.embedder.Model()))
	if err != nil || len(near) == 0 {
		return nil, err
	}
	nums := mapped(near, func(n Near) int64 { return n.Memory.Num })
	old, err := replaced(ctx, r, nums)
	if err != nil {
		return nil, err
	}
	var all []likeness
	for _, n := range near {
		if !old[n.Memory.Num] {
			all = append(all, e.against(t, n))
		}
	}
	return all, nil
}

// against holds a draft against a near memory.
func (e *Engine) against(t intake, n Near) likeness {
	other := contradiction.Read(textOf(n.Memory))
	d, differs := t.reading.Against(other, nearnessOf(e.embedder.Model(), n.Cosine))
	return likeness{n, d, differs, t.reading.Series(other)}
}

// nearnessOf is a cosine with what it means to a model.
func nearnessOf(m engram.Model, cosine float64) contradiction.Nearness {
	return contradiction.Nearness{Cosine: cosine, Related: m.Related, Duplicate: m.Duplicate}
}

// leastOf is the cosine from which on memories are held against each other. Related they are
// only from the model's mark on.
func leastOf(m engram.Model) float64 { return nearnessOf(m, 0).Least() }

// textOf is what of a memory is held against others.
func textOf(m engram.Memory) contradiction.Text {
	return contradiction.Text{Title: m.Title, Content: m.Content}
}

// warning says that near-duplicates were not looked for, where somebody asked for it.
func (out *outlook) warning(mode lifecycle.AdmitMode) []string {
	if mode != lifecycle.AdmitMerging || out.trouble == "" {
		return nil
	}
	return []string{fmt.Sprintf("Near-duplicates were not looked for: %s.", out.trouble)}
}

// since are the memories that were written after a save looked around, by others or by
// the save itself when it is one of a batch.
type since struct {
	upto    int64 // Seq of the newest journal entry that was read
	far     bool  // too much happened, or projects changed: to be looked around anew
	touched map[int64]bool
	written map[int64]written // of the touched ones those that exist
}

type written struct {
	memory engram.Memory
	vector []float32
}

// mostSince is how many journal entries are read instead of looking around anew.
const mostSince = 1000

// catchUp reads what was written up to now.
func (s *saver) catchUp(ctx context.Context) error {
	last := s.last
	if s.first != 0 {
		m, err := s.tx.LastMutation(ctx)
		if err != nil {
			return err
		}
		last = m.Seq
	}
	n := last - s.since.upto
	if n == 0 || s.since.far {
		return nil
	}
	if n > mostSince {
		s.since.far = true
		return nil
	}
	entries, err := s.tx.Mutations(ctx, "", "", engram.Page{Limit: int(n)})
	if err != nil {
		return err
	}
	var nums []int64
	for _, m := range entries {
		switch {
		case m.Seq <= s.since.upto:
		case m.Entity == engram.EntityProject && m.Was != nil:
			s.since.far = true
		case m.Entity == engram.EntityMemory:
			num, err := strconv.ParseInt(m.Key, 10, 64)
			if err != nil {
				return err
			}
			nums = append(nums, num)
		}
	}
	s.since.upto = last
	return s.read(ctx, nums)
}

// read reads what was written.
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
		s.since.touched[num] = true
		delete(s.since.written, num)
	}
	for _, m := range ms {
		w := written{memory: m}
		if v := vectors[m.Num]; vector.Normalise(v) { // stores keep them as whole numbers
			w.vector = v
		}
		s.since.written[m.Num] = w
	}
	return nil
}

// around is what is near to m now: what was near before the transaction, but for what
// was written since, which is looked at once more.
func (s *saver) around(ctx context.Context, t intake, m engram.Memory) ([]likeness, error) {
	if t.vector == nil {
		return nil, nil
	}
	if err := s.catchUp(ctx); err != nil {
		return nil, err
	}
	if s.since.far || t.project != m.Project {
		return s.likenesses(ctx, s.tx, t, m)
	}
	var all []likeness
	for _, n := range t.near {
		if !s.since.touched[n.Memory.Num] {
			all = append(all, n)
		}
	}
	mark := leastOf(s.embedder.Model())
	for _, w := range s.since.written {
		if !isBeside(w.memory, m) || w.vector == nil {
			continue
		}
		if cosine := vector.Dot(t.vector, w.vector); cosine >= mark {
			all = append(all, s.against(t, Near{w.memory, cosine}))
		}
	}
	slices.SortFunc(all, func(a, b likeness) int {
		return cmp.Or(cmp.Compare(b.Cosine, a.Cosine), cmp.Compare(a.Memory.Num, b.Memory.Num))
	})
	return all[:min(len(all), s.policy.MostNear)], nil
}
