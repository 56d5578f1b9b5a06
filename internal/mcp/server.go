// Package mcp serves Engram to agents over the Model Context Protocol: on standard input and output (stdio.go)
// and over HTTP (http.go), in both eras of the protocol, the one that begins with initialize and the stateless
// one of 2026-07-28.
//
// It owns what the protocol requires: which tools are offered and how they are listed (list.go), resources and
// prompts (resource.go), questions to the person at the client (progress.go), and the guards that the SDK lacks
// (http.go, stdio.go). The tools belong to the dialects, the folders below.
//
// A failing tool is an answer with isError, never the end of the session, and only the protocol is written to
// its output.
package mcp

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/engine"
	"github.com/alanbuscaglia/engram/internal/mcp/mem"
	"github.com/alanbuscaglia/engram/internal/mcp/memory"
	"github.com/alanbuscaglia/engram/internal/mcp/recall"
	"github.com/alanbuscaglia/engram/internal/mcp/tool"
	"github.com/alanbuscaglia/engram/internal/redact"
)

// Options configure a Server. Engine is required.
type Options struct {
	Engine       *engine.Engine
	Version      string         // of the program; "" is "unknown"
	Tools        string         // profiles and tool names, separated by commas; "" is the agent profile
	Project      string         // the project of calls that name none; "" looks at Dir
	Dir          string         // the folder the agent works in, absolute
	Remote       bool           // agents may work anywhere: Dir is only a guess, and projects they name are trusted
	Zone         *time.Location // of times in texts; nil is UTC
	Log          *slog.Logger   // nil logs nothing; must not write to the protocol's output
	Instructions Instructions   // texts for models; the zero value gives none
	// Off returns nil while nothing is switched off, else a function that reports whether a project is; "" is
	// no project. It is called for each call and must not wait. Nil is never off.
	Off func() (off func(project string) bool)
	// AskWithin is how long the person at the client has to answer a question; 0 is two minutes. After an
	// unanswered one no more are asked on that connection.
	AskWithin time.Duration
	// ReadAfter is how long a reading call waits for the writes sent before it over the same connection; 0 is
	// half a second.
	ReadAfter time.Duration
}

// Server offers tools to MCP clients. It may serve several at once, over both transports.
type Server struct {
	sdk   *mcp.Server
	tools []tool.Tool // offered, that is listed, by name
	taken []tool.Tool // callable: the same and some more
	log   *slog.Logger
	// memories is set when resources, a prompt and completions are offered (resource.go).
	memories bool

	askWithin time.Duration
	readAfter time.Duration

	switched func() (off func(project string) bool) // Options.Off
	home     tool.Options                           // decides the project of a call that names none
}

// New returns a Server within a millisecond or two, because agents start a process for each session. An unknown
// profile or tool is CodeInvalid with the nearest name.
func New(o Options) (*Server, error) {
	offered, beside, err := selectTools(dialects(o), o.Tools)
	if err != nil {
		return nil, err
	}
	return newServer(o, offered, beside...), nil
}

// newServer returns a Server that offers these tools and also takes those beside them.
func newServer(o Options, offered []tool.Tool, beside ...tool.Tool) *Server {
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.Off == nil {
		o.Off = func() func(string) bool { return nil }
	}
	s := &Server{tools: offered, taken: slices.Concat(offered, beside), log: o.Log,
		askWithin: cmp.Or(o.AskWithin, defaultAskWithin), readAfter: cmp.Or(o.ReadAfter, defaultReadAfter),
		switched: o.Off, home: o.of(o.Engine)}
	options := &mcp.ServerOptions{
		Instructions: o.Instructions.offering(offered),
		Logger:       slog.New(warnings{o.Log.Handler()}),
		// Set, because the SDK would declare logging, which the newest revision deprecates.
		Capabilities: &mcp.ServerCapabilities{Tools: &mcp.ToolCapabilities{ListChanged: true}},
	}
	m := memories{Server: s, dialect: memory.New(o.reported())}
	// Clients of the other dialects have always seen none.
	s.memories = slices.ContainsFunc(offered, func(t tool.Tool) bool { return strings.HasPrefix(t.Name, memory.Prefix) })
	if s.memories {
		m.configure(options)
	}
	s.sdk = mcp.NewServer(&mcp.Implementation{Name: "engram", Title: "Engram memory", Version: cmp.Or(o.Version, "unknown")}, options)
	if s.memories {
		m.offer()
	}
	s.sdk.AddReceivingMiddleware(s.recoverPanics, s.refuseUntaken, s.refuseWhileOff, s.listOffered, s.callTaken)
	return s
}

