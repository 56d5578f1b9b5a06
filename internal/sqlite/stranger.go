package sqlite

import (
	"context"

	"github.com/alanbuscaglia/engram"
)

// Stranger is the cause of the error of a database that is another program's: what tables it
// has, and their columns, by which somebody may know whose it is.
type Stranger struct {
	Path   string
	Tables map[string][]string
}

// Error implements error.
func (*Stranger) Error() string { return "its tables are none of this program's" }

// strange is the error of a database that has tables and is not ours.
func strange(ctx context.Context, c *conn, path string) error {
	const query = `SELECT s.name, c.name FROM sqlite_schema s, pragma_table_info(s.name) c WHERE s.type = 'table' AND s.sql NOT LIKE 'CREATE VIRTUAL%' ORDER BY 1, c.cid`
	who := &Stranger{Path: path, Tables: map[string][]string{}}
	t := &tx{conn: c}
	err := t.rows(ctx, query, nil, func(r scanner) error {
		var table, column string
		err := r.Scan(&table, &column)
		who.Tables[table] = append(who.Tables[table], column)
		return err
	})
	if err != nil {
		return err
	}
	return engram.Errorf(engram.CodeInvalid, "%s is a database of another program", path).
		WithHint("choose another folder with --data-dir; it was left as it is").WithCause(who)
}
