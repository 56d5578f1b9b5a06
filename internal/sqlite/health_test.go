package sqlite_test

import (
	"context"
	"database/sql"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/health"
	"github.com/alanbuscaglia/engram/internal/sqlite"
	"github.com/alanbuscaglia/engram/internal/storetest"
)

// stranger returns a connection of another program.
func stranger(t *testing.T, path string) *sql.Conn {
	t.Helper()
	db, err := sql.Open("sqlite", "file:"+path+"?_pragma=busy_timeout(5000)&_pragma=wal_autocheckpoint(0)")
	if err != nil {
		t.Fatal(err)
	}
	c, err := db.Conn(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close(); _ = db.Close() })
	return c
}

func run(t *testing.T, c *sql.Conn, statement string) {
	t.Helper()
	if _, err := c.ExecContext(context.WithoutCancel(t.Context()), statement); err != nil {
		t.Fatalf("%s: %v", statement, err)
	}
}

func TestProbeReportsALock(t *testing.T) {
	path := filepath.Join(t.TempDir(), "engram.db")
	s := open(t, path)
	saveCorpus(t, s, storetest.NewCorpus(1), 3, nil)
	if l := s.Probe(t.Context()); l.Err != nil || l.Locked || l.Busy || l.Mode != "wal" || l.Frames != l.Moved || l.Frames == 0 {
		t.Errorf("alone: got %+v, want a log that was moved whole", l)
	}
	other := stranger(t, path)
	run(t, other, "BEGIN IMMEDIATE")
	if l := s.Probe(t.Context()); l.Err != nil || !l.Locked {
		t.Errorf("beside a writer that rests: got %+v, want the lock told", l)
	}
	run(t, other, "ROLLBACK")
	if l := s.Probe(t.Context()); l.Err != nil || l.Locked {
		t.Errorf("when it left: got %+v, want the lock free", l)
	}
	if err := s.Update(t.Context(), func(engram.Tx) error { return nil }); err != nil {
		t.Errorf("a write afterwards: %v; want that the probe left no transaction behind", err)
	}
}

func TestALogKeptByAReaderIsReportedAndEmptied(t *testing.T) {
	path := filepath.Join(t.TempDir(), "engram.db")
	s := open(t, path)
	saveCorpus(t, s, storetest.NewCorpus(1), 3, nil)
	reader, writer := stranger(t, path), stranger(t, path)
	run(t, reader, "BEGIN")
	var n int
	if err := reader.QueryRowContext(t.Context(), "SELECT count(*) FROM memories").Scan(&n); err != nil || n != 3 {
		t.Fatalf("the reader: got %d, %v", n, err)
	}
	run(t, writer, "INSERT INTO meta (key, value) VALUES ('big', hex(randomblob(36000000)))")
	l := s.Probe(t.Context())
	if c := health.Judge(health.LogCheckpoint, health.Facts{Log: l}, health.DefaultPolicy()); c.Reason != "wal_too_long" || l.Moved >= l.Frames {
		t.Errorf("beside a reader: got %s (%+v), want a log that is too long", c.Reason, l)
	}
	if done, err := s.Shorten(t.Context()); done || err != nil {
		t.Errorf("beside a reader: got %v, %v; want that it is in the way", done, err)
	}
	run(t, reader, "COMMIT")
	if done, err := s.Shorten(t.Context()); !done || err != nil {
		t.Errorf("without it: got %v, %v; want done", done, err)
	}
	if l := s.Probe(t.Context()); l.Bytes != 0 || l.Err != nil {
		t.Errorf("afterwards: got %+v, want an empty log", l)
	}
}

