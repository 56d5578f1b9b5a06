package postgres_test

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/postgres"
	"github.com/alanbuscaglia/engram/internal/postgrestest"
	"github.com/alanbuscaglia/engram/internal/storetest"
)

// TestSchema reads the rules of the schema from the catalogue: each query selects what breaks one.
func TestSchema(t *testing.T) {
	server := postgrestest.Start(t)
	open(t, server, postgrestest.Space())
	const ours = `c.relnamespace = current_schema()::regnamespace AND c.relname <> 'engram_schema'`
	for _, rule := range []struct{ name, breaks string }{
		{"the space is the first column of every table", `SELECT c.relname FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum = 1
			WHERE c.relkind = 'r' AND a.attname <> 'space' AND ` + ours},
		{"the space is the first column of every index", `SELECT i.indexrelid::regclass FROM pg_index i JOIN pg_class c ON c.oid = i.indrelid WHERE i.indkey[0] <> 1 AND ` + ours},
		{"every table has a primary key", `SELECT c.relname FROM pg_class c WHERE c.relkind = 'r' AND NOT EXISTS (SELECT 1 FROM pg_index WHERE indrelid = c.oid AND indisprimary) AND ` + ours},
		{"the space is the first column of every foreign key, on both sides", `SELECT conname FROM pg_constraint f JOIN pg_class c ON c.oid = f.conrelid
			WHERE f.contype = 'f' AND (f.conkey[1] <> 1 OR f.confkey[1] <> 1) AND ` + ours},
		{"no index is on an expression that row-level security keeps from being looked up", `SELECT i.indexrelid::regclass FROM pg_index i JOIN pg_class c ON c.oid = i.indrelid
			WHERE i.indexprs IS NOT NULL AND pg_get_expr(i.indexprs, i.indrelid) <> 'md5(batches)' AND ` + ours},
		{"row-level security is on and forced", `SELECT c.relname FROM pg_class c WHERE c.relkind = 'r' AND NOT (c.relrowsecurity AND c.relforcerowsecurity) AND ` + ours},
		{"every table has the one policy, for all commands", `SELECT c.relname FROM pg_class c LEFT JOIN pg_policy p ON p.polrelid = c.oid WHERE c.relkind = 'r' AND ` + ours + `
			GROUP BY c.relname HAVING count(p.*) <> 1 OR bool_or(p.polcmd <> '*')`},
		{"texts are ordered by their bytes", `SELECT c.relname, a.attname FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid
			WHERE c.relkind = 'r' AND a.atttypid = 'text'::regtype AND a.attcollation <> '"C"'::regcollation AND ` + ours},
		{"columns are of plain types", `SELECT c.relname, a.attname, a.atttypid::regtype FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid WHERE c.relkind = 'r' AND a.attnum > 0
			AND a.atttypid NOT IN ('uuid'::regtype, 'text'::regtype, 'bigint'::regtype, 'smallint'::regtype, 'float8'::regtype, 'boolean'::regtype, 'bytea'::regtype) AND ` + ours},
		{"there are neither sequences nor views", `SELECT c.relname FROM pg_class c WHERE c.relkind NOT IN ('r', 'i') AND ` + ours},
		{"there are no triggers but those of foreign keys", `SELECT g.tgname FROM pg_trigger g JOIN pg_class c ON c.oid = g.tgrelid WHERE NOT g.tgisinternal AND ` + ours},
		{"there are no functions", `SELECT proname FROM pg_proc WHERE pronamespace = current_schema()::regnamespace`},
		{"the role of stores may touch every table of theirs", `SELECT c.relname FROM pg_class c WHERE c.relkind = 'r' AND NOT has_table_privilege('engram_store', c.oid, 'SELECT, INSERT, UPDATE, DELETE') AND ` + ours},
		{"and no other", `SELECT 'engram_schema' WHERE has_table_privilege('engram_store', 'engram_schema', 'SELECT')`},
	} {
		if got := server.SQL(t, server.URL(), rule.breaks); got != "" {
			t.Errorf("%s, but not: %s", rule.name, got)
		}
	}
	if got := server.SQL(t, server.URL(), `SELECT count(*) > 30 FROM pg_policy`); got != "t\n" {
		t.Error("the catalogue has no tables of ours")
	}
}

// TestLookups reads plans made under row-level security: what must be found by an index of its own is.
func TestLookups(t *testing.T) {
	server := postgrestest.Start(t)
	database := server.Fresh(t)
	space := postgrestest.Space()
	var sent []string
	s := open(t, server, space, func(o *postgres.Options) {
		o.URL, o.Sent = database, func(all []string) { sent = append(sent, all...) }
	})
	if err := s.Update(t.Context(), func(tx engram.Tx) error { return storetest.Fill(t.Context(), tx, "ours") }); err != nil {
		t.Fatal(err)
	}
	server.SQL(t, database, `INSERT INTO memories SELECT (jsonb_populate_record(m, jsonb_build_object('num', 1000 * n + m.num, 'id', n || m.id, 'sync_id', n || m.sync_id,
		'topic_key', NULL, 'hash_head', n, 'title_head', n))).* FROM memories m, generate_series(1, 1000) AS n;
		INSERT INTO relations SELECT (jsonb_populate_record(r, jsonb_build_object('num', 1000 * n + r.num, 'id', n || r.id, 'source', n, 'target', n))).* FROM relations r, generate_series(1, 1000) AS n;
		ANALYZE`)
	for index, read := range map[string]func(ctx context.Context, r engram.Reader) error{
		"memories_hash": func(ctx context.Context, r engram.Reader) error {
			_, err := r.List(ctx, engram.Filter{Project: "app", Hash: "00", Since: storetest.Day()}, engram.Page{Limit: 2})
			return err
		},
		"memories_title": func(ctx context.Context, r engram.Reader) error {
			_, err := r.List(ctx, engram.Filter{Project: "app", Title: "title"}, engram.Page{Limit: 2})
			return err
		},
		"relations_source": func(ctx context.Context, r engram.Reader) error {
			_, err := r.Relations(ctx, engram.RelationFilter{Of: []int64{1}, Verbs: []engram.Verb{engram.VerbSupersedes}, Most: 2}, engram.Page{})
			return err
		},
	} {
		sent = nil
		if err := s.View(t.Context(), func(r engram.Reader) error { return read(t.Context(), r) }); err != nil {
			t.Fatal(err)
		}
		text := sent[slices.IndexFunc(sent, func(text string) bool {
			return strings.Contains(text, "$1::uuid") && !strings.Contains(text, "FROM heads")
		})]
		args := "'" + space + "'" + strings.Repeat(",NULL", parameters(text)-1)
		plan := server.SQL(t, database, "SET plan_cache_mode = force_generic_plan; SET engram.space = '"+space+"'; SET ROLE engram_store; PREPARE p AS "+text+"; EXPLAIN EXECUTE p("+args+")")
		if !strings.Contains(plan, index+" ") {
			t.Errorf("%s\nis not found by %s:\n%s", text, index, plan)
		}
	}
}