// of returns the options of dialects over an engine.
func (o Options) of(e *engine.Engine) tool.Options {
	return tool.Options{Engine: e, Project: o.Project, Dir: o.Dir, Remote: o.Remote, Zone: o.Zone}
}

// reported returns the options of the dialects, whose engine hides projects that are off.
func (o Options) reported() tool.Options {
	if o.Off == nil || o.Engine == nil {
		return o.of(o.Engine)
	}
	return o.of(o.Engine.As(o.Engine.Caller().Without(o.Off)))
}

func dialects(o Options) []tool.Tool {
	d := o.reported()
	return slices.Concat(mem.Tools(d), memory.New(d).Tools(), recall.Tools(d))
}

// callTaken is the middleware that runs the tools. The SDK knows none of them: to add one takes it long, since it writes and
// reads the schema more than once, and it never uses what it has read. refuseUntaken stands before it.
func (s *Server) callTaken(next mcp.MethodHandler) mcp.MethodHandler {
	return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
		call, ok := req.(*mcp.CallToolRequest)
		if !ok {
			return next(ctx, method, req)
		}
		return s.called(ctx, call), nil
	}
}

// called runs a tool. A failure is a result too: models do not see errors of the protocol.
func (s *Server) called(ctx context.Context, req *mcp.CallToolRequest) *mcp.CallToolResult {
	t := s.taken[slices.IndexFunc(s.taken, func(t tool.Tool) bool { return t.Name == req.Params.Name })]
	reply, err := s.run(ctx, t, req)
	if err != nil {
		return s.failure(t.Name, err)
	}
	return result(reply.Text, reply.Structured, false)
}

func result(text string, structured json.RawMessage, isError bool) *mcp.CallToolResult {
	return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: text}}, StructuredContent: structured, IsError: isError}
}

// clientName cleans what a client calls itself, for the journal: the letters of a program's name, at most 40.
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

// warnings passes on warnings and errors only: the SDK logs every connection, and over HTTP every request is
// one.
type warnings struct{ slog.Handler }

// Enabled reports whether level is at least a warning and wanted.
func (h warnings) Enabled(ctx context.Context, level slog.Level) bool {
	return level >= slog.LevelWarn && h.Handler.Enabled(ctx, level)
}

// Instructions are what a client gives its model, one text for each way of working; "" for none. They are passed
// in, because skills and rules of agents contain the same words.
type Instructions struct {
	Agent  string // for the agent profile
	Core   string // for the core profile, whose readers are small models
	Memory string // for the tools named memory_…
	Recall string // for remember, recall and forget
	Any    string // for any other selection of tools; names none
}

// way is a way of working with some of the tools.
type way struct {
	needs []string // required tools, beside those the text names like mem_save
	text  string
}

// offering returns the instructions for a model that is offered these tools: the texts of each dialect whose
// tools are all offered.
func (i Instructions) offering(offered []tool.Tool) string {
	var reported []string
	for _, ways := range [][]way{
		{{nil, i.Agent}, {nil, i.Core}},
		{{nil, i.Memory}},
		{{[]string{"remember", "recall"}, i.Recall}},
	} {
		if i := slices.IndexFunc(ways, func(w way) bool { return w.fits(offered) }); i >= 0 {
			reported = append(reported, ways[i].text)
		}
	}
	switch len(reported) {
	case 0:
		return i.Any
	case 1:
		return reported[0]
	}
	return strings.Join(reported, "\n\nTHE SAME MEMORIES BY OTHER TOOLS (use one set, not several)\n")
}

