package engine

import (
	"context"
	"time"

	"github.com/alanbuscaglia/engram"
)

// searchAsOf finds what would have been found at a time.
func (e *Engine) searchAsOf(ctx context.Context, r engram.Reader, in SearchInput, at time.Time) (engram.Found, error) {
	in.Filter.Until = at
	return e.search(ctx, r, in)
}
