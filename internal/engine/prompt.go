package engine

import (
	"context"
	"slices"
	"time"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/redact"
	"github.com/alanbuscaglia/engram/internal/text"
)

// PromptInput is a prompt by a person. SessionID and NewSession are as in SaveInput.
type PromptInput struct {
	Content    string
	SessionID  string
	NewSession bool
	Project    string
	Directory  string
	// Key makes saving idempotent for callers that may have to retry: one prompt is stored per key. "" always
	// stores a new one.
	Key string
	At  time.Time // when it was asked, not later than now; zero is now
}

// SavedPrompt is a stored prompt, new or existing.
type SavedPrompt struct {
	engram.Prompt
	Warnings []string // redacted secrets; the project name
}

// SavePrompt stores a prompt.
func (e *Engine) SavePrompt(ctx context.Context, in PromptInput) (SavedPrompt, error) {
	given := raw{"prompt", in.Content, "session id", in.SessionID, "project", in.Project, "directory", in.Directory}
	if err := given.check(); err != nil {
		return SavedPrompt{}, err
	}
	w := e.redactor()
	p := engram.Prompt{Content: w.text(in.Content), SessionID: line(in.SessionID)}
	if err := p.Validate(); err != nil {
		return SavedPrompt{Prompt: p}, err
	}
	named := normalProject(in.Project)
	warnings := slices.Concat(renamed(in.Project, named), w.warning())
	err := e.write(ctx, "prompt", func(o *op) error {
		o.then = in.At
		place, err := o.place(ctx, named, p.SessionID, in.Directory, in.NewSession)
		if err != nil {
			return err
		}
		p.Project, p.SessionID = place.project, place.session
		warnings = slices.Concat(warnings, place.warnings)
		p.SyncID, p.CreatedAt = "prompt-"+digest(string(o.newID())), o.happened(in.At)
		if in.Key != "" {
			p.SyncID = "prompt-" + digest("key\x00"+in.Key)
			if old, found, err := o.tx.PromptBySyncID(ctx, p.SyncID); err != nil || found {
				p = old
				return err
			}
		}
		return o.insertPrompt(ctx, &p, "new")
	})
	return SavedPrompt{p, warnings}, err
}

// Prompts lists prompts, newest first. Limit 0 is 20, at most 1000.
func (e *Engine) Prompts(ctx context.Context, project string, p engram.Page) (ps []engram.Prompt, err error) {
	if p, err = pageOf(p, 20); err != nil {
		return nil, err
	}
	return e.prompts(ctx, project, nil, p)
}

// SearchPrompts finds prompts by words; an empty query lists the newest. Limit 0 is 10, at most 100.
func (e *Engine) SearchPrompts(ctx context.Context, query, project string, limit int) (ps []engram.Prompt, err error) {
	if limit, err = limited("limit", limit, 10, 100); err != nil {
		return nil, err
	}
	return e.prompts(ctx, project, text.Query(redact.Private(query)), engram.Page{Limit: limit})
}

func (e *Engine) prompts(ctx context.Context, project string, terms []engram.Term, p engram.Page) (ps []engram.Prompt, err error) {
	project = normalProject(project)
	return view(ctx, e, func(r engram.Reader) ([]engram.Prompt, error) {
		if len(terms) == 0 {
			ps, err = r.Prompts(ctx, project, "", p)
		} else {
			ps, err = r.SearchPrompts(ctx, terms, project, p.Limit)
		}
		if err != nil {
			return nil, err
		}
		return ps, e.shownPrompts(ctx, r, ps)
	})
}

// DeletePrompt hides a prompt; hard removes it for good.
func (e *Engine) DeletePrompt(ctx context.Context, num int64, hard bool) error {
	operation := "prompt_delete"
	if hard {
		operation = "prompt_erase"
	}
	return e.write(ctx, operation, func(o *op) error {
		p, err := o.tx.Prompt(ctx, num)
		switch {
		case err != nil:
			return err
		case hard:
			return o.erasePrompt(ctx, p)
		case p.Deleted():
			return engram.Errorf(engram.CodeNotFound, "prompt #%d was deleted", num).WithHint("{log --verb prompt_delete} shows what deleted it, and {undo OP} takes that back; {delete prompt %d --hard} removes it for good", num)
		}
		now := p
		now.DeletedAt = o.at
		return o.replacePrompt(ctx, p, now, "requested")
	})
}

// erasePrompt removes p for good. It is journaled first: the tombstone takes the entry's clock.
func (o *op) erasePrompt(ctx context.Context, p engram.Prompt) error {
	if err := o.log(ctx, engram.EntityPrompt, key(p.Num), p.Project, "requested", map[string]any{}); err != nil {
		return err
	}
	return o.tx.ErasePrompt(ctx, p.Num)
}
