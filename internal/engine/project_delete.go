package engine

import (
	"context"
	"slices"

	"github.com/alanbuscaglia/engram"
)

// PruneProjects removes projects without memories, live or forgotten, together with
// their prompts and sessions; dryRun only names them. Nil names means every such
// project; a name that has memories is passed over.
func (e *Engine) PruneProjects(ctx context.Context, names []string, dryRun bool) ([]engram.ProjectCounts, error) {
	names = slices.Clone(names) // they stay the caller's, and nil stays nil
	for i, n := range names {
		names[i] = normalProject(n)
	}
	if dryRun {
		var empty []engram.ProjectCounts
		err := e.store.View(ctx, func(r engram.Reader) (err error) {
			empty, err = emptyProjects(ctx, r, names)
			return err
		})
		return empty, err
	}
	var gone []engram.ProjectCounts
	err := e.write(ctx, "project_prune", func(o *op) error {
		empty, err := emptyProjects(ctx, o.tx, names)
		if err != nil {
			return err
		}
		for _, p := range empty {
			if err := o.dropProject(ctx, p.Project, &DeletedProject{}); err != nil {
				return err
			}
		}
		gone = empty
		return nil
	})
	return gone, err
}

func emptyProjects(ctx context.Context, r engram.Reader, names []string) ([]engram.ProjectCounts, error) {
	all, err := r.Projects(ctx)
	if err != nil {
		return nil, err
	}
	var empty []engram.ProjectCounts
	for _, p := range all {
		if p.Memories > 0 || names != nil && !slices.Contains(names, p.Name) {
			continue
		}
		forgotten, err := r.List(ctx, engram.Filter{Project: p.Name, Forgotten: true}, engram.Page{Limit: 1})
		if err != nil {
			return nil, err
		}
		if len(forgotten) == 0 {
			empty = append(empty, p)
		}
	}
	return empty, nil
}

// DeletedProject counts what deleting a project removed.
type DeletedProject struct{ Memories, Prompts, Sessions int }

// DeleteProject forgets the project's memories and removes its prompts; hard erases
// the memories, and removes sessions and the project too. A project that does not
// exist is not_found.
func (e *Engine) DeleteProject(ctx context.Context, name string, hard bool) (DeletedProject, error) {
	var d DeletedProject
	err := e.write(ctx, "project_delete", func(o *op) error {
		p, known, err := o.tx.Project(ctx, normalProject(name))
		if err != nil {
			return err
		}
		if !known {
			return engram.Errorf(engram.CodeNotFound, "project %q does not exist", normalProject(name)).WithHint("projects list shows what there is")
		}
		if d.Memories, err = o.forgetProject(ctx, p.Name, hard); err != nil {
			return err
		}
		if hard {
			return o.dropProject(ctx, p, &d)
		}
		d.Prompts, err = o.deletePrompts(ctx, p.Name)
		return err
	})
	if err != nil {
		return DeletedProject{}, err
	}
	return d, nil
}

// forgetProject forgets every live memory of a project, or erases all of them.
func (o *op) forgetProject(ctx context.Context, name string, hard bool) (n int, err error) {
	kinds := []bool{false}
	if hard {
		kinds = []bool{false, true}
	}
	for _, forgotten := range kinds {
		for {
			// What is handled leaves the list, so its first page is always the rest.
			ms, err := o.tx.List(ctx, engram.Filter{Project: name, Forgotten: forgotten}, engram.Page{Limit: 500})
			if err != nil {
				return n, err
			}
			if len(ms) == 0 {
				break
			}
			for _, m := range ms {
				if hard {
					err = o.eraseMemory(ctx, m)
				} else {
					err = o.forget(ctx, &m, "its project was deleted")
				}
				if err != nil {
					return n, err
				}
				n++
			}
		}
	}
	return n, nil
}

func (o *op) deletePrompts(ctx context.Context, name string) (n int, err error) {
	for {
		ps, err := o.tx.Prompts(ctx, name, "", engram.Page{Limit: 500})
		if err != nil || len(ps) == 0 {
			return n, err
		}
		for _, p := range ps {
			if err := o.deletePrompt(ctx, p); err != nil {
				return n, err
			}
			n++
		}
	}
}

// dropProject removes a project that has no memories, with its prompts and sessions.
func (o *op) dropProject(ctx context.Context, p engram.Project, d *DeletedProject) error {
	n, err := o.deletePrompts(ctx, p.Name)
	if err != nil {
		return err
	}
	d.Prompts += n
	for {
		ss, err := o.tx.Sessions(ctx, p.Name, engram.Page{Limit: 500})
		if err != nil {
			return err
		}
		if len(ss) == 0 {
			break
		}
		for _, s := range ss {
			gone, err := o.dropSession(ctx, s.Session)
			if err != nil {
				return err
			}
			if gone {
				d.Sessions++
			}
		}
	}
	if err := o.log(ctx, engram.EntityProject, p.Name, p.Name, "asked for", map[string]any{"aliases": p.Aliases, "root": p.Root,
		"remote": p.Remote, "created_at": p.CreatedAt}); err != nil {
		return err
	}
	return o.tx.DeleteProject(ctx, p.Name)
}

// dropSession removes a session of a project that goes. One that holds memories,
// which an update gave to another project, stays without a project: they would lose
// their place in time with it.
func (o *op) dropSession(ctx context.Context, s engram.Session) (gone bool, err error) {
	n, err := o.tx.CountInSession(ctx, s.ID, true)
	if err != nil {
		return false, err
	}
	if n == 0 {
		return true, o.deleteSession(ctx, s)
	}
	now := s
	now.Project = ""
	return false, o.putSession(ctx, &s, now, "its project was deleted")
}
