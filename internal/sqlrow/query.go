package sqlrow

import (
	"slices"
	"strings"

	"github.com/alanbuscaglia/engram"
)

// Query is a query without its columns: the parts of its WHERE clause, its FROM clause and its order, which may be "".
type Query struct {
	From, Order string
	Where       []string
	Args        []any
}

// Add adds a condition.
func (q *Query) Add(where string, args ...any) {
	q.Where = append(q.Where, where)
	q.Args = append(q.Args, args...)
}

// Select returns the query of columns.
func (q *Query) Select(columns string) string {
	query := "SELECT " + columns + " FROM " + q.From + " WHERE " + strings.Join(q.Where, " AND ")
	if q.Order != "" {
		query += " ORDER BY " + q.Order
	}
	return query
}

// Page returns the query of columns for a page, with its arguments.
func (q *Query) Page(columns string, p engram.Page) (string, []any) {
	return q.Select(columns) + " LIMIT ? OFFSET ?", append(slices.Clip(q.Args), p.Limit, p.Offset)
}

// AddFilter adds the conditions of f on the memory in row that look the same everywhere; project is the number of f's
// project.
func (q *Query) AddFilter(row string, f engram.Filter, project int64) {
	if f.Project != "" {
		q.Add(row+".project = ?", project)
	}
	if f.Scope != "" {
		q.Add(row+".scope = ?", f.Scope)
	}
	if f.Beyond { // as in index memories_beyond
		q.Add(row + ".scope <> 'project'")
	}
	q.AddTopic(row, f.Topic)
	if !f.Since.IsZero() {
		q.Add(row+".created_at >= ?", f.Since.UnixMilli())
	}
	if !f.Until.IsZero() {
		q.Add(row+".created_at < ?", f.Until.UnixMilli())
	}
}

// AddTopic adds that the memory in row has the topic key or one below it: a key that starts with it and a slash. "0" is
// the character after the slash.
func (q *Query) AddTopic(row, key string) {
	if key != "" {
		q.Add("("+row+".topic_key = ? OR "+row+".topic_key >= ? AND "+row+".topic_key < ?)", key, key+"/", key+"0")
	}
}
