package ledger

import (
	"cmp"
	"context"
	"maps"
	"math"
	"slices"
	"time"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/engine/walk"
)

// Acyclic rejects a supersedes relation if target already supersedes source, directly or through others: a
// cycle would hide all its memories. A relation of the two themselves is replaced and does not count.
func (o *Tx) Acyclic(ctx context.Context, source, target int64) error {
	seen := map[int64]bool{target: true}
	for next := []int64{target}; len(next) > 0; {
		all, err := engram.RelationsOf(ctx, o.Store, next, []engram.Verb{engram.VerbSupersedes}, math.MaxInt32)
		if err != nil {
			return err
		}
		next = nil
		for _, r := range all {
			own := r.Source == target && r.Target == source
			if !r.Supersedes() || own || !seen[r.Source] || seen[r.Target] {
				continue
			}
			if r.Target == source {
				return engram.Errorf(engram.CodeConflict, "#%d cannot supersede #%d, which supersedes it through others", source, target).
					WithHint("{graph %d --relation supersedes} shows the chain", target)
			}
			seen[r.Target] = true
			next = append(next, r.Target)
		}
	}
	return nil
}

// IsBetween reports whether r relates two memories, in either direction.
func IsBetween(r engram.Relation, a, b int64) bool {
	return r.Source == a && r.Target == b || r.Source == b && r.Target == a
}

// HoldsBothWays reports whether a verb is symmetric.
func HoldsBothWays(v engram.Verb) bool {
	switch v {
	case engram.VerbContradicts, engram.VerbCompatible, engram.VerbScoped, engram.VerbNotConflict:
		return true
	}
	return false
}

// RelationResolved is the reason of entries that show or hide a relation without a write.
const RelationResolved = "visibility decided by another relation of the pair"

// Contested is a relation that was not removed by a write, whether it is visible or not.
type Contested struct {
	relation engram.Relation
	metadata engram.CausalMetadata
	Show     bool
}

// before orders by the latest verdict: the first is shown, so that all replicas with both show the same.
func (a Contested) before(b Contested) int {
	return cmp.Or(b.metadata.Of(engram.PartVerdict).Compare(a.metadata.Of(engram.PartVerdict)), cmp.Compare(a.relation.ID, b.relation.ID))
}

func (a Contested) written() engram.Relation {
	r := a.relation
	r.RemovedAt = time.Time{}
	return r
}

