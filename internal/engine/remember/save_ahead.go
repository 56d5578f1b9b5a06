package remember

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strconv"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/contradiction"
	"github.com/alanbuscaglia/engram/internal/engine/ledger"
	"github.com/alanbuscaglia/engram/internal/engine/projects"
	"github.com/alanbuscaglia/engram/internal/engine/relate"
	"github.com/alanbuscaglia/engram/internal/engine/screen"
	"github.com/alanbuscaglia/engram/internal/engine/search"
	"github.com/alanbuscaglia/engram/internal/engine/walk"
	"github.com/alanbuscaglia/engram/internal/lifecycle"
	"github.com/alanbuscaglia/engram/internal/text"
	"github.com/alanbuscaglia/engram/internal/vector"
)

// A save searches for similar memories before its transaction: embedding and ranking would block all other
// writers. Within the transaction the journal tells what was written meanwhile (recentWrites), so of two
// processes that save the same text at once, the second finds the first one's memory.

// Intake is a memory to save and what is known before its transaction.
type Intake struct {
	in       SaveInput
	Draft    engram.Memory
	redactor *screen.Redactor      // redacted its texts
	reading  contradiction.Reading // of the draft; only with a vector
	vector   []float32             // nil: no similarity search
	project  string                // project that was searched
	// folder is that of the session, if it was remembered.
	folder     string
	remembered bool
	near       []relate.Neighbour // at least the model's related mark, nearest first
	// overtaken is set if a later item of the batch has the same topic.
	overtaken bool
	// instead is the NormalizedHash of the session summary that this one replaces; "" for none.
	instead string
	worded  []int64 // memories that contain all its words; only for a possible merge
}

// Lookahead is what a save or batch knew before its transaction.
type Lookahead struct {
	intakes  []Intake
	seen     int64                // Seq of the newest journal entry then
	Embedded map[string][]float32 // vectors by text, to compute each once
	vectors  [][]float32          // of the intakes; nil: they are not compared
	trouble  string               // why similarity was not checked, for a person; "" if it was
}

// LookAhead embeds the drafts and finds similar memories. A slow or failing model, or damaged vectors, only
// cost the similarity check.
func (w *Writer) LookAhead(ctx context.Context, intakes []Intake) (*Lookahead, error) {
	out, err := w.embedAhead(ctx, intakes)
	if err != nil || !out.looks() {
		return out, err
	}
	return out, w.ledger.View(ctx, func(r engram.Reader) error { return w.look(ctx, r, out) })
}

// embedAhead embeds the drafts.
func (w *Writer) embedAhead(ctx context.Context, intakes []Intake) (*Lookahead, error) {
	out := &Lookahead{intakes: intakes}
	if w.ledger.Embedder == nil {
		return out, nil
	}
	model := w.ledger.Embedder.Model()
	if !model.Instant {
		out.trouble = model.Name + " is too slow to ask during a save"
		return out, nil
	}
	texts := walk.Mapped(intakes, func(t Intake) string { return ledger.EmbeddedText(t.Draft) })
	vectors, err := ledger.VectorsOf(ctx, w.ledger.Embedder, texts, engram.RoleMemory)
	if err != nil {
		out.trouble = model.Name + " cannot answer"
		return out, ctx.Err()
	}
	out.Embedded = make(map[string][]float32, len(texts))
	for i, v := range vectors {
		out.Embedded[texts[i]] = v
	}
	if model.Related <= 0 {
		out.trouble = model.Name + " has no similarity marks"
		return out, nil
	}
	out.vectors = vectors
	return out, nil
}

// looks reports whether there is anything to look for in the store.
func (out *Lookahead) looks() bool {
	return out.vectors != nil || slices.ContainsFunc(out.intakes, merges)
}

func merges(t Intake) bool { return t.in.Admit == AdmitMerging }

// look searches what the saves need.
func (w *Writer) look(ctx context.Context, r engram.Reader, out *Lookahead) error {
	if err := lookForWords(ctx, r, out.intakes); err != nil || out.vectors == nil {
		return err
	}
	err := w.lookAround(ctx, r, out)
	if engram.CodeOf(err) == engram.CodeInternal {
		out.trouble, err = "the vectors are damaged: run engram reembed --all", nil
	}
	return err
}

// Limits of the search for memories containing a text. A text merged into a long memory may be far from it in
// meaning; without this search, every repeat would be saved again.
const (
	mostWordsLookedFor = 24
	mostWorded         = 20
)

