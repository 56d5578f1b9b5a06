// Package embeddings keeps the rows and codes of vectors in the tables of a space: index.VectorRows and index.CodeStore.
package embeddings

import (
	"context"
	"maps"
	"sync"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/index"
	"github.com/alanbuscaglia/engram/internal/postgres/conn"
	"github.com/alanbuscaglia/engram/internal/sqlrow"
)

// Store keeps vectors in one transaction. The numbers of models and versions of codes follow *Other, in the head of the
// space, which the transaction writes.
type Store struct {
	*conn.Tx
	Other *int64
	Known func() *Models
}

var _ index.VectorRows = Store{}

// Models are the models of a space in one version of it, once they were read. They are safe for concurrent use by
// readers; a writer has its own.
type Models struct {
	mu  sync.Mutex
	all map[string]index.Model // by fingerprint; nil until read
}

// Copy makes m what others are, for a writer.
func (m *Models) Copy(others *Models) {
	others.mu.Lock()
	defer others.mu.Unlock()
	m.all = maps.Clone(others.all)
}

// forget has the models read again.
func (m *Models) forget() { m.all = nil }

// next raises a counter and returns it.
func (s Store) next() int64 {
	*s.Other++
	return *s.Other
}

// models returns the models by fingerprint.
func (s Store) models(ctx context.Context) (map[string]index.Model, error) {
	known := s.Known()
	known.mu.Lock()
	all := known.all
	known.mu.Unlock()
	if all != nil {
		return all, nil
	}
	all = map[string]index.Model{}
	err := s.Tx.Rows(ctx, `SELECT fingerprint, num, dimensions, changes FROM models WHERE space = $space`, nil, func(r sqlrow.Scanner) error {
		var fingerprint string
		var m index.Model
		err := r.Scan(&fingerprint, &m.Num, &m.Dimensions, &m.Changes)
		all[fingerprint] = m
		return err
	})
	if err != nil {
		return nil, sqlrow.Doing(err, "read models")
	}
	known.mu.Lock() // not while reading, which lets others run that want it (conn.Tx.Together)
	defer known.mu.Unlock()
	known.all = all
	return all, nil
}

// Model returns the model with a fingerprint.
func (s Store) Model(ctx context.Context, fingerprint string) (m index.Model, found bool, err error) {
	all, err := s.models(ctx)
	m, found = all[fingerprint]
	return m, found, err
}

// Models returns all models.
func (s Store) Models(ctx context.Context) (models []index.Model, err error) {
	all, err := s.models(ctx)
	for _, m := range all {
		models = append(models, m)
	}
	return models, err
}

// Coverage returns the models that have vectors, those of most memories first.
func (s Store) Coverage(ctx context.Context) ([]engram.ModelCoverage, error) {
	const query = `SELECT name, fingerprint, dimensions, memories FROM models WHERE space = $space AND memories > 0 ORDER BY memories DESC, num`
	return sqlrow.List(ctx, s.Tx, "read models", query, nil, func(r sqlrow.Scanner) (u engram.ModelCoverage, err error) {
		err = r.Scan(&u.Model.Name, &u.Model.Fingerprint, &u.Model.Dimensions, &u.Memories)
		return u, err
	})
}

// AddModel adds a model.
func (s Store) AddModel(ctx context.Context, m engram.Model) (index.Model, error) {
	added := index.Model{Num: s.next(), Dimensions: m.Dimensions}
	if known := s.Known(); known.all != nil {
		known.all[m.Fingerprint] = added
	}
	err := s.Run(ctx, `INSERT INTO models (space, num, name, fingerprint, dimensions) VALUES ($space,?,?,?,?)`, added.Num, m.Name, m.Fingerprint, m.Dimensions)
	return added, sqlrow.Doing(err, "write model")
}

// DropModel removes a model with its vectors and codes.
func (s Store) DropModel(ctx context.Context, model int64) error {
	s.Known().forget()
	err := s.RunAll(ctx, conn.With(`DELETE FROM vectors WHERE space = $space AND model = ?`, model),
		conn.With(`DELETE FROM codes WHERE space = $space AND model = ?`, model), conn.With(`DELETE FROM coded WHERE space = $space AND model = ?`, model),
		conn.With(`DELETE FROM models WHERE space = $space AND num = ?`, model))
	return sqlrow.Doing(err, "drop model")
}

