// Package embeddings keeps the rows and codes of vectors for package vectors, in the tables models, vectors,
// vector_codes and coded.
//
// One number finds a row: model<<48 | memory in vectors, model<<48 | segment<<8 | page in vector_codes
// (docs/adr/0007-vectors.md). Triggers drop the vectors of memories that change, and count that.
package embeddings

import (
	"context"
	"database/sql"
	"fmt"
	"strings"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/index"
	"github.com/alanbuscaglia/engram/internal/sqlite/conn"
	"github.com/alanbuscaglia/engram/internal/sqlrow"
)

// Store keeps vectors in one transaction.
type Store struct{ *conn.Tx }

var (
	_ index.VectorRows = Store{}
	_ index.CodeStore  = Store{}
)

// firstRow is the number of the row that memory 0 would have: those of the model follow it.
func firstRow(model int64) int64 { return model << 48 }

func scanModel(s sqlrow.Scanner) (m index.Model, err error) {
	err = s.Scan(&m.Num, &m.Dimensions, &m.Changes)
	return m, err
}

// Model returns the model with a fingerprint.
func (s Store) Model(ctx context.Context, fingerprint string) (index.Model, bool, error) {
	const query = `SELECT num, dimensions, changes FROM models WHERE fingerprint = ?`
	return sqlrow.First(sqlrow.List(ctx, s.Tx, "read model", query, []any{fingerprint}, scanModel))
}

// Models returns all models.
func (s Store) Models(ctx context.Context) ([]index.Model, error) {
	return sqlrow.List(ctx, s.Tx, "read models", `SELECT num, dimensions, changes FROM models`, nil, scanModel)
}

// Coverage returns the models that have vectors, those of most memories first.
func (s Store) Coverage(ctx context.Context) ([]engram.ModelCoverage, error) {
	const query = `SELECT name, fingerprint, dimensions, memories FROM models WHERE memories > 0 ORDER BY memories DESC, num`
	return sqlrow.List(ctx, s.Tx, "read models", query, nil, func(r sqlrow.Scanner) (u engram.ModelCoverage, err error) {
		err = r.Scan(&u.Model.Name, &u.Model.Fingerprint, &u.Model.Dimensions, &u.Memories)
		return u, err
	})
}

// AddModel adds a model.
func (s Store) AddModel(ctx context.Context, m engram.Model) (index.Model, error) {
	res, err := s.Exec(ctx, `INSERT INTO models (name, fingerprint, dimensions) VALUES (?,?,?)`, m.Name, m.Fingerprint, m.Dimensions)
	if err != nil {
		return index.Model{}, fmt.Errorf("write model: %w", err)
	}
	num, err := res.LastInsertId()
	return index.Model{Num: num, Dimensions: m.Dimensions}, err
}

// DropModel removes a model with its vectors and codes.
func (s Store) DropModel(ctx context.Context, model int64) error {
	err := s.dropCodes(ctx, model, 0, lastSegment)
	if err == nil {
		err = s.RunAll(ctx, conn.With(`DELETE FROM vectors WHERE num BETWEEN ? AND ?`, firstRow(model), firstRow(model+1)-1), conn.With(`DELETE FROM models WHERE num = ?`, model))
	}
	return sqlrow.Doing(err, "drop model")
}

// Count adds to the number of memories with a vector of a model.
func (s Store) Count(ctx context.Context, model, more int64) error {
	return sqlrow.Doing(s.Run(ctx, `UPDATE models SET memories = memories + ? WHERE num = ?`, more, model), "count vectors")
}

// Lacking returns how many live memories have no vector of a model.
func (s Store) Lacking(ctx context.Context, model int64) (lacking int64, err error) {
	const query = `SELECT (SELECT coalesce(sum(live), 0) FROM tallies) - memories FROM models WHERE num = ?`
	err = s.Row(ctx, query, []any{model}, &lacking)
	return lacking, sqlrow.Doing(err, "count vectors")
}

