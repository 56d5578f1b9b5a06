package postgres

import (
	"context"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/health"
	"github.com/alanbuscaglia/engram/internal/index/lexicon"
	"github.com/alanbuscaglia/engram/internal/postgres/conn"
	"github.com/alanbuscaglia/engram/internal/postgres/schema"
	"github.com/alanbuscaglia/engram/internal/sqlrow"
)

// Examine inspects a space and its server in read-only transactions, even where Open fails. The facts report what
// cannot be determined; the error is that of ctx.
func Examine(ctx context.Context, o Options, q health.Query) (f health.Facts, err error) {
	f.Server.Known = true
	s, err := connect(ctx, o)
	if err == nil {
		defer s.pool.Close()
		err = schema.Explain(s.examine(ctx, o, q, &f))
	}
	f.Err = err
	switch {
	case err != nil && f.Server.Version == "": // it could not be asked
		f.Server.Err = err
	case err != nil && q.Wants(health.Integrity):
		f.Damage = health.Damage{Part: health.Part{Known: true, Err: err}}
	}
	return f, ctx.Err()
}

// examine fills f. It returns an error only if the space cannot be read at all.
func (s *Store) examine(ctx context.Context, o Options, q health.Query, f *health.Facts) error {
	at, err := schema.Look(ctx, s.pool, s.space)
	if err != nil {
		return err
	}
	s.server = at
	f.Server = health.Server{Part: f.Server.Part, Version: at.Version, Bytes: at.Bytes, Schema: at.Schema, Newer: max(0, at.Known-at.Schema), ReadOnly: at.ReadOnly,
		Pooled: at.Pooled, Prepared: s.pool.Prepares(), Unsynced: at.Unsynced, Open: at.Free && !at.Role && at.Schema > 0}
	if at.Schema == 0 {
		f.Missing = true
		return nil
	}
	err = s.View(ctx, func(r engram.Reader) error {
		x := &examination{tx: r.(*tx), query: q, facts: f, now: o.Now}
		if err := x.names(ctx); err != nil {
			return err
		}
		return x.latency(ctx)
	})
	if engram.CodeOf(err) == engram.CodeNotFound {
		f.Missing = true
		return nil
	}
	if err != nil {
		return err
	}
	for _, part := range []struct {
		into   *health.Part
		read   func(*examination, context.Context) error
		checks []health.ID
	}{
		{&f.Damage.Part, (*examination).damage, []health.ID{health.Integrity}},
		{&f.Index.Part, (*examination).words, []health.ID{health.IndexInStep}},
		{&f.Vectors.Part, (*examination).embedded, []health.ID{health.VectorsInStep}},
		{&f.Records.Part, (*examination).records, []health.ID{health.RequiredFields}},
		{&f.Relations.Part, func(*examination, context.Context) error { return nil }, []health.ID{health.Nowhere}}, // foreign keys hold
		{&f.Sessions.Part, (*examination).sessions, []health.ID{health.ManualSession, health.SessionFolder}},
		{&f.Clock.Part, (*examination).clock, []health.ID{health.ClockBackwards}},
		{&f.Programs.Part, (*examination).programs, []health.ID{health.BinaryVersions}},
	} {
		if !q.Wants(part.checks...) {
			continue
		}
		part.into.Known = true
		part.into.Err = s.View(ctx, func(r engram.Reader) error {
			return part.read(&examination{tx: r.(*tx), query: q, facts: f, now: o.Now}, ctx)
		})
	}
	return nil
}

// examination is one part of an inspection, on a snapshot of its own.
type examination struct {
	*tx
	query health.Query
	facts *health.Facts
	now   func() time.Time
}

// names reads the names and aliases of the projects.
func (x *examination) names(ctx context.Context) (err error) {
	x.facts.Names, err = sqlrow.Pairs[string, string](ctx, x, `SELECT name, name FROM projects WHERE space = $space AND num <> 0
		UNION ALL SELECT a.alias, p.name FROM project_aliases a JOIN projects p ON p.space = $space AND p.num = a.project WHERE a.space = $space`)
	return err
}

