package sqlite

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"strconv"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/sqlrow"
)

// lineageColumns is what scanLineage reads; l is the lineages table.
const lineageColumns = `l.key, l.at, l.device, l.more, l.held`

const (
	lineagesSQL       = `SELECT ` + lineageColumns + ` FROM json_each(?2) AS asked CROSS JOIN lineages l ON l.entity = ?1 AND l.key = asked.value`
	shadowedSQL       = `SELECT ` + lineageColumns + ` FROM lineages l INDEXED BY lineages_held WHERE l.entity = ? AND l.held IS NOT NULL ORDER BY l.key`
	shadowedTopicsSQL = `SELECT ` + lineageColumns + ` FROM lineages l INDEXED BY lineages_topics WHERE l.entity = ? AND instr(l.held, '"topic_key"') ORDER BY l.key`
	shadowedTopicSQL  = `SELECT l.key FROM lineages l INDEXED BY lineages_topics
		WHERE l.entity = ? AND l.held ->> 'topic_key' = ? AND instr(l.held, '"topic_key"') ORDER BY l.key`
	sessionTombstonesSQL = `SELECT l.key, coalesce((SELECT name FROM projects WHERE num = l.project), '') FROM lineages l
		WHERE l.entity = ?2 AND l.key > ?3 AND (?1 < 0 OR l.project = ?1)
		AND NOT EXISTS (SELECT 1 FROM sessions WHERE id = l.key) ORDER BY l.key LIMIT ?4`
	tombstonesOfSQL = `SELECT l.key, coalesce((SELECT name FROM projects WHERE num = l.project), '') FROM json_each(?2) a
		CROSS JOIN lineages l ON l.entity = ?1 AND l.key = a.value AND NOT EXISTS (SELECT 1 FROM sessions WHERE id = l.key)`
)

func scanLineage(s sqlrow.Scanner, own string) (key string, l engram.CausalMetadata, err error) {
	var device, more, held sql.NullString
	if err := s.Scan(&key, &l.Base.At, &device, &more, &held); err != nil {
		return key, l, err
	}
	if l.Base.Device = device.String; !device.Valid {
		l.Base.Device = own
	}
	if more.Valid {
		if err := sqlrow.ReadCausal(more.String, own, &l); err != nil {
			return key, l, fmt.Errorf("causal metadata of %s: %w", key, err)
		}
	}
	if held.Valid {
		if err := json.Unmarshal([]byte(held.String), &l.Shadowed); err != nil {
			return key, l, fmt.Errorf("causal metadata of %s: shadowed values: %w", key, err)
		}
	}
	return key, l, nil
}

// jsonKeys encodes keys as a JSON array, with the numbers that journalKey makes.
func jsonKeys(entity engram.Entity, keys []string) string {
	all := make([]any, len(keys))
	for i, k := range keys {
		all[i] = journalKey(entity, k)
	}
	b, _ := json.Marshal(all) // never fails for numbers and texts
	return string(b)
}

// CausalMetadata returns the causal metadata of things by key.
func (t *tx) CausalMetadata(ctx context.Context, entity engram.Entity, keys []string) (map[string]engram.CausalMetadata, error) {
	if len(keys) == 0 {
		return nil, nil
	}
	own, err := t.Device(ctx)
	if err != nil {
		return nil, err
	}
	all := make(map[string]engram.CausalMetadata, len(keys))
	err = t.Rows(ctx, lineagesSQL, []any{sqlrow.KindNum(entity), jsonKeys(entity, keys)}, func(s sqlrow.Scanner) error {
		key, l, err := scanLineage(s, own)
		all[key] = l
		return err
	})
	return all, sqlrow.Doing(err, "read causal metadata")
}

// partTopic is the part with its own index.
const partTopic engram.Part = "topic_key"

// Shadowed returns the keys of things with a shadowed value of a part, served by lineages_held or
// lineages_topics.
func (t *tx) Shadowed(ctx context.Context, entity engram.Entity, part engram.Part) ([]string, error) {
	query := shadowedSQL
	if part == partTopic {
		query = shadowedTopicsSQL
	}
	var keys []string
	err := t.Rows(ctx, query, []any{sqlrow.KindNum(entity)}, func(s sqlrow.Scanner) error {
		key, l, err := scanLineage(s, "")
		if _, held := l.Shadowed[part]; held {
			keys = append(keys, key)
		}
		return err
	})
	return keys, sqlrow.Doing(err, "read shadowed values")
}

// ShadowedTopic returns the keys of memories with this shadowed topic key.
func (t *tx) ShadowedTopic(ctx context.Context, topic string) ([]string, error) {
	return sqlrow.Column[string](ctx, t, shadowedTopicSQL, sqlrow.KindNum(engram.EntityMemory), topic)
}

// Device returns the id of this store.
func (t *tx) Device(ctx context.Context) (string, error) {
	if t.device == "" {
		if err := t.Row(ctx, `SELECT value FROM meta WHERE key = 'device'`, nil, &t.device); err != nil {
			return "", fmt.Errorf("read the store's id: %w", err)
		}
	}
	return t.device, nil
}

// factClock is the fact that stores the greatest clock received from other stores.
const factClock = "clock"

