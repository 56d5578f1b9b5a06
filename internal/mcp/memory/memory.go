// Package memory is the memory_* dialect of MCP: what its tools are called, what they
// take and how they answer (a file per tool, its prose in the Markdown file beside it),
// and what the same memories are as resources (resource.go), as a prompt (recall.go) and
// as completions (complete.go). Package mcp puts those into the protocol.
//
// Memories are named by their ids (mem_…); numbers, unambiguous beginnings of ids and
// topic:KEY are read as well. What is stored, asked for or listed is of the project in
// force (place.go); an id names its memory in whatever project that is.
//
// The dialect keeps nothing between calls, and text of memories is quoted as it is, as
// data: nothing here reads it for instructions.
package memory

import (
	"time"

	"github.com/alanbuscaglia/engram/internal/engine"
	"github.com/alanbuscaglia/engram/internal/mcp/tool"
	"github.com/alanbuscaglia/engram/internal/render"
)

// Prefix opens the name of every tool of the dialect.
const Prefix = "memory_"

// profile is the profile that has all of the dialect.
const profile = "memory"

// Options make the dialect. Engine is required.
type Options struct {
	Engine  *engine.Engine
	Project string         // the project of every call that names none; "" looks at Dir
	Dir     string         // the folder the agent works in, absolute
	Remote  bool           // Dir is only a guess: new projects may be named whatever it is
	Zone    *time.Location // of times in texts; nil is UTC
}

// Dialect is the tools and resources over one engine. It may be used concurrently.
type Dialect struct {
	engine  *engine.Engine
	project string
	dir     string
	remote  bool
	text    render.Options
}

// New returns the dialect.
func New(o Options) *Dialect {
	return &Dialect{engine: o.Engine, project: o.Project, dir: o.Dir, remote: o.Remote, text: render.Options{Zone: o.Zone}}
}

// Tools returns the tools of the dialect, in the order of their names.
func (d *Dialect) Tools() []tool.Tool {
	return []tool.Tool{
		d.deleteTool(), d.deleteBatchTool(), d.exportTool(), d.graphTool(), d.importTool(), d.linkTool(), d.queryTool(), d.statsTool(),
		d.storeTool(), d.storeBatchTool(), d.updateTool(),
	}
}

// shown are the arguments that have to be told: over HTTP the agent may work anywhere, and
// only its project's name says where.
func (d *Dialect) shown() []string {
	if d.remote && d.project == "" {
		return []string{"project"}
	}
	return nil
}

// as is the engine writing in the caller's name.
func (d *Dialect) as(by tool.Caller) *engine.Engine { return d.engine.As(by.Actor()) }
