package mcp

import (
	"context"
	"encoding/json"
	"errors"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/mcp/tool"
)

// told is an error as structured content.
type told struct {
	Error detail `json:"error"`
}

type detail struct {
	Code    string `json:"code"`
	Message string `json:"message"`
	Hint    string `json:"hint,omitempty"`
}

// failure is the answer for an error of a tool: in the dialect's shape where it has
// one, else the message and the hint. Causes go to the log, never to the client.
func (s *Server) failure(name string, err error) *mcp.CallToolResult {
	if errors.Is(err, context.Canceled) {
		// By the client, which is told all the same over HTTP, where it may still listen.
		err = engram.Errorf(engram.CodeConflict, "the call was cancelled").WithHint("what it had not written yet is not written")
	}
	code := engram.CodeOf(err)
	if code == engram.CodeInternal || code == engram.CodeUnavailable {
		s.log.Error("tool failed", "tool", name, "code", string(code), "error", err.Error())
	}
	d := detail{Code: string(code), Message: "internal error", Hint: s.hint(name, err)}
	if e, ok := errors.AsType[*engram.Error](err); ok {
		d.Message = e.Msg
	}
	text, object := d.Message, any(told{d})
	if d.Hint != "" {
		text += "\nHint: " + d.Hint
	}
	if f, ok := errors.AsType[*tool.Failure](err); ok {
		text = f.Text
		if f.Object != nil {
			object = f.Object
			if hinted, ok := object.(tool.Hinted); ok {
				object = hinted.Told(d.Hint)
			}
		}
	}
	structured, err := json.Marshal(object)
	if err != nil {
		// Unreachable: these are structs of strings. The text alone still tells.
		return result(text, nil, true)
	}
	if text == "" {
		text = string(structured)
	}
	return result(text, structured, true)
}
