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

// Examine looks at the database at path, on a connection of its own that can read
// alone: neither what it runs nor its end writes a page, so that a damaged file stays
// as it was found; an empty log may stay beside it. It works also where Open refuses.
// What cannot be found out is told in the facts; the error is that of ctx.
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
	// The words of dsn with another mode: a reader cannot checkpoint when it leaves.
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

// examine fills f. The error is that of a file that cannot be read at all.
func (s *Store) examine(ctx context.Context, q health.Query, f *health.Facts) error {
	c, err := s.taken(ctx, s.reads)
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
		f.Missing = true // an empty file, which another process is about to fill
		return nil
	case version < len(steps):
		return engram.Errorf(engram.CodeUnavailable, "the database has schema %d, and this program %d", version, len(steps)).
			WithHint("any other command brings it up to date, after a backup")
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

// examination is one look at the file.
type examination struct {
	*tx
	path  string
	query health.Query
	facts *health.Facts
}

// snapshot runs read on a snapshot. Each part has its own: a long one would keep the
// log of a busy store from being started anew.
func (x *examination) snapshot(ctx context.Context, read func(context.Context) error) error {
	if err := x.conn.begin(ctx, "BEGIN"); err != nil {
		return err
	}
	defer x.conn.rollback()
	return read(ctx)
}

// names reads what projects there are.
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

// damage has SQLite check its own file, and, where everything is to be read, the
// contents against their digests, which SQLite knows nothing of.
func (x *examination) damage(ctx context.Context) error {
	d := &x.facts.Damage
	d.Full = x.query.Full
	check := "quick_check"
	if d.Full {
		check = "integrity_check"
	}
	problem := func(told string) {
		if told != "ok" {
			d.Problems = append(d.Problems, told)
		}
	}
	err := each(ctx, x.tx, fmt.Sprintf("PRAGMA %s(%d)", check, max(x.query.Most, 1)), problem)
	if err != nil || len(d.Problems) > 0 {
		return err // the rest would only stumble over the same pages
	}
	// Relations have a check of their own.
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

// patience is how long an examination waits for others.
const patience = 2 * time.Second

// Probe tries the write lock, and moves what it can of the write-ahead log into the
// database without getting in anybody's way, as SQLite does after a save. No memory
// changes.
func (s *Store) Probe(ctx context.Context) health.Log {
	l := health.Log{Part: health.Part{Known: true}, BusyTimeout: s.writeWait, Patience: patience}
	l.Err = explain(s.probe(ctx, &l), s.path)
	return l
}

func (s *Store) probe(ctx context.Context, l *health.Log) error {
	wait, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	c, err := s.writes.take(wait)
	if err != nil && ctx.Err() == nil && errors.Is(err, context.DeadlineExceeded) {
		l.Locked = true // by this very process
		return s.size(l)
	}
	if err != nil {
		return err
	}
	defer s.writes.give(c)
	if err := c.sql.QueryRowContext(ctx, "PRAGMA journal_mode").Scan(&l.Mode); err != nil {
		return err
	}
	err = patiently(wait, func() error { return c.begin(wait, "BEGIN IMMEDIATE") })
	c.rollback()
	if l.Locked = isBusy(err); err != nil && !l.Locked {
		return err
	}
	if err := s.tryCheckpoint(wait, c, l); err != nil {
		return err
	}
	return s.size(l)
}

// tryCheckpoint asks for a checkpoint until there is one, or until ctx ends: other writers
// make checkpoints too, each for a moment, and that is how it should be.
func (s *Store) tryCheckpoint(ctx context.Context, c *conn, l *health.Log) error {
	const nap = 20 * time.Millisecond
	for {
		// Without ctx, which may end in the middle of it: a passive checkpoint waits for nobody.
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

// Shorten empties the write-ahead log, waiting a little for readers in the way; done
// says whether they left.
func (s *Store) Shorten(ctx context.Context) (done bool, err error) {
	c, err := s.taken(ctx, s.writes)
	if err != nil {
		return false, explain(err, s.path)
	}
	defer s.writes.give(c)
	done, err = checkpoint(ctx, c, "TRUNCATE", patience)
	return done, explain(err, s.path)
}

// lackingSQL reads the live memories that lack something. The length in bytes is known
// without reading the content; the project is looked at when it is not row 0.
// To be in no session is no lack: what came in from elsewhere may be in none.
const lackingSQL = `SELECT m.num, rtrim(
	iif(m.id = '', 'id,', '') || iif(m.sync_id = '', 'sync_id,', '') || iif(trim(m.type) = '', 'type,', '') ||
	iif(trim(m.title) = '', 'title,', '') || iif(octet_length(m.content) = 0, 'content,', '') ||
	iif(m.scope NOT IN ('project', 'personal', 'global'), 'scope,', '') ||
	iif(m.session <> 0 AND s.num IS NULL, 'session_id,', '') || iif(p.num IS NULL, 'project,', ''), ',') lacks
	FROM memories m LEFT JOIN sessions s ON s.num = m.session LEFT JOIN projects p ON p.num = m.project
	WHERE m.deleted_at IS NULL AND lacks <> '' AND (?1 = '' OR p.name = ?1 OR p.num IS NULL) ORDER BY m.num`

// records looks for journal entries and memories that a replica would refuse.
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

// relations looks for those whose memories are not there. SQLite sees to it, but only
// for programs that ask it to.
func (x *examination) relations(ctx context.Context) error {
	const query = `SELECT num FROM relations WHERE removed_at IS NULL AND (source NOT IN (SELECT num FROM memories)
		OR target NOT IN (SELECT num FROM memories)) ORDER BY num`
	return each(ctx, x.tx, query, func(num int64) { x.facts.Relations.Add(num, x.query.Most) })
}

// sessions reads those of the project, the latest first.
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

// futureSQL counts what was made after a time; each part is served by an index.
const futureSQL = `SELECT sum(n), max(newest) FROM (
	SELECT count(*) n, max(created_at) newest FROM memories WHERE created_at > ?1 AND deleted_at IS NULL
	UNION ALL SELECT count(*), max(active_at) FROM sessions WHERE active_at > ?1
	UNION ALL SELECT count(*), max(created_at) FROM prompts WHERE created_at > ?1 AND deleted_at IS NULL)`

// clock holds the store against the clock of the machine.
func (x *examination) clock(ctx context.Context) error {
	into := &x.facts.Clock
	into.Now = x.query.Now
	last, err := x.LastMutation(ctx)
	if err != nil {
		return err
	}
	if last.Seq != 0 {
		into.Last = last.At.Time()
	}
	return x.row(ctx, futureSQL, []any{x.query.Now.UnixMilli()}, &into.Future, instant{&into.Newest})
}

// digests holds every content against the digest that was made of it when it was saved.
func (x *examination) digests(ctx context.Context) error {
	return x.eachLive(ctx, func(m engram.Memory) error {
		if m.NormalizedHash != x.query.Digest(m.Content) {
			x.facts.Damage.Altered.Add(m.Num, x.query.Most)
		}
		return nil
	})
}

// programs reads which versions wrote to the store.
func (x *examination) programs(ctx context.Context) error {
	x.facts.Programs.Now = x.query.Now
	list, err := x.tx.programs(ctx)
	x.facts.Programs.List = list
	return err
}
