package postgres

import (
	"encoding/json"
	"slices"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/postgres/conn"
	"github.com/alanbuscaglia/engram/internal/sqlrow"
)

// addFilter adds the conditions of f on the memory in row, except Forgotten and Current; project is the number of
// f's project.
func addFilter(c *sqlrow.Query, row string, f engram.Filter, project int64) {
	c.AddFilter(row, f, project)
	if len(f.Types) > 0 {
		c.Add(row+".type = ANY(?)", conn.Texts(f.Types))
	}
	for _, tag := range f.Tags {
		c.Add("EXISTS (SELECT 1 FROM tags WHERE space = $space AND memory = "+row+".num AND tag = ?)", tag)
	}
	if f.SessionID != "" {
		c.Add(row+".session = (SELECT num FROM sessions WHERE space = $space AND id = ?)", f.SessionID)
	}
	addMetadata(c, row, f.Metadata)
}

// addMetadata adds that the memory in row has all these values.
func addMetadata(c *sqlrow.Query, row string, values map[string]any) {
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
			c.Add("false")
			continue
		}
		c.Add(`CASE WHEN strpos(`+row+`.metadata, '\u0000') = 0 THEN (`+row+`.metadata::json -> ?::text)::text = ? ELSE false END`, k, string(value))
	}
}

// newerSQL selects the memories n that supersede memory m, served by relations_target. Callers apply the filter to
// n too: otherwise a hidden memory would hide the only visible one.
const newerSQL = `SELECT 1 FROM relations r JOIN memories n ON n.space = $space AND n.num = r.source WHERE r.space = $space AND r.target = m.num
	AND r.verb = 'supersedes' AND r.status = 'judged' AND r.removed_at IS NULL`

// supersededSQL is true if a live memory supersedes m.
const supersededSQL = `EXISTS (` + newerSQL + ` AND n.deleted_at IS NULL)`
