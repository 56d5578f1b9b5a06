package sqlite_test

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/sqlite"
	"github.com/alanbuscaglia/engram/internal/storetest"
)

// opened opens and closes path and returns the error.
func opened(t *testing.T, path string) error {
	t.Helper()
	s, err := sqlite.Open(t.Context(), sqlite.Options{Path: path, Now: now})
	if err == nil {
		closed(t, s)
	}
	return err
}

// foreign runs statements in a file as another program would.
func foreign(t *testing.T, path string, statements ...string) {
	t.Helper()
	db, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	for _, s := range statements {
		if _, err := db.Exec(s); err != nil {
			t.Fatalf("%s: %v", s, err)
		}
	}
}

// ask reads one value from the file at path on its own connection.
func ask(path, query string, into any) error {
	db, err := sql.Open("sqlite", path)
	if err != nil {
		return err
	}
	return errors.Join(db.QueryRow(query).Scan(into), db.Close())
}

// checkIntegrity fails the test unless the file is sound, its indexes included.
func checkIntegrity(t *testing.T, path string) {
	t.Helper()
	var verdict string
	if err := ask(path, "PRAGMA integrity_check", &verdict); err != nil || verdict != "ok" {
		t.Errorf("integrity check: %s, %v", verdict, err)
	}
	var row any
	if err := ask(path, "PRAGMA foreign_key_check", &row); !errors.Is(err, sql.ErrNoRows) {
		t.Errorf("foreign key check: %v, %v", row, err)
	}
	foreign(t, path, "INSERT INTO prompts_fts (prompts_fts) VALUES ('integrity-check')")
	checkIndex(t, path)
	for _, query := range []string{
		"SELECT count(*) FROM (SELECT project, type, count(*) AS n FROM memories WHERE deleted_at IS NULL GROUP BY 1, 2) AS m WHERE n <> (SELECT live FROM tallies t WHERE t.project = m.project AND t.type = m.type)",
		"SELECT count(*) FROM sessions s WHERE live <> (SELECT count(*) FROM memories WHERE session = s.num AND deleted_at IS NULL)",
	} {
		if n := count(t, path, query); n != 0 {
			t.Errorf("%d rows of: %s", n, query)
		}
	}
}

// checkIndex fails the test unless the index has exactly the words of the live memories.
func checkIndex(t *testing.T, path string) {
	t.Helper()
	if err := sqlite.CheckIndex(t.Context(), path); err != nil {
		t.Errorf("index: %v", err)
	}
}

func write(t *testing.T, path string, content []byte) {
	t.Helper()
	if err := os.WriteFile(path, content, 0o600); err != nil {
		t.Fatal(err)
	}
}

func read(t *testing.T, path string) []byte {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// furnished creates a store with n memories and closes it, so that everything is in one file.
func furnished(t *testing.T, path string, n int) {
	t.Helper()
	s := open(t, path)
	saveCorpus(t, s, storetest.NewCorpus(1), n, nil)
	closed(t, s)
}

func TestAForeignFileIsRejectedAndNotChanged(t *testing.T) {
	for _, tt := range []struct {
		name string
		make func(t *testing.T, path string)
		code engram.Code
		says string
	}{
		{"a text", func(t *testing.T, path string) { write(t, path, []byte(strings.Repeat("Dear diary, ", 1000))) },
			engram.CodeInvalid, "not a database"},
		{"a short text", func(t *testing.T, path string) { write(t, path, []byte("hello")) },
			engram.CodeInvalid, "not a database"},
		{"random bytes behind a true header", func(t *testing.T, path string) {
			write(t, path, append([]byte("SQLite format 3\x00"), bytes.Repeat([]byte{0xa7}, 8000)...))
		}, engram.CodeInvalid, "not a database"},
		{"a database of another program", func(t *testing.T, path string) {
			foreign(t, path, "CREATE TABLE notes (x)", "INSERT INTO notes VALUES (1)")
		},
			engram.CodeInvalid, "another program"},
		{"a database of another program that says who it is", func(t *testing.T, path string) {
			foreign(t, path, "PRAGMA application_id = 252006673", "PRAGMA user_version = 1", "CREATE TABLE notes (x)")
		}, engram.CodeInvalid, "another program"},
		{"one that a newer Engram wrote", func(t *testing.T, path string) {
			furnished(t, path, 3)
			foreign(t, path, "PRAGMA user_version = 999")
		}, engram.CodeConflict, "newer Engram"},
		{"one that has lost its first page", func(t *testing.T, path string) {
			furnished(t, path, 50)
			b := read(t, path)
			clear(b[:4096])
			write(t, path, b)
		}, engram.CodeInvalid, "not a database"},
		{"one whose table of contents is damaged", func(t *testing.T, path string) {
			furnished(t, path, 50)
			b := read(t, path)
			for i := range b[100:4096] {
				b[100+i] = 0xee
			}
			write(t, path, b)
		}, engram.CodeInternal, "damaged"},
		{"one that is cut off", func(t *testing.T, path string) {
			furnished(t, path, 50)
			write(t, path, read(t, path)[:5000])
		}, engram.CodeInternal, "damaged"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			dir := t.TempDir()
			path := filepath.Join(dir, "engram.db")
			tt.make(t, path)
			before := read(t, path)
			err := opened(t, path)
			if engram.CodeOf(err) != tt.code || !strings.Contains(err.Error(), tt.says) {
				t.Errorf("error: got %q, %v\nwant %q with %q", engram.CodeOf(err), err, tt.code, tt.says)
			}
			if engram.HintOf(err) == "" {
				t.Errorf("no hint with: %v", err)
			}
			if !bytes.Equal(read(t, path), before) {
				t.Error("the file has changed")
			}
			if _, err := os.Stat(filepath.Join(dir, "backups")); err == nil {
				t.Error("a backup was made")
			}
		})
	}
}

