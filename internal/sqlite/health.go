package sqlite

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"slices"
	"strings"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/health"
	"github.com/alanbuscaglia/engram/internal/index/lexicon"
	"github.com/alanbuscaglia/engram/internal/sqlite/conn"
	"github.com/alanbuscaglia/engram/internal/sqlite/file"
	"github.com/alanbuscaglia/engram/internal/sqlrow"
)

// Examine inspects the database at path on a read-only connection: it writes no page, not even when it
// closes, so a damaged file stays as found; an empty log may be left beside it. It works even if Open
// fails. The facts report what cannot be determined; the error is that of ctx.
func Examine(ctx context.Context, path string, q health.Query) (health.Facts, error) {
	f := health.Facts{Path: path}
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		f.Missing = true
		return f, ctx.Err()
	}
	db, err := file.Inspect(path)
	if err != nil {
		return f, err
	}
	f.Err = db.Explain(examine(ctx, db, q, &f))
	if err := db.Close(); f.Err == nil {
		f.Err = db.Explain(err)
	}
	if f.Err != nil && q.Wants(health.Integrity) {
		f.Damage = health.Damage{Part: health.Part{Known: true, Err: f.Err}}
	}
	return f, ctx.Err()
}

// examine fills f. It returns an error only if the file cannot be read at all.
func examine(ctx context.Context, db *file.File, q health.Query, f *health.Facts) error {
	err := db.Patiently(ctx, func(ctx context.Context, c *conn.Conn) (err error) {
		f.Missing, err = db.Check(ctx, c, schema())
		return err
	})
	if f.Missing = f.Missing && err == nil; f.Missing || err != nil {
		return err
	}
	c, err := db.Reads.Take(ctx)
	if err != nil {
		return err
	}
	defer db.Reads.Give(c)
	x := &examination{tx: newTx(c, new(kept), false), query: q, facts: f, explain: db.Explain}
	err = x.snapshot(ctx, x.names)
	for _, part := range []struct {
		into   *health.Part
		read   func(context.Context) error
		checks []health.ID
	}{
		{&f.Damage.Part, x.damage, []health.ID{health.Integrity}},
		{&f.Index.Part, x.words, []health.ID{health.IndexInStep}},
		{&f.Vectors.Part, x.embedded, []health.ID{health.VectorsInStep}},
		{&f.Records.Part, x.records, []health.ID{health.RequiredFields}},
		{&f.Relations.Part, x.relations, []health.ID{health.Nowhere}},
		{&f.Sessions.Part, x.sessions, []health.ID{health.ManualSession, health.SessionFolder}},
		{&f.Clock.Part, x.clock, []health.ID{health.ClockBackwards}},
		{&f.Programs.Part, x.programs, []health.ID{health.BinaryVersions}},
		{&f.SQLite.Part, x.library, []health.ID{health.SQLiteVersion}},
	} {
		if !q.Wants(part.checks...) {
			continue
		}
		part.into.Known = true
		part.into.Err = db.Explain(x.snapshot(ctx, part.read))
	}
	return err
}

// examination is one inspection of the file.
type examination struct {
	*tx
	explain func(error) error
	query   health.Query
	facts   *health.Facts
}

// snapshot runs read on a snapshot. Each part uses its own: a long one would keep the log of a busy
// store from being restarted.
func (x *examination) snapshot(ctx context.Context, read func(context.Context) error) error {
	if err := x.Conn.Begin(ctx, "BEGIN"); err != nil {
		return err
	}
	defer x.Conn.Rollback()
	return read(ctx)
}

// names reads the names and aliases of the projects.
func (x *examination) names(ctx context.Context) error {
	const query = `SELECT name, name FROM projects WHERE num <> 0
		UNION ALL SELECT alias, (SELECT name FROM projects WHERE num = project) FROM project_aliases`
	names, err := sqlrow.Pairs[string, string](ctx, x.tx, query)
	if err == nil {
		x.facts.Names = names
	}
	return err
}

// liveSQL reads the columns that the index copies into its documents. It scans the table itself: no
// index has all of them, and the check must not rely on one.
const liveSQL = `SELECT num, project, session, type, scope, created_at FROM memories NOT INDEXED WHERE deleted_at IS NULL`

// living reads the live memories.
func (x *examination) living(ctx context.Context) (map[int64]*lexicon.Document, error) {
	live := map[int64]*lexicon.Document{}
	err := x.Rows(ctx, liveSQL, nil, func(s sqlrow.Scanner) error {
		var num int64
		m := &lexicon.Document{}
		err := s.Scan(&num, &m.Project, &m.Session, &m.Type, &m.Scope, &m.Created)
		live[num] = m
		return err
	})
	return live, err
}

// words compares the index of words with the memories.
func (x *examination) words(ctx context.Context) error {
	live, err := x.living(ctx)
	if err == nil {
		err = x.index.Examine(ctx, x.query, live, x.eachLive, &x.facts.Index)
		x.facts.Index.Broken = x.explain(x.facts.Index.Broken)
	}
	return err
}

// embedded compares the vectors with the memories, and their codes with the vectors.
func (x *examination) embedded(ctx context.Context) error {
	live := func(ctx context.Context) ([]int64, error) {
		all, err := x.living(ctx)
		return slices.Collect(maps.Keys(all)), err
	}
	err := x.vectors.Examine(ctx, x.query, live, &x.facts.Vectors)
	x.facts.Vectors.Broken = x.explain(x.facts.Vectors.Broken)
	return err
}

// library reads the version of SQLite.
func (x *examination) library(ctx context.Context) error {
	return x.Row(ctx, `SELECT sqlite_version()`, nil, &x.facts.SQLite.Version)
}

