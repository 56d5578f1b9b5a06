package sqlite

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/health"
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
	abs, err := filepath.Abs(path)
	if err != nil {
		return f, fmt.Errorf("database path: %w", err)
	}
	// mode=ro on top of query_only: a read-only connection does not checkpoint when it closes.
	reads, err := newPool(strings.Replace(dsn(abs, "busy_timeout(2000)", "query_only(1)"), "mode=rw", "mode=ro", 1), 1)
	if err != nil {
		return f, err
	}
	s := &Store{path: abs, reads: reads, writeWait: patience}
	f.Err = explain(s.examine(ctx, q, &f), abs)
	if err := reads.close(); f.Err == nil {
		f.Err = explain(err, abs)
	}
	if f.Err != nil && q.Wants(health.Integrity) {
		f.Damage = health.Damage{Part: health.Part{Known: true, Err: f.Err}}
	}
	return f, ctx.Err()
}

// examine fills f. It returns an error only if the file cannot be read at all.
func (s *Store) examine(ctx context.Context, q health.Query, f *health.Facts) error {
	c, err := s.takeRetrying(ctx, s.reads)
	if err != nil {
		return err
	}
	defer s.reads.give(c)
	steps, err := fs.Glob(migrations, "migration/*.sql")
	if err != nil {
		return err
	}
	switch version, err := schemaVersion(ctx, c, s.path, len(steps)); {
	case err != nil:
		return err
	case version == 0:
		f.Missing = true // an empty file that another process is about to fill
		return nil
	case version < len(steps):
		return engram.Errorf(engram.CodeUnavailable, "the database has schema %d, but this program needs %d", version, len(steps)).
			WithHint("run any other command to migrate it; a backup is made first")
	}
	x := &examination{tx: &tx{conn: c, kept: &kept{}}, query: q, facts: f, path: s.path}
	err = x.snapshot(ctx, x.names)
	for _, part := range []struct {
		into   *health.Part
		read   func(context.Context) error
		checks []health.ID
	}{
		{&f.Damage.Part, x.damage, []health.ID{health.Integrity}},
		{&f.Index.Part, x.index, []health.ID{health.IndexInStep}},
		{&f.Vectors.Part, x.vectors, []health.ID{health.VectorsInStep}},
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
		part.into.Err = explain(x.snapshot(ctx, part.read), s.path)
	}
	return err
}

// examination is one inspection of the file.
type examination struct {
	*tx
	path  string
	query health.Query
	facts *health.Facts
}

// snapshot runs read on a snapshot. Each part uses its own: a long one would keep the log of a busy
// store from being restarted.
func (x *examination) snapshot(ctx context.Context, read func(context.Context) error) error {
	if err := x.conn.begin(ctx, "BEGIN"); err != nil {
		return err
	}
	defer x.conn.rollback()
	return read(ctx)
}

// names reads the names and aliases of the projects.
func (x *examination) names(ctx context.Context) error {
	const query = `SELECT name, name FROM projects WHERE num <> 0
		UNION ALL SELECT alias, (SELECT name FROM projects WHERE num = project) FROM project_aliases`
	names, err := pairs[string, string](ctx, x.tx, query)
	if err == nil {
		x.facts.Names = names
	}
	return err
}

// library reads the version of SQLite.
func (x *examination) library(ctx context.Context) error {
	return x.row(ctx, `SELECT sqlite_version()`, nil, &x.facts.SQLite.Version)
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
	err := each(ctx, x.tx, fmt.Sprintf("PRAGMA %s(%d)", check, max(x.query.Most, 1)), problem)
	if err != nil || len(d.Problems) > 0 {
		return err // further checks would only fail on the same pages
	}
	// relations checks their foreign keys.
	err = each(ctx, x.tx, `SELECT "table" FROM pragma_foreign_key_check WHERE "table" <> 'relations'`, func(table string) {
		if d.Orphans++; !slices.Contains(d.Tables, table) {
			d.Tables = append(d.Tables, table)
		}
	})
	if err != nil || !d.Full || x.query.Digest == nil {
		return err
	}
	return x.digests(ctx)
}

