package mem

import (
	"context"
	"fmt"
	"strings"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/engine"
	"github.com/alanbuscaglia/engram/internal/mcp/tool"
	"github.com/alanbuscaglia/engram/internal/render"
)

type logArgs struct {
	ID      tool.ID `json:"id"`
	Verb    string  `json:"verb" doc:"such as save, sleep, undo"`
	Since   string  `json:"since" doc:"7d, yesterday, 2026-01-31"`
	Actor   string  `json:"actor" schema:"-"` // cli, http, mcp:NAME
	Project string  `json:"project"`
	All     bool    `json:"all_projects"`
	Limit   int     `json:"limit" default:"20" min:"1" max:"100" lax:"true"`
}

func (d *dialect) log(ctx context.Context, by tool.Caller, a logArgs) (message, error) {
	in := engine.LogInput{Verb: a.Verb, Actor: a.Actor, Page: engram.Page{Limit: a.Limit}}
	var err error
	if in.Since, err = d.when("since", a.Since); err != nil {
		return message{}, err
	}
	if a.ID != 0 {
		in.Ref = new(engram.ByNum(int64(a.ID)))
	}
	at := everywhere()
	if !a.All {
		if at, err = d.reading(ctx, a.Project); err != nil {
			return message{}, err
		}
	}
	in.Project = at.Name
	entries, begins, err := d.as(by).Log(ctx, in)
	if err != nil {
		return message{}, err
	}
	if verb := strings.TrimSpace(a.Verb); len(entries) == 0 && verb != "" {
		return message{envelope: enveloped(at, fmt.Sprintf("No operation of the verb %q was found; mem_log without a verb shows which ones there are.", brief(verb)))}, nil
	}
	text := strings.TrimSpace(render.Log(entries, begins, d.text))
	if len(entries) == 0 {
		nothing, err := d.nothing(ctx, by, in.Project)
		if err != nil {
			return message{}, err
		}
		text += "\n" + nothing
	}
	return message{envelope: enveloped(at, text)}, nil
}
