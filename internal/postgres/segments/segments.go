// Package segments keeps the index of words in the tables of a space: index.Store.
package segments

import (
	"context"
	"sync"

	"github.com/alanbuscaglia/engram/internal/index"
	"github.com/alanbuscaglia/engram/internal/postgres/conn"
	"github.com/alanbuscaglia/engram/internal/sqlrow"
)

// The collections, each with an index of its own.
const (
	OfMemories = 0
	OfPrompts  = 1
)

// Words keeps the index of words of one collection. Its State stands in the head of the space, so that an added
// memory is one row more and no row that every save writes.
type Words struct {
	*conn.Tx
	Collection int
	Head       *index.State // in the head of the space, which the transaction writes
	Other      *int64       // the last number of segments and kinds, likewise
	Begun      int64        // Head.Changes as the transaction found it
	Kept       *Kinds       // what transactions of a process share; nil for nothing
}

var _ index.Store = Words{}

// State returns the state in the head.
func (s Words) State(context.Context) (index.State, error) { return *s.Head, nil }

// Changed counts a change.
func (s Words) Changed(context.Context) (int64, error) { return next(&s.Head.Changes), nil }

// Kinds are those of one State.Changes. It is safe for concurrent use; the zero Kinds has none.
type Kinds struct {
	mu      sync.Mutex
	changes int64
	nums    map[index.Kind]uint32
}

// Kinds returns the numbers of all kinds.
func (s Words) Kinds(ctx context.Context) (map[index.Kind]uint32, error) {
	all := map[index.Kind]uint32{}
	err := s.Rows(ctx, `SELECT num, type, scope FROM kinds WHERE space = $space`, nil, func(r sqlrow.Scanner) error {
		var num uint32
		var k index.Kind
		err := r.Scan(&num, &k.Type, &k.Scope)
		all[k] = num
		return err
	})
	return all, sqlrow.Doing(err, "read kinds")
}

// Kind returns the number of a kind.
func (s Words) Kind(ctx context.Context, k index.Kind) (num uint32, err error) {
	if s.Kept == nil || s.Head.Changes != s.Begun { // what this transaction changed is not for others
		_, err = s.Maybe(ctx, `SELECT num FROM kinds WHERE space = $space AND type = ? AND scope = ?`, []any{k.Type, k.Scope}, &num)
		return num, sqlrow.Doing(err, "read kinds")
	}
	s.Kept.mu.Lock()
	all := s.Kept.nums
	if s.Kept.changes != s.Begun {
		all = nil
	}
	s.Kept.mu.Unlock()
	if all == nil {
		if all, err = s.Kinds(ctx); err != nil {
			return 0, err
		}
		s.Kept.mu.Lock()
		s.Kept.changes, s.Kept.nums = s.Begun, all
		s.Kept.mu.Unlock()
	}
	return all[k], nil
}

// AddKind numbers a kind.
func (s Words) AddKind(ctx context.Context, k index.Kind) (uint32, error) {
	num := next(s.Other)
	err := s.Run(ctx, `INSERT INTO kinds (space, num, type, scope) VALUES ($space,?,?,?)`, num, k.Type, k.Scope)
	return uint32(num), sqlrow.Doing(err, "number type %q", k.Type)
}

// DropKinds removes the kinds without memories; prompts have the one without a type.
func (s Words) DropKinds(ctx context.Context) (bool, error) {
	n, err := s.Exec(ctx, `DELETE FROM kinds WHERE space = $space AND type <> '' AND type NOT IN (SELECT type FROM tallies WHERE space = $space)`)
	return n > 0, sqlrow.Doing(err, "drop unused types")
}

// Unsealed reads waiting memories.
func (s Words) Unsealed(ctx context.Context, after int64, words bool, each func(index.Unsealed) error) error {
	columns := "''::bytea"
	if words {
		columns = "words"
	}
	query := `SELECT seq, memory, document, ` + columns + ` FROM unsealed WHERE space = $space AND collection = ? AND seq > ? ORDER BY seq`
	err := s.Rows(ctx, query, []any{s.Collection, after}, func(r sqlrow.Scanner) error {
		var u index.Unsealed
		if err := r.Scan(&u.Seq, &u.Memory, &u.Document, &u.Words); err != nil {
			return err
		}
		return each(u)
	})
	return sqlrow.Doing(err, "read the newest memories")
}

