package httpapi

import (
	"github.com/alanbuscaglia/engram/internal/engine"
	"github.com/alanbuscaglia/engram/internal/render"
)

// contextDoc is what a new session should know, as Markdown.
type contextDoc struct {
	Context   string `json:"context"`
	Elsewhere string `json:"elsewhere,omitempty"` // where was looked and what is in other projects, where nothing was found
}

// context answers with the text that a plugin puts before a new session; "" when
// there is nothing to tell.
func (a *API) context(q request) (reply, error) {
	again, err := q.flag("again")
	if err != nil {
		return reply{}, err
	}
	at, err := q.when("as_of", a.Engine.Now())
	if err != nil {
		return reply{}, err
	}
	current, err := q.current()
	if err != nil {
		return reply{}, err
	}
	c, err := a.at(q).Context(q.Context(), engine.ContextInput{AsOf: at, Superseded: !current, Project: q.query.Get("project"), Scope: q.scope(),
		Budget: q.lenient("budget"), SessionID: q.query.Get("session_id"), Again: again})
	if err != nil {
		return reply{}, err
	}
	text := render.Context(c, render.Options{Zone: a.Zone})
	elsewhere, err := a.elsewhere(q, q.query.Get("project"), text != "" || len(c.LeftOut) > 0 || !at.IsZero())
	return reply{body: contextDoc{text, elsewhere}, degraded: c.Degraded, elsewhere: elsewhere}, err
}
