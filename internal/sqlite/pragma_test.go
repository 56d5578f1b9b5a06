package sqlite

import (
	"fmt"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/sqlite/conn"
	"github.com/alanbuscaglia/engram/internal/sqlite/file"
)

func pragma(t *testing.T, c *conn.Conn, name string) string {
	t.Helper()
	var value any
	// A connection notices a change of the journal mode on its next read.
	if err := c.Scan(t.Context(), "SELECT count(*) FROM sqlite_schema", &value); err != nil {
		t.Fatal(err)
	}
	if err := c.Scan(t.Context(), "PRAGMA "+name, &value); err != nil {
		t.Fatalf("PRAGMA %s: %v", name, err)
	}
	return fmt.Sprint(value)
}

func TestThePragmasAreInForce(t *testing.T) {
	for name, o := range map[string]Options{"two connections": {}, "one that does both": {Single: true}} {
		t.Run(name, func(t *testing.T) {
			o.Path = filepath.Join(t.TempDir(), "engram.db")
			s, err := Open(t.Context(), o)
			if err != nil {
				t.Fatal(err)
			}
			defer s.Close()
			pragmasAreInForce(t, s, o.Single)
		})
	}
}

func pragmasAreInForce(t *testing.T, s *Store, single bool) {
	check := func(kind string, p *conn.Pool, want map[string]string) {
		c, err := p.Take(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		defer p.Give(c)
		for name, value := range want {
			if got := pragma(t, c, name); got != value {
				t.Errorf("%s connection: %s is %s, want %s", kind, name, got, value)
			}
		}
	}
	check("write", s.Writes, map[string]string{
		"journal_mode": "wal", "synchronous": "2", "foreign_keys": "1", "secure_delete": "1", "query_only": "0", "busy_timeout": "20",
		"application_id": fmt.Sprint(0x454e4752), "user_version": fmt.Sprint(Newest), "journal_size_limit": fmt.Sprint(4 << 20)})
	reads := map[string]string{"journal_mode": "wal", "query_only": "1", "busy_timeout": "2000"}
	if single { // it may have to write
		reads = map[string]string{"journal_mode": "wal", "synchronous": "2", "foreign_keys": "1", "secure_delete": "1", "busy_timeout": "2000"}
	}
	for range file.Readers { // all of them: taken connections are not given again
		check("read", s.Reads, reads)
		c, err := s.Reads.Take(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		defer s.Reads.Give(c)
	}
}

// Another connection reads the schema again, some milliseconds of every command.
func TestSequentialReadsOpenOneConnection(t *testing.T) {
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
	if n := s.Reads.Idle(); n != 1 {
		t.Errorf("ten reads, one after the other: got %d connections, want 1", n)
	}
}

// A shared connection is opened once and sees its own writes.
func TestAlternatingReadsAndWritesOpenOneConnection(t *testing.T) {
	s, err := Open(t.Context(), Options{Path: filepath.Join(t.TempDir(), "engram.db"), Single: true})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	at := time.Date(2026, 6, 12, 9, 0, 0, 0, time.UTC)
	for i := range 5 {
		name := fmt.Sprint("shop-", i)
		err := s.Update(t.Context(), func(tx engram.Tx) error {
			return tx.PutProject(t.Context(), engram.Project{Name: name, CreatedAt: at})
		})
		if err != nil {
			t.Fatal(err)
		}
		err = s.View(t.Context(), func(r engram.Reader) error {
			_, known, err := r.Project(t.Context(), name)
			if !known {
				t.Errorf("what was written in turn %d is not read", i)
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if all := s.Reads.Idle() + s.Writes.Idle(); all != 1 {
		t.Errorf("five writes and reads in turn: got %d connections, want 1", all)
	}
}

// A reader gets its own connection while another writes, and lent connections come back.
func TestAConnectionIsLentWhileThereAreNoReaders(t *testing.T) {
	s, err := Open(t.Context(), Options{Path: filepath.Join(t.TempDir(), "engram.db"), Single: true})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	nothing := func(engram.Tx) error { return nil }
	reading := func(engram.Reader) error { return s.Update(t.Context(), nothing) }
	if err := s.View(t.Context(), reading); err != nil {
		t.Fatal(err)
	}
	writing := func(engram.Tx) error { return s.View(t.Context(), func(engram.Reader) error { return nil }) }
	for range 2 * file.Readers {
		if err := s.Update(t.Context(), writing); err != nil {
			t.Fatal(err)
		}
	}
	if reads, writes := s.Reads.Idle(), s.Writes.Idle(); reads+writes != 2 {
		t.Errorf("one at a time beside another: got %d connections that read and %d that write, want two in all", reads, writes)
	}
}

func TestReadersMayMapTheFileAndWritersMayNot(t *testing.T) {
	s, err := Open(t.Context(), Options{Path: filepath.Join(t.TempDir(), "engram.db"), Mapped: true})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	for _, of := range []struct {
		kind string
		pool *conn.Pool
		want string
	}{
		{"read", s.Reads, map[bool]string{true: fmt.Sprint(256 << 20), false: "0"}[runtime.GOOS == "linux" || runtime.GOOS == "darwin"]},
		{"write", s.Writes, "0"},
		{"read, when it has written", s.Reads, map[bool]string{true: fmt.Sprint(256 << 20), false: "0"}[runtime.GOOS == "linux" || runtime.GOOS == "darwin"]},
	} {
		c, err := of.pool.Take(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if got := pragma(t, c, "mmap_size"); got != of.want {
			t.Errorf("%s connection: mmap_size is %s, want %s", of.kind, got, of.want)
		}
		of.pool.Give(c)
	}
}

// Older releases lose data when several processes checkpoint one log.
func TestSQLiteIsNewEnough(t *testing.T) {
	s, err := Open(t.Context(), Options{Path: filepath.Join(t.TempDir(), "engram.db")})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	c, err := s.Reads.Take(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer s.Reads.Give(c)
	var version string
	if err := c.Scan(t.Context(), "SELECT sqlite_version()", &version); err != nil {
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
