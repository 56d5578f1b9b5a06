package mcp

import (
	"context"
	"encoding/json"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/document"
	"github.com/alanbuscaglia/engram/internal/engine/forget"
	"github.com/alanbuscaglia/engram/internal/engine/projects"
	"github.com/alanbuscaglia/engram/internal/mcp/memory"
	"github.com/alanbuscaglia/engram/internal/project"
)

// refuseWhileOff is the middleware that rejects calls while agents are switched off, and tells the model why.
// Tools stay listed: a client would not list them again.
func (s *Server) refuseWhileOff(next mcp.MethodHandler) mcp.MethodHandler {
	return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
		off := s.switched()
		if off == nil {
			return next(ctx, method, req)
		}
		switch r := req.(type) {
		case *mcp.CallToolRequest:
			if err := s.offFor(ctx, off, subjectOfCall(r.Params.Name, r.Params.Arguments)); err != nil {
				return s.failure(r.Params.Name, err), nil
			}
		case *mcp.ReadResourceRequest:
			if err := s.offFor(ctx, off, subjectOfURI(r.Params.URI)); err != nil {
				return nil, s.refusal(method, err)
			}
		case *mcp.ListResourcesRequest, *mcp.GetPromptRequest, *mcp.CompleteRequest:
			if err := s.offFor(ctx, off, subject{}); err != nil {
				return nil, s.refusal(method, err)
			}
		}
		return next(ctx, method, req)
	}
}

// offFor returns the error for a call that concerns a project that is off. Every call of an agent that works in
// one does, so that nothing is saved under another name.
func (s *Server) offFor(ctx context.Context, off func(project string) bool, w subject) error {
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

// about returns the projects that a call may concern: named ones, those of its session and its memories, and
// that of its folder or the working folder. Unknown ones are left out.
func (s *Server) about(ctx context.Context, w subject) (names []string) {
	names = append(names, w.Projects...)
	if of, err := s.home.Engine.ProjectsOf(ctx, w.Named); err == nil {
		names = append(names, of...)
	}
	if w.SessionID != "" {
		if session, err := s.home.Engine.Session(ctx, w.SessionID); err == nil {
			names = append(names, session.Project)
		}
	}
	if w.Directory != "" {
		names = s.withFolder(ctx, names, w.Directory)
	}
	switch {
	case s.home.Project != "":
		return append(names, s.home.Project)
	case s.home.Remote && len(names) > 0:
		return names // the server's folder need not be that of its agents
	}
	return s.withFolder(ctx, names, s.home.Dir)
}

// withFolder adds the project of a folder to names.
func (s *Server) withFolder(ctx context.Context, names []string, dir string) []string {
	at, err := s.home.Engine.ProjectFor(ctx, projects.ProjectRequest{Dir: dir, Lenient: true})
	if err != nil {
		return names
	}
	return append(names, at.Name)
}

// subject holds the arguments of a tool that say which projects a call concerns.
type subject struct {
	Projects             []string
	SessionID, Directory string
	forget.Named
}

// subjectOfCall reads the arguments of a call. The tool itself reports malformed ones.
func subjectOfCall(tool string, args json.RawMessage) (w subject) {
	var given map[string]json.RawMessage
	if json.Unmarshal(args, &given) != nil {
		return subject{}
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

// subjectOfURI reads the address of a resource.
func subjectOfURI(uri string) (w subject) {
	if name := memory.ProjectOf(uri); name != "" {
		w.Projects = []string{name}
	}
	w.memory(memory.IDOf(uri))
	return w
}

func (w *subject) project(arg json.RawMessage) {
	var name string
	if _ = json.Unmarshal(arg, &name); name != "" {
		w.Projects = append(w.Projects, name)
	}
}

// memories adds the memories named by arguments of any dialect.
func (w *subject) memories(given map[string]json.RawMessage) {
	for _, name := range []string{"id", "observation_id", "memory_id_a", "memory_id_b", "source_id", "target_id", "ids", "related_to"} {
		all, ok := document.Items(given[name])
		if !ok {
			all = []json.RawMessage{given[name]}
		}
		for _, one := range all {
			w.memory(strings.Trim(string(one), `" #`)) // a number or an id
		}
	}
}

func (w *subject) memory(id string) {
	if ref, err := engram.ParseRef(id); err == nil {
		w.Memories = append(w.Memories, ref)
	}
}
