package engine

import (
	"context"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/lifecycle"
)

// project adds a project, or brings the one that is here together with it. One that was
// merged into another here stays so, and a name that another one has stays there.
func (i *importing) project(ctx context.Context, there engram.Record) (fate, error) {
	name := there.Project.Name
	was, found, err := i.tx.Project(ctx, name)
	if err != nil || found && was.Name != name {
		return unchanged, err
	}
	l, known, err := i.lineage(ctx, engram.EntityProject, name)
	if err != nil {
		return unchanged, err
	}
	state := lifecycle.Normal(there)
	if found {
		written := engram.Record{Project: &was, Lineage: &l}
		if !known {
			written.Lineage = nil
		}
		if state, _, err = i.merged(ctx, written, there); err != nil {
			return unchanged, err
		}
	}
	now := *state.Project
	now.Root = was.Root
	if now.Aliases, err = i.free(ctx, name, now.Aliases); err != nil {
		return unchanged, err
	}
	if err := i.putLineage(ctx, engram.EntityProject, name, *state.Lineage, &l, known); err != nil {
		return unchanged, err
	}
	switch {
	case !found:
		if err := i.tx.PutProject(ctx, now); err != nil {
			return unchanged, err
		}
		return added, i.log(ctx, engram.EntityProject, name, name, i.reason, nil)
	case len(changes(projectFields(was), projectFields(now))) == 0:
		return unchanged, nil
	}
	if err := i.tx.PutProject(ctx, now); err != nil {
		return unchanged, err
	}
	return changed, i.log(ctx, engram.EntityProject, name, name, i.reason, changes(projectFields(was), projectFields(now)))
}

// free are those of a project's aliases that are the names of no other.
func (i *importing) free(ctx context.Context, name string, aliases []string) ([]string, error) {
	var free []string
	for _, a := range aliases {
		p, taken, err := i.tx.Project(ctx, a)
		if err != nil {
			return nil, err
		}
		if !taken || p.Name == name {
			free = append(free, a)
		}
	}
	return free, nil
}
