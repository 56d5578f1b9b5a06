package sqlite_test

import (
	"fmt"
	"path/filepath"
	"testing"
	"time"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/sqlite"
	"github.com/alanbuscaglia/engram/internal/storetest"
	"github.com/alanbuscaglia/engram/internal/text"
)

// BenchmarkStore measures small and large stores: frequent operations must not slow down as a store
// grows. Each store is built once.
func BenchmarkStore(b *testing.B) { benchStore(b, 1_000, 100_000) }

// BenchmarkMillion is BenchmarkStore with a million memories, 50,000 per project. Building the store
// takes minutes and 1.5 GB.
func BenchmarkMillion(b *testing.B) {
	if testing.Short() {
		b.Skip("a million memories take minutes to save")
	}
	benchStore(b, 1_000_000)
}

func benchStore(b *testing.B, sizes ...int) {
	for _, size := range sizes {
		b.Run(fmt.Sprintf("memories=%d", size), func(b *testing.B) {
			path := filepath.Join(b.TempDir(), "engram.db")
			s := open(b, path)
			defer s.Close()
			c := storetest.NewCorpus(1)
			fillStore(b, s, c, size)
			b.Run("Disk", func(b *testing.B) { benchDisk(b, s, size) })
			b.Run("Get/num", func(b *testing.B) {
				benchView(b, s, func(r engram.Reader, i int) error {
					_, err := r.Memory(b.Context(), engram.ByNum(int64(1+i*7919%size)))
					return err
				})
			})
			b.Run("Get/id", func(b *testing.B) {
				benchView(b, s, func(r engram.Reader, i int) error {
					_, err := r.Memory(b.Context(), engram.ByID(engram.ID(fmt.Sprintf("mem_%026d", 1+i*7919%size))))
					return err
				})
			})
			b.Run("Timeline", func(b *testing.B) { benchTimeline(b, s, size) })
			for _, project := range []string{"", c.Projects()[3]} {
				where := "everywhere"
				if project != "" {
					where = "project"
				}
				b.Run("Context/"+where, func(b *testing.B) { benchContext(b, s, project) })
				for _, words := range []int{3, 10} {
					b.Run(fmt.Sprintf("Lexical/%s/words=%d", where, words), func(b *testing.B) {
						benchLexical(b, s, project, 10, func(c *storetest.Corpus) string { return c.Question(words) })
					})
				}
				b.Run(fmt.Sprintf("Lexical/%s/words=10/cold", where), func(b *testing.B) { benchCold(b, path, project) })
				b.Run(fmt.Sprintf("Lexical/%s/words=10/limit=1000", where), func(b *testing.B) {
					benchLexical(b, s, project, 1000, func(c *storetest.Corpus) string { return c.Question(10) })
				})
				b.Run(fmt.Sprintf("Lexical/%s/mistyped", where), func(b *testing.B) { benchLexical(b, s, project, 10, mistyped) })
				b.Run(fmt.Sprintf("Lexical/%s/fragment", where), func(b *testing.B) {
					benchLexical(b, s, project, 10, func(c *storetest.Corpus) string { w := c.Word(); return w[1 : len(w)-1] })
				})
			}
			b.Run("Stats", func(b *testing.B) {
				benchView(b, s, func(r engram.Reader, _ int) error { _, err := r.Stats(b.Context(), ""); return err })
			})
			b.Run("Save", func(b *testing.B) { benchSave(b, s, c) })
			b.Run("Erase", func(b *testing.B) { benchErase(b, s) })
		})
	}
}

// fillStore writes size memories in sessions of 25, and a prompt for every tenth.
func fillStore(b testing.TB, s *sqlite.Store, c *storetest.Corpus, size int) {
	b.Helper()
	makeProjects(b, s, c)
	const batch, inSession = 500, 25
	saved := map[string]int{}
	for done := 0; done < size; done += batch {
		update(b, s, func(tx engram.Tx) error {
			for i := done; i < min(done+batch, size); i++ {
				m := c.Memory(now())
				m.SessionID = fmt.Sprintf("s-%s-%d", m.Project, saved[m.Project]/inSession)
				if saved[m.Project]%inSession == 0 {
					if err := tx.PutSession(b.Context(), engram.Session{ID: m.SessionID, Project: m.Project, StartedAt: now(), ActiveAt: now()}); err != nil {
						return err
					}
				}
				saved[m.Project]++
				if err := saveOne(b, tx, &m); err != nil {
					return err
				}
				if i%10 == 0 {
					p := engram.Prompt{SyncID: fmt.Sprintf("prompt-%d", i), Project: m.Project, SessionID: m.SessionID, Content: c.Question(15), CreatedAt: now()}
					if err := tx.InsertPrompt(b.Context(), &p); err != nil {
						return err
					}
				}
			}
			return nil
		})
	}
}

