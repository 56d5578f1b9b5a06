package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"slices"
	"strings"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/mcp/tool"
	"github.com/alanbuscaglia/engram/internal/text"
)

// definition returns a tool as it is listed. It states all four hints, because agents treat a missing one
// as dangerous and may refuse the tool.
func definition(t tool.Tool) *mcp.Tool {
	return &mcp.Tool{
		Name:        t.Name,
		Title:       t.Title,
		Description: t.Prose(),
		Annotations: &mcp.ToolAnnotations{
			Title:           t.Title,
			ReadOnlyHint:    t.Effect == tool.Reads,
			DestructiveHint: new(t.Effect == tool.Destroys),
			IdempotentHint:  t.Idempotent,
			OpenWorldHint:   new(false),
		},
		InputSchema:  t.Input(),
		OutputSchema: t.Output(),
	}
}

// listedTool is a tool in tools/list. The SDK has no field for the defer_loading that some clients read.
type listedTool struct {
	*mcp.Tool
	DeferLoading bool `json:"defer_loading,omitempty"`
}

// listedTools is the answer to tools/list; its field replaces the SDK's of the same name.
type listedTools struct {
	*mcp.ListToolsResult
	Tools []listedTool `json:"tools"`
}

// listOffered is the middleware that lists the offered tools, which the SDK does not know, and marks the deferred ones.
func (s *Server) listOffered(next mcp.MethodHandler) mcp.MethodHandler {
	offered := sync.OnceValue(func() []listedTool {
		all := make([]listedTool, len(s.tools))
		for i, t := range s.tools {
			all[i] = listedTool{definition(t), t.Deferred}
		}
		return all
	})
	return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
		res, err := next(ctx, method, req)
		list, ok := res.(*mcp.ListToolsResult)
		if err != nil || !ok {
			return res, err
		}
		return listedTools{list, offered()}, nil
	}
}

const (
	defaultProfile = "agent"
	everyTool      = "all"
	memDialect     = "mem"
	// smallProfile offers few tools with short descriptions, for small models.
	smallProfile = "core"
	adminProfile = "admin"
)

// Profiles returns the names that select several tools at once, in the order of their explanation.
func Profiles() []string {
	return []string{defaultProfile, smallProfile, adminProfile, memDialect, "memory", "recall", everyTool}
}

// selectTools returns the tools that list (profiles and tool names separated by commas; "" is the default
// profile) shows, sorted by name, and those that may be called without being listed: a profile of the mem_*
// dialect limits what a model reads, not what plugins call. A tool that only the core profile shows is
// described for a small model. It takes over all.
func selectTools(all []tool.Tool, list string) (chosen, beside []tool.Tool, err error) {
	wanted, err := wantedOf(profilesAndTools(all), list)
	if err != nil {
		return nil, nil, err
	}
	ofMem := []string{defaultProfile, smallProfile, adminProfile, memDialect, everyTool}
	whole := slices.ContainsFunc(wanted, func(w string) bool { return slices.Contains(ofMem, w) })
	chosen = all[:0]
	for _, t := range all {
		by := slices.DeleteFunc(memberships(t), func(name string) bool { return !slices.Contains(wanted, name) })
		switch {
		case len(by) == 0 && whole && strings.HasPrefix(t.Name, memDialect+"_"):
			beside = append(beside, t)
		case len(by) == 0:
		case slices.Equal(by, []string{smallProfile}):
			chosen = append(chosen, t.Small())
		default:
			chosen = append(chosen, t)
		}
	}
	slices.SortFunc(chosen, func(a, b tool.Tool) int { return strings.Compare(a.Name, b.Name) })
	return chosen, beside, nil
}

// wantedOf reads a list of profiles and tool names, each of them known: each once, sorted, so that equivalent
// lists are equal.
func wantedOf(known []string, list string) ([]string, error) {
	var wanted []string
	for word := range strings.SplitSeq(list, ",") {
		if word = strings.ToLower(strings.TrimSpace(word)); word == "" {
			continue
		}
		if !slices.Contains(known, word) {
			hint := "profiles: " + strings.Join(Profiles(), ", ") + "; or names of tools"
			if near := text.Nearest(word, known); near != "" {
				hint = "did you mean " + near + "? " + hint
			}
			return nil, engram.Errorf(engram.CodeInvalid, "there is no MCP profile or tool %q", tool.Clip(word)).WithHint("%s", hint)
		}
		wanted = append(wanted, word)
	}
	if len(wanted) == 0 {
		wanted = []string{defaultProfile}
	}
	slices.Sort(wanted)
	return slices.Compact(wanted), nil
}

// memberships returns the words that select t.
func memberships(t tool.Tool) []string {
	words := append([]string{t.Name, everyTool}, t.Profiles...)
	if strings.HasPrefix(t.Name, memDialect+"_") {
		words = append(words, memDialect)
	}
	return words
}

func profilesAndTools(all []tool.Tool) []string {
	names := slices.Grow(Profiles(), len(all))
	for _, t := range all {
		names = append(names, t.Name)
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// mostChoices is how many selections of tools are kept ready; another one costs a millisecond or two to build
// again.
const mostChoices = 16

// Choices serves MCP over HTTP with the tools that each client selects: /mcp?tools=LIST, else those of the
// Options. It is safe for concurrent use.
type Choices struct {
	options Options
	known   []string // profiles and tools
	usual   http.Handler

	mu    sync.Mutex
	ready map[string]http.Handler // by their list of tools
}

// NewChoices returns Choices. Its errors are those of New.
func NewChoices(o Options) (*Choices, error) {
	s, err := New(o)
	if err != nil {
		return nil, err
	}
	return &Choices{options: o, known: profilesAndTools(dialects(o)), usual: s.Handler(), ready: map[string]http.Handler{}}, nil
}

// ServeHTTP answers with the tools that the request selects. An unknown name is rejected with 400.
func (c *Choices) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	handler, err := c.handler(strings.Join(r.URL.Query()["tools"], ","))
	if err != nil {
		refuseChoice(w, err)
		return
	}
	handler.ServeHTTP(w, r)
}

// handler returns the handler for a list of tools, built on demand.
func (c *Choices) handler(list string) (http.Handler, error) {
	if strings.Trim(list, ", \t") == "" {
		return c.usual, nil
	}
	wanted, err := wantedOf(c.known, list)
	if err != nil {
		return nil, err
	}
	list = strings.Join(wanted, ",")
	c.mu.Lock()
	defer c.mu.Unlock()
	if known := c.ready[list]; known != nil {
		return known, nil
	}
	o := c.options
	o.Tools = list
	s, err := New(o)
	if err != nil {
		return nil, err
	}
	if len(c.ready) == mostChoices {
		clear(c.ready)
	}
	c.ready[list] = s.Handler()
	return c.ready[list], nil
}

func refuseChoice(w http.ResponseWriter, err error) {
	e := &jsonrpc.Error{Code: jsonrpc.CodeInternalError, Message: "internal error"}
	status := http.StatusInternalServerError
	if own, ok := errors.AsType[*engram.Error](err); ok {
		e.Code, e.Message, status = jsonrpc.CodeInvalidRequest, own.Msg, http.StatusBadRequest
		e.Data, _ = json.Marshal(map[string]string{"code": string(own.Code), "hint": engram.HintOf(err)}) // strings cannot fail
	}
	sendError(w, status, nil, e)
}
