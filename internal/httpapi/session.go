package httpapi

import (
	"net/http"
	"strings"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/document"
	"github.com/alanbuscaglia/engram/internal/engine"
	"github.com/alanbuscaglia/engram/internal/redact"
)

// sessionDoc is a session as the older routes show it.
type sessionDoc struct {
	ID        string   `json:"id"`
	Project   string   `json:"project"`
	Directory string   `json:"directory"`
	StartedAt clock    `json:"started_at"`
	EndedAt   clock    `json:"ended_at,omitzero"`
	Summary   string   `json:"summary,omitempty"`
	Suspect   []string `json:"suspect,omitempty"` // why the summary reads like an order to an agent; absent where it does not
}

func sessionOf(s engram.Session) sessionDoc {
	return sessionDoc{s.ID, s.Project, s.Directory, clock(s.StartedAt), clock(s.EndedAt), s.Summary, engine.SuspectSummary(s)}
}

// sessionRow is a session in a list.
type sessionRow struct {
	ID           string   `json:"id"`
	Project      string   `json:"project"`
	StartedAt    clock    `json:"started_at"`
	EndedAt      clock    `json:"ended_at,omitzero"`
	Summary      string   `json:"summary,omitempty"`
	Suspect      []string `json:"suspect,omitempty"` // as of a session
	Observations int      `json:"observation_count"`
}

func rowOf(s engram.SessionActivity) sessionRow {
	return sessionRow{s.ID, s.Project, clock(s.StartedAt), clock(s.EndedAt), s.Summary, engine.SuspectSummary(s.Session), s.Memories}
}

// done says what became of something that is named by a text.
type done struct {
	ID     string `json:"id"`
	Status string `json:"status"`
}

// sessionBody is a session to start.
type sessionBody struct {
	ID        string `json:"id" example:"s1" doc:"what it is called from now on; made if none is given"`
	Project   string `json:"project" example:"shop" required:"true" doc:"what it works on"`
	Directory string `json:"directory" example:"/src/shop" doc:"where"`
}

// begun says what became of a session that was to start.
type begun struct {
	done
	Project string `json:"project"` // as it is spelled from now on
}

func (a *API) startSession(q request, in sessionBody) (reply, error) {
	if blank(in.Project) {
		return reply{}, invalid("project is required")
	}
	s, err := a.Engine.StartSession(q.Context(), engine.SessionInput{ID: in.ID, Project: in.Project, Directory: in.Directory})
	return reply{status: http.StatusCreated, body: begun{done{s.ID, "created"}, s.Project}}, err
}

func (a *API) recentSessions(q request) (reply, error) {
	list, err := a.Engine.Sessions(q.Context(), q.query.Get("project"), engram.Page{Limit: q.lenient("limit")})
	return reply{body: document.Each(list, rowOf)}, err
}

func (a *API) session(q request) (reply, error) {
	s, err := a.Engine.Session(q.Context(), q.PathValue("id"))
	return reply{body: sessionOf(s)}, worded(err, engram.CodeNotFound, "session not found")
}

// endBody ends a session.
type endBody struct {
	Summary string `json:"summary" doc:"what was done"`
}

// endSession has no error for a session that nobody knows: what should be over is over.
func (a *API) endSession(q request) (reply, error) {
	if blank(string(q.body)) {
		q.body = []byte("{}")
	}
	in, err := decode[endBody](q)
	if err != nil {
		return reply{}, err
	}
	id := q.PathValue("id")
	ended, err := a.Engine.EndSession(q.Context(), id, in.Summary)
	return reply{body: done{redact.Private(id), "completed"}, degraded: ended.Warnings}, err
}

func (a *API) deleteSession(q request) (reply, error) {
	id := q.PathValue("id")
	hard, err := q.flag("hard")
	if err != nil {
		return reply{}, err
	}
	err = a.Engine.DeleteSession(q.Context(), id, hard)
	return reply{body: done{redact.Private(id), "deleted"}}, worded(err, engram.CodeNotFound, "session not found: %q", id)
}

// blank reports whether one of the texts says nothing.
func blank(texts ...string) bool {
	for _, s := range texts {
		if strings.TrimSpace(s) == "" {
			return true
		}
	}
	return false
}
