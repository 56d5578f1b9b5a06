package screen

import (
	"context"
	"time"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/tui/widget"
)

// Recent lists all memories, newest first.
type Recent struct{ memories }

// NewRecent returns the screen.
func NewRecent() *Recent {
	return &Recent{newMemories(func(ctx context.Context, c *Context, offset, limit int) (widget.Page[noted], error) {
		return listed(ctx, c, engram.Filter{Project: c.Scope()}, offset, limit)
	}, "No memories yet. n writes the first one.")}
}

// Title implements Screen.
func (*Recent) Title() string { return "Recent" }

func zeroTime() time.Time { return time.Time{} }
