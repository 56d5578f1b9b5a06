package remember

import (
	"context"
	"slices"
	"time"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/engine/ledger"
	"github.com/alanbuscaglia/engram/internal/engine/projects"
	"github.com/alanbuscaglia/engram/internal/engine/screen"
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
func (w *Writer) SavePrompt(ctx context.Context, in PromptInput) (SavedPrompt, error) {
	given := screen.Raw{"prompt", in.Content, "session id", in.SessionID, "project", in.Project, "directory", in.Directory}
	if err := given.Check(); err != nil {
		return SavedPrompt{}, err
	}
	redactor := w.screen.Redactor()
	p := engram.Prompt{Content: redactor.Text(in.Content), SessionID: screen.Line(in.SessionID)}
	if err := p.Validate(); err != nil {
		return SavedPrompt{Prompt: p}, err
	}
	named := screen.NormalProject(in.Project)
	warnings := slices.Concat(renamed(in.Project, named), redactor.Warning())
	err := w.ledger.Write(ctx, "prompt", func(o *ledger.Tx) error {
		o.Then = in.At
		place, err := projects.Place(ctx, o, projects.PlaceInput{Project: named, Session: p.SessionID, Directory: in.Directory, Create: in.NewSession})
		if err != nil {
			return err
		}
		p.Project, p.SessionID = place.Project, place.Session
		warnings = slices.Concat(warnings, place.Warnings)
		p.SyncID, p.CreatedAt = "prompt-"+ledger.Digest(string(o.Ledger.NewID())), o.Happened(in.At)
		if in.Key != "" {
			p.SyncID = "prompt-" + ledger.Digest("key\x00"+in.Key)
			if old, found, err := engram.PromptBySyncID(ctx, o.Store, p.SyncID); err != nil || found {
				p = old
				return err
			}
		}
		return o.InsertPrompt(ctx, &p, "new")
	})
	return SavedPrompt{p, warnings}, err
}

// Prompts lists prompts, newest first. Limit 0 is 20, at most 1000.
func (w *Writer) Prompts(ctx context.Context, project string, p engram.Page) (ps []engram.Prompt, err error) {
	if p, err = screen.PageOf(p, 20); err != nil {
		return nil, err
	}
	return w.prompts(ctx, project, nil, p)
}

// SearchPrompts finds prompts by words; an empty query lists the newest. Limit 0 is 10, at most 100.
func (w *Writer) SearchPrompts(ctx context.Context, query, project string, limit int) (ps []engram.Prompt, err error) {
	if limit, err = screen.Limited("limit", limit, 10, 100); err != nil {
		return nil, err
	}
	return w.prompts(ctx, project, text.Query(redact.Private(query)), engram.Page{Limit: limit})
}

func (w *Writer) prompts(ctx context.Context, project string, terms []engram.Term, p engram.Page) (ps []engram.Prompt, err error) {
	project = screen.NormalProject(project)
	return ledger.Read(ctx, w.ledger, func(r engram.Reader) ([]engram.Prompt, error) {
		if len(terms) == 0 {
			ps, err = r.Prompts(ctx, engram.PromptFilter{Project: project}, p)
		} else {
			ps, err = r.SearchPrompts(ctx, terms, project, p.Limit)
		}
		if err != nil {
			return nil, err
		}
		return ps, w.screen.ShownPrompts(ctx, r, ps)
	})
}
