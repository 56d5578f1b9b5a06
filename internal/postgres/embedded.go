package postgres

import (
	"context"
	"fmt"
	"slices"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/index"
	"github.com/alanbuscaglia/engram/internal/postgres/conn"
	"github.com/alanbuscaglia/engram/internal/vector"
)

// model returns the model with a fingerprint; found is false if it is unknown.
func (t *tx) model(ctx context.Context, fingerprint string) (m index.Model, found bool, err error) {
	return t.embeddings().Model(ctx, fingerprint)
}

// Models returns the models that have vectors, by coverage.
func (t *tx) Models(ctx context.Context) ([]engram.ModelCoverage, error) {
	return t.embeddings().Coverage(ctx)
}

// PutVectors sets vectors of a model; those of missing and forgotten memories are left out.
func (t *tx) PutVectors(ctx context.Context, m engram.Model, vs []engram.Vector) error {
	// A first vector of a memory is counted, another one is not: all parts of a statement see what was before it.
	const query = `WITH was AS (SELECT 1 FROM vectors WHERE space = $space AND model = ?1 AND memory = ?2),
		put AS (INSERT INTO vectors (space, model, memory, row) SELECT $space, ?1, num, ?3 FROM memories WHERE space = $space AND num = ?2 AND deleted_at IS NULL
			ON CONFLICT (space, model, memory) DO UPDATE SET row = excluded.row RETURNING memory)
		UPDATE models SET memories = memories + 1 WHERE space = $space AND num = ?1 AND EXISTS (SELECT 1 FROM put) AND NOT EXISTS (SELECT 1 FROM was)`
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
	return forAll(vs, func(v engram.Vector) error {
		err := t.Run(ctx, query, known.Num, v.Num, vector.AppendRow(nil, v.Values))
		return conn.Doing(err, "write the vector of memory %d", v.Num)
	})
}

// know returns the model, adding it if needed.
func (t *tx) know(ctx context.Context, m engram.Model) (index.Model, error) {
	have, found, err := t.model(ctx, m.Fingerprint)
	switch {
	case err != nil:
		return have, err
	case found && have.Dimensions != m.Dimensions:
		return have, engram.Errorf(engram.CodeInvalid, "the model %s had %d dimensions and now has %d", m.Name, have.Dimensions, m.Dimensions).
			WithHint("use another fingerprint for another model")
	case found:
		return have, nil
	case m.Dimensions < 1 || m.Dimensions > vector.MaxDimensions:
		return have, engram.Errorf(engram.CodeInvalid, "a model cannot have %d dimensions", m.Dimensions)
	}
	return t.embeddings().AddModel(ctx, m)
}

// DropModel removes a model and its vectors.
func (t *tx) DropModel(ctx context.Context, fingerprint string) error {
	m, found, err := t.model(ctx, fingerprint)
	if !found {
		return err
	}
	return t.embeddings().DropModel(ctx, m.Num)
}

// dropVectors removes the vectors of a memory: they said what its words said.
func (t *tx) dropVectors(ctx context.Context, num int64) error {
	const query = `WITH gone AS (DELETE FROM vectors WHERE space = $space AND model IN (SELECT num FROM models WHERE space = $space) AND memory = ? RETURNING model)
		UPDATE models SET memories = memories - 1 WHERE space = $space AND num IN (SELECT model FROM gone)`
	return conn.Doing(t.Run(ctx, query, num), "drop the vectors of memory %d", num)
}

// Vectors returns the memories' vectors of a model, which the caller must not change.
func (t *tx) Vectors(ctx context.Context, fingerprint string, nums []int64) (map[int64][]float32, error) {
	m, found, err := t.model(ctx, fingerprint)
	if !found || len(nums) == 0 {
		return nil, err
	}
	vs := make(map[int64][]float32, len(nums))
	return vs, t.values(ctx, m, nums, vs)
}

// values adds the memories' vectors to vs.
func (t *tx) values(ctx context.Context, m index.Model, nums []int64, vs map[int64][]float32) error {
	return t.embeddings().Rows(ctx, m.Num, nums, func(num int64, row []byte) error {
		v, err := valuesOf(row, m)
		vs[num] = v
		return err
	})
}

func valuesOf(row []byte, m index.Model) ([]float32, error) {
	v, ok := vector.Row(row, m.Dimensions)
	if !ok {
		return nil, engram.Errorf(engram.CodeInternal, "a vector is damaged").WithHint("rebuild it with {reembed --all}")
	}
	return v, nil
}

// NewestVectors returns the vectors of the newest live memories of a project, which the caller must not change.
func (t *tx) NewestVectors(ctx context.Context, fingerprint, project string, most int) ([][]float32, error) {
	m, found, err := t.model(ctx, fingerprint)
	if err != nil || !found {
		return nil, err
	}
	num, none, err := t.whole(ctx, project)
	if err != nil || none {
		return nil, err
	}
	if project == "" {
		num = -1
	}
	var vs [][]float32
	err = t.embeddings().NewestRows(ctx, m.Num, num, most, func(row []byte) error {
		v, err := valuesOf(row, m)
		vs = append(vs, v)
		return err
	})
	return vs, err
}

// Nearest ranks memories by their vectors, all of which it compares.
func (t *tx) Nearest(ctx context.Context, q engram.VectorQuery) ([]engram.Ranked, error) {
	m, known, err := t.model(ctx, q.Model)
	if !known {
		return nil, err
	}
	if err := vector.Check(q.Vector, m.Dimensions); err != nil {
		return nil, err
	}
	question := slices.Clone(q.Vector)
	if !vector.Normalise(question) {
		return nil, nil
	}
	found, err := t.near(ctx, m, question, q)
	if err != nil || q.Vectors == nil {
		return found, err
	}
	asked := slices.Clone(q.Also)
	for _, r := range found {
		asked = append(asked, r.Num)
	}
	slices.Sort(asked)
	return found, t.values(ctx, m, slices.Compact(asked), q.Vectors)
}

func (t *tx) near(ctx context.Context, m index.Model, question []float32, q engram.VectorQuery) ([]engram.Ranked, error) {
	f := q.Filter
	project, known, err := t.knownProject(ctx, f.Project)
	if !known || f.Forgotten {
		return nil, err
	}
	c := &conditions{from: "memories m JOIN vectors v ON v.space = $space AND v.memory = m.num"}
	c.add("m.space = $space AND m.deleted_at IS NULL AND v.model = ?", m.Num)
	c.addFilter("m", f, project)
	top := vector.NewTop(q.Limit)
	err = t.Rows(ctx, c.query("m.num, v.row"), c.args, func(s conn.Scanner) error {
		var num int64
		var row []byte
		err := s.Scan(&num, &row)
		if cosine, ok := vector.RowCosine(question, row); ok && err == nil {
			top.Offer(num, cosine)
		}
		return err
	})
	return top.Ranked(), conn.Doing(err, "search vectors")
}

// unembeddedSQL reads live memories without a vector of a model, by number.
var unembeddedSQL = memoryWhere(`m.num > ? AND m.deleted_at IS NULL
	AND NOT EXISTS (SELECT 1 FROM vectors v WHERE v.space = $space AND v.model = ? AND v.memory = m.num) ORDER BY m.num LIMIT ?`)

// unembedded returns live memories without a vector of the model, by number.
func (t *tx) unembedded(ctx context.Context, fingerprint string, after int64, limit int) ([]engram.Memory, error) {
	m, _, err := t.model(ctx, fingerprint)
	if err != nil {
		return nil, err
	}
	return t.memories(ctx, unembeddedSQL(), after, m.Num, limit)
}
