package ledger

import (
	"cmp"
	"context"
	"slices"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/engine/walk"
)

// ErasedAmong returns the erasures of things of a kind, by Erased.Name. Things that are here nevertheless were erased
// elsewhere, and are hidden.
func ErasedAmong(ctx context.Context, r engram.Reader, kind engram.Entity, names []string) (Tombstones, error) {
	all := newTombstones()
	xs, err := r.Replica().ErasedOf(ctx, kind, names)
	for _, x := range xs {
		all.Add(x)
	}
	return all, err
}

// WasErased is the reason not to take in a record of something erased, or a relation of it.
const WasErased = "it was erased, or a memory that it relates was"

// TombstoneTries is how often a departure of an unknown memory is retried: it may arrive before the memory does, but
// not many pulls before.
const TombstoneTries = 5

// Tombstones are the erasures that this store knows, made here or elsewhere.
type Tombstones struct {
	all map[tombstone][]engram.Erased
	// called has the projects of erasures by alias; living has the projects of memories that are here although their
	// name was erased in another project.
	called map[string]string
	living map[string]string
}

func newTombstones() Tombstones {
	return Tombstones{map[tombstone][]engram.Erased{}, map[string]string{}, map[string]string{}}
}

// tombstone is the key of erasures: one for each name of the thing.
type tombstone struct {
	kind engram.Entity
	name string
}

// Add adds an erasure.
func (g Tombstones) Add(x engram.Erased) {
	for _, name := range []string{x.ID, x.SyncID} {
		if name != "" {
			g.all[tombstone{x.Entity, name}] = append(g.all[tombstone{x.Entity, name}], x)
		}
	}
}

// Has reports whether something of a project was erased, in it or everywhere. A client that may write to one shared
// project erases nothing in others.
func (g Tombstones) Has(kind engram.Entity, project string, names ...string) bool {
	if name, alias := g.called[project]; alias {
		project = name
	}
	_, found := g.Find(kind, names, func(x engram.Erased) bool { return !x.Bound || x.Project == project })
	return found
}

// Anywhere reports whether something with one of these names was erased in any project.
func (g Tombstones) Anywhere(kind engram.Entity, names ...string) bool {
	_, found := g.Find(kind, names, func(engram.Erased) bool { return true })
	return found
}

// Find returns the latest erasure of one of these names that counts.
func (g Tombstones) Find(kind engram.Entity, names []string, counts func(engram.Erased) bool) (engram.Erased, bool) {
	for _, name := range names {
		for _, x := range slices.Backward(g.all[tombstone{kind, name}]) {
			if counts(x) {
				return x, true
			}
		}
	}
	return engram.Erased{}, false
}

// Lives notes that a memory is here, or comes in, although its name was erased elsewhere.
func (g Tombstones) Lives(project string, names ...string) {
	for _, name := range names {
		g.living[name] = project
	}
}

// Erases reports whether a record is of something erased where it comes in, or relates it; border is the one project
// that everything comes into, "" for the record's own.
func (g Tombstones) Erases(r engram.Record, border string) bool {
	if r.Relation != nil {
		return g.erasesEnd(r.Relation.Source, border) || g.erasesEnd(r.Relation.Target, border)
	}
	return g.Has(r.Entity(), cmp.Or(border, ProjectOf(r)), NamesOf(r)...)
}

// erasesEnd is erases for a memory of a relation, whose project is unknown unless the memory is here.
func (g Tombstones) erasesEnd(end engram.Ref, border string) bool {
	for _, name := range []string{end.ID, end.SyncID} {
		project, lives := border, border != ""
		if !lives {
			project, lives = g.living[name]
		}
		if lives && g.Has(engram.EntityMemory, project, name) || !lives && g.Anywhere(engram.EntityMemory, name) {
			return true
		}
	}
	return false
}

// ErasedKinds are the kinds of things that can be erased.
func ErasedKinds() []engram.Entity {
	return []engram.Entity{engram.EntityMemory, engram.EntityPrompt, engram.EntitySession}
}

// ReadErased reads what was erased. It stays away; where it is still here, because it was erased elsewhere, it is not
// pushed.
func ReadErased(ctx context.Context, r engram.Reader) (Tombstones, error) {
	all := newTombstones()
	projects := map[string]bool{}
	var bound []string
	for _, kind := range ErasedKinds() {
		err := walk.EachAfter(func(after string) ([]engram.Erased, error) {
			return r.Replica().ErasedAfter(ctx, kind, after, walk.ExportPage)
		}, func(x engram.Erased) (string, error) {
			all.Add(x)
			if projects[x.Project] = true; x.Bound && kind == engram.EntityMemory {
				bound = append(bound, x.ID, x.SyncID)
			}
			return x.Key(), nil
		})
		if err != nil {
			return all, err
		}
	}
	delete(projects, "")
	for name := range projects {
		p, _, err := r.Project(ctx, name)
		if err != nil {
			return all, err
		}
		for _, alias := range p.Aliases {
			all.called[alias] = p.Name
		}
	}
	for names := range slices.Chunk(bound, walk.ExportPage) {
		here, err := r.Named(ctx, names)
		if err != nil {
			return all, err
		}
		for _, m := range here {
			all.Lives(m.Project, string(m.ID), m.SyncID)
		}
	}
	return all, nil
}
