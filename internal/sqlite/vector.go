package sqlite

import (
	"context"
	"fmt"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/vector"
)

// model is a row of models.
type model struct {
	num        int64
	dimensions int
	changes    int64 // how often its codes were written
}

// model returns the model of that fingerprint; found is false when it has no vectors.
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
	err = t.rows(ctx, query, []any{fingerprint}, func(s scanner) error {
		found = true
		return s.Scan(&m.num, &m.dimensions, &m.changes)
	})
	if err != nil {
		return m, false, fmt.Errorf("read model: %w", err)
	}
	if found && u != nil {
		u.models[fingerprint] = m
	}
	return m, found, nil
}

// Vectors returns the memories' vectors of a model. They are not the caller's to change.
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
			return engram.Errorf(engram.CodeInternal, "the vector of memory %d is damaged", num).WithHint("{reembed --all} makes it anew")
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

// Models returns the models that have vectors, the one that covers most first.
func (t *tx) Models(ctx context.Context) ([]engram.ModelUse, error) {
	const query = `SELECT name, fingerprint, dimensions, memories FROM models WHERE memories > 0 ORDER BY memories DESC, num`
	return list(ctx, t, "read models", query, nil, func(s scanner) (engram.ModelUse, error) {
		var u engram.ModelUse
		err := s.Scan(&u.Model.Name, &u.Model.Fingerprint, &u.Model.Dimensions, &u.Memories)
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

// putVector writes a row of vectors; put is false when the memory does not exist, or is
// forgotten. One that was inserted just now is there, and its first vector replaces none.
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
			t.oweVector(of.model)
		}
		if n > 0 {
			return true, nil
		}
	}
	return false, nil
}

// know returns the model, which is written down when it is new.
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
			WithHint("another model needs another fingerprint")
	case found:
		keep(&t.names.models, m.Fingerprint, have)
		return have, nil
	case m.Dimensions < 1 || m.Dimensions > vector.MaxDimensions:
		return have, engram.Errorf(engram.CodeInvalid, "a model of %d dimensions", m.Dimensions)
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
	for _, query := range []string{`DELETE FROM vectors WHERE model = ?`, `DELETE FROM models WHERE num = ?`} {
		if _, err := t.exec(ctx, query, m.num); err != nil {
			return fmt.Errorf("drop model: %w", err)
		}
	}
	return nil
}