// patience is how long an examination waits for locks.
const patience = 2 * time.Second

// Probe tries the write lock and runs a passive checkpoint, as SQLite does after a save, without
// blocking others. It changes no memory.
func (s *Store) Probe(ctx context.Context) health.Log {
	l := health.Log{Part: health.Part{Known: true}, BusyTimeout: s.writeWait, Patience: patience}
	l.Err = explain(s.probe(ctx, &l), s.path)
	return l
}

func (s *Store) probe(ctx context.Context, l *health.Log) error {
	wait, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	timedOut := func(err error) bool { return ctx.Err() == nil && errors.Is(err, context.DeadlineExceeded) }
	c, err := s.writes.take(wait)
	if timedOut(err) {
		l.Locked = true // by this process
		return s.size(l)
	}
	if err != nil {
		return err
	}
	defer s.writes.give(c)
	if err := c.sql.QueryRowContext(ctx, "PRAGMA journal_mode").Scan(&l.Mode); err != nil {
		return err
	}
	err = retryBusy(wait, func() error { return c.begin(wait, "BEGIN IMMEDIATE") })
	c.rollback()
	// The wait may end inside the last attempt, before SQLite reports that it is busy.
	if l.Locked = isBusy(err) || timedOut(err); err != nil && !l.Locked {
		return err
	}
	if err := s.tryCheckpoint(wait, c, l); err != nil {
		return err
	}
	return s.size(l)
}

// tryCheckpoint repeats a passive checkpoint until it is not busy or ctx ends: other writers checkpoint
// too, each for a moment.
func (s *Store) tryCheckpoint(ctx context.Context, c *conn, l *health.Log) error {
	const nap = 20 * time.Millisecond
	for {
		// Not cancelled half way: a passive checkpoint never waits.
		err := c.sql.QueryRowContext(context.WithoutCancel(ctx), "PRAGMA wal_checkpoint(PASSIVE)").Scan(&l.Busy, &l.Frames, &l.Moved)
		if err != nil || !l.Busy {
			return err
		}
		select {
		case <-ctx.Done():
			return nil
		case <-time.After(nap):
		}
	}
}

func (s *Store) size(l *health.Log) error {
	info, err := os.Stat(s.path + "-wal")
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err == nil {
		l.Bytes = info.Size()
	}
	return err
}

// Shorten empties the write-ahead log, waiting briefly for readers in the way; done reports whether they
// left.
func (s *Store) Shorten(ctx context.Context) (done bool, err error) {
	c, err := s.takeRetrying(ctx, s.writes)
	if err != nil {
		return false, explain(err, s.path)
	}
	defer s.writes.give(c)
	done, err = checkpoint(ctx, c, "TRUNCATE", patience)
	return done, explain(err, s.path)
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
	if err := each(ctx, x.tx, unreadable, func(seq int64) { into.Entries.Add(seq, x.query.Most) }); err != nil {
		return err
	}
	return x.rows(ctx, lackingSQL, []any{x.query.Project}, func(s scanner) error {
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
	return each(ctx, x.tx, query, func(num int64) { x.facts.Relations.Add(num, x.query.Most) })
}

// sessions reads the sessions of the project, the most recently active first.
func (x *examination) sessions(ctx context.Context) error {
	const query = `SELECT s.id, coalesce(p.name, ''), s.directory, s.live FROM sessions s LEFT JOIN projects p ON p.num = s.project
		WHERE s.num <> 0 AND (?1 = '' OR p.name = ?1) ORDER BY s.active_at DESC, s.num DESC`
	return x.rows(ctx, query, []any{x.query.Project}, func(r scanner) error {
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
	return x.row(ctx, futureSQL, []any{x.query.Now.UnixMilli()}, &into.Future, instant{&into.Newest})
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
