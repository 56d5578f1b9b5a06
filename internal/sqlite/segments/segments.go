// Package segments keeps the index of words (package lexicon) in tables of the SQLite file: it is the index.Store of
// one transaction.
package segments

import (
	"context"
	"fmt"

	"github.com/alanbuscaglia/engram/internal/index"
	"github.com/alanbuscaglia/engram/internal/sqlite/conn"
	"github.com/alanbuscaglia/engram/internal/sqlrow"
)

// Store is the index of words as one transaction sees and changes it. Tx is required.
type Store struct{ *conn.Tx }

var _ index.Store = Store{}

// State counts rows: a counter would be a row that every save writes.
func (s Store) State(ctx context.Context) (now index.State, err error) {
	const query = `SELECT (SELECT changes FROM index_state), (SELECT count(*) FROM unsealed), (SELECT coalesce(max(seq), 0) FROM unsealed)`
	err = s.Row(ctx, query, nil, &now.Changes, &now.Unsealed, &now.Last)
	return now, err
}

// Changed counts a change.
func (s Store) Changed(ctx context.Context) (version int64, err error) {
	err = s.Row(ctx, `UPDATE index_state SET changes = changes + 1 RETURNING changes`, nil, &version)
	return version, sqlrow.Doing(err, "change the index")
}

// Kinds returns the numbers of all kinds.
func (s Store) Kinds(ctx context.Context) (map[index.Kind]uint32, error) {
	all := map[index.Kind]uint32{}
	err := s.Rows(ctx, `SELECT num, type, scope FROM kinds`, nil, func(r sqlrow.Scanner) error {
		var num uint32
		var k index.Kind
		err := r.Scan(&num, &k.Type, &k.Scope)
		all[k] = num
		return err
	})
	return all, sqlrow.Doing(err, "read kinds")
}

// Kind returns the number of a kind.
func (s Store) Kind(ctx context.Context, k index.Kind) (num uint32, err error) {
	_, err = s.Maybe(ctx, `SELECT num FROM kinds WHERE type = ? AND scope = ?`, []any{k.Type, k.Scope}, &num)
	return num, sqlrow.Doing(err, "read kinds")
}

// AddKind numbers a kind.
func (s Store) AddKind(ctx context.Context, k index.Kind) (uint32, error) {
	num, err := s.inserted(ctx, `INSERT INTO kinds (type, scope) VALUES (?,?)`, k.Type, k.Scope)
	return uint32(num), sqlrow.Doing(err, "number type %q", k.Type)
}

// inserted runs an INSERT and returns the number of its row.
func (s Store) inserted(ctx context.Context, query string, args ...any) (int64, error) {
	res, err := s.Exec(ctx, query, args...)
	if err != nil {
		return 0, err
	}
	return res.LastInsertId()
}

// removed runs a DELETE and reports whether there was such a row.
func (s Store) removed(ctx context.Context, query string, args ...any) (bool, error) {
	res, err := s.Exec(ctx, query, args...)
	if err != nil {
		return false, err
	}
	n, err := res.RowsAffected()
	return n > 0, err
}

// DropKinds removes the kinds without memories.
func (s Store) DropKinds(ctx context.Context) (bool, error) {
	dropped, err := s.removed(ctx, `DELETE FROM kinds WHERE type NOT IN (SELECT type FROM tallies)`)
	return dropped, sqlrow.Doing(err, "drop unused types")
}

// Unsealed reads waiting memories.
func (s Store) Unsealed(ctx context.Context, after int64, words bool, each func(index.Unsealed) error) error {
	query := `SELECT seq, memory, document FROM unsealed WHERE seq > ? ORDER BY seq`
	if words {
		query = `SELECT seq, memory, document, words FROM unsealed WHERE seq > ? ORDER BY seq`
	}
	var u index.Unsealed
	into := []any{&u.Seq, &u.Memory, &u.Document, &u.Words}
	if !words {
		into = into[:3]
	}
	err := s.Rows(ctx, query, []any{after}, func(r sqlrow.Scanner) error {
		if err := r.Scan(into...); err != nil {
			return err
		}
		return each(u)
	})
	return sqlrow.Doing(err, "read the newest memories")
}

