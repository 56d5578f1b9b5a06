package sqlite_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/sqlite"
	"github.com/alanbuscaglia/engram/internal/storetest"
)

// secret is one word to the index, lower case and without an English ending, so that every copy has the
// same bytes.
const secret = "xqzvwkjq"

// grep returns the files of the store that contain the secret, read by another process.
func grep(t *testing.T, path string) string {
	t.Helper()
	out, err := start(t, "grep", secret, path, path+"-wal", path+"-shm", path+"-journal").rest()
	if err != nil {
		t.Fatalf("grep: %v", err)
	}
	return out
}

// secretly puts the secret into every field that can hold text.
func secretly(m *engram.Memory) {
	m.Title = secret + " " + m.Title
	m.Content = m.Content + " " + secret + " " + m.Content + " " + secret
	m.Summary, m.ToolName, m.Tags, m.TopicKey = secret, secret, []string{secret}, "a/"+secret
	m.Metadata = map[string]any{secret: secret}
}

// saveCorpus creates the projects of c and saves n of its memories, one per transaction; change may be
// nil.
func saveCorpus(t testing.TB, s engram.Store, c *storetest.Corpus, n int, change func(i int, m *engram.Memory)) []engram.Memory {
	t.Helper()
	makeProjects(t, s, c)
	ms := make([]engram.Memory, n)
	for i := range ms {
		ms[i] = c.Memory(now())
		if change != nil {
			change(i, &ms[i])
		}
		update(t, s, func(tx engram.Tx) error { return saveOne(t, tx, &ms[i]) })
	}
	return ms
}

func makeProjects(t testing.TB, s engram.Store, c *storetest.Corpus) {
	t.Helper()
	update(t, s, func(tx engram.Tx) error {
		for _, name := range c.Projects() {
			if err := tx.PutProject(t.Context(), engram.Project{Name: name, CreatedAt: now()}); err != nil {
				return err
			}
			if err := tx.PutSession(t.Context(), engram.Session{ID: "s-" + name, Project: name, StartedAt: now(), ActiveAt: now()}); err != nil {
				return err
			}
		}
		return nil
	})
}

// saveOne writes what the engine writes for a save: state and journal.
func saveOne(t testing.TB, tx engram.Tx, m *engram.Memory) error {
	if err := tx.InsertMemory(t.Context(), m); err != nil {
		return err
	}
	return tx.Append(t.Context(), &engram.Mutation{At: engram.Clock(0).Tick(now()), Actor: "test", Operation: "save",
		Entity: engram.EntityMemory, Key: fmt.Sprint(m.Num), Project: m.Project})
}

func update(t testing.TB, s engram.Store, fn func(engram.Tx) error) {
	t.Helper()
	if err := s.Update(t.Context(), fn); err != nil {
		t.Fatalf("update: %v", err)
	}
}

func view(t testing.TB, s engram.Store, fn func(engram.Reader) error) {
	t.Helper()
	if err := s.View(t.Context(), fn); err != nil {
		t.Fatalf("view: %v", err)
	}
}

func closed(t testing.TB, s *sqlite.Store) {
	t.Helper()
	if err := s.Close(); err != nil {
		t.Fatalf("close: %v", err)
	}
}

func TestAnErasedTextIsInNoFile(t *testing.T) {
	for _, tt := range []struct {
		name      string
		memories  int
		every     int // every n-th memory contains the secret
		rewritten bool
	}{
		{"the only memory", 1, 1, false},
		{"the only memory, changed before", 1, 1, true},
		{"one of many", 150, 150, true},
		{"many of many", 150, 7, true},
		{"all of many", 50, 1, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "engram.db")
			s := open(t, path)
			defer s.Close()
			ms := saveCorpus(t, s, storetest.NewCorpus(1), tt.memories, func(i int, m *engram.Memory) {
				if i%tt.every == 0 {
					secretly(m)
					m.TopicKey += fmt.Sprint(i)
					m.Content = strings.Repeat(m.Content, 1+i%13) // some fill pages of their own
				}
			})
			if tt.rewritten {
				for i := 0; i < len(ms); i += tt.every {
					rewrite(t, s, &ms[i])
				}
			}
			if grep(t, path) == "" {
				t.Fatal("the secret is in no file before the erase: the test looks for the wrong bytes")
			}
			for i := 0; i < len(ms); i += tt.every {
				update(t, s, func(tx engram.Tx) error { return tx.EraseMemory(t.Context(), ms[i].Num) })
			}
			if found := grep(t, path); found != "" {
				t.Errorf("while the store is open, the secret is in\n%s", found)
			}
			closed(t, s)
			if found := grep(t, path); found != "" {
				t.Errorf("after it was closed, the secret is in\n%s", found)
			}
			checkIntegrity(t, path)
			erased := (tt.memories + tt.every - 1) / tt.every
			if n := count(t, path, "SELECT count(*) FROM tombstones WHERE entity = 'memory' AND id LIKE 'mem\\_%' ESCAPE '\\' AND name LIKE 'obs-%'"); n != erased {
				t.Errorf("tombstones: got %d, want %d", n, erased)
			}
		})
	}
}

