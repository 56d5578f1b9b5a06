package sqlite_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/retrieval"
	"github.com/alanbuscaglia/engram/internal/sqlite"
	"github.com/alanbuscaglia/engram/internal/storetest"
	"github.com/alanbuscaglia/engram/internal/text"
)

// saveMany saves n memories of c in few transactions, one minute apart.
func saveMany(t testing.TB, s engram.Store, c *storetest.Corpus, n int, change func(i int, m *engram.Memory)) []engram.Memory {
	t.Helper()
	ms := make([]engram.Memory, n)
	batch := 0
	for done := 0; done < n; done += batch {
		// Batches that are sealed at commit, that stay unsealed, and single saves.
		batch = []int{700, 33, 1, 200, 1}[done%5]
		update(t, s, func(tx engram.Tx) error {
			for i := done; i < min(done+batch, n); i++ {
				ms[i] = c.Memory(now().Add(time.Duration(i) * time.Minute))
				if change != nil {
					change(i, &ms[i])
				}
				if err := saveOne(t, tx, &ms[i]); err != nil {
					return err
				}
			}
			return nil
		})
	}
	return ms
}

// shuffled saves enough memories to create and merge segments of every level, and changes, moves,
// forgets and erases some in between.
func shuffled(t *testing.T, s *sqlite.Store, seed uint64) {
	t.Helper()
	c := storetest.NewCorpus(seed)
	r := rand.New(rand.NewPCG(seed, 2))
	makeProjects(t, s, c)
	change := func(m *engram.Memory) {
		switch r.IntN(6) {
		case 0:
			m.Content += " " + c.Question(8)
		case 1:
			m.Type = engram.TypeReflex
		case 2:
			m.Project = c.Project()
			m.SessionID = "s-" + m.Project
		case 3:
			m.Tags = []string{"tag-" + c.Word()}
		case 4:
			m.CreatedAt = m.CreatedAt.Add(time.Hour)
		case 5:
			m.DeletedAt = now()
		}
	}
	var ms []engram.Memory
	for _, n := range []int{90, 700, 4000, 600} {
		ms = append(ms, saveMany(t, s, c, n, func(i int, m *engram.Memory) {
			if i%3 == 0 {
				m.Tags = []string{fmt.Sprint("third", i%2)}
			}
			if i%5 == 0 {
				m.Metadata = map[string]any{"five": i % 2}
			}
		})...)
		update(t, s, func(tx engram.Tx) error {
			for range 150 {
				m := &ms[r.IntN(len(ms))]
				if m.Num == 0 {
					continue // erased
				}
				if r.IntN(4) == 0 {
					if err := tx.EraseMemory(t.Context(), m.Num); err != nil {
						return err
					}
					m.Num = 0
					continue
				}
				now := *m
				if change(&now); m.Forgotten() {
					now.DeletedAt = time.Time{}
				}
				*m = now
				if err := tx.ReplaceMemory(t.Context(), now); err != nil {
					return err
				}
			}
			return nil
		})
		update(t, s, func(tx engram.Tx) error {
			_, err := tx.MoveProject(t.Context(), c.Project(), c.Project())
			return err
		})
	}
}

func TestTheIndexMatchesTheMemories(t *testing.T) {
	path := filepath.Join(t.TempDir(), "engram.db")
	s := open(t, path)
	defer s.Close()
	shuffled(t, s, 5)
	if n := count(t, path, "SELECT count(*) FROM segments WHERE level = 3 AND project IS NOT NULL"); n < 10 {
		t.Fatalf("%d segments of one project: too few to tell anything", n)
	}
	checkIndex(t, path)
}

// The scores of a search must equal those added up by hand over every memory in scope.
func TestASearchIsExact(t *testing.T) {
	s := open(t, filepath.Join(t.TempDir(), "engram.db"))
	defer s.Close()
	shuffled(t, s, 6)
	c := storetest.NewCorpus(6)
	c.Question(30_000)
	compared, read := 0, spelled{}
	view(t, s, func(r engram.Reader) error {
		for i := range 80 {
			q := engram.LexicalQuery{Terms: text.Query(c.Question(2 + i%9)), All: i%7 == 6, Limit: 12}
			filters := []engram.Filter{{}, {Project: "project-03"}, {Types: []engram.Type{engram.TypeReflex, engram.TypeFact}}, {Tags: []string{"third0"}},
				{SessionID: "s-project-05"}, {Since: now().Add(500 * time.Minute), Until: now().Add(3000 * time.Minute)},
				{Project: "project-07", Metadata: map[string]any{"five": 1}}, {Project: "project-08", Scope: engram.ScopeProject, Tags: []string{"third1"}}}
			q.Filter = filters[i%len(filters)]
			got, err := r.Lexical(t.Context(), q)
			if err != nil {
				return err
			}
			asked := slices.DeleteFunc(slices.Clone(q.Terms), func(x engram.Term) bool { return q.All && x.Joined })
			if slices.ContainsFunc(got.Words, func(w engram.WordCount) bool { return w.Rows == 0 || !slices.Equal(w.Matched, []string{w.Term.Word}) }) {
				continue // corrections are tested elsewhere
			}
			want, rows, err := byHand(t, r, read, q, asked)
			if err != nil {
				return err
			}
			if len(want) < q.Limit && !q.All {
				continue // prefix matches would be added
			}
			compared++
			want = want[:min(len(want), q.Limit)]
			if got.Rows != rows || !slices.EqualFunc(got.Hits, want, func(a, b engram.Ranked) bool {
				return math.Abs(a.Score-b.Score) < 1e-4 // the store adds in single precision
			}) {
				t.Errorf("%+v\n got %d rows, %v\nwant %d rows, %v", q, got.Rows, got.Hits, rows, want)
			}
		}
		return nil
	})
	if compared < 25 {
		t.Errorf("%d questions compared: too few to tell anything", compared)
	}
}

