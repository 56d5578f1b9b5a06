package postgres_test

import (
	"bytes"
	"errors"
	"io"
	"net"
	"net/url"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/postgres"
	"github.com/alanbuscaglia/engram/internal/postgrestest"
	"github.com/alanbuscaglia/engram/internal/storetest"
)

// opened opens a space of a database and returns the error.
func opened(t *testing.T, url string) error {
	t.Helper()
	s, err := postgres.Open(t.Context(), postgres.Options{URL: url, Space: postgrestest.Space()})
	if err == nil {
		_ = s.Close()
	}
	return err
}

func TestOpenRefuses(t *testing.T) {
	server := postgrestest.Start(t)
	fresh := func(then string) string {
		database := server.Fresh(t)
		server.SQL(t, database, then)
		return database
	}
	latin := server.Fresh(t)
	name := latin[strings.LastIndex(latin, "/")+1 : strings.IndexByte(latin, '?')]
	server.SQL(t, server.URL(), "DROP DATABASE "+name+"; CREATE DATABASE "+name+" ENCODING 'LATIN1' LOCALE 'C' TEMPLATE template0")
	// A server that says it is another: its own functions come last on the path.
	old := fresh(`CREATE SCHEMA old; CREATE FUNCTION old.current_setting(text) RETURNS text LANGUAGE sql
		AS $$ SELECT CASE WHEN $1 = 'server_version_num' THEN '140012' ELSE pg_catalog.current_setting($1) END $$`) + "&search_path=old,public,pg_catalog"
	guest := fresh("CREATE ROLE engram_guest LOGIN")
	t.Cleanup(func() { server.SQL(t, server.URL(), "DROP ROLE engram_guest") })
	silent, err := net.Listen("tcp", "127.0.0.1:0") // the system accepts, and nothing answers
	if err != nil {
		t.Fatal(err)
	}
	defer silent.Close()
	for _, tt := range []struct {
		name, url string
		code      engram.Code
		says      string
	}{
		{"an older server", old, engram.CodeUnavailable, "Postgres 14"},
		{"a user who may make no tables", strings.Replace(guest, "engram@", "engram_guest@", 1), engram.CodeForbidden, "may not do that"},
		{"no URL", "", engram.CodeInvalid, "address"},
		{"a path", "/var/lib/engram.db", engram.CodeInvalid, "address"},
		{"a broken URL", "postgres://u:hunter2@host:notaport/db", engram.CodeInvalid, "address"},
		{"a server that is away", "postgres://u:hunter2@127.0.0.1:1/db?sslmode=disable&connect_timeout=2", engram.CodeUnavailable, "cannot be reached"},
		{"a server that does not answer", "postgres://u:hunter2@" + silent.Addr().String() + "/db?sslmode=disable&connect_timeout=1", engram.CodeUnavailable, "cannot be reached"},
		{"a database that does not exist", strings.Replace(server.URL(), postgrestest.Database, "elsewhere", 1), engram.CodeUnavailable, "let this user in"},
		{"another encoding", latin, engram.CodeInvalid, "encoding LATIN1"},
		{"a schema that is newer by two steps", fresh("CREATE TABLE engram_schema (id bigint, version bigint); INSERT INTO engram_schema VALUES (1, 3)"), engram.CodeConflict, "newer Engram"},
		{"a read-only database without a schema", readOnly(t, server, server.Fresh(t)), engram.CodeUnavailable, "read-only"},
		{"tables of another program", fresh("CREATE TABLE memories (id int)"), engram.CodeInvalid, "another program"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			err := opened(t, tt.url)
			if engram.CodeOf(err) != tt.code || !strings.Contains(err.Error(), tt.says) || engram.HintOf(err) == "" {
				t.Errorf("got %q, %v, hint %q; want %q, %q", engram.CodeOf(err), err, engram.HintOf(err), tt.code, tt.says)
			}
			if err != nil && strings.Contains(err.Error()+engram.HintOf(err), "hunter2") {
				t.Errorf("the error tells the password: %v", err)
			}
		})
	}
}

