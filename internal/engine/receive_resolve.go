package engine

import (
	"cmp"
	"context"
	"maps"
	"math"
	"slices"
	"time"

	"github.com/alanbuscaglia/engram"
)

// relationResolved is the reason of entries that show or hide a relation without a write.
const relationResolved = "visibility decided by another relation of the pair"

// contested is a relation that was not removed by a write, whether it is visible or not.
type contested struct {
	relation engram.Relation
	metadata engram.CausalMetadata
	show     bool
}

// before orders by the latest verdict: the first is shown, so that all replicas with both show the same.
func (a contested) before(b contested) int {
	return cmp.Or(b.metadata.Of(engram.PartVerdict).Compare(a.metadata.Of(engram.PartVerdict)), cmp.Compare(a.relation.ID, b.relation.ID))
}

func (a contested) written() engram.Relation {
	r := a.relation
	r.RemovedAt = time.Time{}
	return r
}

// resolveRelations decides which of conflicting relations are visible: one of several that say the same of a pair,
// one of several judgments of a pair, and of a cycle of supersedes all but the oldest. Only written values count.
// over are new or changed relations that supersede.
func (o *op) resolveRelations(ctx context.Context, over []int64) error {
	hidden, err := o.tx.Replica().Shadowed(ctx, engram.EntityRelation, engram.PartVerdict)
	if err != nil || len(hidden) == 0 && len(over) == 0 {
		return err
	}
	t := resolvingRelations{op: o, all: map[int64]*contested{}}
	for _, k := range hidden {
		r, err := o.tx.Relation(ctx, engram.RelationRef{Num: numOf(k)})
		if err != nil {
			return err
		}
		if err := t.resolvePair(ctx, r); err != nil {
			return err
		}
	}
	if err := t.resolveRings(ctx, over); err != nil {
		return err
	}
	// First hide, to make room.
	for _, show := range []bool{false, true} {
		for _, num := range slices.Sorted(maps.Keys(t.all)) {
			if s := t.all[num]; s.show == show && s.relation.Removed() == show {
				if err := o.showContested(ctx, *s); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

type resolvingRelations struct {
	*op
	all map[int64]*contested // the relations under consideration, by number
}

// add puts a relation under consideration, visible for now. It returns nil for a relation of a memory that was erased
// elsewhere and is only hidden here: the erasure took the relation too.
func (t resolvingRelations) add(ctx context.Context, r engram.Relation) (*contested, error) {
	if s, known := t.all[r.Num]; known {
		return s, nil
	}
	ends, err := t.tx.Memories(ctx, []int64{r.Source, r.Target})
	if err != nil {
		return nil, err
	}
	names := mapped(ends, func(m engram.Memory) string { return m.SyncID })
	away, err := erasedAmong(ctx, t.tx, engram.EntityMemory, names)
	if err != nil {
		return nil, err
	}
	for _, m := range ends {
		if away.has(engram.EntityMemory, m.Project, m.SyncID) {
			return nil, nil
		}
	}
	s, err := t.contested(ctx, r)
	if err == nil {
		t.all[r.Num] = s
	}
	return s, err
}

func (o *op) contested(ctx context.Context, r engram.Relation) (*contested, error) {
	l, err := metadataOf(ctx, o.tx, relationRecord(r))
	return &contested{r, l, true}, err
}

// resolvePair resolves the relations of a pair of memories, one of which is hidden.
func (t resolvingRelations) resolvePair(ctx context.Context, h engram.Relation) error {
	if _, known := t.all[h.Num]; known {
		return nil
	}
	pair, err := engram.RelationsBetween(ctx, t.tx, h.Source, h.Target)
	if err != nil {
		return err
	}
	gone, err := engram.RemovedRelations(ctx, t.tx, []int64{h.Source}, time.Time{})
	if err != nil {
		return err
	}
	var here []*contested
	for _, r := range append(pair, gone...) {
		if min(r.Source, r.Target) != min(h.Source, h.Target) || max(r.Source, r.Target) != max(h.Source, h.Target) {
			continue
		}
		if r.Removed() {
			l, known, err := shadowedMetadata(ctx, t.tx, r.Num)
			if err != nil {
				return err
			}
			if !known || isShadowed(l, engram.PartDeleted) {
				continue // removed by a write, or hidden by the user
			}
		}
		s, err := t.add(ctx, r)
		if err != nil {
			return err
		}
		if s != nil {
			here = append(here, s)
		}
	}
	slices.SortFunc(here, func(a, b *contested) int { return a.before(*b) })
	judged := false
	for n, s := range here {
		now := s.written()
		for _, other := range here[:n] {
			if other.relation.Verb == now.Verb && (other.relation.Source == now.Source || holdsBothWays(now.Verb)) {
				s.show = false
			}
		}
		if s.show && now.Judgment() {
			s.show, judged = !judged, true
		}
	}
	return nil
}

// shadowedMetadata returns the causal metadata of a relation; shadowed is false unless another relation is shown for it.
func shadowedMetadata(ctx context.Context, r engram.Reader, num int64) (l engram.CausalMetadata, shadowed bool, err error) {
	l, _, err = knownMetadata(ctx, r, engram.EntityRelation, key(num))
	return l, isShadowed(l, engram.PartVerdict), err
}

// resolveRings hides the oldest relation of each cycle of supersedes: relations are admitted latest first, as long as
// they close no cycle.
func (t resolvingRelations) resolveRings(ctx context.Context, over []int64) error {
	var edges []*contested
	var next []int64
	added := map[int64]bool{}
	add := func(r engram.Relation) error {
		if s, known := t.all[r.Num]; known && !s.show || added[r.Num] {
			return nil
		}
		s, err := t.add(ctx, r)
		if err != nil || s == nil {
			return err
		}
		added[r.Num] = true
		edges, next = append(edges, s), append(next, r.Target)
		return nil
	}
	for _, num := range over {
		r, err := t.tx.Relation(ctx, engram.RelationRef{Num: num})
		if err != nil {
			return err
		}
		if r.Supersedes() {
			if err := add(r); err != nil {
				return err
			}
		}
	}
	for _, num := range slices.Sorted(maps.Keys(t.all)) {
		if s := t.all[num]; s.show && s.written().Supersedes() {
			if err := add(s.relation); err != nil {
				return err
			}
		}
	}
	// A cycle contains one of these relations: others are reachable from their targets.
	for seen := map[int64]bool{}; len(next) > 0; {
		var from []int64
		for _, num := range next {
			if !seen[num] {
				seen[num] = true
				from = append(from, num)
			}
		}
		next = nil
		for page := range slices.Chunk(from, exportPage) {
			rs, err := engram.RelationsOf(ctx, t.tx, page, []engram.Verb{engram.VerbSupersedes}, math.MaxInt32)
			if err != nil {
				return err
			}
			for _, r := range rs {
				if r.Supersedes() && seen[r.Source] && t.all[r.Num] == nil {
					if err := add(r); err != nil {
						return err
					}
				}
			}
		}
	}
	slices.SortFunc(edges, func(a, b *contested) int { return a.before(*b) })
	targets := map[int64][]int64{}
	for _, s := range edges {
		if reaches(targets, s.relation.Target, s.relation.Source) {
			s.show = false
			continue
		}
		targets[s.relation.Source] = append(targets[s.relation.Source], s.relation.Target)
	}
	return nil
}

func reaches(targets map[int64][]int64, from, to int64) bool {
	seen := map[int64]bool{}
	for next := []int64{from}; len(next) > 0; {
		num := next[len(next)-1]
		next = next[:len(next)-1]
		if num == to {
			return true
		}
		if !seen[num] {
			seen[num] = true
			next = append(next, targets[num]...)
		}
	}
	return false
}

// showContested shows or hides a relation. That is not a write, and leaves no stamp.
func (o *op) showContested(ctx context.Context, s contested) error {
	now, l := s.written(), withoutShadowed(s.metadata, engram.PartVerdict)
	if !s.show {
		now.RemovedAt, l = o.at, withShadowed(s.metadata, engram.PartVerdict, time.Time{})
	}
	if err := o.tx.ReplicaTx().PutCausalMetadata(ctx, engram.EntityRelation, key(now.Num), l); err != nil {
		return err
	}
	m, err := o.tx.Memory(ctx, engram.ByNum(now.Source))
	if err != nil {
		return err
	}
	return o.rewriteRelation(ctx, s.relation, now, m.Project, relationResolved)
}

// takeResolvedRelation hides a relation that an operation showed, so that the earlier one may come back;
// resolveRelations decides.
func (u *undoing) takeResolvedRelation(ctx context.Context, entry engram.Mutation, r engram.Relation) error {
	u.relationsChanged = true
	if r.Removed() {
		return nil
	}
	s, err := u.contested(ctx, r)
	if err != nil {
		return err
	}
	s.show = false
	u.changed(entry, "resolved again: #%d %s #%d", r.Source, r.Verb, r.Target)
	return u.showContested(ctx, *s)
}
