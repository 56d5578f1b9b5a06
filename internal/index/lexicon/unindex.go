package lexicon

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/index"
	"github.com/alanbuscaglia/engram/internal/postings"
)

// unput removes a memory from the pending or unsealed ones; waiting reports whether it was there.
func (x *Index) unput(ctx context.Context, num int64) (waiting bool, err error) {
	if x.removePending(num) {
		return true, nil
	}
	waiting, err = x.Store.DropUnsealed(ctx, num)
	if waiting {
		x.touched()
	}
	return waiting, err
}

// placeOf returns the place of a project's memory in a segment, by scanning the project's documents.
func (x *Index) placeOf(ctx context.Context, project, memory int64) (at place, found bool, err error) {
	segments, err := x.standing(ctx)
	if err != nil {
		return place{}, false, err
	}
	elsewhere := func(g *segment) bool { return g.project != Several && g.project != project }
	if x.Served {
		if err := x.loadAll(ctx, slices.DeleteFunc(slices.Clone(segments), elsewhere)...); err != nil {
			return place{}, false, err
		}
	}
	for _, g := range slices.Backward(segments) {
		if elsewhere(g) {
			continue
		}
		if err := x.load(ctx, g); err != nil {
			return place{}, false, err
		}
		for slot := range g.docs.Len() {
			if g.docs.Num(slot) == memory && g.docs.Live(slot) && !x.leaving.leaves(place{g.num, slot}) {
				return place{g.num, slot}, true, nil
			}
		}
	}
	return place{}, false, nil
}

// Places calls fn for the segments that hold some of the memories, with the numbers of these by slot.
// Memories that have no slot yet are left out.
func (x *Index) Places(ctx context.Context, nums []int64, fn func(segment int64, at map[int]int64) error) error {
	sealed := make(map[int64]bool, len(nums))
	for _, num := range nums {
		if waiting, _ := x.Waiting(num); !waiting {
			sealed[num] = true
		}
	}
	if len(sealed) == 0 {
		return nil
	}
	err := x.Store.Unsealed(ctx, 0, false, func(u index.Unsealed) error {
		delete(sealed, u.Memory)
		return nil
	})
	if err != nil {
		return fmt.Errorf("read the newest memories: %w", err)
	}
	if len(sealed) == 0 {
		return nil
	}
	cat, err := x.catalogue(ctx)
	if err == nil && x.Served {
		err = x.loadAll(ctx, cat.segments...)
	}
	if err != nil {
		return err
	}
	for _, g := range slices.Backward(cat.segments) {
		if err := x.load(ctx, g); err != nil {
			return err
		}
		if at := g.take(sealed); len(at) > 0 {
			if err := fn(g.num, at); err != nil {
				return err
			}
		}
		if len(sealed) == 0 {
			return nil
		}
	}
	return nil
}

// take returns the wanted memories of a loaded segment by slot, and removes them from wanted.
func (g *segment) take(wanted map[int64]bool) map[int]int64 {
	first, last := int64(0), int64(0)
	for num := range wanted {
		if first == 0 || num < first {
			first = num
		}
		last = max(last, num)
	}
	at := map[int]int64{}
	for slot := range g.docs.Len() {
		// The bounds avoid a map look-up for every memory of the store, which would take ten times as
		// long.
		num := g.docs.Num(slot)
		if num < first || num > last || !wanted[num] || !g.docs.Live(slot) {
			continue
		}
		at[slot] = num
		delete(wanted, num)
	}
	return at
}

// standing returns the segments including this transaction's changes. Removals update it in place:
// reading it again for each of ten thousand memories that a pruning forgets takes half of the time.
func (x *Index) standing(ctx context.Context) ([]*segment, error) {
	if x.own == nil {
		cat, err := x.written(ctx)
		if err != nil {
			return nil, err
		}
		x.own = slices.Clone(cat.segments)
	}
	return x.own, nil
}

// owned returns a private copy of a loaded segment, to be changed along with its rows. It serves to find
// and empty slots; it lacks the counts for searches.
func (g *segment) owned() *segment {
	if g.private {
		return g
	}
	return &segment{private: true, num: g.num, version: g.version, level: g.level, project: g.project, slots: g.slots, live: g.live, tokens: g.tokens,
		firsts: g.firsts, loaded: true, docs: slices.Clone(g.docs), blocks: slices.Clone(g.blocks)}
}