// TestCollation opens a database that orders texts by the rules of a language: the store orders them by their bytes.
func TestCollation(t *testing.T) {
	server := postgrestest.Start(t)
	database := server.Fresh(t)
	name := database[strings.LastIndex(database, "/")+1 : strings.IndexByte(database, '?')]
	server.SQL(t, server.URL(), "DROP DATABASE "+name+"; CREATE DATABASE "+name+" ENCODING 'UTF8' LOCALE_PROVIDER icu ICU_LOCALE 'en-US' LOCALE 'C' TEMPLATE template0")
	if got := server.SQL(t, database, "SELECT 'a' < 'B'"); got != "t\n" {
		t.Fatalf("the database does not order by a language: %s", got)
	}
	s := open(t, server, postgrestest.Space(), func(o *postgres.Options) { o.URL = database })
	var names []string
	err := s.Update(t.Context(), func(tx engram.Tx) error {
		for _, name := range []string{"a", "B", "é", "Z", "b"} {
			if err := tx.PutProject(t.Context(), engram.Project{Name: name}); err != nil {
				return err
			}
		}
		all, err := tx.Projects(t.Context(), false)
		for _, p := range all {
			names = append(names, p.Name)
		}
		return err
	})
	if got := strings.Join(names, " "); err != nil || got != "B Z a b é" {
		t.Errorf("got %s, %v", got, err)
	}
}

func readOnly(t *testing.T, server *postgrestest.Server, database string) string {
	t.Helper()
	name := database[strings.LastIndex(database, "/")+1 : strings.IndexByte(database, '?')]
	server.SQL(t, server.URL(), "ALTER DATABASE "+name+" SET default_transaction_read_only = on")
	return database
}

// TestOpenAtOnce opens a database without tables from many stores at once, half of them in one space.
func TestOpenAtOnce(t *testing.T) {
	server := postgrestest.Start(t)
	database, shared := server.Fresh(t), postgrestest.Space()
	var wg sync.WaitGroup
	errs := make([]error, 12)
	for i := range errs {
		wg.Go(func() {
			space := shared
			if i%2 == 0 {
				space = postgrestest.Space()
			}
			s, err := postgres.Open(t.Context(), postgres.Options{URL: database, Space: space})
			if err == nil {
				err = errors.Join(s.Update(t.Context(), func(tx engram.Tx) error { return tx.PutFact(t.Context(), "k", "v") }), s.Close())
			}
			errs[i] = err
		})
	}
	wg.Wait()
	if err := errors.Join(errs...); err != nil {
		t.Error(err)
	}
}

// TestKilled ends the server's side of a write at each of its round trips: the caller hears of it, nothing is
// half-done, and the store goes on.
func TestKilled(t *testing.T) {
	server := postgrestest.Start(t)
	database := server.Fresh(t)
	var trip, killAt atomic.Int64
	s := open(t, server, postgrestest.Space(), func(o *postgres.Options) {
		o.URL = database
		o.Sent = func([]string) {
			if killAt.Load() > 0 && trip.Add(1) == killAt.Load() {
				server.SQL(t, server.URL(), "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'engram' AND datname = '"+
					database[strings.LastIndex(database, "/")+1:strings.IndexByte(database, '?')]+"'")
			}
		}
	})
	ctx := t.Context()
	for at := int64(1); ; at++ {
		trip.Store(0)
		killAt.Store(at)
		err := s.Update(ctx, func(tx engram.Tx) error { return storetest.Fill(ctx, tx, "text") })
		reached := trip.Load() >= at
		killAt.Store(0)
		if !reached {
			if err != nil {
				t.Errorf("a write that was not killed: %v", err)
			}
			if at < 5 {
				t.Errorf("a write has %d round trips", at-1)
			}
			break
		}
		if engram.CodeOf(err) != engram.CodeUnavailable || engram.HintOf(err) == "" {
			t.Errorf("killed at round trip %d: %q, %v", at, engram.CodeOf(err), err)
		}
		if n := live(t, s); n != 0 {
			t.Fatalf("killed at round trip %d: %d memories", at, n)
		}
	}
	if n := live(t, s); n != 2 {
		t.Errorf("%d memories at last", n)
	}
}

// TestKilledMigration ends the server's side of the first opening of a database at each of its round trips: the next
// one goes on from there.
func TestKilledMigration(t *testing.T) {
	server := postgrestest.Start(t)
	database := server.Fresh(t)
	name := database[strings.LastIndex(database, "/")+1 : strings.IndexByte(database, '?')]
	for at := 1; ; at++ {
		trip := 0
		s, err := postgres.Open(t.Context(), postgres.Options{URL: database, Space: postgrestest.Space(), Sent: func([]string) {
			if trip++; trip == at {
				server.SQL(t, server.URL(), "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'engram' AND datname = '"+name+"'")
			}
		}})
		if err == nil {
			_ = s.Close()
		}
		if trip < at {
			if err != nil || at < 6 {
				t.Errorf("opened after %d kills: %v", at-1, err)
			}
			break
		}
		if err != nil && engram.CodeOf(err) != engram.CodeUnavailable {
			t.Errorf("killed at round trip %d: %q, %v", at, engram.CodeOf(err), err)
		}
	}
	if err := opened(t, database); err != nil {
		t.Error(err)
	}
}

