package httpapi

import (
	"net/http"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/document"
	"github.com/alanbuscaglia/engram/internal/engine"
)

// promptDoc is a prompt as the older routes show it.
type promptDoc struct {
	ID        int64  `json:"id"`
	SyncID    string `json:"sync_id"`
	SessionID string `json:"session_id"`
	Content   string `json:"content"`
	Project   string `json:"project,omitempty"`
	CreatedAt clock  `json:"created_at"`
}

func promptOf(p engram.Prompt) promptDoc {
	return promptDoc{p.Num, p.SyncID, p.SessionID, p.Content, p.Project, clock(p.CreatedAt)}
}

// promptBody is a prompt to save.
type promptBody struct {
	SessionID string `json:"session_id" example:"s1" required:"true" doc:"the session it was asked in; one that nobody knows is made"`
	Content   string `json:"content" example:"why does the login fail?" required:"true" doc:"what was asked"`
	Project   string `json:"project" doc:"that of the session when it is left out"`
}

// savedPrompt says what became of a prompt.
type savedPrompt struct {
	kept
	placed
}

func (a *API) savePrompt(q request, in promptBody) (reply, error) {
	if blank(in.SessionID, in.Content) {
		return reply{}, invalid("session_id and content are required")
	}
	p, err := a.Engine.SavePrompt(q.Context(), engine.PromptInput{
		Content: in.Content, SessionID: in.SessionID, NewSession: true, Project: in.Project,
	})
	return reply{status: http.StatusCreated, body: savedPrompt{kept{p.Num, "saved"}, placed{p.Project, p.Warnings}}, degraded: p.Warnings}, mismatched(err)
}

func (a *API) recentPrompts(q request) (reply, error) {
	list, err := a.Engine.Prompts(q.Context(), q.query.Get("project"), engram.Page{Limit: q.lenient("limit")})
	return reply{body: document.Each(list, promptOf)}, err
}

func (a *API) searchPrompts(q request) (reply, error) {
	list, err := a.Engine.SearchPrompts(q.Context(), q.query.Get("q"), q.query.Get("project"), q.lenient("limit"))
	return reply{body: document.Each(list, promptOf)}, err
}

func (a *API) deletePrompt(q request) (reply, error) {
	ref, err := numbered(q.PathValue("id"), "prompt")
	if err != nil {
		return reply{}, err
	}
	hard, err := q.flag("hard")
	if err != nil {
		return reply{}, err
	}
	err = a.Engine.DeletePrompt(q.Context(), ref.Num, hard)
	return reply{body: kept{ref.Num, "deleted"}}, worded(err, engram.CodeNotFound, "prompt not found")
}
