package httpapi

import (
	"encoding/json"
	"errors"
	"net/http"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/document"
	"github.com/alanbuscaglia/engram/internal/project"
	"github.com/alanbuscaglia/engram/internal/redact"
)

// statusOf maps the code of an error to an HTTP status.
func statusOf(c engram.Code) int {
	switch c {
	case engram.CodeInvalid:
		return http.StatusBadRequest
	case engram.CodeNotFound:
		return http.StatusNotFound
	case engram.CodeConflict:
		return http.StatusConflict
	case engram.CodeForbidden:
		return http.StatusForbidden
	case engram.CodeUnavailable:
		return http.StatusServiceUnavailable
	}
	return http.StatusInternalServerError
}

// refusal is an error that has a status of its own, and perhaps a header.
type refusal struct {
	status        int
	newer         bool // in the shape of the newer routes, whatever the route
	header, value string
	err           error // carries the code
}

func refuse(status int, err error) error { return &refusal{status: status, err: err} }

// Error implements error.
func (r *refusal) Error() string { return r.err.Error() }

// Unwrap returns the error itself.
func (r *refusal) Unwrap() error { return r.err }

// worded is err in the words that older clients know, if it has the code; else err.
// The hint goes too: those clients read the message alone.
func worded(err error, code engram.Code, format string, args ...any) error {
	if engram.CodeOf(err) != code {
		return err
	}
	return engram.Errorf(code, format, args...).WithCause(err)
}

// flatError is an error as older clients read it. Code is the kind of the problem
// where it is about a project.
type flatError struct {
	Error             string   `json:"error"`
	Code              string   `json:"code"`
	Hint              string   `json:"hint,omitempty"`
	SessionProject    string   `json:"session_project,omitempty"`
	Project           string   `json:"project,omitempty"`
	AvailableProjects []string `json:"available_projects,omitempty"`
	// Rejected has what was wrong with the file, where one was refused for that: the first thousand.
	Rejected []document.ImportNote `json:"rejected,omitempty"`
}

// nestedError is an error of the newer routes.
type nestedError struct {
	Error errorBody `json:"error"`
}

type errorBody struct {
	Code    engram.Code `json:"code"`
	Message string      `json:"message"`
	Hint    string      `json:"hint"` // "" when there is none
}

// rpcFailure is an error of MCP: what is refused before its server sees it has the shape that its
// clients read, too.
//
// Source: https://www.jsonrpc.org/specification#error_object
type rpcFailure struct {
	Version string   `json:"jsonrpc"` // 2.0
	ID      any      `json:"id"`      // of the request; null where it could not be read
	Error   rpcError `json:"error"`
}

type rpcError struct {
	Code    int      `json:"code"`
	Message string   `json:"message"`
	Data    *rpcData `json:"data,omitempty"` // where this server refused the request, and not that of MCP
}

type rpcData struct {
	Code engram.Code `json:"code"`
	Hint string      `json:"hint"` // "" when there is none
}

// JSON-RPC's codes for a request that cannot be taken, and for one that could have been.
const (
	rpcInvalidRequest = -32600
	rpcInternal       = -32603
)

// fail answers with err: its message and its hint. Causes stay inside; that of an
// internal error goes to the log. Messages quote what was sent, so private spans are
// taken out of them too.
func (a *API) fail(w http.ResponseWriter, r *http.Request, route Route, err error) {
	body := errorBody{Code: engram.CodeOf(err), Message: redact.Private(messageOf(err)), Hint: redact.Private(hintOf(err))}
	status := statusOf(body.Code)
	if own, ok := errors.AsType[*refusal](err); ok {
		status, route.Newer = own.status, route.Newer || own.newer
		if own.header != "" {
			w.Header().Set(own.header, own.value)
		}
	}
	switch {
	case status == http.StatusInternalServerError && r.Context().Err() != nil:
		// The client left, and the verb stopped for it: nobody's fault, nobody listens.
		body.Code, status = engram.CodeUnavailable, http.StatusServiceUnavailable
		body.Message, body.Hint = "the request was given up", ""
	case status == http.StatusInternalServerError:
		a.Log.Error("a request failed", "method", r.Method, "pattern", r.Pattern, "err", err)
	}
	if status == http.StatusServiceUnavailable {
		w.Header().Set("Retry-After", "1")
	}
	var doc any = nestedError{body}
	switch {
	case route.RPC:
		code := rpcInvalidRequest
		if status >= http.StatusInternalServerError {
			code = rpcInternal
		}
		doc = rpcFailure{Version: "2.0", Error: rpcError{code, body.Message, &rpcData{body.Code, body.Hint}}}
	case !route.Newer:
		doc = flatten(body, err)
	}
	line, _ := json.Marshal(doc) // strings alone cannot fail
	a.send(w, r, status, mediaJSON, line)
}

func flatten(body errorBody, err error) flatError {
	flat := flatError{Error: body.Message, Code: string(body.Code), Hint: body.Hint}
	if p, ok := errors.AsType[*project.Problem](err); ok {
		flat.Code, flat.SessionProject, flat.Project, flat.AvailableProjects = string(p.Reason), p.SessionProject, p.Project, p.Available
	}
	if wrong, ok := errors.AsType[*wrongFile](err); ok {
		flat.Rejected = wrong.items
	}
	return flat
}

// messageOf is the message of the outermost *engram.Error: neither its cause nor what
// the layers in between were doing.
func messageOf(err error) string {
	if e, ok := errors.AsType[*engram.Error](err); ok && e.Code != engram.CodeInternal {
		return e.Msg
	}
	return "internal error"
}
