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

// Listed is a page of memories.
type Listed struct {
	Memories []engram.Memory // newest first
	Notes    engram.Notes    // of Memories
	Degraded []string        // what could not be told of a time past
}

// ListNoted is ListAsOf for a reader of the memories: it tells what changes how each should
// be read.
func (e *Engine) ListNoted(ctx context.Context, f engram.Filter, p engram.Page, at time.Time) (Listed, error) {
	return e.listAt(ctx, f, p, at, true)
}

// ListAsOf is List as it would have answered at a time past; the zero time is now.
// degraded says what could not be told of it.
func (e *Engine) ListAsOf(ctx context.Context, f engram.Filter, p engram.Page, at time.Time) (ms []engram.Memory, degraded []string, err error) {
	l, err := e.listAt(ctx, f, p, at, false)
	return l.Memories, l.Degraded, err
}

func (e *Engine) listAt(ctx context.Context, f engram.Filter, p engram.Page, at time.Time, noted bool) (Listed, error) {
	p, err := pageOf(p, 20)
	if err != nil {
		return Listed{}, err
	}
	if f, err = cleanFilter(f); err != nil {
		return Listed{}, err
	}
	now := at
	if now.IsZero() {
		now = e.now()
	}
	var l Listed
	err = e.store.View(ctx, func(r engram.Reader) error {
		if r, l.Degraded, err = e.readerAt(ctx, r, at); err != nil {
			return err
		}
		if l.Memories, err = e.list(ctx, r, f, p); err != nil {
			return err
		}
		if err := e.recalled(ctx, r, l.Memories); err != nil || !noted {
			return err
		}
		l.Notes, err = notesOn(ctx, r, now, l.Memories)
		return err
	})
	if err != nil {
		return Listed{}, err
	}
	return l, nil
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
