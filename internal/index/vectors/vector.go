package vectors

import (
	"context"
	"fmt"
	"slices"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/index"
	"github.com/alanbuscaglia/engram/internal/index/lexicon"
	"github.com/alanbuscaglia/engram/internal/vector"
)

// model returns the model with a fingerprint; found is false if it is unknown.
func (x *Index) model(ctx context.Context, fingerprint string) (m index.Model, found bool, err error) {
	u, err := x.Seen(ctx)
	if err != nil {
		return m, false, err
	}
	if u != nil {
		if m, found = u.models[fingerprint]; found {
			x.knows(fingerprint, m)
			return m, true, nil
		}
	}
	m, found, err = x.Rows.Model(ctx, fingerprint)
	if found {
		x.knows(fingerprint, m)
	}
	if found && u != nil {
		u.models[fingerprint] = m
	}
	return m, found, err
}

// Values returns the memories' vectors of a model, each followed by those of its passages. The caller must not change
// them.
func (x *Index) Values(ctx context.Context, fingerprint string, nums []int64) (map[int64][]float32, error) {
	m, found, err := x.model(ctx, fingerprint)
	if !found || len(nums) == 0 {
		return nil, err
	}
	vs := make(map[int64][]float32, len(nums))
	room := make([]float32, len(nums)*m.Dimensions)
	return vs, x.vectorRows(ctx, m, nums, func(num int64, row []byte) error {
		n := vector.Rows(row, m.Dimensions) * m.Dimensions
		if len(room) < n {
			room = make([]float32, n)
		}
		v := room[:n:n]
		if !vector.ReadRows(v, row, m.Dimensions) {
			return errDamagedVector(num)
		}
		vs[num], room = v, room[n:]
		return nil
	})
}

// readNearest adds to q.Vectors, for each of the memories in shown that has rows, which of its vectors is nearest to the
// question. rows are those of nums. The rows are kept, but not their values, which are four times as large and soon decoded.
func readNearest(q engram.VectorQuery, m index.Model, question []float32, shown, nums []int64, rows [][]byte) error {
	room := q.Room
	if len(room) < len(shown)*m.Dimensions {
		room = make([]float32, len(shown)*m.Dimensions)
	}
	for _, num := range shown {
		at, has := slices.BinarySearch(nums, num)
		if !has {
			continue
		}
		row := rows[at]
		if len(row) > vector.RowBytes(m.Dimensions) {
			if nearest, _, some := vector.Nearest(question, row); some {
				row = nearest
			}
		}
		v := room[:m.Dimensions:m.Dimensions]
		if !vector.ReadRow(v, row) {
			return errDamagedVector(num)
		}
		q.Vectors[num], room = v, room[m.Dimensions:]
	}
	return nil
}

func errDamagedVector(num int64) error {
	return engram.Errorf(engram.CodeInternal, "the vector of memory %d is damaged", num).WithHint("rebuild it with {reembed --all}")
}

// Models returns the models that have vectors, by coverage.
func (x *Index) Models(ctx context.Context) ([]engram.ModelCoverage, error) {
	if err := x.Flush(ctx); err != nil {
		return nil, err
	}
	return x.Rows.Coverage(ctx)
}

// Put sets vectors of a model; those of missing and forgotten memories are left out.
func (x *Index) Put(ctx context.Context, m engram.Model, vs []engram.Vector) error {
	if len(vs) == 0 {
		return nil
	}
	for _, v := range vs {
		if err := vector.CheckPassages(v.Values, m.Dimensions); err != nil {
			return fmt.Errorf("memory %d: %w", v.Num, err)
		}
	}
	known, err := x.know(ctx, m)
	if err != nil {
		return err
	}
	values := make(map[int64][]byte, len(vs))
	rows := make([]index.VectorRow, 0, len(vs))
	for _, v := range vs {
		if values[v.Num] == nil {
			rows = append(rows, index.VectorRow{Memory: v.Num, First: x.lacks(vectorOf{known.Num, v.Num})})
		}
		values[v.Num] = vector.AppendRows(nil, v.Values, m.Dimensions)
	}
	for i := range rows {
		rows[i].Row = values[rows[i].Memory]
	}
	x.Changing()
	put, added, err := x.Rows.PutRows(ctx, known.Num, rows)
	if err != nil {
		return err
	}
	if added > 0 {
		if x.counts == nil {
			x.counts = map[int64]int64{}
		}
		x.counts[known.Num] += added
	}
	return x.place(ctx, known, put, values)
}

