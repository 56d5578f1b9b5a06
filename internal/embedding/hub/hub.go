// Package hub reads published models from a model hub over HTTP: which files a revision has (snapshot.go), and the
// files themselves, resumed where a download was cut (download.go). It writes nothing: bytes go to a Part.
//
// Nothing here runs unless a person asked for a download. Requests go to one address over HTTPS, through the proxy of
// the environment; redirects are followed to HTTPS alone, and the token is sent to that address alone. An address of
// this machine may be HTTP, and may redirect to others of this machine.
package hub

import (
	"cmp"
	"context"
	"errors"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/alanbuscaglia/engram"
)

// The defaults of Options.
const (
	DefaultEndpoint = "https://huggingface.co"
	DefaultStall    = 30 * time.Second
	DefaultPause    = time.Second
)

const (
	tries        = 5
	maxRedirects = 10
	maxWait      = 5 * time.Minute // longer ones are left to the person
	enough       = 1 << 20         // bytes after which a download that is cut has all its tries again
)

// Options configure a Client. The zero value asks the public hub.
type Options struct {
	Endpoint string        // the hub or a mirror of it, perhaps with a path; "" is DefaultEndpoint
	Token    string        // sent as a bearer token; "" sends none
	Stall    time.Duration // time without a byte after which a request has failed; 0 is DefaultStall
	Pause    time.Duration // precedes the second try and doubles from try to try; 0 is DefaultPause
	// Transport carries requests; nil is one over the network, by way of the environment's proxy.
	Transport http.RoundTripper
}

// Client reads from one hub. It is for one goroutine at a time.
type Client struct {
	base         *url.URL // without a trailing slash
	stall, pause time.Duration
	http         *http.Client
	reached      bool // the hub has answered before
}

// New returns a Client without connecting. CodeInvalid for an address that is neither HTTPS nor of this machine, or has
// a user, a query or a fragment, and for a token that no header can hold.
func New(o Options) (*Client, error) {
	base, err := url.Parse(strings.TrimRight(cmp.Or(strings.TrimSpace(o.Endpoint), DefaultEndpoint), "/"))
	if err != nil || base.Hostname() == "" || base.User != nil || base.RawQuery != "" || base.Fragment != "" || !safe(base, base) {
		return nil, engram.Errorf(engram.CodeInvalid, "the address of the model hub is not an https URL").
			WithHint("set HF_ENDPOINT to one like %s", DefaultEndpoint)
	}
	if strings.ContainsFunc(o.Token, func(r rune) bool { return r <= ' ' || r >= 0x7f }) {
		return nil, engram.Errorf(engram.CodeInvalid, "the token of the model hub contains invalid characters").
			WithHint("remove spaces and line breaks from HF_TOKEN")
	}
	c := &Client{base: base, stall: cmp.Or(o.Stall, DefaultStall), pause: cmp.Or(o.Pause, DefaultPause)}
	if o.Transport == nil {
		o.Transport = &http.Transport{
			Proxy: http.ProxyFromEnvironment, DisableKeepAlives: true, DisableCompression: true, ForceAttemptHTTP2: true,
			TLSHandshakeTimeout: c.stall, ResponseHeaderTimeout: c.stall,
		}
	}
	c.http = &http.Client{Transport: authorized{o.Transport, base, o.Token}, CheckRedirect: c.follow}
	return c, nil
}

// Host names the hub to a person.
func (c *Client) Host() string { return c.base.Host }

// Page returns the address of a model's page.
func (c *Client) Page(repository string) string { return c.base.String() + "/" + repository }

// safe reports whether an address may be asked by a client of the hub at base.
func safe(u, base *url.URL) bool {
	if loopback(u.Hostname()) {
		return loopback(base.Hostname()) && (u.Scheme == "http" || u.Scheme == "https")
	}
	return u.Scheme == "https"
}

func loopback(host string) bool {
	if strings.EqualFold(host, "localhost") {
		return true
	}
	ip := net.ParseIP(host)
	return ip != nil && ip.IsLoopback()
}

// authorized adds the token to requests to the hub itself. A header of the request would follow redirects.
type authorized struct {
	http.RoundTripper
	base  *url.URL
	token string
}

// RoundTrip implements http.RoundTripper.
func (a authorized) RoundTrip(r *http.Request) (*http.Response, error) {
	if a.token != "" && r.URL.Scheme == a.base.Scheme && strings.EqualFold(r.URL.Host, a.base.Host) {
		r = r.Clone(r.Context())
		r.Header.Set("Authorization", "Bearer "+a.token)
	}
	return a.RoundTripper.RoundTrip(r)
}

// follow allows a redirect or refuses it.
func (c *Client) follow(r *http.Request, via []*http.Request) error {
	r.Header.Del("Referer") // the address before may hold a signature
	switch {
	case len(via) >= maxRedirects:
		return engram.Errorf(engram.CodeUnavailable, "the model hub redirects more than %d times", maxRedirects)
	case !safe(r.URL, c.base):
		return engram.Errorf(engram.CodeForbidden, "the model hub redirects to %.100q, which is not an https address", r.URL.Scheme+"://"+r.URL.Host)
	}
	return nil
}

// again is an error after which another try may succeed.
type again struct {
	error
	after time.Duration // that the hub asks to wait; 0 if it does not
}

func (a again) Unwrap() error { return a.error }

