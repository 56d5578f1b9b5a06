package engine

import (
	"context"
	"slices"
	"strings"

	"github.com/alanbuscaglia/engram"
)

// OtherProject is what batches have of a project that is not the one that was asked for: it is pending
// until a pull is asked for that project, or for all.
type OtherProject struct {
	Project  string // as it is called here, if it is
	Memories int
	Others   int // sessions, prompts and erasures
}

// otherProjects counts records by project.
type otherProjects map[string]*OtherProject

func (e otherProjects) add(project string, memories, others int) {
	if e[project] == nil {
		e[project] = &OtherProject{Project: project}
	}
	e[project].Memories += memories
	e[project].Others += others
}

// count counts a record of a project. Relations belong where their memories are.
func (e otherProjects) count(project string, r engram.Record) {
	switch {
	case r.Memory != nil:
		e.add(project, 1, 0)
	case r.Relation == nil:
		e.add(project, 0, 1)
	}
}

// sorted are the counts by name.
func (e otherProjects) sorted() []OtherProject {
	all := []OtherProject{}
	for _, c := range e {
		all = append(all, *c)
	}
	slices.SortFunc(all, func(a, b OtherProject) int { return strings.Compare(a.Project, b.Project) })
	return all
}

// belongsTo is the project that a record says it is of; says is false for one that says none, such
// as a session that was only named by what refers to it. Relations belong where their memories are.
func belongsTo(r engram.Record) (project string, says bool) {
	switch {
	case r.Session != nil && r.Lineage != nil && claimsNothing(r.Session.ID, *r.Lineage):
		return "", false
	case r.Session != nil:
		return r.Session.Project, true
	case r.Prompt != nil:
		return r.Prompt.Project, true
	case r.Memory != nil:
		return r.Memory.Memory.Project, true
	case r.Erased != nil:
		return r.Erased.Project, r.Erased.Project != ""
	}
	return "", false
}

// leaves counts a record of another project that came with a batch, and reports whether it is one.
// A relation of a memory that was left is left, too.
func (b *receivingBatch) leaves(ctx context.Context, r engram.Record) (bool, error) {
	if b.border == "" || b.waited != nil {
		return false, nil
	}
	if rel := r.Relation; rel != nil {
		left := b.left[nameIn(rel.Source)] || b.left[nameIn(rel.Target)]
		b.apart = b.apart || left
		return left, nil
	}
	name, says := belongsTo(r)
	if !says {
		return false, nil
	}
	here, err := b.projectHere(ctx, name)
	if err != nil || here == b.border {
		return false, err
	}
	if b.aside.others == nil {
		b.aside.others, b.left = otherProjects{}, map[string]bool{}
	}
	b.apart = true
	b.aside.others.count(here, r)
	if r.Memory != nil {
		b.left[string(r.Memory.Memory.ID)], b.left[r.Memory.Memory.SyncID] = true, true
	}
	return true, nil
}

// restOfOthers counts what batches that came in for a project have of others that it did not come
// in for. Names are as they are called here.
func (e *Engine) restOfOthers(ctx context.Context, r engram.Remote, project string, batches []string) (rest otherProjects, pending int, err error) {
	rest = otherProjects{}
	var whole map[string]bool
	pulled, called := map[string]map[string]bool{}, map[string]string{}
	err = e.store.View(ctx, func(tx engram.Reader) error {
		if whole, err = tx.Pulled(ctx, "", batches); err != nil {
			return err
		}
		for _, b := range batches {
			if whole[b] {
				continue
			}
			some := false
			for rec, err := range r.Read(ctx, b) {
				if err != nil {
					break // told as trouble, or fine for others
				}
				name, says := belongsTo(rec)
				if !says {
					continue
				}
				here, known := called[name]
				if !known {
					p, found, err := tx.Project(ctx, name)
					if err != nil {
						return err
					}
					if here = name; found {
						here = p.Name
					}
					called[name] = here
					if pulled[here], err = tx.Pulled(ctx, here, batches); err != nil {
						return err
					}
				}
				if here != project && !pulled[here][b] {
					rest.count(here, rec)
					some = true
				}
			}
			if some {
				pending++
			}
		}
		return ctx.Err()
	})
	return rest, pending, err
}