// AddUnsealed adds a waiting memory.
func (s Store) AddUnsealed(ctx context.Context, u index.Unsealed) (int64, error) {
	seq, err := s.inserted(ctx, `INSERT INTO unsealed (memory, document, words) VALUES (?,?,?)`, u.Memory, u.Document, bytesOf(u.Words))
	return seq, sqlrow.Doing(err, "index memory %d", u.Memory)
}

// MoveUnsealed replaces a document.
func (s Store) MoveUnsealed(ctx context.Context, seq int64, document []byte) error {
	return s.Run(ctx, `UPDATE unsealed SET document = ? WHERE seq = ?`, document, seq)
}

// DropUnsealed removes a waiting memory.
func (s Store) DropUnsealed(ctx context.Context, memory int64) (bool, error) {
	was, err := s.removed(ctx, `DELETE FROM unsealed WHERE memory = ?`, memory)
	return was, sqlrow.Doing(err, "remove memory %d from the index", memory)
}

// ClearUnsealed removes all waiting memories.
func (s Store) ClearUnsealed(ctx context.Context) error {
	return s.Run(ctx, `DELETE FROM unsealed`)
}

// Reserve takes numbers of the table's sequence, which has a row since the first memory.
func (s Store) Reserve(ctx context.Context, n int64) (int64, error) {
	first, err := s.inserted(ctx, `INSERT INTO unsealed (memory, document, words) VALUES (0, x'', x'')`)
	if err == nil {
		err = s.RunAll(ctx, conn.With(`DELETE FROM unsealed WHERE seq = ?`, first),
			conn.With(`UPDATE sqlite_sequence SET seq = ? WHERE name = 'unsealed'`, first-1+n))
	}
	return first - 1, sqlrow.Doing(err, "number unsealed memories")
}

// Segments reads the segments.
func (s Store) Segments(ctx context.Context, each func(index.Segment) error) error {
	const query = `SELECT num, version, level, coalesce(project, -1), slots, live, tokens, firsts FROM segments ORDER BY num`
	err := s.Rows(ctx, query, nil, func(r sqlrow.Scanner) error {
		var g index.Segment
		if err := r.Scan(&g.Num, &g.Version, &g.Level, &g.Project, &g.Slots, &g.Live, &g.Tokens, &g.Firsts); err != nil {
			return err
		}
		return each(g)
	})
	return sqlrow.Doing(err, "read segments")
}

// AddSegment adds a segment.
func (s Store) AddSegment(ctx context.Context, g index.Segment) (int64, error) {
	const query = `INSERT INTO segments (level, project, version, slots, live, tokens, firsts) VALUES (?,nullif(?,-1),?,?,?,?,?)`
	num, err := s.inserted(ctx, query, g.Level, g.Project, g.Version, g.Slots, g.Live, g.Tokens, bytesOf(g.Firsts))
	return num, sqlrow.Doing(err, "add a segment")
}

// PutSegment replaces the row of a segment.
func (s Store) PutSegment(ctx context.Context, g index.Segment) error {
	const query = `UPDATE segments SET level = ?, project = nullif(?,-1), version = ?, slots = ?, live = ?, tokens = ?, firsts = ? WHERE num = ?`
	return s.Run(ctx, query, g.Level, g.Project, g.Version, g.Slots, g.Live, g.Tokens, bytesOf(g.Firsts), g.Num)
}

// DropSegment removes a segment.
func (s Store) DropSegment(ctx context.Context, num int64) error {
	first, last := rows(num, 0)
	return s.RunAll(ctx, conn.With(parts[index.Blocks].cut, first, last), conn.With(parts[index.Documents].cut, first, last),
		conn.With(parts[index.Lengths].cut, first, last), conn.With(`DELETE FROM segments WHERE num = ?`, num))
}

// rows returns the numbers of the rows with the parts of a segment from number from on.
func rows(segment int64, from int) (first, last int64) {
	return row(segment, from), row(segment+1, 0) - 1
}

// row is the number of the row of a part.
func row(segment int64, n int) int64 { return segment<<16 | int64(n) }

// placeOf is the part whose row has a number.
func placeOf(row int64) index.Place {
	return index.Place{Segment: row >> 16, N: int(row & (1<<16 - 1))}
}

