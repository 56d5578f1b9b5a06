package forget

import (
	"context"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/engine/ledger"
	"github.com/alanbuscaglia/engram/internal/engine/screen"
	"github.com/alanbuscaglia/engram/internal/engine/walk"
)

// DeletePrompt hides a prompt; hard removes it for good.
func (x *Eraser) DeletePrompt(ctx context.Context, num int64, hard bool) error {
	operation := "prompt_delete"
	if hard {
		operation = "prompt_erase"
	}
	return x.ledger.Write(ctx, operation, func(o *ledger.Tx) error {
		p, err := engram.PromptAt(ctx, o.Store, num)
		switch {
		case err != nil:
			return err
		case hard:
			return erasePrompt(ctx, o, p)
		case p.Deleted():
			return engram.Errorf(engram.CodeNotFound, "prompt #%d was deleted", num).WithHint("{log --verb prompt_delete} shows what deleted it, and {undo OP} takes that back; {delete prompt %d --hard} removes it for good", num)
		}
		now := p
		now.DeletedAt = o.At
		return o.ReplacePrompt(ctx, p, now, "requested")
	})
}

// erasePrompt removes p for good. It is journaled first: the tombstone takes the entry's clock.
func erasePrompt(ctx context.Context, o *ledger.Tx, p engram.Prompt) error {
	if err := o.Log(ctx, engram.EntityPrompt, ledger.Key(p.Num), p.Project, "requested", map[string]any{}); err != nil {
		return err
	}
	return o.Store.ErasePrompt(ctx, p.Num)
}

// DeleteSession removes a session without memories; otherwise, even if they are forgotten, it is a conflict
// with their number. Prompts stay. It can be undone, unless hard removes the summary from the journal too.
func (x *Eraser) DeleteSession(ctx context.Context, id string, hard bool) error {
	id = screen.Line(id)
	verb := "session_delete"
	if hard {
		verb = "session_erase"
	}
	return x.ledger.Write(ctx, verb, func(o *ledger.Tx) error {
		s, err := o.Store.Session(ctx, id)
		if err != nil {
			return err
		}
		n, err := o.Store.Count(ctx, engram.Filter{SessionID: id, WithForgotten: true})
		if err != nil {
			return err
		}
		if n > 0 {
			return engram.Errorf(engram.CodeConflict, "session still has observations: session %q has %d observation(s)", id, n).
				WithHint("erase them first: forgotten ones count")
		}
		if err := leaveSession(ctx, o, s); err != nil {
			return err
		}
		return o.DeleteSession(ctx, s, hard)
	})
}

// leaveSession detaches the prompts of a deleted session, hidden ones too, since hiding may be undone later.
func leaveSession(ctx context.Context, o *ledger.Tx, s engram.Session) error {
	leave := func(p engram.Prompt) error {
		now := p
		now.SessionID = ""
		return o.ReplacePrompt(ctx, p, now, "its session was deleted")
	}
	_, err := walk.Drain(func() ([]engram.Prompt, error) {
		return o.Store.Prompts(ctx, engram.PromptFilter{SessionID: s.ID}, engram.Page{Limit: 500})
	}, leave)
	if err == nil {
		_, err = walk.Drain(func() ([]engram.Prompt, error) { return engram.DeletedPrompts(ctx, o.Store, "", s.ID) }, leave)
	}
	return err
}
