package route

import (
	"io"
	"net/http"
	"time"
)

// Paced is a body or an answer without a time limit, as long as something moves: a client that neither sends
// nor reads within the given time is dropped.
type Paced struct {
	w       http.ResponseWriter
	body    io.Reader
	within  time.Duration
	Idle    *time.Timer // to be stopped when the body or the answer has ended
	Written bool        // some of the answer was sent
}

// PacedBody returns a body of which some must arrive within each interval.
func PacedBody(w http.ResponseWriter, body io.Reader, within time.Duration) *Paced {
	p := &Paced{w: w, body: body, within: within}
	p.Idle = time.AfterFunc(within, func() { p.expire(http.NewResponseController(w).SetReadDeadline) })
	return p
}

// PacedAnswer returns an answer of which some must be read within each interval.
func PacedAnswer(w http.ResponseWriter, within time.Duration) *Paced {
	p := &Paced{w: w, within: within}
	p.Idle = time.AfterFunc(within, p.BreakOff)
	return p
}

// BreakOff makes pending and later writes fail.
func (p *Paced) BreakOff() { p.expire(http.NewResponseController(p.w).SetWriteDeadline) }

// expire sets a deadline in the past. A writer without deadlines (a recorder in a test) does not wait.
func (p *Paced) expire(deadline func(time.Time) error) { _ = deadline(time.Unix(1, 0)) }

// Read implements io.Reader. The end of the body stops the timer.
func (p *Paced) Read(b []byte) (int, error) {
	n, err := p.body.Read(b)
	if err != nil {
		p.Idle.Stop()
	} else {
		p.Idle.Reset(p.within)
	}
	return n, err
}

// Write implements io.Writer.
func (p *Paced) Write(b []byte) (int, error) {
	p.Written = true
	n, err := p.w.Write(b)
	p.Idle.Reset(p.within)
	return n, err
}
