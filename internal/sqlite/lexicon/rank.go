package lexicon

import (
	"cmp"
	"context"
	"math"
	"slices"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/postings"
	"github.com/alanbuscaglia/engram/internal/retrieval"
	"github.com/alanbuscaglia/engram/internal/vector"
)

// repairedWorth is the weight of a corrected word relative to an exact one.
const repairedWorth = 0.7

// rank scores the memories in scope that contain at least least of the words (0: any) and returns the
// best.
func (s *search) rank(ctx context.Context, ws []*word, least, limit int) ([]engram.Ranked, error) {
	if len(ws) == 0 {
		return nil, nil
	}
	worth := make([]retrieval.Word, len(ws))
	for i, w := range ws {
		worth[i] = s.collection().Word(w.rows)
		if w.repaired {
			worth[i] = worth[i].Times(repairedWorth)
		}
	}
	best := vector.NewTop(limit)
	if s.scope.Check != nil {
		best = vector.NewTop(math.MaxInt) // any number of the best may fail the check
	}
	sum := sums{score: make([]float32, MaxSlots), words: make([]uint16, MaxSlots)}
	for i, g := range s.scope.segments {
		held := false
		for _, w := range ws {
			held = held || !w.spread[i].empty()
		}
		if !held {
			continue
		}
		sum.reset(g.slots)
		lengths, err := s.scope.index.lengthsOf(ctx, g)
		if err != nil {
			return nil, err
		}
		for j, w := range ws {
			ps, err := w.spread[i].postings(s.scratch)
			if err != nil {
				return nil, err
			}
			if w.spread[i].merged == nil {
				s.scratch = ps
			}
			if err := sum.add(ps, worth[j], lengths); err != nil {
				return nil, err
			}
		}
		in, err := s.scope.in(ctx, g)
		if err != nil {
			return nil, err
		}
		if in.Docs != nil {
			sum.collect(best, in, uint16(least))
		} else if err := sum.choose(ctx, best, in, uint16(least)); err != nil {
			return nil, err
		}
	}
	if s.scope.Check != nil {
		return s.checked(ctx, best.Ranked(), limit)
	}
	return best.Ranked(), nil
}

// checkAtOnce is how many memories are checked per statement.
const checkAtOnce = 250

// checked returns the first hits that pass the conditions that need the memory itself.
func (s *search) checked(ctx context.Context, found []engram.Ranked, limit int) ([]engram.Ranked, error) {
	var kept []engram.Ranked
	for some := range slices.Chunk(found, checkAtOnce) {
		nums := make([]int64, len(some))
		for i, f := range some {
			nums[i] = f.Num
		}
		pass, err := s.scope.Check(ctx, nums)
		if err != nil {
			return nil, err
		}
		for _, f := range some {
			if pass[f.Num] {
				if kept = append(kept, f); len(kept) == limit {
					return kept, nil
				}
			}
		}
	}
	return kept, nil
}

// sums adds up the scores of one segment's documents.
type sums struct {
	score []float32
	words []uint16 // number of the query's words per document
}

func (s *sums) reset(slots int) {
	if slots > len(s.score) {
		s.score, s.words = make([]float32, slots), make([]uint16, slots)
		return
	}
	clear(s.score)
	clear(s.words)
}

// add adds the scores of one word.
func (s *sums) add(ps []postings.Posting, w retrieval.Word, lengths postings.Lengths) error {
	if len(ps) > 0 && int(ps[len(ps)-1].Slot) >= lengths.Len() { // slots ascend
		return postings.ErrDamaged
	}
	for _, p := range ps {
		s.score[p.Slot] += float32(w.Score(float64(p.TF), float64(lengths.Of(int(p.Slot)))))
		s.words[p.Slot]++
	}
	return nil
}

// collect offers the documents in scope that contain a word, and at least least.
func (s *sums) collect(best *vector.Top, in *Part, least uint16) {
	bar, _ := best.Least()
	for slot := range in.Docs.Len() {
		score := float64(s.score[slot])
		if s.words[slot] == 0 || s.words[slot] < least || score < bar || !in.Pass(slot) {
			continue
		}
		best.Offer(in.Docs.Num(slot), score)
		bar, _ = best.Least()
	}
}

// choose is collect for documents that are not loaded: it checks the best scores first, so that it reads
// few pages.
func (s *sums) choose(ctx context.Context, best *vector.Top, in *Part, least uint16) error {
	var slots []int
	bar, _ := best.Least()
	for slot, n := range s.words[:in.of.slots] {
		if n > 0 && n >= least && float64(s.score[slot]) >= bar {
			slots = append(slots, slot)
		}
	}
	slices.SortFunc(slots, func(a, b int) int { return cmp.Compare(s.score[b], s.score[a]) })
	for _, slot := range slots {
		score := float64(s.score[slot])
		if bar, _ := best.Least(); score < bar {
			return nil
		}
		docs, i, err := in.at(ctx, slot)
		if err != nil {
			return err
		}
		if in.passes(docs, i, slot) {
			best.Offer(docs.Num(i), score)
		}
	}
	return nil
}

// A session is scored as one long text made of its memories. Sessions of more than longSession memories
// are not conversations but collections, such as imports or the default session: these are split into
// stretches of stretchMemories consecutive numbers.
const (
	longSession     = 64
	stretchShift    = 5
	stretchMemories = 1 << stretchShift
	mostStretches   = 1 << 20 // above this, sessions are not split
	mostSessions    = 1 << 24 // greater numbers mean damage
)

