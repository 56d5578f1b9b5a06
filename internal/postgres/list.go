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
	"github.com/alanbuscaglia/engram/internal/postgres/conn"
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
		c.add("m.num > ?", p.After.Num)
	case p.Order == engram.OrderNewest && p.After.Num != 0 && !f.Forgotten:
		c.add("(m.created_at, m.num) < (?, ?)", p.After.CreatedAt.UnixMilli(), p.After.Num)
	}
	query, args := c.page(memoryColumns(), p)
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
		return n, conn.Doing(err, "count memories")
	}
	c, err := t.listed(ctx, f, engram.OrderNewest)
	if err != nil || c == nil {
		return 0, err
	}
	c.order = ""
	err = t.Row(ctx, c.query("count(*)"), c.args, &n)
	return n, conn.Doing(err, "count memories")
}

// listed returns the conditions and order of List over memory m; nil if nothing can pass.
func (t *tx) listed(ctx context.Context, f engram.Filter, o engram.Order) (c *conditions, err error) {
	c = &conditions{from: "memories m", order: "m.created_at DESC, m.num DESC", where: []string{"m.space = $space"}}
	switch {
	case f.WithForgotten:
	case f.Forgotten:
		c.where = append(c.where, "m.deleted_at IS NOT NULL")
		c.order = "m.deleted_at DESC, m.num DESC"
	default:
		c.where = append(c.where, "m.deleted_at IS NULL")
	}
	project, known, err := t.knownProject(ctx, f.Project)
	if !known {
		return nil, err
	}
	if err := c.addLookup(f); err != nil {
		return nil, err
	}
	c.addFilter("m", f, project)
	if f.Projectless {
		c.add("m.project = 0")
	}
	if f.Current {
		newer := &conditions{where: []string{"n.deleted_at IS NULL"}}
		newer.addFilter("n", f, project)
		c.add("NOT EXISTS ("+newerSQL+" AND "+strings.Join(newer.where, " AND ")+")", newer.args...)
	}
	switch o {
	case engram.OrderLatest:
		c.order = "m.num DESC"
	case engram.OrderNumber:
		c.order = "m.num"
	case engram.OrderDue:
		c.order = "m.review_after, m.num"
	case engram.OrderFlagged:
		c.order = "t.at, t.memory"
	case engram.OrderLasting:
		c.order = "m.permanent DESC, m.importance DESC, m.num DESC"
	}
	return c, nil
}

// addLookup adds the conditions that an index of their own serves, by its literal condition.
func (c *conditions) addLookup(f engram.Filter) error {
	if f.TopicKey != "" {
		c.add("m.topic_key = ?", f.TopicKey)
	}
	if f.Title != "" {
		c.add("m.title_head = ? AND m.title = ?", titleHead(f.Title), f.Title)
	}
	if f.Hash != "" {
		sum, err := hex.DecodeString(f.Hash)
		if err != nil {
			return fmt.Errorf("hash %q: %w", f.Hash, err)
		}
		c.add("m.hash_head = ? AND m.hash = ?", hashHead(sum), sum)
	}
	if f.Anchor != "" { // "0" is the character after the slash
		c.add("m.num IN (SELECT memory FROM anchors WHERE space = $space AND path = ? UNION ALL SELECT memory FROM anchors WHERE space = $space AND path > ? AND path < ?)",
			f.Anchor, f.Anchor+"/", f.Anchor+"0")
	}
	if f.Stale { // served by anchors_seen, which has few rows
		c.add("m.num IN (SELECT memory FROM anchors WHERE space = $space AND seen IS NOT NULL)")
	}
	if f.Mark != "" {
		c.from = "trust t JOIN memories m ON m.space = $space AND m.num = t.memory"
		c.add("t.space = $space AND t.mark = ?", f.Mark)
	}
	if !f.DueBefore.IsZero() { // served by memories_review
		c.add("m.review_after IS NOT NULL AND m.review_after < ? AND NOT "+supersededSQL, conn.Millis(f.DueBefore))
	}
	if f.Lasting { // as in index memories_lasting
		c.add("(m.permanent OR m.importance >= 0.7 OR m.type IN ('preference', 'policy'))")
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
			c.add("m.num % ? = 0", step)
		}
	}
	scan := scanInto(new(engram.Memory), vitalFields())
	err = t.Rows(ctx, c.query(vitalColumns()), c.args, func(s conn.Scanner) error {
		m, err := scan(s)
		if err == nil && !each(m) {
			return conn.ErrStop
		}
		return err
	})
	return conn.Doing(err, "read outlines")
}

// topicsSQL is served by memories_topic, in the order of the keys.
const topicsSQL = `SELECT DISTINCT topic_key FROM memories WHERE space = $space AND topic_key IS NOT NULL AND deleted_at IS NULL
	AND topic_key >= ?2 AND topic_key < ?3 AND (?1::bigint < 0 OR project = ?1) ORDER BY topic_key LIMIT ?4`

// Topics returns the topic keys with a prefix.
func (t *tx) Topics(ctx context.Context, project, prefix string, most int) ([]string, error) {
	return listIn(ctx, t, "read topics", topicsSQL, project, []any{prefix, prefix + string(utf8.MaxRune), most}, conn.One[string])
}