// spelled caches the words of each memory: there are thousands of memories and many queries.
type spelled map[int64]struct {
	tf     map[string]float64
	length float64
}

func (s spelled) words(m engram.Memory) (map[string]float64, float64) {
	said, known := s[m.Num]
	if known {
		return said.tf, said.length
	}
	said.tf = map[string]float64{}
	add := func(weight float64) func(text.Token) {
		return func(x text.Token) {
			if weight > 1 || !x.Stop {
				said.tf[x.Text()] += weight
				said.tf[x.Foreign()] += weight
				said.length++
			}
		}
	}
	title := m.Title + " " + m.TopicKey
	for _, tag := range m.Tags {
		title += " " + tag
	}
	text.ScanMemory(title, m.Content, add(2), add(1))
	s[m.Num] = said
	return said.tf, said.length
}

// byHand answers a query from the texts of all memories.
func byHand(t *testing.T, r engram.Reader, read spelled, q engram.LexicalQuery, terms []engram.Term) (ranked []engram.Ranked, rows int, err error) {
	all, err := r.List(t.Context(), engram.Filter{Project: q.Filter.Project}, engram.Page{Limit: 1 << 30})
	if err != nil {
		return nil, 0, err
	}
	inScope, err := r.List(t.Context(), q.Filter, engram.Page{Limit: 1 << 30})
	if err != nil {
		return nil, 0, err
	}
	pass := map[int64]bool{}
	for _, m := range inScope {
		pass[m.Num] = true
	}
	tf := make([]map[string]float64, len(all))
	lengths, total, having := make([]float64, len(all)), 0.0, map[string]int{}
	for i, m := range all {
		tf[i], lengths[i] = read.words(m)
		total += lengths[i]
		for _, term := range terms {
			if tf[i][term.Word] > 0 {
				having[term.Word]++
			}
		}
	}
	b := retrieval.BM25{Rows: len(all), Length: total / float64(len(all))}
	for i, m := range all {
		score, has := 0.0, 0
		for _, term := range terms {
			if n := tf[i][term.Word]; n > 0 {
				has++
				score += b.Score(n, lengths[i], having[term.Word])
			}
		}
		if pass[m.Num] && has > 0 && (!q.All || has == len(terms)) {
			ranked = append(ranked, engram.Ranked{Num: m.Num, Score: score})
		}
	}
	slices.SortFunc(ranked, func(x, y engram.Ranked) int {
		if x.Score != y.Score {
			return int(math.Copysign(1, y.Score-x.Score))
		}
		return int(y.Num - x.Num)
	})
	return ranked, len(all), nil
}

// A process's cached index must match its snapshot.
func TestEachSnapshotHasItsOwnIndex(t *testing.T) {
	path := filepath.Join(t.TempDir(), "engram.db")
	s, other := open(t, path), open(t, path)
	defer s.Close()
	defer other.Close()
	c := storetest.NewCorpus(7)
	makeProjects(t, s, c)
	name := func(i int, m *engram.Memory) { m.Title = "zeppelin" }
	found := func(r engram.Reader) int {
		t.Helper()
		hits, err := storetest.Hits(t.Context(), r, engram.LexicalQuery{Terms: text.Query("zeppelin"), Limit: 1000})
		if err != nil {
			t.Fatal(err)
		}
		return len(hits)
	}
	want := func(s engram.Store, what string, n int) {
		t.Helper()
		view(t, s, func(r engram.Reader) error {
			if got := found(r); got != n {
				t.Errorf("%s: found %d, want %d", what, got, n)
			}
			return nil
		})
	}
	saveMany(t, s, c, 50, name)
	want(s, "50 saved", 50)
	want(other, "50 saved by another", 50)
	view(t, s, func(r engram.Reader) error {
		if _, err := engram.LastMutation(t.Context(), r); err != nil { // the snapshot starts with the first read
			return err
		}
		saveMany(t, other, c, 500, name) // sealed and merged meanwhile
		if got := found(r); got != 50 {
			t.Errorf("a snapshot from before 500 more: found %d, want 50", got)
		}
		want(s, "beside it", 550)
		if got := found(r); got != 50 {
			t.Errorf("the old snapshot again: found %d, want 50", got)
		}
		return nil
	})
	undo := errors.New("undo")
	err := s.Update(t.Context(), func(tx engram.Tx) error {
		for i := range 100 {
			m := c.Memory(now())
			name(i, &m)
			if err := tx.InsertMemory(t.Context(), &m); err != nil {
				return err
			}
		}
		if got := found(tx); got != 650 {
			t.Errorf("within the transaction: found %d, want 650", got)
		}
		return undo
	})
	if !errors.Is(err, undo) {
		t.Fatal(err)
	}
	want(s, "after what was undone", 550)
	saveMany(t, s, c, 100, nil) // uses the same numbers
	want(s, "after 100 others", 550)
	want(other, "after 100 others by another", 550)
}

