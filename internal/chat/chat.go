// Package chat asks a language model what several memories have in common. It implements engram.Extractor over
// the chat completions of the OpenAI API, which local model servers provide too: LM Studio, llama.cpp, vLLM,
// Ollama.
//
// Nothing here runs unless a person has configured an address or a model, and data goes only there (package
// endpoint). Memories are framed as data (prompt.go); the model's answer is bounded and cleaned. Errors quote neither.
package chat

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"net/url"
	"strings"
	"time"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/endpoint"
)

// The defaults of Options.
const (
	DefaultURL     = "http://localhost:1234/v1" // where LM Studio listens
	DefaultTimeout = 2 * time.Minute            // a server may need one to load its model
)

// anyModel is sent without a configured model: servers with one model accept any name, and most reject an empty
// one.
const anyModel = "local-model"

// Options configure a Client. The zero value asks whatever model LM Studio has loaded.
type Options struct {
	// BaseURL is the prefix of /chat/completions, such as https://api.example.com/v1; "" is DefaultURL. One
	// without a path gets /v1.
	BaseURL string
	// Model is the model's name at that server; "" sends "local-model", which servers with a single model
	// accept.
	Model   string
	Key     string        // sent as a bearer token; "" sends none
	Timeout time.Duration // bounds one Extract, retries included; 0 is DefaultTimeout
	Pause   time.Duration // precedes the second try, twice that the third; 0 is half a second
}

// Client is an engram.Extractor for one model at one server. It is safe for concurrent use.
type Client struct {
	server  *endpoint.Client
	model   string
	timeout time.Duration
}

// New returns a Client without connecting. An invalid address, one with a password or a query, and a key that
// would be sent unencrypted to another machine are CodeInvalid.
func New(o Options) (*Client, error) {
	// Kept connections would outlive the Client, which has no Close, to save a thousandth of an answer's time.
	server, err := endpoint.New(endpoint.Options{Base: address(o.BaseURL), Key: o.Key, Pause: o.Pause, Limit: maxBody,
		Naming: endpoint.Naming{Model: "language model", Address: "llm_base_url", Name: "llm_model", Key: "ENGRAM_LLM_API_KEY", Like: DefaultURL}})
	if err != nil {
		return nil, err
	}
	return &Client{server: server, model: o.Model, timeout: cmp.Or(o.Timeout, DefaultTimeout)}, nil
}

// Model implements engram.Extractor.
func (c *Client) Model() string { return c.model }

// Extract implements engram.Extractor.
func (c *Client) Extract(ctx context.Context, ms []engram.Memory) (engram.Pattern, bool, error) {
	if len(ms) < 2 {
		return engram.Pattern{}, false, nil
	}
	body, err := question(c.model, ms)
	if err != nil {
		return engram.Pattern{}, false, err
	}
	within, cancel := context.WithTimeout(ctx, c.timeout)
	defer cancel()
	answer, err := c.server.Do(within, endpoint.Call{Path: completions, Body: body})
	switch {
	case ctx.Err() != nil:
		return engram.Pattern{}, false, ctx.Err()
	case within.Err() != nil:
		return engram.Pattern{}, false, c.server.Unavailable("did not answer within "+c.timeout.String(), "try a smaller model")
	case err != nil:
		return engram.Pattern{}, false, err
	}
	said, err := spoken(answer)
	if err != nil {
		return engram.Pattern{}, false, c.server.Unavailable("does not answer as one", "use an address that ends in /v1").WithCause(err)
	}
	p, ok, err := parse(said)
	if err != nil {
		return engram.Pattern{}, false, c.server.Unavailable("gave an answer that cannot be read", "try another model").WithCause(err)
	}
	return p, ok, nil
}

// completions is the path of the only call, after the base.
const completions = "/chat/completions"

// maxBody is the most bytes of an answer, several hundred times the expected size.
const maxBody = 1 << 20

// address returns the base of a configured address. One that is invalid stays as it is, to be refused.
func address(base string) string {
	base = cmp.Or(strings.TrimSpace(base), DefaultURL)
	u, err := url.Parse(base)
	if err != nil {
		return base
	}
	// Documentation often shows the whole URL of the call.
	u.Path = strings.TrimSuffix(strings.TrimRight(u.Path, "/"), completions)
	u.Path, u.RawPath = cmp.Or(u.Path, "/v1"), ""
	return u.String()
}

// spoken returns the text of the first choice of a chat completion. Content is a string or, from some servers,
// a list of parts.
func spoken(body []byte) (string, error) {
	var r struct {
		Choices []struct {
			Message struct {
				Content json.RawMessage `json:"content"`
			} `json:"message"`
		} `json:"choices"`
	}
	if err := json.Unmarshal(body, &r); err != nil {
		return "", errors.New("not a chat completion")
	}
	if len(r.Choices) == 0 {
		return "", errors.New("the chat completion has no choice")
	}
	content := r.Choices[0].Message.Content
	var text string
	if json.Unmarshal(content, &text) == nil {
		return text, nil
	}
	var parts []struct {
		Text string `json:"text"`
	}
	if json.Unmarshal(content, &parts) != nil {
		return "", errors.New("the content of the chat completion is not text")
	}
	for _, p := range parts {
		text += p.Text
	}
	return text, nil
}
