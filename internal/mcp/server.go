// Package mcp serves Engram to agents over the Model Context Protocol: on standard
// input and output (stdio.go) and over HTTP (http.go), in both eras of the protocol,
// the one that begins with initialize and the stateless one of 2026-07-28.
//
// It owns what the protocol asks for: which tools are offered (profile.go), how they
// are listed (list.go), what is offered beside them (resource.go, prompt.go,
// complete.go), how errors are told (errors.go), how the person at the client is asked
// (ask.go), and the guards that the SDK does not have (guard.go, stdio.go). What the
// tools are called and what they say is a dialect's business; those are folders below
// this one.
//
// A caller may rely on this: a failure of a tool is an answer with isError, never the
// end of the session, and nothing but the protocol is written to its output.
package mcp

import (
	"context"
	"encoding/json"
	"log/slog"
	"slices"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/alanbuscaglia/engram/internal/engine"
	"github.com/alanbuscaglia/engram/internal/mcp/mem"
	"github.com/alanbuscaglia/engram/internal/mcp/memory"
	"github.com/alanbuscaglia/engram/internal/mcp/recall"
	"github.com/alanbuscaglia/engram/internal/mcp/tool"
)

// Options make a Server. Engine is required.
type Options struct {
	Engine  *engine.Engine
	Version string         // of the program; "" is "unknown"
	Tools   string         // profiles and tool names, separated by commas; "" is the agent profile
	Project string         // the project of calls that name none; "" looks at Dir
	Dir     string         // the folder the agent works in, absolute
	Remote  bool           // agents may work anywhere: Dir is only a guess, and the projects they name are trusted
	Zone    *time.Location // of times in texts; nil is UTC
	Log     *slog.Logger   // nil logs nothing; must not write to the protocol's output
	// Instructions are what models are told; the zero value tells them nothing.
	Instructions Instructions
	// Off says what agents are switched off for now: it returns nil for nothing, or what
	// reports whether a project is off; "" is none, which is off with everything. It is
	// asked at each call and must not wait. nil is never.
	Off func() (off func(project string) bool)
	// AskWithin is how long the person at the client may take to answer a question; 0 is
	// two minutes. Whoever leaves one unanswered is not asked again on that connection.
	AskWithin time.Duration
	// ReadAfter is how long a call that reads waits for the writes that were sent before it
	// over the same connection; 0 is half a second.
	ReadAfter time.Duration
}

// Server offers tools to MCP clients. It may serve several at once, over both transports.
type Server struct {
	sdk   *mcp.Server
	tools []tool.Tool // those offered, by name: they are listed
	taken []tool.Tool // those that can be called: the same and some more
	log   *slog.Logger
	// memories is set when resources, a prompt and completions are offered (resource.go).
	memories bool

	askWithin time.Duration
	readAfter time.Duration

	switched func() (off func(project string) bool) // Options.Off
	home     home
}

// home is what decides the project of a call that names none.
type home struct {
	engine       *engine.Engine
	project, dir string
	remote       bool
}

// New returns a Server. A profile or tool that does not exist is an *engram.Error of
// CodeInvalid that names the nearest one. New costs less than a millisecond or two:
// agents start a process a session.
func New(o Options) (*Server, error) {
	offered, beside, err := selectTools(dialects(o), o.Tools)
	if err != nil {
		return nil, err
	}
	return newServer(o, offered, beside...), nil
}

// newServer returns a Server that offers these tools, and takes others beside them.
func newServer(o Options, offered []tool.Tool, beside ...tool.Tool) *Server {
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.Version == "" {
		o.Version = "unknown"
	}
	if o.AskWithin <= 0 {
		o.AskWithin = defaultAskWithin
	}
	if o.ReadAfter <= 0 {
		o.ReadAfter = defaultReadAfter
	}
	if o.Off == nil {
		o.Off = func() func(string) bool { return nil }
	}
	s := &Server{tools: offered, taken: slices.Concat(offered, beside), log: o.Log, askWithin: o.AskWithin, readAfter: o.ReadAfter,
		switched: o.Off, home: home{o.Engine, o.Project, o.Dir, o.Remote}}
	options := &mcp.ServerOptions{
		Instructions: o.Instructions.offering(offered),
		Logger:       slog.New(warnings{o.Log.Handler()}),
		// Set, because the SDK would offer logging, which the newest revision deprecates.
		Capabilities: &mcp.ServerCapabilities{Tools: &mcp.ToolCapabilities{ListChanged: true}},
	}
	m := memories{Server: s, dialect: memory.New(memoryOptions(o))}
	if s.memories = offersMemories(offered); s.memories {
		m.configure(options)
	}
	s.sdk = mcp.NewServer(&mcp.Implementation{Name: "engram", Title: "Engram memory", Version: o.Version}, options)
	for _, t := range s.taken {
		s.sdk.AddTool(definition(t), s.handler(t))
	}
	if s.memories {
		m.offer()
	}
	s.sdk.AddReceivingMiddleware(s.recoverPanics, s.refuseUntaken, s.refuseWhileOff, s.listOffered)
	return s
}

// told is what agents are told from: without what is in a project that is off.
func (o Options) told() *engine.Engine {
	if o.Off == nil || o.Engine == nil {
		return o.Engine
	}
	return o.Engine.Apart(o.Off)
}

// dialects returns the tools of every dialect.
func dialects(o Options) []tool.Tool {
	told := o.told()
	return slices.Concat(
		mem.Tools(mem.Options{Engine: told, Project: o.Project, Dir: o.Dir, Remote: o.Remote, Zone: o.Zone}),
		memory.New(memoryOptions(o)).Tools(),
		recall.Tools(recall.Options{Engine: told, Project: o.Project, Dir: o.Dir, Remote: o.Remote, Zone: o.Zone}),
	)
}

func memoryOptions(o Options) memory.Options {
	return memory.Options{Engine: o.told(), Project: o.Project, Dir: o.Dir, Remote: o.Remote, Zone: o.Zone}
}

// handler runs a tool for the SDK. It never returns an error, because the SDK would
// make a protocol error of it, which models do not get to see.
func (s *Server) handler(t tool.Tool) mcp.ToolHandler {
	return func(ctx context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		reply, err := s.run(ctx, t, req)
		if err != nil {
			return s.failure(t.Name, err), nil
		}
		return result(reply.Text, reply.Structured, false), nil
	}
}

func result(text string, structured json.RawMessage, isError bool) *mcp.CallToolResult {
	return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: text}}, StructuredContent: structured, IsError: isError}
}

// clientName cleans what a client calls itself, for it ends up in the journal: the
// letters of a program's name, and not too many.
func clientName(info *mcp.Implementation) string {
	if info == nil {
		return ""
	}
	const most = 40
	var b strings.Builder
	for _, r := range strings.ToLower(info.Name) {
		switch {
		case b.Len() == most:
			return b.String()
		case r >= 'a' && r <= 'z', r >= '0' && r <= '9', r == '-', r == '_', r == '.':
			b.WriteRune(r)
		case r == ' ', r == '/':
			b.WriteByte('-')
		}
	}
	return b.String()
}

// warnings passes on what is worth a line: the SDK reports every connection, and over
// HTTP every request is one.
type warnings struct{ slog.Handler }

// Enabled reports whether level is at least a warning and wanted.
func (h warnings) Enabled(ctx context.Context, level slog.Level) bool {
	return level >= slog.LevelWarn && h.Handler.Enabled(ctx, level)
}
