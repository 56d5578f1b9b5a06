package engine

import (
	"cmp"
	"context"

	"github.com/alanbuscaglia/engram"
)

// wasErased is what is said of a record of something that was erased, or that ties it to
// something else.
const wasErased = "it was erased, or what it ties was"

// goneTries is how often it is tried to tell of a memory that it left where it never was. That it
// left may arrive before the memory does, but not by many pulls.
const goneTries = 5

// gone are things that were erased, here or elsewhere.
type gone struct {
	all map[buried]engram.Erased
	// called has the projects of erasures by their aliases, and living the projects of memories
	// that are here though one of their name was erased in another one.
	called map[string]string
	living map[string]string
}

func newGone() gone {
	return gone{map[buried]engram.Erased{}, map[string]string{}, map[string]string{}}
}

// buried is what something that was erased is looked up by: a name of it, and the project that
// the erasure counts for.
type buried struct {
	kind    engram.Entity
	name    string
	project string
	reach   reach
}

// reach says of how much an erasure is asked.
type reach int

const (
	inProject  reach = iota // what counts for one project
	everywhere              // what counts for all
	anywhere                // what counts for any
)

func (g gone) add(x engram.Erased) {
	for _, name := range []string{x.ID, x.SyncID} {
		if name == "" {
			continue
		}
		g.all[buried{kind: x.Entity, name: name, project: x.Project}] = x
		g.all[buried{kind: x.Entity, name: name, reach: anywhere}] = x
		if !x.Bound {
			g.all[buried{kind: x.Entity, name: name, reach: everywhere}] = x
		}
	}
}

// has reports whether something of a project was erased: there, or for good. Who may write to
// what one project shares erases nothing of another.
func (g gone) has(kind engram.Entity, project string, names ...string) bool {
	if name, alias := g.called[project]; alias {
		project = name
	}
	_, in := g.find(buried{kind: kind, project: project}, names...)
	_, all := g.find(buried{kind: kind, reach: everywhere}, names...)
	return in || all
}

// anywhere reports whether something of one of these names was erased in any project.
func (g gone) anywhere(kind engram.Entity, names ...string) bool {
	_, found := g.find(buried{kind: kind, reach: anywhere}, names...)
	return found
}

func (g gone) find(as buried, names ...string) (engram.Erased, bool) {
	for _, as.name = range names {
		if x, found := g.all[as]; found && as.name != "" {
			return x, true
		}
	}
	return engram.Erased{}, false
}

// lives notes that a memory is here, or comes in, though one of its name was erased elsewhere.
func (g gone) lives(project string, names ...string) {
	for _, name := range names {
		g.living[name] = project
	}
}

// erases reports whether a record is of something that was erased where it comes in, or ties
// it; border is the one project that anything comes into, "" for where it says itself.
func (g gone) erases(r engram.Record, border string) bool {
	switch {
	case r.Memory != nil:
		m := r.Memory.Memory
		return g.has(engram.EntityMemory, cmp.Or(border, m.Project), string(m.ID), m.SyncID)
	case r.Prompt != nil:
		return g.has(engram.EntityPrompt, cmp.Or(border, r.Prompt.Project), r.Prompt.SyncID)
	case r.Session != nil:
		return g.has(engram.EntitySession, cmp.Or(border, r.Session.Project), r.Session.ID)
	case r.Relation != nil:
		return g.erasesEnd(r.Relation.Source, border) || g.erasesEnd(r.Relation.Target, border)
	}
	return false
}

// erasesEnd is erases for a memory of a relation, which does not say of what project it is. Of
// what project one that is not here was, what erased it tells.
func (g gone) erasesEnd(end engram.Ref, border string) bool {
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

// erases reports whether a record is of something that was erased where it would come in, or
// ties it.
func (i *importing) erases(r engram.Record) bool { return i.erased.erases(r, i.border) }

// readErased reads what was erased: it stays away, and what is still here of it, because it
// was erased elsewhere, goes nowhere.
func readErased(ctx context.Context, r engram.Reader) (gone, error) {
	all := newGone()
	seen := map[string]bool{"": true}
	for _, kind := range []engram.Entity{engram.EntityMemory, engram.EntityPrompt, engram.EntitySession} {
		for after := ""; ; {
			page, err := r.ErasedAfter(ctx, kind, after, exportPage)
			if err != nil {
				return all, err
			}
			var bound []string
			for _, x := range page {
				if all.add(x); x.Bound && x.Entity == engram.EntityMemory {
					bound = append(bound, x.ID, x.SyncID)
				}
				if after = x.Key(); !seen[x.Project] {
					seen[x.Project] = true
					p, _, err := r.Project(ctx, x.Project)
					if err != nil {
						return all, err
					}
					for _, alias := range p.Aliases {
						all.called[alias] = p.Name
					}
				}
			}
			if len(bound) > 0 {
				here, err := r.Named(ctx, bound)
				if err != nil {
					return all, err
				}
				for _, m := range here {
					all.lives(m.Project, string(m.ID), m.SyncID)
				}
			}
			if len(page) < exportPage {
				break
			}
		}
	}
	return all, nil
}

// inside is the project, as it is called here, in which something comes in that says it is of
// this one.
func (i *importing) inside(ctx context.Context, project string) (string, error) {
	if i.border != "" {
		return i.border, nil
	}
	return i.projectHere(ctx, project)
}

// refuseErased is why something does not come in that was erased where it would come in or
// where it is here, "" for nowhere; nil for anything else.
func (i *importing) refuseErased(ctx context.Context, kind engram.Entity, project, here string, names ...string) error {
	if !i.erased.anywhere(kind, names...) {
		return nil
	}
	project, err := i.inside(ctx, project)
	if err != nil {
		return err
	}
	if !i.erased.has(kind, project, names...) && !i.erased.has(kind, here, names...) {
		i.erased.lives(project, names...)
		return nil
	}
	return &refused{reason: "it was erased here", harmless: true}
}

// tellErased tells those who work on a project of which something comes in that was erased
// here for good, in another one: else they would go on having what this store never takes.
func (i *importing) tellErased(ctx context.Context, r engram.Record) error {
	var project string
	var names []string
	switch {
	case r.Memory != nil:
		project, names = r.Memory.Memory.Project, []string{string(r.Memory.Memory.ID), r.Memory.Memory.SyncID}
	case r.Prompt != nil:
		project, names = r.Prompt.Project, []string{r.Prompt.SyncID}
	default:
		return nil
	}
	project, err := i.inside(ctx, project)
	if err != nil {
		return err
	}
	x, all := i.erased.find(buried{kind: r.Entity(), reach: everywhere}, names...)
	if _, told := i.erased.find(buried{kind: r.Entity(), project: project}, names...); !all || told {
		return nil
	}
	x.Project = project
	i.erased.add(x)
	return i.tx.PutErased(ctx, x)
}
