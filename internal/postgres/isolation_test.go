package postgres_test

import (
	"fmt"
	"net/url"
	"reflect"
	"strings"
	"sync"
	"testing"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/postgres"
	"github.com/alanbuscaglia/engram/internal/postgrestest"
	"github.com/alanbuscaglia/engram/internal/storetest"
)

// TestIsolationOfOwner is TestIsolation by row-level security alone for a user who owns the tables and may not make
// roles: where there is no role to take on, forced policies hold.
func TestIsolationOfOwner(t *testing.T) {
	server := postgrestest.Start(t)
	database := server.Fresh(t)
	u, err := url.Parse(database)
	if err != nil {
		t.Fatal(err)
	}
	name := strings.TrimPrefix(u.Path, "/")
	owner := "owner_of_" + name
	server.SQL(t, database, "CREATE ROLE "+owner+" LOGIN; ALTER DATABASE "+name+" OWNER TO "+owner+"; ALTER SCHEMA public OWNER TO "+owner)
	t.Cleanup(func() { server.SQL(t, server.URL(), "DROP DATABASE "+name+" WITH (FORCE); DROP ROLE "+owner) })
	u.User = url.User(owner)
	isolated(t, server, database, true, true, func(o *postgres.Options) { o.URL = u.String() })
}

// TestIsolation calls every method in a space with what another one has, in an empty space and in one with the same
// names and numbers, by both walls and by row-level security alone, all as superuser: nothing of the other is seen
// or changed.
func TestIsolation(t *testing.T) {
	server := postgrestest.Start(t)
	for _, loose := range []bool{false, true} {
		for _, full := range []bool{false, true} {
			t.Run(fmt.Sprintf("row-level security alone %v, with the same names %v", loose, full), func(t *testing.T) {
				database := server.Fresh(t)
				isolated(t, server, database, loose, full, func(o *postgres.Options) { o.URL = database })
			})
		}
	}
}

// isolated calls every method in a space of a database, which another one shares.
func isolated(t *testing.T, server *postgrestest.Server, database string, loose, full bool, as func(*postgres.Options)) {
	t.Helper()
	other, own := postgrestest.Space(), postgrestest.Space()
	with := func(o *postgres.Options) { o.Loose = loose }
	theirs, ours := open(t, server, other, as, with), open(t, server, own, as, with)
	if err := theirs.Update(t.Context(), func(tx engram.Tx) error { return storetest.Fill(t.Context(), tx, storetest.Mark) }); err != nil {
		t.Fatalf("fill the other space: %v", err)
	}
	if full {
		if err := ours.Update(t.Context(), func(tx engram.Tx) error { return storetest.Fill(t.Context(), tx, "ours") }); err != nil {
			t.Fatalf("fill the own space: %v", err)
		}
	}
	before := contents(t, server, database, other)
	n := storetest.Methods(func(name string, of func(engram.Tx) reflect.Value) { callAll(t, ours, name, of) })
	if after := contents(t, server, database, other); after != before {
		t.Errorf("the other space was\n%s\nand is\n%s", before, after)
	}
	t.Logf("%d methods", n)
}

// TestPooler lets two spaces work at once behind a pooler of transactions that has few connections for many: no
// setting of one is left to the other.
func TestPooler(t *testing.T) {
	server := postgrestest.Start(t)
	database := server.Fresh(t)
	through := func(o *postgres.Options) { o.URL = server.Pooler(t, database) }
	other, own := postgrestest.Space(), postgrestest.Space()
	theirs, ours := open(t, server, other, through), open(t, server, own, through)
	if err := theirs.Update(t.Context(), func(tx engram.Tx) error { return storetest.Fill(t.Context(), tx, storetest.Mark) }); err != nil {
		t.Fatalf("fill the other space: %v", err)
	}
	before := contents(t, server, database, other)
	const writers, each = 8, 10
	var wg sync.WaitGroup
	for range writers {
		wg.Go(func() {
			for range each {
				err := ours.Update(t.Context(), func(tx engram.Tx) error {
					n, err := tx.Fact(t.Context(), "n")
					if err != nil {
						return err
					}
					return tx.PutFact(t.Context(), "n", n+"x")
				})
				errs := theirs.View(t.Context(), func(r engram.Reader) error {
					ms, err := r.List(t.Context(), engram.Filter{}, engram.Page{Limit: 9})
					if len(ms) != 2 {
						t.Errorf("the other space lists %d memories", len(ms))
					}
					return err
				})
				if err != nil || errs != nil {
					t.Errorf("write %v, read %v", err, errs)
				}
			}
		})
	}
	wg.Wait()
	storetest.Methods(func(name string, of func(engram.Tx) reflect.Value) { callAll(t, ours, name, of) })
	if after := contents(t, server, database, other); after != before {
		t.Errorf("the other space was\n%s\nand is\n%s", before, after)
	}
	if got := server.SQL(t, database, "SELECT length(value) FROM facts WHERE key = 'n' AND space = '"+own+"'"); got != fmt.Sprintln(writers*each) {
		t.Errorf("%d writes left %s", writers*each, got)
	}
}

// callAll calls one method with all its arguments, each in an Update of its own.
func callAll(t *testing.T, s engram.Store, name string, of func(engram.Tx) reflect.Value) {
	t.Helper()
	var seen []any
	var calls [][]reflect.Value
	for i := 0; calls == nil || i < len(calls); i++ {
		err := s.Update(t.Context(), func(tx engram.Tx) error {
			method := of(tx)
			if calls == nil {
				calls = storetest.Arguments(t, name, method.Type(), &seen)
			}
			out := method.Call(append([]reflect.Value{reflect.ValueOf(t.Context())}, calls[i]...))
			err, _ := out[len(out)-1].Interface().(error)
			for _, v := range out[:len(out)-1] {
				if found, is := v.Interface().(engram.Lexical); is { // which repeats what was asked
					for i := range found.Words {
						found.Words[i].Term = engram.Term{}
					}
				}
				if printed := fmt.Sprintf("%+v", v.Interface()); err == nil && strings.Contains(printed, storetest.Mark) {
					t.Errorf("%s shows what another space has: %.300s", name, printed)
				}
			}
			return err
		})
		if engram.CodeOf(err) == engram.CodeInternal {
			t.Errorf("%s %v: %v", name, calls[i], err)
		}
	}
	if printed := fmt.Sprintf("%+v", seen); strings.Contains(printed, storetest.Mark) {
		t.Errorf("%s shows what another space has: %.300s", name, printed)
	}
}

// contents returns a digest of each table's part of a space.
func contents(t *testing.T, server *postgrestest.Server, database, space string) string {
	t.Helper()
	tables := strings.Fields(server.SQL(t, database, `SELECT relname FROM pg_class WHERE relkind = 'r' AND relrowsecurity ORDER BY 1`))
	var all []string
	for _, table := range tables {
		all = append(all, fmt.Sprintf(`SELECT '%s', count(*), md5(coalesce(string_agg(t::text, ',' ORDER BY t::text COLLATE "C"), '')) FROM %[1]s t WHERE space = '%s'`, table, space))
	}
	return server.SQL(t, database, strings.Join(all, ";\n"))
}
