package main_test

import (
	"bytes"
	"context"
	"database/sql"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

// earlier is a folder with a database of the mem_* program, with n numbered observations.
func earlier(t *testing.T, n int) (dir string) {
	t.Helper()
	dir = t.TempDir()
	db, err := sql.Open("sqlite", filepath.Join(dir, "engram.db"))
	if err != nil {
		t.Fatal(err)
	}
	db.SetMaxOpenConns(1)
	for _, s := range []string{
		`PRAGMA journal_mode = WAL`, `BEGIN`,
		`CREATE TABLE sessions (id TEXT PRIMARY KEY, project TEXT, directory TEXT, started_at TEXT, ended_at TEXT, summary TEXT)`,
		`CREATE TABLE observations (id INTEGER PRIMARY KEY AUTOINCREMENT, sync_id TEXT, session_id TEXT REFERENCES sessions(id), type TEXT, title TEXT, content TEXT, project TEXT,
			scope TEXT DEFAULT 'project', created_at TEXT, updated_at TEXT)`,
		`INSERT INTO sessions VALUES ('s1', 'shop', '/src/shop', '2026-01-02 03:04:05', NULL, NULL)`,
		fmt.Sprintf(`WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < %d)
			INSERT INTO observations (sync_id, session_id, type, title, content, project, created_at, updated_at)
			SELECT printf('obs-%%016x', i), 's1', 'decision', 'Title ' || i, 'Number ' || i || ' says ' || hex(randomblob(200)), 'shop', '2026-01-02 03:04:05', '2026-01-02 03:04:05' FROM n`, n),
		`COMMIT`,
	} {
		if _, err := db.Exec(s); err != nil {
			t.Fatalf("%s: %v", s, err)
		}
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	return dir
}

// one reads a number from a database.
func one(t *testing.T, path, query string) (n int) {
	t.Helper()
	db, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = db.Close() }()
	if err := db.QueryRow(query).Scan(&n); err != nil {
		t.Fatalf("%s of %s: %v", query, path, err)
	}
	return n
}

func engram(t *testing.T, dir string, args ...string) (out string, err error) {
	t.Helper()
	var said bytes.Buffer
	cmd := exec.CommandContext(t.Context(), "engram", append(args, "--data-dir", dir)...)
	cmd.Stdout, cmd.Stderr = &said, &said
	err = cmd.Run()
	return said.String(), err
}

// checkTakenOver fails the test unless everything was imported under its number and no temporary file
// remains.
func checkTakenOver(t *testing.T, dir string, n, copies int) {
	t.Helper()
	if out, err := engram(t, dir, "doctor", "--check", "database_integrity"); err != nil {
		t.Errorf("doctor: %v\n%s", err, out)
	}
	path := filepath.Join(dir, "engram.db")
	if got := one(t, path, `SELECT count(*) FROM memories WHERE title = 'Title ' || num AND content LIKE 'Number ' || num || ' says %'`); got != n {
		t.Errorf("%d memories are what they were, want %d", got, n)
	}
	found, err := filepath.Glob(filepath.Join(dir, "backups", "earlier-*"))
	if err != nil || len(found) != copies {
		t.Errorf("copies of the old one: %v, %v; want %d", found, err, copies)
	}
	for _, f := range found {
		if got := one(t, f, `SELECT count(*) FROM observations`); got != n {
			t.Errorf("the copy %s has %d observations, want %d", f, got, n)
		}
		if info, err := os.Stat(f); err != nil || info.Mode().Perm()&0o077 != 0 {
			t.Errorf("the copy %s: %v, %v; want it for its owner alone", f, info.Mode(), err)
		}
	}
	left, err := filepath.Glob(filepath.Join(dir, "engram.db.*"))
	if err != nil || len(left) > 0 {
		t.Errorf("left in the folder: %v, %v", left, err)
	}
}

// An upgrade killed at any moment leaves the old database intact, or is complete; the next one does the rest.
func TestATakeoverThatIsKilledBeginsAnew(t *testing.T) {
	t.Parallel()
	const n, rounds = 1500, 12
	dir := earlier(t, n)
	path := filepath.Join(dir, "engram.db")
	killed := 0
	for range rounds {
		ctx, cancel := context.WithTimeout(t.Context(), rand.N(500*time.Millisecond))
		_ = exec.CommandContext(ctx, "engram", "migrate", "--data-dir", dir).Run() // the file shows how it ended
		cancel()
		if one(t, path, `SELECT count(*) FROM sqlite_schema WHERE name = 'lineages'`) != 0 {
			break
		}
		killed++
		if got := one(t, path, `SELECT count(*) FROM observations`); got != n {
			t.Fatalf("after a kill the old database has %d observations, want %d", got, n)
		}
	}
	t.Logf("killed %d times", killed)
	if out, err := engram(t, dir, "migrate"); err != nil {
		t.Fatalf("migrate: %v\n%s", err, out)
	}
	copies, err := filepath.Glob(filepath.Join(dir, "backups", "earlier-*.db"))
	if err != nil || len(copies) == 0 {
		t.Fatalf("copies: %v, %v", copies, err)
	}
	checkTakenOver(t, dir, n, len(copies))
}

// If several processes upgrade the same database at once while others read, one does it and all succeed.
func TestTwoTakeTheSameDatabaseOver(t *testing.T) {
	t.Parallel()
	const n = 800
	dir := earlier(t, n)
	var all sync.WaitGroup
	for range 3 {
		all.Go(func() {
			if out, err := engram(t, dir, "migrate"); err != nil {
				t.Errorf("migrate: %v\n%s", err, out)
			}
		})
	}
	for range 2 {
		all.Go(func() {
			out, err := engram(t, dir, "get", "7")
			if err != nil && !strings.Contains(out, "take it over with engram migrate") {
				t.Errorf("get: %v\n%s", err, out)
			}
		})
	}
	all.Wait()
	checkTakenOver(t, dir, n, 1)
}

// While a program has the old database open, nothing is upgraded, because its writes would be lost;
// afterwards they are imported.
func TestADatabaseThatIsInUseIsNotTakenOver(t *testing.T) {
	t.Parallel()
	const n = 10
	dir := earlier(t, n)
	path := filepath.Join(dir, "engram.db")
	db, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	db.SetMaxOpenConns(1)
	insert := fmt.Sprintf(`INSERT INTO observations SELECT %d, 'obs-late', 's1', 'decision', 'Title %[1]d', 'Number %[1]d says late', 'shop', 'project', '2026-01-02 03:04:05', '2026-01-02 03:04:05'`, n+1)
	if _, err := db.Exec(insert); err != nil {
		t.Fatal(err)
	}
	out, err := engram(t, dir, "migrate")
	if err == nil || !strings.Contains(out, "another program has ") || !strings.Contains(out, "nothing has changed") {
		t.Errorf("migrate: %v\n%s\nwant it refused", err, out)
	}
	// The state after a crash: the row is only in the log.
	left := t.TempDir()
	for _, end := range []string{"", "-wal"} {
		b, err := os.ReadFile(path + end)
		if err == nil {
			err = os.WriteFile(filepath.Join(left, "engram.db"+end), b, 0o600)
		}
		if err != nil || len(b) == 0 {
			t.Fatalf("%d bytes of engram.db%s, %v", len(b), end, err)
		}
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	for _, dir := range []string{dir, left} {
		if out, err := engram(t, dir, "migrate"); err != nil {
			t.Fatalf("migrate: %v\n%s", err, out)
		}
		checkTakenOver(t, dir, n+1, 1)
	}
}
