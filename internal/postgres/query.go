package postgres

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/postgres/conn"
)

// conditions are a query: the parts of its WHERE clause, its FROM clause and its order, which may be "".
type conditions struct {
	from, order string
	where       []string
	args        []any
}

// query returns the query of columns.
func (c *conditions) query(columns string) string {
	query := "SELECT " + columns + " FROM " + c.from + " WHERE " + strings.Join(c.where, " AND ")
	if c.order != "" {
		query += " ORDER BY " + c.order
	}
	return query
}

// page returns the query of columns for a page, with its arguments.
func (c *conditions) page(columns string, p engram.Page) (string, []any) {
	return c.query(columns) + " LIMIT ? OFFSET ?", append(slices.Clip(c.args), p.Limit, p.Offset)
}

func (c *conditions) add(where string, args ...any) {
	c.where = append(c.where, where)
	c.args = append(c.args, args...)
}

// addFilter adds the conditions of f on the memory in row, except Forgotten and Current; project is the number of
// f's project.
func (c *conditions) addFilter(row string, f engram.Filter, project int64) {
	if f.Project != "" {
		c.add(row+".project = ?", project)
	}
	if len(f.Types) > 0 {
		c.add(row+".type = ANY(?)", conn.Texts(f.Types))
	}
	if f.Scope != "" {
		c.add(row+".scope = ?", f.Scope)
	}
	if f.Beyond { // as in index memories_beyond
		c.add(row + ".scope <> 'project'")
	}
	for _, tag := range f.Tags {
		c.add("EXISTS (SELECT 1 FROM tags WHERE space = $space AND memory = "+row+".num AND tag = ?)", tag)
	}
	c.addTopic(row, f.Topic)
	if f.SessionID != "" {
		c.add(row+".session = (SELECT num FROM sessions WHERE space = $space AND id = ?)", f.SessionID)
	}
	if !f.Since.IsZero() {
		c.add(row+".created_at >= ?", f.Since.UnixMilli())
	}
	if !f.Until.IsZero() {
		c.add(row+".created_at < ?", f.Until.UnixMilli())
	}
	c.addMetadata(row, f.Metadata)
}

// addTopic adds that the memory in row has the topic key or one below it. "0" is the character after the slash.
func (c *conditions) addTopic(row, key string) {
	if key != "" {
		c.add("("+row+".topic_key = ? OR "+row+".topic_key >= ? AND "+row+".topic_key < ?)", key, key+"/", key+"0")
	}
}

// addMetadata adds that the memory in row has all these values.
func (c *conditions) addMetadata(row string, values map[string]any) {
	keys := make([]string, 0, len(values))
	for k := range values {
		keys = append(keys, k)
	}
	slices.Sort(keys) // one statement text per set of keys
	for _, k := range keys {
		// The texts of JSON are compared, since ->> would not distinguish true from "true". Both sides come from
		// encoding/json, so equal values have equal texts. A value that JSON cannot encode matches nothing, and
		// neither does metadata with a NUL, of which Postgres reads no part.
		value, err := json.Marshal(values[k])
		if err != nil {
			c.add("false")
			continue
		}
		c.add(`CASE WHEN strpos(`+row+`.metadata, '\u0000') = 0 THEN (`+row+`.metadata::json -> ?::text)::text = ? ELSE false END`, k, string(value))
	}
}

// newerSQL selects the memories n that supersede memory m, served by relations_target. Callers apply the filter to
// n too: otherwise a hidden memory would hide the only visible one.
const newerSQL = `SELECT 1 FROM relations r JOIN memories n ON n.space = $space AND n.num = r.source WHERE r.space = $space AND r.target = m.num
	AND r.verb = 'supersedes' AND r.status = 'judged' AND r.removed_at IS NULL`

// supersededSQL is true if a live memory supersedes m.
const supersededSQL = `EXISTS (` + newerSQL + ` AND n.deleted_at IS NULL)`