// vacate empties a slot.
func (x *Index) vacate(ctx context.Context, at place, words []wordCount) error {
	// thinning clears x.own until the change is complete.
	old, own, version, err := x.thinning(ctx, at.segment, map[int]engram.Memory{at.slot: {}})
	if err != nil || old == nil {
		return err
	}
	g := old.owned()
	if err := x.removeWords(ctx, g, at.slot, words); err != nil {
		return err
	}
	length := g.docs.Length(at.slot)
	if err := x.patch(ctx, g, at.slot, postings.Doc{Dead: true}); err != nil {
		return err
	}
	g.version, g.live, g.tokens = version, g.live-1, g.tokens-int64(length)
	if err := x.Store.PutSegment(ctx, g.row()); err != nil {
		return err
	}
	own[slices.Index(own, old)] = g
	x.own = own
	return nil
}

// thinning removes the codes of slots that are about to be emptied and starts a change of the index. It
// returns the loaded segment and the transaction's segments; if no other slot is live, it drops the
// segment and returns nil.
func (x *Index) thinning(ctx context.Context, num int64, slots map[int]engram.Memory) (g *segment, own []*segment, version int64, err error) {
	if own, err = x.standing(ctx); err != nil {
		return nil, nil, 0, err
	}
	i := slices.IndexFunc(own, numbered(num))
	if i < 0 {
		return nil, nil, 0, fmt.Errorf("segment %d: %w", num, postings.ErrDamaged)
	}
	if err := x.load(ctx, own[i]); err != nil {
		return nil, nil, 0, err
	}
	if own[i].live <= len(slots) {
		return nil, nil, 0, x.dropSegment(ctx, num)
	}
	if err := x.Slots.Emptied(ctx, num, slices.Collect(maps.Keys(slots))); err != nil {
		return nil, nil, 0, err
	}
	version, err = x.changed(ctx)
	return own[i], own, version, err
}

// removeWords removes a slot from the lists of words, which must be ascending, and updates the blocks
// and first words of the transaction's own segment.
func (x *Index) removeWords(ctx context.Context, g *segment, slot int, words []wordCount) error {
	firsts := slices.Clone(g.firsts)
	emptied := false
	for len(words) > 0 {
		n := g.blockOf(words[0].word)
		var here []string
		for len(words) > 0 && g.blockOf(words[0].word) == n {
			here = append(here, words[0].word)
			words = words[1:]
		}
		if n < 0 {
			continue
		}
		b, err := x.block(ctx, g, n)
		if err != nil {
			return err
		}
		kept, removed, err := postings.Without(b, here, slot)
		if err != nil {
			return err
		}
		if removed == 0 {
			continue
		}
		if err := x.Store.PutPart(ctx, index.Blocks, index.Place{Segment: g.num, N: n}, kept); err != nil {
			return err
		}
		if g.blocks != nil {
			g.blocks[n] = kept
		}
		if e := postings.NewEntries(kept); e.Next() {
			firsts[n] = string(e.Word())
		} else {
			firsts[n], emptied = "", true
		}
	}
	g.firsts = firsts
	if !emptied {
		return nil
	}
	return x.closeGaps(ctx, g)
}

// closeGaps gives emptied blocks the first word of the next block, so that no removed word leads to
// them; trailing empty blocks are deleted.
func (x *Index) closeGaps(ctx context.Context, g *segment) error {
	firsts := g.firsts
	for len(firsts) > 0 && firsts[len(firsts)-1] == "" {
		firsts = firsts[:len(firsts)-1]
	}
	for n := len(firsts) - 2; n >= 0; n-- {
		firsts[n] = cmp.Or(firsts[n], firsts[n+1])
	}
	g.firsts = firsts
	if g.blocks != nil {
		g.blocks = g.blocks[:len(firsts)]
	}
	return x.Store.CutParts(ctx, index.Blocks, g.num, len(firsts))
}

// patch rewrites the document of a slot of the transaction's own segment.
func (x *Index) patch(ctx context.Context, g *segment, slot int, d postings.Doc) error {
	row := postings.AppendDoc(nil, d)
	copy(g.docs[slot*postings.DocSize:], row)
	page := slot / pageDocs
	rows := g.docs[page*pageDocs*postings.DocSize : min((page+1)*pageDocs*postings.DocSize, len(g.docs))]
	if err := x.Store.PutPart(ctx, index.Documents, index.Place{Segment: g.num, N: page}, slices.Clone(rows)); err != nil {
		return err
	}
	return x.patchLength(ctx, g, slot)
}
