package sqlite

import (
	"context"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"sync"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/sqlite/conn"
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
	return t.list(ctx, c.Select(memoryColumns())+` LIMIT ? OFFSET ?`, append(c.Args, p.Limit, p.Offset), p.Limit)
}

// mostListed is up to how many memories a list has that a connection keeps: a context lists the same again and again.
const mostListed = 250

// list reads up to most memories, and keeps them if these are few.
func (t *tx) list(ctx context.Context, query string, args []any, most int) ([]engram.Memory, error) {
	same, err := t.unchanged(ctx)
	if err != nil {
		return nil, err
	}
	if most > mostListed || same == nil {
		return t.memories(ctx, query, args...)
	}
	key := fmt.Sprint(query, args)
	if nums := same.lists[key]; nums != nil {
		return t.Memories(ctx, nums)
	}
	var ms []engram.Memory
	scan := scanMemory()
	err = t.Rows(ctx, query, args, func(s sqlrow.Scanner) error {
		m, err := scan(s)
		if ms == nil {
			ms = make([]engram.Memory, 0, max(most, 1)) // they are large, and most lists are full
		}
		ms = append(ms, m)
		return err
	})
	if err != nil {
		return nil, sqlrow.Doing(err, readMemories)
	}
	same.keepList(key, ms)
	return ms, nil
}

// Count counts the memories that pass f. The indexes by session hold either live or forgotten ones, and each
// session knows how many live ones it has, as tallies do of each project.
func (t *tx) Count(ctx context.Context, f engram.Filter) (n int, err error) {
	if f.SessionID != "" && reflect.DeepEqual(f, engram.Filter{SessionID: f.SessionID}) {
		num, err := t.sessionNum(ctx, f.SessionID)
		if engram.CodeOf(err) == engram.CodeNotFound {
			return 0, nil
		}
		if err == nil {
			err = t.Row(ctx, `SELECT live FROM sessions WHERE num = ?`, []any{num}, &n)
		}
		return n, sqlrow.Doing(err, "count memories")
	}
	if reflect.DeepEqual(f, engram.Filter{Project: f.Project}) {
		return t.countLive(ctx, f.Project)
	}
	if f.WithForgotten {
		f.WithForgotten = false
		live, err := t.Count(ctx, f)
		if err != nil {
			return 0, err
		}
		f.Forgotten = true
		n, err = t.Count(ctx, f)
		return live + n, err
	}
	c, err := t.listed(ctx, f, engram.OrderNewest)
	if err != nil || c == nil {
		return 0, err
	}
	c.Order = ""
	err = t.Row(ctx, c.Select("count(*)"), c.Args, &n)
	return n, sqlrow.Doing(err, "count memories")
}

// countLive counts the live memories of a project; "" is every one.
func (t *tx) countLive(ctx context.Context, project string) (n int, err error) {
	query, args := liveMemoriesSQL, []any(nil)
	if project != "" {
		num, known, err := t.knownProject(ctx, project)
		if err != nil || !known {
			return 0, err
		}
		query, args = liveMemoriesSQL+` WHERE project = ?`, []any{num}
	}
	err = t.Row(ctx, query, args, &n)
	return n, sqlrow.Doing(err, "count memories")
}

