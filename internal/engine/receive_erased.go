package engine

import (
	"context"

	"github.com/alanbuscaglia/engram"
)

// eraseElsewhere heeds that something was erased elsewhere: here it is forgotten, which can
// be taken back, and stays away from then on, whatever is still written of it anywhere. What
// is not here is to stay away too, unless everything goes into one project: of which project
// it would have been, nobody knows.
func (i *importing) eraseElsewhere(ctx context.Context, x engram.Erased) (fate, error) {
	out := unchanged
	here := false
	// Only hidden: what it says is not to travel again for having been forgotten here.
	i.hides = true
	defer func() { i.hides = false }()
	switch x.Entity {
	case engram.EntityMemory:
		m, found, _, err := i.known(ctx, engram.ID(x.ID), x.SyncID)
		if err != nil {
			return unchanged, err
		}
		if here = found; found {
			x.ID, x.SyncID, x.Project = string(m.ID), m.SyncID, m.Project
			if !m.Forgotten() {
				out = changed
				if err := i.forget(ctx, &m, "erased elsewhere"); err != nil {
					return unchanged, err
				}
			}
		}
	case engram.EntityPrompt:
		p, found, err := i.knownPrompt(ctx, &engram.Prompt{SyncID: x.ID})
		if err != nil {
			return unchanged, err
		}
		if here = found; found {
			x.ID, x.Project = p.SyncID, p.Project
			if !p.Deleted() {
				now := p
				now.DeletedAt, out = i.at, changed
				if err := i.replacePrompt(ctx, p, now, "erased elsewhere"); err != nil {
					return unchanged, err
				}
			}
		}
	case engram.EntitySession:
		s, err := i.tx.Session(ctx, x.ID)
		switch {
		case engram.CodeOf(err) == engram.CodeNotFound:
		case err != nil:
			return unchanged, err
		case i.outside(s.Project):
			return unchanged, &leftAlone{s.Project}
		default:
			here, x.Project = true, s.Project // it stays for what is in it, and is told of no more
		}
	}
	if i.border != "" && !here && (i.batch == "" || x.Project == "") {
		return out, nil
	}
	known := i.erased.has(x.Entity, x.ID)
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
	return out, i.log(ctx, engram.EntityErased, erasedKey(x), p.Name, "erased elsewhere", nil)
}
