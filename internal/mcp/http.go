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
	return shaped(s.streamable(true), s.streamable(false))
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

// shaped answers for requests whose parameters have a wrong form, and passes the others
// on: to stream those that ask for progress, to plain the rest.
func shaped(plain, stream http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodPost {
			plain.ServeHTTP(w, r)
			return
		}
		body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
		if tooLarge, ok := errors.AsType[*http.MaxBytesError](err); ok {
			http.Error(w, fmt.Sprintf("the request is longer than %d bytes", tooLarge.Limit), http.StatusRequestEntityTooLarge)
			return
		}
		if err != nil {
			http.Error(w, "the request broke off", http.StatusBadRequest)
			return
		}
		next := plain
		if m, err := jsonrpc.DecodeMessage(body); err == nil {
			if req, ok := m.(*jsonrpc.Request); ok {
				if !faithful(body, req.ID) {
					http.Error(w, "an id is a string or a whole number below 2^53", http.StatusBadRequest)
					return
				}
				if bad := misshapen(req); bad != nil {
					answer(w, &jsonrpc.Response{ID: req.ID, Error: bad})
					return
				}
				if wantsProgress(req) {
					next = stream
				}
			}
		}
		r.Body = io.NopCloser(bytes.NewReader(body))
		next.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), requestKey{}, r.Context())))
	})
}

func answer(w http.ResponseWriter, r *jsonrpc.Response) {
	line, err := jsonrpc.EncodeMessage(r)
	if err != nil {
		http.Error(w, "internal error", http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	_, _ = w.Write(line) // a client that has gone needs no answer
}
