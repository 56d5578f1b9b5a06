package mcp

import (
	"encoding/json"
	"net/http"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"

	"github.com/alanbuscaglia/engram/internal/mcp/tool"
	"github.com/alanbuscaglia/engram/internal/redact"
)

// inJSON makes errors of the protocol of what the SDK refuses in plain text: a client of a
// protocol of JSON cannot read that, and would not know which of its calls it is about. The
// status stays. body is the request's, as far as it was read.
func inJSON(w http.ResponseWriter, body []byte) *plainCatcher {
	return &plainCatcher{ResponseWriter: w, body: body}
}

// plainCatcher is a writer that keeps back an error in plain text.
type plainCatcher struct {
	http.ResponseWriter
	body   []byte
	status int // of the error that is kept back; 0 when there is none
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

// WriteHeader keeps back errors in plain text, and passes everything else on.
func (c *plainCatcher) WriteHeader(status int) {
	if status >= http.StatusBadRequest && strings.HasPrefix(c.Header().Get("Content-Type"), "text/plain") {
		c.status = status
		return
	}
	c.ResponseWriter.WriteHeader(status)
}

// Write takes what an error says, as much of it as is told.
func (c *plainCatcher) Write(p []byte) (int, error) {
	if c.status == 0 {
		return c.ResponseWriter.Write(p)
	}
	if len(c.text) < 4096 {
		c.text = append(c.text, p...)
	}
	return len(p), nil
}

// end sends the error that was kept back, if any.
func (c *plainCatcher) end() {
	if c.status == 0 {
		return
	}
	told := &jsonrpc.Error{Code: jsonrpc.CodeInvalidRequest, Message: tool.Clip(redact.Private(strings.TrimSpace(string(c.text))))}
	m, err := jsonrpc.DecodeMessage(c.body)
	r, isRequest := m.(*jsonrpc.Request)
	switch {
	case len(c.body) == 0: // what is wrong is not the message
	case !json.Valid(c.body):
		told.Code, told.Message = jsonrpc.CodeParseError, "parse error: the body is not JSON"
	case err != nil:
		told.Message = "not a JSON-RPC 2.0 message"
	case isRequest && strings.HasPrefix(told.Message, "JSON RPC not handled"):
		told.Code, told.Message = jsonrpc.CodeMethodNotFound, "method not found: "+tool.Clip(redact.Private(r.Method))
	}
	sendError(c.ResponseWriter, c.status, idOf(c.body), told)
}

// sendError answers with an error of the protocol; id is nil where there was none to be read.
func sendError(w http.ResponseWriter, status int, id json.RawMessage, e *jsonrpc.Error) {
	if id == nil {
		id = json.RawMessage("null")
	}
	line, err := json.Marshal(struct {
		Version string          `json:"jsonrpc"`
		ID      json.RawMessage `json:"id"`
		Error   *jsonrpc.Error  `json:"error"`
	}{"2.0", id, e})
	if err != nil {
		http.Error(w, "internal error", http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = w.Write(line) // a client that has gone needs no answer
}