const headSQL = `SELECT (SELECT value FROM meta WHERE key = 'device'), coalesce(max(seq), 0), coalesce(max(at), 0),
	coalesce((SELECT CAST(value AS INTEGER) FROM meta WHERE key = 'clock'), 0)
	FROM (SELECT seq, at FROM mutations ORDER BY seq DESC LIMIT 1)`

// head is the end of the journal as this transaction sees it.
type head struct {
	read     bool
	seq      int64        // of the newest entry
	at       engram.Clock // of it
	received engram.Clock // the greatest from other stores
}

// readHead reads the end of the journal, once.
func (t *tx) readHead(ctx context.Context) error {
	if t.head.read {
		return nil
	}
	var h head
	if err := t.Row(ctx, headSQL, nil, &t.device, &h.seq, &h.at, &h.received); err != nil {
		return fmt.Errorf("read the newest entry: %w", err)
	}
	h.read = true
	t.head = h
	return nil
}

// Head returns the newest own entry, and the greater of its clock and the greatest received one.
func (t *tx) Head(ctx context.Context) (engram.Head, error) {
	err := t.readHead(ctx)
	return engram.Head{Device: t.device, Seq: t.head.seq, Clock: max(t.head.at, t.head.received)}, err
}

// SeeClock records a received clock if it is the greatest so far.
func (t *tx) SeeClock(ctx context.Context, c engram.Clock) error {
	head, err := t.Head(ctx)
	if err != nil || head.Clock >= c {
		return err
	}
	return t.PutFact(ctx, factClock, strconv.FormatInt(int64(c), 10))
}

// PutCausalMetadata sets the causal metadata of things.
func (t *tx) PutCausalMetadata(ctx context.Context, entity engram.Entity, all map[string]engram.CausalMetadata) error {
	for key, l := range all {
		if err := t.putCausalMetadata(ctx, entity, key, l); err != nil {
			return err
		}
	}
	return nil
}

func (t *tx) putCausalMetadata(ctx context.Context, entity engram.Entity, key string, l engram.CausalMetadata) error {
	own, err := t.Device(ctx)
	if err != nil {
		return err
	}
	more, err := sqlrow.Causal(l, own)
	if err != nil {
		return fmt.Errorf("write causal metadata of %s %s: %w", entity, key, err)
	}
	var device any
	if l.Base.Device != own {
		device = l.Base.Device
	}
	held, err := sqlrow.JSONOrNull(l.Shadowed, len(l.Shadowed))
	if err != nil {
		return fmt.Errorf("write causal metadata of %s %s: shadowed values: %w", entity, key, err)
	}
	t.unwritten.metadata = append(t.unwritten.metadata,
		[]any{sqlrow.KindNum(entity), journalKey(entity, key), int64(l.Base.At), device, l.Digest(), more, held})
	return t.flushMost(ctx, &t.unwritten.metadata, t.flushMetadata)
}

// PutTombstone records the project of a session that has no row.
func (t *tx) PutTombstone(ctx context.Context, session, project string) error {
	num, _, err := t.knownProject(ctx, project)
	if err != nil {
		return err
	}
	const query = `UPDATE lineages SET project = ? WHERE entity = ? AND key = ?`
	return sqlrow.Doing(t.Run(ctx, query, num, sqlrow.KindNum(engram.EntitySession), session), "record the project of session %q", session)
}

// SessionTombstones returns the sessions with causal metadata but no row.
func (t *tx) SessionTombstones(ctx context.Context, project, after string, limit int) ([]engram.Session, error) {
	return listIn(ctx, t, "read session tombstones", sessionTombstonesSQL, project,
		[]any{sqlrow.KindNum(engram.EntitySession), after, limit}, scanTombstone)
}

// TombstonesOf returns those of the sessions that have causal metadata but no row.
func (t *tx) TombstonesOf(ctx context.Context, ids []string) ([]engram.Session, error) {
	return sqlrow.List(ctx, t, "read session tombstones", tombstonesOfSQL, []any{sqlrow.KindNum(engram.EntitySession), jsonText(ids)}, scanTombstone)
}

func scanTombstone(r sqlrow.Scanner) (s engram.Session, err error) {
	err = r.Scan(&s.ID, &s.Project)
	return s, err
}

// StampProject sets the version stamp of a part of everything in a project.
func (t *tx) StampProject(ctx context.Context, project string, part engram.Part, s engram.VersionStamp) error {
	num, err := t.projectNum(ctx, project)
	if err != nil {
		return err
	}
	for _, of := range []struct {
		entity engram.Entity
		keys   string
	}{
		{engram.EntityMemory, `SELECT num FROM memories WHERE project = ?`},
		{engram.EntityPrompt, `SELECT num FROM prompts WHERE project = ?`},
		{engram.EntitySession, `SELECT id FROM sessions WHERE project = ?`},
	} {
		keys, err := sqlrow.Column[string](ctx, t, of.keys, num)
		if err != nil {
			return err
		}
		all, err := t.CausalMetadata(ctx, of.entity, keys)
		if err != nil {
			return err
		}
		for key, l := range all {
			if l.Parts == nil {
				l.Parts = map[engram.Part]engram.VersionStamp{}
			}
			l.Parts[part] = s
			delete(l.Shadowed, part)
			if err := t.putCausalMetadata(ctx, of.entity, key, l); err != nil {
				return err
			}
		}
	}
	return nil
}
