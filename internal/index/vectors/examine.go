package vectors

import (
	"bytes"
	"context"

	"github.com/alanbuscaglia/engram/internal/health"
	"github.com/alanbuscaglia/engram/internal/index"
	"github.com/alanbuscaglia/engram/internal/vector"
)

// embedded is a live memory: where its code must be, and whether it has a vector.
type embedded struct {
	pages []codePage // of its segment; nil if it is unsealed and has no code yet
	slot  int
	has   bool
}

// Examine compares the vectors of q.Model with the live memories, of which live reads the numbers, and the
// codes with the vectors. Codes that cannot be read are into.Broken; the error is that of ctx or a query.
func (x *Index) Examine(ctx context.Context, q health.Query, live func(context.Context) ([]int64, error), into *health.Vectors) error {
	into.Model = q.Model.Name
	uses, err := x.Models(ctx)
	if err != nil {
		return err
	}
	for _, u := range uses {
		if u.Model.Fingerprint != q.Model.Fingerprint {
			into.Former = append(into.Former, u.Model.Name)
		}
	}
	if into.Model == "" {
		return nil
	}
	nums, err := live(ctx)
	if err != nil {
		return err
	}
	into.Live = len(nums)
	m, known, err := x.model(ctx, q.Model.Fingerprint)
	if err != nil {
		return err
	}
	e := examination{Index: x, model: m, at: make(map[int64]*embedded, len(nums)), most: q.Most, into: into}
	for _, num := range nums {
		e.at[num] = &embedded{}
	}
	if known {
		if into.Broken = e.placeCodes(ctx); into.Broken != nil {
			return ctx.Err()
		}
		if err := e.readVectors(ctx); err != nil {
			return err
		}
	}
	for num, of := range e.at {
		if !of.has {
			into.Missing.Add(num, q.Most)
			if of.pages != nil && of.code(m.Dimensions) != nil {
				into.OffCode.Add(num, q.Most)
			}
		}
	}
	return nil
}

// examination is the state of Examine.
type examination struct {
	*Index
	model index.Model
	at    map[int64]*embedded
	most  int // memories to name of a kind
	into  *health.Vectors
}

// placeCodes sets where each memory's code must be. A code in a slot without a live memory is an error.
func (x *examination) placeCodes(ctx context.Context) error {
	parts, err := x.Words.Segments(ctx)
	if err != nil {
		return err
	}
	book, err := x.codesOf(ctx, x.model)
	if err != nil {
		return err
	}
	all, err := x.loadCodes(ctx, book, parts)
	if err != nil {
		return err
	}
	for i, p := range parts {
		if p.Num() == 0 {
			continue
		}
		pages := all[i]
		if pages == nil {
			pages = []codePage{}
		}
		for slot := range p.Docs.Len() {
			e := x.at[p.Docs.Num(slot)]
			if p.Docs.Live(slot) && e != nil {
				e.pages, e.slot = pages, slot
			} else if stray := (&embedded{pages: pages, slot: slot}); stray.code(x.model.Dimensions) != nil {
				x.into.OffCode.Add(p.Docs.Num(slot), x.most)
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
func (x *examination) readVectors(ctx context.Context) error {
	var want []byte
	return x.Rows.AllRows(ctx, x.model.Num, func(num int64, row []byte) error {
		e := x.at[num]
		switch {
		case e == nil:
			x.into.Stale.Add(num, x.most)
			return nil
		case vector.Rows(row, x.model.Dimensions) == 0:
			x.into.Misfit.Add(num, x.most)
		case e.pages != nil:
			row = vector.First(row, x.model.Dimensions)
			want, _ = vector.RowSigns(want[:0], row)
			if want = vector.RowSizes(want, row); !bytes.Equal(e.code(x.model.Dimensions), want) {
				x.into.OffCode.Add(num, x.most)
			}
		}
		e.has = true
		x.into.Have++
		return nil
	})
}
