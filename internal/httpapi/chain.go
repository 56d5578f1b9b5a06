package httpapi

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/alanbuscaglia/engram"
)

// request is the input of a handler: the body is read, the query parsed. Its methods that read parameters return
// zero for a bad one and record the error, so that a handler checks once, before it calls the engine.
type request struct {
	*http.Request
	body  []byte
	query url.Values // only parameters that the route knows
	route Route
	err   error // of the first part that could not be read
}

// bad records an error in the request. The first one stays.
func (q *request) bad(err error) {
	if q.err == nil {
		q.err = err
	}
}

type reply struct {
	status   int    // 0 is 200
	body     any    // encoded as JSON
	media    string // of text; "" answers with body
	text     string
	location string
	// elsewhere says where a search that found nothing looked, and what other projects hold.
	elsewhere string
	degraded  []string // search channels that failed and why; text removed from the input
}

// chain checks the token and reads the body before a route.
func (s *server) chain(route Route) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		err := s.pass(route, w, r)
		if err != nil {
			s.fail(w, r, route, err)
		}
	})
}

func (s *server) pass(route Route, w http.ResponseWriter, r *http.Request) (err error) {
	if s.needsToken(route) {
		if err := s.authorize(r); err != nil {
			return err
		}
	}
	q := &request{Request: r, query: parseQuery(r.URL.RawQuery), route: route}
	if route.unread {
		r.Body = http.MaxBytesReader(w, r.Body, route.MaxBody)
		defer func() {
			if err != nil {
				leave(w)
			}
		}()
	} else if q.body, err = readBody(w, r, route.MaxBody); err != nil {
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
	if route.stream != nil || route.slow {
		return s.long(route, w, q)
	}
	return s.reply(w, q)
}

func (s *server) reply(w http.ResponseWriter, q *request) error {
	rep, err := q.route.handle(q)
	if err != nil {
		return err
	}
	return s.write(w, q.Request, rep)
}

// long answers a route without a time limit, until the server is stopped.
func (s *server) long(route Route, w http.ResponseWriter, q *request) error {
	r := q.Request
	unhurried(w)
	ctx, cancel := untilStop(r.Context(), route.grace(r.Method))
	defer cancel()
	q.Request = r.WithContext(ctx)
	answer := s.reply
	if route.stream != nil {
		answer = route.stream
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

// passTo is a stream that passes a request, whose body was read, to another handler.
func passTo(h http.Handler) func(http.ResponseWriter, *request) error {
	return func(w http.ResponseWriter, q *request) error {
		q.Body = io.NopCloser(bytes.NewReader(q.body))
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

// write sends rep. It encodes first, so that a failure is an error and not half an answer.
func (s *server) write(w http.ResponseWriter, r *http.Request, rep reply) error {
	answer := []byte(rep.text)
	if rep.media == "" {
		line, err := json.Marshal(rep.body)
		if err != nil {
			return engram.Errorf(engram.CodeInternal, "cannot write the answer as JSON").WithCause(err)
		}
		answer, rep.media = line, mediaJSON
	}
	if rep.location != "" {
		w.Header().Set("Location", rep.location)
	}
	if rep.elsewhere != "" {
		w.Header().Set("Engram-Elsewhere", oneLine(rep.elsewhere))
	}
	if len(rep.degraded) > 0 {
		w.Header().Set("Engram-Degraded", oneLine(strings.Join(rep.degraded, "; ")))
	}
	if rep.status == 0 {
		rep.status = http.StatusOK
	}
	s.send(w, r, rep.status, rep.media, answer)
	return nil
}

// The media types of answers.
const (
	mediaJSON    = "application/json"
	mediaEvents  = "text/event-stream"
	mediaText    = "text/plain; charset=utf-8"
	mediaDOT     = "text/vnd.graphviz; charset=utf-8"
	mediaMermaid = "text/vnd.mermaid; charset=utf-8"
)

// send answers with a line. Clients may keep the answer to a GET and revalidate it each time; they may not keep
// errors and answers to changes.
func (s *server) send(w http.ResponseWriter, r *http.Request, status int, media string, line []byte) {
	line = append(line, '\n')
	h := w.Header()
	h.Set("Content-Type", media)
	h.Set("Vary", "Accept-Encoding")
	small := len(line) < gzipFrom || !wantsGzip(r.Header.Values("Accept-Encoding"))
	if status == http.StatusOK && (r.Method == http.MethodGet || r.Method == http.MethodHead) {
		tag := entityTag(line)
		h.Set("Cache-Control", "private, no-cache")
		h.Set("ETag", `"`+tag+`"`)
		if !small {
			h.Set("ETag", `"`+tag+zipped+`"`)
		}
		if has(r.Header.Values("If-None-Match"), tag) {
			h.Del("Content-Type")
			w.WriteHeader(http.StatusNotModified)
			return
		}
	}
	put := func(body []byte) {
		h.Set("Content-Length", strconv.Itoa(len(body)))
		w.WriteHeader(status)
		if _, err := w.Write(body); err != nil {
			s.Log.Debug("the client left before its answer", "pattern", r.Pattern, "err", err)
		}
	}
	if small {
		put(line)
		return
	}
	err := s.zip.with(line, func(zipped []byte) {
		h.Set("Content-Encoding", "gzip")
		put(zipped)
	})
	if err != nil { // unreachable: a buffer takes everything
		s.Log.Error("an answer could not be compressed", "err", err)
	}
}

// oneLine makes s fit for a header.
func oneLine(s string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' || r > '~' {
			return '?'
		}
		return r
	}, s)
}

// gzipFrom is the size in bytes from which an answer is compressed: below, it fits one packet anyway.
const gzipFrom = 1400

// compressors are kept between answers: creating one takes 800 kB.
type compressors struct{ pool sync.Pool }

type compressor struct {
	out bytes.Buffer
	zip *gzip.Writer
}

// with passes the compressed body to use, valid until use returns.
func (p *compressors) with(body []byte, use func(zipped []byte)) error {
	c, _ := p.pool.Get().(*compressor)
	if c == nil {
		c = &compressor{}
		var err error
		if c.zip, err = gzip.NewWriterLevel(&c.out, gzip.BestSpeed); err != nil {
			return err
		}
	}
	defer p.pool.Put(c)
	c.out.Reset()
	c.zip.Reset(&c.out)
	if _, err := c.zip.Write(body); err != nil {
		return err
	}
	if err := c.zip.Close(); err != nil {
		return err
	}
	use(c.out.Bytes())
	return nil
}

// wantsGzip reports whether the values of Accept-Encoding allow gzip and do not prefer identity. A name beats
// *, wherever it is.
func wantsGzip(acceptEncoding []string) bool {
	weights := map[string]float64{}
	for _, value := range acceptEncoding {
		for part := range strings.SplitSeq(value, ",") {
			name, parameters, _ := strings.Cut(part, ";")
			name = strings.ToLower(strings.TrimSpace(name))
			if name == "x-gzip" {
				name = "gzip"
			}
			weights[name] = weight(parameters)
		}
	}
	gzip, named := weights["gzip"]
	if !named {
		gzip = weights["*"]
	}
	return gzip > 0 && gzip >= weights["identity"]
}

// weight reads the q of a list element: 1 when absent, 0 when not a number.
func weight(parameters string) float64 {
	for parameter := range strings.SplitSeq(parameters, ";") {
		name, value, _ := strings.Cut(parameter, "=")
		if strings.ToLower(strings.TrimSpace(name)) != "q" {
			continue
		}
		q, err := strconv.ParseFloat(strings.TrimSpace(value), 64)
		if err != nil || !(q >= 0 && q <= 1) {
			return 0
		}
		return q
	}
	return 1
}

// paced is a body or an answer without a time limit, as long as something moves: a client that neither sends
// nor reads within the given time is dropped.
type paced struct {
	w       http.ResponseWriter
	body    io.Reader
	within  time.Duration
	idle    *time.Timer
	written bool
}

// pacedBody returns a body of which some must arrive within each interval.
func pacedBody(w http.ResponseWriter, body io.Reader, within time.Duration) *paced {
	p := &paced{w: w, body: body, within: within}
	p.idle = time.AfterFunc(within, func() { p.expire(http.NewResponseController(w).SetReadDeadline) })
	return p
}

// pacedAnswer returns an answer of which some must be read within each interval.
func pacedAnswer(w http.ResponseWriter, within time.Duration) *paced {
	p := &paced{w: w, within: within}
	p.idle = time.AfterFunc(within, p.breakOff)
	return p
}

// breakOff makes pending and later writes fail.
func (p *paced) breakOff() { p.expire(http.NewResponseController(p.w).SetWriteDeadline) }

// expire sets a deadline in the past. A writer without deadlines (a recorder in a test) does not wait.
func (p *paced) expire(deadline func(time.Time) error) { _ = deadline(time.Unix(1, 0)) }

// Read implements io.Reader. The end of the body stops the timer.
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

// zipped ends the entity tag of a compressed answer: a strong tag names the bytes sent.
const zipped = "-gzip"

// entityTag returns a strong entity tag for body, without quotes.
func entityTag(body []byte) string {
	sum := sha256.Sum256(body)
	return base64.RawURLEncoding.EncodeToString(sum[:16])
}

// has reports whether a value of If-None-Match names the answer with this tag, compared weakly and regardless
// of compression.
func has(ifNoneMatch []string, tag string) bool {
	for _, value := range ifNoneMatch {
		for given := range strings.SplitSeq(value, ",") {
			given = strings.TrimPrefix(strings.TrimSpace(given), "W/")
			if given == "*" {
				return true
			}
			if len(given) >= 2 && given[0] == '"' && strings.TrimSuffix(strings.Trim(given, `"`), zipped) == tag {
				return true
			}
		}
	}
	return false
}

// clock is a time as the older routes write it: RFC 3339 in UTC to the second, omitted when zero.
type clock time.Time

// IsZero lets omitzero omit it.
func (c clock) IsZero() bool { return time.Time(c).IsZero() }

// MarshalJSON implements json.Marshaler.
func (c clock) MarshalJSON() ([]byte, error) {
	return []byte(time.Time(c).UTC().Format(`"2006-01-02T15:04:05Z"`)), nil
}
