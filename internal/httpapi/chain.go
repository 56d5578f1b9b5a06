package httpapi

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/alanbuscaglia/engram"
)

// request is what a handler is given: the body is read, the query taken apart.
type request struct {
	*http.Request
	body  []byte
	query url.Values
	newer bool // nothing that is unknown is ignored
}

// reply is what a handler answers.
type reply struct {
	status   int    // 0 is 200
	body     any    // written as JSON
	media    string // what text is; "" answers with body
	text     string
	location string
	degraded []string // channels of a search that could not answer, and why
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

func (a *API) pass(route Route, w http.ResponseWriter, r *http.Request) error {
	if route.Token || a.Exposed && route.Path != "/health" {
		if err := a.authorize(r); err != nil {
			return err
		}
	}
	body, err := readBody(w, r, route.MaxBody)
	if err != nil {
		return err
	}
	if route.stream != nil {
		unhurried(w)
		r.Body = io.NopCloser(bytes.NewReader(body))
		ctx, cancel := untilStop(r.Context())
		defer cancel()
		route.stream.ServeHTTP(w, r.WithContext(ctx))
		return nil
	}
	if route.slow {
		unhurried(w)
		ctx, cancel := untilStop(r.Context())
		defer cancel()
		r = r.WithContext(ctx)
	}
	q := request{Request: r, body: body, query: parseQuery(r.URL.RawQuery), newer: route.Newer}
	if err := route.refuseUnknown(q); err != nil {
		return err
	}
	rep, err := route.handle(q)
	if err != nil {
		return err
	}
	return a.write(w, r, rep)
}

// unhurried lifts the server's deadlines from a stream, whose request has been read
// and whose answer may take as long as its client stays. Without it the deadline for
// reading would end the request's context in mid-answer.
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
	if len(rep.degraded) > 0 {
		w.Header().Set("Engram-Degraded", oneLine(strings.Join(rep.degraded, "; ")))
	}
	if rep.status == 0 {
		rep.status = http.StatusOK
	}
	a.send(w, r, rep.status, rep.media, answer)
	return nil
}

const mediaJSON = "application/json"

func (a *API) send(w http.ResponseWriter, r *http.Request, status int, media string, line []byte) {
	line = append(line, '\n')
	w.Header().Set("Content-Type", media)
	w.Header().Set("Content-Length", strconv.Itoa(len(line)))
	w.WriteHeader(status)
	if _, err := w.Write(line); err != nil {
		a.Log.Debug("the client left before its answer", "pattern", r.Pattern, "err", err)
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
