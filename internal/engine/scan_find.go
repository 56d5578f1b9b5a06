package engine

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/contradiction"
)

// walk looks at every memory asked for. Each page is a transaction of its own, so that no
// snapshot is held for long: what is saved meanwhile may be seen or not.
func (s *scan) walk(ctx context.Context) error {
	f := engram.Filter{Project: s.in.Project, Since: s.in.Since, Current: true}
	total := 0
	err := s.store.View(ctx, func(r engram.Reader) error {
		stats, err := r.Stats(ctx, s.in.Project)
		total = stats.Memories
		if engram.CodeOf(err) == engram.CodeNotFound {
			return nil // nothing is in a project that does not exist
		}
		return err
	})
	if err != nil {
		return err
	}
	for page := (engram.Page{Limit: scanPage}); ; page.Offset += scanPage {
		n := 0
		err := s.store.View(ctx, func(r engram.Reader) error {
			ms, err := r.List(ctx, f, page)
			if n = len(ms); err != nil || n == 0 {
				return err
			}
			return s.look(ctx, r, ms)
		})
		if err != nil {
			return err
		}
		s.out.Inspected += n
		s.tell("scanning", min(s.out.Inspected, total), total)
		if n < scanPage {
			return nil
		}
	}
}

func (s *scan) tell(what string, done, total int) {
	if s.in.Progress != nil {
		s.in.Progress(what, done, total)
	}
}

// look compares each of the memories with those near to it.
func (s *scan) look(ctx context.Context, r engram.Reader, ms []engram.Memory) error {
	nums := make([]int64, len(ms))
	for i, m := range ms {
		nums[i] = m.Num
	}
	model := s.embedder.Model()
	vectors, err := r.Vectors(ctx, model.Fingerprint, nums)
	if err != nil {
		return err
	}
	known, err := s.judgments(ctx, r, nums)
	if err != nil {
		return err
	}
	for _, m := range ms {
		near, err := s.near(ctx, r, m, vectors[m.Num], scanNeighbours)
		if err != nil {
			return err
		}
		near = slices.DeleteFunc(near, func(n Near) bool { return n.Cosine < model.Related })
		hidden, err := replaced(ctx, r, numsNear(near))
		if err != nil {
			return err
		}
		read := contradiction.Read(comparedOf(m))
		for _, n := range near {
			key := pairOf(m.Num, n.Memory.Num)
			if s.seen[key] || hidden[n.Memory.Num] { // what was superseded need not be right
				continue
			}
			s.seen[key] = true
			s.weigh(m, read, n, model, known[key])
		}
	}
	return nil
}

// weigh takes a pair up, if there is anything to ask about it.
func (s *scan) weigh(m engram.Memory, read contradiction.Reading, n Near, model engram.Model, known engram.RelationStatus) {
	nearness := contradiction.Nearness{Cosine: n.Cosine, Related: model.Related, Duplicate: model.Duplicate}
	d, differ := read.Against(contradiction.Read(comparedOf(n.Memory)), nearness)
	if differ {
		s.out.Found++
		if known != "" {
			s.out.AlreadyRelated++
		}
	}
	waits := known == engram.RelationPending
	if known != "" && !(waits && s.in.Semantic) || !differ && !waits && !s.in.Semantic {
		return
	}
	p := scanned{ScanPair: ScanPair{Newer: m, Older: n.Memory}, near: n.Cosine, waits: waits}
	if saidAt(n.Memory).After(saidAt(m)) {
		p.Newer, p.Older = p.Older, p.Newer
		d.A, d.B = d.B, d.A
	}
	if differ {
		p.difference, p.Difference, p.Score = &d, reasonOf(d), scoreOf(n, d)
	}
	s.keep(p)
}

// keep adds a pair. Only so many of the likeliest are kept as can be raised or asked
// about: a project may have more pairs than fit into memory.
func (s *scan) keep(p scanned) {
	s.pairs = append(s.pairs, p)
	most := s.in.MaxInsert + s.in.MaxSemantic
	if len(s.pairs) <= 2*most {
		return
	}
	s.sort()
	for _, p := range s.pairs[most:] {
		s.dropped++
		s.out.Capped = s.out.Capped || p.difference != nil && !p.waits
	}
	s.pairs = slices.Clone(s.pairs[:most])
}

func numsNear(near []Near) []int64 {
	nums := make([]int64, len(near))
	for i, n := range near {
		nums[i] = n.Memory.Num
	}
	return nums
}

// saidAt is when a memory got its text; a repeat or a mark is no new text.
func saidAt(m engram.Memory) time.Time {
	if m.RevisionCount > 1 {
		return m.UpdatedAt
	}
	return m.CreatedAt
}

// judgments returns the status of each pair of which one is among nums and which is a
// candidate or has a verdict.
func (s *scan) judgments(ctx context.Context, r engram.Reader, nums []int64) (map[[2]int64]engram.RelationStatus, error) {
	all, err := r.Relations(ctx, nums)
	known := map[[2]int64]engram.RelationStatus{}
	for _, rel := range all {
		if rel.Judgment() {
			known[pairOf(rel.Source, rel.Target)] = rel.Status
		}
	}
	return known, err
}

// pairOf is two memories in no order.
func pairOf(a, b int64) [2]int64 { return [2]int64{min(a, b), max(a, b)} }

// comparedOf is what of a memory is compared.
func comparedOf(m engram.Memory) contradiction.Text {
	return contradiction.Text{Title: m.Title, Content: m.Content}
}

// sort puts the likeliest pairs first: those that differ by their score, then the others
// by how near they are.
func (s *scan) sort() {
	slices.SortFunc(s.pairs, func(a, b scanned) int {
		return cmp.Or(cmp.Compare(b.Score, a.Score), cmp.Compare(b.near, a.near),
			cmp.Compare(a.Newer.Num, b.Newer.Num), cmp.Compare(a.Older.Num, b.Older.Num))
	})
}
