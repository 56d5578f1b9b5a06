package relate

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"time"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/engine/ledger"
	"github.com/alanbuscaglia/engram/internal/engine/search"
	"github.com/alanbuscaglia/engram/internal/engine/walk"
	"github.com/alanbuscaglia/engram/internal/lifecycle"
	"github.com/alanbuscaglia/engram/internal/vector"
)

// walk compares the requested memories of each scope with all: by vectors in memory, then near ones by their
// words. Each page is its own transaction, so that no snapshot is held long; later saves are not seen.
func (s *scan) walk(ctx context.Context) error {
	scopes, err := s.outlines(ctx)
	if err != nil {
		return err
	}
	asked := func(num int64) bool { return s.asked[num] }
	for _, scope := range slices.Sorted(maps.Keys(scopes)) {
		search := DuplicateSearch{Linker: s.linker}
		alike, nums, err := search.vectors(ctx, scopes[scope], asked)
		if err != nil {
			return err
		}
		s.inspected(walk.CountIf(scopes[scope], asked) - walk.CountIf(nums, asked)) // without a vector nothing is near
		for first := 0; first < len(nums); first += scanPage {
			if err := s.look(ctx, alike, nums, first, min(first+scanPage, len(nums))); err != nil {
				return err
			}
		}
	}
	return nil
}

// outlines reads the current memories of each scope, oldest first, and which to examine.
func (s *scan) outlines(ctx context.Context) (map[engram.Scope][]int64, error) {
	scopes := map[engram.Scope][]int64{}
	s.asked = map[int64]bool{}
	since := s.in.Since.Truncate(time.Millisecond) // as times are stored
	err := s.linker.ledger.View(ctx, func(r engram.Reader) error {
		return r.Outlines(ctx, engram.Filter{Project: s.in.Project, Current: true}, 0, func(m engram.Memory) bool {
			scopes[m.Scope] = append(scopes[m.Scope], m.Num)
			if !m.CreatedAt.Before(since) {
				s.asked[m.Num] = true
			}
			return true
		})

	})
	for _, nums := range scopes {
		slices.Sort(nums)
	}
	return scopes, err
}

func (s *scan) inspected(n int) {
	s.out.Inspected += n
	s.report("scanning", s.out.Inspected, len(s.asked))
}

func (s *scan) report(what string, done, total int) {
	ledger.Progress(s.in.Progress).Report(what, done, total)
}

// look compares the requested memories in a range with their nearest ones.
func (s *scan) look(ctx context.Context, alike *vector.Alike, nums []int64, first, end int) error {
	mark := LeastOf(s.linker.ledger.Embedder.Model())
	var pairs []lifecycle.NearDuplicate
	var page []int64
	for place := first; place < end; place++ {
		num := nums[place]
		if !s.asked[num] {
			continue
		}
		page = append(page, num)
		for _, near := range alike.Nearest(place, scanNeighbours, mark) {
			key := pairOf(num, nums[near.Num])
			if !s.seen[key] {
				s.seen[key] = true
				pairs = append(pairs, lifecycle.NearDuplicate{A: num, B: nums[near.Num], Cosine: near.Score})
			}
		}
	}
	if len(pairs) > 0 {
		if err := s.linker.ledger.View(ctx, func(r engram.Reader) error { return s.weighAll(ctx, r, page, pairs) }); err != nil {
			return err
		}
	}
	s.inspected(len(page))
	return ctx.Err()
}

// weighAll compares the words of pairs with one memory on the page.
func (s *scan) weighAll(ctx context.Context, r engram.Reader, page []int64, pairs []lifecycle.NearDuplicate) error {
	known, err := s.judgments(ctx, r, page)
	if err != nil {
		return err
	}
	texts, err := s.texts.of(ctx, r, NumsOfDuplicates(pairs))
	if err != nil {
		return err
	}
	for _, p := range pairs {
		a, b := texts[p.A], texts[p.B]
		if a == nil || b == nil || !search.IsBeside(b.memory, a.memory) || a.memory.Forgotten() {
			continue // changed meanwhile
		}
		s.weigh(a, b, p.Cosine, known[pairOf(p.A, p.B)])
	}
	return nil
}

// weigh keeps a pair if there is something to ask about it.
func (s *scan) weigh(a, b *compared, cosine float64, known engram.RelationStatus) {
	m, n, model := a.memory, search.Near{Memory: b.memory, Cosine: cosine}, s.linker.ledger.Embedder.Model()
	d, differ := a.reading.Against(b.reading, NearnessOf(model, cosine))
	if differ {
		s.out.Found++
		if known != "" {
			s.out.AlreadyRelated++
		}
	}
	waits := known == engram.RelationPending
	if !differ && !waits && cosine < model.Related {
		return // too far apart to ask about
	}
	if known != "" && !(waits && s.in.Semantic) || !differ && !waits && !s.in.Semantic {
		return
	}
	p := scanned{ScanPair: ScanPair{Newer: m, Older: n.Memory}, near: n.Cosine, waits: waits}
	if search.SaidAt(n.Memory).After(search.SaidAt(m)) {
		p.Newer, p.Older = p.Older, p.Newer
		d.A, d.B = d.B, d.A
	}
	if differ {
		p.difference, p.Difference, p.Score = &d, ReasonOf(d), ScoreOf(n, d)
		p.series = s.related(a, b)
	}
	s.keep(p)
}

// related records a pair that may belong to a series, and reports whether it may.
func (s *scan) related(a, b *compared) bool {
	if !a.reading.Series(b.reading) {
		return false
	}
	if s.kin == nil {
		s.kin = map[int64]map[string]bool{}
	}
	for _, pair := range [][2]engram.Memory{{a.memory, b.memory}, {b.memory, a.memory}} {
		if s.kin[pair[0].Num] == nil {
			s.kin[pair[0].Num] = map[string]bool{pair[0].NormalizedHash: true}
		}
		s.kin[pair[0].Num][pair[1].NormalizedHash] = true
	}
	return true
}

// dropSeries removes pairs of a series, which shows only after all were seen.
func (s *scan) dropSeries() {
	s.pairs = slices.DeleteFunc(s.pairs, func(p scanned) bool {
		member := p.series && max(len(s.kin[p.Newer.Num]), len(s.kin[p.Older.Num])) >= leastSeries
		if member {
			s.out.Found--
		}
		return member
	})
}

// keep adds a pair, keeping only as many of the likeliest as can be flagged or asked about: all pairs of a
// project may not fit into memory.
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

// judgments returns the status of each judged or pending pair with a memory in nums.
func (s *scan) judgments(ctx context.Context, r engram.Reader, nums []int64) (map[[2]int64]engram.RelationStatus, error) {
	all, err := engram.RelationsOf(ctx, r, nums, nil, 0)
	known := map[[2]int64]engram.RelationStatus{}
	for _, rel := range all {
		if rel.Judgment() {
			known[pairOf(rel.Source, rel.Target)] = rel.Status
		}
	}
	return known, err
}

// pairOf returns an unordered pair of memories.
func pairOf(a, b int64) [2]int64 { return [2]int64{min(a, b), max(a, b)} }

// sort orders pairs by the score of their difference, then by similarity.
func (s *scan) sort() {
	slices.SortFunc(s.pairs, func(a, b scanned) int {
		return cmp.Or(cmp.Compare(b.Score, a.Score), cmp.Compare(b.near, a.near),
			cmp.Compare(a.Newer.Num, b.Newer.Num), cmp.Compare(a.Older.Num, b.Older.Num))
	})
}
