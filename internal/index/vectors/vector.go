package vectors

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/index/lexicon"
	"github.com/alanbuscaglia/engram/internal/sqlite/conn"
	"github.com/alanbuscaglia/engram/internal/vector"
)

// model is a row of models.
type model struct {
	num        int64
	dimensions int
	changes    int64 // number of changes of its codes
}

// first is the number of the row that memory 0 would have: those of the model follow it.
func (m model) first() int64 { return m.num << 48 }

func scanModel(s conn.Scanner) (m model, err error) {
	err = s.Scan(&m.num, &m.dimensions, &m.changes)
	return m, err
}

// changeSQL counts a change of a model's codes.
const changeSQL = `UPDATE models SET changes = changes + 1`

// model returns the model with a fingerprint; found is false if it is unknown.
func (x *Index) model(ctx context.Context, fingerprint string) (m model, found bool, err error) {
	const query = `SELECT num, dimensions, changes FROM models WHERE fingerprint = ?`
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
	m, found, err = conn.First(conn.List(ctx, x.DB, "read model", query, []any{fingerprint}, scanModel))
	if found {
		x.knows(fingerprint, m)
	}
	if found && u != nil {
		u.models[fingerprint] = m
	}
	return m, found, err
}

// Values returns the memories' vectors of a model, which the caller must not change.
func (x *Index) Values(ctx context.Context, fingerprint string, nums []int64) (map[int64][]float32, error) {
	m, found, err := x.model(ctx, fingerprint)
	if !found || len(nums) == 0 {
		return nil, err
	}
	vs := make(map[int64][]float32, len(nums))
	return vs, x.values(ctx, m, nums, vs, nil)
}

// values adds the memories' vectors to vs. Their rows are kept, but not their values, which are four times as
// large and soon decoded.
func (x *Index) values(ctx context.Context, m model, nums []int64, vs map[int64][]float32, room []float32) error {
	if len(room) < len(nums)*m.dimensions {
		room = make([]float32, len(nums)*m.dimensions)
	}
	err := x.vectorRows(ctx, m, nums, func(num int64, row []byte) error {
		v := room[:m.dimensions:m.dimensions]
		if !vector.ReadRow(v, row) {
			return engram.Errorf(engram.CodeInternal, "the vector of memory %d is damaged", num).WithHint("rebuild it with {reembed --all}")
		}
		vs[num], room = v, room[m.dimensions:]
		return nil
	})
	return conn.Doing(err, "read vectors")
}

// Models returns the models that have vectors, by coverage.
func (x *Index) Models(ctx context.Context) ([]engram.ModelCoverage, error) {
	const query = `SELECT name, fingerprint, dimensions, memories FROM models WHERE memories > 0 ORDER BY memories DESC, num`
	return conn.List(ctx, x.DB, "read models", query, nil, func(s conn.Scanner) (u engram.ModelCoverage, err error) {
		err = s.Scan(&u.Model.Name, &u.Model.Fingerprint, &u.Model.Dimensions, &u.Memories)
		return u, err
	})
}

// Put sets vectors of a model; those of missing and forgotten memories are left out.
func (x *Index) Put(ctx context.Context, m engram.Model, vs []engram.Vector) error {
	if len(vs) == 0 {
		return nil
	}
	for _, v := range vs {
		if err := vector.Check(v.Values, m.Dimensions); err != nil {
			return fmt.Errorf("memory %d: %w", v.Num, err)
		}
	}
	known, err := x.know(ctx, m)
	if err != nil {
		return err
	}
	rows := make(map[int64][]byte, len(vs))
	for _, v := range vs {
		row := vector.AppendRow(nil, v.Values)
		put, err := x.put(ctx, vectorOf{known.num, v.Num}, row)
		if err != nil {
			return fmt.Errorf("write the vector of memory %d: %w", v.Num, err)
		}
		if put {
			rows[v.Num] = row
		}
	}
	return x.place(ctx, known, rows)
}

// put writes a vector; put is false if the memory does not exist or is forgotten. A memory
// inserted by this transaction needs no check, and its first vector no update.
func (x *Index) put(ctx context.Context, of vectorOf, row []byte) (put bool, err error) {
	const (
		first   = `INSERT INTO vectors (num, row) VALUES ((?1 << 48) + ?2, ?3) ON CONFLICT (num) DO UPDATE SET row = excluded.row`
		another = `UPDATE vectors SET row = ?3 WHERE num = (?1 << 48) + ?2`
		unlike  = `INSERT INTO vectors (num, row) SELECT (?1 << 48) + num, ?3 FROM memories WHERE num = ?2 AND deleted_at IS NULL`
	)
	queries := []string{another, unlike}
	if x.lacks(of) {
		queries = []string{first}
	}
	for _, query := range queries {
		res, err := x.DB.Exec(ctx, query, of.model, of.memory, row)
		if err != nil {
			return false, err
		}
		n, err := res.RowsAffected()
		if err != nil {
			return false, err
		}
		if n > 0 && query != another {
			if x.counts == nil {
				x.counts = map[int64]int64{}
			}
			x.counts[of.model]++
		}
		if n > 0 {
			return true, nil
		}
	}
	return false, nil
}

