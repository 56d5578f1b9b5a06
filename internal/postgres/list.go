package postgres

import (
	"context"
	"encoding/hex"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/sqlrow"
)

// List returns the memories that pass f. Listings without further filters are served by memories_recent or
// memories_project_recent and read only the rows that they return.
func (t *tx) List(ctx context.Context, f engram.Filter, p engram.Page) ([]engram.Memory, error) {
	if f.Unembedded != "" {
		return t.unembedded(ctx, f.Unembedded, p.After.Num, p.Limit)
	}
	c, err := t.listed(ctx, f, p.Order)
	if err != nil || c == nil {
		return nil, err
	}
	switch {
	case p.Order == engram.OrderNumber:
		c.Add("m.num > ?", p.After.Num)
	case p.Order == engram.OrderNewest && p.After.Num != 0 && !f.Forgotten:
		c.Add("(m.created_at, m.num) < (?, ?)", p.After.CreatedAt.UnixMilli(), p.After.Num)
	}
	query, args := c.Page(memoryColumns(), p)
	return t.memories(ctx, query, args...)
}

// Count counts the memories that pass f. The indexes by session hold either live or forgotten ones, and each
// session knows how many live ones it has.
func (t *tx) Count(ctx context.Context, f engram.Filter) (n int, err error) {
	if f.SessionID != "" && reflect.DeepEqual(f, engram.Filter{SessionID: f.SessionID}) {
		num, err := t.sessionNum(ctx, f.SessionID)
		if engram.CodeOf(err) == engram.CodeNotFound {
			return 0, nil
		}
		query := `SELECT live FROM sessions WHERE space = $space AND num = ?`
		if t.Off != nil {
			query = `SELECT count(*) FROM memories WHERE space = $space AND session = ? AND deleted_at IS NULL`
		}
		if err == nil {
			err = t.Row(ctx, query, []any{num}, &n)
		}
		return n, sqlrow.Doing(err, "count memories")
	}
	c, err := t.listed(ctx, f, engram.OrderNewest)
	if err != nil || c == nil {
		return 0, err
	}
	c.Order = ""
	err = t.Row(ctx, c.Select("count(*)"), c.Args, &n)
	return n, sqlrow.Doing(err, "count memories")
}

// listed returns the conditions and order of List over memory m; nil if nothing can pass.
func (t *tx) listed(ctx context.Context, f engram.Filter, o engram.Order) (c *sqlrow.Query, err error) {
	c = &sqlrow.Query{From: "memories m", Order: "m.created_at DESC, m.num DESC", Where: []string{"m.space = $space"}}
	switch {
	case f.WithForgotten:
	case f.Forgotten:
		c.Where = append(c.Where, "m.deleted_at IS NOT NULL")
		c.Order = "m.deleted_at DESC, m.num DESC"
	default:
		c.Where = append(c.Where, "m.deleted_at IS NULL")
	}
	project, known, err := t.knownProject(ctx, f.Project)
	if !known {
		return nil, err
	}
	if err := addLookup(c, f); err != nil {
		return nil, err
	}
	addFilter(c, "m", f, project)
	if f.Projectless {
		c.Add("m.project = 0")
	}
	if f.Current {
		newer := &sqlrow.Query{Where: []string{"n.deleted_at IS NULL"}}
		addFilter(newer, "n", f, project)
		c.Add("NOT EXISTS ("+newerSQL+" AND "+strings.Join(newer.Where, " AND ")+")", newer.Args...)
	}
	switch o {
	case engram.OrderLatest:
		c.Order = "m.num DESC"
	case engram.OrderNumber:
		c.Order = "m.num"
	case engram.OrderDue:
		c.Order = "m.review_after, m.num"
	case engram.OrderFlagged:
		c.Order = "t.at, t.memory"
	case engram.OrderLasting:
		c.Order = "m.permanent DESC, m.importance DESC, m.num DESC"
	}
	return c, nil
}

