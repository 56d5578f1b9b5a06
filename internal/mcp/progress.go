package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"math"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/alanbuscaglia/engram/internal/mcp/tool"
	"github.com/alanbuscaglia/engram/internal/redact"
	"github.com/alanbuscaglia/engram/internal/render"
)

// progressEvery is the minimum pause between two progress notifications of a call.
const progressEvery = 100 * time.Millisecond

// reporting returns how the call req reports its progress, and a function to call when it has returned. The first
// is nil where the client did not ask.
func (s *Server) reporting(ctx context.Context, req *mcp.CallToolRequest) (tool.Progress, func()) {
	token := req.Params.GetProgressToken()
	switch token.(type) {
	case string, float64, int64, int:
	default: // none, or of a type that the protocol does not allow
		return nil, func() {}
	}
	t := newReporter(ctx.Err, func(p *mcp.ProgressNotificationParams) error {
		p.ProgressToken = token
		return req.Session.NotifyProgress(ctx, p)
	})
	return t.report, t.end
}

// wantsProgress reports whether r is a call whose client asks for progress.
func wantsProgress(r *jsonrpc.Request) bool {
	var p struct {
		Meta struct {
			Token json.RawMessage `json:"progressToken"`
		} `json:"_meta"`
	}
	return r.Method == "tools/call" && json.Unmarshal(r.Params, &p) == nil && len(p.Meta.Token) > 0
}

// reporter turns what an operation reports into the notifications of one call. The protocol wants a rising
// number while an operation counts each kind of work from 0, so earlier counts are added. A goroutine sends
// only the newest, because an operation reports within its transaction and a slow client must not keep the
// database locked.
type reporter struct {
	send      func(*mcp.ProgressNotificationParams) error
	cancelled func() error // nil while the client wants the call

	mu       sync.Mutex
	what     string
	before   float64 // counted in finished kinds of work
	done     float64 // counted in the current kind
	reported float64 // the number last reported
	other    bool    // the client does not know of the current kind yet
	over     bool
	news     *mcp.ProgressNotificationParams // not sent yet; nil for none

	wake   chan struct{} // has a value when there is news, or the call is over
	urgent chan struct{} // has one when news should not wait for progressEvery
	silent chan struct{} // closed when nothing more is sent
}

// newReporter returns a reporter for a call that is cancelled once cancelled returns an error. Its end must be called.
func newReporter(cancelled func() error, send func(*mcp.ProgressNotificationParams) error) *reporter {
	t := &reporter{send: send, cancelled: cancelled,
		wake: make(chan struct{}, 1), urgent: make(chan struct{}, 1), silent: make(chan struct{})}
	go t.run()
	return t
}

// report never waits for the client.
func (t *reporter) report(what string, done, total int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if what != t.what {
		t.before, t.done, t.what, t.other = t.before+t.done, 0, what, true
	}
	t.done = max(t.done, float64(done))
	now := t.before + t.done
	if t.over || done <= 0 || now <= t.reported {
		return
	}
	t.reported, t.news = now, &mcp.ProgressNotificationParams{Message: what, Progress: now}
	if total > 0 {
		t.news.Total = t.before + math.Max(float64(total), t.done)
	}
	if t.other || total > 0 && done >= total {
		t.other = false
		signal(t.urgent)
	}
	signal(t.wake)
}

// run sends news until the call is over.
func (t *reporter) run() {
	defer close(t.silent)
	for {
		<-t.wake
		p, over := t.take()
		if p != nil && t.cancelled() == nil && t.send(p) != nil {
			t.finish() // the client is gone
		}
		if over {
			return
		}
		select {
		case <-time.After(progressEvery):
		case <-t.urgent:
		}
	}
}

// take returns the news, if any, and whether more can follow.
func (t *reporter) take() (p *mcp.ProgressNotificationParams, over bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	select {
	case <-t.urgent: // the news is taken now
	default:
	}
	p, t.news = t.news, nil
	return p, t.over
}

func (t *reporter) finish() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.over = true
	signal(t.urgent)
	signal(t.wake)
}

// end marks the call as returned and waits until the last news is sent, so that the answer comes after it.
func (t *reporter) end() {
	t.finish()
	<-t.silent
}

// requestKey is the context key of the HTTP request's own context.
type requestKey struct{}

// withRequest ends a reading call together with its HTTP request, and returns a function to call when the call
// has returned. The SDK does so only in the stateless revision, but in earlier ones a client that left cannot
// hear the answer either.
func withRequest(ctx context.Context, t tool.Tool) (context.Context, context.CancelFunc) {
	request, ok := ctx.Value(requestKey{}).(context.Context)
	if !ok || t.Effect != tool.Reads {
		return ctx, func() {}
	}
	ctx, cancel := context.WithCancel(ctx)
	unhook := context.AfterFunc(request, cancel)
	return ctx, func() { unhook(); cancel() }
}

func (s *Server) run(ctx context.Context, t tool.Tool, req *mcp.CallToolRequest) (tool.Reply, error) {
	ctx, release := withRequest(ctx, t)
	defer release()
	progress, reported := s.reporting(ctx, req)
	defer reported()
	by := tool.Caller{Client: clientName(req.ClientInfo()), Ask: s.asking(ctx, req.Session, t), Progress: progress, Offers: s.offers,
		Advice: func(err error) string { return s.hint(t.Name, err) }}
	return t.Call(ctx, by, req.Params.Arguments)
}

// defaultAskWithin is how long a person has to answer.
const defaultAskWithin = 2 * time.Minute

// stateless is the first revision in which a server sends no requests. A question would have to be the answer
// to the call, which is then repeated, and a save must not be made twice.
const stateless = "2026-07-28"

// person is the person at a client.
type person struct {
	// busy is set while a question is open: only one form is shown at a time.
	busy atomic.Bool
	// away is set once a question went unanswered until its time was up or the client cancelled the call, so
	// that later saves do not wait in vain.
	away atomic.Bool
}

// asking returns how the call of ctx asks the person at its client; nil over HTTP, in the stateless revision,
// and where the client does not offer it.
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

// elicits reports whether a client that introduced itself with p shows forms of a server. One that declares
// elicitation without a mode shows forms.
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

// elicitation returns q as a form of one choice and, if requested, a line of reason. The form does not limit
// the reason, because the SDK would then reject the whole answer.
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

// answered reads the filled form; false when the person declined or closed it, or chose something else.
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
