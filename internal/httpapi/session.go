package httpapi

import (
	"net/http"
	"strings"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/document"
	"github.com/alanbuscaglia/engram/internal/engine/brief"
	engineread "github.com/alanbuscaglia/engram/internal/engine/read"
	"github.com/alanbuscaglia/engram/internal/engine/remember"
	"github.com/alanbuscaglia/engram/internal/redact"
	"github.com/alanbuscaglia/engram/internal/render"
)

// sessionDoc is a session as the older routes show it.
type sessionDoc struct {
	ID        string   `json:"id"`
	Project   string   `json:"project"`
	Directory string   `json:"directory"`
	StartedAt clock    `json:"started_at"`
	EndedAt   clock    `json:"ended_at,omitzero"`
	Summary   string   `json:"summary,omitempty"`
	Flagged   []string `json:"suspect,omitempty"` // why the summary is flagged as instruction-like; absent when not flagged
}

func sessionOf(s engram.Session) sessionDoc {
	return sessionDoc{s.ID, s.Project, s.Directory, clock(s.StartedAt), clock(s.EndedAt), s.Summary, engineread.FlaggedSummary(s)}
}

type sessionRow struct {
	ID           string   `json:"id"`
	Project      string   `json:"project"`
	StartedAt    clock    `json:"started_at"`
	EndedAt      clock    `json:"ended_at,omitzero"`
	Summary      string   `json:"summary,omitempty"`
	Flagged      []string `json:"suspect,omitempty"` // as of a session
	Observations int      `json:"observation_count"`
}

func rowOf(s engram.SessionActivity) sessionRow {
	return sessionRow{s.ID, s.Project, clock(s.StartedAt), clock(s.EndedAt), s.Summary, engineread.FlaggedSummary(s.Session), s.Memories}
}

// done is the outcome for a thing named by text.
type done struct {
	ID     string `json:"id"`
	Status string `json:"status"`
}

type sessionBody struct {
	ID        string `json:"id" example:"s1" doc:"its id; generated if empty"`
	Project   string `json:"project" example:"shop" required:"true" doc:"its project"`
	Directory string `json:"directory" example:"/src/shop" doc:"its folder"`
}

type begun struct {
	done
	Project string `json:"project"` // normalised
}

func (a *API) startSession(q *request, in sessionBody) (reply, error) {
	if blank(in.Project) {
		return reply{}, invalid("project is required")
	}
	s, err := a.Engine.StartSession(q.Context(), remember.SessionInput{ID: in.ID, Project: in.Project, Directory: in.Directory})
	return reply{status: http.StatusCreated, body: begun{done{s.ID, "created"}, s.Project}}, err
}

func (a *API) recentSessions(q *request) (reply, error) {
	list, err := a.Engine.Sessions(q.Context(), q.query.Get("project"), engram.Page{Limit: q.lenient("limit")})
	return reply{body: document.Each(list, rowOf)}, err
}

func (a *API) session(q *request) (reply, error) {
	s, err := a.Engine.Session(q.Context(), q.PathValue("id"))
	return reply{body: sessionOf(s)}, worded(err, engram.CodeNotFound, "session not found")
}

type endBody struct {
	Summary string `json:"summary" doc:"what was done"`
}

// endSession succeeds for an unknown session: what should have ended has ended.
func (a *API) endSession(q *request) (reply, error) {
	if blank(string(q.body)) {
		q.body = []byte("{}")
	}
	in := decode[endBody](q)
	if q.err != nil {
		return reply{}, q.err
	}
	id := q.PathValue("id")
	ended, err := a.Engine.EndSession(q.Context(), id, in.Summary)
	return reply{body: done{redact.Private(id), "completed"}, degraded: ended.Warnings}, err
}

func (a *API) deleteSession(q *request) (reply, error) {
	id, hard := q.PathValue("id"), q.flag("hard")
	if q.err != nil {
		return reply{}, q.err
	}
	err := a.Engine.DeleteSession(q.Context(), id, hard)
	return reply{body: done{redact.Private(id), "deleted"}}, worded(err, engram.CodeNotFound, "session not found: %q", id)
}

