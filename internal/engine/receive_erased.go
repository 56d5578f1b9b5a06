package engine

import (
	"cmp"
	"context"
	"errors"
	"slices"

	"github.com/alanbuscaglia/engram"
)

// wasErased is the reason not to take in a record of something erased, or a relation of it.
const wasErased = "it was erased, or a memory that it relates was"

// tombstoneTries is how often a departure of an unknown memory is retried: it may arrive before the memory does, but
// not many pulls before.
const tombstoneTries = 5

// tombstones are the erasures that this store knows, made here or elsewhere.
type tombstones struct {
	all map[tombstone][]engram.Erased
	// called has the projects of erasures by alias; living has the projects of memories that are here although their
	// name was erased in another project.
	called map[string]string
	living map[string]string
}

func newTombstones() tombstones {
	return tombstones{map[tombstone][]engram.Erased{}, map[string]string{}, map[string]string{}}
}

// tombstone is the key of erasures: one for each name of the thing.
type tombstone struct {
	kind engram.Entity
	name string
}

func (g tombstones) add(x engram.Erased) {
	for _, name := range []string{x.ID, x.SyncID} {
		if name != "" {
			g.all[tombstone{x.Entity, name}] = append(g.all[tombstone{x.Entity, name}], x)
		}
	}
}

// has reports whether something of a project was erased, in it or everywhere. A client that may write to one shared
// project erases nothing in others.
func (g tombstones) has(kind engram.Entity, project string, names ...string) bool {
	if name, alias := g.called[project]; alias {
		project = name
	}
	_, found := g.find(kind, names, func(x engram.Erased) bool { return !x.Bound || x.Project == project })
	return found
}

// anywhere reports whether something with one of these names was erased in any project.
func (g tombstones) anywhere(kind engram.Entity, names ...string) bool {
	_, found := g.find(kind, names, func(engram.Erased) bool { return true })
	return found
}

// find returns the latest erasure of one of these names that counts.
func (g tombstones) find(kind engram.Entity, names []string, counts func(engram.Erased) bool) (engram.Erased, bool) {
	for _, name := range names {
		for _, x := range slices.Backward(g.all[tombstone{kind, name}]) {
			if counts(x) {
				return x, true
			}
		}
	}
	return engram.Erased{}, false
}

// lives notes that a memory is here, or comes in, although its name was erased elsewhere.
func (g tombstones) lives(project string, names ...string) {
	for _, name := range names {
		g.living[name] = project
	}
}

// erases reports whether a record is of something erased where it comes in, or relates it; border is the one project
// that everything comes into, "" for the record's own.
func (g tombstones) erases(r engram.Record, border string) bool {
	if r.Relation != nil {
		return g.erasesEnd(r.Relation.Source, border) || g.erasesEnd(r.Relation.Target, border)
	}
	return g.has(r.Entity(), cmp.Or(border, projectOf(r)), namesOf(r)...)
}

// erasesEnd is erases for a memory of a relation, whose project is unknown unless the memory is here.
func (g tombstones) erasesEnd(end engram.Ref, border string) bool {
	for _, name := range []string{end.ID, end.SyncID} {
		project, lives := border, border != ""
		if !lives {
			project, lives = g.living[name]
		}
		if lives && g.has(engram.EntityMemory, project, name) || !lives && g.anywhere(engram.EntityMemory, name) {
			return true
		}
	}
	return false
}

// erases reports whether a record is of something erased where it comes in, or relates it.
func (i *importing) erases(r engram.Record) bool { return i.erased.erases(r, i.border) }

func erasedKinds() []engram.Entity {
	return []engram.Entity{engram.EntityMemory, engram.EntityPrompt, engram.EntitySession}
}

