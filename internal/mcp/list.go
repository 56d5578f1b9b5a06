package mcp

import (
	"context"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/alanbuscaglia/engram/internal/mcp/tool"
)

// definition is a tool as the SDK lists it. All four hints are always stated: what an
// agent is not told, it takes for dangerous, and one with nobody to ask then refuses
// the tool.
func definition(t tool.Tool) *mcp.Tool {
	return &mcp.Tool{
		Name:        t.Name,
		Title:       t.Title,
		Description: t.Prose,
		Annotations: &mcp.ToolAnnotations{
			Title:           t.Title,
			ReadOnlyHint:    t.Effect == tool.Reads,
			DestructiveHint: new(t.Effect == tool.Destroys),
			IdempotentHint:  t.Idempotent,
			OpenWorldHint:   new(false),
		},
		InputSchema:  t.Input,
		OutputSchema: t.Output,
	}
}

// listedTool is a tool in tools/list. The SDK has no field for what some clients
// read at the top of a definition: that the tool need not be loaded at once.
type listedTool struct {
	*mcp.Tool
	DeferLoading bool `json:"defer_loading,omitempty"`
}

// listedTools is the answer to tools/list with those in place of the SDK's own; the
// field here hides the one of the same name there.
type listedTools struct {
	*mcp.ListToolsResult
	Tools []listedTool `json:"tools"`
}

// listOffered is the middleware that lists in tools/list what is offered, and marks what
// is deferred.
func (s *Server) listOffered(next mcp.MethodHandler) mcp.MethodHandler {
	deferred := map[string]bool{}
	for _, t := range s.tools {
		deferred[t.Name] = t.Deferred
	}
	return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
		res, err := next(ctx, method, req)
		list, ok := res.(*mcp.ListToolsResult)
		if err != nil || !ok {
			return res, err
		}
		marked := listedTools{ListToolsResult: list, Tools: []listedTool{}}
		for _, t := range list.Tools {
			if late, offered := deferred[t.Name]; offered {
				marked.Tools = append(marked.Tools, listedTool{t, late})
			}
		}
		return marked, nil
	}
}
