package engine

import (
	"cmp"
	"context"
	"slices"
	"strconv"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/vector"
)

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
