package sqlite_test

import (
	"fmt"
	"path/filepath"
	"reflect"
	"testing"
	"time"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/postings"
	"github.com/alanbuscaglia/engram/internal/sqlite"
	"github.com/alanbuscaglia/engram/internal/storetest"
	"github.com/alanbuscaglia/engram/internal/text"
)

// sparingFilters select all, some, few and hardly any of the memories with a word.
func sparingFilters() []engram.Filter {
	return []engram.Filter{{}, {Project: "project-03"}, {Project: "project-03", Types: []engram.Type{engram.TypeReflex}}, {Scope: engram.ScopeProject},
		{Project: "project-04", Tags: []string{"third0"}}, {Project: "project-03", Since: now().Add(500 * time.Minute), Until: now().Add(700 * time.Minute)},
		{Project: "project-03", Metadata: map[string]any{"five": 1}}}
}

// sparing queries a freshly opened store, which has read no documents, without session scores, and
// compares with a process that has read all of them.
func sparing(t *testing.T, path string, seed uint64, questions int) {
	t.Helper()
	warm := open(t, path)
	defer warm.Close()
	c := storetest.NewCorpus(seed)
	c.Question(30_000)
	found := 0
	for i := range questions {
		q := engram.LexicalQuery{Terms: text.Query(c.Question(2 + i%9)), Limit: []int{1, 10, 40}[i%3], Filter: sparingFilters()[i%len(sparingFilters())]}
		want := lexical(t, warm, q)
		q.Alone = true
		s := open(t, path)
		got := lexical(t, s, q)
		again := lexical(t, s, q)
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
		want.Parts, want.Beside = nil, nil
		for _, g := range []engram.Lexical{got, again} {
			if !reflect.DeepEqual(g, want) {
				t.Errorf("%+v\n got %+v\nwant %+v", q, g, want)
			}
		}
		found += len(want.Hits)
	}
	if found < questions {
		t.Errorf("%d questions found %d memories: too few to tell anything", questions, found)
	}
}

func lexical(t *testing.T, s *sqlite.Store, q engram.LexicalQuery) (l engram.Lexical) {
	t.Helper()
	view(t, s, func(r engram.Reader) (err error) {
		l, err = r.Lexical(t.Context(), q)
		return err
	})
	return l
}

func TestReadingFewDocumentsFindsTheSame(t *testing.T) {
	path := filepath.Join(t.TempDir(), "engram.db")
	s := open(t, path)
	shuffled(t, s, 7)
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	sparing(t, path, 7, 42)
}

// With full segments, more pages are needed than are read one by one.
func TestReadingFewDocumentsOfALargeProjectFindsTheSame(t *testing.T) {
	path := filepath.Join(t.TempDir(), "engram.db")
	s := open(t, path)
	c := storetest.NewCorpus(8)
	makeProjects(t, s, c)
	var ms []engram.Memory
	update(t, s, func(tx engram.Tx) error {
		for i := range 9000 {
			m := c.Memory(now().Add(time.Duration(i) * time.Minute))
			m.Project = "project-03"
			m.SessionID = ""
			if i%300 == 0 {
				m.Type = engram.TypeReflex
			}
			if i%5 == 0 {
				m.Metadata = map[string]any{"five": i % 2}
			}
			if err := saveOne(t, tx, &m); err != nil {
				return err
			}
			ms = append(ms, m)
		}
		return nil
	})
	for _, every := range []int{500, 70} { // few per segment, and many
		update(t, s, func(tx engram.Tx) error {
			for i := 3; i < len(ms); i += every {
				if err := tx.EraseMemory(t.Context(), ms[i].Num); err != nil && engram.CodeOf(err) != engram.CodeNotFound {
					return err
				}
			}
			return nil
		})
		checkIndex(t, path)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if n := count(t, path, "SELECT count(*) FROM segments WHERE level = 3 AND slots > 1000"); n < 2 {
		t.Fatalf("%d large segments: too few to tell anything", n)
	}
	sparing(t, path, 8, 42)
}

func TestDamagedLengthsAreNoticed(t *testing.T) {
	path := filepath.Join(t.TempDir(), "engram.db")
	s := open(t, path)
	shuffled(t, s, 9)
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	checkIndex(t, path)
	foreign(t, path, "UPDATE lengths SET rows = zeroblob(length(rows))")
	if err := sqlite.CheckIndex(t.Context(), path); err == nil {
		t.Error("lengths that no document has are not noticed")
	}
	foreign(t, path, "DELETE FROM lengths")
	s = open(t, path)
	defer s.Close()
	q := engram.LexicalQuery{Terms: text.Query(storetest.NewCorpus(9).Word()), Filter: engram.Filter{Project: "project-03"}, Limit: 10, Alone: true}
	err := s.View(t.Context(), func(r engram.Reader) error {
		_, err := r.Lexical(t.Context(), q)
		return err
	})
	if err == nil {
		t.Errorf("%s: a search without lengths answers, want %v", fmt.Sprint(q), postings.ErrDamaged)
	}
}
