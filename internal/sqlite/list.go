package sqlite

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/sqlite/conn"
)

// List returns the memories that pass f, newest first. Listings without further filters are served by
// memories_recent or memories_project_recent and read only the rows that they return.
func (t *tx) List(ctx context.Context, f engram.Filter, p engram.Page) ([]engram.Memory, error) {
	c, order, err := t.listed(ctx, f)
	if err != nil || c == nil {
		return nil, err
	}
	if p.After.Num != 0 && !f.Forgotten {
		c.add("(m.created_at, m.num) < (?, ?)", p.After.CreatedAt.UnixMilli(), p.After.Num)
	}
	query := `SELECT ` + memoryColumns + ` FROM ` + c.from() + ` WHERE ` + strings.Join(c.where, " AND ") +
		` ORDER BY ` + order + ` LIMIT ? OFFSET ?`
	return t.memories(ctx, query, append(c.args, p.Limit, p.Offset)...)
}

// listed returns the conditions and order of List over memory m; nil if nothing can pass.
func (t *tx) listed(ctx context.Context, f engram.Filter) (c *conditions, order string, err error) {
	order, state := "m.created_at DESC, m.num DESC", "m.deleted_at IS NULL"
	if f.Forgotten {
		order, state = "m.deleted_at DESC, m.num DESC", "m.deleted_at IS NOT NULL"
	}
	var project int64
	if f.Project != "" {
		num, known, err := t.knownProject(ctx, f.Project)
		if !known {
			return nil, order, err
		}
		project = num
	}
	c = &conditions{where: []string{state}}
	if f.Beyond && !f.Forgotten {
		nums, err := t.beyond(ctx, f)
		if err != nil || len(nums) == 0 {
			return nil, order, err
		}
		c.named = true
		c.add("m.num IN (SELECT value FROM json_each(?))", jsonNums(nums))
	}
	c.addFilter("m", f, project)
	if f.Current {
		newer := &conditions{where: []string{"n.deleted_at IS NULL"}}
		newer.addFilter("n", f, project)
		c.add("NOT EXISTS ("+newerSQL+" AND "+strings.Join(newer.where, " AND ")+")", newer.args...)
	}
	return c, order, nil
}

// conditions collects the parts of a WHERE clause.
type conditions struct {
	where []string
	args  []any
	named bool // the memories are selected by number
}

// from returns the FROM clause. With numbers given, the planner must not scan an index instead.
func (c *conditions) from() string {
	if c.named {
		return "memories m NOT INDEXED"
	}
	return "memories m"
}

func (c *conditions) add(where string, args ...any) {
	c.where = append(c.where, where)
	c.args = append(c.args, args...)
}

// addFilter adds the conditions of f on the memory in row, except Forgotten and Current; project is the
// number of f's project.
func (c *conditions) addFilter(row string, f engram.Filter, project int64) {
	if f.Project != "" {
		c.add(row+".project = ?", project)
	}
	if len(f.Types) > 0 {
		c.add(row+".type IN (SELECT value FROM json_each(?))", jsonText(f.Types))
	}
	if f.Scope != "" {
		c.add(row+".scope = ?", f.Scope)
	}
	if f.Beyond {
		c.add(row + ".scope <> 'project'")
	}
	for _, tag := range f.Tags {
		c.add("EXISTS (SELECT 1 FROM tags WHERE memory = "+row+".num AND tag = ?)", tag)
	}
	c.addTopic(row, f.Topic)
	if f.SessionID != "" {
		c.add(row+".session = (SELECT num FROM sessions WHERE id = ?)", f.SessionID)
	}
	if !f.Since.IsZero() {
		c.add(row+".created_at >= ?", f.Since.UnixMilli())
	}
	if !f.Until.IsZero() {
		c.add(row+".created_at < ?", f.Until.UnixMilli())
	}
	c.addMetadata(row, f.Metadata)
}

// addTopic adds that the memory in row has the topic key or one below it: a key that starts with it and
// a slash. "0" is the character after the slash.
func (c *conditions) addTopic(row, key string) {
	if key != "" {
		c.add("("+row+".topic_key = ? OR "+row+".topic_key >= ? AND "+row+".topic_key < ?)", key, key+"/", key+"0")
	}
}

// newerSQL selects the memories n that supersede memory m, served by relations_target. Callers apply the
// filter to n too: otherwise a hidden memory would hide the only visible one.
const newerSQL = `SELECT 1 FROM relations r JOIN memories n ON n.num = r.source WHERE r.target = m.num
	AND r.verb = 'supersedes' AND r.status = 'judged' AND r.removed_at IS NULL`

// supersededSQL is true if a live memory supersedes m.
const supersededSQL = `EXISTS (` + newerSQL + ` AND n.deleted_at IS NULL)`

