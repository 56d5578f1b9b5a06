package httpapi

import (
	"context"
	"net/http"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/document"
	"github.com/alanbuscaglia/engram/internal/engine"
)

// rememberRows are the tools remember, recall and forget as routes. They look in all
// projects, as those do (package recall of mcp says why): what is remembered goes to the
// project that is named, else to that of the session, of the settings or of the server's folder.
func (a *API) rememberRows() []Route {
	return []Route{
		write("POST", "/remember", decoded(a.remember), "remember one thing; what is known already is merged").newer().takes(rememberBody{}).gives(remembered{}, http.StatusOK, created),
		// It counts what it shows as read: hence not open, as what only reads is.
		write("POST", "/recall", decoded(a.recollect), "what is remembered of a question, by likeness × strength").newer().takes(recollectBody{}).gives(document.Recollection{}),
		write("POST", "/forget", decoded(a.forget), "forget a memory").newer().takes(forgetBody{}).gives(document.Forgotten{}).fails(notFound, conflict),
	}
}

// rememberBody is one thing to remember.
type rememberBody struct {
	Content  string         `json:"content" required:"true"`
	Category engram.Type    `json:"category" doc:"decision, pattern, fact, preference, insight, …"`
	Metadata map[string]any `json:"metadata"`
	Project  string         `json:"project" doc:"where it belongs; else that of the session, of the server's settings, of the server's folder"`
	Session  string         `json:"session_id" doc:"the session that remembers; one that is not known is made"`
}

// remembered says what became of it, and where it is.
type remembered struct {
	document.Remembered
	placed
}

// placed says in which project something was saved, and what should be known of that.
type placed struct {
	Project  string   `json:"project,omitempty"`  // as it is spelled from now on; absent for none
	Warnings []string `json:"warnings,omitempty"` // on the name of the project, on what was cut out or could not be done
}

func (a *API) remember(q request, in rememberBody) (reply, error) {
	if blank(in.Content) {
		return reply{}, invalid("content is required")
	}
	var err error
	if in.Project == "" {
		if in.Project, err = a.projectOf(q.Context(), in.Session); err != nil {
			return reply{}, err
		}
	}
	res, err := a.Engine.Save(q.Context(), engine.SaveInput{Content: in.Content, Type: in.Category, Metadata: in.Metadata,
		Project: in.Project, SessionID: in.Session, NewSession: true, Directory: a.Dir, Admit: engine.AdmitMerging})
	if err != nil {
		return reply{}, mismatched(err)
	}
	rep := reply{body: remembered{document.RememberedOf(res.Memory, res.Known(), res.Contested()), placed{res.Memory.Project, res.Warnings}},
		location: "/memories/" + string(res.Memory.ID), degraded: res.Warnings}
	if !res.Known() {
		rep.status = http.StatusCreated
	}
	return rep, nil
}

// projectOf is where something belongs that names no project: "" where its session has one,
// which then counts, else that of the settings or of the folder in which the server runs.
func (a *API) projectOf(ctx context.Context, session string) (string, error) {
	if session != "" {
		switch s, err := a.Engine.Session(ctx, session); {
		case err == nil && s.Project != "":
			return "", nil
		case err != nil && engram.CodeOf(err) != engram.CodeNotFound:
			return "", err
		}
	}
	at, err := a.Engine.ProjectFor(ctx, engine.ProjectRequest{Override: a.Project, Dir: a.Dir, Lenient: true, Write: true})
	return at.Name, err
}

// recollectBody is a question.
type recollectBody struct {
	Query       string         `json:"query" doc:"a question or words; none lists the newest"`
	Limit       *int           `json:"limit" min:"1" max:"100" default:"10"`
	Category    engram.Type    `json:"category" doc:"only this one"`
	MinStrength *float64       `json:"min_strength" min:"0" max:"1" default:"0.1" doc:"leave out what has faded below"`
	Metadata    map[string]any `json:"metadata_filter" doc:"only what has all of this, exactly"`
}

func (a *API) recollect(q request, in recollectBody) (reply, error) {
	ask := engine.RecollectInput{Query: in.Query, Category: string(in.Category), MinStrength: in.MinStrength, Metadata: in.Metadata}
	if in.Limit != nil {
		if ask.Limit = *in.Limit; ask.Limit == 0 {
			return reply{}, invalid("limit 0 is out of range").WithHint("from 1 to 100")
		}
	}
	found, err := a.Engine.Recollect(q.Context(), ask)
	return reply{body: document.RecollectionOf(found), degraded: found.Degraded}, err
}

// forgetBody names a memory.
type forgetBody struct {
	ID string `json:"id" required:"true" doc:"an id, a number or topic:KEY"`
}

func (a *API) forget(q request, in forgetBody) (reply, error) {
	if blank(in.ID) {
		return reply{}, invalid("id is required")
	}
	ref, err := engram.ParseRef(in.ID)
	if err != nil {
		return reply{}, err
	}
	_, err = a.Engine.Forget(q.Context(), ref)
	return reply{body: document.Forgotten{Forgotten: true}}, err
}
