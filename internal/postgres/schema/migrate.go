// Package schema knows a database as a whole: which server it is, its tables and their migrations, and what errors
// of the server mean.
package schema

import (
	"context"
	"embed"
	"fmt"
	"io/fs"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/postgres/conn"
	"github.com/alanbuscaglia/engram/internal/sqlrow"
)

//go:embed migration/*.sql
var migrations embed.FS

// oldestServer is the oldest version of Postgres that the store runs on.
const oldestServer = 150000

// schemaSQL makes the table whose one row is the lock of migrations; version is that of the schema.
const schemaSQL = `CREATE TABLE IF NOT EXISTS engram_schema (id bigint PRIMARY KEY CHECK (id = 1), version bigint NOT NULL);
INSERT INTO engram_schema VALUES (1, 0) ON CONFLICT DO NOTHING`

// storeRole is the role that transactions of stores take on, so that row-level security holds even for a superuser.
const storeRole = "engram_store"

// Server is what a database says of itself.
type Server struct {
	Version       string // of Postgres: 15.8
	Schema, Known int    // version of the schema, and the newest that this program makes; 0 without tables
	ReadOnly      bool
	Pooled        bool  // the connection leads through a pooler
	Unsynced      bool  // commits do not wait for the disk
	Free          bool  // the user is above row-level security, so that only the role keeps spaces apart
	Role          bool  // transactions take on the role of stores
	Spread        bool  // Citus spreads tables over several servers
	Bytes         int64 // size of the whole database
}

// Begin returns the statements that open a transaction of a store in a space: begin, and what it sets. A lock is waited for
// as long as wait says; 0: as the server likes.
func (s Server) Begin(begin, space string, wait time.Duration) []conn.Statement {
	all := []conn.Statement{conn.With(begin)}
	timeout := strconv.FormatInt(max(1, wait.Milliseconds()), 10)
	if !s.Spread {
		// The plans of look-ups by key are the same for all values.
		set, args := `SELECT set_config('engram.space', $1, true), set_config('plan_cache_mode', 'force_generic_plan', true)`, []any{space}
		if s.Role {
			set += `, set_config('role', '` + storeRole + `', true)`
		}
		if wait > 0 {
			set, args = set+`, set_config('lock_timeout', $2, true)`, append(args, timeout)
		}
		return append(all, conn.With(set, args...))
	}
	// Citus passes on to other servers nothing but SET LOCAL, and needs the values of a statement to plan it.
	all = append(all, conn.With("SET LOCAL citus.propagate_set_commands = 'local'"))
	if s.Role {
		all = append(all, conn.With("SET LOCAL ROLE "+storeRole))
	}
	if wait > 0 {
		all = append(all, conn.With("SET LOCAL lock_timeout = "+timeout))
	}
	return append(all, conn.With("SET LOCAL engram.space = '"+space+"'"))
}

// lookSQL reads a Server, and whether there are tables of stores and that of the schema, in this order: another
// store may be making them.
const lookSQL = `SELECT current_setting('server_version_num'), current_setting('server_version'), current_setting('server_encoding'),
	pg_is_in_recovery() OR current_setting('default_transaction_read_only') = 'on', pg_backend_pid(), current_setting('synchronous_commit') = 'off',
	(SELECT rolsuper OR rolbypassrls FROM pg_roles WHERE rolname = current_user),
	to_regclass('memories') IS NOT NULL, to_regclass('engram_schema') IS NOT NULL,
	EXISTS (SELECT 1 FROM pg_extension WHERE extname = 'citus')`

// Look examines a database and changes nothing. The error says why a store cannot be there; a missing or older
// schema is no reason.
func Look(ctx context.Context, pool *conn.Pool, space string) (s Server, err error) {
	c, err := pool.Begin(ctx, space)
	if err != nil {
		return s, err
	}
	defer c.Rollback()
	if s, err = look(ctx, c, "BEGIN READ ONLY"); err != nil {
		return s, err
	}
	rows, err := c.Simple(ctx, `SELECT pg_database_size(current_database())`)
	if err == nil {
		s.Bytes, err = strconv.ParseInt(rows[0][0], 10, 64)
	}
	return s, err
}

// look begins a transaction and returns the Server without Bytes.
func look(ctx context.Context, c *conn.Tx, begin string) (s Server, err error) {
	rows, err := c.Simple(ctx, begin+"; "+lookSQL)
	if err != nil {
		return s, err
	}
	row := rows[0]
	number, err := strconv.Atoi(row[0])
	if err != nil {
		return s, err
	}
	s = Server{Version: row[1], ReadOnly: row[3] == "t", Pooled: c.Through(row[4]), Unsynced: row[5] == "t", Free: row[6] == "t", Spread: row[9] == "t", Known: len(steps())}
	tables, known := row[7] == "t", row[8] == "t"
	switch {
	case number < oldestServer:
		return s, engram.Errorf(engram.CodeUnavailable, "this is Postgres %d, and %d is the oldest that works", number/10000, oldestServer/10000).WithHint("update the server")
	case row[2] != "UTF8":
		return s, engram.Errorf(engram.CodeInvalid, "the database has the encoding %s", row[2]).WithHint("make one with CREATE DATABASE … ENCODING 'UTF8' TEMPLATE template0")
	case tables && !known:
		return s, engram.Errorf(engram.CodeInvalid, "the database has tables of another program").
			WithHint("make a database of its own with CREATE DATABASE, or a schema and name it with ?search_path=; nothing was changed")
	case known:
		if s.Schema, err = schemaVersion(ctx, c, ""); err != nil {
			return s, err
		}
	}
	if s.Schema > s.Known+1 {
		return s, engram.Errorf(engram.CodeConflict, "the database was written by a newer Engram (schema %d, this one knows %d)", s.Schema, s.Known).
			WithHint("update this program; the database was not changed")
	}
	if s.Schema > 0 {
		s.Role, err = roleOf(ctx, c)
	}
	return s, err
}