// PutRows sets vectors. A first one needs no look whether the memory is live, and no update.
func (s Store) PutRows(ctx context.Context, model int64, rows []index.VectorRow) (put []int64, added int64, err error) {
	const (
		first   = firstSQL + ` ((?1 << 48) + ?2, ?3) ON CONFLICT (num) DO UPDATE SET row = excluded.row`
		another = `UPDATE vectors SET row = ?3 WHERE num = (?1 << 48) + ?2`
		unlike  = `INSERT INTO vectors (num, row) SELECT (?1 << 48) + num, ?3 FROM memories WHERE num = ?2 AND deleted_at IS NULL`
	)
	for _, v := range rows {
		queries := []string{another, unlike}
		if v.First {
			queries = []string{first}
		}
		for _, query := range queries {
			n, err := s.rowsOf(s.Exec(ctx, query, model, v.Memory, v.Row))
			if err != nil {
				return nil, 0, fmt.Errorf("write the vector of memory %d: %w", v.Memory, err)
			}
			if n == 0 {
				continue
			}
			put = append(put, v.Memory)
			if query != another {
				added++
			}
			break
		}
	}
	return put, added, nil
}

func (Store) rowsOf(res sql.Result, err error) (int64, error) {
	if err != nil {
		return 0, err
	}
	return res.RowsAffected()
}

// eachRow calls each with the rows of a query: a memory and its vector.
func (s Store) eachRow(ctx context.Context, query string, args []any, each func(int64, []byte) error) error {
	var memory int64
	var row sql.RawBytes
	into := []any{&memory, &row}
	err := s.Tx.Rows(ctx, query, args, func(r sqlrow.Scanner) error {
		if err := r.Scan(into...); err != nil {
			return err
		}
		return each(memory, row)
	})
	return sqlrow.Doing(err, "read vectors")
}

// Rows reads the vectors of memories by the primary key.
func (s Store) Rows(ctx context.Context, model int64, memories []int64, each func(int64, []byte) error) error {
	const query = `SELECT v.num, v.row FROM json_each(?) AS asked CROSS JOIN vectors v ON v.num = ? + asked.value`
	first := firstRow(model)
	return s.eachRow(ctx, query, []any{conn.JSONNums(memories), first}, func(num int64, row []byte) error { return each(num-first, row) })
}

// AllRows reads all vectors of a model.
func (s Store) AllRows(ctx context.Context, model int64, each func(int64, []byte) error) error {
	const query = `SELECT num - ?1, row FROM vectors WHERE num BETWEEN ?1 AND ?1 + (1 << 48) - 1 ORDER BY num`
	return s.eachRow(ctx, query, []any{firstRow(model)}, each)
}

// NewestRows reads the newest vectors, found by memories_recent and memories_project_recent without reading memories.
func (s Store) NewestRows(ctx context.Context, model, project int64, most int, each func([]byte) error) error {
	const (
		newest = `SELECT m.num, v.row FROM (SELECT num FROM memories WHERE deleted_at IS NULL ORDER BY created_at DESC, num DESC LIMIT ?) AS m
		CROSS JOIN vectors v ON v.num = ? + m.num`
		projectNewest = `SELECT m.num, v.row FROM (SELECT num FROM memories WHERE project = ? AND deleted_at IS NULL ORDER BY created_at DESC, num DESC LIMIT ?) AS m
		CROSS JOIN vectors v ON v.num = ? + m.num`
	)
	query, args := newest, []any{most, firstRow(model)}
	if project >= 0 {
		query, args = projectNewest, []any{project, most, firstRow(model)}
	}
	return s.eachRow(ctx, query, args, func(_ int64, row []byte) error { return each(row) })
}

// lastSegment is the greatest segment number that fits into codeRow.
const lastSegment = 1<<40 - 1

// codeRow is the number of a page's row.
func codeRow(model, segment int64, page int) int64 { return model<<48 | segment<<8 | int64(page) }

// changeSQL counts a change of codes.
const changeSQL = `UPDATE models SET changes = changes + 1`

// firstSQL begins the statement that adds the first vector of a memory.
const firstSQL = `INSERT INTO vectors (num, row) VALUES`

// Recodes reports whether a statement of a Store changes index.Model.Changes.
func Recodes(query string) bool { return strings.HasPrefix(query, changeSQL) }

// Adds reports whether a statement of a Store leaves the vectors of all memories that had one as they are.
func Adds(query string) bool {
	for _, begin := range [...]string{firstSQL, "UPDATE models SET", "INSERT INTO vector_codes", "DELETE FROM vector_codes", "INSERT INTO coded", "DELETE FROM coded"} {
		if strings.HasPrefix(query, begin) {
			return true
		}
	}
	return false
}