// know returns the model, adding it if needed.
func (x *Index) know(ctx context.Context, m engram.Model) (index.Model, error) {
	if have, known := x.known[m.Fingerprint]; known && have.Dimensions == m.Dimensions {
		return have, nil
	}
	have, found, err := x.model(ctx, m.Fingerprint)
	switch {
	case err != nil:
		return have, err
	case found && have.Dimensions != m.Dimensions:
		return have, engram.Errorf(engram.CodeInvalid, "the model %s had %d dimensions and now has %d", m.Name, have.Dimensions, m.Dimensions).
			WithHint("use another fingerprint for another model")
	case found:
		x.knows(m.Fingerprint, have)
		return have, nil
	case m.Dimensions < 1 || m.Dimensions > vector.MaxDimensions:
		return have, engram.Errorf(engram.CodeInvalid, "a model cannot have %d dimensions", m.Dimensions)
	}
	have, err = x.Rows.AddModel(ctx, m)
	if err == nil {
		x.knows(m.Fingerprint, have)
	}
	return have, err
}

// knows keeps a model for writing.
func (x *Index) knows(fingerprint string, m index.Model) {
	if x.known == nil {
		x.known = map[string]index.Model{}
	}
	x.known[fingerprint] = m
}

// Drop removes a model and its vectors.
func (x *Index) Drop(ctx context.Context, fingerprint string) error {
	if err := x.Words.Flush(ctx); err != nil {
		return err
	}
	m, found, err := x.model(ctx, fingerprint)
	if !found {
		return err
	}
	x.known = nil
	x.recoded = true
	x.Changing()
	return x.Rows.DropModel(ctx, m.Num)
}

// The index of words assigns memories their slots; what follows keeps the codes of the vectors in the same
// slots.

var _ lexicon.Slots = (*Index)(nil)

// Placed writes the codes of memories that got slots, from the rows of their vectors. The codes in their
// former slots are dropped with the segment.
func (x *Index) Placed(ctx context.Context, segment int64, first int, nums []int64, inserted func(num int64) bool) error {
	all, err := x.Rows.Models(ctx)
	if err != nil || len(all) == 0 {
		return err
	}
	for _, m := range all {
		edits, slots := make(map[int][]byte, len(nums)), make(map[int64]int, len(nums))
		var unknown []int64
		for i, num := range nums {
			if !inserted(num) {
				unknown, slots[num] = append(unknown, num), first+i
			} else if row := x.fresh[vectorOf{m.Num, num}]; row != nil {
				edits[first+i] = row
			}
		}
		err := x.vectorRows(ctx, m, unknown, func(num int64, row []byte) error {
			edits[slots[num]] = slices.Clone(row)
			return nil
		})
		if err == nil {
			err = x.editCodes(ctx, m, segment, edits)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// Emptied removes the codes in emptied slots of a segment.
func (x *Index) Emptied(ctx context.Context, segment int64, slots []int) error {
	edits := make(map[int][]byte, len(slots))
	for _, slot := range slots {
		edits[slot] = nil
	}
	all, err := x.Rows.Models(ctx)
	if err != nil {
		return err
	}
	for _, m := range all {
		if err := x.editCodes(ctx, m, segment, edits); err != nil {
			return err
		}
	}
	return nil
}

// Dropped removes the codes of a dropped segment.
func (x *Index) Dropped(ctx context.Context, segment int64) error {
	x.recoded = true
	return x.Codes.DropCodes(ctx, segment)
}

// Written forgets the rows of memories that waited for their slots.
func (x *Index) Written() { x.fresh = nil }

// lacks reports whether a memory waits for its slot and certainly has no vector yet.
func (x *Index) lacks(of vectorOf) bool {
	_, inserted := x.Words.Waiting(of.memory)
	return inserted && x.fresh[of] == nil
}

// place writes the codes of the vectors of memories into their slots; others get their codes with their slots.
func (x *Index) place(ctx context.Context, m index.Model, nums []int64, rows map[int64][]byte) error {
	for _, num := range nums {
		if _, inserted := x.Words.Waiting(num); inserted {
			if x.fresh == nil {
				x.fresh = map[vectorOf][]byte{}
			}
			x.fresh[vectorOf{m.Num, num}] = rows[num]
		}
	}
	return x.Words.Places(ctx, nums, func(segment int64, at map[int]int64) error {
		edits := make(map[int][]byte, len(at))
		for slot, num := range at {
			edits[slot] = rows[num]
		}
		return x.editCodes(ctx, m, segment, edits)
	})
}
