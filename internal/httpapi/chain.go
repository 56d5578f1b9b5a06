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

// request is what a handler is given: the body is read, the query taken apart.
type request struct {
	*http.Request
	body  []byte
	query url.Values // what the route knows of it
	route Route
}

// reply is what a handler answers.
type reply struct {
	status   int    // 0 is 200
	body     any    // written as JSON
	media    string // what text is; "" answers with body
	text     string
	location string
	// elsewhere says where was looked and what is in other projects, where nothing was found.
	elsewhere string
	degraded  []string // channels of a search that could not answer, and why; what was cut out of what was sent
}

// chain puts the token and the body limit before a route.
func (a *API) chain(route Route) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		err := a.pass(route, w, r)
		if err != nil {
			a.fail(w, r, route, err)
		}
	})
}

func (a *API) pass(route Route, w http.ResponseWriter, r *http.Request) (err error) {
	if a.needsToken(route) {
		if err := a.authorize(r); err != nil {
			return err
		}
	}
	q := request{Request: r, query: parseQuery(r.URL.RawQuery), route: route}
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
	if route.Path != "/mcp" { // a protocol of its own says what it does not know
		if ignored := route.ignored(q); len(ignored) > 0 {
			w.Header().Set("Engram-Ignored", oneLine(strings.Join(ignored, ", ")))
		}
		if err := route.refuseUnknown(q); err != nil {
			return err
		}
	}
	if route.stream != nil || route.slow {
		return a.long(route, w, q)
	}
	return a.reply(w, q)
}

// reply answers with what the handler returns.
func (a *API) reply(w http.ResponseWriter, q request) error {
	rep, err := q.route.handle(q)
	if err != nil {
		return err
	}
	return a.write(w, q.Request, rep)
}

// long answers a route that may take as long as it likes, until the server is stopped.
func (a *API) long(route Route, w http.ResponseWriter, q request) error {
	r := q.Request
	unhurried(w)
	ctx, cancel := untilStop(r.Context(), route.grace(r.Method))
	defer cancel()
	q.Request = r.WithContext(ctx)
	answer := a.reply
	if route.stream != nil {
		answer = route.stream
	}
	err := answer(w, q)
	if engram.CodeOf(err) == engram.CodeInternal && ctx.Err() != nil && r.Context().Err() == nil {
		return engram.Errorf(engram.CodeUnavailable, "the server is stopping").WithHint("ask again when it is back").WithCause(err)
	}
	return err
}

// leave ends the connection of a request whose body was not read to its end: net/http would
// wait for the rest before it answers, and for some of it even then.
func leave(w http.ResponseWriter) {
	w.Header().Set("Connection", "close")
	// A writer that has no deadlines (a recorder in a test) waits for nobody.
	time.AfterFunc(leaveTime, func() { _ = http.NewResponseController(w).SetReadDeadline(time.Unix(1, 0)) })
}

// speakMCP hands a request to the server of MCP.
func (a *API) speakMCP(w http.ResponseWriter, q request) error {
	q.Body = io.NopCloser(bytes.NewReader(q.body))
	a.MCP.ServeHTTP(w, q.Request)
	return nil
}

// unhurried lifts the server's deadlines from a stream, which may take as long as its client stays:
// the one for reading would end the request's context in mid-answer.
func unhurried(w http.ResponseWriter) {
	c := http.NewResponseController(w)
	// A writer that has no deadlines (a recorder in a test) has none to lift.
	_, _ = c.SetReadDeadline(time.Time{}), c.SetWriteDeadline(time.Time{})
}

// write sends rep, JSON on one line. It is encoded first, so that what cannot be written
// is an error and not half an answer.
func (a *API) write(w http.ResponseWriter, r *http.Request, rep reply) error {
	answer := []byte(rep.text)
	if rep.media == "" {
		line, err := json.Marshal(rep.body)
		if err != nil {
			return engram.Errorf(engram.CodeInternal, "the answer cannot be written as JSON").WithCause(err)
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
	a.send(w, r, rep.status, rep.media, answer)
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

// send answers with a line. What a GET reads may be kept by its client, who asks each
// time whether it is still the same; errors and answers to changes are not kept.
func (a *API) send(w http.ResponseWriter, r *http.Request, status int, media string, line []byte) {
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
			a.Log.Debug("the client left before its answer", "pattern", r.Pattern, "err", err)
		}
	}
	if small {
		put(line)
		return
	}
	err := a.zip.with(line, func(zipped []byte) {
		h.Set("Content-Encoding", "gzip")
		put(zipped)
	})
	if err != nil { // a buffer takes everything: it cannot be
		a.Log.Error("an answer could not be compressed", "err", err)
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

// gzipFrom is how many bytes an answer must have to be compressed: what goes into one
// packet as it is gains nothing.
const gzipFrom = 1400

// compressors are kept between answers: one takes 800 kB to make.
type compressors struct{ pool sync.Pool }

type compressor struct {
	out bytes.Buffer
	zip *gzip.Writer
}

// with hands body to use, compressed; what use gets is good until it returns.
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

// wantsGzip reports whether the values of Accept-Encoding allow gzip, and do not rather
// have nothing done. A name beats *, whatever its place.
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

// weight reads the q of a list's element: 1 when there is none, 0 when it is no number.
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

// zipped ends the entity tag of an answer that is sent compressed: a strong tag is of the
// bytes that are sent.
const zipped = "-gzip"

// entityTag names an answer by what it says: a strong entity tag without its quotes.
func entityTag(body []byte) string {
	sum := sha256.Sum256(body)
	return base64.RawURLEncoding.EncodeToString(sum[:16])
}

// has reports whether one of the values of If-None-Match names the answer with this tag.
// They are compared weakly, and so that what was kept compressed counts as the same.
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

// clock is a time as the older routes write it: RFC 3339 in UTC to the second, left
// out when there is none.
type clock time.Time

// IsZero lets omitzero leave it out.
func (c clock) IsZero() bool { return time.Time(c).IsZero() }

// MarshalJSON implements json.Marshaler.
func (c clock) MarshalJSON() ([]byte, error) {
	return []byte(time.Time(c).UTC().Format(`"2006-01-02T15:04:05Z"`)), nil
}
