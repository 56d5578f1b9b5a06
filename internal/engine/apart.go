package engine

import (
	"context"
	"sync/atomic"

	"github.com/alanbuscaglia/engram"
)

// Apart returns the same Engine for callers that must not see some projects, such as agents that
// a person has switched off for one: what it reads everywhere leaves out what is in them or tied
// to it. off returns nil while there are none, else a test for a project's name; it is
// asked for every answer and must not wait.
//
// The caller refuses requests that name such a project, because it can say why: ProjectsOf
// and ProjectFor know all of them. A verb that would still write in one, such as the undo
// of an import into several, is CodeForbidden and does nothing.
func (e *Engine) Apart(off func() (off func(project string) bool)) *Engine {
	f := *e
	f.store = apartStore{e.store, off}
	f.coverage = new(atomic.Pointer[coverage])
	if e.warm != nil { // a server that is asked to search does not know who asks
		f.warm = func(ctx context.Context, in SearchInput) (engram.Found, bool) {
			if off() != nil {
				return engram.Found{}, false
			}
			return e.warm(ctx, in)
		}
	}
	return &f
}

// apartStore is a Store whose Views leave out projects.
type apartStore struct {
	engram.Store
	off func() func(project string) bool
}

// View runs fn on a snapshot without the projects that are off now.
func (s apartStore) View(ctx context.Context, fn func(engram.Reader) error) error {
	return s.Store.View(engram.Without(ctx, s.off()), fn)
}

// keptApart returns the test for projects that are off now; nil while none is.
func (e *Engine) keptApart() func(project string) bool {
	if s, is := e.store.(apartStore); is {
		return s.off()
	}
	return nil
}

// everywhere is the Engine over all projects, for upkeep, which shows nothing to agents.
func (e *Engine) everywhere() *Engine {
	s, is := e.store.(apartStore)
	if !is {
		return e
	}
	f := *e
	f.store = s.Store
	return &f
}

// mayWrite rejects a write to a thing in a project that is off, or that takes it from there. A
// relation belongs to both its projects: the end that is not off may be changed, and
// what ties it with it.
func (o *op) mayWrite(t thing, project string, was map[string]any) error {
	if o.off == nil || t.entity == engram.EntityRelation {
		return nil
	}
	names := []string{project}
	if t.entity == engram.EntityProject {
		names = append(names, t.key)
	}
	if from, moved := was["project"].(string); moved {
		names = append(names, from)
	}
	for _, name := range names {
		if name != "" && o.off(name) {
			return engram.Errorf(engram.CodeForbidden, "Engram is switched off for project %q, and this would write in it: nothing was done", name).
				WithHint("the user runs {on --project %s}", name)
		}
	}
	return nil
}
