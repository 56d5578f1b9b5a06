// Package endpoint is the one way in which Engram asks a server of models that a person has configured: an address
// and a key that are checked (New), and a call with deadlines, retries and a bound on the answer (Client.Do).
//
// Data goes only to that address: redirects are not followed and no proxy is used. The key is in no error, and
// neither is what was sent or answered, since servers repeat keys and texts.
package endpoint

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/alanbuscaglia/engram"
)

// Naming has the words by which errors name a server and its settings.
type Naming struct {
	Model   string // "language model"
	Address string // setting with the address
	Name    string // setting with the model's name
	Key     string // environment variable with the key
	Like    string // an address as example
}

// Options configure a Client.
type Options struct {
	Base   string // http or https, without credentials, query and fragment
	Key    string // sent as a bearer token; "" sends none
	Naming Naming
	Pause  time.Duration // precedes the second try, twice that the third; 0 is half a second
	Limit  int64         // bytes of an answer
	// Keep keeps connections open for a minute, for clients that are closed.
	Keep bool
}

// Client asks one server. It is safe for concurrent use.
type Client struct {
	o    Options
	http *http.Client
}

// New returns a Client without connecting. An invalid address, and a key that would be sent unencrypted to another
// machine, are CodeInvalid; the error does not quote them.
func New(o Options) (*Client, error) {
	if err := o.check(); err != nil {
		return nil, err
	}
	o.Base, o.Pause = strings.TrimRight(strings.TrimSpace(o.Base), "/"), cmp.Or(o.Pause, 500*time.Millisecond)
	transport := &http.Transport{DisableKeepAlives: !o.Keep, ForceAttemptHTTP2: true, IdleConnTimeout: time.Minute, MaxResponseHeaderBytes: 64 << 10}
	// A redirect would send memories, and perhaps the key, to an address that was not configured.
	stay := func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	return &Client{o: o, http: &http.Client{Transport: transport, CheckRedirect: stay}}, nil
}

// Close closes kept connections.
func (c *Client) Close() error {
	c.http.CloseIdleConnections()
	return nil
}

// Base is the address, without a slash at the end.
func (c *Client) Base() string { return c.o.Base }

func (o Options) check() error {
	n := o.Naming
	if strings.ContainsFunc(o.Key, func(r rune) bool { return r <= ' ' || r >= 0x7f }) { // it is sent in a header
		return engram.Errorf(engram.CodeInvalid, "the key of the %s contains invalid characters", n.Model).
			WithHint("remove spaces and line breaks from %s", n.Key)
	}
	invalid := func(what string) *engram.Error {
		return engram.Errorf(engram.CodeInvalid, "the address of the %s %s", n.Model, what).WithHint("use an address such as %s", n.Like)
	}
	u, err := url.Parse(strings.TrimSpace(o.Base))
	switch {
	case err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "":
		return invalid("is not an http or https URL")
	case u.User != nil:
		return invalid("contains a user name or a password").WithHint("set the key in %s", n.Key)
	case u.RawQuery != "" || u.ForceQuery || u.Fragment != "":
		return invalid("has a query or a fragment")
	case o.Key != "" && u.Scheme == "http" && !loopback(u.Hostname()):
		return engram.Errorf(engram.CodeInvalid, "the key of the %s would be sent unencrypted to another machine", n.Model).
			WithHint("use an https address, an address of this machine, or no key")
	}
	return nil
}

func loopback(host string) bool {
	if strings.EqualFold(host, "localhost") {
		return true
	}
	ip := net.ParseIP(host)
	return ip != nil && ip.IsLoopback()
}

// A Call is one question to the server.
type Call struct {
	Path   string        // after the base
	Body   []byte        // JSON; nil asks by GET
	Tries  int           // at most; 0 is 3
	Within time.Duration // of one try; 0 is without a limit. A try that took that long is the last
}

// The advice where a server could not be reached or answered wrongly.
const (
	adviceRunning = "check that its server is running"
	adviceLog     = "see its log"
)

// maxPause bounds how long a server may ask to be left alone.
const maxPause = 30 * time.Second

// A Status is the cause of an error: the server's refusal.
type Status struct {
	Code int    // of HTTP
	Body []byte // its beginning; never for a person, since it may repeat what was sent
}

// Error names the status.
func (s *Status) Error() string {
	return strings.TrimSpace(fmt.Sprint(s.Code, " ", http.StatusText(s.Code)))
}

// RefusalOf returns the refusal in err's chain; nil for none.
func RefusalOf(err error) *Status {
	s, _ := errors.AsType[*Status](err)
	return s
}

