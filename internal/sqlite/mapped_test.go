package sqlite_test

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"testing"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/sqlite"
	"github.com/alanbuscaglia/engram/internal/storetest"
)

func mapped(o *sqlite.Options) { o.Mapped = true }

func single(o *sqlite.Options) { o.Single = true }

// A command has the file mapped while a server writes to it, checkpoints its log all the time and lets
// the file grow.
func TestAMappedFileShowsOneSnapshotDuringWrites(t *testing.T) {
	path := filepath.Join(t.TempDir(), "engram.db")
	server, command := open(t, path), open(t, path, mapped)
	defer server.Close()
	defer command.Close()
	c := storetest.NewCorpus(1)
	makeProjects(t, server, c)
	read := func(r engram.Reader) (texts string) {
		ms, err := r.List(t.Context(), engram.Filter{}, engram.Page{Limit: 2000})
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range ms {
			texts += fmt.Sprintln(m.ID, m.Content)
		}
		return texts
	}
	before := ""
	for round := range 8 {
		view(t, command, func(r engram.Reader) error {
			first := read(r)
			if round > 0 && first == before {
				t.Errorf("round %d: what was saved meanwhile is not there", round)
			}
			saveLong(t, server, c, 60, func() {})
			if again := read(r); again != first {
				t.Errorf("round %d: the snapshot changed from %d bytes to %d while it was read", round, len(first), len(again))
			}
			before = first
			return nil
		})
		saveLong(t, server, c, 20, func() {}) // without readers, the log is written into the file
	}
	view(t, server, func(r engram.Reader) error { before = read(r); return nil })
	view(t, command, func(r engram.Reader) error {
		if got := read(r); got != before {
			t.Errorf("mapped, the file has %d bytes of texts; read, %d", len(got), len(before))
		}
		return nil
	})
}

// A statement of a short-lived process is not watched while it runs, but its rows end with the context.
func TestRowsEndWithTheContext(t *testing.T) {
	for name, change := range map[string]func(*sqlite.Options){"mapped": mapped, "read": func(*sqlite.Options) {}} {
		t.Run(name, func(t *testing.T) {
			s := open(t, filepath.Join(t.TempDir(), "engram.db"), change)
			defer s.Close()
			c := storetest.NewCorpus(1)
			makeProjects(t, s, c)
			saveLong(t, s, c, 20, func() {})
			ctx, end := context.WithCancel(t.Context())
			defer end()
			rows := 0
			err := s.View(ctx, func(r engram.Reader) error {
				return r.Outlines(ctx, engram.Filter{}, 0, func(engram.Memory) bool {
					if rows++; rows == 3 {
						end()
					}
					return true
				})
			})
			if !errors.Is(err, context.Canceled) || rows != 3 {
				t.Errorf("got %d rows and %v, want 3 and that it was cancelled", rows, err)
			}
		})
	}
}
