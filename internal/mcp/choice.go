package mcp

import (
	"encoding/json"
	"errors"
	"net/http"
	"slices"
	"strings"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"

	"github.com/alanbuscaglia/engram"
)

// mostChoices is how many choices of tools are kept ready. There are more lists than
// anybody has a use for; one more costs a millisecond or two to make again.
const mostChoices = 16

// Choices serves MCP over HTTP with the tools that each client chooses: /mcp?tools=LIST, a
// list as Options.Tools has it; without one, those of the Options. It may be used
// concurrently.
type Choices struct {
	options Options
	known   []string // profiles and tools
	usual   http.Handler

	mu    sync.Mutex
	ready []choice // the latest used last
}

// choice is the handler for a list of tools.
type choice struct {
	list    string
	handler http.Handler
}

// NewChoices returns Choices. Its errors are those of New.
func NewChoices(o Options) (*Choices, error) {
	s, err := New(o)
	if err != nil {
		return nil, err
	}
	return &Choices{options: o, known: profilesAndTools(dialects(o)), usual: s.Handler()}, nil
}

// ServeHTTP answers with the tools that the request asks for. A list that names what does
// not exist is refused with 400.
func (c *Choices) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	handler, err := c.handler(strings.Join(r.URL.Query()["tools"], ","))
	if err != nil {
		refuseChoice(w, err)
		return
	}
	handler.ServeHTTP(w, r)
}

// handler returns the handler for a list of tools, made at need.
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
	if i := slices.IndexFunc(c.ready, func(have choice) bool { return have.list == list }); i >= 0 {
		known := c.ready[i]
		c.ready = append(slices.Delete(c.ready, i, i+1), known)
		return known.handler, nil
	}
	o := c.options
	o.Tools = list
	s, err := New(o)
	if err != nil {
		return nil, err
	}
	if len(c.ready) == mostChoices {
		c.ready = slices.Delete(c.ready, 0, 1)
	}
	c.ready = append(c.ready, choice{list, s.Handler()})
	return c.ready[len(c.ready)-1].handler, nil
}

// refuseChoice answers for a list that cannot be served.
func refuseChoice(w http.ResponseWriter, err error) {
	e := &jsonrpc.Error{Code: jsonrpc.CodeInternalError, Message: "internal error"}
	status := http.StatusInternalServerError
	if own, ok := errors.AsType[*engram.Error](err); ok {
		e.Code, e.Message, status = jsonrpc.CodeInvalidRequest, own.Msg, http.StatusBadRequest
		e.Data, _ = json.Marshal(map[string]string{"code": string(own.Code), "hint": engram.HintOf(err)}) // texts alone cannot fail
	}
	sendError(w, status, nil, e)
}
