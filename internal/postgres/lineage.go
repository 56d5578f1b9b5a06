package postgres

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/postgres/conn"
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

func scanLineage(s conn.Scanner, own string) (key string, l engram.CausalMetadata, err error) {
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
		if err := readMore(more, own, &l); err != nil {
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
	err := t.Rows(ctx, lineagesSQL, []any{kindNum(entity), nums, names}, func(s conn.Scanner) error {
		key, l, err := scanLineage(s, t.head.device)
		all[key] = l
		return err
	})
	return all, conn.Doing(err, "read causal metadata")
}

// Shadowed returns the keys of things with a shadowed value of a part, served by lineages_held.
func (t *tx) Shadowed(ctx context.Context, entity engram.Entity, part engram.Part) ([]string, error) {
	var keys []string
	err := t.Rows(ctx, shadowedSQL, []any{kindNum(entity)}, func(s conn.Scanner) error {
		key, l, err := scanLineage(s, "")
		if _, held := l.Shadowed[part]; held {
			keys = append(keys, key)
		}
		return err
	})
	return keys, conn.Doing(err, "read shadowed values")
}

// ShadowedTopic returns the keys of memories with this shadowed topic key.
func (t *tx) ShadowedTopic(ctx context.Context, topic string) ([]string, error) {
	return conn.List(ctx, t, "read shadowed topics", shadowedTopicSQL, []any{kindNum(engram.EntityMemory), topic}, func(s conn.Scanner) (string, error) {
		num, err := conn.One[int64](s)
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
		more, err := moreText(l, t.head.device)
		if err != nil {
			return fmt.Errorf("write causal metadata of %s %s: %w", entity, key, err)
		}
		held, err := conn.JSONOrNull(l.Shadowed, len(l.Shadowed))
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
		rows = append(rows, []any{kindNum(entity), of.num, of.name, int64(l.Base.At), device, l.Digest(), more, held,
			heldText(l, "topic_key"), string(l.Shadowed[engram.PartDeleted]) == `"0001-01-01T00:00:00Z"`, moved || scoped})
	}
	return conn.Doing(t.RunRows(ctx, query, rows), "write causal metadata of %d of kind %s", len(rows), entity)
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
	return conn.Doing(t.Run(ctx, query, num, kindNum(engram.EntitySession), session), "record the project of session %q", session)
}

// SessionTombstones returns the sessions with causal metadata but no row.
func (t *tx) SessionTombstones(ctx context.Context, project, after string, limit int) ([]engram.Session, error) {
	return listIn(ctx, t, "read session tombstones", sessionTombstonesSQL, project,
		[]any{kindNum(engram.EntitySession), after, limit}, scanTombstone)
}

// TombstonesOf returns those of the sessions that have causal metadata but no row.
func (t *tx) TombstonesOf(ctx context.Context, ids []string) ([]engram.Session, error) {
	return conn.List(ctx, t, "read session tombstones", tombstonesOfSQL, []any{kindNum(engram.EntitySession), ids}, scanTombstone)
}

func scanTombstone(r conn.Scanner) (s engram.Session, err error) {
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
		keys, err := conn.Column[string](ctx, t, of.keys, num)
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

// kindsOfThings maps numbers in lineages and carried to kinds, as in a SQLite file.
var kindsOfThings = [...]engram.Entity{engram.EntityRelation, engram.EntityMemory, engram.EntityPrompt, engram.EntitySession,
	engram.EntityProject, engram.EntityErased}

// kindNum returns the number of a kind, -1 for an unknown one, which no row has.
func kindNum(entity engram.Entity) int { return slices.Index(kindsOfThings[:], entity) }

// lineageText is the JSON in column more. Own stamps and counts omit the device.
type lineageText struct {
	Parts  map[engram.Part]string  `json:"p,omitempty"`
	Sets   map[string]engram.Dots  `json:"s,omitempty"`
	Counts map[string]engram.Count `json:"c,omitempty"`
	Past   int64                   `json:"t,omitempty"`
}

// stampText encodes a stamp: hex digits of the clock, then a hyphen and the device unless it is the store's own;
// "" for the zero stamp.
func stampText(s engram.VersionStamp, own string) string {
	switch {
	case s == (engram.VersionStamp{}):
		return ""
	case s.Device == own:
		return strconv.FormatInt(int64(s.At), 16)
	}
	return strconv.FormatInt(int64(s.At), 16) + "-" + s.Device
}

func readStamp(text, own string) (engram.VersionStamp, error) {
	if text == "" {
		return engram.VersionStamp{}, nil
	}
	clock, device, foreign := strings.Cut(text, "-")
	at, err := strconv.ParseInt(clock, 16, 64)
	if err != nil {
		return engram.VersionStamp{}, fmt.Errorf("stamp %q: %w", text, err)
	}
	if !foreign {
		device = own
	}
	return engram.VersionStamp{At: engram.Clock(at), Device: device}, nil
}

// moreText is column more of l; nil if it would be empty.
func moreText(l engram.CausalMetadata, own string) (any, error) {
	if len(l.Parts) == 0 && len(l.Sets) == 0 && len(l.Counts) == 0 && l.Past == 0 {
		return nil, nil
	}
	text := lineageText{Counts: l.Counts, Past: l.Past, Sets: renamedDots(l.Sets, own, "")}
	if len(l.Parts) > 0 {
		text.Parts = make(map[engram.Part]string, len(l.Parts))
		for p, s := range l.Parts {
			text.Parts[p] = stampText(s, own)
		}
	}
	b, err := json.Marshal(text)
	return string(b), err
}

func readMore(more, own string, l *engram.CausalMetadata) error {
	var text lineageText
	if err := json.Unmarshal([]byte(more), &text); err != nil {
		return err
	}
	l.Counts, l.Past, l.Sets = text.Counts, text.Past, renamedDots(text.Sets, "", own)
	if len(text.Parts) > 0 {
		l.Parts = make(map[engram.Part]engram.VersionStamp, len(text.Parts))
	}
	for p, s := range text.Parts {
		stamp, err := readStamp(s, own)
		if err != nil {
			return err
		}
		l.Parts[p] = stamp
	}
	return nil
}

// renamedDots copies sets with the dots of one device under another name.
func renamedDots(sets map[string]engram.Dots, from, to string) map[string]engram.Dots {
	if len(sets) == 0 {
		return nil
	}
	out := make(map[string]engram.Dots, len(sets))
	for member, dots := range sets {
		out[member] = make(engram.Dots, len(dots))
		for device, d := range dots {
			if device == from {
				device = to
			}
			out[member][device] = d
		}
	}
	return out
}