// Coded returns the segments with codes of a model.
func (s Store) Coded(ctx context.Context, model int64) (map[int64]int64, error) {
	all, err := sqlrow.Pairs[int64, int64](ctx, s.Tx, `SELECT segment, version FROM coded WHERE model = ?`, model)
	return all, sqlrow.Doing(err, "read codes")
}

// codes calls each with the rows of a query.
func (s Store) codes(ctx context.Context, segment int64, query string, args []any, each func(page int, signs, sizes []byte) error) error {
	err := s.Tx.Rows(ctx, query, args, func(r sqlrow.Scanner) error {
		var num int64
		var signs, sizes []byte
		if err := r.Scan(&num, &signs, &sizes); err != nil {
			return err
		}
		return each(int(num&255), signs, sizes)
	})
	return sqlrow.Doing(err, "read codes of segment %d", segment)
}

// Codes reads the pages of codes of segments, with a statement a segment.
func (s Store) Codes(ctx context.Context, model int64, segments []int64, each func(index.Place, []byte, []byte) error) error {
	const query = `SELECT num, signs, sizes FROM vector_codes WHERE num BETWEEN ? AND ? ORDER BY num`
	for _, segment := range segments {
		err := s.codes(ctx, segment, query, []any{codeRow(model, segment, 0), codeRow(model, segment, 255)}, func(page int, signs, sizes []byte) error {
			return each(index.Place{Segment: segment, N: page}, signs, sizes)
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// CodesAt reads pages of codes, with a statement a page: a segment has eight, and most changes are of one.
func (s Store) CodesAt(ctx context.Context, model, segment int64, pages []int, each func(int, []byte, []byte) error) error {
	for _, page := range pages {
		if err := s.codes(ctx, segment, `SELECT num, signs, sizes FROM vector_codes WHERE num = ?`, []any{codeRow(model, segment, page)}, each); err != nil {
			return err
		}
	}
	return nil
}

// PutCodes adds or replaces a page of codes.
func (s Store) PutCodes(ctx context.Context, model int64, at index.Place, signs, sizes []byte) error {
	const query = `INSERT INTO vector_codes (num, signs, sizes) VALUES (?,?,?) ON CONFLICT (num) DO UPDATE SET signs = excluded.signs, sizes = excluded.sizes`
	return s.Run(ctx, query, codeRow(model, at.Segment, at.N), signs, sizes)
}

// Recoded counts a change of a segment's codes.
func (s Store) Recoded(ctx context.Context, model, segment int64) error {
	const query = `INSERT INTO coded (model, segment, version) VALUES (?,?,?) ON CONFLICT (model, segment) DO UPDATE SET version = excluded.version`
	var now int64
	err := s.Row(ctx, changeSQL+` WHERE num = ? RETURNING changes`, []any{model}, &now)
	if err == nil {
		err = s.Run(ctx, query, model, segment, now)
	}
	return sqlrow.Doing(err, "write codes of segment %d", segment)
}

// DropCodes removes the codes of a segment.
func (s Store) DropCodes(ctx context.Context, segment int64) error {
	models, err := sqlrow.Column[int64](ctx, s.Tx, `SELECT num FROM models`)
	for _, model := range models {
		if err == nil {
			err = s.dropCodes(ctx, model, segment, segment)
		}
	}
	if err == nil && len(models) > 0 {
		err = s.Run(ctx, changeSQL)
	}
	return sqlrow.Doing(err, "drop codes")
}

// dropCodes removes a model's codes in the segments from first to last.
func (s Store) dropCodes(ctx context.Context, model, first, last int64) error {
	return s.RunAll(ctx, conn.With(`DELETE FROM vector_codes WHERE num BETWEEN ? AND ?`, codeRow(model, first, 0), codeRow(model, last, 255)),
		conn.With(`DELETE FROM coded WHERE model = ? AND segment BETWEEN ? AND ?`, model, first, last))
}

// ClearCodes removes all codes.
func (s Store) ClearCodes(ctx context.Context) error {
	return sqlrow.Doing(s.RunAll(ctx, conn.With("DELETE FROM vector_codes"), conn.With("DELETE FROM coded"), conn.With(changeSQL)), "empty the codes")
}