// steps are the files of the migrations, in their order.
func steps() []string {
	all, _ := fs.Glob(migrations, "migration/*.sql") // the pattern is well formed
	return all
}

// Prepare examines a database and brings its schema to that of this program. Steps only add (expand); what is no
// longer used goes a release later. So a server serves a schema that is one step newer, too.
func Prepare(ctx context.Context, pool *conn.Pool, space string) (s Server, err error) {
	c, err := pool.Begin(ctx, space)
	if err != nil {
		return s, err
	}
	defer c.Rollback()
	s, err = look(ctx, c, "BEGIN")
	switch {
	case err != nil || s.Schema >= s.Known:
		return s, err
	case s.ReadOnly:
		return s, engram.Errorf(engram.CodeUnavailable, "the database is read-only, and its schema has to be made first").WithHint("connect to the primary once")
	}
	if err = migrate(ctx, c, steps()); err == nil {
		s.Role, err = roleOf(ctx, c)
	}
	return s, err
}

// schemaVersion reads the version of the schema; lock is "" or FOR UPDATE.
func schemaVersion(ctx context.Context, c *conn.Tx, lock string) (int, error) {
	rows, err := c.Simple(ctx, "SELECT version FROM engram_schema "+lock)
	if err != nil || len(rows) != 1 {
		return 0, sqlrow.Doing(err, "read the version of the schema")
	}
	return strconv.Atoi(rows[0][0])
}

// migrate runs the steps that the database lacks, each in a transaction of its own. Servers that try at once wait
// for each other and look again.
func migrate(ctx context.Context, c *conn.Tx, steps []string) error {
	for tries := 0; ; tries++ {
		_, err := c.Simple(ctx, "ROLLBACK; BEGIN; "+schemaSQL+"; COMMIT; BEGIN")
		if err == nil {
			break
		}
		if code := conn.Code(err); tries > 20 || code != "23505" && code != "42P07" && code != "42710" { // another one makes the table now
			return fmt.Errorf("begin the schema: %w", err)
		}
	}
	if err := makeRole(ctx, c); err != nil {
		return err
	}
	for i, step := range steps {
		script, err := fs.ReadFile(migrations, step)
		if err != nil {
			return err
		}
		version, err := schemaVersion(ctx, c, "FOR UPDATE")
		if err != nil {
			return err
		}
		if version != i {
			continue
		}
		if _, err := c.Simple(ctx, string(script)+"; UPDATE engram_schema SET version = "+strconv.Itoa(i+1)+"; "+grants(string(script))+"COMMIT; BEGIN"); err != nil {
			return fmt.Errorf("migration %s: %w", filepath.Base(step), err)
		}
	}
	return nil
}

// grants lets the role, where there is one, use the tables that a step made. It runs before the transaction ends.
func grants(script string) string {
	var tables []string
	for line := range strings.Lines(script) {
		if rest, made := strings.CutPrefix(line, "CREATE TABLE "); made {
			tables = append(tables, strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(rest), "(")))
		}
	}
	if len(tables) == 0 {
		return ""
	}
	return `DO $do$ BEGIN IF EXISTS (SELECT 1 FROM pg_roles WHERE rolname = '` + storeRole + `') THEN
		GRANT SELECT, INSERT, UPDATE, DELETE ON ` + strings.Join(tables, ", ") + ` TO ` + storeRole + `; END IF; END $do$; `
}

// makeRole makes the role of stores, which is of the whole server. Without the right to do so the store goes on
// without it.
func makeRole(ctx context.Context, c *conn.Tx) error {
	_, err := c.Simple(ctx, "SAVEPOINT role; CREATE ROLE "+storeRole+" NOLOGIN; COMMIT; BEGIN")
	switch conn.Code(err) {
	case "":
		if err != nil {
			return fmt.Errorf("make role %s: %w", storeRole, err)
		}
	case "42710", "23505", "42501": // it exists, another one makes it now, or we may not
	default:
		return fmt.Errorf("make role %s: %w", storeRole, err)
	}
	if _, err := c.Simple(ctx, "ROLLBACK; BEGIN"); err != nil {
		return err
	}
	// The one who makes a role is not always a member of it, and only members may take it on.
	_, err = c.Simple(ctx, "GRANT "+storeRole+" TO CURRENT_USER; COMMIT; BEGIN")
	if err != nil {
		_, err = c.Simple(ctx, "ROLLBACK; BEGIN")
	}
	return err
}

// roleOf returns Server.Role.
func roleOf(ctx context.Context, c *conn.Tx) (bool, error) {
	rows, err := c.Simple(ctx, `SELECT coalesce((SELECT pg_has_role(current_user, oid, 'MEMBER') AND has_table_privilege(oid, 'heads', 'SELECT')
		FROM pg_roles WHERE rolname = '`+storeRole+`'), false)`)
	return err == nil && rows[0][0] == "t", err
}
