package mcp

import (
	"context"
	"encoding/json"
	"math"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/alanbuscaglia/engram/internal/mcp/tool"
)

// progressEvery is how long a client is spared after it was told of progress.
const progressEvery = 100 * time.Millisecond

// telling returns how the call req tells of its progress, and what must be called when it
// has returned. The first is nil where the client did not ask.
func (s *Server) telling(ctx context.Context, req *mcp.CallToolRequest) (tool.Progress, func()) {
	token := req.Params.GetProgressToken()
	switch token.(type) {
	case string, float64, int64, int:
	default: // none, or none that the protocol knows
		return nil, func() {}
	}
	t := newTeller(ctx.Done(), func(p *mcp.ProgressNotificationParams) error {
		p.ProgressToken = token
		return req.Session.NotifyProgress(ctx, p)
	})
	return t.tell, t.end
}

// wantsProgress reports whether r is a call whose client asks to be told of progress.
func wantsProgress(r *jsonrpc.Request) bool {
	var p struct {
		Meta struct {
			Token json.RawMessage `json:"progressToken"`
		} `json:"_meta"`
	}
	return r.Method == "tools/call" && json.Unmarshal(r.Params, &p) == nil && len(p.Meta.Token) > 0
}

// teller makes of what a verb says the notifications of one call. The protocol wants a
// number that rises all the time, while a verb counts each kind of its work anew: what
// was counted before is added.
//
// They are sent by a goroutine of its own: a verb tells in the middle of its transaction,
// and a client that does not read would keep the database locked for everybody. Of what
// happens while one is being sent, the client hears the newest alone.
type teller struct {
	send      func(*mcp.ProgressNotificationParams) error
	cancelled <-chan struct{}

	mu     sync.Mutex
	what   string
	before float64 // counted in kinds of work that are over
	done   float64 // counted in this one
	told   float64 // the number last said
	other  bool    // the kind of work is another than the client knows
	over   bool
	news   *mcp.ProgressNotificationParams // not sent yet; nil when everything is

	wake   chan struct{} // has a value when there is news, or the call is over
	urgent chan struct{} // has one when that is not to wait for progressEvery
	silent chan struct{} // closed when nothing more is sent
}

// newTeller returns a teller for a call that is given up when cancelled is closed. Its
// end has to be called.
func newTeller(cancelled <-chan struct{}, send func(*mcp.ProgressNotificationParams) error) *teller {
	t := &teller{send: send, cancelled: cancelled,
		wake: make(chan struct{}, 1), urgent: make(chan struct{}, 1), silent: make(chan struct{})}
	go t.run()
	return t
}

// tell never waits for the client.
func (t *teller) tell(what string, done, total int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if what != t.what {
		t.before, t.done, t.what, t.other = t.before+t.done, 0, what, true
	}
	t.done = max(t.done, float64(done))
	now := t.before + t.done
	if t.over || done <= 0 || now <= t.told {
		return
	}
	t.told, t.news = now, &mcp.ProgressNotificationParams{Message: what, Progress: now}
	if total > 0 {
		t.news.Total = t.before + math.Max(float64(total), t.done)
	}
	if t.other || total > 0 && done >= total {
		t.other = false
		signal(t.urgent)
	}
	signal(t.wake)
}

// run sends what is news, until the call is over.
func (t *teller) run() {
	defer close(t.silent)
	for {
		<-t.wake
		p, over := t.take()
		if p != nil && !t.left() && t.send(p) != nil {
			t.hush() // nobody is there to be told
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

// take returns the news, if any, and whether there will be none after it.
func (t *teller) take() (p *mcp.ProgressNotificationParams, over bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	select {
	case <-t.urgent: // it is being taken
	default:
	}
	p, t.news = t.news, nil
	return p, t.over
}

// left reports whether the client has given the call up.
func (t *teller) left() bool {
	select {
	case <-t.cancelled:
		return true
	default:
		return false
	}
}

// hush says that there is nothing more to tell.
func (t *teller) hush() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.over = true
	signal(t.urgent)
	signal(t.wake)
}

// end says that the call has returned. The client hears the last that was told, and when
// end returns, nothing more is sent: the answer comes after it.
func (t *teller) end() {
	t.hush()
	<-t.silent
}
