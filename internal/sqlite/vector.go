package sqlite

import (
	"context"
	"fmt"
	"strings"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/vector"
)

// model is a row of models.
type model struct {
	num        int64
	dimensions int
}

// model returns the model of that fingerprint; found is false when it has no vectors.
func (t *tx) model(ctx context.Context, fingerprint string) (m model, found bool, err error) {
	const query = `SELECT num, dimensions FROM models WHERE fingerprint = ?`
	err = t.rows(ctx, query, []any{fingerprint}, func(s scanner) error {
		found = true
		return s.Scan(&m.num, &m.dimensions)
	})
	if err != nil {
		err = fmt.Errorf("read model: %w", err)
	}
	return m, found, err
}

// Nearest ranks live memories by cosine.
func (t *tx) Nearest(ctx context.Context, q engram.VectorQuery) ([]engram.Ranked, error) {
	m, found, err := t.model(ctx, q.Model)
	if !found {
		return nil, err
	}
	if err := vector.Check(q.Vector, m.dimensions); err != nil {
		return nil, err
	}
	question := append([]float32(nil), q.Vector...)
	if !vector.Normalise(question) {
		return nil, nil
	}
	c := conditions{where: []string{"v.model = ?", "m.deleted_at IS NULL"}, args: []any{m.num}}
	if q.Filter.Forgotten {
		c.add("0")
	}
	if q.Filter.Project != "" {
		num, known, err := t.knownProject(ctx, q.Filter.Project)
		if err != nil {
			return nil, err
		}
		if !known {
			c.add("0")
		}
		c.add("m.project = ?", num)
	}
	if len(q.Filter.Types) > 0 {
		c.add("m.type IN (SELECT value FROM json_each(?))", jsonText(q.Filter.Types))
	}
	if q.Filter.Scope != "" {
		c.add("m.scope = ?", q.Filter.Scope)
	}
	for _, tag := range q.Filter.Tags {
		c.add("EXISTS (SELECT 1 FROM tags WHERE memory = m.num AND tag = ?)", tag)
	}
	c.addRest(q.Filter)
	top := vector.NewTop(q.Limit)
	score := func(s scanner) error {
		var num int64
		var row []byte
		if err := s.Scan(&num, &row); err != nil {
			return err
		}
		if cosine, ok := vector.RowCosine(question, row); ok {
			top.Offer(num, cosine)
		}
		return nil
	}
	query := `SELECT v.memory, v.row FROM vectors v JOIN memories m ON m.num = v.memory WHERE ` + strings.Join(c.where, " AND ")
	if err := t.rows(ctx, query, c.args, score); err != nil {
		return nil, fmt.Errorf("find by meaning: %w", err)
	}
	ranked := top.Ranked()
	there := make(map[int64]bool, len(ranked))
	for _, r := range ranked {
		there[r.Num] = true
	}
	var also []int64
	for _, num := range q.Also {
		if !there[num] {
			there[num] = true
			also = append(also, num)
		}
	}
	top = vector.NewTop(len(also))
	if err := t.rows(ctx, vectorsSQL, []any{jsonNums(also), m.num}, score); err != nil {
		return nil, fmt.Errorf("score by meaning: %w", err)
	}
	return append(ranked, top.Ranked()...), nil
}

// vectorsSQL reads the rows of some memories by the primary key.
const vectorsSQL = `SELECT v.memory, v.row FROM json_each(?) AS asked CROSS JOIN vectors v ON v.memory = asked.value AND v.model = ?`

// Vectors returns the memories' vectors of a model.
func (t *tx) Vectors(ctx context.Context, fingerprint string, nums []int64) (map[int64][]float32, error) {
	m, found, err := t.model(ctx, fingerprint)
	if !found || len(nums) == 0 {
		return nil, err
	}
	vs := make(map[int64][]float32, len(nums))
	err = t.rows(ctx, vectorsSQL, []any{jsonNums(nums), m.num}, func(s scanner) error {
		var num int64
		var row []byte
		if err := s.Scan(&num, &row); err != nil {
			return err
		}
		v, ok := vector.Row(row, m.dimensions)
		if !ok {
			return engram.Errorf(engram.CodeInternal, "the vector of memory %d is damaged", num).WithHint("run reembed --all")
		}
		vs[num] = v
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("read vectors: %w", err)
	}
	return vs, nil
}

// Models returns the models that have vectors, the one that covers most first.
func (t *tx) Models(ctx context.Context) ([]engram.ModelUse, error) {
	const query = `SELECT name, fingerprint, dimensions, memories FROM models WHERE memories > 0 ORDER BY memories DESC, num`
	var uses []engram.ModelUse
	err := t.rows(ctx, query, nil, func(s scanner) error {
		var u engram.ModelUse
		err := s.Scan(&u.Model.Name, &u.Model.Fingerprint, &u.Model.Dimensions, &u.Memories)
		uses = append(uses, u)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("read models: %w", err)
	}
	return uses, nil
}

// Unembedded returns live memories without a vector of the model, by number.
func (t *tx) Unembedded(ctx context.Context, fingerprint string, after int64, limit int) ([]engram.Memory, error) {
	const query = `SELECT ` + memoryColumns + ` FROM memories m WHERE m.num > ? AND m.deleted_at IS NULL
		AND NOT EXISTS (SELECT 1 FROM vectors WHERE model = ? AND memory = m.num) ORDER BY m.num LIMIT ?`
	m, _, err := t.model(ctx, fingerprint) // no vector has the number of none
	if err != nil {
		return nil, err
	}
	return t.memories(ctx, query, after, m.num, limit)
}

// PutVectors sets vectors of a model.
func (t *tx) PutVectors(ctx context.Context, m engram.Model, vs []engram.Vector) error {
	const known = `INSERT INTO models (name, fingerprint, dimensions) VALUES (?,?,?) ON CONFLICT (fingerprint) DO NOTHING`
	const put = `INSERT INTO vectors (model, memory, row) SELECT ?, num, ? FROM memories WHERE num = ? AND deleted_at IS NULL
		ON CONFLICT (model, memory) DO UPDATE SET row = excluded.row`
	if len(vs) == 0 {
		return nil
	}
	for _, v := range vs {
		if err := vector.Check(v.Values, m.Dimensions); err != nil {
			return fmt.Errorf("memory %d: %w", v.Num, err)
		}
	}
	if _, err := t.exec(ctx, known, m.Name, m.Fingerprint, m.Dimensions); err != nil {
		return fmt.Errorf("write model: %w", err)
	}
	have, _, err := t.model(ctx, m.Fingerprint)
	if err != nil {
		return err
	}
	if have.dimensions != m.Dimensions {
		return engram.Errorf(engram.CodeInvalid, "the model %s had %d dimensions and now has %d", m.Name, have.dimensions, m.Dimensions).
			WithHint("another model needs another fingerprint")
	}
	for _, v := range vs {
		if _, err := t.exec(ctx, put, have.num, vector.AppendRow(nil, v.Values), v.Num); err != nil {
			return fmt.Errorf("write the vector of memory %d: %w", v.Num, err)
		}
	}
	return nil
}

// DropModel removes a model and its vectors.
func (t *tx) DropModel(ctx context.Context, fingerprint string) error {
	m, found, err := t.model(ctx, fingerprint)
	if !found {
		return err
	}
	for _, query := range []string{`DELETE FROM vectors WHERE model = ?`, `DELETE FROM models WHERE num = ?`} {
		if _, err := t.exec(ctx, query, m.num); err != nil {
			return fmt.Errorf("drop model: %w", err)
		}
	}
	return nil
}