// A store with another words version is reindexed when it is opened.
func TestAnIndexOfAnotherWordsVersionIsRebuilt(t *testing.T) {
	path := filepath.Join(t.TempDir(), "engram.db")
	s := open(t, path)
	c := storetest.NewCorpus(8)
	makeProjects(t, s, c)
	saveMany(t, s, c, 300, func(i int, m *engram.Memory) {
		if i%10 == 0 {
			m.DeletedAt = now()
		}
	})
	closed(t, s)
	foreign(t, path, "UPDATE meta SET value = '0' WHERE key = 'words'", "DELETE FROM unsealed", "UPDATE documents SET rows = zeroblob(length(rows))")
	if err := sqlite.CheckIndex(t.Context(), path); err == nil {
		t.Fatal("the index is whole: the test damages nothing")
	}
	closed(t, open(t, path))
	checkIndex(t, path)
}

// late is a context with a deadline that never comes.
type late struct{ context.Context }

func (late) Deadline() (time.Time, bool) { return now().AddDate(1000, 0, 0), true }

// Open has too little time to reindex all, so that several go on with it. Meanwhile the memories are found, come and go.
func TestAnIndexIsRenewedInBatches(t *testing.T) {
	path := filepath.Join(t.TempDir(), "engram.db")
	s := open(t, path)
	shuffled(t, s, 9)
	closed(t, s)
	// Texts that the index has not seen stand for words of another version.
	foreign(t, path, "UPDATE meta SET value = '0' WHERE key = 'words'", "UPDATE memories SET content = content || ' zeppelin' WHERE num % 3 = 0")
	live := count(t, path, "SELECT count(*) FROM memories WHERE deleted_at IS NULL")
	found := func(s *sqlite.Store, word string) (n int) {
		view(t, s, func(r engram.Reader) error {
			hits, err := storetest.Hits(t.Context(), r, engram.LexicalQuery{Terms: text.Query(word), Limit: 10_000})
			n = len(hits)
			return err
		})
		return n
	}
	c := storetest.NewCorpus(9)
	word, last, opens := c.Word(), 0, 0
	for ; ; opens++ {
		asked := 0
		clock := func() time.Time { // passes the deadline after one batch
			asked++
			return now().AddDate(asked/3*1000, 0, 0)
		}
		s, err := sqlite.Open(late{t.Context()}, sqlite.Options{Path: path, Now: clock})
		if err != nil {
			t.Fatal(err)
		}
		if count(t, path, "SELECT count(*) FROM segments WHERE level < 0") == 0 {
			closed(t, s)
			break
		}
		if n := found(s, "zeppelin"); n < last {
			t.Errorf("opened %d times: %d memories have new words, fewer than the %d before", opens, n, last)
		} else {
			last = n
		}
		if found(s, word) == 0 {
			t.Errorf("opened %d times: %q is not found", opens, word)
		}
		update(t, s, func(tx engram.Tx) error {
			m := c.Memory(now())
			m.ID, m.SyncID, m.Content = engram.ID(fmt.Sprintf("mem_9%025d", opens)), fmt.Sprintf("obs-9%015x", opens), m.Content+" zeppelin"
			if err := saveOne(t, tx, &m); err != nil {
				return err
			}
			old, err := tx.List(t.Context(), engram.Filter{}, engram.Page{Limit: 2, Offset: live / 2})
			if err != nil {
				return err
			}
			for _, m := range old {
				if err := tx.EraseMemory(t.Context(), m.Num); err != nil {
					return err
				}
			}
			return nil
		})
		closed(t, s)
	}
	if opens < 10 || last == 0 {
		t.Errorf("renewed in %d batches, in which %d new words were found: too few to tell anything", opens, last)
	}
	checkIndex(t, path)
}
