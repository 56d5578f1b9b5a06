package mcp

import (
	"context"
	"encoding/json"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/document"
	"github.com/alanbuscaglia/engram/internal/engine"
	"github.com/alanbuscaglia/engram/internal/mcp/memory"
	"github.com/alanbuscaglia/engram/internal/project"
)

// refuseWhileOff is the middleware that refuses calls while agents are switched off, and tells the
// model why. Tools stay listed: a client would not ask again.
func (s *Server) refuseWhileOff(next mcp.MethodHandler) mcp.MethodHandler {
	return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
		off := s.switched()
		if off == nil {
			return next(ctx, method, req)
		}
		switch r := req.(type) {
		case *mcp.CallToolRequest:
			if err := s.offFor(ctx, off, whoseCall(r.Params.Name, r.Params.Arguments)); err != nil {
				return s.failure(r.Params.Name, err), nil
			}
		case *mcp.ReadResourceRequest:
			if err := s.offFor(ctx, off, whoseURI(r.Params.URI)); err != nil {
				return nil, s.refusal(method, err)
			}
		case *mcp.ListResourcesRequest, *mcp.GetPromptRequest, *mcp.CompleteRequest:
			if err := s.offFor(ctx, off, whose{}); err != nil {
				return nil, s.refusal(method, err)
			}
		}
		return next(ctx, method, req)
	}
}

// offFor returns the error for a call that is about a project that is off. Where the agent works in
// one, every call is, so that nothing is kept under another name.
func (s *Server) offFor(ctx context.Context, off func(project string) bool, w whose) error {
	if off("") {
		return engram.Errorf(engram.CodeForbidden, "Engram is switched off: nothing is remembered or recalled. Go on without it; only the user switches it on.").
			WithHint("the user runs {on}")
	}
	for _, name := range s.about(ctx, w) {
		if off(name) {
			return engram.Errorf(engram.CodeForbidden, "Engram is switched off for project %q: nothing is remembered or recalled. Go on without it; only the user switches it on.",
				project.Normalize(name)).WithHint("the user runs {on --project %s}", project.Normalize(name))
		}
	}
	return nil
}

// about are the projects that a call may be about: named, of its session, of the memories it names, and
// of the folder it speaks of or works in. What cannot be found out is left out.
func (s *Server) about(ctx context.Context, w whose) (names []string) {
	names = append(names, w.Projects...)
	if of, err := s.home.engine.ProjectsOf(ctx, w.Named); err == nil {
		names = append(names, of...)
	}
	if w.SessionID != "" {
		if session, err := s.home.engine.Session(ctx, w.SessionID); err == nil {
			names = append(names, session.Project)
		}
	}
	if w.Directory != "" {
		names = s.withFolder(ctx, names, w.Directory)
	}
	switch {
	case s.home.project != "":
		return append(names, s.home.project)
	case s.home.remote && len(names) > 0:
		return names // it runs in a folder where none of its agents may be
	}
	return s.withFolder(ctx, names, s.home.dir)
}

// withFolder adds the project of a folder to names.
func (s *Server) withFolder(ctx context.Context, names []string, dir string) []string {
	at, err := s.home.engine.ProjectFor(ctx, engine.ProjectRequest{Dir: dir, Lenient: true})
	if err != nil {
		return names
	}
	return append(names, at.Name)
}

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
