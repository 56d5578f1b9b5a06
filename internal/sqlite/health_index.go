package sqlite

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"hash/fnv"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/postings"
	"github.com/alanbuscaglia/engram/internal/vector"
)

// liveSQL reads the columns that the index copies into its documents. It scans the table itself: no
// index has all of them, and the check must not rely on one.
const liveSQL = `SELECT num, project, created_at FROM memories NOT INDEXED WHERE deleted_at IS NULL`

// indexed is a live memory in the table, and what the index has of it.
type indexed struct {
	project uint32
	created int64
	slots   int    // number of slots it was found in
	words   uint64 // checksum of its words in the index
}

// living reads the live memories.
func (x *examination) living(ctx context.Context) (map[int64]*indexed, error) {
	live := map[int64]*indexed{}
	err := x.rows(ctx, liveSQL, nil, func(s scanner) error {
		var num int64
		m := &indexed{}
		err := s.Scan(&num, &m.project, &m.created)
		live[num] = m
		return err
	})
	return live, err
}

// index compares every slot with the memories and decodes every list.
func (x *examination) index(ctx context.Context) error {
	live, err := x.living(ctx)
	if err != nil {
		return err
	}
	into := &x.facts.Index
	into.Live = len(live)
	if into.Broken = x.readIndex(ctx, live); into.Broken != nil {
		into.Broken = explain(into.Broken, x.path)
		return ctx.Err()
	}
	for num, m := range live {
		switch {
		case m.slots == 0:
			into.Missing.Add(num, x.query.Most)
		case m.slots > 1:
			into.Doubled.Add(num, x.query.Most)
		}
	}
	if x.query.Full {
		return x.compareWords(ctx, live)
	}
	return nil
}

// readIndex reads the whole index the way searches do.
func (x *examination) readIndex(ctx context.Context, live map[int64]*indexed) error {
	cat, err := x.catalogue(ctx)
	if err != nil {
		return err
	}
	for _, g := range cat.all() {
		if err := x.load(ctx, g); err != nil {
			return err
		}
		of := make([]*indexed, g.docs.Len()) // by slot; nil for dead slots and unknown memories
		alive := 0
		for slot := range of {
			if !g.docs.Live(slot) {
				continue
			}
			alive++
			num := g.docs.Num(slot)
			m := live[num]
			if m == nil {
				x.facts.Index.Dead.Add(num, x.query.Most)
				continue
			}
			m.slots++
			if of[slot] = m; m.project != g.docs.Project(slot) || m.created != g.docs.Created(slot) {
				x.facts.Index.Moved.Add(num, x.query.Most)
			}
		}
		x.facts.Index.Indexed += alive
		if alive != g.live {
			return fmt.Errorf("segment %d counts %d memories and has %d: %w", g.num, g.live, alive, postings.ErrDamaged)
		}
		if err := x.checkLengths(ctx, g); err != nil {
			return err
		}
		if err := x.readLists(ctx, g, of); err != nil {
			return err
		}
	}
	return nil
}

// readLists decodes every list of a segment and adds each word to its memory's checksum.
func (x *examination) readLists(ctx context.Context, g *segment, of []*indexed) error {
	var scratch []postings.Posting
	var bad error
	err := x.walk(ctx, g, "", func(word, raw []byte) bool {
		x.facts.Index.Words++
		var l postings.List
		if l, bad = postings.ReadList(raw); bad != nil {
			return false
		}
		if scratch, bad = l.Decode(scratch[:0]); bad != nil {
			return false
		}
		sum := wordSum(word)
		for _, p := range scratch {
			if int(p.Slot) >= len(of) {
				bad = postings.ErrDamaged
				return false
			}
			if m := of[p.Slot]; m != nil {
				m.words += sum * uint64(p.TF)
			}
		}
		return true
	})
	if err = errors.Join(err, bad); err != nil {
		return fmt.Errorf("words of segment %d: %w", g.num, err)
	}
	return nil
}

// wordSum is a word's contribution to a checksum that does not depend on the order.
func wordSum(word []byte) uint64 {
	h := fnv.New64a()
	_, _ = h.Write(word) // never fails
	return h.Sum64()
}

