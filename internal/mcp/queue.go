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
	// maxPending is how many bytes of messages may be queued before the client is no longer read from. It is
	// several times the longest message, so that a client may send before it reads.
	maxPending = 32 << 20
	// ticketSize is the cost of a message beside its bytes.
	ticketSize = 256
	// maxReading and maxPassing limit the reads, and the other calls that do not write, in progress at once.
	// More would gain nothing, and each may hold an answer.
	maxReading = 16
	maxPassing = 64
	// defaultReadAfter is how long a read waits for the writes sent before it: long enough for calls sent
	// together, but not for a store locked by another process.
	defaultReadAfter = 500 * time.Millisecond
)

// queue decides when a message is handed out. The SDK runs calls concurrently, but clients that send several
// mean them in order: a write waits for the writes before it, a read waits for them briefly, and a call with
// the id of an unanswered one waits for that answer. A full queue rejects nothing: the client is read from more
// slowly.
//
// A call that asks the person at the client gives way meanwhile, and then takes its place back.
type queue struct {
	writes    func(tool string) bool
	readAfter time.Duration

	mu      sync.Mutex
	waiting []*ticket            // in order of arrival
	size    int                  // of waiting, in bytes
	pending map[jsonrpc.ID]*work // handed out, not answered yet
	writer  jsonrpc.ID           // of the writing call handed out last
	asked   []jsonrpc.ID         // requests of this server that the client has not answered
	ended   error                // why the input ended; nil before
	change  chan struct{}        // has a value when any of these changed
	room    chan struct{}        // has a value when waiting became shorter
}

// ticket is one message in the queue.
type ticket struct {
	msg     jsonrpc.Message
	id      jsonrpc.ID // of a call; invalid for other messages
	kind    kind
	size    int
	overdue bool // has waited long enough
}

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
	asking  // nothing more: a writing call while a person is asked
)

func newQueue(writes func(string) bool) *queue {
	return &queue{writes: writes, readAfter: defaultReadAfter, pending: map[jsonrpc.ID]*work{},
		change: make(chan struct{}, 1), room: make(chan struct{}, 1)}
}

// add appends m, of size bytes, and waits while the queue is full. It returns false when the session is over.
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
		time.AfterFunc(q.readAfter, func() { q.update(func() { t.overdue = true }) })
	}
	return t
}

// cancelled removes a call that the client has cancelled from the queue, or marks its answer as unwanted. The
// SDK, which is notified too, ends its context.
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
		signal(q.change) // the end of the input may depend on it
	}
}

// remove takes a message out of the queue; q.mu is held.
func (q *queue) remove(i int) {
	q.size -= q.waiting[i].size
	q.waiting = slices.Delete(q.waiting, i, i+1)
	signal(q.room)
}

// next waits for the first message that is ready and returns it. When the input has ended it first waits for
// the answers to all calls.
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

// take returns the first ready message, or why no more will come; both are nil while messages must wait.
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
		// No client can answer any more, so the asking calls must not wait.
		id := q.asked[0]
		q.asked = q.asked[1:]
		return &jsonrpc.Response{ID: id, Error: &jsonrpc.Error{Code: jsonrpc.CodeInternalError, Message: "the input has ended"}}, nil
	}
	if q.ended != nil && len(q.waiting) == 0 && len(q.pending) == 0 {
		return nil, q.ended
	}
	return nil, nil
}

// ready returns the index of the first message that need not wait; -1 for none. q.mu is held.
func (q *queue) ready() int {
	var at [asking + 1]int // calls in progress of each kind
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
			return at[reading] < maxReading && (at[writing] == 0 || t.overdue)
		case passing:
			return !t.id.IsValid() || at[passing] < maxPassing
		}
		return true
	})
}

// answered records that the call with this id is done.
func (q *queue) answered(id jsonrpc.ID) { q.update(func() { delete(q.pending, id) }) }

// update makes a change and lets next look again.
func (q *queue) update(change func()) {
	q.mu.Lock()
	change()
	q.mu.Unlock()
	signal(q.change)
}

// unwanted reports whether the client has cancelled the call with this id.
func (q *queue) unwanted(id jsonrpc.ID) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	w := q.pending[id]
	return w != nil && w.cancelled
}

// asks records that the client was sent a request with this id.
func (q *queue) asks(id jsonrpc.ID) { q.update(func() { q.asked = append(q.asked, id) }) }

// slot returns the id of the writing call handed out last. A writing call finds its own as it begins, because
// the next is handed out after its answer.
func (q *queue) slot() jsonrpc.ID {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.writer
}

// giveWay lets later writes begin before the writing call id is answered.
func (q *queue) giveWay(id jsonrpc.ID) { q.turn(id, writing, asking) }

// takeBack makes writes that have not begun wait for the call id again.
func (q *queue) takeBack(id jsonrpc.ID) { q.turn(id, asking, writing) }

// turn changes the kind of a call in progress, if it is from.
func (q *queue) turn(id jsonrpc.ID, from, to kind) {
	q.update(func() {
		if w := q.pending[id]; w != nil && w.kind == from {
			w.kind = to
		}
	})
}

func (q *queue) end(err error) { q.update(func() { q.ended = err }) }

// signal puts a value into c, which holds one.
func signal(c chan struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}