// fits reports whether every tool that w needs is offered.
func (w way) fits(offered []tool.Tool) bool {
	return w.text != "" && has(offered, append(named(w.text), w.needs...)...)
}

// named returns the tools that a text names, as far as their names are unmistakable.
func named(text string) (names []string) {
	for w := range strings.FieldsFuncSeq(text, func(r rune) bool { return r != '_' && (r < 'a' || r > 'z') }) {
		if strings.HasPrefix(w, "mem_") || strings.HasPrefix(w, "memory_") {
			names = append(names, w)
		}
	}
	return names
}

// has reports whether tools has every one of the names.
func has(tools []tool.Tool, names ...string) bool {
	return !slices.ContainsFunc(names, func(name string) bool {
		return !slices.ContainsFunc(tools, func(t tool.Tool) bool { return t.Name == name })
	})
}

// instead maps a command that hints name to the tool that does the same. Words in angle brackets stand for the
// command's arguments.
type instead struct{ command, call string }

// calls lists the commands in hints with their tools. The first offered tool is used, one of the caller's
// dialect before another's.
func calls() []instead {
	return []instead{
		{"projects list", "mem_stats"},
		{"projects merge <from> --into <to>", "mem_merge_projects from=<from> to=<to>"},
		{"search <words>", "mem_search"},
		{"search <words>", "memory_query"},
		{"search <words>", "recall"},
		{"log", "mem_log"},
		{"log --all-projects", "mem_log all_projects=true"},
		{"log --verb <verb>", "mem_log verb=<verb>"},
		{"log <id>", "mem_log id=<id>"},
		{"undo <op>", "mem_undo op=<op>"},
		{"history <id>", "mem_history id=<id>"},
		{"update <id> --scope <scope>", "mem_update id=<id> scope=<scope>"},
		{"graph <id>", "mem_graph id=<id>"},
		{"graph <id>", "memory_graph id=<id>"},
		{"graph <id> --relation <relation>", "mem_graph id=<id> relation_types=<relation>"},
		{"graph <id> --relation <relation>", "memory_graph id=<id> relation_types=<relation>"},
		{"link <a> <b>", "mem_link source_id=<a> relation=relates_to target_id=<b>"},
		{"link <a> <relation> <b>", "mem_link source_id=<a> relation=<relation> target_id=<b>"},
		{"link <a> <relation> <b>", "memory_link"},
		{"unlink <a> <relation> <b>", "mem_unlink source_id=<a> relation=<relation> target_id=<b>"},
		{"conflicts list", "mem_conflicts"},
		{"conflicts judge <id> <verdict>", "mem_judge judgment_id=<id> relation=<verdict>"},
	}
}

// hint returns the hint of err for the caller of that tool ("" for none), in terms of offered tools, else of
// commands.
func (s *Server) hint(name string, err error) string {
	return engram.HintFor(err, func(c engram.Call) string {
		for _, own := range []bool{true, false} {
			for _, i := range calls() {
				values, ok := c.Match(i.command)
				other, _, _ := strings.Cut(i.call, " ")
				if ok && s.offers(other) && sameDialect(name, other) == own {
					return strings.NewReplacer(argued(values)...).Replace(i.call)
				}
			}
		}
		return c.String()
	})
}

// sameDialect reports whether two tool names begin alike: mem_log, mem_undo.
func sameDialect(a, b string) bool {
	first, _, _ := strings.Cut(a, "_")
	other, _, _ := strings.Cut(b, "_")
	return first == other
}

