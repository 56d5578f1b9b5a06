package mcp

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/alanbuscaglia/engram/internal/mcp/tool"
	"github.com/alanbuscaglia/engram/internal/redact"
	"github.com/alanbuscaglia/engram/internal/render"
)

// defaultAskWithin is how long a person may take to answer.
const defaultAskWithin = 2 * time.Minute

// stateless is the first revision of the protocol in which a server sends no requests.
// There a question has to be the answer to the call, which the client then makes again
// with what the person said: no save should be made twice for that.
const stateless = "2026-07-28"

// person is whoever sits at a client.
type person struct {
	// busy is set while a question is open: two forms at once are one too many.
	busy atomic.Bool
	// away is set once a question was left unanswered, until the person's time was up or
	// the client gave up the call. The saves to come must not wait for nothing again.
	away atomic.Bool
}

// asking returns how the call ctx belongs to asks the person at its client; nil when
// it cannot: over HTTP, where nobody waits for requests of the server, in the stateless
// revision, and where the client does not offer it.
func (s *Server) asking(ctx context.Context, session *mcp.ServerSession, t tool.Tool) tool.Ask {
	c, ok := ctx.Value(lineKey{}).(*lineConn)
	if !ok || !elicits(session.InitializeParams()) {
		return nil
	}
	slot := c.queue.slot()
	return func(ctx context.Context, q tool.Question) (tool.Answer, bool) {
		if c.person.away.Load() || len(q.Choices) == 0 || !c.person.busy.CompareAndSwap(false, true) {
			return tool.Answer{}, false
		}
		defer c.person.busy.Store(false)
		if t.Effect != tool.Reads {
			c.queue.giveWay(slot)
			defer c.queue.takeBack(slot)
		}
		within, cancel := context.WithTimeout(ctx, s.askWithin)
		defer cancel()
		res, err := session.Elicit(within, elicitation(q))
		if err != nil {
			// Not the error: it may quote what the person wrote.
			s.log.Warn("a question was not answered", "tool", t.Name, "timeout", errors.Is(err, context.DeadlineExceeded))
			if within.Err() != nil {
				c.person.away.Store(true)
			}
			return tool.Answer{}, false
		}
		return answered(q, res)
	}
}

// elicits reports whether a client that introduced itself with p shows its person the
// forms of a server. One that says that it elicits and not how, shows forms.
func elicits(p *mcp.InitializeParams) bool {
	if p == nil || p.Capabilities == nil || p.ProtocolVersion >= stateless {
		return false
	}
	e := p.Capabilities.Elicitation
	return e != nil && (e.Form != nil || e.URL == nil)
}

// The fields of the form.
const (
	choiceField = "choice"
	reasonField = "reason"
)

// elicitation is q as a form of one choice and, where asked for, a line of reason. The
// form sets no limit on the reason: the SDK would refuse the whole answer for it.
func elicitation(q tool.Question) *mcp.ElicitParams {
	fields := map[string]any{choiceField: map[string]any{"type": "string", "title": "Answer", "enum": q.Choices}}
	if q.Reason != "" {
		fields[reasonField] = map[string]any{"type": "string", "title": q.Reason}
	}
	return &mcp.ElicitParams{
		Message:         shortened(render.Plain(redact.Private(q.Message)), tool.MaxQuestion),
		RequestedSchema: map[string]any{"type": "object", "properties": fields, "required": []string{choiceField}},
	}
}

// answered reads the filled form; false when the person declined, closed it, or a client
// let them answer what is no choice.
func answered(q tool.Question, res *mcp.ElicitResult) (tool.Answer, bool) {
	choice, _ := res.Content[choiceField].(string)
	if res.Action != "accept" || !slices.Contains(q.Choices, choice) {
		return tool.Answer{}, false
	}
	a := tool.Answer{Choice: choice}
	if reason, ok := res.Content[reasonField].(string); ok && q.Reason != "" {
		a.Reason = shortened(strings.TrimSpace(redact.Private(reason)), tool.MaxReason)
	}
	return a, true
}

// shortened returns at most most characters of s.
func shortened(s string, most int) string {
	if r := []rune(s); len(r) > most {
		return string(r[:most-1]) + "…"
	}
	return s
}