// latency measures some round trips; the shortest is that of the network.
func (x *examination) latency(ctx context.Context) error {
	if x.now == nil || !x.query.Wants(health.ServerInOrder) {
		return nil
	}
	for n := range 5 {
		begun := x.now()
		if _, err := x.Simple(ctx, "SELECT 1"); err != nil {
			return err
		}
		if took := x.now().Sub(begun); n == 0 || took < x.facts.Server.Latency {
			x.facts.Server.Latency = took
		}
	}
	return nil
}

// damagedSQL names what does not hold any more: an index that was not finished, a table whose wall is off.
const damagedSQL = `SELECT 'index ' || i.indexrelid::regclass || ' is not valid' FROM pg_index i JOIN pg_class c ON c.oid = i.indrelid
	WHERE NOT (i.indisvalid AND i.indisready) AND c.relnamespace = (SELECT relnamespace FROM pg_class WHERE oid = 'heads'::regclass)
	UNION ALL SELECT 'table ' || c.oid::regclass || ' has no row-level security' FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attname = 'space' AND a.attnum = 1
	WHERE c.relkind IN ('r', 'p') AND NOT (c.relrowsecurity AND c.relforcerowsecurity) AND NOT c.relispartition AND c.relnamespace = (SELECT relnamespace FROM pg_class WHERE oid = 'heads'::regclass)
	ORDER BY 1`

// damage reads what of the schema does not hold and, with Full, compares the contents with their digests. Postgres
// checks its own pages.
func (x *examination) damage(ctx context.Context) error {
	d := &x.facts.Damage
	d.Full = x.query.Full
	rows, err := x.Simple(ctx, damagedSQL)
	for _, row := range rows[:min(len(rows), max(x.query.Most, 1))] {
		d.Problems = append(d.Problems, row[0])
	}
	if err != nil || !d.Full || x.query.Digest == nil {
		return err
	}
	return x.eachLive(ctx, func(m engram.Memory) error {
		if m.NormalizedHash != x.query.Digest(m.Content) {
			d.Altered.Add(m.Num, x.query.Most)
		}
		return nil
	})
}

// words compares the index of words with the memories.
func (x *examination) words(ctx context.Context) error {
	const query = `SELECT num, project, session, type, scope, created_at FROM memories WHERE space = $space AND deleted_at IS NULL`
	live := map[int64]*lexicon.Document{}
	err := x.Rows(ctx, query, nil, func(r sqlrow.Scanner) error {
		var num int64
		m := &lexicon.Document{}
		err := r.Scan(&num, &m.Project, &m.Session, &m.Type, &m.Scope, &m.Created)
		live[num] = m
		return err
	})
	if err != nil {
		return err
	}
	err = x.index.Examine(ctx, x.query, live, x.eachLive, &x.facts.Index)
	x.facts.Index.Broken = schema.Explain(x.facts.Index.Broken)
	return err
}

// embedded compares the vectors with the memories, and their codes with the vectors.
func (x *examination) embedded(ctx context.Context) error {
	live := func(ctx context.Context) ([]int64, error) {
		return sqlrow.Column[int64](ctx, x, `SELECT num FROM memories WHERE space = $space AND deleted_at IS NULL`)
	}
	return x.vectors.Examine(ctx, x.query, live, &x.facts.Vectors)
}

