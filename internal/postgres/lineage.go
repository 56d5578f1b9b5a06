package postgres

import (
	"context"
	"encoding/json"
	"fmt"
	"strconv"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/postgres/conn"
	"github.com/alanbuscaglia/engram/internal/sqlrow"
)

// lineageColumns is what scanLineage reads; l is the lineages table.
const lineageColumns = `l.num, l.key, l.at, l.device, l.more, l.held`

const (
	lineagesSQL = `SELECT ` + lineageColumns + ` FROM unnest(?2::bigint[], ?3::text[]) AS asked (num, key)
		JOIN lineages l ON l.space = $space AND l.entity = ?1 AND l.num = asked.num AND l.key = asked.key COLLATE "C"`
	shadowedSQL          = `SELECT ` + lineageColumns + ` FROM lineages l WHERE l.space = $space AND l.entity = ? AND l.held IS NOT NULL ORDER BY l.num, l.key`
	shadowedTopicSQL     = `SELECT l.num FROM lineages l WHERE l.space = $space AND l.entity = ? AND l.held_topic = ? ORDER BY l.num`
	sessionTombstonesSQL = `SELECT l.key, coalesce((SELECT name FROM projects WHERE space = $space AND num = l.project), '') FROM lineages l
		WHERE l.space = $space AND l.entity = ?2 AND l.num = 0 AND l.key > ?3 AND (?1::bigint < 0 OR l.project = ?1)
		AND NOT EXISTS (SELECT 1 FROM sessions WHERE space = $space AND id = l.key) ORDER BY l.key LIMIT ?4`
	tombstonesOfSQL = `SELECT l.key, coalesce((SELECT name FROM projects WHERE space = $space AND num = l.project), '') FROM lineages l
		WHERE l.space = $space AND l.entity = ?1 AND l.num = 0 AND l.key = ANY(?2) AND NOT EXISTS (SELECT 1 FROM sessions WHERE space = $space AND id = l.key)`
)

func scanLineage(s sqlrow.Scanner, own string) (key string, l engram.CausalMetadata, err error) {
	var of thingKey
	var device *string
	var more, held string
	if err := s.Scan(&of.num, &of.name, &l.Base.At, &device, conn.Given{Text: &more}, conn.Given{Text: &held}); err != nil {
		return "", l, err
	}
	key = of.String()
	if l.Base.Device = own; device != nil {
		l.Base.Device = *device
	}
	if more != "" {
		if err := sqlrow.ReadCausal(more, own, &l); err != nil {
			return key, l, fmt.Errorf("causal metadata of %s: %w", key, err)
		}
	}
	if held != "" {
		if err := json.Unmarshal([]byte(held), &l.Shadowed); err != nil {
			return key, l, fmt.Errorf("causal metadata of %s: shadowed values: %w", key, err)
		}
	}
	return key, l, nil
}

// CausalMetadata returns the causal metadata of things by key.
func (t *tx) CausalMetadata(ctx context.Context, entity engram.Entity, keys []string) (map[string]engram.CausalMetadata, error) {
	if len(keys) == 0 {
		return nil, nil
	}
	all := make(map[string]engram.CausalMetadata, len(keys))
	nums, names := keysOf(entity, keys)
	err := t.Rows(ctx, lineagesSQL, []any{sqlrow.KindNum(entity), nums, names}, func(s sqlrow.Scanner) error {
		key, l, err := scanLineage(s, t.head.device)
		all[key] = l
		return err
	})
	return all, sqlrow.Doing(err, "read causal metadata")
}