// lookForWords finds memories that may contain the text of a draft that may be merged.
func lookForWords(ctx context.Context, r engram.Reader, intakes []Intake) error {
	for i := range intakes {
		t := &intakes[i]
		if !merges(*t) {
			continue
		}
		terms := slices.DeleteFunc(text.Query(t.Draft.Content), func(term engram.Term) bool { return term.Stop || term.Joined })
		if len(terms) == 0 {
			continue
		}
		project, err := projectAhead(ctx, r, t.Draft)
		if err != nil {
			return err
		}
		found, err := r.Lexical(ctx, engram.LexicalQuery{Terms: terms[:min(len(terms), mostWordsLookedFor)], All: true, Limit: mostWorded,
			Filter: engram.Filter{Project: project, Scope: t.Draft.Scope}})
		if err != nil {
			return err
		}
		t.worded = walk.NumsOf(found.Hits)
	}
	return nil
}

func (w *Writer) lookAround(ctx context.Context, r engram.Reader, out *Lookahead) error {
	head, err := r.Replica().Head(ctx)
	if err != nil {
		return err
	}
	out.seen = head.Seq
	type written struct{ session, project string }
	projects := map[written]string{} // by what drafts say
	var ts []*Intake
	var ms []engram.Memory
	for i := range out.intakes {
		t := &out.intakes[i]
		if !w.compares(t.Draft.Type, t.in.Admit) {
			continue
		}
		t.vector, t.reading = out.vectors[i], w.texts.Read(relate.ComparisonText(t.Draft))
		m := t.Draft
		at := written{m.SessionID, m.Project}
		project, known := projects[at]
		if !known {
			if project, err = projectAhead(ctx, r, m); err != nil {
				return err
			}
			projects[at] = project
		}
		t.project, m.Project = project, project
		ts, ms = append(ts, t), append(ms, m)
	}
	near, err := w.neighbours(ctx, r, ts, ms)
	if err != nil {
		return err
	}
	for i, t := range ts {
		t.near = near[i]
	}
	return nil
}

// compares reports whether a save of this type checks for similar memories.
func (w *Writer) compares(t engram.Type, mode lifecycle.AdmitMode) bool {
	return mode == lifecycle.AdmitMerging || !slices.Contains(w.ledger.Policy.Unlinked, t)
}

// projectAhead predicts the project of a draft; place decides.
func projectAhead(ctx context.Context, r engram.Reader, m engram.Memory) (string, error) {
	if m.SessionID != "" {
		s, err := r.Session(ctx, m.SessionID)
		if err != nil && engram.CodeOf(err) != engram.CodeNotFound {
			return "", err
		}
		if m.Project == "" || m.Project == s.Project {
			return s.Project, nil
		}
	}
	return projects.CanonicalProject(ctx, r, m.Project)
}

// neighbours finds memories similar to each of ms, the drafts of ts in their projects, except superseded ones.
func (w *Writer) neighbours(ctx context.Context, r engram.Reader, ts []*Intake, ms []engram.Memory) ([][]relate.Neighbour, error) {
	seeks := make([]search.Seek, len(ts))
	for i, t := range ts {
		seeks[i] = search.Seek{Memory: ms[i], Vector: t.vector}
	}
	old := map[int64]bool{}
	replaced := func(ctx context.Context, nums []int64) error {
		some, err := search.Replaced(ctx, r, nums)
		maps.Copy(old, some)
		return err
	}
	found, err := w.search.NearEach(ctx, r, seeks, w.ledger.Policy.MostNear, relate.LeastOf(w.ledger.Embedder.Model()), replaced)
	if err != nil {
		return nil, err
	}
	all := make([][]relate.Neighbour, len(ts))
	for i, near := range found {
		if len(near) == 0 {
			continue
		}
		all[i] = make([]relate.Neighbour, 0, len(near)) // neighbours are large
		for _, n := range near {
			if !old[n.Memory.Num] {
				all[i] = append(all[i], relate.Neighbour{Near: n})
				w.compare(ts[i], &all[i][len(all[i])-1])
			}
		}
	}
	return all, nil
}

// compare compares a draft with a similar memory.
func (w *Writer) compare(t *Intake, n *relate.Neighbour) {
	other := w.texts.Read(relate.ComparisonText(n.Memory))
	n.Difference, n.Differs = t.reading.Against(other, relate.NearnessOf(w.ledger.Embedder.Model(), n.Cosine))
	n.Series = t.reading.Series(other)
}

// warning reports that the search for near-duplicates, if requested, was not possible.
func (out *Lookahead) warning(mode lifecycle.AdmitMode) []string {
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
	written map[int64]*recentMemory // touched memories that exist
}

type recentMemory struct {
	memory engram.Memory
	vector []float32
}

// mostSince limits the journal entries read before searching again is cheaper.
const mostSince = 1000

