package postgres_test

import (
	"fmt"
	"maps"
	"os"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/postgres"
	"github.com/alanbuscaglia/engram/internal/postgrestest"
	"github.com/alanbuscaglia/engram/internal/storetest"
)

// TestPartitions runs every method on tables in eight partitions by space, and explains each statement that it sent:
// all but one partition are left out of each plan. What Postgres prunes here, a distributed database routes to one
// machine.
func TestPartitions(t *testing.T) {
	server := postgrestest.Start(t)
	database := server.Fresh(t)
	open(t, server, postgrestest.Space()) // the role of stores is of the whole server
	server.SQL(t, database, partitioned(t))
	var mu sync.Mutex
	sent := map[string]bool{}
	space := postgrestest.Space()
	s := open(t, server, space, func(o *postgres.Options) {
		o.URL = database
		o.Sent = func(all []string) {
			mu.Lock()
			defer mu.Unlock()
			for _, text := range all {
				sent[text] = strings.Contains(text, "$1::uuid")
			}
		}
	})
	if err := s.Update(t.Context(), func(tx engram.Tx) error { return storetest.Fill(t.Context(), tx, "ours") }); err != nil {
		t.Fatalf("fill: %v", err)
	}
	off := engram.Without(t.Context(), func(project string) bool { return project == "empty" })
	if err := s.View(off, func(r engram.Reader) error {
		_, err := r.List(off, engram.Filter{Current: true}, engram.Page{Limit: 3})
		return err
	}); err != nil {
		t.Fatalf("list without a project: %v", err)
	}
	storetest.Methods(func(name string, of func(engram.Tx) reflect.Value) { callAll(t, s, name, of) })

	sent["SELECT count(*) FROM memories WHERE num = $1"] = false // which the test must notice
	var script strings.Builder
	script.WriteString("SET plan_cache_mode = force_generic_plan; SET enable_seqscan = off;\n")
	texts := slices.Sorted(maps.Keys(sent))
	for i, text := range texts {
		if !sent[text] && !strings.HasPrefix(text, "SELECT count(*) FROM memories WHERE num") {
			continue // it begins or ends a transaction
		}
		args := make([]string, parameters(text))
		for n := range args {
			args[n] = "NULL"
		}
		if args[0] = "'" + space + "'"; !sent[text] {
			args[0] = "1"
		}
		fmt.Fprintf(&script, "SELECT 'statement %d';\nPREPARE s%[1]d AS %s;\nEXPLAIN EXECUTE s%[1]d(%[3]s);\n", i, text, strings.Join(args, ","))
	}
	explained, unpruned := 0, 0
	for _, plan := range strings.Split(server.SQL(t, database, script.String()), "statement ")[1:] {
		number, plan, _ := strings.Cut(plan, "\n")
		i, err := strconv.Atoi(number)
		if err != nil {
			t.Fatal(err)
		}
		explained++
		read := map[string]bool{}
		for _, scan := range regexp.MustCompile(`(?m)Scan.* on \w+_(p\d)\b`).FindAllStringSubmatch(plan, -1) {
			read[scan[1]] = true
		}
		switch {
		case !sent[texts[i]]:
			if unpruned++; len(read) != 8 {
				t.Errorf("the statement without a space reads %d partitions, not 8:\n%s", len(read), plan)
			}
		case len(read) > 1:
			t.Errorf("%s\nreads %d partitions:\n%s", texts[i], len(read), plan)
		}
	}
	if explained < 150 || unpruned != 1 {
		t.Errorf("explained %d statements, %d without a space", explained, unpruned)
	}
	t.Logf("%d statements", explained)
}

// parameters returns how many parameters a statement has.
func parameters(text string) (n int) {
	for _, p := range regexp.MustCompile(`\$(\d+)`).FindAllStringSubmatch(text, -1) {
		k, _ := strconv.Atoi(p[1]) // digits
		n = max(n, k)
	}
	return n
}

// partitioned returns the schema with each table in eight partitions.
func partitioned(t *testing.T) string {
	t.Helper()
	script, err := os.ReadFile("schema/migration/0001_store.sql")
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	b.WriteString("CREATE TABLE engram_schema (id bigint PRIMARY KEY, version bigint NOT NULL); INSERT INTO engram_schema VALUES (1, 1);\n")
	table := ""
	for line := range strings.Lines(string(script)) {
		if rest, begins := strings.CutPrefix(line, "CREATE TABLE "); begins {
			table, _, _ = strings.Cut(rest, " ")
		}
		if strings.HasPrefix(line, ")") {
			line = ") PARTITION BY HASH (space);\nGRANT SELECT, INSERT, UPDATE, DELETE ON " + table + " TO engram_store;\n"
			for n := range 8 {
				line += fmt.Sprintf("CREATE TABLE %s_p%d PARTITION OF %[1]s FOR VALUES WITH (MODULUS 8, REMAINDER %[2]d);\n", table, n)
			}
		}
		b.WriteString(strings.ReplaceAll(line, ", SET (toast_tuple_target = 8160)", "")) // which is of each partition alone
	}
	return b.String()
}
