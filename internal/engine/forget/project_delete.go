package forget

import (
	"context"
	"maps"
	"slices"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/engine/ledger"
	"github.com/alanbuscaglia/engram/internal/engine/projects"
	"github.com/alanbuscaglia/engram/internal/engine/screen"
	"github.com/alanbuscaglia/engram/internal/engine/walk"
)

// PruneProjects removes projects without memories, live or forgotten, with their prompts and sessions; dryRun
// only lists them. Nil names means every such project; a named project with memories is skipped.
func (x *Eraser) PruneProjects(ctx context.Context, names []string, dryRun bool) ([]engram.ProjectCounts, error) {
	names = slices.Clone(names) // the argument stays unchanged, and nil stays nil
	for i, n := range names {
		names[i] = screen.NormalProject(n)
	}
	if dryRun {
		return ledger.Read(ctx, x.ledger, func(r engram.Reader) ([]engram.ProjectCounts, error) { return emptyProjects(ctx, r, names) })
	}
	return ledger.Perform(ctx, x.ledger, "project_prune", func(o *ledger.Tx) ([]engram.ProjectCounts, error) {
		empty, err := emptyProjects(ctx, o.Store, names)
		if err != nil {
			return nil, err
		}
		for _, p := range empty {
			if err := dropProject(ctx, o, p.Project, &DeletedProject{}, false); err != nil {
				return nil, err
			}
		}
		return empty, nil
	})
}

