package httpapi

import (
	"cmp"
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	"strings"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/document"
	"github.com/alanbuscaglia/engram/internal/project"
	"github.com/alanbuscaglia/engram/internal/redact"
)

func statusOf(c engram.Code) int {
	return cmp.Or(map[engram.Code]int{
		engram.CodeInvalid: http.StatusBadRequest, engram.CodeNotFound: http.StatusNotFound, engram.CodeConflict: http.StatusConflict,
		engram.CodeForbidden: http.StatusForbidden, engram.CodeUnavailable: http.StatusServiceUnavailable,
	}[c], http.StatusInternalServerError)
}

// refusal is an error with its own status and optional header.
type refusal struct {
	status        int
	newer         bool // answer in the shape of newer routes
	header, value string
	err           error // has the code
}

func refuse(status int, err error) error { return &refusal{status: status, err: err} }

// Error implements error.
func (r *refusal) Error() string { return r.err.Error() }

// Unwrap returns the error itself.
func (r *refusal) Unwrap() error { return r.err }

// worded replaces the message of err, if it has this code, with the one that older clients know. It drops the
// hint: those clients read only the message.
func worded(err error, code engram.Code, format string, args ...any) error {
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

// JSON-RPC error codes: invalid request, internal error.
const (
	rpcInvalidRequest = -32600
	rpcInternal       = -32603
)

// fail answers with err's message and hint, without private spans. Causes are not sent; that of an internal
// error is logged.
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
		// The client left and the operation was cancelled: not a failure of the server.
		body.Code, status = engram.CodeUnavailable, http.StatusServiceUnavailable
		body.Message, body.Hint = "the request was cancelled", ""
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
	line, _ := json.Marshal(doc) // strings cannot fail
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

// messageOf returns the message of the outermost *engram.Error, without its cause and context.
func messageOf(err error) string {
	if e, ok := errors.AsType[*engram.Error](err); ok && e.Code != engram.CodeInternal {
		return e.Msg
	}
	return "internal error"
}

// instead maps a command that hints name to the request that does the same. Words in angle brackets stand for
// the command's arguments.
type instead struct{ command, request string }

// routesOfCommands lists the commands in hints that have a route.
func routesOfCommands() []instead {
	return []instead{
		{"projects list", "GET /projects"},
		{"projects merge <from> --into <to>", `POST /projects/migrate {"old_project":"<from>","new_project":"<to>"}`},
		{"list --forgotten", "GET /memories?forgotten=true"},
		{"search <words>", "GET /search?q=<words>"},
		{"session list", "GET /sessions/recent"},
		{"log", "GET /log"},
		{"log --all-projects", "GET /log"}, // without a project it covers all
		{"log --verb <verb>", "GET /log?verb=<verb>"},
		{"log <ref>", "GET /log?ref=<ref>"},
		{"undo <op>", `POST /undo {"op":<op>}`},
		{"history <ref>", "GET /history/<ref>"},
		{"update <ref> --scope <scope>", `PATCH /memories/<ref> {"scope":"<scope>"}`},
		{"delete prompt <id> --hard", "DELETE /prompts/<id>?hard=true"},
		{"graph <ref>", "GET /graph?ref=<ref>"},
		{"graph <ref> --relation <relation>", "GET /graph?ref=<ref>&relation=<relation>"},
		{"link <a> <b>", `POST /relations {"source":"<a>","relation":"relates_to","target":"<b>"}`},
		{"link <a> <relation> <b>", `POST /relations {"source":"<a>","relation":"<relation>","target":"<b>"}`},
		{"unlink <a> <relation> <b>", "DELETE /relations?source=<a>&relation=<relation>&target=<b>"},
		{"conflicts list", "GET /conflicts"},
		{"conflicts judge <id> <verdict>", `POST /conflicts/judge {"judgment_id":"<id>","relation":"<verdict>"}`},
		{"export <file> --project <project>", "GET /export?project=<project>"},
		{"ingest <file>", "POST /memories/batch"},
	}
}

// requested writes a call as a request, or as the command where no route does the same.
func requested(c engram.Call) string {
	for _, r := range routesOfCommands() {
		if values, ok := c.Match(r.command); ok {
			address, body, with := strings.Cut(r.request, " {")
			address = strings.NewReplacer(escaped(values, url.QueryEscape)...).Replace(address)
			if !with {
				return address
			}
			return address + " {" + strings.NewReplacer(escaped(values, inString)...).Replace(body)
		}
	}
	return c.String()
}

// escaped applies escape to each value that Match returned.
func escaped(values []string, escape func(string) string) []string {
	all := make([]string, len(values))
	for i := 0; i < len(values); i += 2 {
		all[i], all[i+1] = values[i], escape(values[i+1])
	}
	return all
}

// inString escapes s for a JSON string.
func inString(s string) string {
	quoted, _ := json.Marshal(s) // a string cannot fail
	return string(quoted[1 : len(quoted)-1])
}

// hintOf returns the hint of err in terms of routes.
func hintOf(err error) string { return engram.HintFor(err, requested) }