// ResolveRelations decides which of conflicting relations are visible: one of several that say the same of a pair,
// one of several judgments of a pair, and of a cycle of supersedes all but the oldest. Only written values count.
// over are new or changed relations that supersede.
func (o *Tx) ResolveRelations(ctx context.Context, over []int64) error {
	hidden, err := o.Store.Replica().Shadowed(ctx, engram.EntityRelation, engram.PartVerdict)
	if err != nil || len(hidden) == 0 && len(over) == 0 {
		return err
	}
	t := resolvingRelations{tx: o, all: map[int64]*Contested{}}
	for _, k := range hidden {
		r, err := o.Store.Relation(ctx, engram.RelationRef{Num: NumOf(k)})
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
			if s := t.all[num]; s.Show == show && s.relation.Removed() == show {
				if err := o.ShowContested(ctx, *s); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

type resolvingRelations struct {
	tx  *Tx
	all map[int64]*Contested // the relations under consideration, by number
}

// add puts a relation under consideration, visible for now. It returns nil for a relation of a memory that was erased
// elsewhere and is only hidden here: the erasure took the relation too.
func (t resolvingRelations) add(ctx context.Context, r engram.Relation) (*Contested, error) {
	if s, known := t.all[r.Num]; known {
		return s, nil
	}
	ends, err := t.tx.Store.Memories(ctx, []int64{r.Source, r.Target})
	if err != nil {
		return nil, err
	}
	names := walk.Mapped(ends, func(m engram.Memory) string { return m.SyncID })
	away, err := ErasedAmong(ctx, t.tx.Store, engram.EntityMemory, names)
	if err != nil {
		return nil, err
	}
	for _, m := range ends {
		if away.Has(engram.EntityMemory, m.Project, m.SyncID) {
			return nil, nil
		}
	}
	s, err := t.tx.Contested(ctx, r)
	if err == nil {
		t.all[r.Num] = s
	}
	return s, err
}

// Contested returns a relation with what its pair of memories shadows.
func (o *Tx) Contested(ctx context.Context, r engram.Relation) (*Contested, error) {
	l, err := metadataOf(ctx, o.Store, RelationRecord(r))
	return &Contested{r, l, true}, err
}

// resolvePair resolves the relations of a pair of memories, one of which is hidden.
func (t resolvingRelations) resolvePair(ctx context.Context, h engram.Relation) error {
	if _, known := t.all[h.Num]; known {
		return nil
	}
	pair, err := engram.RelationsBetween(ctx, t.tx.Store, h.Source, h.Target)
	if err != nil {
		return err
	}
	gone, err := engram.RemovedRelations(ctx, t.tx.Store, []int64{h.Source}, time.Time{})
	if err != nil {
		return err
	}
	var here []*Contested
	for _, r := range append(pair, gone...) {
		if min(r.Source, r.Target) != min(h.Source, h.Target) || max(r.Source, r.Target) != max(h.Source, h.Target) {
			continue
		}
		if r.Removed() {
			l, known, err := ShadowedMetadata(ctx, t.tx.Store, r.Num)
			if err != nil {
				return err
			}
			if !known || IsShadowed(l, engram.PartDeleted) {
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
	slices.SortFunc(here, func(a, b *Contested) int { return a.before(*b) })
	judged := false
	for n, s := range here {
		now := s.written()
		for _, other := range here[:n] {
			if other.relation.Verb == now.Verb && (other.relation.Source == now.Source || HoldsBothWays(now.Verb)) {
				s.Show = false
			}
		}
		if s.Show && now.Judgment() {
			s.Show, judged = !judged, true
		}
	}
	return nil
}

// ShadowedMetadata returns the causal metadata of a relation; shadowed is false unless another relation is shown for it.
func ShadowedMetadata(ctx context.Context, r engram.Reader, num int64) (l engram.CausalMetadata, shadowed bool, err error) {
	l, _, err = KnownMetadata(ctx, r, engram.EntityRelation, Key(num))
	return l, IsShadowed(l, engram.PartVerdict), err
}

// resolveRings hides the oldest relation of each cycle of supersedes: relations are admitted latest first, as long as
// they close no cycle.
func (t resolvingRelations) resolveRings(ctx context.Context, over []int64) error {
	var edges []*Contested
	var next []int64
	added := map[int64]bool{}
	add := func(r engram.Relation) error {
		if s, known := t.all[r.Num]; known && !s.Show || added[r.Num] {
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
		r, err := t.tx.Store.Relation(ctx, engram.RelationRef{Num: num})
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
		if s := t.all[num]; s.Show && s.written().Supersedes() {
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
		for page := range slices.Chunk(from, walk.ExportPage) {
			rs, err := engram.RelationsOf(ctx, t.tx.Store, page, []engram.Verb{engram.VerbSupersedes}, math.MaxInt32)
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
	slices.SortFunc(edges, func(a, b *Contested) int { return a.before(*b) })
	targets := map[int64][]int64{}
	for _, s := range edges {
		if reaches(targets, s.relation.Target, s.relation.Source) {
			s.Show = false
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

// ShowContested shows or hides a relation. That is not a write, and leaves no stamp.
func (o *Tx) ShowContested(ctx context.Context, s Contested) error {
	now, l := s.written(), WithoutShadowed(s.metadata, engram.PartVerdict)
	if !s.Show {
		now.RemovedAt, l = o.At, WithShadowed(s.metadata, engram.PartVerdict, time.Time{})
	}
	if err := o.PutMetadata(ctx, engram.EntityRelation, Key(now.Num), l); err != nil {
		return err
	}
	m, err := o.Store.Memory(ctx, engram.ByNum(now.Source))
	if err != nil {
		return err
	}
	return o.RewriteRelation(ctx, s.relation, now, m.Project, RelationResolved)
}
