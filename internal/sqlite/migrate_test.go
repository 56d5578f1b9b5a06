package sqlite_test

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/fstest"
	"time"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/sqlite"
	"github.com/alanbuscaglia/engram/internal/sqlite/file"
	"github.com/alanbuscaglia/engram/internal/waittest"
)

// steps returns the embedded migrations followed by these scripts.
func steps(scripts ...string) (fs.FS, error) {
	files := fstest.MapFS{}
	released, err := filepath.Glob("migration/*.sql")
	if err != nil {
		return nil, err
	}
	for _, name := range released {
		b, err := os.ReadFile(name)
		if err != nil {
			return nil, err
		}
		files[name] = &fstest.MapFile{Data: b}
	}
	for i, s := range scripts {
		files[fmt.Sprintf("migration/%04d_next.sql", len(released)+1+i)] = &fstest.MapFile{Data: []byte(s)}
	}
	return files, nil
}

func migrate(t *testing.T, s *sqlite.Store, now func() time.Time, scripts ...string) error {
	t.Helper()
	files, err := steps(scripts...)
	if err != nil {
		t.Fatal(err)
	}
	return s.Migrate(t.Context(), file.Schema{Steps: files}, now)
}

const addLabels = `CREATE TABLE labels (memory INTEGER PRIMARY KEY, label TEXT NOT NULL);
	INSERT INTO labels SELECT num, title FROM memories;`

func TestAMigrationKeepsEverythingAndABackup(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "engram.db")
	furnished(t, path, 40)
	s := open(t, path)
	if err := migrate(t, s, now, addLabels); err != nil {
		t.Fatalf("migrate: %v", err)
	}
	if err := migrate(t, s, now, addLabels); err != nil {
		t.Errorf("migrate again: %v", err)
	}
	closed(t, s)
	if got := count(t, path, "SELECT count(*) FROM labels"); got != 40 {
		t.Errorf("labels: got %d, want 40", got)
	}
	if err := opened(t, path); engram.CodeOf(err) != engram.CodeConflict {
		t.Errorf("a program that does not know the new schema: got %v, want a conflict", err)
	}

	kept := backups(t, dir)
	if len(kept) != 1 || !strings.HasPrefix(filepath.Base(kept[0]), fmt.Sprintf("engram-schema%d-20260612T090000.000-", sqlite.Newest)) {
		t.Fatalf("backups: got %v, want one of the newest schema and its time", kept)
	}
	info, err := os.Stat(kept[0])
	if err != nil || info.Mode() != 0o600 {
		t.Errorf("backup: mode %v, %v, want 0600", info.Mode(), err)
	}
	if info, err := os.Stat(filepath.Dir(kept[0])); err != nil || info.Mode() != fs.ModeDir|0o700 {
		t.Errorf("folder of backups: mode %v, %v, want 0700", info.Mode(), err)
	}
}

func backups(t *testing.T, dir string) []string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "backups", "*"))
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// count queries the file at path on its own connection.
func count(t *testing.T, path, query string) (n int) {
	t.Helper()
	if err := ask(path, query, &n); err != nil {
		t.Fatalf("%s: %v", query, err)
	}
	return n
}

func TestARestoredBackupIsAStore(t *testing.T) {
	dir := t.TempDir()
	furnished(t, filepath.Join(dir, "engram.db"), 40)
	s := open(t, filepath.Join(dir, "engram.db"))
	if err := migrate(t, s, now, addLabels); err != nil {
		t.Fatalf("migrate: %v", err)
	}
	closed(t, s)
	path := filepath.Join(t.TempDir(), "engram.db")
	write(t, path, read(t, backups(t, dir)[0]))
	s = open(t, path)
	defer s.Close()
	view(t, s, func(r engram.Reader) error {
		ms, err := r.List(t.Context(), engram.Filter{}, engram.Page{Limit: 100})
		if len(ms) != 40 {
			t.Errorf("memories: got %d, want 40", len(ms))
		}
		return err
	})
	update(t, s, func(engram.Tx) error {
		var mode string
		if err := ask(path, "PRAGMA journal_mode", &mode); err != nil || mode != "wal" {
			t.Errorf("journal mode: got %q, %v, want wal: reads would wait for writes", mode, err)
		}
		return nil
	})
}

func TestThreeBackupsAreKept(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "engram.db")
	s := open(t, path)
	defer s.Close()
	mine := filepath.Join(dir, "backups", "my own copy.db")
	var scripts []string
	for i := range 5 {
		scripts = append(scripts, fmt.Sprintf("CREATE TABLE t%d (x)", i))
		if err := migrate(t, s, func() time.Time { return now().Add(time.Duration(i) * time.Hour) }, scripts...); err != nil {
			t.Fatalf("migrate: %v", err)
		}
		if i == 0 {
			write(t, mine, []byte("kept by hand"))
		}
	}
	var kept []string
	for _, f := range backups(t, dir) {
		kept = append(kept, strings.SplitN(filepath.Base(f), "-2026", 2)[0])
	}
	want := []string{"my own copy.db"}
	for i := range 3 { // the last of the five
		want = slices.Insert(want, i, fmt.Sprintf("engram-schema%d", sqlite.Newest+2+i))
	}
	if !slices.Equal(kept, want) {
		t.Errorf("backups: got %v, want %v", kept, want)
	}
}

