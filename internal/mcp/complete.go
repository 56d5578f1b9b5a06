package mcp

import (
	"context"
	"fmt"
	"slices"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/alanbuscaglia/engram/internal/mcp/memory"
	"github.com/alanbuscaglia/engram/internal/mcp/tool"
	"github.com/alanbuscaglia/engram/internal/redact"
)

// complete answers what an argument of the prompt or of a template may be.
func (s memories) complete(ctx context.Context, req *mcp.CompleteRequest) (*mcp.CompleteResult, error) {
	p := req.Params
	var known []string
	switch {
	case p.Ref.Name == memory.PromptName:
		known = []string{memory.TopicArg, memory.BudgetArg}
	case p.Ref.URI == memory.MemoryTemplate:
		known = []string{"id"}
	case p.Ref.URI == memory.ListTemplate:
		known = []string{"project", "type", "topic", "cursor"}
	default:
		return nil, &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: fmt.Sprintf("there is no prompt or template %q", tool.Clip(redact.Private(p.Ref.Name+p.Ref.URI)))}
	}
	if !slices.Contains(known, p.Argument.Name) {
		return nil, &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: fmt.Sprintf("there is no argument %q", tool.Clip(redact.Private(p.Argument.Name)))}
	}
	chosen := ""
	if p.Context != nil {
		chosen = p.Context.Arguments["project"]
	}
	found, err := s.dialect.Complete(ctx, p.Argument.Name, p.Argument.Value, chosen)
	if err != nil {
		return nil, s.refusal("completion/complete", err)
	}
	return &mcp.CompleteResult{Completion: mcp.CompletionResultDetails{Values: found.Values, HasMore: found.More, Total: found.Total}}, nil
}