// addMetadata adds that the memory in row has all these values.
func (c *conditions) addMetadata(row string, values map[string]any) {
	keys := make([]string, 0, len(values))
	for k := range values {
		keys = append(keys, k)
	}
	slices.Sort(keys) // one statement text per set of keys
	for _, k := range keys {
		// ->> would not distinguish true from 1, or null from a missing key; -> returns JSON text. Both
		// sides come from encoding/json, so equal values have equal texts. A value that JSON cannot
		// encode matches nothing.
		value, err := json.Marshal(values[k])
		if err != nil {
			c.add("0")
			continue
		}
		c.add(row+".metadata -> ? = ?", jsonPath(k), string(value))
	}
}

// jsonPath returns SQLite's path to a key: inside the quotes SQLite reads a JSON string.
func jsonPath(key string) string {
	b, _ := json.Marshal(key) // strings always marshal
	return "$." + string(b)
}

func jsonText[S ~string](values []S) string {
	b, _ := json.Marshal(values) // strings always marshal
	return string(b)
}

// vitalFields is what Vitals reads: no texts, so that the pages with contents are not read.
var vitalFields = slices.DeleteFunc(slices.Clone(memoryTable), func(f engram.Field[engram.Memory]) bool {
	return !slices.Contains(strings.Fields(`project scope type importance strength touched_at permanent access_count last_accessed_at
		created_at updated_at review_after valid_from valid_to last_seen_at deleted_at`), f.Name)
})

var vitalColumns = `m.num` + columnsOf(vitalFields)

// Vitals calls each with the outline of every memory that passes f.
func (t *tx) Vitals(ctx context.Context, f engram.Filter, each func(engram.Memory) bool) error {
	c, order, err := t.listed(ctx, f)
	if err != nil || c == nil {
		return err
	}
	return t.vitals(ctx, c, order, each)
}

// Sample selects every n-th memory by number, which is the order of saving.
func (t *tx) Sample(ctx context.Context, project string, most int, each func(engram.Memory)) error {
	c, order, err := t.listed(ctx, engram.Filter{Project: project})
	if err != nil || c == nil {
		return err
	}
	of := ""
	if project != "" {
		of = " AND project = ?" // its argument is the only one in c.args
	}
	var live int
	if err := t.row(ctx, `SELECT coalesce(sum(live), 0) FROM tallies WHERE live > 0`+of, c.args, &live); err != nil {
		return fmt.Errorf("count memories: %w", err)
	}
	if step := (live + most - 1) / most; step > 1 {
		c.add("m.num % ? = 0", step) // skipped rows are not read, since the index contains the numbers
	}
	return t.vitals(ctx, c, order, func(m engram.Memory) bool {
		each(m)
		return true
	})
}

func (t *tx) vitals(ctx context.Context, c *conditions, order string, each func(engram.Memory) bool) error {
	query := `SELECT ` + vitalColumns + ` FROM ` + c.from() + ` WHERE ` + strings.Join(c.where, " AND ") + ` ORDER BY ` + order
	err := t.rows(ctx, query, c.args, func(s scanner) error {
		var m engram.Memory
		err := s.Scan(fieldsInto(&m, vitalFields)...)
		if err == nil && !each(m) {
			return conn.Stop
		}
		return err
	})
	return doing(err, "read outlines")
}

// dueSQL is served by memories_review.
var dueSQL = `SELECT ` + memoryColumns + ` FROM memories m
	WHERE m.review_after IS NOT NULL AND m.review_after < ?2 AND m.deleted_at IS NULL AND (?1 < 0 OR m.project = ?1)
	AND NOT ` + supersededSQL + ` ORDER BY m.review_after, m.num LIMIT ?3 OFFSET ?4`

// Due returns the live memories whose review was due before a time.
func (t *tx) Due(ctx context.Context, project string, before time.Time, p engram.Page) ([]engram.Memory, error) {
	return listIn(ctx, t, readMemories, dueSQL, project, []any{millis(before), p.Limit, p.Offset}, scanMemory)
}

// exposedBySQL is served by uses_session.
const exposedBySQL = `SELECT DISTINCT memory FROM uses WHERE session = ? AND memory IN (SELECT value FROM json_each(?))
	AND verb IN (SELECT value FROM json_each(?)) ORDER BY memory`

// ExposedBy returns those of the memories that one of the operations showed to the session.
func (t *tx) ExposedBy(ctx context.Context, session string, verbs []string, nums []int64) ([]int64, error) {
	num, err := t.sessionNum(ctx, session)
	if err != nil {
		return nil, err
	}
	return t.useNums(ctx, exposedBySQL, num, jsonNums(nums), jsonText(verbs))
}