func live(t *testing.T, s engram.Store) (n int) {
	t.Helper()
	// A connection that was killed while idle is noticed at its next use.
	var err error
	for range 20 {
		if err = s.View(t.Context(), func(r engram.Reader) (err error) { n, err = r.Count(t.Context(), engram.Filter{}); return err }); err == nil {
			return n
		}
	}
	t.Fatal(err)
	return 0
}

// TestAnswerLost cuts the connection after the server has got a COMMIT and before the store hears of it: the store
// does not claim to know.
func TestAnswerLost(t *testing.T) {
	server := postgrestest.Start(t)
	u, err := url.Parse(server.URL())
	if err != nil {
		t.Fatal(err)
	}
	var cut atomic.Bool
	folder := t.TempDir()
	listener, err := net.Listen("unix", filepath.Join(folder, ".s.PGSQL.5432"))
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	go func() {
		for {
			near, err := listener.Accept()
			if err != nil {
				return
			}
			far, err := net.Dial("unix", filepath.Join(u.Query().Get("host"), ".s.PGSQL.5432"))
			if err != nil {
				near.Close()
				return
			}
			go func() { _, _ = io.Copy(far, near); far.Close() }()
			go func() {
				defer near.Close()
				buffer := make([]byte, 1<<16)
				for {
					n, err := far.Read(buffer)
					if cut.Load() && bytes.Contains(buffer[:n], []byte("COMMIT\x00")) || err != nil {
						return
					}
					_, _ = near.Write(buffer[:n])
				}
			}()
		}
	}()
	space := postgrestest.Space()
	s := open(t, server, space, func(o *postgres.Options) {
		o.URL = strings.Replace(server.URL(), url.QueryEscape(u.Query().Get("host")), url.QueryEscape(folder), 1)
	})
	put := func(value string) error {
		return s.Update(t.Context(), func(tx engram.Tx) error { return tx.PutFact(t.Context(), "k", value) })
	}
	if err := put("first"); err != nil {
		t.Fatal(err)
	}
	cut.Store(true)
	err = put("second")
	cut.Store(false)
	if engram.CodeOf(err) != engram.CodeUnavailable || !strings.Contains(err.Error(), "may have been saved") {
		t.Errorf("got %q, %v", engram.CodeOf(err), err)
	}
	var value string
	if err := open(t, server, space).View(t.Context(), func(r engram.Reader) (err error) { value, err = r.Fact(t.Context(), "k"); return err }); err != nil || value != "second" {
		t.Errorf("what was committed is %q, %v", value, err)
	}
}

// TestImpatience gives up on the lock of a space after its timeout or the server's, and not on another space's.
func TestImpatience(t *testing.T) {
	server := postgrestest.Start(t)
	space := postgrestest.Space()
	s, other := open(t, server, space), open(t, server, postgrestest.Space())
	ctx := engram.WithLockTimeout(t.Context(), time.Millisecond)
	put := func(tx engram.Tx) error { return tx.PutFact(ctx, "k", "v") }
	hasty := open(t, server, space, func(o *postgres.Options) { o.URL += "&statement_timeout=50" })
	err := s.Update(t.Context(), func(engram.Tx) error {
		if err := s.Update(ctx, put); engram.CodeOf(err) != engram.CodeUnavailable || !strings.Contains(err.Error(), "busy") {
			t.Errorf("a locked space: %v", err)
		}
		if err := hasty.Update(t.Context(), put); engram.CodeOf(err) != engram.CodeUnavailable || !strings.Contains(err.Error(), "too long") {
			t.Errorf("a locked space and a server that gives up: %v", err)
		}
		return other.Update(ctx, put)
	})
	if err != nil {
		t.Errorf("another space: %v", err)
	}
	if err := s.Update(ctx, put); err != nil {
		t.Errorf("afterwards: %v", err)
	}
}

// TestUnstorable writes texts that Postgres cannot hold: they are invalid, and the transaction goes on.
func TestUnstorable(t *testing.T) {
	s := open(t, postgrestest.Start(t), postgrestest.Space())
	err := s.Update(t.Context(), func(tx engram.Tx) error {
		for _, text := range []string{"a\x00b", "a\xffb"} {
			if err := tx.PutFact(t.Context(), "k", text); engram.CodeOf(err) != engram.CodeInvalid {
				t.Errorf("%q: %v", text, err)
			}
			if v, err := tx.Fact(t.Context(), text); v != "" || err != nil {
				t.Errorf("%q is %q, %v", text, v, err)
			}
		}
		return tx.PutFact(t.Context(), "k", "v")
	})
	if err != nil {
		t.Error(err)
	}
}
