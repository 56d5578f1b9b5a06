package sqlite

import (
	"fmt"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/alanbuscaglia/engram"
)

func pragma(t *testing.T, c *conn, name string) string {
	t.Helper()
	var value any
	// A connection learns of a change of the journal mode when it next reads.
	if err := c.sql.QueryRowContext(t.Context(), "SELECT count(*) FROM sqlite_schema").Scan(&value); err != nil {
		t.Fatal(err)
	}
	if err := c.sql.QueryRowContext(t.Context(), "PRAGMA "+name).Scan(&value); err != nil {
		t.Fatalf("PRAGMA %s: %v", name, err)
	}
	return fmt.Sprint(value)
}

func TestThePragmasAreInForce(t *testing.T) {
	s, err := Open(t.Context(), Options{Path: filepath.Join(t.TempDir(), "engram.db")})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	check := func(kind string, p *pool, want map[string]string) {
		c, err := p.take(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		defer p.give(c)
		for name, value := range want {
			if got := pragma(t, c, name); got != value {
				t.Errorf("%s connection: %s is %s, want %s", kind, name, got, value)
			}
		}
		if got := pragma(t, c, "busy_timeout"); got == "0" {
			t.Errorf("%s connection: no busy timeout", kind)
		}
	}
	check("write", s.writes, map[string]string{
		"journal_mode": "wal", "synchronous": "2", "foreign_keys": "1", "secure_delete": "1", "query_only": "0",
		"application_id": fmt.Sprint(applicationID), "user_version": "1", "journal_size_limit": fmt.Sprint(usualLog)})
	for range s.reads.size { // each of them: those that are taken are not given again
		check("read", s.reads, map[string]string{"journal_mode": "wal", "query_only": "1"})
		c, err := s.reads.take(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		defer s.reads.give(c)
	}
}

// A connection more is a schema read once more, some milliseconds of every command.
func TestWhoAsksOneThingAfterTheOtherOpensOneConnection(t *testing.T) {
	s, err := Open(t.Context(), Options{Path: filepath.Join(t.TempDir(), "engram.db")})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	for range 10 {
		if err := s.View(t.Context(), func(engram.Reader) error { return nil }); err != nil {
			t.Fatal(err)
		}
	}
	if n := len(s.reads.idle); n != 1 {
		t.Errorf("ten reads, one after the other: got %d connections, want 1", n)
	}
}

func TestWhoReadsMayMapTheFileAndWhoWritesNever(t *testing.T) {
	s, err := Open(t.Context(), Options{Path: filepath.Join(t.TempDir(), "engram.db"), Mapped: true})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	for _, of := range []struct {
		kind string
		pool *pool
		want string
	}{
		{"read", s.reads, map[bool]string{true: fmt.Sprint(mapped), false: "0"}[len(mapping()) > 0]},
		{"write", s.writes, "0"},
	} {
		c, err := of.pool.take(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if got := pragma(t, c, "mmap_size"); got != of.want {
			t.Errorf("%s connection: mmap_size is %s, want %s", of.kind, got, of.want)
		}
		of.pool.give(c)
	}
}

// Older releases lose data when several processes checkpoint one log.
func TestSQLiteIsNewEnough(t *testing.T) {
	s, err := Open(t.Context(), Options{Path: filepath.Join(t.TempDir(), "engram.db")})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	c, err := s.reads.take(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer s.reads.give(c)
	var version string
	if err := c.sql.QueryRowContext(t.Context(), "SELECT sqlite_version()").Scan(&version); err != nil {
		t.Fatal(err)
	}
	n := 0
	for _, part := range strings.Split(version, ".") {
		i, err := strconv.Atoi(part)
		if err != nil {
			t.Fatalf("version %q: %v", version, err)
		}
		n = n*1000 + i
	}
	const least = 3_053_002
	if n < least {
		t.Errorf("SQLite %s is older than 3.53.2", version)
	}
}