func TestADamagedPageIsReportedAndTheFileNotChanged(t *testing.T) {
	path := filepath.Join(t.TempDir(), "engram.db")
	furnished(t, path, 200)
	b := read(t, path)
	for page := 10; (page+1)*4096 <= len(b); page++ {
		clear(b[page*4096 : (page+1)*4096])
	}
	write(t, path, b)
	s, err := sqlite.Open(t.Context(), sqlite.Options{Path: path, Now: now})
	if err == nil {
		err = s.View(t.Context(), func(r engram.Reader) error {
			_, err := r.List(t.Context(), engram.Filter{}, engram.Page{Limit: 1000})
			return err
		})
		closed(t, s)
	}
	if engram.CodeOf(err) != engram.CodeInternal || !strings.Contains(err.Error(), "damaged") || !strings.Contains(engram.HintOf(err), "backup") {
		t.Errorf("got %q, %v, hint %q\nwant internal, damaged, with a hint about backups", engram.CodeOf(err), err, engram.HintOf(err))
	}
	if !bytes.Equal(read(t, path), b) {
		t.Error("the file has changed")
	}
}

func TestAnImpossiblePathIsUnavailable(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "file")
	write(t, file, nil)
	for _, tt := range []struct{ name, path string }{
		{"a folder in place of the file", dir},
		{"below a file", filepath.Join(file, "engram.db")},
		{"a folder below a file", filepath.Join(file, "data", "engram.db")},
		{"a name that is too long", filepath.Join(dir, strings.Repeat("x", 300))},
	} {
		t.Run(tt.name, func(t *testing.T) {
			err := opened(t, tt.path)
			if engram.CodeOf(err) != engram.CodeUnavailable || engram.HintOf(err) == "" || !strings.Contains(err.Error(), tt.path) {
				t.Errorf("got %q, %v, hint %q\nwant unavailable, the path and a hint", engram.CodeOf(err), err, engram.HintOf(err))
			}
		})
	}
	if got := read(t, file); len(got) > 0 {
		t.Errorf("the file in the way has changed: %q", got)
	}
}

func TestAnEmptyFileIsANewStore(t *testing.T) {
	path := filepath.Join(t.TempDir(), "engram.db")
	write(t, path, nil)
	furnished(t, path, 3)
}

func TestAPathMayHoldAnything(t *testing.T) {
	for _, name := range []string{"with space", "percent%41", "question?mode=ro", "hash#tag", "quote\"'", "ünï🫖", "semi;colon&and=", "new\nline"} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), name, name+".db")
			furnished(t, path, 1)
			if _, err := os.Stat(path); err != nil {
				t.Errorf("the store is elsewhere: %v", err)
			}
		})
	}
}

func TestARelativePathStaysWhereItWas(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	s := open(t, "engram.db")
	defer s.Close()
	t.Chdir(t.TempDir())
	// The first write connection opens the file now, in another folder.
	saveCorpus(t, s, storetest.NewCorpus(1), 1, nil)
	if _, err := os.Stat(filepath.Join(dir, "engram.db-wal")); err != nil {
		t.Errorf("the log is elsewhere: %v", err)
	}
}

func TestAStoreIsReopened(t *testing.T) {
	path := filepath.Join(t.TempDir(), "engram.db")
	s := open(t, path)
	want := saveCorpus(t, s, storetest.NewCorpus(1), 20, nil)
	closed(t, s)
	s = open(t, path)
	defer s.Close()
	view(t, s, func(r engram.Reader) error {
		for _, m := range want {
			got, err := r.Memory(context.Background(), engram.ByNum(m.Num))
			if err != nil {
				return err
			}
			if got.ID != m.ID || got.Content != m.Content {
				t.Errorf("#%d: got %s %.40q, want %s %.40q", m.Num, got.ID, got.Content, m.ID, m.Content)
			}
		}
		return nil
	})
}
