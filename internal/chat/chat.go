// Package chat asks a language model what several memories have in common. It is
// engram.Extractor over the chat completions of the OpenAI API, which model servers on
// one's own machine speak as well: LM Studio, llama.cpp, vLLM, Ollama.
//
// Nothing here runs unless a person has named an address or a model. What is sent goes
// to that address and nowhere else: redirects are not followed and no proxy is used.
// Memories are framed as data (prompt.go); what the model says about them is bounded
// and cleaned before anybody sees it (answer.go). Errors repeat neither.
package chat

import (
	"context"
	"errors"
	"net/http"
	"time"

	"github.com/alanbuscaglia/engram"
)

// The defaults of Options.
const (
	DefaultURL     = "http://localhost:1234/v1" // where LM Studio listens
	DefaultTimeout = 2 * time.Minute            // a server that first has to load its model takes one
	DefaultPause   = 500 * time.Millisecond
)

// anyModel is sent where no model is named. Servers that hold one model take any name,
// and most refuse an empty one.
const anyModel = "local-model"

// Options make a Client. The zero value asks whatever model LM Studio has loaded.
type Options struct {
	// BaseURL is what /chat/completions is appended to, such as
	// https://api.example.com/v1; "" is DefaultURL. One without a path gets /v1.
	BaseURL string
	// Model is the model's name at that server; "" sends "local-model", which servers
	// that hold a single model answer to.
	Model string
	// Key is sent as a bearer token; "" sends none.
	Key string
	// Timeout bounds one Extract, further tries included; 0 is DefaultTimeout.
	Timeout time.Duration
	// Pause is what passes before the second try, twice that before the third; 0 is
	// DefaultPause.
	Pause time.Duration
	// Transport carries the requests; nil is one of the Client's own.
	Transport http.RoundTripper
}

// Client is an engram.Extractor that asks one model at one server. It may be used by
// many goroutines.
type Client struct {
	base    string // with neither credentials nor a slash at its end
	model   string
	key     string
	timeout time.Duration
	pause   time.Duration
	http    *http.Client
}

// New returns a Client. It connects to nobody. An address that is none, one that holds
// a password or a query, and a key that would travel unencrypted to another machine are
// errors of CodeInvalid.
func New(o Options) (*Client, error) {
	base, err := address(o.BaseURL, o.Key != "")
	if err != nil {
		return nil, err
	}
	if !isToken(o.Key) {
		return nil, engram.Errorf(engram.CodeInvalid, "the key of the language model has characters that no key has").
			WithHint("look for spaces and line breaks in ENGRAM_LLM_API_KEY")
	}
	c := &Client{base: base, model: o.Model, key: o.Key, timeout: o.Timeout, pause: o.Pause}
	if c.timeout <= 0 {
		c.timeout = DefaultTimeout
	}
	if c.pause <= 0 {
		c.pause = DefaultPause
	}
	if o.Transport == nil {
		// Kept connections would outlive the Client, which has no Close, to save a
		// thousandth of what an answer takes.
		o.Transport = &http.Transport{DisableKeepAlives: true, ForceAttemptHTTP2: true}
	}
	// A redirect would carry memories, and perhaps the key, to an address that nobody named.
	stay := func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	c.http = &http.Client{Transport: o.Transport, CheckRedirect: stay}
	return c, nil
}

// Model implements engram.Extractor.
func (c *Client) Model() string { return c.model }

// Extract implements engram.Extractor. A connection that fails and an answer of 429 or
// 500 and above are tried again, twice.
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
	said, err := c.ask(within, body)
	if err != nil {
		return engram.Pattern{}, false, c.explain(ctx, within, err)
	}
	p, ok, err := parse(said)
	if err != nil {
		return engram.Pattern{}, false, c.unavailable("the language model's answer is not understood", "another model may do better").WithCause(err)
	}
	return p, ok, nil
}

// explain is err as the caller sees it.
func (c *Client) explain(ctx, within context.Context, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if within.Err() != nil {
		return c.unavailable("the language model did not answer within "+c.timeout.String(), "a smaller model answers sooner")
	}
	if _, ok := errors.AsType[*engram.Error](err); ok {
		return err
	}
	return c.unavailable("the language model cannot be reached", "is its server running?").WithCause(err)
}

// unavailable is an error whose hint names the address.
func (c *Client) unavailable(msg, advice string) *engram.Error {
	return engram.Errorf(engram.CodeUnavailable, "%s", msg).WithHint("%s; it was asked at %s (llm_base_url)", advice, c.base)
}