// lackingSQL selects the live memories with missing fields, as in package sqlite.
const lackingSQL = `SELECT num, lacks FROM (SELECT m.num, rtrim(
	CASE WHEN m.id = '' THEN 'id,' ELSE '' END || CASE WHEN m.sync_id = '' THEN 'sync_id,' ELSE '' END || CASE WHEN trim(m.type) = '' THEN 'type,' ELSE '' END ||
	CASE WHEN trim(m.title) = '' THEN 'title,' ELSE '' END || CASE WHEN m.content = '' THEN 'content,' ELSE '' END ||
	CASE WHEN m.scope NOT IN ('project', 'personal', 'global') THEN 'scope,' ELSE '' END ||
	CASE WHEN m.session <> 0 AND s.num IS NULL THEN 'session_id,' ELSE '' END || CASE WHEN p.num IS NULL THEN 'project,' ELSE '' END, ',') AS lacks
	FROM memories m LEFT JOIN sessions s ON s.space = $space AND s.num = m.session LEFT JOIN projects p ON p.space = $space AND p.num = m.project
	WHERE m.space = $space AND m.deleted_at IS NULL AND (?1::text = '' OR p.name = ?1 OR p.num IS NULL)) x WHERE lacks <> '' ORDER BY num`

// records looks for memories that replicas would reject and, with Full, for such journal entries.
func (x *examination) records(ctx context.Context) error {
	into := &x.facts.Records
	err := x.Rows(ctx, lackingSQL, []any{x.query.Project}, func(s sqlrow.Scanner) error {
		var num int64
		var lacks string
		err := s.Scan(&num, &lacks)
		if into.Count++; len(into.Lacking) < x.query.Most {
			into.Lacking = append(into.Lacking, health.Lacking{Num: num, Fields: strings.Split(lacks, ",")})
		}
		return err
	})
	if err != nil || !x.query.Full { // Postgres 15 cannot say whether a text is JSON
		return err
	}
	const entries = `SELECT seq, verb = '' OR entity = '' OR num = 0 AND key = '' OR at <= 0, coalesce(was, '{}') FROM mutations WHERE space = $space ORDER BY seq`
	return x.Rows(ctx, entries, nil, func(s sqlrow.Scanner) error {
		var seq int64
		var lacks bool
		var was []byte
		if err := s.Scan(&seq, &lacks, &was); err != nil {
			return err
		}
		if lacks || !json.Valid(was) {
			into.Entries.Add(seq, x.query.Most)
		}
		return nil
	})
}

// sessions reads the sessions of the project, the most recently active first.
func (x *examination) sessions(ctx context.Context) error {
	const query = `SELECT s.id, coalesce(p.name, ''), s.directory, s.live FROM sessions s LEFT JOIN projects p ON p.space = $space AND p.num = s.project
		WHERE s.space = $space AND s.num <> 0 AND (?1::text = '' OR p.name = ?1) ORDER BY s.active_at DESC, s.num DESC`
	return x.Rows(ctx, query, []any{x.query.Project}, func(r sqlrow.Scanner) error {
		var s health.Session
		err := r.Scan(&s.ID, &s.Project, &s.Directory, &s.Memories)
		x.facts.Sessions.List = append(x.facts.Sessions.List, s)
		return err
	})
}

// futureSQL counts the rows created after a time.
const futureSQL = `SELECT sum(n)::bigint, max(newest) FROM (
	SELECT count(*) n, max(created_at) newest FROM memories WHERE space = $space AND created_at > ?1 AND deleted_at IS NULL
	UNION ALL SELECT count(*), max(active_at) FROM sessions WHERE space = $space AND active_at > ?1
	UNION ALL SELECT count(*), max(created_at) FROM prompts WHERE space = $space AND created_at > ?1 AND deleted_at IS NULL) f`

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

// programs reads the versions that wrote to the space.
func (x *examination) programs(ctx context.Context) (err error) {
	x.facts.Programs.Now = x.query.Now
	x.facts.Programs.List, err = x.tx.programs(ctx)
	return err
}

// programKey prefixes the facts that hold the first and last write of each program version.
const programKey = "program:"

const (
	signEvery  = time.Hour           // how often a writing process records its version
	keptSigned = 90 * 24 * time.Hour // how long versions without a write are kept
)