func emptyProjects(ctx context.Context, r engram.Reader, names []string) ([]engram.ProjectCounts, error) {
	all, err := r.Projects(ctx, true)
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
type DeletedProject struct {
	Memories, Prompts, Sessions int
	HeldBy                      []engram.Trace // as in Deleted: remaining copies of erased texts
	Degraded                    []string       // what could not be searched for copies, and why
}

// DeleteProject forgets a project's memories and hides its prompts; hard erases both with sessions and project,
// and lists remaining copies of the texts. An unknown project is not_found.
func (x *Eraser) DeleteProject(ctx context.Context, name string, hard bool) (DeletedProject, error) {
	var going []engram.Memory
	var root string
	operation := "project_delete"
	if hard {
		operation = "project_erase"
		if err := x.exposure.CollectCounters(ctx); err != nil { // pending counters would keep its name
			return DeletedProject{}, err
		}
	}
	d, err := ledger.Perform(ctx, x.ledger, operation, func(o *ledger.Tx) (d DeletedProject, err error) {
		p, err := projects.NamedProject(ctx, o.Store, name)
		if err != nil {
			return d, err
		}
		if root = p.Root; hard { // before erasing, as in Delete
			if going, d.HeldBy, err = heldOf(ctx, o, p.Name); err != nil {
				return d, err
			}
		}
		if d.Memories, err = forgetProject(ctx, o, p.Name, hard); err != nil {
			return d, err
		}
		if hard {
			err = dropProject(ctx, o, p, &d, hard)
		} else {
			d.Prompts, err = leaveProject(ctx, o, p.Name, hard)
		}
		return d, err
	})
	if err != nil {
		return d, err
	}
	outside, degraded := x.heldOutside(ctx, going, []string{root})
	d.HeldBy, d.Degraded = append(d.HeldBy, outside...), degraded
	return d, nil
}

// heldOf returns the ids of all memories of a project about to be erased, and the memories of other projects
// that contain their texts.
func heldOf(ctx context.Context, o *ledger.Tx, project string) (going []engram.Memory, held []engram.Trace, err error) {
	h := holdersIn(o.Store, func(m engram.Memory) bool { return m.Project == project })
	for _, forgotten := range []bool{false, true} {
		n := 0
		err := walk.EachAfter(func(after int) ([]engram.Memory, error) {
			return o.Store.List(ctx, engram.Filter{Project: project, Forgotten: forgotten}, engram.Page{Limit: 500, Offset: after})
		}, func(m engram.Memory) (int, error) {
			n++
			going = append(going, engram.Memory{Num: m.Num, ID: m.ID, SyncID: m.SyncID}) // without texts: there may be many
			return n, h.lookFor(ctx, m)
		})
		if err != nil {
			return nil, nil, err
		}
	}
	return going, h.held, nil
}

// forgetProject forgets every live memory of a project, or with hard erases all memories.
func forgetProject(ctx context.Context, o *ledger.Tx, name string, hard bool) (n int, err error) {
	kinds := []bool{false}
	if hard {
		kinds = []bool{false, true}
	}
	for _, forgotten := range kinds {
		some, err := walk.Drain(func() ([]engram.Memory, error) {
			return o.Store.List(ctx, engram.Filter{Project: name, Forgotten: forgotten}, engram.Page{Limit: 500})
		}, func(m engram.Memory) error {
			if hard {
				return o.EraseMemory(ctx, m)
			}
			return Forget(ctx, o, &m, "its project was deleted")
		})
		if n += some; err != nil {
			return n, err
		}
	}
	return n, nil
}

func leaveProject(ctx context.Context, o *ledger.Tx, name string, hard bool) (int, error) {
	return walk.Drain(func() ([]engram.Prompt, error) {
		return o.Store.Prompts(ctx, engram.PromptFilter{Project: name}, engram.Page{Limit: 500})
	},
		func(p engram.Prompt) error {
			if hard {
				return erasePrompt(ctx, o, p)
			}
			now := p
			now.DeletedAt = o.At
			return o.ReplacePrompt(ctx, p, now, "its project was deleted")
		})
}

// dropProject removes a project without memories, with its prompts and sessions. Hidden prompts remain without
// a project.
func dropProject(ctx context.Context, o *ledger.Tx, p engram.Project, d *DeletedProject, hard bool) error {
	n, err := leaveProject(ctx, o, p.Name, hard)
	if err != nil {
		return err
	}
	d.Prompts += n
	hidden, err := engram.DeletedPrompts(ctx, o.Store, p.Name, "")
	if err != nil {
		return err
	}
	for _, prompt := range hidden {
		now := prompt
		if now.Project, now.SessionID = "", ""; hard {
			err = erasePrompt(ctx, o, prompt)
		} else {
			err = o.ReplacePrompt(ctx, prompt, now, "its project was removed")
		}
		if err != nil {
			return err
		}
	}
	if err := dropSessions(ctx, o, p.Name, d, hard); err != nil {
		return err
	}
	was := map[string]any{}
	if !hard {
		was = ledger.ProjectFields(p)
	}
	if err := o.Log(ctx, engram.EntityProject, p.Name, p.Name, "requested", was); err != nil {
		return err
	}
	return o.RemoveProject(ctx, p)
}

func dropSessions(ctx context.Context, o *ledger.Tx, name string, d *DeletedProject, hard bool) error {
	_, err := walk.Drain(func() ([]engram.SessionActivity, error) {
		return o.Store.Sessions(ctx, engram.SessionFilter{Project: name}, engram.Page{Limit: 500})
	}, func(s engram.SessionActivity) error {
		gone, err := dropSession(ctx, o, s.Session, hard)
		if gone {
			d.Sessions++
		}
		return err
	})
	return err
}

// dropSession removes a session of a deleted project. A session with memories, which an update moved to another
// project, stays without a project to keep their place in time.
func dropSession(ctx context.Context, o *ledger.Tx, s engram.Session, hard bool) (gone bool, err error) {
	n, err := o.Store.Count(ctx, engram.Filter{SessionID: s.ID, WithForgotten: true})
	if err != nil {
		return false, err
	}
	if n == 0 {
		if err := leaveSession(ctx, o, s); err != nil {
			return false, err
		}
		err := o.DeleteSession(ctx, s, hard)
		return err == nil, err
	}
	now := s
	now.Project = ""
	return false, o.PutSession(ctx, &s, now, "its project was deleted")
}

// Named identifies things whose project is wanted.
type Named struct {
	Memories []engram.Ref
	Relation string // by id; "" for none
	Op       int64  // operation of the journal; 0 for none
}

// ProjectsOf returns the projects of the named things, each once; a relation belongs to those of both ends.
// Unknown things have none. Nothing counts as read.
func (x *Eraser) ProjectsOf(ctx context.Context, n Named) ([]string, error) {
	found := map[string]bool{}
	err := x.ledger.View(ctx, func(r engram.Reader) error {
		refs := slices.Clone(n.Memories)
		if n.Relation != "" {
			switch rel, err := r.Relation(ctx, engram.RelationRef{ID: n.Relation}); {
			case err == nil:
				refs = append(refs, engram.ByNum(rel.Source), engram.ByNum(rel.Target))
			case unknown(err):
			default:
				return err
			}
		}
		for _, ref := range refs {
			switch m, err := r.Memory(ctx, screen.NormalRef(ref)); {
			case err == nil:
				found[m.Project] = true
			case unknown(err):
			default:
				return err
			}
		}
		if n.Op == 0 {
			return nil
		}
		_, all, err := engram.OperationOf(ctx, r, n.Op)
		if unknown(err) {
			return nil
		}
		for _, m := range all {
			found[m.Project] = true
		}
		return err
	})
	delete(found, "")
	return slices.Sorted(maps.Keys(found)), err
}

// unknown reports whether an error says that a thing does not exist or is ambiguous.
func unknown(err error) bool {
	switch engram.CodeOf(err) {
	case engram.CodeNotFound, engram.CodeConflict, engram.CodeInvalid:
		return err != nil
	}
	return false
}
