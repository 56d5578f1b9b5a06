package httpapi

import (
	"net/http"
	"strings"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/document"
	"github.com/alanbuscaglia/engram/internal/engine/read"
	"github.com/alanbuscaglia/engram/internal/engine/relate"
	"github.com/alanbuscaglia/engram/internal/httpapi/route"
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

func (a *API) link(q *route.Request, in linkBody) (route.Reply, error) {
	ends, err := ends(in.Source, in.Target)
	if err != nil {
		return route.Reply{}, err
	}
	l, err := a.Engine.Link(q.Context(), relate.LinkInput{Source: ends[0], Target: ends[1], Verb: in.Relation, Strength: in.Strength,
		Reason: in.Reason, SessionID: in.SessionID})
	rep := route.Reply{Body: linkedOf(l)}
	if l.Action == relate.LinkMade {
		rep.Status = http.StatusCreated
	}
	return rep, err
}

// ends reads the two memories of a relation.
func ends(source, target string) ([]engram.Ref, error) {
	if blank(source, target) {
		return nil, route.Invalid("source and target are required").WithHint("give a number, an id or topic:KEY for each")
	}
	return refs([]string{source, target})
}

// unlink removes the relations of two memories, or those of one verb.
func (a *API) unlink(q *route.Request) (route.Reply, error) {
	ends, err := ends(q.Query.Get("source"), q.Query.Get("target"))
	if err != nil {
		return route.Reply{}, err
	}
	if q.Query.Has("relation") && blank(q.Query.Get("relation")) {
		return route.Reply{}, route.Invalid("relation is empty").WithHint("leave it out to remove every relation")
	}
	removed, err := a.Engine.Unlink(q.Context(), relate.UnlinkInput{A: ends[0], B: ends[1], Verb: engram.Verb(q.Query.Get("relation"))})
	return route.Reply{Body: document.Unlinked{Removed: document.Each(removed, linkedOf)}}, err
}

// graph answers with the relations around a memory, as JSON, text or a drawing.
func (a *API) graph(q *route.Request) (route.Reply, error) {
	if blank(q.Query.Get("ref")) {
		return route.Reply{}, route.Invalid("ref is required").WithHint("a number, an id or topic:KEY")
	}
	in := read.GraphInput{Ref: placedIn(q, parsed(q, q.Query.Get("ref"))), Depth: q.Number("depth"), Limit: q.Number("limit"),
		Pending: q.Flag("pending"), AllProjects: q.Flag("all_projects")}
	if q.Err != nil {
		return route.Reply{}, q.Err
	}
	for _, verb := range q.List("relation") {
		in.Verbs = append(in.Verbs, engram.Verb(verb))
	}
	write, err := graphFormat(q)
	if err != nil {
		return route.Reply{}, err
	}
	g, err := a.Engine.Graph(q.Context(), in)
	return write(g), err
}

// graphFormat reads how to write a graph; the default is JSON.
func graphFormat(q *route.Request) (func(engram.Graph) route.Reply, error) {
	text := func(media string, write func(engram.Graph) string) func(engram.Graph) route.Reply {
		return func(g engram.Graph) route.Reply { return route.Reply{Media: media, Text: write(g)} }
	}
	switch format := strings.ToLower(q.Query.Get("format")); format {
	case "", "json":
		return func(g engram.Graph) route.Reply { return route.Reply{Body: document.GraphOf(g)} }, nil
	case "text":
		return text(route.MediaText, render.Graph), nil
	case "dot":
		return text(route.MediaDOT, render.DOT), nil
	case "mermaid":
		return text(route.MediaMermaid, render.Mermaid), nil
	default:
		return nil, route.Invalid("format %q does not exist", format).WithHint("use json, text, dot or mermaid")
	}
}
