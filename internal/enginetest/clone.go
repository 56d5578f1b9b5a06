package enginetest

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/engine"
	"github.com/alanbuscaglia/engram/internal/engine/relate"
	"github.com/alanbuscaglia/engram/internal/engine/remember"
	"github.com/alanbuscaglia/engram/internal/engine/sync"
	"github.com/alanbuscaglia/engram/internal/lifecycle"
	"github.com/alanbuscaglia/engram/internal/replica/replicatest"
)

// Clone is one of several stores that share a remote.
type Clone struct {
	World
	Remote engram.Remote
}

// Clones are stores with a remote between them, with different ids and without automatic relations.
func Clones(t *testing.T, n int) (*replicatest.Place, []Clone) {
	t.Helper()
	place := replicatest.NewPlace("here")
	var all []Clone
	for i := range n {
		w := NewWorld(t)
		p := lifecycle.DefaultPolicy()
		p.MostLinks, p.MostCandidates = 0, 0
		given := i * 1_000_000
		w.Engine = engine.New(engine.Options{Store: w.Store, Embedder: Embedder(), Now: w.Clock.Now, Policy: &p, Formats: Formats(), NewID: func() engram.ID {
			given++
			return engram.ID(fmt.Sprintf("%s%026d", engram.IDPrefix, given))
		}})
		all = append(all, Clone{w, place.Open()})
	}
	return place, all
}

// PullFrom pulls a project from a remote of its own.
func (c Clone) PullFrom(r engram.Remote, project string) sync.Pulled {
	c.Helper()
	p, err := c.Pull(c.Context(), r, sync.PullInput{Project: project})
	if err != nil {
		c.Fatalf("pull %s: %v", project, err)
	}
	return p
}

// Memory returns a memory as it is here, forgotten or not.
func (c Clone) Memory(id engram.ID) (m engram.Memory) {
	c.Helper()
	err := c.Store.View(c.Context(), func(r engram.Reader) (err error) {
		m, err = r.Memory(c.Context(), engram.ByID(id))
		return err
	})
	if err != nil {
		c.Fatal(err)
	}
	return m
}

// MustPush pushes to the remote.
func (c Clone) MustPush() sync.Pushed {
	c.Helper()
	p, err := c.Push(c.Context(), c.Remote, sync.PushInput{Project: "shop"})
	if err != nil {
		c.Fatalf("push: %v", err)
	}
	return p
}

// MustPull pulls from the remote.
func (c Clone) MustPull() sync.Pulled {
	c.Helper()
	p, err := c.Pull(c.Context(), c.Remote, sync.PullInput{Project: "shop"})
	if err != nil {
		c.Fatalf("pull: %v", err)
	}
	return p
}

// MustCanonical is Canonical of the engine; the test fails on its error.
func (c Clone) MustCanonical() string {
	c.Helper()
	var b bytes.Buffer
	if err := c.Canonical(c.Context(), &b, "shop"); err != nil {
		c.Fatalf("canonical: %v", err)
	}
	return b.String()
}

// Edit gives a memory another text.
func (c Clone) Edit(id engram.ID, text string) {
	c.Helper()
	if _, err := c.Update(c.Context(), remember.UpdateInput{Ref: engram.ByID(id), Content: &text}); err != nil {
		c.Fatal(err)
	}
}

// Num returns the number of a memory here.
func (c Clone) Num(id engram.ID) int64 {
	c.Helper()
	d, err := c.Get(c.Context(), engram.ByID(id))
	if err != nil {
		c.Fatal(err)
	}
	return d.Memory.Num
}

// MustLink relates two memories.
func (c Clone) MustLink(source, target engram.ID, verb engram.Verb) {
	c.Helper()
	if _, err := c.Link(c.Context(), relate.LinkInput{Source: engram.ByID(source), Target: engram.ByID(target), Verb: verb}); err != nil {
		c.Fatalf("link %s: %v", verb, err)
	}
}

// LiveRelations returns the live relations of a store, by the titles of their memories.
func (c Clone) LiveRelations() string {
	c.Helper()
	var all []string
	err := c.Store.View(c.Context(), func(r engram.Reader) error {
		rs, err := r.Relations(c.Context(), engram.RelationFilter{}, engram.Page{Limit: 100})
		for _, rel := range rs {
			ms, err := r.Memories(c.Context(), []int64{rel.Source, rel.Target})
			if err != nil {
				return err
			}
			all = append(all, fmt.Sprintf("%s %s %s", ms[0].Title, rel.Verb, ms[1].Title))
		}
		return err
	})
	if err != nil {
		c.Fatal(err)
	}
	slices.Sort(all)
	return strings.Join(all, ", ")
}

// Erasing is an erasure as a client that may write to the shop's shared project can send it.
func Erasing(m engram.Memory) engram.Record {
	return engram.Record{Erased: &engram.Erased{Entity: engram.EntityMemory, ID: string(m.ID), SyncID: m.SyncID, Project: "shop", At: 1}}
}

// Meet lets every clone push and pull until nothing is new.
func Meet(all ...Clone) {
	for range 3 {
		for _, c := range all {
			if ps, err := c.Projects(c.Context()); err == nil && len(ps) > 0 {
				c.MustPush()
			}
			c.MustPull()
		}
	}
}

// WriteTo puts records at the remote that no store has pushed.
func WriteTo(t *testing.T, r engram.Remote, by string, records ...engram.Record) engram.Batch {
	t.Helper()
	b, err := r.Write(t.Context(), engram.Batch{By: by, At: time.Date(2026, 6, 12, 0, 0, 0, 0, time.UTC)}, records)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// Equal fails unless all have the same.
func Equal(t *testing.T, all ...Clone) {
	t.Helper()
	want := all[0].MustCanonical()
	for n, c := range all[1:] {
		if got := c.MustCanonical(); got != want {
			t.Errorf("replica %d has\n%s\nand the first\n%s", n+1, got, want)
		}
	}
}

// Foreign is a memory of another writer.
func Foreign(id string, at time.Time, title, content string) engram.Record {
	s := engram.VersionStamp{At: engram.Clock(0).Tick(at), Device: "elsewhere"}
	return engram.Record{Causal: &engram.CausalMetadata{Base: s}, Memory: &engram.MemoryRecord{Memory: engram.Memory{ID: engram.ID(id), SyncID: "obs-" + id[len(id)-16:],
		Project: "shop", Scope: engram.ScopeProject, Type: "fact", Title: title, Content: content, Origin: engram.OriginHuman, Importance: .5, Strength: 1,
		CreatedAt: at, UpdatedAt: at, TouchedAt: at, RevisionCount: 1, DuplicateCount: 1}}}
}