// persist calls once until it succeeds, fails for good, or has failed five times in a row; gained returns the bytes that
// have come so far, for one that continues where it was cut.
func (c *Client) persist(ctx context.Context, gained func() int64, once func() error) error {
	pause := c.pause
	for try, before := 1, gained(); ; try++ {
		err := once()
		var a again
		switch {
		case err == nil:
			return nil
		case ctx.Err() != nil:
			return ctx.Err()
		case !errors.As(err, &a):
			return err
		}
		if gained()-before >= enough {
			try, before, pause = 1, gained(), c.pause
		}
		wait := max(a.after, pause/2+rand.N(pause))
		if try == tries || wait > maxWait {
			return a.error
		}
		timer := time.NewTimer(wait)
		select {
		case <-timer.C:
		case <-ctx.Done():
			timer.Stop()
			return ctx.Err()
		}
		pause *= 2
	}
}

// errStalled ends a request that brings nothing.
var errStalled = errors.New("the connection brings nothing")

// A watched body ends its request when nothing has come for some time.
type watched struct {
	io.ReadCloser
	dog    *time.Timer
	stall  time.Duration
	within context.Context // of the request
	cancel context.CancelCauseFunc
}

// Read implements io.Reader.
func (w watched) Read(b []byte) (int, error) {
	n, err := w.ReadCloser.Read(b)
	if n > 0 {
		w.dog.Reset(w.stall)
	}
	if err != nil && errors.Is(context.Cause(w.within), errStalled) {
		err = errStalled
	}
	return n, err
}

// Close implements io.Closer.
func (w watched) Close() error {
	w.dog.Stop()
	err := w.ReadCloser.Close()
	w.cancel(nil)
	return err
}

// get sends a request and returns an answer of one of the codes that are good, whose body the caller closes. what names
// what is asked for in errors.
func (c *Client) get(ctx context.Context, what, address string, header http.Header, good ...int) (*http.Response, error) {
	within, cancel := context.WithCancelCause(ctx)
	dog := time.AfterFunc(c.stall, func() { cancel(errStalled) })
	r, err := http.NewRequestWithContext(within, http.MethodGet, address, nil)
	if err != nil {
		cancel(nil)
		return nil, engram.Errorf(engram.CodeInvalid, "%s has no address at the model hub", what).WithCause(err)
	}
	r.Header = header
	r.Header.Set("User-Agent", "engram")
	answer, err := c.http.Do(r)
	if err != nil {
		dog.Stop()
		if errors.Is(context.Cause(within), errStalled) {
			err = errStalled
		}
		cancel(nil)
		return nil, c.failed(err)
	}
	c.reached = true
	answer.Body = watched{answer.Body, dog, c.stall, within, cancel}
	if slices.Contains(good, answer.StatusCode) {
		return answer, nil
	}
	defer answer.Body.Close()
	return nil, c.refused(what, answer)
}

// failed words an error of a request.
func (c *Client) failed(err error) error {
	if wrapped, ok := errors.AsType[*url.Error](err); ok {
		err = wrapped.Err // without the address, which may hold a signature
	}
	if refused, ok := errors.AsType[*engram.Error](err); ok {
		return refused
	}
	if !c.reached {
		return c.unreachable(err) // without a network, waiting does not help
	}
	return again{c.unreachable(err), 0}
}

func (c *Client) unreachable(err error) error {
	return engram.Errorf(engram.CodeUnavailable, "cannot reach the model hub %s", c.Host()).
		WithHint("set HF_ENDPOINT to a mirror, or copy the model's folder here and run {model add FOLDER}").WithCause(err)
}

// refused words an answer that is not what was asked for.
func (c *Client) refused(what string, answer *http.Response) error {
	code := answer.Header.Get("X-Error-Code")
	switch status := answer.StatusCode; {
	case status == http.StatusNotFound, code == "RepoNotFound", code == "RevisionNotFound":
		return engram.Errorf(engram.CodeNotFound, "the model hub has no %s", what).
			WithHint("check the name on %s; a private model needs HF_TOKEN", c.base)
	case status == http.StatusUnauthorized, status == http.StatusForbidden:
		return engram.Errorf(engram.CodeForbidden, "the model hub refuses %s (%d): it does not exist, is private, or its licence has to be accepted first", what, status).
			WithHint("accept the licence on the model's page on %s, and set HF_TOKEN to a token of yours", c.base)
	case status == http.StatusTooManyRequests:
		return again{engram.Errorf(engram.CodeUnavailable, "the model hub wants fewer requests (429)").
			WithHint("try again later; a download continues where it ended. HF_TOKEN allows more"), wait(answer.Header)}
	case status == http.StatusRequestTimeout, status >= http.StatusInternalServerError:
		return again{engram.Errorf(engram.CodeUnavailable, "the model hub fails (%d)", status).
			WithHint("try again later; a download continues where it ended"), wait(answer.Header)}
	}
	return engram.Errorf(engram.CodeUnavailable, "the model hub answers %s with %d", what, answer.StatusCode)
}

// wait returns how long an answer asks to wait: seconds, or a time, measured by the answer's own clock. 0 if it does not.
//
// Source: RFC 9110, section 10.2.3.
func wait(h http.Header) time.Duration {
	value := strings.TrimSpace(h.Get("Retry-After"))
	if seconds, err := strconv.ParseUint(value, 10, 31); err == nil {
		return time.Duration(seconds) * time.Second
	}
	until, err1 := http.ParseTime(value)
	now, err2 := http.ParseTime(h.Get("Date"))
	if err1 != nil || err2 != nil {
		return 0
	}
	return max(0, until.Sub(now))
}
