package sqlite

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/postings"
)

// document is what the index has of a memory beside its words.
func (t *tx) document(ctx context.Context, m engram.Memory, at home, length int) (postings.Doc, error) {
	num, err := t.kindNum(ctx, kind{m.Type, m.Scope})
	return postings.Doc{Num: m.Num, Created: m.CreatedAt.UnixMilli(), Project: uint32(at.project), Session: uint32(at.session), Kind: num,
		Length: length}, err
}

// indexMemory adds a live memory to the index.
func (t *tx) indexMemory(ctx context.Context, at home, m engram.Memory) error {
	words, length := wordsOf(m)
	d, err := t.document(ctx, m, at, length)
	if err != nil {
		return err
	}
	return t.put(ctx, d, words)
}

// reindexMemory brings the index from what a memory was to what it is at its home now.
func (t *tx) reindexMemory(ctx context.Context, was, m engram.Memory, at home) error {
	if was.Forgotten() && m.Forgotten() {
		return nil
	}
	// Counting an exact repeat changes nothing that is indexed.
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
	return t.indexMemory(ctx, at, m)
}

// unindexMemory takes a memory out of the index as it was when it was put there: its
// slot leaves the lists of its words, so that no word stays that nobody has.
func (t *tx) unindexMemory(ctx context.Context, project int64, was engram.Memory) error {
	waiting, err := t.unput(ctx, was.Num)
	if err != nil || waiting {
		return err
	}
	at, found, err := t.placeOf(ctx, project, was.Num)
	if err != nil || !found {
		return err
	}
	words, _ := wordsOf(was)
	err = t.vacate(ctx, at, words)
	if err != nil {
		return fmt.Errorf("take memory %d out of the index: %w", was.Num, err)
	}
	return nil
}

// unput takes a memory out of the unsealed ones; waiting says whether it was there.
func (t *tx) unput(ctx context.Context, num int64) (waiting bool, err error) {
	res, err := t.exec(ctx, `DELETE FROM unsealed WHERE memory = ?`, num)
	if err != nil {
		return false, fmt.Errorf("take memory %d out of the index: %w", num, err)
	}
	n, err := res.RowsAffected()
	if n > 0 {
		t.touched()
	}
	return n > 0, err
}

// placeOf says where a memory of a project stands; found is false when it is in no
// segment. It looks through the documents of the project.
func (t *tx) placeOf(ctx context.Context, project, memory int64) (at place, found bool, err error) {
	cat, err := t.catalogue(ctx)
	if err != nil {
		return place{}, false, err
	}
	for _, g := range slices.Backward(cat.segments) {
		if g.project != several && g.project != project {
			continue
		}
		if err := t.load(ctx, g); err != nil {
			return place{}, false, err
		}
		for slot := range g.docs.Len() {
			if g.docs.Num(slot) == memory && g.docs.Live(slot) {
				return place{g.num, slot}, true, nil
			}
		}
	}
	return place{}, false, nil
}

// segmentAt reads one segment of this snapshot.
func (t *tx) segmentAt(ctx context.Context, num int64) (*segment, error) {
	cat, err := t.catalogue(ctx)
	if err != nil {
		return nil, err
	}
	for _, g := range cat.segments {
		if g.num == num {
			return g, t.load(ctx, g)
		}
	}
	return nil, fmt.Errorf("segment %d: %w", num, postings.ErrDamaged)
}

// vacate empties a slot.
func (t *tx) vacate(ctx context.Context, at place, words []wordCount) error {
	g, err := t.segmentAt(ctx, at.segment)
	if err != nil {
		return err
	}
	if err := t.vectorDied(ctx, at); err != nil {
		return err
	}
	if g.live == 1 {
		return t.dropSegment(ctx, g.num)
	}
	version, err := t.changed(ctx)
	if err != nil {
		return err
	}
	firsts, err := t.removeWords(ctx, g, at.slot, words)
	if err != nil {
		return err
	}
	if err := t.patch(ctx, at, postings.Doc{Dead: true}); err != nil {
		return err
	}
	const query = `UPDATE segments SET version = ?, live = live - 1, tokens = tokens - ?, firsts = ? WHERE num = ?`
	_, err = t.exec(ctx, query, version, g.docs.Length(at.slot), postings.AppendWords(nil, firsts), g.num)
	return err
}

// removeWords takes a slot out of the lists of words, which are in ascending order, and
// returns what are now the first words of the segment's blocks.
func (t *tx) removeWords(ctx context.Context, g *segment, slot int, words []wordCount) ([]string, error) {
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
			return nil, err
		}
		kept, removed, err := postings.Without(b, here, slot)
		if err != nil {
			return nil, err
		}
		if removed == 0 {
			continue
		}
		if kept == nil {
			kept = []byte{}
		}
		if _, err := t.exec(ctx, `UPDATE postings SET words = ? WHERE num = ?`, kept, part(g.num, n)); err != nil {
			return nil, err
		}
		if e := postings.NewEntries(kept); e.Next() {
			firsts[n] = string(e.Word())
		} else {
			firsts[n], emptied = "", true
		}
	}
	if !emptied {
		return firsts, nil
	}
	return t.closeGaps(ctx, g.num, firsts)
}

// closeGaps gives emptied blocks the first word of the block behind them, so that none
// is found by a word that nobody has; those at the end go.
func (t *tx) closeGaps(ctx context.Context, segment int64, firsts []string) ([]string, error) {
	for len(firsts) > 0 && firsts[len(firsts)-1] == "" {
		firsts = firsts[:len(firsts)-1]
	}
	for n := len(firsts) - 2; n >= 0; n-- {
		firsts[n] = cmp.Or(firsts[n], firsts[n+1])
	}
	_, err := t.exec(ctx, `DELETE FROM postings WHERE num BETWEEN ? AND ?`, part(segment, len(firsts)), part(segment+1, 0)-1)
	return firsts, err
}

// patch writes the document of a slot anew.
func (t *tx) patch(ctx context.Context, at place, d postings.Doc) error {
	num := part(at.segment, at.slot/pageDocs)
	var rows []byte
	if err := t.row(ctx, `SELECT rows FROM documents WHERE num = ?`, []any{num}, &rows); err != nil {
		return err
	}
	at.slot %= pageDocs
	if len(rows) < (at.slot+1)*postings.DocSize {
		return postings.ErrDamaged
	}
	copy(rows[at.slot*postings.DocSize:], postings.AppendDoc(nil, d))
	_, err := t.exec(ctx, `UPDATE documents SET rows = ? WHERE num = ?`, rows, num)
	return err
}

// forgetKinds drops the numbers of types that no live memory has: a type's name may be
// private.
func (t *tx) forgetKinds(ctx context.Context) error {
	res, err := t.exec(ctx, `DELETE FROM kinds WHERE type NOT IN (SELECT type FROM tallies)`)
	if err != nil {
		return fmt.Errorf("forget types: %w", err)
	}
	if n, err := res.RowsAffected(); err != nil || n == 0 {
		return err
	}
	_, err = t.changed(ctx)
	return err
}
