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
	t := &teller{send: func(p *mcp.ProgressNotificationParams) error {
		p.ProgressToken = token
		return req.Session.NotifyProgress(ctx, p)
	}, cancelled: ctx.Done()}
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
type teller struct {
	send      func(*mcp.ProgressNotificationParams) error
	cancelled <-chan struct{}

	mu     sync.Mutex
	what   string
	before float64 // counted in kinds of work that are over
	done   float64 // counted in this one
	told   float64 // the number last sent
	spared bool    // told less than progressEvery ago
	over   bool
}

func (t *teller) tell(what string, done, total int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if what != t.what {
		t.before, t.done, t.what, t.spared = t.before+t.done, 0, what, false
	}
	t.done = max(t.done, float64(done))
	now := t.before + t.done
	last := total > 0 && done >= total
	if t.over || done <= 0 || now <= t.told || t.spared && !last || t.left() {
		return
	}
	p := &mcp.ProgressNotificationParams{Message: what, Progress: now}
	if total > 0 {
		p.Total = t.before + math.Max(float64(total), t.done)
	}
	if t.send(p) != nil {
		t.over = true // nobody is there to be told
		return
	}
	t.told, t.spared = now, true
	time.AfterFunc(progressEvery, func() {
		t.mu.Lock()
		t.spared = false
		t.mu.Unlock()
	})
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

// end says that the call has returned. When it returns, nothing more is sent.
func (t *teller) end() {
	t.mu.Lock()
	t.over = true
	t.mu.Unlock()
}
