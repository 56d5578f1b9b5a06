package engine_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/engine"
	"github.com/alanbuscaglia/engram/internal/engine/brief"
	"github.com/alanbuscaglia/engram/internal/engine/remember"
	"github.com/alanbuscaglia/engram/internal/enginetest"
	"github.com/alanbuscaglia/engram/internal/storetest"
)

// asker asks with words of a benchmark's store.
type asker interface {
	Question(n int) string
	Project() string
}

// onlyCorpus asks in the one project.
type onlyCorpus struct{ *storetest.Corpus }

func (onlyCorpus) Project() string { return onlyProject }

// events are the hook events of an agent's life cycle, with words of the store's corpus.
func events() []struct {
	name string
	run  func(b *testing.B, e *engine.Engine, c asker, n int)
} {
	remind := func(in func(c asker) brief.RemindInput) func(*testing.B, *engine.Engine, asker, int) {
		return func(b *testing.B, e *engine.Engine, c asker, _ int) {
			r := in(c)
			r.Project, r.Directory = c.Project(), "/home/ana/work"
			if _, err := e.Remind(b.Context(), r); err != nil {
				b.Fatal(err)
			}
		}
	}
	return []struct {
		name string
		run  func(*testing.B, *engine.Engine, asker, int)
	}{
		{"Prompt", remind(func(c asker) brief.RemindInput { return brief.RemindInput{Query: c.Question(12)} })},
		{"LongPrompt", remind(func(c asker) brief.RemindInput { return brief.RemindInput{Query: c.Question(60)} })},
		{"File", remind(func(c asker) brief.RemindInput {
			return brief.RemindInput{Path: "/home/ana/work/" + c.Question(1) + "/loader.go"}
		})},
		{"Error", remind(func(c asker) brief.RemindInput {
			return brief.RemindInput{Error: "running\nerror: cannot " + c.Question(8) + "\nexit status 1"}
		})},
		{"Brief", func(b *testing.B, e *engine.Engine, c asker, n int) {
			if _, err := e.Brief(b.Context(), brief.SessionBriefInput{Project: c.Project(), SessionID: fmt.Sprintf("bench-%d-%d", time.Now().UnixNano(), n)}); err != nil {
				b.Fatal(err)
			}
		}},
	}
}

// BenchmarkRemind asks a warm process.
func BenchmarkRemind(b *testing.B) {
	for _, ev := range events() {
		b.Run(ev.name, func(b *testing.B) {
			onEach(b, func(b *testing.B, w enginetest.World, _ *storetest.Corpus) {
				c := corpusOfStore()
				for n := range 5 {
					ev.run(b, w.Engine, c, -n)
				}
				each := time.Duration(0)
				var all []time.Duration
				n := 0
				for b.Loop() {
					each = enginetest.CPUTime()
					ev.run(b, w.Engine, c, n)
					all = append(all, enginetest.CPUTime()-each)
					n++
				}
				reportTimes(b, all)
			})
		})
	}
}

// BenchmarkRemindBegin asks once per process, which opens the store for it, as a hook does.
func BenchmarkRemindBegin(b *testing.B) {
	for _, ev := range events() {
		b.Run(ev.name, func(b *testing.B) {
			onEach(b, func(b *testing.B, w enginetest.World, _ *storetest.Corpus) {
				c := corpusOfStore()
				beginEach(b, w, func(e *engine.Engine, n int) { ev.run(b, e, c, n) })
			})
		})
	}
}

// beginEach runs fn on a newly opened engine, and closes it.
func beginEach(b *testing.B, w enginetest.World, fn func(e *engine.Engine, n int)) {
	var all []time.Duration
	n := 0
	for b.Loop() {
		before := enginetest.CPUTime()
		store, err := enginetest.OpenStore(w.Path)
		if err != nil {
			b.Fatal(err)
		}
		fn(engine.New(engine.Options{Store: store, Embedder: enginetest.Embedder(), Now: time.Now, NewID: enginetest.IDs()}), n)
		if err := store.Close(); err != nil {
			b.Fatal(err)
		}
		all = append(all, enginetest.CPUTime()-before)
		n++
	}
	reportTimes(b, all)
}

// crowded is a store of 100,000 memories in one project and some personal ones in another: the worst case of a
// reminder.
var crowded = sync.OnceValues(func() (string, error) {
	root, err := benchFolder()
	if err != nil {
		return "", err
	}
	dir := filepath.Join(root, "crowded")
	if err := os.Mkdir(dir, 0o700); err != nil {
		return "", err
	}
	if err := fillProject(dir, 100_000, onlyProject); err != nil {
		return "", err
	}
	return dir, addPersonal(dir, 300)
})

// addPersonal adds personal memories to a store.
func addPersonal(dir string, n int) error {
	store, err := enginetest.OpenStore(filepath.Join(dir, "engram.db"))
	if err != nil {
		return err
	}
	id := 0
	e := engine.New(engine.Options{Store: store, Embedder: enginetest.Embedder(), Now: enginetest.Start, NewID: func() engram.ID {
		id++
		return engram.ID(fmt.Sprintf("mem_personal%018d", id))
	}})
	c := storetest.NewCorpus(3)
	for range n {
		m := c.Memory(enginetest.Start())
		in := remember.SaveInput{Title: m.Title, Content: m.Content, Type: engram.TypePreference, Scope: engram.ScopePersonal, Project: "mine"}
		if _, err := e.Save(context.Background(), in); err != nil {
			return err
		}
	}
	return store.Close()
}

// BenchmarkRemindCrowded is BenchmarkRemindBegin on the crowded store.
func BenchmarkRemindCrowded(b *testing.B) {
	for _, ev := range events() {
		b.Run(ev.name, func(b *testing.B) {
			onOne(b, crowded, func(b *testing.B, w enginetest.World, _ *storetest.Corpus) {
				beginEach(b, w, func(e *engine.Engine, n int) { ev.run(b, e, onlyCorpus{corpusOfStore()}, n) })
			})
		})
	}
}

// corpusOfStore returns words of a benchmark's store, except those of its first memories.
func corpusOfStore() *storetest.Corpus {
	c := storetest.NewCorpus(1)
	c.Question(100_000)
	return c
}

// reportTimes reports the median and 95th percentile of 100 CPU times.
func reportTimes(b *testing.B, all []time.Duration) {
	slices.Sort(all)
	b.ReportMetric(float64(all[len(all)/2])/1e6, "p50-cpu-ms")
	b.ReportMetric(float64(all[len(all)*95/100])/1e6, "p95-cpu-ms")
}
