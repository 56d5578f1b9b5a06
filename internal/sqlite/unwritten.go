package sqlite

import (
	"cmp"
	"context"
	"database/sql"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/sqlite/conn"
	"github.com/alanbuscaglia/engram/internal/sqlrow"
)

// unwritten collects what inserts add to other tables until it is written: before a statement that could
// observe it, and before the commit at the latest. A hundred thousand memories change only a few
// thousand counting rows. Triggers would update each row a hundred thousand times, and make SQLite copy
// every page that an insert touches, to be able to roll back the statement.
type unwritten struct {
	tallies  map[tally]int64
	sessions map[int64]sessionChange // by session number
	tags     [][]any                 // rows of tags
	entries  [][]any                 // rows of the journal
	metadata [][]any                 // rows of lineages; a later one of the same thing counts
}

// rows reports whether rows are not written yet.
func (u *unwritten) rows() bool { return len(u.tags)+len(u.entries)+len(u.metadata) > 0 }

// tally is the key of table tallies.
type tally struct {
	project int64
	typ     engram.Type
}

// sessionChange is what new memories add to their session.
type sessionChange struct {
	live   int64
	active int64 // newest creation time in milliseconds; 0 if unchanged
}

// mostTagRows bounds the unwritten rows of tags.
const mostTagRows = 512

// uncounted reports whether counts are not written yet.
func (t *tx) uncounted() bool {
	return len(t.unwritten.tallies)+len(t.unwritten.sessions) > 0 || t.vectors.Unwritten()
}

// countMemory records the counts and tags of a newly inserted memory.
func (t *tx) countMemory(ctx context.Context, at home, m engram.Memory) error {
	o := &t.unwritten
	if o.sessions == nil {
		o.tallies, o.sessions = map[tally]int64{}, map[int64]sessionChange{}
	}
	a := o.sessions[at.Session]
	if !m.Forgotten() {
		o.tallies[tally{at.Project, m.Type}]++
		a.live++
	}
	if made, dated := sqlrow.Millis(m.CreatedAt).(int64); dated && at.Session != 0 {
		a.active = max(a.active, made)
	}
	if a != (sessionChange{}) {
		o.sessions[at.Session] = a
	}
	for _, tag := range m.Tags {
		o.tags = append(o.tags, []any{m.Num, tag})
	}
	if len(o.tags) < mostTagRows {
		return nil
	}
	return t.flushTags(ctx)
}

// flushBefore writes what is unwritten if the statement could observe it. Changes and deletions of memories
// can, by foreign keys and triggers.
func (t *tx) flushBefore(ctx context.Context, query string) error {
	reaches := strings.Contains(query, "DELETE") || strings.Contains(query, "UPDATE memories")
	if len(t.unwritten.tags) > 0 && (reaches || strings.Contains(query, "tags")) {
		if err := t.flushTags(ctx); err != nil {
			return err
		}
	}
	if len(t.unwritten.entries) > 0 && strings.Contains(query, "mutations") {
		if err := t.flushEntries(ctx); err != nil {
			return err
		}
	}
	if len(t.unwritten.metadata) > 0 && strings.Contains(query, "lineages") {
		if err := t.flushMetadata(ctx); err != nil {
			return err
		}
	}
	if !t.uncounted() {
		return nil
	}
	for _, column := range []string{"live", "active_at", "models"} {
		if reaches = reaches || strings.Contains(query, column); reaches {
			return t.flushCounts(ctx)
		}
	}
	return nil
}

// flushUnwritten writes everything unwritten.
func (t *tx) flushUnwritten(ctx context.Context) error {
	for _, flush := range []func(context.Context) error{t.flushTags, t.flushEntries, t.flushMetadata, t.flushCounts} {
		if err := flush(ctx); err != nil {
			return err
		}
	}
	return nil
}

// flushCounts updates the counting rows.
func (t *tx) flushCounts(ctx context.Context) error {
	o := t.unwritten
	t.unwritten.tallies, t.unwritten.sessions = nil, nil // first: the statements below check it
	for _, of := range slices.SortedFunc(maps.Keys(o.tallies), tally.compare) {
		const query = `INSERT INTO tallies (project, type, live) VALUES (?,?,?) ON CONFLICT (project, type) DO UPDATE SET live = live + excluded.live`
		if err := t.Run(ctx, query, of.project, of.typ, o.tallies[of]); err != nil {
			return fmt.Errorf("count memories: %w", err)
		}
	}
	for _, num := range slices.Sorted(maps.Keys(o.sessions)) {
		const query = `UPDATE sessions SET live = live + ?1, active_at = max(active_at, ?2) WHERE num = ?3`
		if err := t.Run(ctx, query, o.sessions[num].live, o.sessions[num].active, num); err != nil {
			return fmt.Errorf("count the memories of a session: %w", err)
		}
	}
	return t.vectors.Flush(ctx)
}

