package sqlite

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/vector"
)

// model is a row of models.
type model struct {
	num        int64
	dimensions int
	changes    int64 // number of changes of its codes
}

func scanModel(s scanner) (m model, err error) {
	err = s.Scan(&m.num, &m.dimensions, &m.changes)
	return m, err
}

// model returns the model with a fingerprint; found is false if it is unknown.
func (t *tx) model(ctx context.Context, fingerprint string) (m model, found bool, err error) {
	const query = `SELECT num, dimensions, changes FROM models WHERE fingerprint = ?`
	u, err := t.unchanged(ctx)
	if err != nil {
		return m, false, err
	}
	if u != nil {
		if m, found = u.models[fingerprint]; found {
			return m, true, nil
		}
	}
	m, found, err = first(list(ctx, t, "read model", query, []any{fingerprint}, scanModel))
	if found && u != nil {
		u.models[fingerprint] = m
	}
	return m, found, err
}

// Vectors returns the memories' vectors of a model, which the caller must not change.
func (t *tx) Vectors(ctx context.Context, fingerprint string, nums []int64) (map[int64][]float32, error) {
	m, found, err := t.model(ctx, fingerprint)
	if !found || len(nums) == 0 {
		return nil, err
	}
	vs := make(map[int64][]float32, len(nums))
	unread := nums
	u, err := t.unchanged(ctx)
	if err != nil {
		return nil, err
	}
	if u != nil {
		unread = nil
		for _, num := range nums {
			if v, known := u.values[vectorOf{m.num, num}]; known {
				vs[num] = v
			} else {
				unread = append(unread, num)
			}
		}
	}
	err = t.vectorRows(ctx, m, unread, func(num int64, row []byte) error {
		v, ok := vector.Row(row, m.dimensions)
		if !ok {
			return engram.Errorf(engram.CodeInternal, "the vector of memory %d is damaged", num).WithHint("rebuild it with {reembed --all}")
		}
		vs[num] = v
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("read vectors: %w", err)
	}
	if u != nil && len(unread) <= mostKeptRows {
		u.grow(len(unread) * (4*m.dimensions + 100))
		for _, num := range unread {
			if v := vs[num]; v != nil {
				u.values[vectorOf{m.num, num}] = v
			}
		}
	}
	return vs, nil
}

// Models returns the models that have vectors, by coverage.
func (t *tx) Models(ctx context.Context) ([]engram.ModelCoverage, error) {
	const query = `SELECT name, fingerprint, dimensions, memories FROM models WHERE memories > 0 ORDER BY memories DESC, num`
	return list(ctx, t, "read models", query, nil, func(s scanner) (u engram.ModelCoverage, err error) {
		err = s.Scan(&u.Model.Name, &u.Model.Fingerprint, &u.Model.Dimensions, &u.Memories)
		return u, err
	})
}

// PutVectors sets vectors of a model.
func (t *tx) PutVectors(ctx context.Context, m engram.Model, vs []engram.Vector) error {
	if len(vs) == 0 {
		return nil
	}
	for _, v := range vs {
		if err := vector.Check(v.Values, m.Dimensions); err != nil {
			return fmt.Errorf("memory %d: %w", v.Num, err)
		}
	}
	known, err := t.know(ctx, m)
	if err != nil {
		return err
	}
	rows := make(map[int64][]byte, len(vs))
	for _, v := range vs {
		row := vector.AppendRow(nil, v.Values)
		put, err := t.putVector(ctx, vectorOf{known.num, v.Num}, row)
		if err != nil {
			return fmt.Errorf("write the vector of memory %d: %w", v.Num, err)
		}
		if put {
			rows[v.Num] = row
		}
	}
	return t.placeVectors(ctx, known, rows)
}

// putVector writes a vector; put is false if the memory does not exist or is forgotten. A memory
// inserted by this transaction needs no check, and its first vector no update.
func (t *tx) putVector(ctx context.Context, of vectorOf, row []byte) (put bool, err error) {
	const (
		first   = `INSERT INTO vectors (model, memory, row) VALUES (?1,?2,?3) ON CONFLICT (model, memory) DO UPDATE SET row = excluded.row`
		another = `UPDATE vectors SET row = ?3 WHERE model = ?1 AND memory = ?2`
		unlike  = `INSERT INTO vectors (model, memory, row) SELECT ?1, num, ?3 FROM memories WHERE num = ?2 AND deleted_at IS NULL`
	)
	queries := []string{another, unlike}
	if t.pending.lacks(of) {
		queries = []string{first}
	}
	for _, query := range queries {
		res, err := t.exec(ctx, query, of.model, of.memory, row)
		if err != nil {
			return false, err
		}
		n, err := res.RowsAffected()
		if err != nil {
			return false, err
		}
		if n > 0 && query != another {
			t.countVector(of.model)
		}
		if n > 0 {
			return true, nil
		}
	}
	return false, nil
}

// know returns the model, adding it if needed.
func (t *tx) know(ctx context.Context, m engram.Model) (model, error) {
	const query = `INSERT INTO models (name, fingerprint, dimensions) VALUES (?,?,?)`
	if have, known := t.names.models[m.Fingerprint]; known && have.dimensions == m.Dimensions {
		return have, nil
	}
	have, found, err := t.model(ctx, m.Fingerprint)
	switch {
	case err != nil:
		return have, err
	case found && have.dimensions != m.Dimensions:
		return have, engram.Errorf(engram.CodeInvalid, "the model %s had %d dimensions and now has %d", m.Name, have.dimensions, m.Dimensions).
			WithHint("use another fingerprint for another model")
	case found:
		keep(&t.names.models, m.Fingerprint, have)
		return have, nil
	case m.Dimensions < 1 || m.Dimensions > vector.MaxDimensions:
		return have, engram.Errorf(engram.CodeInvalid, "a model cannot have %d dimensions", m.Dimensions)
	}
	res, err := t.exec(ctx, query, m.Name, m.Fingerprint, m.Dimensions)
	if err != nil {
		return have, fmt.Errorf("write model: %w", err)
	}
	num, err := res.LastInsertId()
	return model{num: num, dimensions: m.Dimensions}, err
}

// DropModel removes a model and its vectors.
func (t *tx) DropModel(ctx context.Context, fingerprint string) error {
	if err := t.flush(ctx); err != nil {
		return err
	}
	m, found, err := t.model(ctx, fingerprint)
	if !found {
		return err
	}
	if err := t.dropCodes(ctx, m.num, 0, lastSegment); err != nil {
		return err
	}
	return doing(t.runAll(ctx, with(`DELETE FROM vectors WHERE model = ?`, m.num), with(`DELETE FROM models WHERE num = ?`, m.num)), "drop model")
}

// The lexical index assigns memories their slots; what follows keeps the codes of the vectors in the
// same slots.

// models returns every model.
func (t *tx) models(ctx context.Context) ([]model, error) {
	return list(ctx, t, "read models", `SELECT num, dimensions, changes FROM models`, nil, scanModel)
}

// vectorsPlaced writes the codes of memories that got the slots of a segment from first on, from the
// rows of their vectors. The codes in their former slots are dropped with the segment.
func (t *tx) vectorsPlaced(ctx context.Context, segment int64, first int, nums []int64) error {
	all, err := t.models(ctx)
	if err != nil || len(all) == 0 {
		return err
	}
	slots := make(map[int64]int, len(nums))
	for i, num := range nums {
		slots[num] = first + i
	}
	for _, m := range all {
		edits := make(map[int][]byte, len(nums))
		unknown := t.placing.known(m, nums, func(num int64, row []byte) { edits[slots[num]] = row })
		err := t.vectorRows(ctx, m, unknown, func(num int64, row []byte) error {
			edits[slots[num]] = slices.Clone(row)
			return nil
		})
		if err == nil {
			err = t.editCodes(ctx, m, segment, edits)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// vectorsDied removes the codes in emptied slots of a segment.
func (t *tx) vectorsDied(ctx context.Context, segment int64, slots map[int]engram.Memory) error {
	edits := make(map[int][]byte, len(slots))
	for slot := range slots {
		edits[slot] = nil
	}
	const query = `SELECT m.num, m.dimensions, m.changes FROM models m JOIN coded c ON c.model = m.num AND c.segment = ?`
	coded, err := list(ctx, t, "read models", query, []any{segment}, scanModel)
	if err != nil {
		return err
	}
	for _, m := range coded {
		if err := t.editCodes(ctx, m, segment, edits); err != nil {
			return err
		}
	}
	return nil
}

// vectorsDropped removes the codes of a dropped segment.
func (t *tx) vectorsDropped(ctx context.Context, segment int64) error {
	all, err := t.models(ctx)
	if err != nil {
		return err
	}
	for _, m := range all {
		if err = t.dropCodes(ctx, m.num, segment, segment); err == nil {
			err = doing(t.run(ctx, `UPDATE models SET changes = changes + 1 WHERE num = ?`, m.num), "write model")
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// dropCodes removes a model's codes in the segments from first to last.
func (t *tx) dropCodes(ctx context.Context, model, first, last int64) error {
	t.recoded = true
	err := t.runAll(ctx, with(`DELETE FROM vector_codes WHERE num BETWEEN ? AND ?`, codeRow(model, first, 0), codeRow(model, last, 255)),
		with(`DELETE FROM coded WHERE model = ? AND segment BETWEEN ? AND ?`, model, first, last))
	return doing(err, "drop codes")
}

// placeVectors writes the codes of vectors, by memory, into the slots of their memories; unsealed
// memories get their codes with their slots.
func (t *tx) placeVectors(ctx context.Context, m model, rows map[int64][]byte) error {
	sealed := make(map[int64]bool, len(rows))
	for num, row := range rows {
		if !t.pending.keep(vectorOf{m.num, num}, row) {
			sealed[num] = true
		}
	}
	if len(sealed) == 0 {
		return nil
	}
	// A memory that was just saved is among the newest unsealed ones.
	err := t.rows(ctx, `SELECT memory FROM unsealed ORDER BY seq DESC`, nil, func(s scanner) error {
		num, err := scanOne[int64](s)
		delete(sealed, num)
		if len(sealed) == 0 && err == nil {
			return errStop
		}
		return err
	})
	if err != nil && !errors.Is(err, errStop) {
		return fmt.Errorf("read the newest memories: %w", err)
	}
	if len(sealed) == 0 {
		return nil
	}
	cat, err := t.catalogue(ctx)
	if err != nil {
		return err
	}
	for _, g := range slices.Backward(cat.segments) {
		edits, err := t.editsIn(ctx, g, sealed, rows)
		if err == nil {
			err = t.editCodes(ctx, m, g.num, edits)
		}
		if err != nil || len(sealed) == 0 {
			return err
		}
	}
	return nil
}

// editsIn returns the vectors of the wanted memories in a segment, by slot, and removes these memories
// from wanted.
func (t *tx) editsIn(ctx context.Context, g *segment, wanted map[int64]bool, rows map[int64][]byte) (map[int][]byte, error) {
	if err := t.load(ctx, g); err != nil {
		return nil, err
	}
	first, last := int64(0), int64(0)
	for num := range wanted {
		if first == 0 || num < first {
			first = num
		}
		last = max(last, num)
	}
	edits := map[int][]byte{}
	for slot := range g.docs.Len() {
		// The bounds avoid a map look-up for every memory of the store, which would take ten times as
		// long.
		num := g.docs.Num(slot)
		if num < first || num > last || !wanted[num] || !g.docs.Live(slot) {
			continue
		}
		edits[slot] = rows[num]
		delete(wanted, num)
	}
	return edits, nil
}
