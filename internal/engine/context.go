package engine

import (
	"context"

	"github.com/alanbuscaglia/engram"
)

// ContextInput says whose context is wanted. Project "" is every project, Scope ""
// every scope.
type ContextInput struct {
	Project string
	Scope   engram.Scope
}

// How much a new session is told.
const (
	contextSessions = 5
	contextPrompts  = 10
	contextMemories = 20
)

// Context returns what a new session should know: the latest sessions, prompts and
// memories.
func (e *Engine) Context(ctx context.Context, in ContextInput) (engram.Context, error) {
	f, err := cleanFilter(engram.Filter{Project: in.Project, Scope: in.Scope})
	if err != nil {
		return engram.Context{}, err
	}
	var c engram.Context
	err = e.store.View(ctx, func(r engram.Reader) error {
		var err error
		if c.Sessions, err = r.Sessions(ctx, f.Project, engram.Page{Limit: contextSessions}); err != nil {
			return err
		}
		if c.Prompts, err = r.Prompts(ctx, f.Project, "", engram.Page{Limit: contextPrompts}); err != nil {
			return err
		}
		c.Memories, err = r.List(ctx, f, engram.Page{Limit: contextMemories})
		return err
	})
	if err != nil {
		return engram.Context{}, err
	}
	return c, nil
}
