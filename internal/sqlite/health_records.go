package sqlite

import (
	"context"
	"strings"

	"github.com/alanbuscaglia/engram/internal/health"
)

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
	err := x.rows(ctx, unreadable, nil, func(s scanner) error {
		var seq int64
		err := s.Scan(&seq)
		into.Entries.Add(seq, x.query.Most)
		return err
	})
	if err != nil {
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
	return x.rows(ctx, query, nil, func(s scanner) error {
		var num int64
		err := s.Scan(&num)
		x.facts.Relations.Add(num, x.query.Most)
		return err
	})
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
	for after := int64(0); ; {
		ms, err := x.memories(ctx, rebuiltSQL, after)
		if err != nil || len(ms) == 0 {
			return err
		}
		for _, m := range ms {
			if m.NormalizedHash != x.query.Digest(m.Content) {
				x.facts.Damage.Altered.Add(m.Num, x.query.Most)
			}
		}
		after = ms[len(ms)-1].Num
	}
}

// programs reads which versions wrote to the store.
func (x *examination) programs(ctx context.Context) error {
	x.facts.Programs.Now = x.query.Now
	list, err := x.tx.programs(ctx)
	x.facts.Programs.List = list
	return err
}