// AddUnsealed adds a waiting memory.
func (s Words) AddUnsealed(ctx context.Context, u index.Unsealed) (int64, error) {
	seq := next(&s.Head.Last)
	s.Head.Unsealed++
	err := s.Run(ctx, `INSERT INTO unsealed (space, collection, seq, memory, document, words) VALUES ($space,?,?,?,?,?)`, s.Collection, seq, u.Memory, u.Document, bytesOf(u.Words))
	return seq, sqlrow.Doing(err, "index memory %d", u.Memory)
}

// MoveUnsealed replaces a document.
func (s Words) MoveUnsealed(ctx context.Context, seq int64, document []byte) error {
	return s.Run(ctx, `UPDATE unsealed SET document = ? WHERE space = $space AND collection = ? AND seq = ?`, document, s.Collection, seq)
}

// DropUnsealed removes a waiting memory.
func (s Words) DropUnsealed(ctx context.Context, memory int64) (bool, error) {
	if s.Head.Unsealed == 0 {
		return false, nil
	}
	n, err := s.Exec(ctx, `DELETE FROM unsealed WHERE space = $space AND collection = ? AND memory = ?`, s.Collection, memory)
	s.Head.Unsealed -= n
	return n > 0, sqlrow.Doing(err, "remove memory %d from the index", memory)
}

// ClearUnsealed removes all waiting memories.
func (s Words) ClearUnsealed(ctx context.Context) error {
	s.Head.Unsealed = 0
	return s.Run(ctx, `DELETE FROM unsealed WHERE space = $space AND collection = ?`, s.Collection)
}

// Reserve takes numbers.
func (s Words) Reserve(_ context.Context, n int64) (int64, error) {
	last := s.Head.Last
	s.Head.Last += n
	return last, nil
}

// Segments reads the segments.
func (s Words) Segments(ctx context.Context, each func(index.Segment) error) error {
	const query = `SELECT num, level, coalesce(project, -1), version, slots, live, tokens, firsts FROM segments WHERE space = $space AND collection = ? ORDER BY num`
	err := s.Rows(ctx, query, []any{s.Collection}, func(r sqlrow.Scanner) error {
		var g index.Segment
		if err := r.Scan(&g.Num, &g.Level, &g.Project, &g.Version, &g.Slots, &g.Live, &g.Tokens, &g.Firsts); err != nil {
			return err
		}
		return each(g)
	})
	return sqlrow.Doing(err, "read segments")
}

// AddSegment adds a segment.
func (s Words) AddSegment(ctx context.Context, g index.Segment) (int64, error) {
	const query = `INSERT INTO segments (space, collection, num, level, project, version, slots, live, tokens, firsts) VALUES ($space,?,?,?,nullif(?::bigint, -1),?,?,?,?,?)`
	num := next(s.Other)
	err := s.Run(ctx, query, s.Collection, num, g.Level, g.Project, g.Version, g.Slots, g.Live, g.Tokens, bytesOf(g.Firsts))
	return num, sqlrow.Doing(err, "add a segment")
}

// PutSegment replaces the row of a segment.
func (s Words) PutSegment(ctx context.Context, g index.Segment) error {
	const query = `UPDATE segments SET level = ?, project = nullif(?::bigint, -1), version = ?, slots = ?, live = ?, tokens = ?, firsts = ? WHERE space = $space AND num = ?`
	return s.Run(ctx, query, g.Level, g.Project, g.Version, g.Slots, g.Live, g.Tokens, bytesOf(g.Firsts), g.Num)
}

// DropSegment removes a segment.
func (s Words) DropSegment(ctx context.Context, num int64) error {
	err := s.RunAll(ctx, conn.With(`DELETE FROM postings WHERE space = $space AND segment = ?`, num),
		conn.With(`DELETE FROM documents WHERE space = $space AND segment = ?`, num),
		conn.With(`DELETE FROM lengths WHERE space = $space AND segment = ?`, num),
		conn.With(`DELETE FROM segments WHERE space = $space AND num = ?`, num))
	return sqlrow.Doing(err, "drop segment %d", num)
}

