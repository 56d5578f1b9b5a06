package mcp

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/mcp/memory"
	"github.com/alanbuscaglia/engram/internal/mcp/tool"
	"github.com/alanbuscaglia/engram/internal/redact"
)

// memories serves the memory_* dialect's resources, prompt and completions.
type memories struct {
	*Server
	dialect *memory.Dialect
}

// configure declares more capabilities than tools. Changes are not announced: clients see them when they list
// again.
func (s memories) configure(o *mcp.ServerOptions) {
	o.Capabilities.Resources, o.Capabilities.Prompts = &mcp.ResourceCapabilities{}, &mcp.PromptCapabilities{}
	o.Capabilities.Completions = &mcp.CompletionCapabilities{}
	o.CompletionHandler = s.complete
}

// offer registers templates, prompt and middleware with the SDK.
func (s memories) offer() {
	for _, t := range []*mcp.ResourceTemplate{
		{Name: "memory", Title: "A memory", URITemplate: memory.MemoryTemplate, MIMEType: memory.JSON,
			Description: "One whole memory with its relations and earlier versions; id is an id, a number or topic:KEY"},
		{Name: "memories", Title: "Memories of a project", URITemplate: memory.ListTemplate, MIMEType: memory.JSON,
			Description: "The memories of a project, newest first, in pages of 50"},
	} {
		s.sdk.AddResourceTemplate(t, s.read) // never called: the middleware answers first
	}
	s.sdk.AddPrompt(recallPrompt(), s.recall)
	s.sdk.AddReceivingMiddleware(s.answer)
}

// answer is the middleware that lists and reads resources. The SDK would list registered ones, and there may be
// a million memories.
func (s memories) answer(next mcp.MethodHandler) mcp.MethodHandler {
	return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
		switch r := req.(type) {
		case *mcp.ListResourcesRequest:
			return s.list(ctx, r)
		case *mcp.ReadResourceRequest:
			res, err := s.read(ctx, r)
			if err != nil || r.ProtocolVersion() < stateless {
				return res, err
			}
			return completeRead{res}, nil
		}
		return next(ctx, method, req)
	}
}

// completeRead is the answer to resources/read in the stateless revision, which must say that nothing more is
// asked for. The SDK does so only in its own answers.
type completeRead struct{ *mcp.ReadResourceResult }

// MarshalJSON writes the result as the SDK does, with that member first.
func (r completeRead) MarshalJSON() ([]byte, error) {
	object, err := r.ReadResourceResult.MarshalJSON()
	if err != nil {
		return nil, err
	}
	return append([]byte(`{"resultType":"complete",`), object[1:]...), nil
}

// private lets only the person's own client cache an answer, and not for long: memories change at any time.
func private() mcp.Cacheable { return mcp.Cacheable{CacheScope: "private"} }

func (s memories) list(ctx context.Context, req *mcp.ListResourcesRequest) (*mcp.ListResourcesResult, error) {
	cursor := ""
	if req.Params != nil {
		cursor = req.Params.Cursor
	}
	all, next, err := s.dialect.Resources(ctx, cursor)
	if err != nil {
		return nil, s.refusal("resources/list", err)
	}
	res := &mcp.ListResourcesResult{Cacheable: private(), Resources: []*mcp.Resource{}, NextCursor: next}
	for _, r := range all {
		entry := &mcp.Resource{URI: r.URI, Name: r.Name, Title: r.Title, Description: r.Description, MIMEType: memory.JSON,
			Annotations: &mcp.Annotations{Priority: r.Importance}}
		if at := time.Time(r.Modified); !at.IsZero() {
			entry.Annotations.LastModified = at.UTC().Format(time.RFC3339)
		}
		res.Resources = append(res.Resources, entry)
	}
	return res, nil
}

func (s memories) read(ctx context.Context, req *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
	uri := req.Params.URI
	contents, err := s.dialect.Read(ctx, tool.Caller{Client: clientName(req.ClientInfo())}, uri)
	if engram.CodeOf(err) == engram.CodeNotFound {
		return nil, s.notFound(req.ProtocolVersion(), uri, err)
	}
	if err != nil {
		return nil, s.refusal("resources/read", err)
	}
	res := &mcp.ReadResourceResult{Cacheable: private()}
	for _, c := range contents {
		res.Contents = append(res.Contents, &mcp.ResourceContents{URI: uri, MIMEType: c.Type, Text: c.Text})
	}
	return res, nil
}

// codeNoResource says in the revisions before the stateless one that a resource does not exist; later ones use
// invalid params.
const codeNoResource = -32002

func (s *Server) notFound(version, uri string, err error) *jsonrpc.Error {
	reported := &jsonrpc.Error{Code: codeNoResource, Message: "Resource not found: " + tool.Reason(err),
		Data: s.dataOf("uri", tool.Clip(redact.Private(uri)), err)}
	if version >= stateless {
		reported.Code = jsonrpc.CodeInvalidParams
	}
	return reported
}

// refusal is the protocol error for a request that is not a tool call. Causes go to the log, never to the
// client.
func (s *Server) refusal(method string, err error) *jsonrpc.Error {
	code := engram.CodeOf(err)
	reported := &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: tool.Reason(err)}
	if code == engram.CodeInternal || code == engram.CodeUnavailable {
		s.log.Error("request failed", "method", method, "code", string(code), "error", err.Error())
		reported.Code = jsonrpc.CodeInternalError
	}
	reported.Data = s.dataOf("code", string(code), err)
	return reported
}

// dataOf returns the data of an error: one named fact, and the hint.
func (s *Server) dataOf(name, value string, err error) json.RawMessage {
	facts := map[string]string{name: value}
	if hint := s.hint(memory.Prefix, err); hint != "" {
		facts["hint"] = hint
	}
	data, _ := json.Marshal(facts) // strings cannot fail
	return data
}

// recallPrompt is the prompt by which a person brings memories into a conversation.
func recallPrompt() *mcp.Prompt {
	return &mcp.Prompt{Name: memory.PromptName, Title: "Recall what is known", Description: "The memories of this project about a topic",
		Arguments: []*mcp.PromptArgument{
			{Name: memory.TopicArg, Title: "Topic", Description: "a question, words or a topic key", Required: true},
			{Name: memory.BudgetArg, Title: "Budget", Description: "tokens at most; default 4000"},
		}}
}

func (s memories) recall(ctx context.Context, req *mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
	args := req.Params.Arguments
	text, err := s.dialect.RecallContext(ctx, tool.Caller{Client: clientName(req.ClientInfo())}, args[memory.TopicArg], args[memory.BudgetArg])
	if err != nil {
		return nil, s.refusal("prompts/get", err)
	}
	return &mcp.GetPromptResult{Description: recallPrompt().Description,
		Messages: []*mcp.PromptMessage{{Role: "user", Content: &mcp.TextContent{Text: text}}}}, nil
}

// complete completes an argument of the prompt or of a template.
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
