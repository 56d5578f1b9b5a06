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
	// maxPending is how many bytes of messages may wait; beyond, the client is not read from. It is
	// several times the longest message, so that a client that sends before it reads is served.
	maxPending = 32 << 20
	// ticketSize is what a message costs beside its bytes.
	ticketSize = 256
	// maxReading and maxPassing are how many reads, and other calls that do not write, are worked on at
	// once. More would gain nothing, and each may hold an answer.
	maxReading = 16
	maxPassing = 64
	// defaultReadAfter is how long a read waits for the writes sent before it: for what an agent sends at
	// once, but not for a store that another process keeps locked.
	defaultReadAfter = 500 * time.Millisecond
)

// queue decides when a message may be worked on. The SDK works on calls side by side, but clients
// that send several mean them in order: a write waits for the writes before it, a read waits for
// them a moment, and a call with the id of an unanswered one waits for that answer. Nothing is
// refused because too much waits: the client is read from more slowly.
//
// A call that asks the person at the client gives way meanwhile, and then takes its place back.
type queue struct {
	writes    func(tool string) bool
	readAfter time.Duration

	mu      sync.Mutex
	waiting []*ticket            // in the order they came in
	size    int                  // of those, in bytes
	pending map[jsonrpc.ID]*work // handed out, not answered yet
	writer  jsonrpc.ID           // of the writing call that was handed out last
	asked   []jsonrpc.ID         // requests of this server that the client has not answered
	ended   error                // why nothing more comes in; nil while it may
	change  chan struct{}        // has a value when any of these changed
	room    chan struct{}        // has a value when waiting became shorter
}

// ticket is one message in the queue.
type ticket struct {
	msg       jsonrpc.Message
	id        jsonrpc.ID // of a call; not valid for other messages
	kind      kind
	size      int
	impatient bool // has waited long enough
}

// work is a call that was handed out.
type work struct {
	kind      kind
	cancelled bool // its answer is not wanted any more
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
	return &queue{writes: writes, readAfter: defaultReadAfter, pending: map[jsonrpc.ID]*work{},
		change: make(chan struct{}, 1), room: make(chan struct{}, 1)}
}

// add puts m, which took size bytes, at the end of the queue; it waits while the queue is
// full. false: the session is over.
func (q *queue) add(m jsonrpc.Message, size int, done <-chan struct{}) bool {
	t := q.ticket(m)
	t.size = size + ticketSize
	for {
		q.mu.Lock()
		if len(q.waiting) == 0 || q.size+t.size <= maxPending {
			q.waiting = append(q.waiting, t)
			q.size += t.size
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
	case "tools/call", "resources/list", "resources/read", "prompts/get", "completion/complete":
		t.kind = reading
		var p struct {
			Name string `json:"name"`
		}
		if r.Method == "tools/call" && json.Unmarshal(r.Params, &p) == nil && q.writes(p.Name) {
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

// cancelled takes a call that the client has given up out of the queue, or remembers that nobody wants
// its answer. The SDK, which is notified too, ends its context.
func (q *queue) cancelled(params json.RawMessage) {
	var p struct {
		ID any `json:"requestId"`
	}
	if json.Unmarshal(params, &p) != nil {
		return
	}
	id, err := jsonrpc.MakeID(p.ID)
	if err != nil || !id.IsValid() {
		return
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	if w := q.pending[id]; w != nil {
		w.cancelled = true
		return
	}
	if i := slices.IndexFunc(q.waiting, func(t *ticket) bool { return t.id == id }); i >= 0 {
		q.remove(i)
		signal(q.change) // the end of the input may have waited for it
	}
}

// remove takes a message out of the queue; q.mu is held.
func (q *queue) remove(i int) {
	q.size -= q.waiting[i].size
	q.waiting = slices.Delete(q.waiting, i, i+1)
	signal(q.room)
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
	if i := q.ready(); i >= 0 {
		t := q.waiting[i]
		q.remove(i)
		if t.id.IsValid() && t.kind != endless {
			q.pending[t.id] = &work{kind: t.kind}
		}
		if t.kind == writing {
			q.writer = t.id
		}
		if r, ok := t.msg.(*jsonrpc.Response); ok {
			q.asked = slices.DeleteFunc(q.asked, func(id jsonrpc.ID) bool { return id == r.ID })
		}
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

// ready is the place of the first message that need not wait; -1 when all must. q.mu is
// held.
func (q *queue) ready() int {
	var at [asking + 1]int // how many of each kind are being worked on
	for _, w := range q.pending {
		at[w.kind]++
	}
	return slices.IndexFunc(q.waiting, func(t *ticket) bool {
		if t.id.IsValid() && q.pending[t.id] != nil {
			return false
		}
		switch t.kind {
		case writing:
			return at[writing] == 0
		case reading:
			return at[reading] < maxReading && (at[writing] == 0 || t.impatient)
		case passing:
			return !t.id.IsValid() || at[passing] < maxPassing
		}
		return true
	})
}

// answered says that the call with this id is done.
func (q *queue) answered(id jsonrpc.ID) {
	q.mu.Lock()
	delete(q.pending, id)
	q.mu.Unlock()
	signal(q.change)
}

// unwanted reports whether the client has given up the call with this id.
func (q *queue) unwanted(id jsonrpc.ID) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	w := q.pending[id]
	return w != nil && w.cancelled
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

// turn changes the kind of a call that is being worked on, if it is from.
func (q *queue) turn(id jsonrpc.ID, from, to kind) {
	q.mu.Lock()
	if w := q.pending[id]; w != nil && w.kind == from {
		w.kind = to
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