func (a tally) compare(b tally) int {
	return cmp.Or(cmp.Compare(a.project, b.project), strings.Compare(string(a.typ), string(b.typ)))
}

// Rows of tags, of the journal and of lineages are inserted together: manyRows, or up to fewRows. Single inserts would
// be half the cost of writing a tagged memory, and a statement per number of rows would overflow the statement cache.
const manyRows, fewRows = 64, 8

// One page of so many of the file is touched again and again by a large transaction: of memories those of their ids, hashes
// and titles, of relations most, since both of their ends are anywhere. Chosen on imports of 10,000 to 100,000 memories
// and of 60,000 relations.
const pageOfMemories, pageOfRelations = 16, 2

// flushMost flushes rows that have become many, as they do in a large transaction.
func (t *tx) flushMost(ctx context.Context, rows *[][]any, flush func(context.Context) error) error {
	if len(*rows) < manyRows {
		return nil
	}
	of := pageOfMemories
	if t.related >= manyRows {
		of = pageOfRelations
	}
	if err := t.Conn.Widen(ctx, of); err != nil {
		return err
	}
	return flush(ctx)
}

// flushEntries writes the unwritten entries of the journal.
func (t *tx) flushEntries(ctx context.Context) error {
	rows := t.unwritten.entries
	t.unwritten.entries = nil
	const query = `INSERT OR FAIL INTO mutations (seq, op, at, actor, verb, entity, key, project, reason, was, undoes) VALUES `
	return eachBatch(rows, func(some [][]any) error {
		_, err := t.insert(ctx, query, some)
		return sqlrow.Doing(err, "write journal")
	})
}

// flushMetadata writes the unwritten causal metadata.
func (t *tx) flushMetadata(ctx context.Context) error {
	rows := t.unwritten.metadata
	t.unwritten.metadata = nil
	const (
		fresh = `INSERT OR FAIL INTO lineages (entity, key, at, device, digest, more, held) VALUES `
		put   = `INSERT INTO lineages (entity, key, at, device, digest, more, held) VALUES (?,?,?,?,?,?,?)
		ON CONFLICT (entity, key) DO UPDATE SET at = excluded.at, device = excluded.device, digest = excluded.digest,
		more = excluded.more, held = excluded.held`
	)
	return eachBatch(rows, func(some [][]any) error {
		if len(some) > 1 { // mostly of new things
			_, err := t.insert(ctx, fresh, some)
			if !conn.IsUnique(err) {
				return sqlrow.Doing(err, "write causal metadata")
			}
		}
		for _, row := range some {
			if err := t.Run(ctx, put, row...); err != nil {
				return fmt.Errorf("write causal metadata of %v: %w", row[1], err)
			}
		}
		return nil
	})
}

// eachBatch calls fn with the rows in batches, of few sizes, since each is a statement of its own.
func eachBatch(rows [][]any, fn func([][]any) error) error {
	for len(rows) > 0 {
		n := min(len(rows), fewRows)
		if len(rows) >= manyRows {
			n = manyRows
		}
		if err := fn(rows[:n]); err != nil {
			return err
		}
		rows = rows[n:]
	}
	return nil
}

// insert runs an insert of rows. With OR FAIL it keeps those before one that fails, so that SQLite need not copy the
// pages that it touches.
func (t *tx) insert(ctx context.Context, query string, rows [][]any) (sql.Result, error) {
	row := `(?` + strings.Repeat(",?", len(rows[0])-1) + `)`
	args := make([]any, 0, len(rows)*len(rows[0]))
	for _, r := range rows {
		args = append(args, r...)
	}
	return t.Exec(ctx, query+row+strings.Repeat(","+row, len(rows)-1), args...)
}

// flushTags writes the unwritten tags.
func (t *tx) flushTags(ctx context.Context) error {
	rows := t.unwritten.tags
	t.unwritten.tags = nil
	return t.addTags(ctx, rows)
}

// addTags inserts rows of tags.
func (t *tx) addTags(ctx context.Context, rows [][]any) error {
	return eachBatch(rows, func(some [][]any) error {
		_, err := t.insert(ctx, `INSERT OR IGNORE INTO tags (memory, tag) VALUES `, some)
		return sqlrow.Doing(err, "write tags")
	})
}
