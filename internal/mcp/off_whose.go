package mcp

import (
	"encoding/json"
	"strings"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/document"
	"github.com/alanbuscaglia/engram/internal/engine"
	"github.com/alanbuscaglia/engram/internal/mcp/memory"
)

// whose is as much of the arguments of any tool as says which projects a call is about.
type whose struct {
	Projects             []string
	SessionID, Directory string
	engine.Named
}

// whoseCall reads the arguments of a call. Those that have a wrong form are told so by the
// tool, if it comes to that.
func whoseCall(tool string, args json.RawMessage) (w whose) {
	var given map[string]json.RawMessage
	if json.Unmarshal(args, &given) != nil {
		return whose{}
	}
	w.project(given["project"])
	switch tool {
	case "mem_merge_projects":
		w.project(given["to"])
		from, _ := document.Items(given["from"])
		for _, name := range from {
			w.project(name)
		}
	case "mem_session_start", "mem_session_end":
		_ = json.Unmarshal(given["id"], &w.SessionID)
		delete(given, "id")
	}
	for name, into := range map[string]any{"session_id": &w.SessionID, "directory": &w.Directory, "judgment_id": &w.Relation} {
		_ = json.Unmarshal(given[name], into)
	}
	_ = json.Unmarshal(document.Unquoted(given["op"]), &w.Op)
	w.memories(given)
	batch, _ := document.Items(given["memories"])
	for _, raw := range batch {
		var one map[string]json.RawMessage
		_ = json.Unmarshal(raw, &one)
		w.project(one["project"])
		w.memories(one)
	}
	return w
}

// whoseURI reads the address of a resource.
func whoseURI(uri string) (w whose) {
	if name := memory.ProjectOf(uri); name != "" {
		w.Projects = []string{name}
	}
	w.memory(memory.IDOf(uri))
	return w
}

func (w *whose) project(arg json.RawMessage) {
	var name string
	if _ = json.Unmarshal(arg, &name); name != "" {
		w.Projects = append(w.Projects, name)
	}
}

// memories adds what the arguments that name memories in any dialect say.
func (w *whose) memories(given map[string]json.RawMessage) {
	for _, name := range []string{"id", "observation_id", "memory_id_a", "memory_id_b", "source_id", "target_id", "ids", "related_to"} {
		all, ok := document.Items(given[name])
		if !ok {
			all = []json.RawMessage{given[name]}
		}
		for _, one := range all {
			w.memory(strings.Trim(string(one), `" #`)) // a number, or the word for one
		}
	}
}

func (w *whose) memory(id string) {
	if ref, err := engram.ParseRef(id); err == nil {
		w.Memories = append(w.Memories, ref)
	}
}
