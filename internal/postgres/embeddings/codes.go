package embeddings

import (
	"context"

	"github.com/alanbuscaglia/engram/internal/index"
	"github.com/alanbuscaglia/engram/internal/postgres/conn"
	"github.com/alanbuscaglia/engram/internal/sqlrow"
)

var _ index.CodeStore = Store{}

// Coded returns the segments with codes.
func (s Store) Coded(ctx context.Context, model int64) (map[int64]int64, error) {
	all, err := sqlrow.Pairs[int64, int64](ctx, s.Tx, `SELECT segment, version FROM coded WHERE space = $space AND model = ?`, model)
	return all, sqlrow.Doing(err, "read codes")
}

// Codes reads the pages of codes of segments.
func (s Store) Codes(ctx context.Context, model int64, segments []int64, each func(index.Place, []byte, []byte) error) error {
	const query = `SELECT segment, page, signs, sizes FROM codes WHERE space = $space AND segment = ANY(?) AND model = ? ORDER BY segment, page`
	return s.codes(ctx, query, []any{segments, model}, each)
}

// CodesAt reads pages of codes.
func (s Store) CodesAt(ctx context.Context, model, segment int64, pages []int, each func(int, []byte, []byte) error) error {
	const query = `SELECT segment, page, signs, sizes FROM codes WHERE space = $space AND segment = ? AND model = ? AND page = ANY(?)`
	return s.codes(ctx, query, []any{segment, model, pages}, func(at index.Place, signs, sizes []byte) error { return each(at.N, signs, sizes) })
}

// codes calls each with the rows of a query.
func (s Store) codes(ctx context.Context, query string, args []any, each func(index.Place, []byte, []byte) error) error {
	err := s.Tx.Rows(ctx, query, args, func(r sqlrow.Scanner) error {
		var at index.Place
		var signs, sizes []byte
		if err := r.Scan(&at.Segment, &at.N, &signs, &sizes); err != nil {
			return err
		}
		return each(at, signs, sizes)
	})
	return sqlrow.Doing(err, "read codes")
}

// PutCodes adds or replaces a page of codes.
func (s Store) PutCodes(ctx context.Context, model int64, at index.Place, signs, sizes []byte) error {
	const query = `INSERT INTO codes (space, model, segment, page, signs, sizes) VALUES ($space,?,?,?,?,?)
		ON CONFLICT (space, segment, model, page) DO UPDATE SET signs = excluded.signs, sizes = excluded.sizes`
	return s.Run(ctx, query, model, at.Segment, at.N, signs, sizes)
}

// Recoded gives a segment's codes and their model a version that neither had before.
func (s Store) Recoded(ctx context.Context, model, segment int64) error {
	version := s.next()
	for fingerprint, m := range s.Known().all {
		if m.Num == model {
			m.Changes = version
			s.Known().all[fingerprint] = m
		}
	}
	err := s.RunAll(ctx, conn.With(`UPDATE models SET changes = ? WHERE space = $space AND num = ?`, version, model),
		conn.With(`INSERT INTO coded (space, model, segment, version) VALUES ($space,?,?,?) ON CONFLICT (space, segment, model) DO UPDATE SET version = excluded.version`, model, segment, version))
	return sqlrow.Doing(err, "write codes of segment %d", segment)
}

// recoded gives all models a version that they did not have before.
func (s Store) recoded() conn.Statement {
	s.Known().forget()
	return conn.With(`UPDATE models SET changes = ? WHERE space = $space`, s.next())
}

// DropCodes removes the codes of a segment.
func (s Store) DropCodes(ctx context.Context, segment int64) error {
	err := s.RunAll(ctx, s.recoded(), conn.With(`DELETE FROM codes WHERE space = $space AND segment = ?`, segment), conn.With(`DELETE FROM coded WHERE space = $space AND segment = ?`, segment))
	return sqlrow.Doing(err, "drop codes")
}

// ClearCodes removes all codes.
func (s Store) ClearCodes(ctx context.Context) error {
	return sqlrow.Doing(s.RunAll(ctx, s.recoded(), conn.With(`DELETE FROM codes WHERE space = $space`), conn.With(`DELETE FROM coded WHERE space = $space`)), "empty the codes")
}