// compareWords tokenises every text again. A memory with other words in the index counts as missing.
func (x *examination) compareWords(ctx context.Context, live map[int64]*indexed) error {
	return x.eachLive(ctx, func(m engram.Memory) error {
		var sum uint64
		words, _ := wordsOf(m)
		for _, w := range words {
			sum += wordSum([]byte(w.word)) * uint64(w.tf)
		}
		if has := live[m.Num]; has != nil && has.slots == 1 && has.words != sum {
			x.facts.Index.Missing.Add(m.Num, x.query.Most)
		}
		return nil
	})
}

// embedded is a live memory: where its code must be, and whether it has a vector.
type embedded struct {
	pages []codePage // of its segment; nil if it is unsealed and has no code yet
	slot  int
	has   bool
}

// vectors compares the vectors of the current model with the memories, and the codes with the vectors.
func (x *examination) vectors(ctx context.Context) error {
	into := &x.facts.Vectors
	into.Model = x.query.Model.Name
	uses, err := x.Models(ctx)
	if err != nil {
		return err
	}
	for _, u := range uses {
		if u.Model.Fingerprint != x.query.Model.Fingerprint {
			into.Former = append(into.Former, u.Model.Name)
		}
	}
	if into.Model == "" {
		return nil
	}
	live, err := x.living(ctx)
	if err != nil {
		return err
	}
	into.Live = len(live)
	m, known, err := x.model(ctx, x.query.Model.Fingerprint)
	if err != nil {
		return err
	}
	at := make(map[int64]*embedded, len(live))
	for num := range live {
		at[num] = &embedded{}
	}
	if known {
		if into.Broken = x.placeCodes(ctx, m, at); into.Broken != nil {
			into.Broken = explain(into.Broken, x.path)
			return ctx.Err()
		}
		if err := x.readVectors(ctx, m, at); err != nil {
			return err
		}
	}
	for num, e := range at {
		if !e.has {
			into.Missing.Add(num, x.query.Most)
			if e.pages != nil && e.code(m.dimensions) != nil {
				into.OffCode.Add(num, x.query.Most)
			}
		}
	}
	return nil
}

// placeCodes sets where each memory's code must be. A code in a slot without a live memory is an error.
func (x *examination) placeCodes(ctx context.Context, m model, at map[int64]*embedded) error {
	cat, err := x.catalogue(ctx)
	if err != nil {
		return err
	}
	book, err := x.codesOf(ctx, m)
	if err != nil {
		return err
	}
	for _, g := range cat.segments {
		if err := x.load(ctx, g); err != nil {
			return err
		}
		pages, err := x.loadCodes(ctx, book, g.num)
		if err != nil {
			return err
		}
		if pages == nil {
			pages = []codePage{}
		}
		for slot := range g.docs.Len() {
			e := at[g.docs.Num(slot)]
			if g.docs.Live(slot) && e != nil {
				e.pages, e.slot = pages, slot
			} else if stray := (&embedded{pages: pages, slot: slot}); stray.code(m.dimensions) != nil {
				x.facts.Vectors.OffCode.Add(g.docs.Num(slot), x.query.Most)
			}
		}
	}
	return nil
}

// code returns the signs and sizes in a slot, concatenated; nil if the slot has no code.
func (e *embedded) code(dimensions int) []byte {
	n, slot, size := e.slot/pageSlots, e.slot%pageSlots, vector.SignBytes(dimensions)
	if n >= len(e.pages) || !e.pages[n].has(slot) || (slot+1)*size > len(e.pages[n].sizes) {
		return nil
	}
	signs, sizes := e.pages[n].code(slot, size)
	return append(bytes.Clone(signs), sizes...)
}

// readVectors compares every vector of a model with its memory and code.
func (x *examination) readVectors(ctx context.Context, m model, at map[int64]*embedded) error {
	into := &x.facts.Vectors
	var want []byte
	return x.rows(ctx, `SELECT memory, row FROM vectors WHERE model = ? ORDER BY memory`, []any{m.num}, func(s scanner) error {
		var num int64
		var row sql.RawBytes
		if err := s.Scan(&num, &row); err != nil {
			return err
		}
		e := at[num]
		switch {
		case e == nil:
			into.Stale.Add(num, x.query.Most)
			return nil
		case len(row) != vector.RowBytes(m.dimensions):
			into.Misfit.Add(num, x.query.Most)
		case e.pages != nil:
			want, _ = vector.RowSigns(want[:0], row)
			if want = vector.RowSizes(want, row); !bytes.Equal(e.code(m.dimensions), want) {
				into.OffCode.Add(num, x.query.Most)
			}
		}
		e.has = true
		into.Have++
		return nil
	})
}