// damage runs SQLite's own check and, with Full, compares the contents with their digests, which SQLite
// does not know.
func (x *examination) damage(ctx context.Context) error {
	d := &x.facts.Damage
	d.Full = x.query.Full
	check := "quick_check"
	if d.Full {
		check = "integrity_check"
	}
	problem := func(line string) {
		if line != "ok" {
			d.Problems = append(d.Problems, line)
		}
	}
	err := sqlrow.Each(ctx, x.tx, fmt.Sprintf("PRAGMA %s(%d)", check, max(x.query.Most, 1)), problem)
	if err != nil || len(d.Problems) > 0 {
		return err // further checks would only fail on the same pages
	}
	// relations checks their foreign keys.
	err = sqlrow.Each(ctx, x.tx, `SELECT "table" FROM pragma_foreign_key_check WHERE "table" <> 'relations'`, func(table string) {
		if d.Orphans++; !slices.Contains(d.Tables, table) {
			d.Tables = append(d.Tables, table)
		}
	})
	if err != nil || !d.Full || x.query.Digest == nil {
		return err
	}
	return x.digests(ctx)
}

// lackingSQL selects the live memories with missing fields. octet_length does not read the content; the
// project is checked unless it is row 0. A memory without a session is valid: imported ones have none.
const lackingSQL = `SELECT m.num, rtrim(
	iif(m.id = '', 'id,', '') || iif(m.sync_id = '', 'sync_id,', '') || iif(trim(m.type) = '', 'type,', '') ||
	iif(trim(m.title) = '', 'title,', '') || iif(octet_length(m.content) = 0, 'content,', '') ||
	iif(m.scope NOT IN ('project', 'personal', 'global'), 'scope,', '') ||
	iif(m.session <> 0 AND s.num IS NULL, 'session_id,', '') || iif(p.num IS NULL, 'project,', ''), ',') lacks
	FROM memories m LEFT JOIN sessions s ON s.num = m.session LEFT JOIN projects p ON p.num = m.project
	WHERE m.deleted_at IS NULL AND lacks <> '' AND (?1 = '' OR p.name = ?1 OR p.num IS NULL) ORDER BY m.num`

// records looks for journal entries and memories that replicas would reject.
func (x *examination) records(ctx context.Context) error {
	const unreadable = `SELECT seq FROM mutations WHERE verb = '' OR entity = '' OR coalesce(key, '') = '' OR at <= 0
		OR NOT json_valid(coalesce(was, '{}')) ORDER BY seq`
	into := &x.facts.Records
	if err := sqlrow.Each(ctx, x.tx, unreadable, func(seq int64) { into.Entries.Add(seq, x.query.Most) }); err != nil {
		return err
	}
	return x.Rows(ctx, lackingSQL, []any{x.query.Project}, func(s sqlrow.Scanner) error {
		var num int64
		var lacks string
		err := s.Scan(&num, &lacks)
		if into.Count++; len(into.Lacking) < x.query.Most {
			into.Lacking = append(into.Lacking, health.Lacking{Num: num, Fields: strings.Split(lacks, ",")})
		}
		return err
	})
}

// relations looks for relations to missing memories, which a program that does not enable foreign keys
// can leave.
func (x *examination) relations(ctx context.Context) error {
	const query = `SELECT num FROM relations WHERE removed_at IS NULL AND (source NOT IN (SELECT num FROM memories)
		OR target NOT IN (SELECT num FROM memories)) ORDER BY num`
	return sqlrow.Each(ctx, x.tx, query, func(num int64) { x.facts.Relations.Add(num, x.query.Most) })
}

// sessions reads the sessions of the project, the most recently active first.
func (x *examination) sessions(ctx context.Context) error {
	const query = `SELECT s.id, coalesce(p.name, ''), s.directory, s.live FROM sessions s LEFT JOIN projects p ON p.num = s.project
		WHERE s.num <> 0 AND (?1 = '' OR p.name = ?1) ORDER BY s.active_at DESC, s.num DESC`
	return x.Rows(ctx, query, []any{x.query.Project}, func(r sqlrow.Scanner) error {
		var s health.Session
		err := r.Scan(&s.ID, &s.Project, &s.Directory, &s.Memories)
		x.facts.Sessions.List = append(x.facts.Sessions.List, s)
		return err
	})
}

// futureSQL counts the rows created after a time; each part is served by an index.
const futureSQL = `SELECT sum(n), max(newest) FROM (
	SELECT count(*) n, max(created_at) newest FROM memories WHERE created_at > ?1 AND deleted_at IS NULL
	UNION ALL SELECT count(*), max(active_at) FROM sessions WHERE active_at > ?1
	UNION ALL SELECT count(*), max(created_at) FROM prompts WHERE created_at > ?1 AND deleted_at IS NULL)`

// clock compares the store's times with the machine's clock.
func (x *examination) clock(ctx context.Context) error {
	into := &x.facts.Clock
	into.Now = x.query.Now
	last, err := engram.LastMutation(ctx, x)
	if err != nil {
		return err
	}
	if last.Seq != 0 {
		into.Last = last.At.Time()
	}
	return x.Row(ctx, futureSQL, []any{x.query.Now.UnixMilli()}, &into.Future, conn.Instant{Time: &into.Newest})
}

// digests compares every content with the digest stored when it was saved.
func (x *examination) digests(ctx context.Context) error {
	return x.eachLive(ctx, func(m engram.Memory) error {
		if m.NormalizedHash != x.query.Digest(m.Content) {
			x.facts.Damage.Altered.Add(m.Num, x.query.Most)
		}
		return nil
	})
}

// programs reads the versions that wrote to the store.
func (x *examination) programs(ctx context.Context) error {
	x.facts.Programs.Now = x.query.Now
	list, err := x.tx.programs(ctx)
	x.facts.Programs.List = list
	return err
}