// readErased reads what was erased. It stays away; where it is still here, because it was erased elsewhere, it is not
// pushed.
func readErased(ctx context.Context, r engram.Reader) (tombstones, error) {
	all := newTombstones()
	projects := map[string]bool{}
	var bound []string
	for _, kind := range erasedKinds() {
		err := eachAfter(func(after string) ([]engram.Erased, error) {
			return r.Replica().ErasedAfter(ctx, kind, after, exportPage)
		}, func(x engram.Erased) (string, error) {
			all.add(x)
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
	for names := range slices.Chunk(bound, exportPage) {
		here, err := r.Named(ctx, names)
		if err != nil {
			return all, err
		}
		for _, m := range here {
			all.lives(m.Project, string(m.ID), m.SyncID)
		}
	}
	return all, nil
}

// projectInside returns the project, by its name here, into which something of a project comes.
func (i *importing) projectInside(ctx context.Context, project string) (string, error) {
	if i.border != "" {
		return i.border, nil
	}
	return i.projectHere(ctx, project)
}

// refuseErased returns why something does not come in that was erased where it comes in, or where it is here ("":
// nowhere); nil if it was not.
func (i *importing) refuseErased(ctx context.Context, kind engram.Entity, project, here string, names ...string) error {
	if !i.erased.anywhere(kind, names...) {
		return nil
	}
	project, err := i.projectInside(ctx, project)
	if err != nil {
		return err
	}
	if !i.erased.has(kind, project, names...) && !i.erased.has(kind, here, names...) {
		i.erased.lives(project, names...)
		return nil
	}
	return &refused{reason: "it was erased here", harmless: true}
}

// reportErased passes an erasure on to a project into which something comes that was erased here, for good, in
// another one: its other replicas would keep what this store never takes in.
func (i *importing) reportErased(ctx context.Context, r engram.Record) error {
	if r.Memory == nil && r.Prompt == nil {
		return nil
	}
	project, err := i.projectInside(ctx, projectOf(r))
	if err != nil {
		return err
	}
	x, everywhere := i.erased.find(r.Entity(), namesOf(r), func(x engram.Erased) bool { return !x.Bound })
	_, known := i.erased.find(r.Entity(), namesOf(r), func(x engram.Erased) bool { return x.Project == project })
	if !everywhere || known {
		return nil
	}
	x.Project = project
	i.erased.add(x)
	return i.tx.ReplicaTx().PutErased(ctx, x)
}

// eraseElsewhere applies an erasure from elsewhere: the thing is forgotten here, which can be undone, and later
// records of it stay out. An erasure from a remote counts for its own project; one from a file for every project, or
// for the one that the file goes into, where it skips things that are not here and have no known project.
func (i *importing) eraseElsewhere(ctx context.Context, x engram.Erased) (outcome, error) {
	var err error
	if x.Project, err = i.projectInside(ctx, x.Project); err != nil {
		return unchanged, err
	}
	x = erasedAs(x)
	x.Bound = x.Entity == engram.EntitySession || i.border != "" || i.batch != "" && x.Project != ""
	reported := x
	out, here, err := i.hideErased(ctx, &x)
	if err != nil || !here && i.border != "" && i.batch == "" {
		return out, err
	}
	if reported.Project != "" && reported.Project != x.Project { // it has moved here: both projects need the erasure
		i.erased.add(reported)
		if err := i.tx.ReplicaTx().PutErased(ctx, reported); err != nil {
			return out, err
		}
	}
	known := i.erased.has(x.Entity, x.Project, x.Name())
	i.erased.add(x)
	if err := i.tx.ReplicaTx().PutErased(ctx, x); err != nil {
		return unchanged, err
	}
	if i.batch != "" {
		if err := i.tx.ReplicaTx().PutReplicated(ctx, engram.EntityErased, x.Key(), x.Digest(), []string{i.batch}); err != nil {
			return unchanged, err
		}
	}
	if known {
		return out, nil
	}
	if out == unchanged {
		out = added
	}
	// Something that never was here may be of an unknown project.
	p, _, err := i.tx.Project(ctx, x.Project)
	if err != nil {
		return unchanged, err
	}
	return out, i.log(ctx, engram.EntityErased, x.Key(), p.Name, "erased elsewhere", nil)
}

// erasedAs returns an erasure with the names that the thing would have had here.
func erasedAs(x engram.Erased) engram.Erased {
	switch x.Entity {
	case engram.EntityMemory:
		if x.SyncID == "" && !plainID(x.ID, engram.IDPrefix) {
			x.SyncID = x.ID
		}
		id, sync := names(engram.Memory{ID: engram.ID(x.ID), SyncID: x.SyncID})
		x.ID, x.SyncID = cmp.Or(string(id), sync), sync
	case engram.EntityPrompt:
		x.ID, x.SyncID = x.Name(), x.Name()
	case engram.EntitySession:
		x.SyncID = ""
	}
	return x
}

// hideErased hides an erased thing where the erasure counts, and gives the erasure its names here.
func (i *importing) hideErased(ctx context.Context, x *engram.Erased) (out outcome, here bool, err error) {
	// Only hidden: a forgotten thing would be pushed again with its text.
	i.hides = true
	defer func() { i.hides = false }()
	counts := func(project string) bool {
		if here = !x.Bound || project == x.Project; here {
			x.Project = project
		}
		return here
	}
	switch x.Entity {
	case engram.EntityMemory:
		m, found, _, err := i.known(ctx, engram.ID(x.ID), x.SyncID)
		if err = elsewhere(err); err != nil || !found || !counts(m.Project) {
			return unchanged, false, err
		}
		if x.ID, x.SyncID = cmp.Or(string(m.ID), m.SyncID), m.SyncID; !m.Forgotten() {
			return changed, true, i.forget(ctx, &m, "erased elsewhere")
		}
	case engram.EntityPrompt:
		p, found, err := i.knownPrompt(ctx, &engram.Prompt{SyncID: x.Name()})
		if err = elsewhere(err); err != nil || !found || !counts(p.Project) {
			return unchanged, false, err
		}
		if x.ID, x.SyncID = p.SyncID, p.SyncID; !p.Deleted() {
			now := p
			now.DeletedAt = i.at
			return changed, true, i.replacePrompt(ctx, p, now, "erased elsewhere")
		}
	case engram.EntitySession:
		s, found, err := ifThere(i.tx.Session(ctx, x.ID))
		return unchanged, found && counts(s.Project), err // the row stays for what is in the session, and is not pushed any more
	}
	return unchanged, here, nil
}

// elsewhere drops the error for something in another project, which is left alone.
func elsewhere(err error) error {
	if _, alone := errors.AsType[*leftAlone](err); alone {
		return nil
	}
	return err
}