// catchUp reads what was written since.
func (s *Saver) catchUp(ctx context.Context) error {
	last := s.tx.Last
	if s.tx.First != 0 {
		head, err := s.tx.Store.Replica().Head(ctx)
		if err != nil {
			return err
		}
		last = head.Seq
	}
	n := last - s.recent.upto
	if n == 0 || s.recent.far {
		return nil
	}
	if n > mostSince {
		s.recent.far = true
		return nil
	}
	if nums, known := s.own(); known {
		s.recent.upto = last
		return s.read(ctx, nums)
	}
	entries, err := s.tx.Store.Mutations(ctx, engram.JournalSpan{}, engram.Page{Limit: int(n)})
	if err != nil {
		return err
	}
	clear(s.tx.Logged) // they are among the entries
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

// own returns the memories that this operation has written since, without the journal; known is false if others wrote
// too, or if it changed projects.
func (s *Saver) own() (nums []int64, known bool) {
	if s.tx.Logged == nil || s.recent.upto < s.tx.Last {
		return nil, false
	}
	for t := range s.tx.Logged {
		switch t.Entity {
		case engram.EntityProject:
			return nil, false
		case engram.EntityMemory:
			nums = append(nums, ledger.NumOf(t.Key))
		}
	}
	clear(s.tx.Logged)
	return nums, true
}

// remember keeps what a save has inserted, for the later items of a batch, as reading it would return it; what later
// items change of it is read.
func (s *Saver) remember(t Intake, res SaveResult) {
	m := res.Memory
	delete(s.made, m.Num)
	if s.tx.Logged == nil || res.Action != lifecycle.Insert || t.vector == nil || len(m.Metadata) > 0 || len(m.Anchors) > 0 {
		return
	}
	w := &recentMemory{memory: m}
	v, ok := vector.Row(vector.AppendRow(nil, t.vector), len(t.vector))
	if ok && vector.Normalise(v) {
		w.vector = v
	}
	s.made[m.Num] = w
}

func (s *Saver) read(ctx context.Context, nums []int64) error {
	slices.Sort(nums)
	nums = slices.DeleteFunc(slices.Compact(nums), func(num int64) bool {
		w, made := s.made[num]
		if made {
			s.recent.touched[num], s.recent.written[num] = true, w
		}
		return made
	})
	if len(nums) == 0 {
		return nil
	}
	ms, err := s.tx.Store.Memories(ctx, nums)
	if err != nil {
		return err
	}
	vectors, err := s.tx.Store.Vectors(ctx, s.writer.ledger.Embedder.Model().Fingerprint, nums)
	if err != nil {
		return err
	}
	for _, num := range nums {
		s.recent.touched[num] = true
		delete(s.recent.written, num)
	}
	for _, m := range ms {
		w := &recentMemory{memory: m}
		if v := vectors[m.Num]; vector.Normalise(v) { // stores keep them as integers
			w.vector = v
		}
		s.recent.written[m.Num] = w
	}
	return nil
}

// around returns what is similar to m now: the earlier neighbours, updated by what was written since.
func (s *Saver) around(ctx context.Context, t Intake, m engram.Memory) ([]relate.Neighbour, error) {
	if t.vector == nil {
		return nil, nil
	}
	if err := s.catchUp(ctx); err != nil {
		return nil, err
	}
	if s.recent.far || t.project != m.Project {
		all, err := s.writer.neighbours(ctx, s.tx.Store, []*Intake{&t}, []engram.Memory{m})
		if err != nil {
			return nil, err
		}
		return all[0], nil
	}
	if len(s.recent.touched) == 0 {
		return t.near, nil
	}
	type other struct {
		num    int64
		cosine float64
		known  *relate.Neighbour // compared before
		memory *recentMemory
	}
	var others []other
	for i := range t.near {
		if n := &t.near[i]; !s.recent.touched[n.Memory.Num] {
			others = append(others, other{num: n.Memory.Num, cosine: n.Cosine, known: n})
		}
	}
	asBefore := len(others) == len(t.near)
	mark := relate.LeastOf(s.writer.ledger.Embedder.Model())
	for num, w := range s.recent.written {
		if w.memory.Project != m.Project || w.vector == nil || !search.IsBeside(w.memory, m) { // most are of other projects
			continue
		}
		if cosine := vector.Dot(t.vector, w.vector); cosine >= mark {
			others = append(others, other{num: num, cosine: cosine, memory: w})
			asBefore = false
		}
	}
	nearest := func(a, b other) int { return cmp.Or(cmp.Compare(b.cosine, a.cosine), cmp.Compare(a.num, b.num)) }
	if asBefore && slices.IsSortedFunc(others, nearest) {
		return t.near, nil // they are large
	}
	slices.SortFunc(others, nearest)
	others = others[:min(len(others), s.writer.ledger.Policy.MostNear)]
	all := make([]relate.Neighbour, len(others))
	for i, o := range others {
		if o.known != nil {
			all[i] = *o.known
		} else {
			all[i].Near = search.Near{Memory: o.memory.memory, Cosine: o.cosine}
			s.writer.compare(&t, &all[i])
		}
	}
	return all, nil
}
