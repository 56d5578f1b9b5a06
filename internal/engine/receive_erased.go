package engine

import (
	"cmp"
	"context"
	"errors"

	"github.com/alanbuscaglia/engram"
)

// eraseElsewhere heeds that something was erased elsewhere: here it is forgotten, which can
// be taken back, and stays away from then on, whatever is still written of it. What comes from
// a remote counts for the project that it is of alone; what comes from a file for all there is,
// or for the one project that everything of the file goes into. There, what is not here is
// passed over: of which project it would have been, nobody knows.
func (i *importing) eraseElsewhere(ctx context.Context, x engram.Erased) (fate, error) {
	var err error
	if x.Project, err = i.inside(ctx, x.Project); err != nil {
		return unchanged, err
	}
	x = erasedAs(x)
	x.Bound = x.Entity == engram.EntitySession || i.border != "" || i.batch != "" && x.Project != ""
	there := x
	out, here, err := i.hideErased(ctx, &x)
	if err != nil || !here && i.border != "" && i.batch == "" {
		return out, err
	}
	if there.Project != "" && there.Project != x.Project { // it has moved here, and is told of in both
		i.erased.add(there)
		if err := i.tx.PutErased(ctx, there); err != nil {
			return out, err
		}
	}
	known := i.erased.has(x.Entity, x.Project, x.Name())
	i.erased.add(x)
	if err := i.tx.PutErased(ctx, x); err != nil {
		return unchanged, err
	}
	if i.batch != "" {
		if err := i.tx.PutCarried(ctx, engram.EntityErased, x.Key(), x.Digest(), []string{i.batch}); err != nil {
			return unchanged, err
		}
	}
	if known {
		return out, nil
	}
	if out == unchanged {
		out = added
	}
	// What never was here may be of a project that is not here either.
	p, _, err := i.tx.Project(ctx, x.Project)
	if err != nil {
		return unchanged, err
	}
	return out, i.log(ctx, engram.EntityErased, x.Key(), p.Name, "erased elsewhere", nil)
}

// erasedAs is an erasure called as the thing would be, had it come in.
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

// hideErased hides what was erased, where the erasure counts, and calls it as it is called here.
func (i *importing) hideErased(ctx context.Context, x *engram.Erased) (out fate, here bool, err error) {
	// Only hidden: what it says is not to travel again for having been forgotten here.
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
		s, err := i.tx.Session(ctx, x.ID)
		if engram.CodeOf(err) == engram.CodeNotFound {
			return unchanged, false, nil
		}
		return unchanged, err == nil && counts(s.Project), err // it stays for what is in it, and is told of no more
	}
	return unchanged, here, nil
}

// elsewhere passes over that something is in another project here: it is left alone.
func elsewhere(err error) error {
	if _, alone := errors.AsType[*leftAlone](err); alone {
		return nil
	}
	return err
}