// Count adds to the number of memories with a vector of a model.
func (s Store) Count(ctx context.Context, model, more int64) error {
	return sqlrow.Doing(s.Run(ctx, `UPDATE models SET memories = memories + ? WHERE space = $space AND num = ?`, more, model), "count vectors")
}

// Lacking returns how many live memories have no vector of a model.
func (s Store) Lacking(ctx context.Context, model int64) (lacking int64, err error) {
	const query = `SELECT (SELECT coalesce(sum(live), 0)::bigint FROM tallies WHERE space = $space) - memories FROM models WHERE space = $space AND num = ?`
	err = s.Row(ctx, query, []any{model}, &lacking)
	return lacking, sqlrow.Doing(err, "count vectors")
}

// PutRows sets vectors, which wait in the queue: one read says which memories there are.
func (s Store) PutRows(ctx context.Context, model int64, rows []index.VectorRow) (put []int64, added int64, err error) {
	const (
		write = `INSERT INTO vectors (space, model, memory, row) VALUES ($space,?,?,?) ON CONFLICT (space, model, memory) DO UPDATE SET row = excluded.row`
		known = `SELECT m.num, v.memory IS NULL FROM memories m LEFT JOIN vectors v ON v.space = m.space AND v.model = ? AND v.memory = m.num
			WHERE m.space = $space AND m.num = ANY(?) AND m.deleted_at IS NULL`
	)
	first := map[int64]bool{} // the memories that there are, and whether it is their first vector
	var asked []int64
	for _, v := range rows {
		if v.First {
			first[v.Memory] = true
		} else {
			asked = append(asked, v.Memory)
		}
	}
	if len(asked) > 0 {
		if err := s.Tx.Rows(ctx, known, []any{model, asked}, func(r sqlrow.Scanner) error {
			var memory int64
			var none bool
			err := r.Scan(&memory, &none)
			first[memory] = none
			return err
		}); err != nil {
			return nil, 0, sqlrow.Doing(err, "write vectors")
		}
	}
	for _, v := range rows {
		none, is := first[v.Memory]
		if !is {
			continue
		}
		if err := s.Run(ctx, write, model, v.Memory, v.Row); err != nil {
			return nil, 0, sqlrow.Doing(err, "write the vector of memory %d", v.Memory)
		}
		if put = append(put, v.Memory); none {
			added++
			first[v.Memory] = false
		}
	}
	return put, added, nil
}

// eachRow calls each with the rows of a query: a memory and its vector.
func (s Store) eachRow(ctx context.Context, query string, args []any, each func(int64, []byte) error) error {
	err := s.Tx.Rows(ctx, query, args, func(r sqlrow.Scanner) error {
		var memory int64
		var row []byte
		if err := r.Scan(&memory, &row); err != nil {
			return err
		}
		return each(memory, row)
	})
	return sqlrow.Doing(err, "read vectors")
}

// Rows reads the vectors of memories, each looked up by its key: one condition on all of them takes half as much again.
func (s Store) Rows(ctx context.Context, model int64, memories []int64, each func(int64, []byte) error) error {
	const query = `SELECT v.memory, v.row FROM unnest(?2::bigint[]) AS m (num)
		CROSS JOIN LATERAL (SELECT memory, row FROM vectors WHERE space = $space AND model = ?1 AND memory = m.num OFFSET 0) v`
	return s.eachRow(ctx, query, []any{model, memories}, each)
}

// AllRows reads all vectors of a model.
func (s Store) AllRows(ctx context.Context, model int64, each func(int64, []byte) error) error {
	return s.eachRow(ctx, `SELECT memory, row FROM vectors WHERE space = $space AND model = ? ORDER BY memory`, []any{model}, each)
}

// NewestRows looks for the memories first, in the order of their index.
func (s Store) NewestRows(ctx context.Context, model, project int64, most int, each func([]byte) error) error {
	const (
		from   = `SELECT m.num, v.row FROM (SELECT num, created_at FROM memories WHERE space = $space AND deleted_at IS NULL`
		newest = ` ORDER BY created_at DESC, num DESC LIMIT ?1) m
		JOIN vectors v ON v.space = $space AND v.model = ?2 AND v.memory = m.num ORDER BY m.created_at DESC, m.num DESC`
	)
	query, args := from+newest, []any{most, model}
	if project >= 0 {
		query, args = from+` AND project = ?3`+newest, append(args, project)
	}
	return s.eachRow(ctx, query, args, func(_ int64, row []byte) error { return each(row) })
}