// argued quotes the values that Match returned where they would run into what follows.
func argued(values []string) []string {
	all := make([]string, len(values))
	for i, v := range values {
		if all[i] = v; i%2 == 1 && (v == "" || strings.ContainsAny(v, " =\"'\\")) {
			all[i] = strconv.Quote(v)
		}
	}
	return all
}

// reported is an error as structured content.
type reported struct {
	Error detail `json:"error"`
}

type detail struct {
	Code    string `json:"code"`
	Message string `json:"message"`
	Hint    string `json:"hint,omitempty"`
}

// failure is the answer for an error of a tool: in the dialect's shape where it has one, else the message and
// the hint. Causes go to the log, never to the client.
func (s *Server) failure(name string, err error) *mcp.CallToolResult {
	if errors.Is(err, context.Canceled) {
		// Cancelled by the client, which over HTTP may still listen.
		err = engram.Errorf(engram.CodeConflict, "the call was cancelled").WithHint("nothing more is written")
	}
	code := engram.CodeOf(err)
	if code == engram.CodeInternal || code == engram.CodeUnavailable {
		s.log.Error("tool failed", "tool", name, "code", string(code), "error", err.Error())
	}
	d := detail{Code: string(code), Message: tool.Reason(err), Hint: s.hint(name, err)}
	text, object := d.Message, any(reported{d})
	if d.Hint != "" {
		text += "\nHint: " + d.Hint
	}
	if f, ok := errors.AsType[*tool.Failure](err); ok {
		text = f.Text
		if f.Object != nil {
			object = f.Object
			if hinted, ok := object.(tool.Hinted); ok {
				object = hinted.Reported(d.Hint)
			}
		}
	}
	structured, err := json.Marshal(object)
	if err != nil {
		// Unreachable: these are structs of strings. The text alone is enough.
		return result(text, nil, true)
	}
	if text == "" {
		text = string(structured)
	}
	return result(text, structured, true)
}

// refused returns why a request is rejected; nil when it is not. The SDK would answer with empty lists for what
// is not offered, or errors in words that clients do not know. memories says that resources, a prompt and
// completions are offered (resource.go).
func refused(r *jsonrpc.Request, memories bool) *jsonrpc.Error {
	for _, family := range []string{"resources", "prompts", "logging", "completion"} {
		if strings.HasPrefix(r.Method, family+"/") && !(memories && family != "logging") {
			return &jsonrpc.Error{Code: jsonrpc.CodeMethodNotFound, Message: family + " not supported"}
		}
	}
	return invalidParams(r)
}

// invalidParams returns what is wrong with the parameters of a request; nil for nothing. The SDK would name its own
// Go types and repeat the input, private spans included.
func invalidParams(r *jsonrpc.Request) *jsonrpc.Error {
	if clean := redact.Private(r.Method); clean != r.Method {
		return &jsonrpc.Error{Code: jsonrpc.CodeMethodNotFound, Message: fmt.Sprintf("method not found: %q", tool.Clip(clean))}
	}
	into, known := map[string]any{
		"initialize":               &mcp.InitializeParams{},
		"tools/call":               &mcp.CallToolParamsRaw{},
		"tools/list":               &mcp.ListToolsParams{},
		"subscriptions/listen":     &mcp.SubscriptionsListenParams{},
		"resources/list":           &mcp.ListResourcesParams{},
		"resources/templates/list": &mcp.ListResourceTemplatesParams{},
		"resources/read":           &mcp.ReadResourceParams{},
		"prompts/list":             &mcp.ListPromptsParams{},
		"prompts/get":              &mcp.GetPromptParams{},
		"completion/complete":      &mcp.CompleteParams{},
	}[r.Method]
	if !known {
		into = &map[string]json.RawMessage{}
	}
	if len(r.Params) == 0 || json.Unmarshal(r.Params, into) == nil {
		return nil
	}
	return &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams,
		Message: fmt.Sprintf("the params of %s do not match the protocol", tool.Clip(r.Method))}
}
