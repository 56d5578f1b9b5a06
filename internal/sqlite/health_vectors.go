package sqlite

import (
	"bytes"
	"context"
	"database/sql"

	"github.com/alanbuscaglia/engram/internal/vector"
)

// embedded is a live memory: where its code stands, and whether it has a vector.
type embedded struct {
	pages []codePage // of its segment; nil: its words wait, and so does its code
	slot  int
	has   bool
}

// vectors holds the vectors of the model in force against the memories, and the codes
// against the vectors.
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

// placeCodes says of each memory where its code should stand. A code in a slot that no
// live memory has is one that nobody should find.
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

// code returns the signs and sizes in a slot, one after the other; nil when there are none.
func (e *embedded) code(dimensions int) []byte {
	n, slot, size := e.slot/pageSlots, e.slot%pageSlots, vector.SignBytes(dimensions)
	if n >= len(e.pages) || !e.pages[n].has(slot) || (slot+1)*size > len(e.pages[n].sizes) {
		return nil
	}
	signs, sizes := e.pages[n].code(slot, size)
	return append(bytes.Clone(signs), sizes...)
}

// readVectors reads every vector of a model.
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