// measure runs fn for each iteration and also reports the processor time.
func measure(b *testing.B, fn func(i int) error) {
	b.Helper()
	before := cpu(b)
	i := 0
	for b.Loop() {
		if err := fn(i); err != nil {
			b.Fatal(err)
		}
		i++
	}
	b.ReportMetric(float64(cpu(b)-before)/float64(i), "cpu-ns/op")
}

func benchView(b *testing.B, s *sqlite.Store, fn func(r engram.Reader, i int) error) {
	b.Helper()
	measure(b, func(i int) error {
		return s.View(b.Context(), func(r engram.Reader) error { return fn(r, i) })
	})
}

func benchDisk(b *testing.B, s *sqlite.Store, size int) {
	var st engram.Stats
	benchView(b, s, func(r engram.Reader, _ int) (err error) {
		st, err = r.Stats(b.Context(), "")
		return err
	})
	b.ReportMetric(float64(st.Bytes)/float64(size), "disk-B/memory")
}

func benchTimeline(b *testing.B, s *sqlite.Store, size int) {
	benchView(b, s, func(r engram.Reader, i int) error {
		m, err := r.Memory(b.Context(), engram.ByNum(int64(1+i*7919%size)))
		if err != nil {
			return err
		}
		_, _, err = r.Neighbours(b.Context(), m.SessionID, m.Num, 5, 5)
		return err
	})
}

// benchContext reads what the engine needs for the context of a new session.
func benchContext(b *testing.B, s *sqlite.Store, project string) {
	benchView(b, s, func(r engram.Reader, _ int) error {
		if _, err := r.Sessions(b.Context(), engram.SessionFilter{Project: project}, engram.Page{Limit: 5}); err != nil {
			return err
		}
		if _, err := r.Prompts(b.Context(), engram.PromptFilter{Project: project}, engram.Page{Limit: 10}); err != nil {
			return err
		}
		_, err := r.List(b.Context(), engram.Filter{Project: project}, engram.Page{Limit: 20})
		return err
	})
}

// benchCold runs one query in a fresh process state.
func benchCold(b *testing.B, path, project string) {
	c := storetest.NewCorpus(1)
	c.Question(100_000)
	measure(b, func(int) error {
		s, err := sqlite.Open(b.Context(), sqlite.Options{Path: path})
		if err != nil {
			return err
		}
		defer s.Close()
		return s.View(b.Context(), func(r engram.Reader) error {
			_, err := storetest.Hits(b.Context(), r, engram.LexicalQuery{Terms: text.Query(c.Question(10)), Filter: engram.Filter{Project: project}, Limit: 10})
			return err
		})
	})
}

// mistyped returns a query of three words, one of them misspelled.
func mistyped(c *storetest.Corpus) string {
	w := c.Word()
	return c.Word() + " " + c.Word() + " " + w[:2] + "q" + w[2:]
}

func benchLexical(b *testing.B, s *sqlite.Store, project string, limit int, ask func(*storetest.Corpus) string) {
	// The words of the store's corpus, but not those of its first memories.
	c := storetest.NewCorpus(1)
	c.Question(100_000)
	questions := make([][]engram.Term, 100)
	for i := range questions {
		questions[i] = text.Query(ask(c))
	}
	found := 0
	benchView(b, s, func(r engram.Reader, i int) error {
		hits, err := storetest.Hits(b.Context(), r, engram.LexicalQuery{Terms: questions[i%len(questions)], Filter: engram.Filter{Project: project}, Limit: limit})
		found += len(hits)
		return err
	})
	b.ReportMetric(float64(found)/float64(b.N), "hits/op")
}

// benchSave saves as the engine does, and reports the most expensive save: some saves seal the unsealed
// memories, and one in some thousands reorganises segments.
func benchSave(b *testing.B, s *sqlite.Store, c *storetest.Corpus) {
	worst := time.Duration(0)
	measure(b, func(int) error {
		m := c.Memory(now())
		before := cpu(b)
		defer func() { worst = max(worst, cpu(b)-before) }()
		return s.Update(b.Context(), func(tx engram.Tx) error {
			if _, err := engram.LastMutation(b.Context(), tx); err != nil {
				return err
			}
			if _, _, err := engram.ByHash(b.Context(), tx, m.Project, m.NormalizedHash, time.Time{}, func(engram.Memory) bool { return true }); err != nil {
				return err
			}
			return saveOne(b, tx, &m)
		})
	})
	b.ReportMetric(float64(worst), "worst-cpu-ns")
}

// benchErase erases the newest memory.
func benchErase(b *testing.B, s *sqlite.Store) {
	measure(b, func(int) error {
		return s.Update(b.Context(), func(tx engram.Tx) error {
			ms, err := tx.List(b.Context(), engram.Filter{}, engram.Page{Limit: 1})
			if err != nil {
				return err
			}
			return tx.EraseMemory(b.Context(), ms[0].Num)
		})
	})
}
