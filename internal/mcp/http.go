package mcp

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// maxBody is the largest HTTP request, in bytes: a memory of the greatest length fits
// even where a client escapes most of its characters.
const maxBody = 4 << 20

// Handler serves MCP over HTTP; mount it at /mcp. It keeps no sessions, without which
// the SDK would refuse the stateless era; each request stands for itself in both.
//
// Which Host and Origin may call is for the caller to check, before this handler. The
// SDK's own check of Host stays on: it refuses nothing that a stricter one lets pass.
// A client's subscription keeps its request open until the client leaves, so whoever
// shuts the HTTP server down must end those by the request's context.
func (s *Server) Handler() http.Handler {
	return s.shaped(s.streamable(true), s.streamable(false))
}

// streamable is the SDK's handler. It answers with JSON, or, where the client is to hear
// of a call before its answer, with a stream of events.
func (s *Server) streamable(json bool) http.Handler {
	return mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return s.sdk }, &mcp.StreamableHTTPOptions{
		Stateless:                    true,
		JSONResponse:                 json,
		MaxRequestBodyBytes:          maxBody,
		PropagateRequestCancellation: true,
	})
}

// shaped answers for requests that are none or whose parameters have a wrong form, and
// passes the others on: to stream those that ask for progress, to plain the rest.
func (s *Server) shaped(plain, stream http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodPost {
			c := inJSON(w, nil)
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
			sendError(w, http.StatusBadRequest, nil, &jsonrpc.Error{Code: jsonrpc.CodeInvalidRequest, Message: "the request broke off"})
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
		c := inJSON(w, body)
		next.ServeHTTP(c, r.WithContext(context.WithValue(r.Context(), requestKey{}, r.Context())))
		c.end()
	})
}

// refusedOverHTTP says why a request cannot be worked on, and the status that goes with it;
// nil when it can. A method that is not offered has one of its own in the stateless
// revision alone.
func (s *Server) refusedOverHTTP(r *http.Request, req *jsonrpc.Request, body []byte) (int, *jsonrpc.Error) {
	if !faithful(body, req.ID) {
		return http.StatusBadRequest, &jsonrpc.Error{Code: jsonrpc.CodeInvalidRequest, Message: "an id is a string or a whole number below 2^53"}
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
