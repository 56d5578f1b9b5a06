package exchange

import (
	"cmp"
	"context"
	"errors"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/engine/forget"
	"github.com/alanbuscaglia/engram/internal/engine/ledger"
	"github.com/alanbuscaglia/engram/internal/engine/walk"
)

// Erases reports whether a record is of something erased where it comes in, or relates it.
func (i *Importing) Erases(r engram.Record) bool { return i.erased.Erases(r, i.Border) }

// projectInside returns the project, by its name here, into which something of a project comes.
func (i *Importing) projectInside(ctx context.Context, project string) (string, error) {
	if i.Border != "" {
		return i.Border, nil
	}
	return i.ProjectHere(ctx, project)
}

// refuseErased returns why something does not come in that was erased where it comes in, or where it is here ("":
// nowhere); nil if it was not.
func (i *Importing) refuseErased(ctx context.Context, kind engram.Entity, project, here string, names ...string) error {
	if !i.erased.Anywhere(kind, names...) {
		return nil
	}
	project, err := i.projectInside(ctx, project)
	if err != nil {
		return err
	}
	if !i.erased.Has(kind, project, names...) && !i.erased.Has(kind, here, names...) {
		i.erased.Lives(project, names...)
		return nil
	}
	return &Refused{Reason: "it was erased here", harmless: true}
}

// ReportErased passes an erasure on to a project into which something comes that was erased here, for good, in
// another one: its other replicas would keep what this store never takes in.
func (i *Importing) ReportErased(ctx context.Context, r engram.Record) error {
	if r.Memory == nil && r.Prompt == nil {
		return nil
	}
	project, err := i.projectInside(ctx, ledger.ProjectOf(r))
	if err != nil {
		return err
	}
	x, everywhere := i.erased.Find(r.Entity(), ledger.NamesOf(r), func(x engram.Erased) bool { return !x.Bound })
	_, known := i.erased.Find(r.Entity(), ledger.NamesOf(r), func(x engram.Erased) bool { return x.Project == project })
	if !everywhere || known {
		return nil
	}
	x.Project = project
	i.erased.Add(x)
	return i.Tx.Store.ReplicaTx().PutErased(ctx, x)
}

// eraseElsewhere applies an erasure from elsewhere: the thing is forgotten here, which can be undone, and later
// records of it stay out. An erasure from a remote counts for its own project; one from a file for every project, or
// for the one that the file goes into, where it skips things that are not here and have no known project.
func (i *Importing) eraseElsewhere(ctx context.Context, x engram.Erased) (Outcome, error) {
	var err error
	if x.Project, err = i.projectInside(ctx, x.Project); err != nil {
		return Unchanged, err
	}
	x = erasedAs(x)
	x.Bound = x.Entity == engram.EntitySession || i.Border != "" || i.Batch != "" && x.Project != ""
	reported := x
	out, here, err := i.hideErased(ctx, &x)
	if err != nil || !here && i.Border != "" && i.Batch == "" {
		return out, err
	}
	if reported.Project != "" && reported.Project != x.Project { // it has moved here: both projects need the erasure
		i.erased.Add(reported)
		if err := i.Tx.Store.ReplicaTx().PutErased(ctx, reported); err != nil {
			return out, err
		}
	}
	known := i.erased.Has(x.Entity, x.Project, x.Name())
	i.erased.Add(x)
	if err := i.Tx.Store.ReplicaTx().PutErased(ctx, x); err != nil {
		return Unchanged, err
	}
	if i.Batch != "" {
		if err := i.Tx.Store.ReplicaTx().PutReplicated(ctx, []string{i.Batch}, engram.ThingState{Entity: engram.EntityErased, Key: x.Key(), Digest: x.Digest()}); err != nil {
			return Unchanged, err
		}
	}
	if known {
		return out, nil
	}
	if out == Unchanged {
		out = added
	}
	// Something that never was here may be of an unknown project.
	p, _, err := i.Tx.Store.Project(ctx, x.Project)
	if err != nil {
		return Unchanged, err
	}
	return out, i.Tx.Log(ctx, engram.EntityErased, x.Key(), p.Name, "erased elsewhere", nil)
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
func (i *Importing) hideErased(ctx context.Context, x *engram.Erased) (out Outcome, here bool, err error) {
	// Only hidden: a forgotten thing would be pushed again with its text.
	i.Tx.Hides = true
	defer func() { i.Tx.Hides = false }()
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
			return Unchanged, false, err
		}
		if x.ID, x.SyncID = cmp.Or(string(m.ID), m.SyncID), m.SyncID; !m.Forgotten() {
			return changed, true, forget.Forget(ctx, i.Tx, &m, "erased elsewhere")
		}
	case engram.EntityPrompt:
		p, found, err := i.knownPrompt(ctx, &engram.Prompt{SyncID: x.Name()})
		if err = elsewhere(err); err != nil || !found || !counts(p.Project) {
			return Unchanged, false, err
		}
		if x.ID, x.SyncID = p.SyncID, p.SyncID; !p.Deleted() {
			now := p
			now.DeletedAt = i.Tx.At
			return changed, true, i.Tx.ReplacePrompt(ctx, p, now, "erased elsewhere")
		}
	case engram.EntitySession:
		s, found, err := walk.IfThere(i.Tx.Store.Session(ctx, x.ID))
		return Unchanged, found && counts(s.Project), err // the row stays for what is in the session, and is not pushed any more
	}
	return Unchanged, here, nil
}

// elsewhere drops the error for something in another project, which is left alone.
func elsewhere(err error) error {
	if _, alone := errors.AsType[*leftAlone](err); alone {
		return nil
	}
	return err
}