// know returns the model, adding it if needed.
func (x *Index) know(ctx context.Context, m engram.Model) (model, error) {
	const query = `INSERT INTO models (name, fingerprint, dimensions) VALUES (?,?,?)`
	if have, known := x.known[m.Fingerprint]; known && have.dimensions == m.Dimensions {
		return have, nil
	}
	have, found, err := x.model(ctx, m.Fingerprint)
	switch {
	case err != nil:
		return have, err
	case found && have.dimensions != m.Dimensions:
		return have, engram.Errorf(engram.CodeInvalid, "the model %s had %d dimensions and now has %d", m.Name, have.dimensions, m.Dimensions).
			WithHint("use another fingerprint for another model")
	case found:
		x.knows(m.Fingerprint, have)
		return have, nil
	case m.Dimensions < 1 || m.Dimensions > vector.MaxDimensions:
		return have, engram.Errorf(engram.CodeInvalid, "a model cannot have %d dimensions", m.Dimensions)
	}
	res, err := x.DB.Exec(ctx, query, m.Name, m.Fingerprint, m.Dimensions)
	if err != nil {
		return have, fmt.Errorf("write model: %w", err)
	}
	num, err := res.LastInsertId()
	return model{num: num, dimensions: m.Dimensions}, err
}

// knows keeps a model for writing.
func (x *Index) knows(fingerprint string, m model) {
	if x.known == nil {
		x.known = map[string]model{}
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
	if err := x.dropCodes(ctx, m.num, 0, lastSegment); err != nil {
		return err
	}
	return conn.Doing(x.DB.RunAll(ctx, conn.With(`DELETE FROM vectors WHERE num BETWEEN ? AND ?`, m.first(), m.first()|1<<48-1), conn.With(`DELETE FROM models WHERE num = ?`, m.num)), "drop model")
}

// The index of words assigns memories their slots; what follows keeps the codes of the vectors in the same
// slots.

// models returns every model.
func (x *Index) models(ctx context.Context) ([]model, error) {
	return conn.List(ctx, x.DB, "read models", `SELECT num, dimensions, changes FROM models`, nil, scanModel)
}

var _ lexicon.Slots = (*Index)(nil)

// Placed writes the codes of memories that got slots, from the rows of their vectors. The codes in their
// former slots are dropped with the segment.
func (x *Index) Placed(ctx context.Context, segment int64, first int, nums []int64, inserted func(num int64) bool) error {
	all, err := x.models(ctx)
	if err != nil || len(all) == 0 {
		return err
	}
	for _, m := range all {
		edits, slots := make(map[int][]byte, len(nums)), make(map[int64]int, len(nums))
		var unknown []int64
		for i, num := range nums {
			if !inserted(num) {
				unknown, slots[num] = append(unknown, num), first+i
			} else if row := x.fresh[vectorOf{m.num, num}]; row != nil {
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
	const query = `SELECT m.num, m.dimensions, m.changes FROM models m JOIN coded c ON c.model = m.num AND c.segment = ?`
	coded, err := conn.List(ctx, x.DB, "read models", query, []any{segment}, scanModel)
	if err != nil {
		return err
	}
	for _, m := range coded {
		if err := x.editCodes(ctx, m, segment, edits); err != nil {
			return err
		}
	}
	return nil
}

// Dropped removes the codes of a dropped segment.
func (x *Index) Dropped(ctx context.Context, segment int64) error {
	all, err := x.models(ctx)
	if err != nil {
		return err
	}
	for _, m := range all {
		if err = x.dropCodes(ctx, m.num, segment, segment); err == nil {
			err = conn.Doing(x.DB.Run(ctx, changeSQL+` WHERE num = ?`, m.num), "write model")
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// Written forgets the rows of memories that waited for their slots.
func (x *Index) Written() { x.fresh = nil }

// lacks reports whether a memory waits for its slot and certainly has no vector yet.
func (x *Index) lacks(of vectorOf) bool {
	_, inserted := x.Words.Waiting(of.memory)
	return inserted && x.fresh[of] == nil
}

// dropCodes removes a model's codes in the segments from first to last.
func (x *Index) dropCodes(ctx context.Context, model, first, last int64) error {
	x.recoded = true
	err := x.DB.RunAll(ctx, conn.With(`DELETE FROM vector_codes WHERE num BETWEEN ? AND ?`, codeRow(model, first, 0), codeRow(model, last, 255)),
		conn.With(`DELETE FROM coded WHERE model = ? AND segment BETWEEN ? AND ?`, model, first, last))
	return conn.Doing(err, "drop codes")
}

// place writes the codes of vectors, by memory, into the slots of their memories; others get their codes
// with their slots.
func (x *Index) place(ctx context.Context, m model, rows map[int64][]byte) error {
	for num, row := range rows {
		if _, inserted := x.Words.Waiting(num); inserted {
			if x.fresh == nil {
				x.fresh = map[vectorOf][]byte{}
			}
			x.fresh[vectorOf{m.num, num}] = row
		}
	}
	return x.Words.Places(ctx, slices.Collect(maps.Keys(rows)), func(segment int64, at map[int]int64) error {
		edits := make(map[int][]byte, len(at))
		for slot, num := range at {
			edits[slot] = rows[num]
		}
		return x.editCodes(ctx, m, segment, edits)
	})
}
