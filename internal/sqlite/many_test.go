package sqlite_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/storetest"
	"github.com/alanbuscaglia/engram/internal/text"
)

// childOpen waits for a line, opens the store at args[0], saves one memory named
// after args[1] and closes.
func childOpen(args []string) error {
	if err := childReady(); err != nil {
		return err
	}
	s, err := childStore(args[0])
	if err != nil {
		return err
	}
	m := draft(args[1], 1)
	return errors.Join(saveDraft(s, &m), s.Close())
}

// childSave saves memories named after args[1] into the store at args[0], one per transaction, for
// args[2] (a duration, or a number of them), and prints the ID of each acknowledged one.
func childSave(args []string) error {
	s, err := childStore(args[0])
	if err != nil {
		return err
	}
	most, err := strconv.Atoi(args[2])
	ctx := context.Background()
	if err != nil {
		most = 1 << 30
		d, err := time.ParseDuration(args[2])
		if err != nil {
			return err
		}
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, d)
		defer cancel()
	}
	for i := 1; i <= most && ctx.Err() == nil; i++ {
		m := draft(args[1], i)
		if err := saveDraft(s, &m); err != nil {
			return err
		}
		fmt.Println(m.ID)
	}
	return s.Close()
}

// childSearch searches the store at args[0] for args[1], a duration, and prints the number of searches.
func childSearch(args []string) error {
	d, err := time.ParseDuration(args[1])
	if err != nil {
		return err
	}
	s, err := childStore(args[0])
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(context.Background(), d)
	defer cancel()
	n := 0
	for ; ctx.Err() == nil; n++ {
		err := s.View(context.Background(), func(r engram.Reader) error {
			found, err := storetest.Hits(context.Background(), r, engram.LexicalQuery{Terms: text.Query("kettle " + draftWord(n)), Limit: 10})
			if err != nil {
				return err
			}
			nums := make([]int64, len(found))
			for i, f := range found {
				nums[i] = f.Num
			}
			ms, err := r.Memories(context.Background(), nums)
			if len(ms) != len(found) {
				return fmt.Errorf("found %d memories, read %d", len(found), len(ms))
			}
			return err
		})
		if err != nil {
			return err
		}
	}
	fmt.Println(n)
	return s.Close()
}

func draftWord(i int) string { return fmt.Sprintf("word%c%c", 'a'+i%26, 'a'+i/26%26) }

// draft returns the i-th memory of the process called name.
func draft(name string, i int) engram.Memory {
	return engram.Memory{
		ID: engram.ID(fmt.Sprintf("mem_%s%0*d", name, 26-len(name), i)), SyncID: fmt.Sprintf("obs-%s-%d", name, i), Project: "app", SessionID: "s-app",
		Scope: engram.ScopeProject, Type: engram.TypeFact, Origin: engram.OriginAgent, Title: "kettle of " + name,
		Content: fmt.Sprintf("%s boils %d times. %s", draftWord(i), i, strings.Repeat("It whistles, it steams. ", 20)), Importance: 0.5, Strength: 1,
		TouchedAt: now(), CreatedAt: now().Add(time.Duration(i) * time.Millisecond), UpdatedAt: now(), RevisionCount: 1, DuplicateCount: 1,
		NormalizedHash: fmt.Sprintf("%064x", i),
	}
}

// saveDraft saves as the engine does; the first process creates the project and the session.
func saveDraft(s engram.Store, m *engram.Memory) error {
	ctx := context.Background()
	return s.Update(ctx, func(tx engram.Tx) error {
		_, found, err := tx.Project(ctx, m.Project)
		if err != nil {
			return err
		}
		if !found {
			if err := tx.PutProject(ctx, engram.Project{Name: m.Project, CreatedAt: now()}); err != nil {
				return err
			}
			if err := tx.PutSession(ctx, engram.Session{ID: m.SessionID, Project: m.Project, StartedAt: now(), ActiveAt: now()}); err != nil {
				return err
			}
		}
		last, err := engram.LastMutation(ctx, tx)
		if err != nil {
			return err
		}
		if err := tx.InsertMemory(ctx, m); err != nil {
			return err
		}
		return tx.Append(ctx, &engram.Mutation{At: last.At.Tick(now()), Actor: "test", Operation: "save", Entity: engram.EntityMemory,
			Key: strconv.FormatInt(m.Num, 10), Project: m.Project})
	})
}

