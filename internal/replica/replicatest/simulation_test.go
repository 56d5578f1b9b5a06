package replicatest_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"database/sql"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime/debug"
	"sync"
	"testing"
	"time"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/engine"
	"github.com/alanbuscaglia/engram/internal/engine/ledger"
	"github.com/alanbuscaglia/engram/internal/enginetest"
	"github.com/alanbuscaglia/engram/internal/lifecycle"
	"github.com/alanbuscaglia/engram/internal/replica/jsonfile"
)

// A failure prints its seed and its history; -seed and -history replay that one.
var (
	seedFlag    = flag.Uint64("seed", 0, "seed of the simulation; 0 takes the time")
	historyFlag = flag.Int("history", -1, "play only this history")
	manyFlag    = flag.Int("histories", 20, "play so many histories")
)

const (
	replicas = 5
	// worlds is the number of sets of stores that exist at once: histories run on them in parallel, one after
	// the other on each, in a project of its own.
	worlds = 2
	// lives is the number of histories per set of stores, which slow down as they grow.
	lives = 10
)

// Five people work on a project, each with a store, and exchange files, chunks in clones of a
// repository and batches at a place: in any order, some twice, some late, some lost, with clocks
// hours apart. After exchanging everything, all have the same, byte for byte, and no text is lost.
func TestReplicasComeTogether(t *testing.T) {
	seed := *seedFlag
	if seed == 0 {
		seed = uint64(time.Now().UnixNano())
	}
	t.Logf("go test ./internal/replica/replicatest -run %s -seed %d", t.Name(), seed)
	// The heap is so small that it would be collected many times a second, for a third of the CPU.
	defer debug.SetGCPercent(debug.SetGCPercent(1600))
	most := *manyFlag
	if testing.Short() {
		most = min(most, 10)
	}
	var counted tally
	var digest [sha256.Size]byte // of every history's dumps, in any order
	var counting sync.Mutex
	play := func(w *world, n int) {
		h := newHistory(w, seed, n)
		if err := h.play(t.Context()); err != nil {
			t.Errorf("history %d: %v\nagain: -seed %d -history %d\n%s", n, err, seed, n, h.told.String())
		}
		counting.Lock()
		defer counting.Unlock()
		counted.add(h.tally)
		for i, b := range h.digest {
			digest[i] ^= b
		}
	}
	first := make(chan int) // of the next lives histories, which are played in order on one world
	var workers sync.WaitGroup
	for range worlds {
		workers.Go(func() {
			for n := range first {
				w, err := newWorld(t)
				if err != nil {
					t.Error(err)
				}
				for end := min(n+lives, most); n < end && !t.Failed(); n++ {
					if *historyFlag < 0 || *historyFlag == n {
						play(w, n)
					}
				}
				w.close(t)
			}
		})
	}
	for n := 0; n < most; n += lives {
		if *historyFlag < 0 || n <= *historyFlag && *historyFlag < n+lives {
			first <- n
		}
	}
	close(first)
	workers.Wait()
	t.Log(counted.String())
	t.Logf("digest of the canonical dumps: %x", digest)
	if *historyFlag < 0 && most >= 100 && (counted.Writes == 0 || counted.Files == 0 || counted.Chunks == 0 || counted.Batches == 0 || counted.Dropped == 0 ||
		counted.Moved == 0 || counted.Scoped == 0 || counted.Joined == 0) {
		t.Errorf("something never happened: %s", counted.String())
	}
}

// tally counts events in histories.
type tally struct {
	Histories, Writes, Undone, Unpulled, Personal, Erased, Moved, Scoped, Joined, Files, Chunks, Batches, Dropped, Texts int
}

func (a *tally) add(b tally) {
	a.Histories++
	a.Writes += b.Writes
	a.Undone += b.Undone
	a.Unpulled += b.Unpulled
	a.Personal += b.Personal
	a.Erased += b.Erased
	a.Moved += b.Moved
	a.Scoped += b.Scoped
	a.Joined += b.Joined
	a.Files += b.Files
	a.Chunks += b.Chunks
	a.Batches += b.Batches
	a.Dropped += b.Dropped
	a.Texts += b.Texts
}

func (a *tally) String() string {
	return fmt.Sprintf("%d histories of %d replicas: %d writes (%d undos, %d of pulls, %d personal, %d erasures, %d moves, %d changes of scope, %d projects joined or renamed), %d texts; %d files, %d chunk pulls, %d batch pulls, %d chunks dropped",
		a.Histories, replicas, a.Writes, a.Undone, a.Unpulled, a.Personal, a.Erased, a.Moved, a.Scoped, a.Joined, a.Texts, a.Files, a.Chunks, a.Batches, a.Dropped)
}

// world is five stores.
type world struct {
	dir   string
	peers [replicas]*peer
}

// peer is one store with its engine, its clock and its ids.
type peer struct {
	*engine.Engine
	store engram.Store
	name  string
	clone string // folder of its repository
	now   time.Time
	steps *rand.Rand
	pulls []int64 // operations of its pulls in this history
	code  enginetest.Code
	ids   func() engram.ID
}

