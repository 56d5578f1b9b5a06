package sqlite

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/postings"
)

// indexMemory adds a live memory to the index; whole tells that this transaction inserted it.
func (t *tx) indexMemory(ctx context.Context, at home, m engram.Memory, whole bool) error {
	num, err := t.kindNum(ctx, kind{m.Type, m.Scope})
	if err != nil {
		return err
	}
	d := postings.Doc{Num: m.Num, Created: m.CreatedAt.UnixMilli(), Project: uint32(at.project), Session: uint32(at.session), Kind: num}
	return t.addPending(ctx, d, m, whole)
}

// reindexMemory updates the index after a change of a memory from was to m, which is at home at.
func (t *tx) reindexMemory(ctx context.Context, was, m engram.Memory, at home) error {
	if was.Forgotten() && m.Forgotten() {
		return nil
	}
	// Counting an exact repeat changes nothing in the index.
	sameDocument := was.Project == m.Project && was.SessionID == m.SessionID && was.Type == m.Type && was.Scope == m.Scope &&
		was.CreatedAt.Equal(m.CreatedAt) && was.Forgotten() == m.Forgotten()
	if sameDocument && sameWords(was, m) {
		return nil
	}
	if !was.Forgotten() {
		before, err := t.homeOf(ctx, was)
		if err != nil {
			return err
		}
		if err := t.unindexMemory(ctx, before.project, was); err != nil {
			return err
		}
	}
	if m.Forgotten() {
		return nil
	}
	return t.indexMemory(ctx, at, m, false)
}

// unindexMemory removes a memory, as it was indexed, from the index and from the lists of its words, so
// that no word without memories remains.
func (t *tx) unindexMemory(ctx context.Context, project int64, was engram.Memory) error {
	waiting, err := t.unput(ctx, was.Num)
	if err != nil || waiting {
		return err
	}
	at, found, err := t.placeOf(ctx, project, was.Num)
	if err != nil || !found {
		return err
	}
	return t.leave(ctx, at, was)
}

// unput removes a memory from the pending or unsealed ones; waiting reports whether it was there.
func (t *tx) unput(ctx context.Context, num int64) (waiting bool, err error) {
	if t.removePending(num) {
		return true, nil
	}
	res, err := t.exec(ctx, `DELETE FROM unsealed WHERE memory = ?`, num)
	if err != nil {
		return false, fmt.Errorf("remove memory %d from the index: %w", num, err)
	}
	n, err := res.RowsAffected()
	if n > 0 {
		t.touched()
	}
	return n > 0, err
}

// placeOf returns the place of a project's memory in a segment, by scanning the project's documents.
func (t *tx) placeOf(ctx context.Context, project, memory int64) (at place, found bool, err error) {
	segments, err := t.standing(ctx)
	if err != nil {
		return place{}, false, err
	}
	for _, g := range slices.Backward(segments) {
		if g.project != several && g.project != project {
			continue
		}
		if err := t.load(ctx, g); err != nil {
			return place{}, false, err
		}
		for slot := range g.docs.Len() {
			if g.docs.Num(slot) == memory && g.docs.Live(slot) && !t.leaving.leaves(place{g.num, slot}) {
				return place{g.num, slot}, true, nil
			}
		}
	}
	return place{}, false, nil
}

