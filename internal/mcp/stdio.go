package mcp

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"regexp"
	"slices"
	"strconv"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/mcp/tool"
)

// ServeStdio serves one client, a message a line, until in ends or ctx is done, and returns nil then; calls in
// progress are still answered. An answer that cannot be written is CodeUnavailable. A line that is not JSON,
// not a message or over 8 MiB gets an error answer. queue.go orders the calls.
//
// in must stop returning when the process ends: a read that blocks forever keeps one goroutine.
func (s *Server) ServeStdio(ctx context.Context, in io.Reader, out io.Writer) error {
	c := &lineConn{out: out, memories: s.memories, queue: newQueue(s.writes), done: make(chan struct{})}
	c.queue.readAfter = s.readAfter
	go c.receive(in)
	// Not sdk.Run, which logs a requested stop as an error.
	session, err := s.sdk.Connect(context.WithValue(ctx, lineKey{}, c), c, nil)
	if err != nil {
		return err
	}
	stop := context.AfterFunc(ctx, func() {
		c.queue.end(ctx.Err()) // releases a call that asks the person
		_ = session.Close()
	})
	defer stop()
	err = session.Wait()
	if broken := c.broken(); broken != nil {
		return engram.Errorf(engram.CodeUnavailable, "the answers cannot be written").
			WithHint("the client closed its end of the connection").WithCause(broken)
	}
	if ctx.Err() != nil || errors.Is(err, io.EOF) {
		return nil
	}
	return err
}

// writes reports whether the tool of that name writes.
func (s *Server) writes(name string) bool {
	return slices.ContainsFunc(s.taken, func(t tool.Tool) bool { return t.Name == name && t.Effect != tool.Reads })
}

// lineKey is the context key of a call's lineConn; the SDK passes on nothing else of a connection.
type lineKey struct{}

// lineConn is the SDK's connection to one client over lines of text. The SDK's own ends the session at the
// first line it cannot read.
type lineConn struct {
	queue  *queue
	person person // asked by tools
	// memories says that resources, a prompt and completions are offered.
	memories bool

	write  sync.Mutex // held while a line is written, so that lines stay whole
	out    io.Writer
	failed error // of the first line that could not be written

	done chan struct{} // closed when the session is over
	once sync.Once
}

// Connect returns c: a transport of one connection.
func (c *lineConn) Connect(context.Context) (mcp.Connection, error) { return c, nil }

// SessionID returns "": a pipe has one session.
func (c *lineConn) SessionID() string { return "" }

// Close ends the session. It does not close in and out, which it does not own.
func (c *lineConn) Close() error {
	c.once.Do(func() { close(c.done) })
	return nil
}

// Read returns the next message that is ready; io.EOF after the last.
func (c *lineConn) Read(ctx context.Context) (jsonrpc.Message, error) {
	return c.queue.next(ctx, c.done)
}

// Write sends a message. It ignores ctx: a finished answer is worth sending even when the session ends.
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

// coded gives a code to those of the SDK's errors that lack one: a call before initialize, a second initialize.
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

// broken returns why an answer could not be written; nil when all could.
func (c *lineConn) broken() error {
	c.write.Lock()
	defer c.write.Unlock()
	return c.failed
}

// refuse answers input that is not a message.
func (c *lineConn) refuse(id json.RawMessage, code int64, message string) {
	line, err := errorLine(id, &jsonrpc.Error{Code: code, Message: message})
	if err == nil {
		err = c.send(line)
	}
	if err != nil {
		// The client no longer reads answers.
		c.queue.end(err)
	}
}