func newWorld(t *testing.T) (*world, error) {
	w := &world{dir: folder(t)}
	policy := lifecycle.DefaultPolicy()
	policy.MostLinks, policy.MostCandidates = 0, 0 // what is near is another test's
	for i := range w.peers {
		path := filepath.Join(w.dir, fmt.Sprintf("%d.db", i))
		store, err := enginetest.OpenStore(path)
		if err != nil {
			return w, err
		}
		p := &peer{store: store, name: string(rune('A' + i))}
		if err := nameDevice(t.Context(), path, p.name); err != nil {
			return w, err
		}
		p.Engine = engine.New(engine.Options{Store: store, Policy: &policy, Formats: jsonfile.Formats(), Caller: ledger.Caller{Actor: p.name, Dir: enginetest.CodeFolder}, Code: &p.code,
			Now: func() time.Time {
				p.now = p.now.Add(time.Duration(1+p.steps.IntN(90_000)) * time.Millisecond)
				return p.now
			},
			NewID: func() engram.ID { return p.ids() }})
		w.peers[i] = p
	}
	return w, nil
}

// nameDevice gives a new store a fixed device id, so that a seed gives the same dumps in every run.
func nameDevice(ctx context.Context, path, name string) (err error) {
	db, err := sql.Open("sqlite", path)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	_, err = db.ExecContext(ctx, `UPDATE meta SET value = ? WHERE key = 'device'`, fmt.Sprintf("%016x", name))
	return err
}

// close closes the stores and removes their files; w may be nil.
func (w *world) close(t *testing.T) {
	if w == nil {
		return
	}
	for _, p := range w.peers {
		if p == nil {
			continue // it could not be opened
		}
		if err := p.store.Close(); err != nil {
			t.Error(err)
		}
	}
	if err := os.RemoveAll(w.dir); err != nil {
		t.Error(err)
	}
}

// folder returns a folder in memory if the system has one: stores are synced at every write, and
// durability is tested elsewhere.
func folder(t *testing.T) string {
	dir, err := os.MkdirTemp("/dev/shm", "replicas-")
	if err != nil {
		return t.TempDir()
	}
	t.Cleanup(func() {
		if err := os.RemoveAll(dir); err != nil {
			t.Error(err)
		}
	})
	return dir
}

// history is one life of a project.
type history struct {
	*world
	rng     *rand.Rand
	project string
	// projects are all project names of this history; the first is project.
	projects []string
	joined   bool // some were joined or renamed
	active   bool // something was exchanged
	place    interface {
		Open() engram.Remote
		Drop(string)
	}
	files    []file // written files, for late readers
	outcomes map[engram.ID]*outcome
	digest   [sha256.Size]byte // of the dumps of all peers in the end
	kept     map[string]bool   // what some peers keep to themselves in the end, by kind and name
	owned    map[string]bool   // sessions with a personal memory
	told     bytes.Buffer      // log of events, for a failure
	tally    tally
}

// file is an export.
type file struct {
	from int
	text []byte
}

// outcome is the history of a memory.
type outcome struct {
	texts    map[string]string // by first author
	erased   bool
	personal bool // a peer has it as personal in the end: the others are not checked
}

// historyGap separates histories on every clock: the stamps of one are later than those of all before.
const historyGap = 30 * 24 * time.Hour

func newHistory(w *world, seed uint64, n int) *history {
	h := &history{world: w, rng: rand.New(rand.NewPCG(seed, uint64(n))), project: fmt.Sprintf("h%d", n), outcomes: map[engram.ID]*outcome{}}
	h.projects = []string{h.project, h.project + "-side", h.project + "-new"}
	for i, p := range w.peers {
		p.now = enginetest.Start().Add(time.Duration(n)*historyGap + time.Duration(h.rng.IntN(16*3600_000))*time.Millisecond)
		p.steps = rand.New(rand.NewPCG(seed^uint64(i+1), uint64(n)))
		p.pulls = nil
		made := 0
		p.ids = func() engram.ID {
			made++
			return engram.ID(fmt.Sprintf("%s%06d%02d%018d", engram.IDPrefix, n, i, made))
		}
		p.clone = filepath.Join(w.dir, fmt.Sprintf("%s-%s", h.project, p.name))
	}
	return h
}

func (h *history) say(format string, args ...any) { fmt.Fprintf(&h.told, format+"\n", args...) }

// play plays it to the end, and returns what is wrong with that.
func (h *history) play(ctx context.Context) error {
	h.open()
	offline := h.rng.IntN(2 * replicas) // this peer exchanges nothing before the end; often an index without a peer
	for range 20 + h.rng.IntN(40) {
		i := h.rng.IntN(replicas)
		var err error
		if h.rng.IntN(4) > 0 {
			err = h.write(ctx, h.peers[i])
		} else if j := h.rng.IntN(replicas); i != offline && j != offline {
			err = h.meet(ctx, i, j)
		}
		if err != nil {
			return err
		}
	}
	if h.joined {
		if err := h.agree(ctx); err != nil {
			return err
		}
	}
	if err := h.meetAll(ctx, h.rng.IntN(3)); err != nil {
		return err
	}
	if !h.joined && h.waiting(ctx, h.peers[:]...) != "" {
		// Something was moved. A peer that got it by a file, and forgot it before a remote
		// announced the move, is not told that it left: it waits until the projects are joined.
		if err := h.agree(ctx); err != nil {
			return err
		}
		if err := h.meetAll(ctx, inBetween); err != nil {
			return err
		}
	}
	return h.check(ctx)
}
