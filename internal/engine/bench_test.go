package engine_test

import (
	"cmp"
	"context"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/engine"
	"github.com/alanbuscaglia/engram/internal/engine/brief"
	"github.com/alanbuscaglia/engram/internal/engine/remember"
	"github.com/alanbuscaglia/engram/internal/engine/search"
	"github.com/alanbuscaglia/engram/internal/enginetest"
	"github.com/alanbuscaglia/engram/internal/storetest"
)

// sizes are the stores for benchmarks: what is slower in the second grows with the number of memories.
func sizes() []int { return []int{1_000, 100_000} }

// benchFolder holds the benchmarks' stores, shared by all of them.
var benchFolder = sync.OnceValues(func() (string, error) { return os.MkdirTemp("", "engram-bench-") })

func TestMain(m *testing.M) {
	enginetest.Main(m)
	if dir, err := benchFolder(); err == nil {
		_ = os.RemoveAll(dir) // the system's temporary folder, whatever happens
	}
}

// small and large build the stores once per process.
var small, large = sync.OnceValues(func() (string, error) { return build(sizes()[0]) }), sync.OnceValues(func() (string, error) { return build(sizes()[1]) })

// build creates a store of n memories in the benchmarks' folder.
func build(n int) (string, error) {
	root, err := benchFolder()
	if err != nil {
		return "", err
	}
	dir := filepath.Join(root, fmt.Sprint(n))
	if err := os.Mkdir(dir, 0o700); err != nil {
		return "", err
	}
	return dir, fillFolder(dir, n)
}

// benchMillion names the folder of BenchmarkMillion's store.
var benchMillion = flag.String("million", "", "`folder` of the store of BenchmarkMillion, which is made there unless it exists: some minutes, 2 GB")

// million returns the folder of a store of a million memories.
var million = sync.OnceValues(func() (string, error) {
	_, err := os.Stat(filepath.Join(*benchMillion, "engram.db"))
	if err == nil {
		return *benchMillion, nil
	}
	if err := os.MkdirAll(*benchMillion, 0o700); err != nil {
		return "", err
	}
	return *benchMillion, fillFolder(*benchMillion, 1_000_000)
})

// inSession is the number of memories per session in benchmark stores.
const inSession = 25

// fillFolder fills a new store with n memories, bypassing the engine: 500 memories share a transaction and its
// disk sync.
func fillFolder(dir string, n int) error { return fillProject(dir, n, "") }

