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

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/postgres/conn"
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

// Prepare checks the server, brings the schema to that of this program, and returns the statement by which
// transactions take on the role of stores, "" where the server has no such role. Steps only add (expand); what is no
// longer used goes a release later. So a server serves a schema that is one step newer, too.
func Prepare(ctx context.Context, pool *conn.Pool, space string) (role string, err error) {
	steps, err := fs.Glob(migrations, "migration/*.sql")
	if err != nil {
		return "", err
	}
	c, server, err := pool.Begin(ctx, space, `BEGIN; SELECT current_setting('server_version_num'), current_setting('server_encoding'),
		pg_is_in_recovery() OR current_setting('transaction_read_only') = 'on', to_regclass('memories') IS NOT NULL, to_regclass('engram_schema') IS NOT NULL`)
	if err != nil {
		return "", err
	}
	defer c.Rollback()
	version, err := strconv.Atoi(server[0][0])
	switch {
	case err != nil:
		return "", err
	case version < oldestServer:
		return "", engram.Errorf(engram.CodeUnavailable, "this is Postgres %d, and %d is the oldest that works", version/10000, oldestServer/10000).WithHint("update the server")
	case server[0][1] != "UTF8":
		return "", engram.Errorf(engram.CodeInvalid, "the database has the encoding %s", server[0][1]).WithHint("make one with CREATE DATABASE … ENCODING 'UTF8' TEMPLATE template0")
	}
	done, readOnly := 0, server[0][2] == "t"
	// In this order: another store may be making them.
	tables, known := server[0][3] == "t", server[0][4] == "t"
	if known {
		if done, err = schemaVersion(ctx, c, ""); err != nil {
			return "", err
		}
	}
	switch {
	case tables && !known:
		return "", engram.Errorf(engram.CodeInvalid, "the database has tables of another program").
			WithHint("make a database of its own with CREATE DATABASE, or a schema and name it with ?search_path=; nothing was changed")
	case done > len(steps)+1:
		return "", engram.Errorf(engram.CodeConflict, "the database was written by a newer Engram (schema %d, this one knows %d)", done, len(steps)).
			WithHint("update this program; the database was not changed")
	case done < len(steps) && readOnly:
		return "", engram.Errorf(engram.CodeUnavailable, "the database is read-only, and its schema has to be made first").WithHint("connect to the primary once")
	case done < len(steps):
		if err := migrate(ctx, c, steps); err != nil {
			return "", err
		}
	}
	return chooseRole(ctx, c)
}

// schemaVersion reads the version of the schema; lock is "" or FOR UPDATE.
func schemaVersion(ctx context.Context, c *conn.Tx, lock string) (int, error) {
	rows, err := c.Simple(ctx, "SELECT version FROM engram_schema "+lock)
	if err != nil || len(rows) != 1 {
		return 0, conn.Doing(err, "read the version of the schema")
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

// chooseRole finds out whether transactions can take on the role.
func chooseRole(ctx context.Context, c *conn.Tx) (string, error) {
	rows, err := c.Simple(ctx, `SELECT coalesce((SELECT pg_has_role(current_user, oid, 'MEMBER') AND has_table_privilege(oid, 'heads', 'SELECT')
		FROM pg_roles WHERE rolname = '`+storeRole+`'), false)`)
	if err != nil || rows[0][0] != "t" {
		return "", err
	}
	return "SET LOCAL ROLE " + storeRole + "; ", nil
}
