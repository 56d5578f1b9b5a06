package tui_test

import (
	"context"
	"fmt"
	"path/filepath"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	uv "github.com/charmbracelet/ultraviolet"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/engine"
	"github.com/alanbuscaglia/engram/internal/enginetest"
	"github.com/alanbuscaglia/engram/internal/storetest"
	"github.com/alanbuscaglia/engram/internal/tui"
)

// filled returns an engine on a store of n memories, written past the engine.
func filled(b *testing.B, n int) *engine.Engine {
	b.Helper()
	path := filepath.Join(b.TempDir(), "engram.db")
	store, err := enginetest.OpenStore(path)
	if err != nil {
		b.Fatal(err)
	}
	ctx, c, now := context.Background(), storetest.NewCorpus(1), enginetest.Start().Add(-time.Duration(n)*time.Minute)
	err = store.Update(ctx, func(tx engram.Tx) error {
		for _, name := range c.Projects() {
			if err := tx.PutProject(ctx, engram.Project{Name: name, CreatedAt: now}); err != nil {
				return err
			}
		}
		return nil
	})
	for made := 0; made < n && err == nil; made += 1000 {
		err = store.Update(ctx, func(tx engram.Tx) error {
			for range min(1000, n-made) {
				now = now.Add(time.Minute)
				m := c.Memory(now)
				m.SessionID = ""
				if err := tx.InsertMemory(ctx, &m); err != nil {
					return err
				}
			}
			return nil
		})
	}
	if err == nil {
		err = store.Close()
	}
	if err != nil {
		b.Fatal(err)
	}
	e, _ := enginetest.Open(b, path)
	return e
}

// BenchmarkKeystroke is the time from a key to the frame that the terminal is given, in a terminal of 200×60: the update, the
// view, and its cells. What the key makes the program read is read meanwhile, outside of the measure.
func BenchmarkKeystroke(b *testing.B) {
	const width, height = 200, 60
	for _, n := range []int{100, 100_000} {
		e := filled(b, n)
		for _, tt := range []struct {
			name string
			to   []string // keys that lead to the screen
			keys []string // keys that are measured
		}{
			{"dashboard", nil, []string{"j", "k"}},
			{"recent", []string{":", "'recent", "enter"}, []string{"j", "j", "j", "k", "pgdown"}},
			{"end of the list", []string{":", "'recent", "enter", "G"}, []string{"k", "pgup", "j"}},
			{"typing a question", []string{"/"}, []string{"a", "b", "backspace", "backspace"}},
			{"results", []string{"/", "'cache retry token", "enter"}, []string{"j", "k"}},
			{"detail", []string{":", "'open 7", "enter"}, []string{"j", "k"}},
		} {
			b.Run(fmt.Sprintf("%d/%s", n, tt.name), func(b *testing.B) {
				d := open(b, e, width, height, tui.Options{Theme: "mocha", Outside: outside()})
				d.keys(tt.to...)
				buffer := uv.NewScreenBuffer(width, height)
				var presses []tea.KeyPressMsg
				for _, k := range tt.keys {
					presses = append(presses, press(k))
				}
				before := cpuTime()
				spent, done := time.Duration(0), 0
				for b.Loop() {
					_, cmd := d.model.Update(presses[done%len(presses)])
					view := d.model.View()
					uv.NewStyledString(view.Content).Draw(buffer, buffer.Bounds())
					done++
					if cmd != nil {
						b.StopTimer()
						spent += cpuTime() - before
						d.run(cmd)
						before = cpuTime()
						b.StartTimer()
					}
				}
				spent += cpuTime() - before
				b.ReportMetric(float64(spent.Microseconds())/1000/float64(done), "cpu-ms/key")
			})
		}
	}
}
