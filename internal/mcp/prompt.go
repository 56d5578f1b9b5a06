package mcp

import (
	"context"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/alanbuscaglia/engram/internal/mcp/memory"
	"github.com/alanbuscaglia/engram/internal/mcp/tool"
)

// recallPrompt is the prompt by which a person brings memories into a conversation.
func recallPrompt() *mcp.Prompt {
	return &mcp.Prompt{Name: memory.PromptName, Title: "Recall what is known", Description: "What is remembered of this project about a topic",
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
