package app_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"github.com/alanbuscaglia/engram/internal/app"
	"github.com/alanbuscaglia/engram/internal/config"
	"github.com/alanbuscaglia/engram/internal/engine/consolidate"
	"github.com/alanbuscaglia/engram/internal/engine/projects"
	"github.com/alanbuscaglia/engram/internal/engine/remember"
	"github.com/alanbuscaglia/engram/internal/health"
)

// filled makes a database of some pages in dir and returns its bytes.
func filled(t *testing.T, dir, word string) (path string, whole []byte) {
	t.Helper()
	path = filepath.Join(dir, "engram.db")
	a := app.New(app.Options{Config: config.Config{DataDir: dir, DBPath: path}, Version: "1.0", Dir: dir})
	for i := range 150 {
		if _, err := a.Engine.Save(t.Context(), remember.SaveInput{Project: "shop", Title: fmt.Sprintf("%s %d", word, i), Content: fmt.Sprintf("What we know of %s number %d.", word, i)}); err != nil {
			t.Fatal(err)
		}
	}
	if err := a.Close(); err != nil {
		t.Fatal(err)
	}
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return path, whole
}

// examined is the report of a program of its own on the database at path, for one
// project by name as well as for all.
func examined(t *testing.T, path string) health.Report {
	t.Helper()
	a := app.New(app.Options{Config: config.Config{DataDir: filepath.Dir(path), DBPath: path}, Version: "1.0", Dir: filepath.Dir(path)})
	defer func() {
		if err := a.Close(); err != nil {
			t.Errorf("close: %v", err)
		}
	}()
	if _, err := a.Engine.Doctor(t.Context(), consolidate.DoctorInput{Project: projects.ProjectRequest{Explicit: "shop"}}); err != nil {
		t.Errorf("for project shop: got %v, want a report", err)
	}
	r, err := a.Engine.Doctor(t.Context(), consolidate.DoctorInput{All: true, Full: true})
	if err != nil {
		t.Fatalf("got %v, want a report", err)
	}
	return r
}

func TestDoctorReportsSpoiledFilesAndLeavesThem(t *testing.T) {
	t.Parallel()
	_, whole := filled(t, t.TempDir(), "toaster")
	_, other := filled(t, t.TempDir(), "lantern")
	const page = 4096
	spoil := func(change func([]byte) []byte) []byte { return change(bytes.Clone(whole)) }
	for name, spoiled := range map[string][]byte{
		"the header is destroyed": spoil(func(b []byte) []byte { copy(b, make([]byte, 100)); return b }),
		"it is a text":            []byte("This is a letter to a friend, not a database.\n"),
		"the second half is gone": spoil(func(b []byte) []byte { return b[:len(b)/2/page*page] }),
		"a page is zeroed":        spoil(func(b []byte) []byte { clear(b[5*page : 6*page]); return b }),
		"pages are random bytes": spoil(func(b []byte) []byte {
			r := rand.NewChaCha8([32]byte{7})
			_, _ = r.Read(b[10*page : 20*page]) // never fails
			return b
		}),
		"half of it is another database": spoil(func(b []byte) []byte { return append(b[:len(b)/2/page*page], other[len(b)/2/page*page:]...) }),
		"it is empty but for its length": make([]byte, len(whole)),
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "engram.db")
			if err := os.WriteFile(path, spoiled, 0o600); err != nil {
				t.Fatal(err)
			}
			r := examined(t, path)
			if r.Status != health.Failed || r.Checks[0].Check != health.Integrity {
				t.Errorf("got %s, %+v; want the damage told", r.Status, r.Checks[0])
			}
			if now, err := os.ReadFile(path); err != nil || !bytes.Equal(now, spoiled) {
				t.Errorf("the file was changed (%v)", err)
			}
		})
	}
}

// A log beside a database that it does not belong to is taken for its own by SQLite,
// which checks the log against itself alone. It must not be moved into the database.
func TestDoctorLeavesADatabaseBesideAForeignLog(t *testing.T) {
	t.Parallel()
	path, whole := filled(t, t.TempDir(), "toaster")
	other, _ := filled(t, t.TempDir(), "lantern")
	writer := app.New(app.Options{Config: config.Config{DataDir: filepath.Dir(other), DBPath: other}, Dir: filepath.Dir(other)})
	defer writer.Close()
	for i := range 20 {
		if _, err := writer.Engine.Save(t.Context(), remember.SaveInput{Project: "till", Title: fmt.Sprint("More ", i), Content: fmt.Sprint("More of it: ", i)}); err != nil {
			t.Fatal(err)
		}
	}
	log, err := os.ReadFile(other + "-wal")
	if err != nil || len(log) == 0 {
		t.Fatalf("the other's log: %d bytes, %v", len(log), err)
	}
	if err := os.WriteFile(path+"-wal", log, 0o600); err != nil {
		t.Fatal(err)
	}
	if r := examined(t, path); r.Status != health.Failed {
		t.Errorf("got %s, %+v; want the damage told", r.Status, r.Checks[0])
	}
	if now, err := os.ReadFile(path); err != nil || !bytes.Equal(now, whole) {
		t.Errorf("the database was changed (%v)", err)
	}
}

// Whatever is spoiled, and wherever: there is an answer, and the file stays. In so small
// a database most bytes are room that nothing stands in yet, and spoiling it is no harm.
func TestDoctorAnswersWhateverIsSpoiled(t *testing.T) {
	t.Parallel()
	_, whole := filled(t, t.TempDir(), "toaster")
	r := rand.New(rand.NewPCG(1, 2))
	found := 0
	const rounds = 60
	for round := range rounds {
		spoiled := bytes.Clone(whole)
		at, n := 100+r.IntN(len(whole)-600), 1+r.IntN(500)
		for i := range n {
			spoiled[at+i] = byte(r.Uint32())
		}
		path := filepath.Join(t.TempDir(), "engram.db")
		if err := os.WriteFile(path, spoiled, 0o600); err != nil {
			t.Fatal(err)
		}
		if report := examined(t, path); report.Status == health.Failed {
			found++
		}
		if now, err := os.ReadFile(path); err != nil || !bytes.Equal(now, spoiled) {
			t.Errorf("round %d: %d bytes spoiled at %d: the file was changed (%v)", round, n, at, err)
		}
	}
	if found < rounds/4 {
		t.Errorf("%d of %d spoiled files were found, want a quarter at least", found, rounds)
	}
}

func TestDoctorMakesNoDatabase(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	a := app.New(app.Options{Config: config.Config{DataDir: dir, DBPath: filepath.Join(dir, "engram.db")}, Dir: dir})
	defer a.Close()
	if r, err := a.Engine.Doctor(t.Context(), consolidate.DoctorInput{All: true}); err != nil || r.Status != health.OK {
		t.Errorf("without a database: got %+v, %v; want nothing to complain of", r, err)
	}
	if files, err := os.ReadDir(dir); err != nil || len(files) != 0 {
		t.Errorf("got files %v, %v; want none", files, err)
	}
}