// stretches numbers the scored parts of sessions.
type stretches struct {
	search   *search
	sessions []sessionSpan
	length   []int64 // words per stretch; 0 for empty ones
	full     int     // number of stretches with memories
	sum      int64   // total words
}

// sessionSpan is the range of one session's memories.
type sessionSpan struct {
	count       int
	words       int64
	first, last int64 // memory numbers >> stretchShift
	base        int   // number of its first stretch
	long        bool
}

// inProject calls fn for the live documents of the project that have a session.
func (s *search) inProject(fn func(d postings.Docs, slot int, session uint32)) {
	for _, g := range s.scope.segments {
		mixed := s.scope.mixed(g)
		for slot := range g.docs.Len() {
			at := g.docs.Session(slot)
			if at == 0 || at > mostSessions || !g.docs.Live(slot) || mixed && !s.scope.has(int64(g.docs.Project(slot))) {
				continue
			}
			fn(g.docs, slot, at)
		}
	}
}

func (s *search) stretches() *stretches {
	t := &stretches{search: s}
	long := false
	s.inProject(func(d postings.Docs, slot int, session uint32) {
		if int(session) >= len(t.sessions) {
			t.sessions = slices.Grow(t.sessions, int(session)+1)[:int(session)+1] // Grow doubles: session numbers mostly ascend
		}
		span, at := &t.sessions[session], d.Num(slot)>>stretchShift
		if span.count == 0 {
			span.first, span.last = at, at
		}
		span.count++
		span.words += int64(d.Length(slot))
		span.first, span.last = min(span.first, at), max(span.last, at)
		long = long || span.count > longSession
	})
	t.number(long)
	if len(t.length) > mostStretches {
		long = false
		t.number(long)
	}
	t.measure(long)
	return t
}

// measure counts the words of the stretches.
func (t *stretches) measure(long bool) {
	for _, span := range t.sessions {
		if span.count > 0 && !span.long {
			t.length[span.base] = span.words
		}
	}
	if long {
		t.search.inProject(func(d postings.Docs, slot int, session uint32) {
			if t.sessions[session].long {
				t.length[t.of(session, d.Num(slot))] += int64(d.Length(slot))
			}
		})
	}
	for _, words := range t.length {
		if words > 0 {
			t.full++
			t.sum += words
		}
	}
}

// number assigns the stretches their numbers.
func (t *stretches) number(split bool) {
	ids := 0
	for i := range t.sessions {
		span := &t.sessions[i]
		span.base, span.long = ids, split && span.count > longSession
		switch {
		case span.count == 0:
		case span.long:
			ids += int(min(span.last-span.first, mostStretches)) + 1
		default:
			ids++
		}
		if ids > mostStretches && split {
			break
		}
	}
	t.length = make([]int64, ids)
}

// of returns the stretch of a memory in a session.
func (t *stretches) of(session uint32, num int64) int {
	span := t.sessions[session]
	if !span.long {
		return span.base
	}
	return span.base + int(num>>stretchShift-span.first)
}

// bySession scores the session of each hit, or its stretch of a long one, by BM25 with sessions as
// documents. With fewer than two sessions the result is empty.
func (s *search) bySession(ws []*word, hits []standing) (map[int64]float64, error) {
	found := make(map[int64]float64, len(hits))
	if len(hits) == 0 {
		return found, nil
	}
	t := s.stretches()
	if t.full < 2 {
		return found, nil
	}
	collection := retrieval.BM25{Rows: t.full, Length: float64(t.sum) / float64(t.full)}
	score := make([]float64, len(t.length))
	tf := make([]uint32, len(t.length)) // of one word, by stretch
	var having []int                    // stretches that contain it
	for _, w := range ws {
		having = having[:0]
		err := s.eachPosting(w, func(g *segment, slot int, n uint32) {
			session := g.docs.Session(slot)
			if session == 0 || session > mostSessions {
				return
			}
			id := t.of(session, g.docs.Num(slot))
			if tf[id] == 0 {
				having = append(having, id)
			}
			tf[id] += n
		})
		if err != nil {
			return nil, err
		}
		worth := collection.Word(len(having))
		if w.repaired {
			worth = worth.Times(repairedWorth)
		}
		for _, id := range having {
			score[id] += worth.Score(float64(tf[id]), float64(t.length[id]))
			tf[id] = 0
		}
	}
	for _, f := range hits {
		found[f.num] = score[t.of(f.session, f.num)]
	}
	return found, nil
}

// eachPosting calls fn for the project's postings of a word.
func (s *search) eachPosting(w *word, fn func(g *segment, slot int, n uint32)) error {
	for i, g := range s.scope.segments {
		if w.spread[i].empty() {
			continue
		}
		ps, err := w.spread[i].postings(s.scratch)
		if err != nil {
			return err
		}
		if w.spread[i].merged == nil {
			s.scratch = ps
		}
		if len(ps) > 0 && int(ps[len(ps)-1].Slot) >= g.docs.Len() {
			return postings.ErrDamaged
		}
		mixed := s.scope.mixed(g)
		for _, p := range ps {
			if slot := int(p.Slot); g.docs.Live(slot) && (!mixed || s.scope.has(int64(g.docs.Project(slot)))) {
				fn(g, slot, p.TF)
			}
		}
	}
	return nil
}
