package httpapi

import (
	"cmp"
	"net/http"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/document"
	"github.com/alanbuscaglia/engram/internal/engine"
)

// rememberRows are the tools remember, recall and forget as routes. They look in all
// projects, as those do (package recall of mcp says why): what is remembered goes to the
// project that is named, or that the server was told to work in, if any.
func (a *API) rememberRows() []Route {
	return []Route{
		write("POST", "/remember", a.remember, "remember one thing; what is known already is merged").newer().takes(rememberBody{}).gives(document.Remembered{}, http.StatusOK, created),
		// It counts what it shows as read: hence not open, as what only reads is.
		write("POST", "/recall", a.recollect, "what is remembered of a question, by likeness × strength").newer().takes(recollectBody{}).gives(document.Recollection{}),
		write("POST", "/forget", a.forget, "forget a memory").newer().takes(forgetBody{}).gives(document.Forgotten{}).fails(notFound, conflict),
	}
}

// rememberBody is one thing to remember.
type rememberBody struct {
	Content  string         `json:"content" required:"true"`
	Category engram.Type    `json:"category" doc:"decision, pattern, fact, preference, insight, …"`
	Metadata map[string]any `json:"metadata"`
	Project  string         `json:"project" doc:"where it belongs; else to the server's project, if it has one"`
}

func (a *API) remember(q request) (reply, error) {
	in, err := decode[rememberBody](q)
	if err != nil {
		return reply{}, err
	}
	if blank(in.Content) {
		return reply{}, invalid("content is required")
	}
	res, err := a.Engine.Save(q.Context(), engine.SaveInput{Content: in.Content, Type: in.Category, Metadata: in.Metadata,
		Project: cmp.Or(in.Project, a.Project), Admit: engine.AdmitMerging})
	if err != nil {
		return reply{}, err
	}
	rep := reply{body: document.RememberedOf(res.Memory, res.Known(), res.Contested()), location: "/memories/" + string(res.Memory.ID)}
	if !res.Known() {
		rep.status = http.StatusCreated
	}
	return rep, nil
}

// recollectBody is a question.
type recollectBody struct {
	Query       string         `json:"query" doc:"a question or words; none lists the newest"`
	Limit       *int           `json:"limit" min:"1" max:"100" default:"10"`
	Category    engram.Type    `json:"category" doc:"only this one"`
	MinStrength *float64       `json:"min_strength" min:"0" max:"1" default:"0.1" doc:"leave out what has faded below"`
	Metadata    map[string]any `json:"metadata_filter" doc:"only what has all of this, exactly"`
}

func (a *API) recollect(q request) (reply, error) {
	in, err := decode[recollectBody](q)
	if err != nil {
		return reply{}, err
	}
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

func (a *API) forget(q request) (reply, error) {
	in, err := decode[forgetBody](q)
	if err != nil {
		return reply{}, err
	}
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