// standing returns the segments including this transaction's changes. Removals update it in place:
// reading it again for each of ten thousand memories that a pruning forgets takes half of the time.
func (t *tx) standing(ctx context.Context) ([]*segment, error) {
	if t.own == nil {
		cat, err := t.written(ctx)
		if err != nil {
			return nil, err
		}
		t.own = slices.Clone(cat.segments)
	}
	return t.own, nil
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
func (t *tx) vacate(ctx context.Context, at place, words []wordCount) error {
	// thinning clears t.own until the change is complete.
	old, own, version, err := t.thinning(ctx, at.segment, map[int]engram.Memory{at.slot: {}})
	if err != nil || old == nil {
		return err
	}
	g := old.owned()
	if err := t.removeWords(ctx, g, at.slot, words); err != nil {
		return err
	}
	length := g.docs.Length(at.slot)
	if err := t.patch(ctx, g, at.slot, postings.Doc{Dead: true}); err != nil {
		return err
	}
	g.version, g.live, g.tokens = version, g.live-1, g.tokens-int64(length)
	const query = `UPDATE segments SET version = ?, live = live - 1, tokens = tokens - ?, firsts = ? WHERE num = ?`
	if err := t.run(ctx, query, version, length, postings.AppendWords(nil, g.firsts), g.num); err != nil {
		return err
	}
	own[slices.Index(own, old)] = g
	t.own = own
	return nil
}

// thinning removes the codes of slots that are about to be emptied and starts a change of the index. It
// returns the loaded segment and the transaction's segments; if no other slot is live, it drops the
// segment and returns nil.
func (t *tx) thinning(ctx context.Context, num int64, slots map[int]engram.Memory) (g *segment, own []*segment, version int64, err error) {
	if own, err = t.standing(ctx); err != nil {
		return nil, nil, 0, err
	}
	i := slices.IndexFunc(own, func(g *segment) bool { return g.num == num })
	if i < 0 {
		return nil, nil, 0, fmt.Errorf("segment %d: %w", num, postings.ErrDamaged)
	}
	if err := t.load(ctx, own[i]); err != nil {
		return nil, nil, 0, err
	}
	if own[i].live <= len(slots) {
		return nil, nil, 0, t.dropSegment(ctx, num)
	}
	if err := t.vectorsDied(ctx, num, slots); err != nil {
		return nil, nil, 0, err
	}
	version, err = t.changed(ctx)
	return own[i], own, version, err
}

// removeWords removes a slot from the lists of words, which must be ascending, and updates the blocks
// and first words of the transaction's own segment.
func (t *tx) removeWords(ctx context.Context, g *segment, slot int, words []wordCount) error {
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
		b, err := t.block(ctx, g, n)
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
		if kept == nil {
			kept = []byte{}
		}
		if err := t.run(ctx, `UPDATE postings SET words = ? WHERE num = ?`, kept, part(g.num, n)); err != nil {
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
	return t.closeGaps(ctx, g)
}

// closeGaps gives emptied blocks the first word of the next block, so that no removed word leads to
// them; trailing empty blocks are deleted.
func (t *tx) closeGaps(ctx context.Context, g *segment) error {
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
	err := t.run(ctx, `DELETE FROM postings WHERE num BETWEEN ? AND ?`, part(g.num, len(firsts)), part(g.num+1, 0)-1)
	return err
}

// patch rewrites the document of a slot of the transaction's own segment.
func (t *tx) patch(ctx context.Context, g *segment, slot int, d postings.Doc) error {
	row := postings.AppendDoc(nil, d)
	copy(g.docs[slot*postings.DocSize:], row)
	page := slot / pageDocs
	rows := g.docs[page*pageDocs*postings.DocSize : min((page+1)*pageDocs*postings.DocSize, len(g.docs))]
	if err := t.run(ctx, `UPDATE documents SET rows = ? WHERE num = ?`, []byte(rows), part(g.num, page)); err != nil {
		return err
	}
	return t.patchLength(ctx, g, slot)
}

// forgetKinds deletes the numbers of types without memories, because a type's name may be private.
func (t *tx) forgetKinds(ctx context.Context) error {
	res, err := t.exec(ctx, `DELETE FROM kinds WHERE type NOT IN (SELECT type FROM tallies)`)
	if err != nil {
		return fmt.Errorf("drop unused types: %w", err)
	}
	if n, err := res.RowsAffected(); err != nil || n == 0 {
		return err
	}
	_, err = t.changed(ctx)
	return err
}
