package sqlite

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

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
	names := map[string]string{}
	err := x.rows(ctx, query, nil, func(s scanner) error {
		var name, canonical string
		err := s.Scan(&name, &canonical)
		names[name] = canonical
		return err
	})
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
	err := x.rows(ctx, fmt.Sprintf("PRAGMA %s(%d)", check, max(x.query.Most, 1)), nil, func(s scanner) error {
		var told string
		err := s.Scan(&told)
		if told != "ok" {
			d.Problems = append(d.Problems, told)
		}
		return err
	})
	if err != nil || len(d.Problems) > 0 {
		return err // the rest would only stumble over the same pages
	}
	tables := map[string]bool{} // relations have a check of their own
	err = x.rows(ctx, `SELECT "table" FROM pragma_foreign_key_check WHERE "table" <> 'relations'`, nil, func(s scanner) error {
		var table string
		err := s.Scan(&table)
		d.Orphans++
		if !tables[table] {
			tables[table] = true
			d.Tables = append(d.Tables, table)
		}
		return err
	})
	if err != nil || !d.Full || x.query.Digest == nil {
		return err
	}
	return x.digests(ctx)
}