func TestVersionsThatWriteAreNoted(t *testing.T) {
	path := filepath.Join(t.TempDir(), "engram.db")
	now := time.Date(2026, 6, 12, 9, 0, 0, 0, time.UTC)
	writes := func(version string, n int) {
		t.Helper()
		s := open(t, path, func(o *sqlite.Options) { o.Version, o.Now = version, func() time.Time { return now } })
		defer s.Close()
		for range n {
			if err := s.Update(t.Context(), func(engram.Tx) error { return nil }); err != nil {
				t.Fatal(err)
			}
		}
	}
	seen := func() string {
		t.Helper()
		f, err := sqlite.Examine(t.Context(), path, health.Query{Checks: []health.ID{health.BinaryVersions}, Now: now})
		if err != nil || f.Programs.Err != nil {
			t.Fatalf("examine: %v, %v", err, f.Programs.Err)
		}
		var all []string
		for _, p := range f.Programs.List {
			all = append(all, fmt.Sprintf("%s %s-%s", p.Version, p.First.Format("02T15"), p.Last.Format("02T15")))
		}
		return strings.Join(all, ", ")
	}
	for _, step := range []struct {
		version string
		hours   int
		want    string
	}{
		{"", 0, ""},
		{"1.0", 1, "1.0 12T10-12T10"},
		{"1.0", 2, "1.0 12T10-12T10"}, // nothing to write within a day
		{"1.0", 24, "1.0 12T10-13T12"},
		{"2.0", 1, "1.0 12T10-13T12, 2.0 13T13-13T13"},
		{"1.0", 1, "1.0 12T10-13T14, 2.0 13T13-13T13"}, // a version that returns is recorded at once
		{"2.0", 24 * 100, "2.0 13T13-21T14"},           // and one that stays away is dropped
	} {
		now = now.Add(time.Duration(step.hours) * time.Hour)
		writes(step.version, 3)
		if got := seen(); got != step.want {
			t.Errorf("after version %q at %s: got %s, want %s", step.version, now, got, step.want)
		}
	}
}

func TestBackupsBeforeRepairsAreWholeAndFew(t *testing.T) {
	dir := t.TempDir()
	s := open(t, filepath.Join(dir, "engram.db"))
	saveCorpus(t, s, storetest.NewCorpus(1), 5, nil)
	backups := filepath.Join(dir, "backups")
	if err := os.MkdirAll(backups, 0o700); err != nil {
		t.Fatal(err)
	}
	own := filepath.Join(backups, "engram-before-the-holidays.db")
	if err := os.WriteFile(own, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	now := time.Date(2026, 6, 12, 9, 0, 0, 0, time.UTC)
	var made []string
	for i := range 5 {
		if i != 3 { // the fourth is made in the same second as the third
			now = now.Add(time.Minute)
		}
		file, err := s.Backup(t.Context(), "doctor", func() time.Time { return now })
		if err != nil {
			t.Fatal(err)
		}
		made = append(made, file)
	}
	if want := filepath.Join(backups, "engram-20260612T090100-doctor.db"); made[0] != want {
		t.Errorf("name: got %s, want %s", made[0], want)
	}
	for i, file := range made {
		info, err := os.Stat(file)
		if kept := err == nil; kept != (i >= 2) {
			t.Errorf("backup %d, %s: kept is %v, want the newest three kept", i, file, kept)
		} else if kept && info.Mode().Perm() != 0o600 {
			t.Errorf("mode of %s: got %v, want 0600", file, info.Mode())
		}
	}
	if _, err := os.Stat(own); err != nil {
		t.Errorf("somebody's own copy: %v, want it left", err)
	}
	restored := open(t, made[4])
	if err := restored.View(t.Context(), func(r engram.Reader) error {
		st, err := r.Stats(t.Context(), "")
		if err == nil && st.Memories != 5 {
			t.Errorf("the copy has %d memories, want 5", st.Memories)
		}
		return err
	}); err != nil {
		t.Fatal(err)
	}
}

func TestExamineChangesNothing(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "engram.db")
	s := open(t, path)
	saveCorpus(t, s, storetest.NewCorpus(1), 3, nil)
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	before, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	f, err := sqlite.Examine(t.Context(), path, health.Query{Checks: health.IDs(), Now: time.Now(), Most: 3, Model: engram.Model{Name: "m", Fingerprint: "m"}})
	if err != nil || f.Err != nil || f.Index.Live != 3 || f.Vectors.Missing.Count != 3 {
		t.Errorf("got %+v, %v; want three memories without vectors", f, err)
	}
	after, err := os.ReadFile(path)
	if err != nil || string(after) != string(before) {
		t.Errorf("the file was changed (%v)", err)
	}
	if f, err := sqlite.Examine(t.Context(), filepath.Join(dir, "none.db"), health.Query{}); err != nil || !f.Missing {
		t.Errorf("a file that is not there: got %+v, %v; want missing", f, err)
	}
}
