package engine

import (
	"context"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/lifecycle"
)

// List returns memories newest first. Limit 0 is 20, at most 1000.
func (e *Engine) List(ctx context.Context, f engram.Filter, p engram.Page) ([]engram.Memory, error) {
	p, err := pageOf(p, 20)
	if err != nil {
		return nil, err
	}
	if f, err = cleanFilter(f); err != nil {
		return nil, err
	}
	var ms []engram.Memory
	err = e.store.View(ctx, func(r engram.Reader) error {
		ms, err = e.list(ctx, r, f, p)
		return err
	})
	return ms, err
}

// StateOf says whether m is due for review now.
func (e *Engine) StateOf(m engram.Memory) engram.State { return lifecycle.State(m, e.now()) }

// pageOf checks a page from outside.
func pageOf(p engram.Page, fallback int) (engram.Page, error) {
	var err error
	if p.Limit, err = limited("limit", p.Limit, fallback, 1000); err != nil {
		return p, err
	}
	if p.Offset < 0 {
		return p, engram.Errorf(engram.CodeInvalid, "offset %d is negative", p.Offset)
	}
	return p, nil
}