func TestAMigrationThatFailsChangesNothing(t *testing.T) {
	path := filepath.Join(t.TempDir(), "engram.db")
	furnished(t, path, 10)
	s := open(t, path)
	err := migrate(t, s, now, addLabels+"DROP TABLE memories; INSERT INTO no_such_table VALUES (1);")
	if err == nil || !strings.Contains(err.Error(), fmt.Sprintf("migration %04d_next.sql", sqlite.Newest+1)) {
		t.Errorf("got %v, want an error that names the step", err)
	}
	closed(t, s)
	if n := count(t, path, "SELECT count(*) FROM memories"); n != 10 {
		t.Errorf("memories: got %d, want 10", n)
	}
	if v := count(t, path, "PRAGMA user_version"); v != sqlite.Newest {
		t.Errorf("schema: got %d, want %d", v, sqlite.Newest)
	}
	if n := count(t, path, "SELECT count(*) FROM sqlite_schema WHERE name = 'labels'"); n != 0 {
		t.Error("half of the step is there")
	}
	if err := opened(t, path); err != nil {
		t.Errorf("open: %v", err)
	}
}

// addMuch writes for seconds, far more than the page cache holds.
const addMuch = addLabels + `CREATE TABLE much (n INTEGER PRIMARY KEY, x BLOB);
	INSERT INTO much WITH RECURSIVE c (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c LIMIT 300000) SELECT n, randomblob(1000) FROM c;`

// childMigrate opens the store at args[0], waits for a line, and migrates it by the
// script args[1].
func childMigrate(args []string) error {
	s, err := childStore(args[0])
	if err != nil {
		return err
	}
	defer s.Close()
	files, err := steps(args[1])
	if err != nil {
		return err
	}
	if err := childReady(); err != nil {
		return err
	}
	return s.Migrate(context.Background(), file.Schema{Steps: files}, now)
}

func TestAMigrationKilledHalfWayChangesNothing(t *testing.T) {
	for round := range 3 {
		path := filepath.Join(t.TempDir(), "engram.db")
		furnished(t, path, 10)
		c := start(t, "migrate", path, addMuch)
		release(t, c)
		waittest.Until(t, "the migration wrote that much to the log", func() bool {
			info, err := os.Stat(path + "-wal")
			return err == nil && info.Size() > int64(1+round*4)<<20
		})
		if err := c.cmd.Process.Kill(); err != nil {
			t.Fatalf("kill: %v", err)
		}
		if err := c.wait(); err == nil {
			t.Fatal("the migration was done before it was killed")
		}
		if err := opened(t, path); err != nil {
			t.Errorf("round %d: open: %v", round, err)
		}
		if n := count(t, path, "SELECT count(*) FROM memories"); n != 10 {
			t.Errorf("round %d: memories: got %d, want 10", round, n)
		}
		s := open(t, path)
		if err := migrate(t, s, now, addLabels); err != nil {
			t.Errorf("round %d: migrate after all: %v", round, err)
		}
		closed(t, s)
		checkIntegrity(t, path)
	}
}

func TestProcessesMigrateAtOnce(t *testing.T) {
	for range 5 {
		dir := t.TempDir()
		path := filepath.Join(dir, "engram.db")
		furnished(t, path, 20)
		children := make([]*child, 4)
		for i := range children {
			children[i] = start(t, "migrate", path, addLabels)
		}
		release(t, children...)
		var wg sync.WaitGroup
		for _, c := range children {
			wg.Go(func() {
				if out, err := c.rest(); err != nil {
					t.Errorf("migrate: %v %s", err, out)
				}
			})
		}
		wg.Wait()
		if n := count(t, path, "SELECT count(*) FROM labels"); n != 20 {
			t.Errorf("labels: got %d, want 20", n)
		}
		kept := backups(t, dir)
		if len(kept) != 1 {
			t.Fatalf("backups: got %v, want one", kept)
		}
		if v := count(t, kept[0], "PRAGMA user_version"); v != sqlite.Newest {
			t.Errorf("schema of the backup: got %d, want %d", v, sqlite.Newest)
		}
	}
}

// What is new comes to the right edge of an index that runs upwards, where SQLite fills pages to the end. At the left edge
// it moves the rows of three pages at every third insert, and leaves them half empty.
func TestNoIndexRunsDownwards(t *testing.T) {
	path := filepath.Join(t.TempDir(), "engram.db")
	closed(t, open(t, path))
	var names string
	if err := ask(path, "SELECT coalesce(group_concat(name), '') FROM sqlite_schema WHERE type = 'index' AND sql LIKE '% DESC%'", &names); err != nil {
		t.Fatal(err)
	}
	if names != "" {
		t.Errorf("indexes that run downwards: %s", names)
	}
}