// listed returns the conditions and order of List over memory m; nil if nothing can pass. A look-up by what
// few memories have is served by its own index: the plus keeps the planner from another one.
func (t *tx) listed(ctx context.Context, f engram.Filter, o engram.Order) (c *sqlrow.Query, err error) {
	c = &sqlrow.Query{From: "memories m", Order: "m.created_at DESC, m.num DESC", Where: []string{"m.deleted_at IS NULL"}}
	switch {
	case f.WithForgotten:
		c.Where[0] = "1"
	case f.Forgotten:
		c.Where[0], c.Order = "m.deleted_at IS NOT NULL", "m.deleted_at DESC, m.num DESC"
	}
	project, known, err := t.knownProject(ctx, f.Project)
	if !known {
		return nil, err
	}
	if f.Beyond && !f.Forgotten {
		nums, err := t.beyond(ctx, f)
		if err != nil || len(nums) == 0 {
			return nil, err
		}
		c.From = "memories m NOT INDEXED" // with numbers given, the planner must not scan an index instead
		c.Add("m.num IN (SELECT value FROM json_each(?))", conn.JSONNums(nums))
	}
	if taken, err := t.mayHave(ctx, f, project); err != nil || !taken {
		return nil, err
	}
	row := "m"
	if f.Anchor != "" || f.Stale || f.Mark != "" || f.Hash != "" || !f.DueBefore.IsZero() || o == engram.OrderNumber {
		row = "+m"
	}
	if err := addLookup(c, f); err != nil {
		return nil, err
	}
	addFilter(c, row, f, project)
	if f.Projectless {
		c.Add(row + ".project = 0")
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

// mayHave reports whether a memory can have the hash or the topic key of f. Most that is saved is new, and the columns of
// memories alone cost as much as the look-up. During imports most topic keys are free, and reading memories requires
// writing the unwritten tags.
func (t *tx) mayHave(ctx context.Context, f engram.Filter, project int64) (bool, error) {
	if f.Hash != "" {
		sum, err := sumOf(f.Hash)
		if err != nil {
			return false, err
		}
		nums, err := sqlrow.Column[int64](ctx, t, hashTakenSQL, sum, sum)
		return len(nums) > 0, err
	}
	if f.TopicKey == "" || len(t.unwritten.tags) == 0 {
		return true, nil
	}
	nums, err := sqlrow.Column[int64](ctx, t, topicTakenSQL, f.TopicKey, project, f.Scope)
	return len(nums) > 0 || f.Scope == "", err
}

// sumOf decodes a hash.
func sumOf(hash string) ([]byte, error) {
	sum, err := hex.DecodeString(hash)
	if err != nil {
		return nil, fmt.Errorf("hash %q: %w", hash, err)
	}
	return sum, nil
}

// addLookup adds the conditions that an index of their own serves, by its literal condition.
func addLookup(c *sqlrow.Query, f engram.Filter) error {
	if f.TopicKey != "" {
		c.Add("m.topic_key = ?", f.TopicKey)
	}
	if f.Title != "" {
		c.Add("substr(m.title, 1, 12) || substr(m.title, -12) = substr(?, 1, 12) || substr(?, -12) AND m.title = ?", f.Title, f.Title, f.Title)
	}
	if f.Hash != "" {
		sum, err := sumOf(f.Hash)
		if err != nil {
			return err
		}
		c.Add("substr(m.hash, 1, 8) = substr(?, 1, 8) AND m.hash = ?", sum, sum)
	}
	if f.Anchor != "" { // "0" is the character after the slash
		c.Order = "+m.created_at DESC, +m.num DESC"
		c.Add("m.num IN (SELECT memory FROM anchors WHERE path = ? UNION ALL SELECT memory FROM anchors WHERE path > ? || '/' AND path < ? || '0')",
			f.Anchor, f.Anchor, f.Anchor)
	}
	if f.Stale { // served by anchors_seen, which has few rows
		c.Order = "+m.created_at DESC, +m.num DESC"
		c.Add("m.num IN (SELECT memory FROM anchors WHERE seen IS NOT NULL)")
	}
	if f.Mark != "" { // CROSS JOIN starts with the marked memories, which are few; the index needs the literal
		c.From = "trust t CROSS JOIN memories m ON m.num = t.memory"
		c.Add("t.mark = '" + strings.ReplaceAll(string(f.Mark), "'", "''") + "'")
	}
	if !f.DueBefore.IsZero() { // served by memories_review
		c.Add("m.review_after IS NOT NULL AND m.review_after < ? AND NOT "+supersededSQL, sqlrow.Millis(f.DueBefore))
	}
	if f.Lasting {
		// The index, which has live memories alone, is named because the planner would scan the table when all projects are
		// requested.
		switch {
		case f.Forgotten || f.WithForgotten || f.Mark != "":
		case f.Project == "" && (f.Scope == engram.ScopePersonal || f.Scope == engram.ScopeGlobal):
			c.From = "memories m INDEXED BY memories_beyond"
			c.Add("m.scope <> 'project'")
		default:
			c.From = "memories m INDEXED BY memories_lasting"
		}
		c.Add("(m.permanent <> 0 OR m.importance >= 0.7 OR m.type IN ('preference', 'policy'))")
	}
	return nil
}

// addFilter adds the conditions of f on the memory in row, except Forgotten and Current; project is the
// number of f's project.
func addFilter(c *sqlrow.Query, row string, f engram.Filter, project int64) {
	c.AddFilter(row, f, project)
	if len(f.Types) > 0 {
		c.Add(row+".type IN (SELECT value FROM json_each(?))", jsonText(f.Types))
	}
	for _, tag := range f.Tags {
		c.Add("EXISTS (SELECT 1 FROM tags WHERE memory = "+row+".num AND tag = ?)", tag)
	}
	if f.SessionID != "" {
		c.Add(row+".session = (SELECT num FROM sessions WHERE id = ?)", f.SessionID)
	}
	addMetadata(c, row, f.Metadata)
}

// newerSQL selects the memories n that supersede memory m, served by relations_target. Callers apply the
// filter to n too: otherwise a hidden memory would hide the only visible one.
const newerSQL = `SELECT 1 FROM relations r JOIN memories n ON n.num = r.source WHERE r.target = m.num
	AND r.verb = 'supersedes' AND r.status = 'judged' AND r.removed_at IS NULL`

// supersededSQL is true if a live memory supersedes m.
const supersededSQL = `EXISTS (` + newerSQL + ` AND n.deleted_at IS NULL)`

// addMetadata adds that the memory in row has all these values.
func addMetadata(c *sqlrow.Query, row string, values map[string]any) {
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
			c.Add("0")
			continue
		}
		c.Add(row+".metadata -> ? = ?", jsonPath(k), string(value))
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

// vitalFields is what Outlines reads: no texts, so that the pages with contents are not read.
var vitalFields = sync.OnceValue(func() []engram.Field[engram.Memory] {
	vital := strings.Fields(`project scope type importance strength touched_at permanent access_count last_accessed_at
		created_at updated_at review_after valid_from valid_to last_seen_at deleted_at`)
	return slices.DeleteFunc(slices.Clone(memoryTable()), func(f engram.Field[engram.Memory]) bool { return !slices.Contains(vital, f.Name) })
})

var vitalColumns = sync.OnceValue(func() string { return columnsOf("m", vitalFields()) })

// Outlines calls each with the outlines of memories that pass f. A sample is every n-th memory by number,
// which is the order of saving.
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
		in, project := "", []any(nil)
		if f.Project != "" {
			num, err := t.projectNum(ctx, f.Project)
			if err != nil {
				return err
			}
			in, project = " AND project = ?", []any{num}
		}
		if err := t.Row(ctx, `SELECT coalesce(sum(live), 0) FROM tallies WHERE live > 0`+in, project, &live); err != nil {
			return fmt.Errorf("count memories: %w", err)
		}
		if step := (live + most - 1) / most; step > 1 {
			c.Add("m.num % ? = 0", step) // skipped rows are not read, since the index contains the numbers
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
