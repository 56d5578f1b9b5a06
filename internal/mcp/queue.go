package mcp

import (
	"context"
	"encoding/json"
	"slices"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
)

const (
	// maxWaiting is how many messages may wait; beyond, the client is not read from
	// until some are done.
	maxWaiting = 32
	// defaultReadAfter is how long a call that reads waits for the writes sent before it.
	// It covers as many saves as may wait, and not a store that another process keeps
	// locked: reads are promised not to wait for that.
	defaultReadAfter = 500 * time.Millisecond
)

// queue decides when a message that came in may be worked on. The SDK works on calls
// side by side, in no order; agents and scripts that send several at once mean them
// one after the other. So a call that writes waits for the writes before it, and one
// that reads waits for them a moment. Everything else passes by.
//
// A call that asks the person at the client (ask.go) gives way while the person thinks,
// and then takes its place back beside whatever began meanwhile: the store keeps those
// apart.
type queue struct {
	writes    func(tool string) bool
	readAfter time.Duration

	mu      sync.Mutex
	waiting []*ticket           // in the order they came in
	pending map[jsonrpc.ID]kind // being worked on, not answered yet
	writer  jsonrpc.ID          // of the writing call that was handed out last
	asked   []jsonrpc.ID        // requests of this server that the client has not answered
	ended   error               // why nothing more comes in; nil while it may
	change  chan struct{}       // has a value when any of these changed
	room    chan struct{}       // has a value when waiting became shorter
}

// ticket is one message in the queue.
type ticket struct {
	msg       jsonrpc.Message
	id        jsonrpc.ID // of a call; not valid for other messages
	kind      kind
	impatient bool // has waited long enough
}

// kind is what a message waits for.
type kind int

const (
	passing kind = iota // nothing
	reading
	writing
	endless // nothing, and its answer is not waited for
	asking  // nothing any more: a call that writes, while a person is asked
)

func newQueue(writes func(string) bool) *queue {
	return &queue{writes: writes, readAfter: defaultReadAfter, pending: map[jsonrpc.ID]kind{},
		change: make(chan struct{}, 1), room: make(chan struct{}, 1)}
}

// add puts m at the end of the queue; it waits while the queue is full. false: the
// session is over.
func (q *queue) add(m jsonrpc.Message, done <-chan struct{}) bool {
	t := q.ticket(m)
	for {
		q.mu.Lock()
		if len(q.waiting) < maxWaiting {
			q.waiting = append(q.waiting, t)
			q.mu.Unlock()
			signal(q.change)
			return true
		}
		q.mu.Unlock()
		select {
		case <-q.room:
		case <-done:
			return false
		}
	}
}

func (q *queue) ticket(m jsonrpc.Message) *ticket {
	t := &ticket{msg: m}
	r, ok := m.(*jsonrpc.Request)
	if !ok {
		return t
	}
	t.id = r.ID
	switch r.Method {
	case "notifications/cancelled":
		q.cancelled(r.Params)
	case "subscriptions/listen":
		t.kind = endless
	case "tools/call":
		t.kind = reading
		var p struct {
			Name string `json:"name"`
		}
		if json.Unmarshal(r.Params, &p) == nil && q.writes(p.Name) {
			t.kind = writing
			break
		}
		time.AfterFunc(q.readAfter, func() {
			q.mu.Lock()
			t.impatient = true
			q.mu.Unlock()
			signal(q.change)
		})
	}
	return t
}

// cancelled forgets a call that the client no longer wants an answer to.
func (q *queue) cancelled(params json.RawMessage) {
	var p struct {
		ID any `json:"requestId"`
	}
	if json.Unmarshal(params, &p) != nil {
		return
	}
	if id, err := jsonrpc.MakeID(p.ID); err == nil && id.IsValid() {
		q.answered(id)
	}
}

// next returns the first message that need not wait, and waits for one. When the input
// has ended it first waits for the answers to all calls.
func (q *queue) next(ctx context.Context, done <-chan struct{}) (jsonrpc.Message, error) {
	for {
		m, err := q.take()
		if m != nil || err != nil {
			return m, err
		}
		select {
		case <-q.change:
		case <-done:
			return nil, context.Canceled
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

// take returns the first message that need not wait, or why there will be none; both
// are nil when it is too early to tell.
func (q *queue) take() (jsonrpc.Message, error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	busy := false
	for _, k := range q.pending {
		busy = busy || k == writing
	}
	for i, t := range q.waiting {
		if busy && (t.kind == writing || t.kind == reading && !t.impatient) {
			continue
		}
		q.waiting = append(q.waiting[:i:i], q.waiting[i+1:]...)
		if t.id.IsValid() && t.kind != endless {
			q.pending[t.id] = t.kind
		}
		if t.kind == writing {
			q.writer = t.id
		}
		if r, ok := t.msg.(*jsonrpc.Response); ok {
			q.asked = slices.DeleteFunc(q.asked, func(id jsonrpc.ID) bool { return id == r.ID })
		}
		signal(q.room)
		return t.msg, nil
	}
	if q.ended != nil && len(q.waiting) == 0 && len(q.asked) > 0 {
		// Nobody can answer any more, and the calls that asked must not wait for it.
		id := q.asked[0]
		q.asked = q.asked[1:]
		return &jsonrpc.Response{ID: id, Error: &jsonrpc.Error{Code: jsonrpc.CodeInternalError, Message: "the input has ended"}}, nil
	}
	if q.ended != nil && len(q.waiting) == 0 && len(q.pending) == 0 {
		return nil, q.ended
	}
	return nil, nil
}

// answered says that the call with this id is done.
func (q *queue) answered(id jsonrpc.ID) {
	q.mu.Lock()
	delete(q.pending, id)
	q.mu.Unlock()
	signal(q.change)
}

// asks says that the client was sent a request with this id.
func (q *queue) asks(id jsonrpc.ID) {
	q.mu.Lock()
	q.asked = append(q.asked, id)
	q.mu.Unlock()
	signal(q.change)
}

// slot returns the id of the writing call that was handed out last. A call that writes
// finds its own as it begins, because the next is handed out when it is answered.
func (q *queue) slot() jsonrpc.ID {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.writer
}

// giveWay lets the writes behind the writing call id go on before it is answered.
func (q *queue) giveWay(id jsonrpc.ID) { q.turn(id, writing, asking) }

// takeBack makes the writes that have not begun wait for the call id again.
func (q *queue) takeBack(id jsonrpc.ID) { q.turn(id, asking, writing) }

// turn changes the kind of a call that is being worked on, if it is one of from: a call
// that was cancelled is none any more.
func (q *queue) turn(id jsonrpc.ID, from, to kind) {
	q.mu.Lock()
	if k, ok := q.pending[id]; ok && k == from {
		q.pending[id] = to
	}
	q.mu.Unlock()
	signal(q.change)
}

// end says why nothing more comes in.
func (q *queue) end(err error) {
	q.mu.Lock()
	q.ended = err
	q.mu.Unlock()
	signal(q.change)
}

// signal leaves a value in c, which has room for one.
func signal(c chan struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}
