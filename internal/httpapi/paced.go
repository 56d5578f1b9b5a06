package httpapi

import (
	"io"
	"net/http"
	"time"
)

// paced is a body, or an answer, that takes as long as it likes, as long as something
// moves: a client that neither sends nor reads for the time that it has is given up.
type paced struct {
	w       http.ResponseWriter
	body    io.Reader
	within  time.Duration
	idle    *time.Timer
	written bool
}

// pacedBody is a body of which some arrives within each stretch of that length.
func pacedBody(w http.ResponseWriter, body io.Reader, within time.Duration) *paced {
	p := &paced{w: w, body: body, within: within}
	p.idle = time.AfterFunc(within, func() { p.expire(http.NewResponseController(w).SetReadDeadline) })
	return p
}

// pacedAnswer is an answer of which some is read within each stretch of that length.
func pacedAnswer(w http.ResponseWriter, within time.Duration) *paced {
	p := &paced{w: w, within: within}
	p.idle = time.AfterFunc(within, p.breakOff)
	return p
}

// breakOff makes a write that waits, and every later one, fail.
func (p *paced) breakOff() { p.expire(http.NewResponseController(p.w).SetWriteDeadline) }

// expire sets a deadline that is over. A writer that has none (a recorder in a test) waits
// for nobody.
func (p *paced) expire(deadline func(time.Time) error) { _ = deadline(time.Unix(1, 0)) }

// stop ends the waiting.
func (p *paced) stop() { p.idle.Stop() }

// Read implements io.Reader. After the end of the body nobody is waited for.
func (p *paced) Read(b []byte) (int, error) {
	n, err := p.body.Read(b)
	if err != nil {
		p.idle.Stop()
	} else {
		p.idle.Reset(p.within)
	}
	return n, err
}

// Write implements io.Writer.
func (p *paced) Write(b []byte) (int, error) {
	p.written = true
	n, err := p.w.Write(b)
	p.idle.Reset(p.within)
	return n, err
}