// statements are those for the parts of one sort.
type statements struct {
	from, one string
	at        string // one statement for all costs a fifth of one per part
	put, cut  string
}

// parts has the statements by sort.
var parts = [3]statements{
	index.Blocks: {
		from: `SELECT num, words FROM postings WHERE num BETWEEN ? AND ? ORDER BY num`,
		one:  `SELECT words FROM postings WHERE num = ?`,
		at:   `SELECT postings.num, words FROM json_each(?) AS asked CROSS JOIN postings ON postings.num = asked.value`,
		put:  `INSERT INTO postings (num, words) VALUES (?,?) ON CONFLICT (num) DO UPDATE SET words = excluded.words`,
		cut:  `DELETE FROM postings WHERE num BETWEEN ? AND ?`,
	},
	index.Documents: {
		from: `SELECT num, rows FROM documents WHERE num BETWEEN ? AND ? ORDER BY num`,
		one:  `SELECT rows FROM documents WHERE num = ?`,
		at:   `SELECT documents.num, rows FROM json_each(?) AS asked CROSS JOIN documents ON documents.num = asked.value`,
		put:  `INSERT INTO documents (num, rows) VALUES (?,?) ON CONFLICT (num) DO UPDATE SET rows = excluded.rows`,
		cut:  `DELETE FROM documents WHERE num BETWEEN ? AND ?`,
	},
	index.Lengths: {
		from: `SELECT num, rows FROM lengths WHERE num BETWEEN ? AND ? ORDER BY num`,
		one:  `SELECT rows FROM lengths WHERE num = ?`,
		at:   `SELECT lengths.num, rows FROM json_each(?) AS asked CROSS JOIN lengths ON lengths.num = asked.value`,
		put:  `INSERT INTO lengths (num, rows) VALUES (?,?) ON CONFLICT (num) DO UPDATE SET rows = excluded.rows`,
		cut:  `DELETE FROM lengths WHERE num BETWEEN ? AND ?`,
	},
}

// Parts reads the parts of segments.
func (s Store) Parts(ctx context.Context, of index.Sort, segments []int64, from int, each func(index.Place, []byte) error) error {
	var num int64
	var data []byte
	into := []any{&num, &data}
	for _, segment := range segments {
		first, last := rows(segment, from)
		err := s.Rows(ctx, parts[of].from, []any{first, last}, func(r sqlrow.Scanner) error {
			if err := r.Scan(into...); err != nil {
				return err
			}
			return each(placeOf(num), data)
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// PartsAt reads parts of several segments.
func (s Store) PartsAt(ctx context.Context, of index.Sort, at []index.Place, each func(index.Place, []byte) error) error {
	var num int64
	var data []byte
	if len(at) == 1 {
		found, err := s.Maybe(ctx, parts[of].one, []any{row(at[0].Segment, at[0].N)}, &data)
		if err != nil || !found {
			return err
		}
		return each(at[0], data)
	}
	nums := make([]int64, len(at))
	for i, p := range at {
		nums[i] = row(p.Segment, p.N)
	}
	into := []any{&num, &data}
	return s.Rows(ctx, parts[of].at, []any{conn.JSONNums(nums)}, func(r sqlrow.Scanner) error {
		if err := r.Scan(into...); err != nil {
			return err
		}
		return each(placeOf(num), data)
	})
}

// PutPart adds or replaces a part.
func (s Store) PutPart(ctx context.Context, of index.Sort, at index.Place, data []byte) error {
	return s.Run(ctx, parts[of].put, row(at.Segment, at.N), bytesOf(data))
}

// CutParts removes parts.
func (s Store) CutParts(ctx context.Context, of index.Sort, segment int64, from int) error {
	first, last := rows(segment, from)
	return s.Run(ctx, parts[of].cut, first, last)
}

// Clear empties the index.
func (s Store) Clear(ctx context.Context) error {
	for _, table := range []string{"postings", "documents", "lengths", "segments", "unsealed", "kinds"} {
		if err := s.Run(ctx, "DELETE FROM "+table); err != nil {
			return fmt.Errorf("empty the index: %w", err)
		}
	}
	return nil
}

// bytesOf returns bytes that the driver does not take for NULL.
func bytesOf(data []byte) []byte {
	if data == nil {
		return []byte{}
	}
	return data
}
