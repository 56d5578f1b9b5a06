package mcp

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/mcp/tool"
)

// ServeStdio serves one client: a message a line on in, answers on out, until in ends
// or ctx is done, which are both no error. Calls that are under way then are still
// answered. An answer that cannot be written is CodeUnavailable.
//
// No line ends the session: what is not JSON, not a message or longer than 8 MiB is
// answered with an error. Saves are written in the order they came in, and a call that
// reads waits a moment for the saves sent before it (queue.go).
//
// in must stop returning when the process ends; a read that blocks for ever keeps one
// goroutine, which is what standard input does.
func (s *Server) ServeStdio(ctx context.Context, in io.Reader, out io.Writer) error {
	c := &lineConn{out: out, memories: s.memories, queue: newQueue(s.writes), done: make(chan struct{})}
	c.queue.readAfter = s.readAfter
	go c.receive(in)
	// Not sdk.Run, which logs a stop that was asked for as an error.
	session, err := s.sdk.Connect(context.WithValue(ctx, lineKey{}, c), c, nil)
	if err != nil {
		return err
	}
	stop := context.AfterFunc(ctx, func() {
		c.queue.end(ctx.Err()) // a person who is being asked is not waited for
		_ = session.Close()
	})
	defer stop()
	err = session.Wait()
	if broken := c.broken(); broken != nil {
		return engram.Errorf(engram.CodeUnavailable, "the answers cannot be written").
			WithHint("the client that started this server has closed its end").WithCause(broken)
	}
	if ctx.Err() != nil || errors.Is(err, io.EOF) {
		return nil
	}
	return err
}

// writes reports whether the tool of that name writes.
func (s *Server) writes(name string) bool {
	for _, t := range s.taken {
		if t.Name == name {
			return t.Effect != tool.Reads
		}
	}
	return false
}

// lineKey finds a call's lineConn in its context; the SDK passes on no more of a
// connection than its context.
type lineKey struct{}

// lineConn is the SDK's connection to one client over lines of text. The SDK has one
// of its own, which ends the session at the first line it cannot read.
type lineConn struct {
	queue  *queue
	person person // who can be asked
	// memories says that the server has more than tools.
	memories bool

	write  sync.Mutex // held while a line is written, so that lines stay whole
	out    io.Writer
	failed error // of the first line that could not be written

	done chan struct{} // closed when the session is over
	once sync.Once
}

// Connect returns c: a transport of one connection.
func (c *lineConn) Connect(context.Context) (mcp.Connection, error) { return c, nil }

// SessionID returns "": a pipe has no sessions to tell apart.
func (c *lineConn) SessionID() string { return "" }

// Close ends the session. It leaves in and out open, which are not its own.
func (c *lineConn) Close() error {
	c.once.Do(func() { close(c.done) })
	return nil
}

// Read returns the next message that may be worked on; io.EOF when there will be none.
func (c *lineConn) Read(ctx context.Context) (jsonrpc.Message, error) {
	return c.queue.next(ctx, c.done)
}

// Write sends a message. It does not look at ctx: an answer that was worked out is
// worth sending even when the session is ending.
func (c *lineConn) Write(_ context.Context, m jsonrpc.Message) error {
	switch m := m.(type) {
	case *jsonrpc.Response:
		defer c.queue.answered(m.ID)
		if c.queue.unwanted(m.ID) {
			return nil
		}
		m.Error = coded(m.Error)
	case *jsonrpc.Request:
		if m.IsCall() {
			c.queue.asks(m.ID)
		}
	}
	line, err := jsonrpc.EncodeMessage(m)
	if err != nil {
		return err
	}
	return c.send(line)
}

// coded gives a code to those of the SDK's errors that have none: a call before
// initialize, a second initialize.
func coded(err error) error {
	if err == nil {
		return nil
	}
	if e, ok := errors.AsType[*jsonrpc.Error](err); ok && e.Code != 0 {
		return err
	}
	return &jsonrpc.Error{Code: jsonrpc.CodeInvalidRequest, Message: err.Error()}
}

func (c *lineConn) send(line []byte) error {
	c.write.Lock()
	defer c.write.Unlock()
	_, err := c.out.Write(append(line, '\n'))
	if err != nil && c.failed == nil {
		c.failed = err
	}
	return err
}

// broken is why an answer could not be written; nil when all could.
func (c *lineConn) broken() error {
	c.write.Lock()
	defer c.write.Unlock()
	return c.failed
}

// refuse answers what never became a message. id is nil where there was none to be read.
func (c *lineConn) refuse(id json.RawMessage, code int64, message string) {
	if id == nil {
		id = json.RawMessage("null")
	}
	line, err := json.Marshal(struct {
		Version string          `json:"jsonrpc"`
		ID      json.RawMessage `json:"id"`
		Error   jsonrpc.Error   `json:"error"`
	}{"2.0", id, jsonrpc.Error{Code: code, Message: message}})
	if err == nil {
		err = c.send(line)
	}
	if err != nil {
		// Nobody reads the answers any more.
		c.queue.end(err)
	}
}

// receive reads lines until in ends.
func (c *lineConn) receive(in io.Reader) {
	r := newLineReader(in)
	for {
		line, err := r.next()
		switch {
		case errors.Is(err, errTooLong):
			c.refuse(idAround(line, r.tail), jsonrpc.CodeInvalidRequest, "the message is longer than 8 MiB")
		case err != nil:
			c.queue.end(err)
			return
		default:
			if !c.accept(line) {
				return
			}
		}
	}
}

// accept queues the messages of a line; false when the session is over.
func (c *lineConn) accept(line []byte) bool {
	values, err := valuesOf(line)
	for _, v := range values {
		m, err := jsonrpc.DecodeMessage(v)
		r, isRequest := m.(*jsonrpc.Request)
		if err != nil || isRequest && !faithful(v, r.ID) {
			c.refuse(idOf(v), jsonrpc.CodeInvalidRequest, "not a JSON-RPC 2.0 message")
			continue
		}
		if isRequest {
			if bad := refused(r, c.memories); bad != nil && r.IsCall() {
				c.refuse(idOf(v), bad.Code, bad.Message)
				continue
			}
		}
		if !c.queue.add(m, len(v), c.done) {
			return false
		}
	}
	if err != nil {
		c.refuse(nil, jsonrpc.CodeParseError, "parse error: the line is not JSON")
	}
	return true
}
