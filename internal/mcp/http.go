package mcp

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"runtime/debug"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/mcp/tool"
	"github.com/alanbuscaglia/engram/internal/redact"
	"github.com/alanbuscaglia/engram/internal/text"
)

// maxBody is the size limit of an HTTP request in bytes: room for a memory of maximum length with most
// characters escaped.
const maxBody = 4 << 20

// Handler serves MCP over HTTP without sessions; mount it at /mcp. The caller checks Host and Origin first, and
// ends subscriptions, which keep their request open, by the request's context.
func (s *Server) Handler() http.Handler {
	return s.shaped(s.streamable(true), s.streamable(false))
}

// streamable returns the SDK's handler. It answers with JSON, or with a stream of events where the client wants
// progress.
func (s *Server) streamable(json bool) http.Handler {
	return mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return s.sdk }, &mcp.StreamableHTTPOptions{
		Stateless:                    true,
		JSONResponse:                 json,
		MaxRequestBodyBytes:          maxBody,
		PropagateRequestCancellation: true,
	})
}

// shaped answers malformed requests and passes the others on: to stream those that ask for progress, to plain
// the rest.
func (s *Server) shaped(plain, stream http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodPost {
			c := &plainCatcher{ResponseWriter: w}
			plain.ServeHTTP(c, r)
			c.end()
			return
		}
		body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
		if tooLarge, ok := errors.AsType[*http.MaxBytesError](err); ok {
			sendError(w, http.StatusRequestEntityTooLarge, idAround(body, nil), &jsonrpc.Error{Code: jsonrpc.CodeInvalidRequest,
				Message: fmt.Sprintf("the request is longer than %d bytes", tooLarge.Limit)})
			return
		}
		if err != nil {
			sendError(w, http.StatusBadRequest, nil, &jsonrpc.Error{Code: jsonrpc.CodeInvalidRequest, Message: "the request ended early"})
			return
		}
		next := plain
		if m, err := jsonrpc.DecodeMessage(body); err == nil {
			if req, ok := m.(*jsonrpc.Request); ok {
				if status, bad := s.refusedOverHTTP(r, req, body); bad != nil {
					sendError(w, status, idOf(body), bad)
					return
				}
				if wantsProgress(req) {
					next = stream
				}
			}
		}
		r.Body = io.NopCloser(bytes.NewReader(body))
		c := &plainCatcher{ResponseWriter: w, body: body}
		next.ServeHTTP(c, r.WithContext(context.WithValue(r.Context(), requestKey{}, r.Context())))
		c.end()
	})
}

// refusedOverHTTP returns why a request is rejected, with the HTTP status; nil when it is not. Only the
// stateless revision has its own status for an unknown method.
func (s *Server) refusedOverHTTP(r *http.Request, req *jsonrpc.Request, body []byte) (int, *jsonrpc.Error) {
	if !faithful(body, req.ID) {
		return http.StatusBadRequest, &jsonrpc.Error{Code: jsonrpc.CodeInvalidRequest, Message: "the id is neither a string nor a whole number below 2^53"}
	}
	bad := refused(req, s.memories)
	if bad == nil || !req.IsCall() {
		return 0, nil
	}
	if bad.Code == jsonrpc.CodeMethodNotFound && r.Header.Get("Mcp-Protocol-Version") >= stateless {
		return http.StatusNotFound, bad
	}
	return http.StatusOK, bad
}

// plainCatcher is a writer that turns the SDK's plain-text errors into errors of the protocol with the same status,
// so that a client knows which call failed.
type plainCatcher struct {
	http.ResponseWriter
	body   []byte // of the request, as far as it was read
	status int    // of the held error; 0 for none
	text   []byte
}

// Unwrap lets streams flush.
func (c *plainCatcher) Unwrap() http.ResponseWriter { return c.ResponseWriter }

// Flush sends what was written of a stream.
func (c *plainCatcher) Flush() {
	if c.status == 0 {
		_ = http.NewResponseController(c.ResponseWriter).Flush()
	}
}