// partsOf are the statements for the parts of one sort.
type partsOf struct{ from, at, put, cut string }

// parts has the statements by sort. The tables differ in names alone.
var parts = func() [3]partsOf {
	of := func(table, n, data string) partsOf {
		return partsOf{
			from: `SELECT segment, ` + n + `, ` + data + ` FROM ` + table + ` WHERE space = $space AND segment = ANY(?) AND ` + n + ` >= ? ORDER BY segment, ` + n,
			at: `SELECT p.segment, p.` + n + `, p.` + data + ` FROM unnest(?1::bigint[], ?2::bigint[]) AS asked (segment, n)
				JOIN ` + table + ` p ON p.space = $space AND p.segment = asked.segment AND p.` + n + ` = asked.n`,
			put: `INSERT INTO ` + table + ` (space, segment, ` + n + `, ` + data + `) VALUES ($space,?,?,?) ON CONFLICT (space, segment, ` + n + `) DO UPDATE SET ` + data + ` = excluded.` + data,
			cut: `DELETE FROM ` + table + ` WHERE space = $space AND segment = ? AND ` + n + ` >= ?`,
		}
	}
	return [3]partsOf{index.Blocks: of("postings", "block", "words"), index.Documents: of("documents", "page", "rows"), index.Lengths: of("lengths", "page", "rows")}
}()

// Parts reads the parts of segments.
func (s Words) Parts(ctx context.Context, of index.Sort, segments []int64, from int, each func(index.Place, []byte) error) error {
	if len(segments) == 0 {
		return nil
	}
	return sqlrow.Doing(s.Rows(ctx, parts[of].from, []any{segments, from}, partTo(each)), "read segments")
}

// partTo returns what reads rows of parts.
func partTo(each func(index.Place, []byte) error) func(sqlrow.Scanner) error {
	return func(r sqlrow.Scanner) error {
		var p index.Place
		var data []byte
		if err := r.Scan(&p.Segment, &p.N, &data); err != nil {
			return err
		}
		return each(p, data)
	}
}

// PartsAt reads parts of several segments.
func (s Words) PartsAt(ctx context.Context, of index.Sort, at []index.Place, each func(index.Place, []byte) error) error {
	if len(at) == 0 {
		return nil
	}
	segments, ns := make([]int64, len(at)), make([]int64, len(at))
	for i, p := range at {
		segments[i], ns[i] = p.Segment, int64(p.N)
	}
	return sqlrow.Doing(s.Rows(ctx, parts[of].at, []any{segments, ns}, partTo(each)), "read parts of segments")
}

// PutPart adds or replaces a part.
func (s Words) PutPart(ctx context.Context, of index.Sort, at index.Place, data []byte) error {
	return s.Run(ctx, parts[of].put, at.Segment, at.N, bytesOf(data))
}

// CutParts removes parts.
func (s Words) CutParts(ctx context.Context, of index.Sort, segment int64, from int) error {
	return s.Run(ctx, parts[of].cut, segment, from)
}

// Clear empties the index of the collection. Its numbers go on.
func (s Words) Clear(ctx context.Context) error {
	const its = ` WHERE space = $space AND segment IN (SELECT num FROM segments WHERE space = $space AND collection = ?)`
	s.Head.Unsealed = 0
	err := s.RunAll(ctx, conn.With(`DELETE FROM postings`+its, s.Collection), conn.With(`DELETE FROM documents`+its, s.Collection), conn.With(`DELETE FROM lengths`+its, s.Collection),
		conn.With(`DELETE FROM segments WHERE space = $space AND collection = ?`, s.Collection), conn.With(`DELETE FROM unsealed WHERE space = $space AND collection = ?`, s.Collection))
	if err == nil && s.Collection == OfMemories {
		err = s.Run(ctx, `DELETE FROM kinds WHERE space = $space AND type <> ''`)
	}
	return sqlrow.Doing(err, "empty the index")
}

// bytesOf returns bytes that are not NULL.
func bytesOf(data []byte) []byte {
	if data == nil {
		return []byte{}
	}
	return data
}

// next raises a counter and returns it.
func next(counter *int64) int64 {
	*counter++
	return *counter
}
