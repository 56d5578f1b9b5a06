// Package memory is the memory_* dialect of MCP: what its tools are called, what they
// take and how they answer (a file per tool, its prose in the Markdown file of its name),
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
	"embed"
	"time"

	"github.com/alanbuscaglia/engram/internal/engine"
	"github.com/alanbuscaglia/engram/internal/mcp/tool"
	"github.com/alanbuscaglia/engram/internal/render"
)

// Prefix opens the name of every tool of the dialect.
const Prefix = "memory_"

// profile is the profile that has all of the dialect.
const profile = "memory"

//go:embed *.md
var prose embed.FS

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
	return tool.Described(prose, Prefix, []tool.Tool{
		tool.New(tool.Def{Name: "memory_delete", Title: "Delete a memory", Effect: tool.Destroys, Idempotent: true, Deferred: true, Profiles: []string{profile}}, d.delete),
		tool.New(tool.Def{Name: "memory_delete_batch", Title: "Delete several memories", Effect: tool.Destroys, Idempotent: true, Deferred: true, Profiles: []string{profile}}, d.deleteBatch),
		tool.New(tool.Def{Name: "memory_export", Title: "Export the project", Effect: tool.Reads, Idempotent: true, Deferred: true, Profiles: []string{profile}, Shows: d.shown()}, d.export),
		tool.New(tool.Def{Name: "memory_graph", Title: "Memory with what is related", Effect: tool.Reads, Idempotent: true, Deferred: true, Profiles: []string{profile}}, d.graph),
		tool.New(tool.Def{Name: "memory_import", Title: "Import an export", Effect: tool.Destroys, Idempotent: true, Deferred: true, Profiles: []string{profile}, Shows: d.shown()}, d.importData),
		tool.New(tool.Def{Name: "memory_link", Title: "Link two memories", Effect: tool.Writes, Idempotent: true, Profiles: []string{profile}}, d.link),
		tool.New(tool.Def{Name: "memory_query", Title: "Query memories", Effect: tool.Reads, Idempotent: true, Profiles: []string{profile}, Shows: d.shown()}, d.query),
		tool.New(tool.Def{Name: "memory_stats", Title: "Project statistics", Effect: tool.Reads, Idempotent: true, Deferred: true, Profiles: []string{profile}, Shows: d.shown()}, d.stats),
		tool.New(tool.Def{Name: "memory_store", Title: "Store a memory", Effect: tool.Writes, Profiles: []string{profile}, Shows: d.shown()}, d.store),
		tool.New(tool.Def{Name: "memory_store_batch", Title: "Store several memories", Effect: tool.Writes, Deferred: true, Profiles: []string{profile}, Shows: d.shown()}, d.storeBatch),
		tool.New(tool.Def{Name: "memory_update", Title: "Update a memory", Effect: tool.Writes, Idempotent: true, Profiles: []string{profile}}, d.update),
	})
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
