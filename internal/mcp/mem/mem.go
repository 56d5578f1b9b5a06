// Package mem is the mem_* dialect of MCP: what its tools are called, what they take
// and how they answer. Every tool decodes, calls a verb of the engine and encodes; a
// file per tool or noun, its prose in the Markdown file beside it.
//
// What the dialect keeps for itself lives as long as the process: how busy a project
// has been (activity.go), tickets for choosing a project (recovery.go)
// and which session asks (asking.go). The store knows nothing of them.
//
// Text of memories is quoted as it is, as data: nothing here reads it for instructions.
package mem

import (
	"time"

	"github.com/alanbuscaglia/engram/internal/engine"
	"github.com/alanbuscaglia/engram/internal/mcp/tool"
	"github.com/alanbuscaglia/engram/internal/render"
)

// Options make the dialect. Engine is required.
type Options struct {
	Engine  *engine.Engine
	Project string         // the project of every call that names none; "" looks at Dir
	Dir     string         // the folder the agent works in, absolute
	Remote  bool           // Dir is only a guess: new projects may be named whatever it is
	Zone    *time.Location // of times in texts; nil is UTC
}

// dialect is what the tools share.
type dialect struct {
	engine   *engine.Engine
	project  string
	dir      string
	remote   bool
	text     render.Options
	activity activity
	recovery recovery
	asking   asking
}

// The profiles of contracts that this dialect has a part in, beside its own.
const (
	agent = "agent"
	core  = "core"
	admin = "admin"
)

// Tools returns the tools of the dialect, in the order of their names. They share
// state and may be called concurrently.
func Tools(o Options) []tool.Tool {
	d := &dialect{engine: o.Engine, project: o.Project, dir: o.Dir, remote: o.Remote, text: render.Options{Zone: o.Zone}}
	return []tool.Tool{
		d.captureTool(), d.compareTool(), d.conflictsTool(), d.contextTool(), d.currentTool(), d.decayTool(), d.deleteTool(), d.diagnosticsTool(), d.doctorTool(), d.getTool(), d.historyTool(), d.judgeTool(), d.logTool(), d.mergeTool(), d.pinTool(), d.reviewTool(),
		d.saveTool(), d.promptTool(), d.searchTool(), d.sleepTool(), d.endTool(), d.startTool(), d.summaryTool(), d.statsTool(), d.topicTool(),
		d.timelineTool(), d.undoTool(), d.updateTool(), d.linkTool(), d.unlinkTool(), d.unpinTool(), d.graphTool(),
	}
}

// as is the engine writing in the caller's name.
func (d *dialect) as(by tool.Caller) *engine.Engine { return d.engine.As(by.Actor()) }
