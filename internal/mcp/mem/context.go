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

type contextArgs struct {
	Project string `json:"project" doc:"default: this folder's" small:"-"`
	Scope   string `json:"scope" enum:"project,personal,global" lax:"true" small:"-"`
	AsOf    string `json:"as_of" schema:"-" small:"-"` // a past date
}

func (d *dialect) context(ctx context.Context, by tool.Caller, a contextArgs) (message, error) {
	past, err := d.past(a.AsOf)
	if err != nil {
		return message{}, err
	}
	at, scope := everywhere(), engram.Scope(a.Scope)
	if a.Project != "" || scope != engram.ScopePersonal {
		if at, err = d.readingAt(ctx, a.Project, past); err != nil {
			return message{}, err
		}
	}
	session, again := d.asking.context()
	told, err := d.as(by).Context(ctx, engine.ContextInput{AsOf: past, Project: at.Name, Scope: scope, SessionID: session, Again: again})
	if err != nil {
		return message{}, &tool.Failure{Text: "Failed to get context: " + reason(err), Err: err}
	}
	if told.Empty() {
		nothing, err := d.nothing(ctx, by, at.Name)
		if err != nil {
			return message{}, err
		}
		return message{envelope: enveloped(at, "No previous session memories found.\n"+nothing+d.nudge(at))}, nil
	}
	stats, err := d.engine.Stats(ctx, "")
	if err != nil {
		return message{}, &tool.Failure{Text: "Failed to get context: " + reason(err), Err: err}
	}
	text := fmt.Sprintf("%s\n---\nMemory stats: %d sessions, %d observations across projects: %s",
		render.Context(told, d.text), stats.Sessions, stats.Memories, projectList(stats))
	out := message{envelope: enveloped(at, text+d.nudge(at))}
	if len(told.Degraded) > 0 {
		out.Warning = joined(out.Warning, strings.Join(told.Degraded, "; "))
	}
	return out, nil
}

func projectList(s engram.Stats) string {
	if len(s.Projects) == 0 {
		return "none yet"
	}
	return strings.Join(s.Projects, ", ")
}
