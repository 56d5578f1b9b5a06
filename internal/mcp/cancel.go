package mcp

import (
	"context"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/alanbuscaglia/engram/internal/mcp/tool"
)

// requestKey finds in a call's context that of the HTTP request it came with.
type requestKey struct{}

// withRequest makes a call end with the HTTP request it came with, where that is right,
// and returns what must be called when the call has returned. The SDK does so in the
// stateless revision. In those before it a client that leaves has not cancelled, but
// nobody can hear the answer either, because nothing is kept for those who come back:
// what only reads may as well stop.
func withRequest(ctx context.Context, t tool.Tool) (context.Context, context.CancelFunc) {
	request, ok := ctx.Value(requestKey{}).(context.Context)
	if !ok || t.Effect != tool.Reads {
		return ctx, func() {}
	}
	ctx, cancel := context.WithCancel(ctx)
	unhook := context.AfterFunc(request, cancel)
	return ctx, func() { unhook(); cancel() }
}

// run runs a tool as part of ctx.
func (s *Server) run(ctx context.Context, t tool.Tool, req *mcp.CallToolRequest) (tool.Reply, error) {
	ctx, release := withRequest(ctx, t)
	defer release()
	progress, told := s.telling(ctx, req)
	defer told()
	by := tool.Caller{Client: clientName(req.ClientInfo()), Ask: s.asking(ctx, req.Session, t), Progress: progress, Offers: s.offers,
		Advice: func(err error) string { return s.hint(t.Name, err) }}
	return t.Call(ctx, by, req.Params.Arguments)
}
