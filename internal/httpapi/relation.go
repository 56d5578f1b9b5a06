package httpapi

import (
	"net/http"
	"strings"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/document"
	engineread "github.com/alanbuscaglia/engram/internal/engine/read"
	"github.com/alanbuscaglia/engram/internal/engine/relate"
	"github.com/alanbuscaglia/engram/internal/render"
)

func linkedOf(l relate.Linked) document.Linked {
	return document.LinkedOf(string(l.Action), l.Relation, l.Source, l.Target)
}

type linkBody struct {
	Source    string      `json:"source" example:"12" required:"true" doc:"a memory: its number, its id or topic:KEY"`
	Target    string      `json:"target" example:"topic:architecture/auth-model" required:"true" doc:"another memory, named likewise"`
	Relation  engram.Verb `json:"relation" example:"supersedes" required:"true" doc:"relates_to, derived_from, evolved_from, caused_by, supersedes, contradicts, compatible, scoped or not_conflict"`
	Strength  *float64    `json:"strength" min:"0" max:"1" doc:"default: 1"`
	Reason    string      `json:"reason" doc:"why"`
	SessionID string      `json:"session_id" doc:"the session that links"`
}

func (a *API) link(q *request, in linkBody) (reply, error) {
	ends, err := ends(in.Source, in.Target)
	if err != nil {
		return reply{}, err
	}
	l, err := a.Engine.Link(q.Context(), relate.LinkInput{Source: ends[0], Target: ends[1], Verb: in.Relation, Strength: in.Strength,
		Reason: in.Reason, SessionID: in.SessionID})
	rep := reply{body: linkedOf(l)}
	if l.Action == relate.LinkMade {
		rep.status = http.StatusCreated
	}
	return rep, err
}

// ends reads the two memories of a relation.
func ends(source, target string) ([]engram.Ref, error) {
	if blank(source, target) {
		return nil, invalid("source and target are required").WithHint("give a number, an id or topic:KEY for each")
	}
	return refs([]string{source, target})
}

// unlink removes the relations of two memories, or those of one verb.
func (a *API) unlink(q *request) (reply, error) {
	ends, err := ends(q.query.Get("source"), q.query.Get("target"))
	if err != nil {
		return reply{}, err
	}
	if q.query.Has("relation") && blank(q.query.Get("relation")) {
		return reply{}, invalid("relation is empty").WithHint("leave it out to remove every relation")
	}
	removed, err := a.Engine.Unlink(q.Context(), relate.UnlinkInput{A: ends[0], B: ends[1], Verb: engram.Verb(q.query.Get("relation"))})
	return reply{body: document.Unlinked{Removed: document.Each(removed, linkedOf)}}, err
}

// graph answers with the relations around a memory, as JSON, text or a drawing.
func (a *API) graph(q *request) (reply, error) {
	if blank(q.query.Get("ref")) {
		return reply{}, invalid("ref is required").WithHint("a number, an id or topic:KEY")
	}
	in := engineread.GraphInput{Ref: q.inProject(q.parsed(q.query.Get("ref"))), Depth: q.number("depth"), Limit: q.number("limit"),
		Pending: q.flag("pending"), AllProjects: q.flag("all_projects")}
	if q.err != nil {
		return reply{}, q.err
	}
	for _, verb := range q.list("relation") {
		in.Verbs = append(in.Verbs, engram.Verb(verb))
	}
	write, err := q.graphFormat()
	if err != nil {
		return reply{}, err
	}
	g, err := a.Engine.Graph(q.Context(), in)
	return write(g), err
}

// graphFormat reads how to write a graph; the default is JSON.
func (q *request) graphFormat() (func(engram.Graph) reply, error) {
	text := func(media string, write func(engram.Graph) string) func(engram.Graph) reply {
		return func(g engram.Graph) reply { return reply{media: media, text: write(g)} }
	}
	switch format := strings.ToLower(q.query.Get("format")); format {
	case "", "json":
		return func(g engram.Graph) reply { return reply{body: document.GraphOf(g)} }, nil
	case "text":
		return text(mediaText, render.Graph), nil
	case "dot":
		return text(mediaDOT, render.DOT), nil
	case "mermaid":
		return text(mediaMermaid, render.Mermaid), nil
	default:
		return nil, invalid("format %q does not exist", format).WithHint("use json, text, dot or mermaid")
	}
}