// addLookup adds the conditions that an index of their own serves, by its literal condition.
func addLookup(c *sqlrow.Query, f engram.Filter) error {
	if f.TopicKey != "" {
		c.Add("m.topic_key = ?", f.TopicKey)
	}
	if f.Title != "" {
		c.Add("m.title_head = ? AND m.title = ?", titleHead(f.Title), f.Title)
	}
	if f.Hash != "" {
		sum, err := hex.DecodeString(f.Hash)
		if err != nil {
			return fmt.Errorf("hash %q: %w", f.Hash, err)
		}
		c.Add("m.hash_head = ? AND m.hash = ?", hashHead(sum), sum)
	}
	if f.Anchor != "" { // "0" is the character after the slash
		c.Add("m.num IN (SELECT memory FROM anchors WHERE space = $space AND path = ? UNION ALL SELECT memory FROM anchors WHERE space = $space AND path > ? AND path < ?)",
			f.Anchor, f.Anchor+"/", f.Anchor+"0")
	}
	if f.Stale { // served by anchors_seen, which has few rows
		c.Add("m.num IN (SELECT memory FROM anchors WHERE space = $space AND seen IS NOT NULL)")
	}
	if f.Mark != "" {
		c.From = "trust t JOIN memories m ON m.space = $space AND m.num = t.memory"
		c.Add("t.space = $space AND t.mark = ?", f.Mark)
	}
	if !f.DueBefore.IsZero() { // served by memories_review
		c.Add("m.review_after IS NOT NULL AND m.review_after < ? AND NOT "+supersededSQL, sqlrow.Millis(f.DueBefore))
	}
	if f.Lasting { // as in index memories_lasting
		c.Add("(m.permanent OR m.importance >= 0.7 OR m.type IN ('preference', 'policy'))")
	}
	return nil
}

// vitalFields is what Outlines reads: no texts.
var vitalFields = sync.OnceValue(func() []engram.Field[engram.Memory] {
	return slices.DeleteFunc(slices.Clone(memoryTable()), func(f engram.Field[engram.Memory]) bool {
		return !slices.Contains(strings.Fields(`project scope type importance strength touched_at permanent access_count last_accessed_at
		created_at updated_at review_after valid_from valid_to last_seen_at deleted_at`), f.Name)
	})
})

var vitalColumns = sync.OnceValue(func() string { return columnsOf("m", vitalFields()) })

// Outlines calls each with the outlines of memories that pass f. A sample is every n-th memory by number, which is
// the order of saving.
func (t *tx) Outlines(ctx context.Context, f engram.Filter, most int, each func(engram.Memory) bool) error {
	order := engram.OrderNewest
	if f.Mark == engram.TrustFlagged {
		order = engram.OrderFlagged // of its index, so that the caller may stop early
	}
	c, err := t.listed(ctx, f, order)
	if err != nil || c == nil {
		return err
	}
	if most > 0 {
		var live int
		project, err := every, error(nil)
		if f.Project != "" {
			project, err = t.projectNum(ctx, f.Project)
		}
		if err == nil {
			err = t.Row(ctx, `SELECT coalesce(sum(live), 0)::bigint FROM tallies WHERE space = $space AND live > 0 AND (?1::bigint < 0 OR project = ?1)`, []any{project}, &live)
		}
		if err != nil {
			return fmt.Errorf("count memories: %w", err)
		}
		if step := (live + most - 1) / most; step > 1 {
			c.Add("m.num % ? = 0", step)
		}
	}
	scan := scanInto(new(engram.Memory), vitalFields())
	err = t.Rows(ctx, c.Select(vitalColumns()), c.Args, func(s sqlrow.Scanner) error {
		m, err := scan(s)
		if err == nil && !each(m) {
			return sqlrow.ErrStop
		}
		return err
	})
	return sqlrow.Doing(err, "read outlines")
}

// topicsSQL is served by memories_topic, in the order of the keys.
const topicsSQL = `SELECT DISTINCT topic_key FROM memories WHERE space = $space AND topic_key IS NOT NULL AND deleted_at IS NULL
	AND topic_key >= ?2 AND topic_key < ?3 AND (?1::bigint < 0 OR project = ?1) ORDER BY topic_key LIMIT ?4`

// Topics returns the topic keys with a prefix.
func (t *tx) Topics(ctx context.Context, project, prefix string, most int) ([]string, error) {
	return listIn(ctx, t, "read topics", topicsSQL, project, []any{prefix, prefix + string(utf8.MaxRune), most}, sqlrow.One[string])
}