// late is the cause of an error about a server that did not answer in time.
type late struct{}

func (late) Error() string { return "too late" }

// IsLate reports whether a server did not answer within the time of a call.
func IsLate(err error) bool {
	_, is := errors.AsType[late](err)
	return is
}

// Do returns the server's answer. It retries a failed connection and answers of 429 or 500 and above, where they may
// help. Errors are ctx's own when that has ended, else CodeUnavailable, with a Status as cause of a refusal.
func (c *Client) Do(ctx context.Context, call Call) ([]byte, error) {
	pause := c.o.Pause
	for try := 1; ; try++ {
		answer, wait, err := c.once(ctx, call)
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if err == nil || wait < 0 || try >= cmp.Or(call.Tries, 3) {
			return answer, err
		}
		again := time.NewTimer(max(wait, pause))
		select {
		case <-again.C:
		case <-ctx.Done():
			again.Stop()
			return nil, ctx.Err()
		}
		pause *= 2
	}
}

// never is the wait before a try that would not help.
const never = -1

// once sends the call once. wait is never, or the least wait before a retry.
func (c *Client) once(ctx context.Context, call Call) (answer []byte, wait time.Duration, err error) {
	within := ctx
	if call.Within > 0 {
		var cancel context.CancelFunc
		within, cancel = context.WithTimeout(ctx, call.Within)
		defer cancel()
	}
	failed := func(err error) ([]byte, time.Duration, error) {
		if within.Err() != nil {
			return nil, never, c.Unavailable("did not answer within "+call.Within.Round(time.Millisecond).String(), adviceRunning).WithCause(late{})
		}
		return nil, 0, c.Unavailable("cannot be reached", adviceRunning).WithCause(err)
	}
	req, err := c.request(within, call)
	if err != nil {
		return nil, never, err
	}
	res, err := c.http.Do(req)
	if err != nil {
		return failed(err)
	}
	defer func() { _ = res.Body.Close() }()
	if code := res.StatusCode; code != http.StatusOK {
		body, _ := io.ReadAll(io.LimitReader(res.Body, 4<<10)) // the status says enough
		if wait = never; code == http.StatusTooManyRequests || code >= 500 {
			wait = retryAfter(res.Header)
		}
		return nil, wait, c.refused(&Status{code, body})
	}
	// Not a decoder: it would not distinguish a body that is too long from a broken one.
	answer, err = io.ReadAll(io.LimitReader(res.Body, c.o.Limit+1))
	if err != nil {
		return failed(err)
	}
	if int64(len(answer)) > c.o.Limit {
		return nil, never, c.Unavailable(fmt.Sprintf("gave an answer longer than %d MiB", c.o.Limit>>20), "try another model")
	}
	return answer, never, nil
}

func (c *Client) request(ctx context.Context, call Call) (*http.Request, error) {
	method, body := http.MethodPost, io.Reader(bytes.NewReader(call.Body))
	if call.Body == nil {
		method, body = http.MethodGet, nil
	}
	req, err := http.NewRequestWithContext(ctx, method, c.o.Base+call.Path, body)
	if err != nil {
		return nil, err
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Accept", "application/json")
	if c.o.Key != "" {
		req.Header.Set("Authorization", "Bearer "+c.o.Key)
	}
	return req, nil
}

// retryAfter is the wait that a server asks for; 0 for none.
func retryAfter(h http.Header) time.Duration {
	seconds, err := strconv.Atoi(h.Get("Retry-After"))
	if err != nil || seconds < 0 {
		return 0
	}
	return min(time.Duration(min(seconds, 3600))*time.Second, maxPause)
}

// refused explains a status other than 200.
func (c *Client) refused(s *Status) error {
	advice, n := adviceLog, c.o.Naming
	switch {
	case s.Code >= 300 && s.Code < 400:
		advice = "the server redirects, but memories are sent only to the configured address"
	case s.Code == http.StatusUnauthorized, s.Code == http.StatusForbidden:
		advice = "check its key (" + n.Key + ")"
	case s.Code == http.StatusNotFound:
		advice = "check the model's name (" + n.Name + ") and the address"
	case s.Code == http.StatusTooManyRequests:
		advice = "try later"
	}
	return c.Unavailable("answers with an error", advice).WithCause(s)
}

// Unavailable is an error about the model, whose hint names the address.
func (c *Client) Unavailable(what, advice string) *engram.Error {
	return engram.Errorf(engram.CodeUnavailable, "the %s %s", c.o.Naming.Model, what).
		WithHint("%s; it was asked at %s (%s)", advice, c.o.Base, c.o.Naming.Address)
}
