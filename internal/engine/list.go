package engine

import (
	"context"
	"time"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/lifecycle"
)

// List returns memories newest first. Limit 0 is 20, at most 1000.
func (e *Engine) List(ctx context.Context, f engram.Filter, p engram.Page) ([]engram.Memory, error) {
	ms, _, err := e.ListAsOf(ctx, f, p, time.Time{})
	return ms, err
}

// ListAsOf is List as it would have answered at a time past; the zero time is now.
// degraded says what could not be told of it.
func (e *Engine) ListAsOf(ctx context.Context, f engram.Filter, p engram.Page, at time.Time) (ms []engram.Memory, degraded []string, err error) {
	if p, err = pageOf(p, 20); err != nil {
		return nil, nil, err
	}
	if f, err = cleanFilter(f); err != nil {
		return nil, nil, err
	}
	err = e.store.View(ctx, func(r engram.Reader) error {
		if r, degraded, err = e.readerAt(ctx, r, at); err != nil {
			return err
		}
		ms, err = e.list(ctx, r, f, p)
		return err
	})
	return ms, degraded, err
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
