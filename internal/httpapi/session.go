package httpapi

import (
	"net/http"
	"slices"
	"strings"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/document"
	"github.com/alanbuscaglia/engram/internal/engine/brief"
	"github.com/alanbuscaglia/engram/internal/engine/read"
	"github.com/alanbuscaglia/engram/internal/engine/remember"
	"github.com/alanbuscaglia/engram/internal/httpapi/route"
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
	return sessionDoc{s.ID, s.Project, s.Directory, clock(s.StartedAt), clock(s.EndedAt), s.Summary, read.FlaggedSummary(s)}
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

func (a *API) startSession(q *route.Request, in sessionBody) (route.Reply, error) {
	if blank(in.Project) {
		return route.Reply{}, route.Invalid("project is required")
	}
	s, err := a.Engine.StartSession(q.Context(), remember.SessionInput{ID: in.ID, Project: in.Project, Directory: in.Directory})
	return route.Reply{Status: http.StatusCreated, Body: begun{done{s.ID, "created"}, s.Project}}, err
}

func (a *API) recentSessions(q *route.Request) (route.Reply, error) {
	list, err := a.Engine.Sessions(q.Context(), q.Query.Get("project"), engram.Page{Limit: q.Lenient("limit")})
	return route.Reply{Body: document.Each(list, func(s engram.SessionActivity) sessionRow {
		return sessionRow{s.ID, s.Project, clock(s.StartedAt), clock(s.EndedAt), s.Summary, read.FlaggedSummary(s.Session), s.Memories}
	})}, err
}

func (a *API) session(q *route.Request) (route.Reply, error) {
	s, err := a.Engine.Session(q.Context(), q.PathValue("id"))
	return route.Reply{Body: sessionOf(s)}, route.Worded(err, engram.CodeNotFound, "session not found")
}

type endBody struct {
	Summary string `json:"summary" doc:"what was done"`
}

// endSession succeeds for an unknown session: what should have ended has ended.
func (a *API) endSession(q *route.Request, in endBody) (route.Reply, error) {
	id := q.PathValue("id")
	ended, err := a.Engine.EndSession(q.Context(), id, in.Summary)
	return route.Reply{Body: done{redact.Private(id), "completed"}, Degraded: ended.Warnings}, err
}

func (a *API) deleteSession(q *route.Request) (route.Reply, error) {
	id, hard := q.PathValue("id"), q.Flag("hard")
	if q.Err != nil {
		return route.Reply{}, q.Err
	}
	err := a.Engine.DeleteSession(q.Context(), id, hard)
	return route.Reply{Body: done{redact.Private(id), "deleted"}}, route.Worded(err, engram.CodeNotFound, "session not found: %q", id)
}

// blank reports whether one of the texts is empty or white space.
func blank(texts ...string) bool {
	return slices.ContainsFunc(texts, func(s string) bool { return strings.TrimSpace(s) == "" })
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

func (a *API) savePrompt(q *route.Request, in promptBody) (route.Reply, error) {
	if blank(in.SessionID, in.Content) {
		return route.Reply{}, route.Invalid("session_id and content are required")
	}
	p, err := a.Engine.SavePrompt(q.Context(), remember.PromptInput{
		Content: in.Content, SessionID: in.SessionID, NewSession: true, Project: in.Project,
	})
	return route.Reply{Status: http.StatusCreated, Body: savedPrompt{kept{p.Num, "saved"}, placed{p.Project, p.Warnings}}, Degraded: p.Warnings}, mismatched(err)
}

func (a *API) recentPrompts(q *route.Request) (route.Reply, error) {
	list, err := a.Engine.Prompts(q.Context(), q.Query.Get("project"), engram.Page{Limit: q.Lenient("limit")})
	return route.Reply{Body: document.Each(list, promptOf)}, err
}

func (a *API) searchPrompts(q *route.Request) (route.Reply, error) {
	list, err := a.Engine.SearchPrompts(q.Context(), q.Query.Get("q"), q.Query.Get("project"), q.Lenient("limit"))
	return route.Reply{Body: document.Each(list, promptOf)}, err
}

func (a *API) deletePrompt(q *route.Request) (route.Reply, error) {
	ref, hard := numberedOf(q, "prompt"), q.Flag("hard")
	if q.Err != nil {
		return route.Reply{}, q.Err
	}
	err := a.Engine.DeletePrompt(q.Context(), ref.Num, hard)
	return route.Reply{Body: kept{ref.Num, "deleted"}}, route.Worded(err, engram.CodeNotFound, "prompt not found")
}

// contextDoc is the context of a new session, as Markdown.
type contextDoc struct {
	Context   string `json:"context"`
	Elsewhere string `json:"elsewhere,omitempty"` // for an empty answer: see API.elsewhere
}

// context answers with the text that a plugin puts before a new session; "" for none.
func (a *API) context(q *route.Request) (route.Reply, error) {
	again, at, current := q.Flag("again"), q.When("as_of", a.Engine.Now()), current(q)
	if q.Err != nil {
		return route.Reply{}, q.Err
	}
	c, err := a.at(q).Context(q.Context(), brief.ContextInput{AsOf: at, Superseded: !current, Project: q.Query.Get("project"), Scope: scopeOf(q),
		Budget: q.Lenient("budget"), SessionID: q.Query.Get("session_id"), Again: again})
	if err != nil {
		return route.Reply{}, err
	}
	text := render.Context(c, render.Options{Zone: a.Zone})
	elsewhere, err := a.elsewhere(q, q.Query.Get("project"), text != "" || len(c.LeftOut) > 0 || !at.IsZero(), false)
	return route.Reply{Body: contextDoc{text, elsewhere}, Degraded: c.Degraded, Elsewhere: elsewhere}, err
}

// usesDoc is the answer of GET /sessions/{id}/uses.
type usesDoc struct {
	SessionID string              `json:"session_id"`
	Project   string              `json:"project"`
	Tokens    int                 `json:"tokens"` // of all uses, about
	Exposures []document.Exposure `json:"uses"`   // oldest first
}

func (a *API) sessionUses(q *route.Request) (route.Reply, error) {
	account, err := a.Engine.Why(q.Context(), q.PathValue("id"))
	return route.Reply{Body: usesDoc{account.Session.ID, account.Session.Project, account.Tokens, document.Each(account.Exposures, func(u read.Shown) document.Exposure {
		return document.ExposureOf(u.Exposure, u.Type, u.Title, u.Deleted)
	})}}, err
}
