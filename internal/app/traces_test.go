package app_test

import (
	"compress/gzip"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/app"
	"github.com/alanbuscaglia/engram/internal/config"
	"github.com/alanbuscaglia/engram/internal/sqlite"
)

// put writes a file, and the folders that it lies in.
func put(t *testing.T, path, text string) string {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// packed is text as it stands in a chunk.
func packed(t *testing.T, text string) string {
	t.Helper()
	var b strings.Builder
	z := gzip.NewWriter(&b)
	if _, err := z.Write([]byte(text)); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// What cannot be read is reported, and does not prevent the search in what follows.
func TestAnEraseTellsWhoHoldsTheTextAndWhatCouldNotBeRead(t *testing.T) {
	t.Parallel()
	for name, erase := range map[string]func(*app.App, engram.Memory) ([]engram.Trace, []string, error){
		"a memory": func(a *app.App, m engram.Memory) ([]engram.Trace, []string, error) {
			d, err := a.Engine.Delete(t.Context(), true, engram.ByNum(m.Num))
			return d.HeldBy, d.Degraded, err
		},
		"a project": func(a *app.App, m engram.Memory) ([]engram.Trace, []string, error) {
			d, err := a.Engine.DeleteProject(t.Context(), m.Project, true)
			return d.HeldBy, d.Degraded, err
		},
	} {
		t.Run(name, func(t *testing.T) {
			dir, root, work := t.TempDir(), t.TempDir(), t.TempDir()
			a := app.New(app.Options{Config: config.Config{DataDir: dir, DBPath: filepath.Join(dir, "engram.db"), Timezone: time.UTC},
				Actor: "test", Version: "1", Dir: filepath.Join(work, "below")})
			t.Cleanup(func() { _ = a.Close() })
			m := save(t, a, "something")
			s, err := sqlite.Open(t.Context(), sqlite.Options{Path: filepath.Join(dir, "engram.db"), Now: time.Now})
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { _ = s.Close() })
			err = s.Update(t.Context(), func(tx engram.Tx) error {
				p, _, err := tx.Project(t.Context(), m.Project)
				p.Root = root
				if err != nil {
					return err
				}
				return tx.PutProject(t.Context(), p)
			})
			if err != nil {
				t.Fatal(err)
			}
			unread := []string{put(t, filepath.Join(dir, "backups", "a.db"), "damaged"), put(t, filepath.Join(root, ".engram", "chunks"), "no folder")}
			chunks := filepath.Join(work, ".engram", "chunks")
			unread = append(unread, put(t, filepath.Join(chunks, "a.jsonl.gz"), "damaged"))
			held := put(t, filepath.Join(chunks, "b.jsonl.gz"), packed(t, `{"sync_id":"`+m.SyncID+`"}`))
			traces, degraded, err := erase(a, m)
			if err != nil {
				t.Fatal(err)
			}
			if got, want := fmt.Sprint(traces), fmt.Sprint([]engram.Trace{{Kind: engram.TraceChunk, Where: held}}); got != want {
				t.Errorf("held by\n got %s\nwant %s", got, want)
			}
			var want []string
			for _, path := range unread {
				want = append(want, "cannot read "+path+": it may still contain the text")
			}
			if got, want := strings.Join(degraded, "\n"), strings.Join(want, "\n"); got != want {
				t.Errorf("degraded\n got %s\nwant %s", got, want)
			}
		})
	}
}
