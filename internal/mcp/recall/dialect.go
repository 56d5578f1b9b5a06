// Package recall is the smallest dialect of MCP: remember, recall and forget, for agents
// and small models that want a memory and nothing to manage. A file per tool, its prose in
// the Markdown file beside it; what they answer stands in package document, for HTTP
// answers alike.
//
// The dialect knows no projects: it is one mind for everything its person works on, and
// what was learned in one project is there in the next. So recall looks everywhere. What is
// remembered still goes to the project of the folder, where there is one: the other
// dialects find it there, and near-duplicates are looked for among its likes. Where nobody
// can say which project it is, the memory belongs to none, and recall finds it all the same. An
// agent elsewhere may name its project, which is in the schema only there.
//
// Text of memories is quoted as it is, as data: nothing here reads it for instructions.
package recall

import (
	"context"
	"embed"
	"errors"
	"time"

	"github.com/alanbuscaglia/engram/internal/engine"
	"github.com/alanbuscaglia/engram/internal/mcp/tool"
	"github.com/alanbuscaglia/engram/internal/project"
	"github.com/alanbuscaglia/engram/internal/render"
)

// profile is the profile that has all of the dialect.
const profile = "recall"

//go:embed *.md
var prose embed.FS

// Options make the dialect. Engine is required.
type Options struct {
	Engine  *engine.Engine
	Project string         // where everything is remembered; "" looks at Dir
	Dir     string         // the folder the agent works in, absolute
	Remote  bool           // the agent works elsewhere: Dir says nothing
	Zone    *time.Location // of times in texts; nil is UTC
}

type dialect struct {
	Options
	text render.Options
}

// Tools returns the tools of the dialect, in the order of their names. They may be called
// concurrently, and keep nothing between calls.
func Tools(o Options) []tool.Tool {
	d := &dialect{o, render.Options{Zone: o.Zone}}
	return tool.Described(prose, "", []tool.Tool{
		tool.New(tool.Def{Name: "forget", Title: "Forget", Effect: tool.Destroys, Idempotent: true, Profiles: []string{profile}}, d.forget),
		tool.New(tool.Def{Name: "recall", Title: "Recall", Effect: tool.Reads, Idempotent: true, Profiles: []string{profile}}, d.recall),
		tool.New(tool.Def{Name: "remember", Title: "Remember", Effect: tool.Writes, Profiles: []string{profile}, Shows: d.shown()}, d.remember),
	})
}

// as is the engine writing in the caller's name.
func (d *dialect) as(by tool.Caller) *engine.Engine { return d.Engine.As(by.Actor()) }

// shown are the arguments that have to be told: over HTTP the agent may work anywhere, and
// only its project's name says where.
func (d *dialect) shown() []string {
	if d.Remote && d.Project == "" {
		return []string{"project"}
	}
	return nil
}

// place is the project that something is remembered in, named or not; "" where nobody can
// say.
func (d *dialect) place(ctx context.Context, named string) (name, warning string, err error) {
	if named == "" && d.Project == "" && (d.Remote || d.Dir == "") {
		return "", "", nil
	}
	at, err := d.Engine.ProjectFor(ctx, engine.ProjectRequest{Explicit: named, Override: d.Project, Dir: d.Dir, Write: true, Trusted: d.Remote})
	if p, ok := errors.AsType[*project.Problem](err); ok && p.Reason == project.ReasonAmbiguous {
		return "", "", nil
	}
	return at.Name, at.Warning, err
}
