package mcp

import (
	"context"
	"fmt"
	"runtime/debug"
	"slices"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/mcp/tool"
	"github.com/alanbuscaglia/engram/internal/redact"
	"github.com/alanbuscaglia/engram/internal/text"
)

// recoverPanics is the middleware that turns a panic into an answer. The SDK has none,
// and a panic would end the process and with it the agent's session.
func (s *Server) recoverPanics(next mcp.MethodHandler) mcp.MethodHandler {
	return func(ctx context.Context, method string, req mcp.Request) (res mcp.Result, err error) {
		defer func() {
			v := recover()
			if v == nil {
				return
			}
			// Without the arguments: they hold what people wrote.
			s.log.Error("panic", "method", method, "panic", fmt.Sprint(v), "stack", string(debug.Stack()))
			if call, ok := req.(*mcp.CallToolRequest); ok {
				res, err = s.failure(call.Params.Name, engram.Errorf(engram.CodeInternal, "internal error in %s", call.Params.Name)), nil
				return
			}
			res, err = nil, &jsonrpc.Error{Code: jsonrpc.CodeInternalError, Message: "internal error in " + method}
		}()
		return next(ctx, method, req)
	}
}

// refuseUntaken is the middleware that answers for tools this server does not have,
// and names the nearest one it has.
func (s *Server) refuseUntaken(next mcp.MethodHandler) mcp.MethodHandler {
	return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
		if call, ok := req.(*mcp.CallToolRequest); ok && !s.takes(call.Params.Name) {
			return nil, s.unknownTool(call.Params.Name)
		}
		return next(ctx, method, req)
	}
}

// takes reports whether the tool of that name can be called.
func (s *Server) takes(name string) bool {
	return slices.ContainsFunc(s.taken, func(t tool.Tool) bool { return t.Name == name })
}

// offers reports whether the tool of that name is listed, so that a model can be told of it.
func (s *Server) offers(name string) bool {
	return slices.ContainsFunc(s.tools, func(t tool.Tool) bool { return t.Name == name })
}

func (s *Server) unknownTool(name string) *jsonrpc.Error {
	name = tool.Clip(redact.Private(name))
	var names []string
	for _, t := range s.taken {
		names = append(names, t.Name)
	}
	message := fmt.Sprintf("tool '%s' not found: tool not found", name)
	if near := text.Nearest(name, names); near != "" {
		message += "; did you mean " + near + "?"
	}
	return &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: message}
}