// fillProject is fillFolder with all memories in one project; "" uses all projects.
func fillProject(dir string, n int, project string) error {
	// A benchmark's own TB would close the store with it.
	store, err := enginetest.OpenStore(filepath.Join(dir, "engram.db"))
	if err != nil {
		return err
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
	embedder := enginetest.Embedder()
	saved := map[string]int{} // by project
	for made := 0; made < n && err == nil; {
		err = store.Update(ctx, func(tx engram.Tx) error {
			var texts []string
			var vectors []engram.Vector
			for range min(500, n-made) {
				now = now.Add(time.Minute)
				m := c.Memory(now)
				m.Project = cmp.Or(project, m.Project)
				m.SessionID = fmt.Sprintf("s-%s-%d", m.Project, saved[m.Project]/inSession)
				if saved[m.Project]++; saved[m.Project]%inSession == 1 {
					if err := tx.PutSession(ctx, engram.Session{ID: m.SessionID, Project: m.Project, StartedAt: now, ActiveAt: now}); err != nil {
						return err
					}
				}
				if err := tx.InsertMemory(ctx, &m); err != nil {
					return err
				}
				made++
				texts = append(texts, m.Title+": "+m.Content)
				vectors = append(vectors, engram.Vector{Num: m.Num})
			}
			values, err := embedder.Embed(ctx, texts, engram.RoleMemory)
			if err != nil {
				return err
			}
			for i := range vectors {
				vectors[i].Values = values[i]
			}
			return tx.PutVectors(ctx, embedder.Model(), vectors)
		})
	}
	if err != nil {
		return err
	}
	return store.Close()
}

// onEach runs a benchmark on the stores of both sizes.
func onEach(b *testing.B, run func(b *testing.B, w enginetest.World, c *storetest.Corpus)) {
	for i, folder := range []func() (string, error){small, large} {
		b.Run(fmt.Sprintf("memories=%d", sizes()[i]), func(b *testing.B) { onOne(b, folder, run) })
	}
}

// onOne runs a benchmark on the store in a folder. It also reports CPU time, which other work of the machine
// does not change.
func onOne(b *testing.B, folder func() (string, error), run func(b *testing.B, w enginetest.World, c *storetest.Corpus)) {
	dir, err := folder()
	if err != nil {
		b.Fatal(err)
	}
	w := enginetest.NewWorldIn(b, dir)
	// The test clock steps a second per reading, so caches of a minute would expire every few questions.
	begun := time.Now()
	clock := func() time.Time { return enginetest.Start().Add(time.Since(begun)) }
	w.Engine = engine.New(engine.Options{Store: w.Store, Embedder: enginetest.Embedder(), Now: clock, NewID: enginetest.IDs()})
	measured(b, func() { run(b, w, storetest.NewCorpus(2)) })
}

// measured reports the CPU time of fn.
func measured(b *testing.B, fn func()) { enginetest.MeasureCPU(b, 1, fn) }

func BenchmarkSave(b *testing.B) { onEach(b, saving) }

// saving saves memories with their vectors.
func saving(b *testing.B, w enginetest.World, c *storetest.Corpus) {
	// Each run adds to the same store, and must not repeat texts or ids of others.
	nonce := time.Now().UnixNano()
	id := nonce // relations take ids too
	e := engine.New(engine.Options{Store: w.Store, Embedder: enginetest.Embedder(), Now: w.Clock.Now, NewID: func() engram.ID {
		id++
		return engram.ID(fmt.Sprintf("mem_%026d", id))
	}})
	save := func() {
		nonce++
		m := c.Memory(enginetest.Start())
		if _, err := e.Save(b.Context(), remember.SaveInput{Title: m.Title, Content: m.Content + fmt.Sprint(nonce), Type: m.Type, Project: m.Project}); err != nil {
			b.Fatal(err)
		}
	}
	save() // the first one reads the model
	measured(b, func() {
		for b.Loop() {
			save()
		}
	})
}

// BenchmarkIngest saves a hundred memories at once; its CPU time is that of each.
func BenchmarkIngest(b *testing.B) {
	onOne(b, small, func(b *testing.B, w enginetest.World, c *storetest.Corpus) {
		nonce := time.Now().UnixNano()
		id := nonce
		e := engine.New(engine.Options{Store: w.Store, Embedder: enginetest.Embedder(), Now: w.Clock.Now, NewID: func() engram.ID {
			id++
			return engram.ID(fmt.Sprintf("mem_%026d", id))
		}})
		enginetest.MeasureCPU(b, remember.MaxBatch, func() {
			for b.Loop() {
				ins := make([]remember.SaveInput, remember.MaxBatch)
				for i := range ins {
					nonce++
					m := c.Memory(enginetest.Start())
					ins[i] = remember.SaveInput{Title: m.Title, Content: m.Content + fmt.Sprint(nonce), Type: m.Type, Project: "ingested"}
				}
				if _, err := e.Ingest(b.Context(), ins); err != nil {
					b.Fatal(err)
				}
			}
		})
	})
}

// searching asks questions of ten words in a warm process.
func searching(filter func(*storetest.Corpus) engram.Filter) func(b *testing.B, w enginetest.World, c *storetest.Corpus) {
	return func(b *testing.B, w enginetest.World, _ *storetest.Corpus) {
		// Words of the store's corpus, except those of its first memories.
		c := storetest.NewCorpus(1)
		c.Question(100_000)
		empty := 0
		ask := func(f engram.Filter) {
			found, err := w.Search(b.Context(), search.SearchInput{Query: c.Question(10), Filter: f})
			if err != nil {
				b.Fatal(err)
			}
			if len(found.Hits) == 0 {
				empty++
			}
		}
		for _, name := range c.Projects() {
			ask(engram.Filter{Project: name})
		}
		ask(filter(c))
		empty = 0
		measured(b, func() {
			for b.Loop() {
				ask(filter(c))
			}
		})
		b.ReportMetric(100*float64(empty)/float64(b.N), "%empty")
	}
}

// beginning asks one question of ten words per process, which opens the store for it.
func beginning(filter func(*storetest.Corpus) engram.Filter) func(b *testing.B, w enginetest.World, c *storetest.Corpus) {
	return func(b *testing.B, w enginetest.World, _ *storetest.Corpus) {
		c := storetest.NewCorpus(1)
		c.Question(100_000)
		for b.Loop() {
			store, err := enginetest.OpenStore(w.Path)
			if err != nil {
				b.Fatal(err)
			}
			e := engine.New(engine.Options{Store: store, Embedder: enginetest.Embedder(), Now: time.Now, NewID: enginetest.IDs()})
			if _, err := e.Search(b.Context(), search.SearchInput{Query: c.Question(10), Filter: filter(c)}); err != nil {
				b.Fatal(err)
			}
			if err := store.Close(); err != nil {
				b.Fatal(err)
			}
		}
	}
}

func everywhere(*storetest.Corpus) engram.Filter { return engram.Filter{} }

func inAProject(c *storetest.Corpus) engram.Filter { return engram.Filter{Project: c.Project()} }

func BenchmarkSearchEverywhere(b *testing.B) { onEach(b, searching(everywhere)) }

func BenchmarkSearchInAProject(b *testing.B) { onEach(b, searching(inAProject)) }

func BenchmarkBeginEverywhere(b *testing.B) { onEach(b, beginning(everywhere)) }

func BenchmarkBeginInAProject(b *testing.B) { onEach(b, beginning(inAProject)) }

// BenchmarkMillion searches and saves among a million memories, 50,000 in a project, if given a folder for
// them.
func BenchmarkMillion(b *testing.B) {
	if *benchMillion == "" {
		b.Skip("-million says where the store is kept")
	}
	b.Run("SearchEverywhere", func(b *testing.B) { onOne(b, million, searching(everywhere)) })
	b.Run("SearchInAProject", func(b *testing.B) { onOne(b, million, searching(inAProject)) })
	b.Run("Save", func(b *testing.B) { onOne(b, million, saving) })
	b.Run("BeginEverywhere", func(b *testing.B) { onOne(b, million, beginning(everywhere)) })
	b.Run("BeginInAProject", func(b *testing.B) { onOne(b, million, beginning(inAProject)) })
}

func BenchmarkContext(b *testing.B) {
	onEach(b, func(b *testing.B, w enginetest.World, c *storetest.Corpus) {
		for b.Loop() {
			told, err := w.Engine.Context(b.Context(), brief.ContextInput{Project: c.Project()})
			if err != nil || len(told.Memories) != 20 {
				b.Fatalf("%d memories, %v", len(told.Memories), err)
			}
		}
	})
}

func BenchmarkGet(b *testing.B) {
	onEach(b, func(b *testing.B, w enginetest.World, _ *storetest.Corpus) {
		n := int64(0)
		for b.Loop() {
			n = n%1000 + 1
			if _, err := w.Get(b.Context(), engram.ByNum(n)); err != nil {
				b.Fatal(err)
			}
		}
	})
}

func BenchmarkTimeline(b *testing.B) {
	onEach(b, func(b *testing.B, w enginetest.World, _ *storetest.Corpus) {
		n := int64(0)
		for b.Loop() {
			n = n%1000 + 1
			if _, err := w.Timeline(b.Context(), engram.ByNum(n), 5, 5); err != nil {
				b.Fatal(err)
			}
		}
	})
}
