// Package chat asks a language model what several memories have in common. It implements engram.Extractor over
// the chat completions of the OpenAI API, which local model servers provide too: LM Studio, llama.cpp, vLLM,
// Ollama.
//
// Nothing here runs unless a person has configured an address or a model. Data goes only to that address:
// redirects are not followed and no proxy is used. Memories are framed as data (prompt.go); the model's answer
// is bounded and cleaned. Errors quote neither.
package chat

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/alanbuscaglia/engram"
)

// The defaults of Options.
const (
	DefaultURL     = "http://localhost:1234/v1" // where LM Studio listens
	DefaultTimeout = 2 * time.Minute            // a server may need one to load its model
	DefaultPause   = 500 * time.Millisecond
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
	Pause   time.Duration // precedes the second try, twice that the third; 0 is DefaultPause
}

// Client is an engram.Extractor for one model at one server. It is safe for concurrent use.
type Client struct {
	base    string // without credentials and trailing slash
	model   string
	key     string
	timeout time.Duration
	pause   time.Duration
	http    *http.Client
}

// New returns a Client without connecting. An invalid address, one with a password or a query, and a key that
// would be sent unencrypted to another machine are CodeInvalid.
func New(o Options) (*Client, error) {
	base, err := address(o.BaseURL, o.Key != "")
	if err != nil {
		return nil, err
	}
	if strings.ContainsFunc(o.Key, func(r rune) bool { return r <= ' ' || r >= 0x7f }) { // it is sent in a header
		return nil, engram.Errorf(engram.CodeInvalid, "the key of the language model contains invalid characters").
			WithHint("remove spaces and line breaks from ENGRAM_LLM_API_KEY")
	}
	c := &Client{base: base, model: o.Model, key: o.Key, timeout: cmp.Or(o.Timeout, DefaultTimeout), pause: cmp.Or(o.Pause, DefaultPause)}
	// Kept connections would outlive the Client, which has no Close, to save a thousandth of an answer's time.
	transport := &http.Transport{DisableKeepAlives: true, ForceAttemptHTTP2: true}
	// A redirect would send memories, and perhaps the key, to an address that was not configured.
	stay := func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	c.http = &http.Client{Transport: transport, CheckRedirect: stay}
	return c, nil
}

// Model implements engram.Extractor.
func (c *Client) Model() string { return c.model }

// Extract implements engram.Extractor. It retries a failed connection and answers of 429 or 500 and above
// twice.
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
		return engram.Pattern{}, false, c.unavailable("cannot read the language model's answer", "try another model").WithCause(err)
	}
	return p, ok, nil
}

// explain words err for the caller.
func (c *Client) explain(ctx, within context.Context, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if within.Err() != nil {
		return c.unavailable("the language model did not answer within "+c.timeout.String(), "try a smaller model")
	}
	if _, ok := errors.AsType[*engram.Error](err); ok {
		return err
	}
	return c.unavailable("the language model cannot be reached", "check that its server is running").WithCause(err)
}

// unavailable is an error whose hint names the address.
func (c *Client) unavailable(msg, advice string) *engram.Error {
	return engram.Errorf(engram.CodeUnavailable, "%s", msg).WithHint("%s; it was asked at %s (llm_base_url)", advice, c.base)
}

// completions is the path of the only call, after the base.
const completions = "/chat/completions"

// address validates the base URL of the model's server and returns it without a trailing slash. Errors do not
// quote it, because it may contain a password.
func address(base string, withKey bool) (string, error) {
	if base = strings.TrimSpace(base); base == "" {
		base = DefaultURL
	}
	u, err := url.Parse(base)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "" {
		return "", invalid("the address of the language model is not an http or https URL")
	}
	if u.User != nil {
		return "", invalid("the address of the language model contains a user name or a password").
			WithHint("set the key in ENGRAM_LLM_API_KEY")
	}
	if u.RawQuery != "" || u.ForceQuery || u.Fragment != "" {
		return "", invalid("the address of the language model has a query or a fragment")
	}
	if withKey && u.Scheme == "http" && !loopback(u.Hostname()) {
		return "", engram.Errorf(engram.CodeInvalid, "the key of the language model would be sent unencrypted to another machine").
			WithHint("use an https address, an address of this machine, or no key")
	}
	// Documentation often shows the whole URL of the call.
	u.Path = strings.TrimSuffix(strings.TrimRight(u.Path, "/"), completions)
	if u.Path == "" {
		u.Path = "/v1"
	}
	u.RawPath = ""
	return u.String(), nil
}

func invalid(msg string) *engram.Error {
	return engram.Errorf(engram.CodeInvalid, "%s", msg).WithHint("use an address such as %s", DefaultURL)
}

func loopback(host string) bool {
	if strings.EqualFold(host, "localhost") {
		return true
	}
	ip := net.ParseIP(host)
	return ip != nil && ip.IsLoopback()
}

const (
	tries   = 3
	maxBody = 1 << 20 // bytes of an answer, several hundred times the expected size
)

// ask sends body and returns the model's answer, with retries where they may help.
func (c *Client) ask(ctx context.Context, body []byte) (string, error) {
	pause := c.pause
	for try := 1; ; try++ {
		said, again, err := c.once(ctx, body)
		if err == nil || !again || try == tries {
			return said, err
		}
		wait := time.NewTimer(pause)
		select {
		case <-wait.C:
		case <-ctx.Done():
			wait.Stop()
			return "", err
		}
		pause *= 2
	}
}

// once sends body once and returns the model's answer. again says that a retry may succeed.
func (c *Client) once(ctx context.Context, body []byte) (said string, again bool, err error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, c.base+completions, bytes.NewReader(body))
	if err != nil {
		return "", false, err
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "application/json")
	if c.key != "" {
		req.Header.Set("Authorization", "Bearer "+c.key)
	}
	res, err := c.http.Do(req)
	if err != nil {
		return "", true, err
	}
	defer func() { _ = res.Body.Close() }()
	if code := res.StatusCode; code != http.StatusOK {
		return "", code == http.StatusTooManyRequests || code >= 500, c.refused(code)
	}
	// Not a decoder: it would not distinguish a body that is too long from a broken one.
	text, err := io.ReadAll(io.LimitReader(res.Body, maxBody+1))
	if err != nil {
		return "", true, err
	}
	if len(text) > maxBody {
		return "", false, c.unavailable("the language model's answer is longer than 1 MiB", "try another model")
	}
	if said, err = spoken(text); err != nil {
		return "", false, c.unavailable("the server is not a language model", "use an address that ends in /v1").WithCause(err)
	}
	return said, false, nil
}

// refused explains a status other than 200. It does not quote the body: servers repeat keys and memories in it.
func (c *Client) refused(status int) error {
	advice := "see its log"
	switch {
	case status >= 300 && status < 400:
		advice = "the server redirects, but memories are sent only to the configured address"
	case status == http.StatusUnauthorized, status == http.StatusForbidden:
		advice = "check its key (ENGRAM_LLM_API_KEY)"
	case status == http.StatusNotFound:
		advice = "check the model's name (llm_model), and that the address ends in /v1"
	case status == http.StatusTooManyRequests:
		advice = "try later"
	}
	return c.unavailable(fmt.Sprintf("the language model's server answers with %d %s", status, http.StatusText(status)), advice)
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
