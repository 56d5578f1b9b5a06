package sqlite

import (
	"context"
	"encoding/json"
	"slices"
	"strings"

	"github.com/alanbuscaglia/engram"
)

// List returns the memories that pass f, newest first. Listings without filters of
// their own are served by memories_recent or memories_project_recent and read no
// more rows than they return.
func (t *tx) List(ctx context.Context, f engram.Filter, p engram.Page) ([]engram.Memory, error) {
	c, order, err := t.listed(ctx, f)
	if err != nil || c == nil {
		return nil, err
	}
	query := `SELECT ` + memoryColumns + ` FROM memories m WHERE ` + strings.Join(c.where, " AND ") +
		` ORDER BY ` + order + ` LIMIT ? OFFSET ?`
	return t.memories(ctx, query, append(c.args, p.Limit, p.Offset)...)
}

// listed is what List asks of memory m, and the order in which it lists; nil when
// nothing can pass.
func (t *tx) listed(ctx context.Context, f engram.Filter) (c *conditions, order string, err error) {
	order, state := "m.created_at DESC, m.num DESC", "m.deleted_at IS NULL"
	if f.Forgotten {
		order, state = "m.deleted_at DESC, m.num DESC", "m.deleted_at IS NOT NULL"
	}
	c = &conditions{where: []string{state}}
	if f.Project != "" {
		num, known, err := t.knownProject(ctx, f.Project)
		if !known {
			return nil, order, err
		}
		c.add("m.project = ?", num)
	}
	if len(f.Types) > 0 {
		c.add("m.type IN (SELECT value FROM json_each(?))", jsonText(f.Types))
	}
	if f.Scope != "" {
		c.add("m.scope = ?", f.Scope)
	}
	for _, tag := range f.Tags {
		c.add("EXISTS (SELECT 1 FROM tags WHERE memory = m.num AND tag = ?)", tag)
	}
	c.addRest(f)
	return c, order, nil
}

// conditions collects the parts of a WHERE clause over memories m.
type conditions struct {
	where []string
	args  []any
}

func (c *conditions) add(where string, args ...any) {
	c.where = append(c.where, where)
	c.args = append(c.args, args...)
}

// addRest adds what List asks beside project, type, scope and tags.
func (c *conditions) addRest(f engram.Filter) {
	if f.SessionID != "" {
		c.add("m.session = (SELECT num FROM sessions WHERE id = ?)", f.SessionID)
	}
	if !f.Since.IsZero() {
		c.add("m.created_at >= ?", f.Since.UnixMilli())
	}
	if !f.Until.IsZero() {
		c.add("m.created_at < ?", f.Until.UnixMilli())
	}
	if f.Current {
		c.add("NOT " + supersededSQL)
	}
	c.addMetadata(f.Metadata)
}

// supersededSQL is true of a memory m that a live one supersedes; served by relations_target.
const supersededSQL = `EXISTS (SELECT 1 FROM relations r JOIN memories n ON n.num = r.source WHERE r.target = m.num
	AND r.verb = 'supersedes' AND r.status = 'judged' AND r.removed_at IS NULL AND n.deleted_at IS NULL)`

// addMetadata adds that memory m has all of these values.
func (c *conditions) addMetadata(values map[string]any) {
	keys := make([]string, 0, len(values))
	for k := range values {
		keys = append(keys, k)
	}
	slices.Sort(keys) // one spelling of the statement for one set of keys
	for _, k := range keys {
		// The operator gives JSON text, which tells true from 1 and null from nothing;
		// json_extract would not. Both sides were spelled by encoding/json, so equal
		// values are equal texts. A value that cannot be JSON equals nothing.
		value, err := json.Marshal(values[k])
		if err != nil {
			c.add("0")
			continue
		}
		c.add("m.metadata -> ? = ?", jsonPath(k), string(value))
	}
}

// jsonPath is SQLite's path to a key of an object, whatever is in the key: inside the
// quotes it is read like a JSON string.
func jsonPath(key string) string {
	b, _ := json.Marshal(key) // a string is always JSON
	return "$." + string(b)
}

func jsonText[S ~string](values []S) string {
	b, _ := json.Marshal(values) // strings are always JSON
	return string(b)
}