// WriteHeader holds back errors in plain text and passes everything else on.
func (c *plainCatcher) WriteHeader(status int) {
	if status >= http.StatusBadRequest && strings.HasPrefix(c.Header().Get("Content-Type"), "text/plain") {
		c.status = status
		return
	}
	c.ResponseWriter.WriteHeader(status)
}

// Write keeps the beginning of a held error's text.
func (c *plainCatcher) Write(p []byte) (int, error) {
	if c.status == 0 {
		return c.ResponseWriter.Write(p)
	}
	if len(c.text) < 4096 {
		c.text = append(c.text, p...)
	}
	return len(p), nil
}

// end sends the held error, if any.
func (c *plainCatcher) end() {
	if c.status == 0 {
		return
	}
	reported := &jsonrpc.Error{Code: jsonrpc.CodeInvalidRequest, Message: tool.Clip(redact.Private(strings.TrimSpace(string(c.text))))}
	m, err := jsonrpc.DecodeMessage(c.body)
	r, isRequest := m.(*jsonrpc.Request)
	switch {
	case len(c.body) == 0: // the error is not about the message
	case !json.Valid(c.body):
		reported.Code, reported.Message = jsonrpc.CodeParseError, "parse error: the body is not JSON"
	case err != nil:
		reported.Message = "not a JSON-RPC 2.0 message"
	case isRequest && strings.HasPrefix(reported.Message, "JSON RPC not handled"):
		reported.Code, reported.Message = jsonrpc.CodeMethodNotFound, "method not found: "+tool.Clip(redact.Private(r.Method))
	}
	sendError(c.ResponseWriter, c.status, idOf(c.body), reported)
}

func sendError(w http.ResponseWriter, status int, id json.RawMessage, e *jsonrpc.Error) {
	line, err := errorLine(id, e)
	if err != nil {
		http.Error(w, "internal error", http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = w.Write(line) // a client that left needs no answer
}

// errorLine writes an error of the protocol; a nil id is null.
func errorLine(id json.RawMessage, e *jsonrpc.Error) ([]byte, error) {
	if id == nil {
		id = json.RawMessage("null")
	}
	return json.Marshal(struct {
		Version string          `json:"jsonrpc"`
		ID      json.RawMessage `json:"id"`
		Error   *jsonrpc.Error  `json:"error"`
	}{"2.0", id, e})
}

// recoverPanics is the middleware that turns a panic into an error answer. The SDK has none, and a panic would
// end the process and the agent's session.
func (s *Server) recoverPanics(next mcp.MethodHandler) mcp.MethodHandler {
	return func(ctx context.Context, method string, req mcp.Request) (res mcp.Result, err error) {
		defer func() {
			v := recover()
			if v == nil {
				return
			}
			// Without the arguments, which are private.
			s.log.Error("panic", "method", method, "panic", fmt.Sprint(v), "stack", string(debug.Stack()))
			if call, ok := req.(*mcp.CallToolRequest); ok {
				res, err = s.failure(call.Params.Name, engram.Errorf(engram.CodeInternal, "internal error in %s", call.Params.Name)), nil
				return
			}
			res, err = nil, &jsonrpc.Error{Code: jsonrpc.CodeInternalError, Message: "internal error in " + method}
		}()
		return next(ctx, method, req)
	}
}

// refuseUntaken is the middleware that answers calls of unknown tools and suggests the nearest name.
func (s *Server) refuseUntaken(next mcp.MethodHandler) mcp.MethodHandler {
	return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
		if call, ok := req.(*mcp.CallToolRequest); ok && !has(s.taken, call.Params.Name) {
			return nil, s.unknownTool(call.Params.Name)
		}
		return next(ctx, method, req)
	}
}

// offers reports whether a tool of that name is listed, so that texts may name it.
func (s *Server) offers(name string) bool { return has(s.tools, name) }

func (s *Server) unknownTool(name string) *jsonrpc.Error {
	name = tool.Clip(redact.Private(name))
	var names []string
	for _, t := range s.taken {
		names = append(names, t.Name)
	}
	message := fmt.Sprintf("tool '%s' not found: tool not found", name)
	if near := text.Nearest(name, names); near != "" {
		message += "; did you mean " + near + "?"
	}
	return &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: message}
}