// checkAll fails the test unless the store contains exactly the acknowledged memories (with others set,
// at least these), each once, with its journal entry and indexed words, and is sound.
func checkAll(t *testing.T, path string, acknowledged []string, others bool) {
	t.Helper()
	s := open(t, path)
	defer s.Close()
	stored := map[string]int{}
	view(t, s, func(r engram.Reader) error {
		ms, err := r.List(t.Context(), engram.Filter{}, engram.Page{Limit: 1 << 30})
		if err != nil {
			return err
		}
		for _, m := range ms {
			stored[string(m.ID)]++
		}
		entries, err := r.Mutations(t.Context(), engram.JournalSpan{}, engram.Page{Limit: 1 << 30})
		if len(entries) != len(ms) {
			t.Errorf("%d memories have %d journal entries", len(ms), len(entries))
		}
		return err
	})
	for _, id := range acknowledged {
		if stored[id] != 1 {
			t.Errorf("%s was acknowledged and is there %d times", id, stored[id])
		}
	}
	if unique := len(slices.Compact(slices.Sorted(slices.Values(acknowledged)))); !others && len(stored) != unique {
		t.Errorf("%d memories are stored, %d were acknowledged", len(stored), unique)
	}
	closed(t, s)
	checkIntegrity(t, path)
}

func TestProcessesOpenANewStoreAtOnce(t *testing.T) {
	const processes, rounds = 4, 15
	for round := range rounds {
		path := filepath.Join(t.TempDir(), "data", "engram.db")
		children := make([]*child, processes)
		for i := range children {
			children[i] = start(t, "open", path, fmt.Sprint("p", i))
		}
		release(t, children...)
		var ids []string
		for i, c := range children {
			if out, err := c.rest(); err != nil {
				t.Errorf("round %d, process %d: %v %s", round, i, err, out)
			}
			ids = append(ids, string(draft(fmt.Sprint("p", i), 1).ID))
		}
		checkAll(t, path, ids, false)
	}
}

// soak returns how long processes work against each other.
func soak() time.Duration {
	if os.Getenv("ENGRAM_SOAK") == "1" {
		return 30 * time.Second
	}
	return 3 * time.Second
}

func TestWritersAndSearchersLoseNothing(t *testing.T) {
	path := filepath.Join(t.TempDir(), "engram.db")
	const writers, searchers = 8, 2
	var mu sync.Mutex
	var ids []string
	var wg sync.WaitGroup
	for i := range writers {
		c := start(t, "save", path, fmt.Sprint("w", i), soak().String())
		wg.Go(func() {
			out, err := c.rest()
			if err != nil {
				t.Errorf("writer %d: %v", i, err)
			}
			mu.Lock()
			defer mu.Unlock()
			if len(strings.Fields(out)) == 0 {
				t.Errorf("writer %d saved nothing", i)
			}
			ids = append(ids, strings.Fields(out)...)
		})
	}
	for i := range searchers {
		c := start(t, "search", path, soak().String())
		wg.Go(func() {
			out, err := c.rest()
			if err != nil || strings.TrimSpace(out) == "0" {
				t.Errorf("searcher %d: %v, searched %s times", i, err, strings.TrimSpace(out))
			}
			t.Logf("searcher %d: %s searches", i, strings.TrimSpace(out))
		})
	}
	wg.Wait()
	t.Logf("%d memories saved by %d processes in %v", len(ids), writers, soak())
	checkAll(t, path, ids, false)
}

// childFull saves into the store at args[0] with room for args[1] bytes until it fails five times, reads
// meanwhile, and saves again with room.
func childFull(args []string) error {
	room, err := strconv.ParseUint(args[1], 10, 64)
	if err != nil {
		return err
	}
	s, err := childStore(args[0])
	if err != nil {
		return err
	}
	try := func(i int) bool {
		m := draft("full", i)
		m.Content = strings.Repeat(m.Content, 20)
		if err := saveDraft(s, &m); err != nil {
			fmt.Println("refused", engram.CodeOf(err), err)
			return false
		}
		fmt.Println("saved", m.ID)
		return true
	}
	if err := limitFiles(room); err != nil {
		return err
	}
	saved := 0
	for i, refused := 1, 0; refused < 5; i++ {
		if try(i) {
			saved++
			continue
		}
		refused++
		err := s.View(context.Background(), func(r engram.Reader) error {
			ms, err := r.List(context.Background(), engram.Filter{}, engram.Page{Limit: 1 << 30})
			if len(ms) != saved {
				return fmt.Errorf("without room %d memories are listed, %d were saved: %w", len(ms), saved, err)
			}
			return err
		})
		if err != nil {
			return err
		}
	}
	if err := limitFiles(0); err != nil {
		return err
	}
	fmt.Println("lifted")
	try(1_000_000)
	return s.Close()
}