// blank reports whether one of the texts is empty or white space.
func blank(texts ...string) bool {
	for _, s := range texts {
		if strings.TrimSpace(s) == "" {
			return true
		}
	}
	return false
}

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

type promptBody struct {
	SessionID string `json:"session_id" example:"s1" required:"true" doc:"its session; created if unknown"`
	Content   string `json:"content" example:"why does the login fail?" required:"true" doc:"what was asked"`
	Project   string `json:"project" doc:"default: that of the session"`
}

type savedPrompt struct {
	kept
	placed
}

func (a *API) savePrompt(q *request, in promptBody) (reply, error) {
	if blank(in.SessionID, in.Content) {
		return reply{}, invalid("session_id and content are required")
	}
	p, err := a.Engine.SavePrompt(q.Context(), remember.PromptInput{
		Content: in.Content, SessionID: in.SessionID, NewSession: true, Project: in.Project,
	})
	return reply{status: http.StatusCreated, body: savedPrompt{kept{p.Num, "saved"}, placed{p.Project, p.Warnings}}, degraded: p.Warnings}, mismatched(err)
}

func (a *API) recentPrompts(q *request) (reply, error) {
	list, err := a.Engine.Prompts(q.Context(), q.query.Get("project"), engram.Page{Limit: q.lenient("limit")})
	return reply{body: document.Each(list, promptOf)}, err
}

func (a *API) searchPrompts(q *request) (reply, error) {
	list, err := a.Engine.SearchPrompts(q.Context(), q.query.Get("q"), q.query.Get("project"), q.lenient("limit"))
	return reply{body: document.Each(list, promptOf)}, err
}

func (a *API) deletePrompt(q *request) (reply, error) {
	ref, hard := q.numbered("prompt"), q.flag("hard")
	if q.err != nil {
		return reply{}, q.err
	}
	err := a.Engine.DeletePrompt(q.Context(), ref.Num, hard)
	return reply{body: kept{ref.Num, "deleted"}}, worded(err, engram.CodeNotFound, "prompt not found")
}

// contextDoc is the context of a new session, as Markdown.
type contextDoc struct {
	Context   string `json:"context"`
	Elsewhere string `json:"elsewhere,omitempty"` // for an empty answer: see API.elsewhere
}

// context answers with the text that a plugin puts before a new session; "" for none.
func (a *API) context(q *request) (reply, error) {
	again, at, current := q.flag("again"), q.when("as_of", a.Engine.Now()), q.current()
	if q.err != nil {
		return reply{}, q.err
	}
	c, err := a.at(q).Context(q.Context(), brief.ContextInput{AsOf: at, Superseded: !current, Project: q.query.Get("project"), Scope: q.scope(),
		Budget: q.lenient("budget"), SessionID: q.query.Get("session_id"), Again: again})
	if err != nil {
		return reply{}, err
	}
	text := render.Context(c, render.Options{Zone: a.Zone})
	elsewhere, err := a.elsewhere(q, q.query.Get("project"), text != "" || len(c.LeftOut) > 0 || !at.IsZero())
	return reply{body: contextDoc{text, elsewhere}, degraded: c.Degraded, elsewhere: elsewhere}, err
}

// usesDoc is the answer of GET /sessions/{id}/uses.
type usesDoc struct {
	SessionID string              `json:"session_id"`
	Project   string              `json:"project"`
	Tokens    int                 `json:"tokens"` // of all uses, about
	Exposures []document.Exposure `json:"uses"`   // oldest first
}

func (a *API) sessionUses(q *request) (reply, error) {
	account, err := a.Engine.Why(q.Context(), q.PathValue("id"))
	return reply{body: usesDoc{account.Session.ID, account.Session.Project, account.Tokens, document.Each(account.Exposures, func(u engineread.Shown) document.Exposure {
		return document.ExposureOf(u.Exposure, u.Type, u.Title, u.Deleted)
	})}}, err
}