// Shadowed returns the keys of things with a shadowed value of a part, served by lineages_held.
func (t *tx) Shadowed(ctx context.Context, entity engram.Entity, part engram.Part) ([]string, error) {
	var keys []string
	err := t.Rows(ctx, shadowedSQL, []any{sqlrow.KindNum(entity)}, func(s sqlrow.Scanner) error {
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
	return sqlrow.List(ctx, t, "read shadowed topics", shadowedTopicSQL, []any{sqlrow.KindNum(engram.EntityMemory), topic}, func(s sqlrow.Scanner) (string, error) {
		num, err := sqlrow.One[int64](s)
		return strconv.FormatInt(num, 10), err
	})
}

// PutCausalMetadata sets the causal metadata of things.
func (t *tx) PutCausalMetadata(ctx context.Context, entity engram.Entity, all map[string]engram.CausalMetadata) error {
	const query = `INSERT INTO lineages (space, entity, num, key, at, device, digest, more, held, held_topic, held_live, moved) VALUES $rows
		ON CONFLICT (space, entity, num, key) DO UPDATE SET at = excluded.at, device = excluded.device, digest = excluded.digest, more = excluded.more,
		held = excluded.held, held_topic = excluded.held_topic, held_live = excluded.held_live, moved = excluded.moved`
	rows := make([][]any, 0, len(all))
	for key, l := range all {
		more, err := sqlrow.Causal(l, t.head.device)
		if err != nil {
			return fmt.Errorf("write causal metadata of %s %s: %w", entity, key, err)
		}
		held, err := sqlrow.JSONOrNull(l.Shadowed, len(l.Shadowed))
		if err != nil {
			return fmt.Errorf("write causal metadata of %s %s: shadowed values: %w", entity, key, err)
		}
		var device any
		if l.Base.Device != t.head.device {
			device = l.Base.Device
		}
		_, moved := l.Parts["project"]
		_, scoped := l.Parts["scope"]
		of := keyOf(entity, key)
		rows = append(rows, []any{sqlrow.KindNum(entity), of.num, of.name, int64(l.Base.At), device, l.Digest(), more, held,
			heldText(l, "topic_key"), string(l.Shadowed[engram.PartDeleted]) == `"0001-01-01T00:00:00Z"`, moved || scoped})
	}
	return sqlrow.Doing(t.RunRows(ctx, query, rows), "write causal metadata of %d of kind %s", len(rows), entity)
}

// heldText returns a shadowed text; nil for none.
func heldText(l engram.CausalMetadata, part engram.Part) any {
	var text string
	if json.Unmarshal(l.Shadowed[part], &text) != nil || !conn.Storable(text) {
		return nil
	}
	return text
}

// PutTombstone records the project of a session that has no row.
func (t *tx) PutTombstone(ctx context.Context, session, project string) error {
	num, _, err := t.knownProject(ctx, project)
	if err != nil {
		return err
	}
	const query = `UPDATE lineages SET project = ? WHERE space = $space AND entity = ? AND num = 0 AND key = ?`
	return sqlrow.Doing(t.Run(ctx, query, num, sqlrow.KindNum(engram.EntitySession), session), "record the project of session %q", session)
}

// SessionTombstones returns the sessions with causal metadata but no row.
func (t *tx) SessionTombstones(ctx context.Context, project, after string, limit int) ([]engram.Session, error) {
	return listIn(ctx, t, "read session tombstones", sessionTombstonesSQL, project,
		[]any{sqlrow.KindNum(engram.EntitySession), after, limit}, scanTombstone)
}

// TombstonesOf returns those of the sessions that have causal metadata but no row.
func (t *tx) TombstonesOf(ctx context.Context, ids []string) ([]engram.Session, error) {
	return sqlrow.List(ctx, t, "read session tombstones", tombstonesOfSQL, []any{sqlrow.KindNum(engram.EntitySession), ids}, scanTombstone)
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
		{engram.EntityMemory, `SELECT num::text FROM memories WHERE space = $space AND project = ?`},
		{engram.EntityPrompt, `SELECT num::text FROM prompts WHERE space = $space AND project = ?`},
		{engram.EntitySession, `SELECT id FROM sessions WHERE space = $space AND project = ?`},
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
			all[key] = l
		}
		if err := t.PutCausalMetadata(ctx, of.entity, all); err != nil {
			return err
		}
	}
	return nil
}
