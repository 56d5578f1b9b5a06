package route

import (
	"cmp"
	"encoding/json"
	"errors"
	"net/http"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/document"
	"github.com/alanbuscaglia/engram/internal/project"
	"github.com/alanbuscaglia/engram/internal/redact"
)

// refusal is an error with its own status and optional header.
type refusal struct {
	status        int
	newer         bool // answer in the shape of newer routes
	header, value string
	err           error // has the code
}

// Refuse gives an error its own status.
func Refuse(status int, err error) error { return &refusal{status: status, err: err} }

// Error implements error.
func (r *refusal) Error() string { return r.err.Error() }

// Unwrap returns the error itself.
func (r *refusal) Unwrap() error { return r.err }

// RejectedFile is the rejection of a whole file, with each faulty item. Only older routes list the items.
type RejectedFile struct {
	Err   error
	Items []document.ImportNote
}

// Error implements error.
func (w *RejectedFile) Error() string { return w.Err.Error() }

// Unwrap returns the error itself.
func (w *RejectedFile) Unwrap() error { return w.Err }

// Worded replaces the message of err, if it has this code, with the one that older clients know. It drops the
// hint: those clients read only the message.
func Worded(err error, code engram.Code, format string, args ...any) error {
	if engram.CodeOf(err) != code {
		return err
	}
	return engram.Errorf(code, format, args...).WithCause(err)
}

// flatError is an error of the older routes. For problems of projects, Code is the kind of problem.
type flatError struct {
	Error             string   `json:"error"`
	Code              string   `json:"code"`
	Hint              string   `json:"hint,omitempty"`
	SessionProject    string   `json:"session_project,omitempty"`
	Project           string   `json:"project,omitempty"`
	AvailableProjects []string `json:"available_projects,omitempty"`
	// Rejected lists what is wrong with a rejected file: the first thousand items.
	Rejected []document.ImportNote `json:"rejected,omitempty"`
}

// nestedError is an error of the newer routes.
type nestedError struct {
	Error errorBody `json:"error"`
}

type errorBody struct {
	Code    engram.Code `json:"code"`
	Message string      `json:"message"`
	Hint    string      `json:"hint"` // "" for none
}

// rpcFailure is an error of /mcp: requests rejected before its server sees them get the shape that MCP clients
// read.
//
// Source: https://www.jsonrpc.org/specification#error_object
type rpcFailure struct {
	Version string   `json:"jsonrpc"` // 2.0
	ID      any      `json:"id"`      // of the request; null when it could not be read
	Error   rpcError `json:"error"`
}

type rpcError struct {
	Code    int      `json:"code"`
	Message string   `json:"message"`
	Data    *rpcData `json:"data,omitempty"` // present when this server rejected the request, not the MCP server
}

type rpcData struct {
	Code engram.Code `json:"code"`
	Hint string      `json:"hint"` // "" for none
}

// ErrorForm returns a value of the form in which r answers errors, and the beginning of the form's names.
func (r Route) ErrorForm() (name string, body any) {
	switch {
	case r.RPC:
		return "Rpc", rpcFailure{}
	case r.Newer:
		return "", nestedError{}
	}
	return "Older", flatError{}
}

// JSON-RPC error codes: invalid request, internal error.
const (
	rpcInvalidRequest = -32600
	rpcInternal       = -32603
)

// fail answers with err's message and hint, without private spans. Causes are not sent; that of an internal
// error is logged.
func (s *Server) fail(w http.ResponseWriter, r *http.Request, route Route, err error) {
	body := errorBody{Code: engram.CodeOf(err), Message: redact.Private(MessageOf(err)), Hint: redact.Private(engram.HintFor(err, s.Request))}
	status := cmp.Or(map[engram.Code]int{
		engram.CodeInvalid: http.StatusBadRequest, engram.CodeNotFound: http.StatusNotFound, engram.CodeConflict: http.StatusConflict,
		engram.CodeForbidden: http.StatusForbidden, engram.CodeUnavailable: http.StatusServiceUnavailable,
	}[body.Code], http.StatusInternalServerError)
	if own, ok := errors.AsType[*refusal](err); ok {
		status, route.Newer = own.status, route.Newer || own.newer
		if own.header != "" {
			w.Header().Set(own.header, own.value)
		}
	}
	switch {
	case status == http.StatusInternalServerError && r.Context().Err() != nil:
		// The client left and the operation was cancelled: not a failure of the server.
		body.Code, status = engram.CodeUnavailable, http.StatusServiceUnavailable
		body.Message, body.Hint = "the request was cancelled", ""
	case status == http.StatusInternalServerError:
		s.Log.Error("a request failed", "method", r.Method, "pattern", r.Pattern, "err", err)
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
	line, _ := json.Marshal(doc) // strings cannot fail
	s.Send(w, r, status, MediaJSON, line)
}

func flatten(body errorBody, err error) flatError {
	flat := flatError{Error: body.Message, Code: string(body.Code), Hint: body.Hint}
	if p, ok := errors.AsType[*project.Problem](err); ok {
		flat.Code, flat.SessionProject, flat.Project, flat.AvailableProjects = string(p.Reason), p.SessionProject, p.Project, p.Available
	}
	if wrong, ok := errors.AsType[*RejectedFile](err); ok {
		flat.Rejected = wrong.Items
	}
	return flat
}

// MessageOf returns the message of the outermost *engram.Error, without its cause and context.
func MessageOf(err error) string {
	if e, ok := errors.AsType[*engram.Error](err); ok && e.Code != engram.CodeInternal {
		return e.Msg
	}
	return "internal error"
}
