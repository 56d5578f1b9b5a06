package route

import (
	"bytes"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/alanbuscaglia/engram"
)

// Request is the input of a handler: the body is read, the query parsed. Its methods that read parameters return
// zero for a bad one and record the error, so that a handler checks once, before it calls the engine.
type Request struct {
	*http.Request
	Sent  []byte
	Query url.Values // only parameters that the route knows
	route Route
	Err   error // of the first part that could not be read
}

// Bad records an error in the request. The first one stays.
func (q *Request) Bad(err error) {
	if q.Err == nil {
		q.Err = err
	}
}

// Reply is the output of a handler.
type Reply struct {
	Status   int    // 0 is 200
	Body     any    // encoded as JSON
	Media    string // of text; "" answers with body
	Text     string
	Location string // of what was made; "" for none
	// Elsewhere says where a search that found nothing looked, and what other projects hold.
	Elsewhere string
	Degraded  []string // search channels that failed and why; text removed from the input
}

// chain checks the token and reads the body before a route.
func (s *Server) chain(route Route) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		err := s.pass(route, w, r)
		if err != nil {
			s.fail(w, r, route, err)
		}
	})
}

func (s *Server) pass(route Route, w http.ResponseWriter, r *http.Request) (err error) {
	if s.NeedsToken(route) {
		if err := s.authorize(r); err != nil {
			return err
		}
	}
	q := &Request{Request: r, Query: parseQuery(r.URL.RawQuery), route: route}
	if route.unread {
		r.Body = http.MaxBytesReader(w, r.Body, route.MaxBody)
		defer func() {
			if err != nil {
				leave(w)
			}
		}()
	} else if q.Sent, err = readBody(w, r, route.MaxBody); err != nil {
		return err
	}
	if route.Path != "/mcp" { // a protocol with its own errors
		if ignored := route.ignored(q); len(ignored) > 0 {
			w.Header().Set("Engram-Ignored", oneLine(strings.Join(ignored, ", ")))
		}
		if err := route.refuseUnknown(q); err != nil {
			return err
		}
	}
	if route.Stream != nil || route.slow {
		return s.long(route, w, q)
	}
	return s.reply(w, q)
}

func (s *Server) reply(w http.ResponseWriter, q *Request) error {
	rep, err := q.route.handle(q)
	if err != nil {
		return err
	}
	return s.write(w, q.Request, rep)
}

// long answers a route without a time limit, until the server is stopped.
func (s *Server) long(route Route, w http.ResponseWriter, q *Request) error {
	r := q.Request
	unhurried(w)
	ctx, cancel := UntilStop(r.Context(), route.grace(r.Method))
	defer cancel()
	q.Request = r.WithContext(ctx)
	answer := s.reply
	if route.Stream != nil {
		answer = route.Stream
	}
	err := answer(w, q)
	if engram.CodeOf(err) == engram.CodeInternal && ctx.Err() != nil && r.Context().Err() == nil {
		return engram.Errorf(engram.CodeUnavailable, "the server is stopping").WithHint("repeat the request later").WithCause(err)
	}
	return err
}

// leave ends the connection of a request whose body was not read to its end. net/http would wait for the rest
// before and after it answers.
func leave(w http.ResponseWriter) {
	w.Header().Set("Connection", "close")
	// A writer without deadlines (a recorder in a test) does not wait.
	time.AfterFunc(leaveTime, func() { _ = http.NewResponseController(w).SetReadDeadline(time.Unix(1, 0)) })
}

// PassTo is a stream that passes a request, whose body was read, to another handler.
func PassTo(h http.Handler) func(http.ResponseWriter, *Request) error {
	return func(w http.ResponseWriter, q *Request) error {
		q.Body = io.NopCloser(bytes.NewReader(q.Sent))
		h.ServeHTTP(w, q.Request)
		return nil
	}
}

// unhurried lifts the server's deadlines for a stream: the read deadline would end the request's context during
// the answer.
func unhurried(w http.ResponseWriter) {
	c := http.NewResponseController(w)
	// A writer without deadlines (a recorder in a test) has none to lift.
	_, _ = c.SetReadDeadline(time.Time{}), c.SetWriteDeadline(time.Time{})
}

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