// Memories that moved through every level of the index must leave no word in any of them, nor in pages
// freed on the way.
func TestAnErasedTextIsInNoPartOfTheIndex(t *testing.T) {
	path := filepath.Join(t.TempDir(), "engram.db")
	s := open(t, path)
	defer s.Close()
	c := storetest.NewCorpus(4)
	makeProjects(t, s, c)
	ms := saveMany(t, s, c, 4800, func(i int, m *engram.Memory) {
		if i%97 == 0 {
			// Words at the start, in the middle and at the end of a segment.
			m.Title, m.Tags = fmt.Sprintf("%s%d 0%s %s", secret, i, secret, secret), []string{secret}
			m.Content += fmt.Sprintf(" z%s%d", secret, i)
		}
	})
	for i := 0; i < len(ms); i += 97 {
		if i%2 == 0 {
			rewrite(t, s, &ms[i])
		}
	}
	for i := 0; i < len(ms); i += 97 {
		update(t, s, func(tx engram.Tx) error { return tx.EraseMemory(t.Context(), ms[i].Num) })
	}
	if found := grep(t, path); found != "" {
		t.Errorf("while the store is open, the secret is in\n%s", found)
	}
	closed(t, s)
	if found := grep(t, path); found != "" {
		t.Errorf("after it was closed, the secret is in\n%s", found)
	}
	checkIntegrity(t, path)
}

// rewrite updates m: the old text becomes a revision, the journal keeps the old fields.
func rewrite(t *testing.T, s engram.Store, m *engram.Memory) {
	t.Helper()
	old := *m
	m.Content = strings.ToUpper(m.Content) + " changed"
	m.Title += " changed"
	m.RevisionCount++
	update(t, s, func(tx engram.Tx) error {
		if err := tx.InsertRevision(t.Context(), engram.Revision{Memory: m.Num, Number: 1, Type: old.Type, Title: old.Title, Content: old.Content,
			WrittenAt: now(), ReplacedAt: now(), Reason: secret}); err != nil {
			return err
		}
		if err := tx.ReplaceMemory(t.Context(), *m); err != nil {
			return err
		}
		was, err := json.Marshal(map[string]any{"tags": old.Tags, "metadata": old.Metadata})
		if err != nil {
			return err
		}
		return tx.Append(t.Context(), &engram.Mutation{Actor: "test", Operation: "update", Entity: engram.EntityMemory, Key: fmt.Sprint(m.Num),
			Project: m.Project, Reason: secret, Was: was})
	})
}

func TestADeletedPromptIsInNoFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "engram.db")
	s := open(t, path)
	defer s.Close()
	c := storetest.NewCorpus(2)
	makeProjects(t, s, c)
	var secrets []int64
	for i := range 200 {
		p := engram.Prompt{SyncID: fmt.Sprintf("prompt-%d", i), Project: c.Project(), Content: c.Memory(now()).Content, CreatedAt: now()}
		if i%9 == 0 {
			p.Content += " " + secret
		}
		update(t, s, func(tx engram.Tx) error { return tx.InsertPrompt(t.Context(), &p) })
		if i%9 == 0 {
			secrets = append(secrets, p.Num)
		}
	}
	for _, num := range secrets {
		update(t, s, func(tx engram.Tx) error { return tx.ErasePrompt(t.Context(), num) })
	}
	closed(t, s)
	if found := grep(t, path); found != "" {
		t.Errorf("the secret is in\n%s", found)
	}
}

func TestAnEraseWithAReaderIsCleanWhenTheReaderEnds(t *testing.T) {
	path := filepath.Join(t.TempDir(), "engram.db")
	s := open(t, path)
	defer s.Close()
	c := storetest.NewCorpus(3)
	ms := saveCorpus(t, s, c, 20, func(i int, m *engram.Memory) {
		if i == 10 {
			secretly(m)
		}
	})
	view(t, s, func(r engram.Reader) error {
		if _, err := r.Memory(t.Context(), engram.ByNum(ms[10].Num)); err != nil {
			return err
		}
		update(t, s, func(tx engram.Tx) error { return tx.EraseMemory(t.Context(), ms[10].Num) })
		_, err := r.Memory(t.Context(), engram.ByNum(ms[10].Num)) // its snapshot still contains it
		return err
	})
	closed(t, s)
	if found := grep(t, path); found != "" {
		t.Errorf("the secret is in\n%s", found)
	}
	if _, err := os.Stat(path + "-wal"); err == nil {
		t.Error("the write-ahead log is still there after the last connection closed")
	}
}

func TestAnEraseReportsAReaderAndTheNextWriteEmptiesTheLog(t *testing.T) {
	path := filepath.Join(t.TempDir(), "engram.db")
	s := open(t, path)
	defer s.Close()
	ms := saveCorpus(t, s, storetest.NewCorpus(3), 20, func(i int, m *engram.Memory) {
		if i == 10 {
			secretly(m)
		}
	})
	view(t, s, func(r engram.Reader) error {
		if _, err := r.Memory(t.Context(), engram.ByNum(ms[10].Num)); err != nil {
			return err
		}
		update(t, s, func(tx engram.Tx) error { return tx.EraseMemory(t.Context(), ms[10].Num) })
		if !s.LogHolds() {
			t.Error("with a reader in the way nothing is said of it")
		}
		return nil
	})
	update(t, s, func(tx engram.Tx) error { return tx.PutFact(t.Context(), "any", "write") })
	if s.LogHolds() {
		t.Error("the log still holds it after a write without a reader")
	}
	if found := grep(t, path); found != "" {
		t.Errorf("the secret is in\n%s", found)
	}
}
