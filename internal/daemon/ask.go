package daemon

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strconv"

	"github.com/alanbuscaglia/engram"
)

// The verbs that a server answers to the commands of its own program.
const (
	OperationStatus = "status"
	OperationStop   = "stop"
	OperationSearch = "search"
)

// keyHeader carries the record's key: who can read the record may ask.
const keyHeader = "Engram-Key"

// pathPrefix is where the verbs are.
const pathPrefix = "/daemon/"

// maxAnswer bounds what is read of an answer, in bytes: a hundred memories of the
// greatest length, many times escaped.
const maxAnswer = 256 << 20

// ErrNoAnswer says that nobody answered who knows the key, and nothing was done.
var ErrNoAnswer = errors.New("the server does not answer")

// Ask is Ask of the holder of a lock; who cannot be asked from here gives no answer, and
// is sent nothing.
func (h Holder) Ask(ctx context.Context, token, verb string, in, out any) error {
	if !h.Here() {
		return ErrNoAnswer
	}
	return Ask(ctx, h.Record, token, verb, in, out)
}

// Ask asks the server of a record to do a verb and reads its answer into out. Nothing but
// the loopback address is ever called. It waits until ctx is done; ErrNoAnswer says that
// there was nobody to ask, and *engram.Error is what the server refused with.
func Ask(ctx context.Context, r Record, token, verb string, in, out any) error {
	if !loopback(r.Address) {
		return ErrNoAnswer
	}
	body, err := json.Marshal(in)
	if err != nil {
		return fmt.Errorf("ask the server: %w", err)
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, "http://"+r.Address+pathPrefix+verb, bytes.NewReader(body))
	if err != nil {
		return fmt.Errorf("ask the server: %w", err)
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set(keyHeader, r.Key)
	if token != "" {
		req.Header.Set("Authorization", "Bearer "+token)
	}
	return send(req, out)
}

// send sends one request over a connection of its own, never by way of a proxy, and
// follows nobody elsewhere.
func send(req *http.Request, out any) error {
	t := &http.Transport{DisableKeepAlives: true, DisableCompression: true}
	defer t.CloseIdleConnections()
	res, err := t.RoundTrip(req)
	if err != nil {
		return fmt.Errorf("%w: %w", ErrNoAnswer, err)
	}
	defer res.Body.Close()
	answer, err := io.ReadAll(io.LimitReader(res.Body, maxAnswer))
	if err != nil {
		return fmt.Errorf("%w: %w", ErrNoAnswer, err)
	}
	if res.StatusCode != http.StatusOK {
		return refused(answer)
	}
	if err := json.Unmarshal(answer, out); err != nil {
		return fmt.Errorf("%w: %w", ErrNoAnswer, err) // nobody of ours
	}
	return nil
}

// refusal is an answer that is an error.
type refusal struct {
	Error struct {
		Code    engram.Code `json:"code"`
		Message string      `json:"message"`
		Hint    string      `json:"hint"`
	} `json:"error"`
}

func refused(answer []byte) error {
	var r refusal
	if err := json.Unmarshal(answer, &r); err != nil || r.Error.Code == "" {
		return ErrNoAnswer
	}
	return engram.Errorf(r.Error.Code, "%s", r.Error.Message).WithHint("%s", r.Error.Hint)
}

// loopback reports whether address is a port of this machine that no other can answer at.
func loopback(address string) bool {
	host, port, err := net.SplitHostPort(address)
	if err != nil {
		return false
	}
	ip := net.ParseIP(host)
	n, err := strconv.ParseUint(port, 10, 16)
	return err == nil && n > 0 && ip != nil && ip.IsLoopback()
}

// Neighbour says who answers at an address: the name and version of another Engram, or ""
// when it is something else. It is asked what everybody may ask.
func Neighbour(ctx context.Context, address string) (version string, isEngram bool) {
	if !loopback(address) {
		return "", false
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+address+"/health", nil)
	if err != nil {
		return "", false
	}
	var health struct{ Service, Version string }
	if err := send(req, &health); err != nil || health.Service != "engram" {
		return "", false
	}
	return health.Version, true
}

// AskAt is the address at which a server can be asked that listens on l: the loopback
// address also where it listens on every one; "" where it listens on none of the loopback.
func AskAt(l net.Addr) string {
	host, port, err := net.SplitHostPort(l.String())
	if err != nil {
		return ""
	}
	ip := net.ParseIP(host)
	switch {
	case ip == nil:
		return ""
	case ip.IsUnspecified() && ip.To4() != nil:
		host = "127.0.0.1"
	case ip.IsUnspecified():
		host = "::1"
	case !ip.IsLoopback():
		return ""
	}
	return net.JoinHostPort(host, port)
}
