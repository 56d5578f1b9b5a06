package recall

import (
	"context"
	"fmt"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/document"
	"github.com/alanbuscaglia/engram/internal/mcp/tool"
	"github.com/alanbuscaglia/engram/internal/render"
)

type forgetArgs struct {
	ID string `json:"id" doc:"as recall shows it" required:"true" ref:"true"`
}

// forgotten is the answer, and what it says in words.
type forgotten struct {
	document.Forgotten
	text string
}

// PlainText returns the words.
func (f forgotten) PlainText() (string, bool) { return f.text, true }

func (d *dialect) forget(ctx context.Context, by tool.Caller, a forgetArgs) (forgotten, error) {
	ref, err := engram.ParseRef(a.ID)
	if err != nil {
		return forgotten{}, err
	}
	gone, err := d.as(by).Forget(ctx, ref)
	if err != nil {
		return forgotten{}, err
	}
	m := gone[0]
	text := fmt.Sprintf("Forgot %s: %s\nThe user can bring it back with engram undo.", m.ID, render.Line(m.Content, 100))
	return forgotten{document.Forgotten{Forgotten: true}, text}, nil
}