func (c *lineConn) receive(in io.Reader) {
	r := &lineReader{r: bufio.NewReaderSize(in, 64<<10)}
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

// maxLine is the longest accepted line in bytes: room for a memory of maximum length with every character
// escaped.
const maxLine = 8 << 20

var errTooLong = errors.New("line too long")

// lineReader reads lines and drops what exceeds maxLine, so that an endless line cannot exhaust memory.
type lineReader struct {
	r     *bufio.Reader
	begun bool
	tail  []byte // the end of a line that was too long
}

// byteOrderMark precedes what Windows shells pipe.
var byteOrderMark = []byte("\xef\xbb\xbf")

// next returns the next line with its end, which the last one may lack. With errTooLong it returns the
// beginning of the line, and tail is the end of it.
func (l *lineReader) next() ([]byte, error) {
	if !l.begun {
		l.begun = true
		if mark, err := l.r.Peek(len(byteOrderMark)); err == nil && bytes.Equal(mark, byteOrderMark) {
			_, _ = l.r.Discard(len(byteOrderMark))
		}
	}
	var line []byte
	for {
		part, err := l.r.ReadSlice('\n')
		if len(line)+len(part) > maxLine {
			return line, l.skip(part, err)
		}
		line = append(line, part...)
		switch {
		case err == nil, errors.Is(err, io.EOF) && len(line) > 0:
			return line, nil
		case !errors.Is(err, bufio.ErrBufferFull):
			return nil, err
		}
	}
}

// skip reads to the end of a line of which part was read with err.
func (l *lineReader) skip(part []byte, err error) error {
	l.tail = append(l.tail[:0], part...)
	for errors.Is(err, bufio.ErrBufferFull) {
		part, err = l.r.ReadSlice('\n')
		l.tail = append(l.tail, part...)
		l.tail = l.tail[max(0, len(l.tail)-1024):]
	}
	// The next read reports the end of the input again.
	return errTooLong
}

// valuesOf returns the messages of a line: usually one, several without a line break or as an array. What
// follows a broken value is lost and reported as an error.
func valuesOf(line []byte) ([]json.RawMessage, error) {
	var all []json.RawMessage
	d := json.NewDecoder(bytes.NewReader(line))
	for {
		var v json.RawMessage
		err := d.Decode(&v)
		if errors.Is(err, io.EOF) {
			return all, nil
		}
		if err != nil {
			return all, err
		}
		var batch []json.RawMessage
		if v[0] == '[' && json.Unmarshal(v, &batch) == nil && len(batch) > 0 {
			all = append(all, batch...)
			continue
		}
		all = append(all, v)
	}
}

// idOf returns the id of an invalid message; nil when it has none that an answer could carry.
func idOf(v json.RawMessage) json.RawMessage {
	var m struct {
		ID json.RawMessage `json:"id"`
	}
	if json.Unmarshal(v, &m) != nil || len(m.ID) == 0 {
		return nil
	}
	if c := m.ID[0]; c != '"' && c != '-' && (c < '0' || c > '9') {
		return nil
	}
	return m.ID
}

// faithful reports whether an answer to v would carry the id that was sent: the SDK changes numbers that are
// not whole or too large, perhaps into another call's.
func faithful(v json.RawMessage, id jsonrpc.ID) bool {
	n, ok := id.Raw().(int64)
	return !ok || string(idOf(v)) == strconv.FormatInt(n, 10)
}

// idAround looks for the id of a message that was too long to read at its two ends, where clients write it.
// Without it the client would wait in vain.
func idAround(start, end []byte) json.RawMessage {
	const id = `"id"\s*:\s*("[^"\\]{1,200}"|-?\d{1,18})`
	first := regexp.MustCompile(`^\s*\{\s*(?:"(?:jsonrpc|method)"\s*:\s*"[^"\\]*"\s*,\s*){0,2}` + id + `\s*,`)
	if m := first.FindSubmatch(start[:min(len(start), 1024)]); m != nil {
		return m[1]
	}
	// Only the last brace of the line closes the message: an id before two is an argument.
	last := regexp.MustCompile(id + `\s*\}\s*$`)
	if m := last.FindSubmatch(end); m != nil {
		return m[1]
	}
	return nil
}