// sign records, within a transaction that wrote, that this version writes to the space, once an hour and in the
// queue of the others. Without a version or a clock it records nothing. It returns the time if it did.
func (s *Store) sign(ctx context.Context, t *tx) (signed int64, err error) {
	if s.version == "" || s.now == nil || !t.Wrote {
		return 0, nil
	}
	now := s.now().UnixMilli()
	if since := now - s.signed.Load(); since >= 0 && since < signEvery.Milliseconds() {
		return 0, nil
	}
	at := strconv.FormatInt(now, 10)
	return now, t.RunAll(ctx,
		conn.With(`INSERT INTO facts (space, key, value) VALUES ($space, ?1, ?2 || ' ' || ?2)
			ON CONFLICT (space, key) DO UPDATE SET value = split_part(facts.value, ' ', 1) || ' ' || ?2`, programKey+s.version, at),
		conn.With(`DELETE FROM facts WHERE space = $space AND key >= ? AND key < ? AND lpad(split_part(value, ' ', 2), 20, '0') < lpad(?, 20, '0')`,
			programKey, programsEnd, strconv.FormatInt(now-keptSigned.Milliseconds(), 10)))
}

// programsEnd is the first key after those with programKey: ';' follows ':'.
const programsEnd = "program;"

// programs returns the versions that wrote to the space.
func (t *tx) programs(ctx context.Context) ([]health.Program, error) {
	const query = `SELECT key, value FROM facts WHERE space = $space AND key >= ? AND key < ? ORDER BY key`
	return sqlrow.List(ctx, t, "read the versions that wrote", query, []any{programKey, programsEnd}, func(r sqlrow.Scanner) (p health.Program, err error) {
		var span string
		var first, last int64
		err = r.Scan(&p.Version, &span)
		if p.Version = p.Version[min(len(programKey), len(p.Version)):]; err != nil {
			return p, err
		}
		if _, bad := fmt.Sscan(span, &first, &last); bad == nil { // the zero times where it is malformed
			p.First, p.Last = time.UnixMilli(first).UTC(), time.UnixMilli(last).UTC()
		}
		return p, nil
	})
}

// probeWait is how long Probe waits for the lock of the space.
const probeWait = 2 * time.Second

// Probe tries the lock that writes of the space take. It changes nothing.
func (s *Store) Probe(ctx context.Context) health.Log {
	l := health.Log{Part: health.Part{Known: true}, Mode: "postgres", BusyTimeout: s.wait, Patience: probeWait}
	t, err := s.begin(ctx, s.beginWrite(engram.WithLockTimeout(ctx, probeWait)), forUpdate)
	if err == nil {
		t.Rollback()
	}
	if l.Locked = conn.Code(err) == "55P03"; !l.Locked {
		l.Err = schema.Explain(err)
	}
	return l
}

// Backup makes no file: the server's own means copy a database, with all its spaces.
func (s *Store) Backup(context.Context, string, func() time.Time) (string, error) { return "", nil }

// Shorten has nothing to shorten: the server looks after its log.
func (s *Store) Shorten(context.Context) (bool, error) { return true, nil }

// Remove deletes a space with everything in it.
func Remove(ctx context.Context, o Options) error {
	s, err := Open(ctx, o)
	if err != nil {
		return err
	}
	defer s.pool.Close()
	return s.Update(ctx, func(w engram.Tx) error {
		t := w.(*tx)
		tables, err := t.Simple(ctx, `SELECT c.oid::regclass FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attname = 'space' AND a.attnum = 1
			WHERE c.relkind IN ('r', 'p') AND NOT c.relispartition AND c.relnamespace = (SELECT relnamespace FROM pg_class WHERE oid = 'heads'::regclass)`)
		for _, table := range tables {
			if err == nil {
				err = t.Run(ctx, `DELETE FROM `+table[0]+` WHERE space = $space`)
			}
		}
		t.head = t.begun // which is not written again
		t.Wrote = false
		return err
	})
}
