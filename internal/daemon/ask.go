package daemon

import (
	"bufio"
	"bytes"
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/alanbuscaglia/engram"
)

// Operations that a server performs for commands of its own program.
const (
	OperationStatus  = "status"
	OperationStop    = "stop"
	OperationSearch  = "search"
	OperationProject = "project"
)

// keyHeader carries the record's key: clients that can read the record may ask.
const keyHeader = "Engram-Key"

// pathPrefix is the path of the operations.
const pathPrefix = "/daemon/"

// maxAnswer limits the bytes read of an answer: a hundred memories of maximum length, escaped
// several times.
const maxAnswer = 256 << 20

// ErrNoAnswer means that no server with the key answered, and nothing was done.
var ErrNoAnswer = errors.New("the server does not answer")

// Ask asks the holder of a lock. A holder that cannot be reached from here gets no request.
func (h Holder) Ask(ctx context.Context, token, verb string, in, out any) error {
	if !h.Here() {
		return ErrNoAnswer
	}
	return Ask(ctx, h.Record, token, verb, in, out)
}

// Ask asks the server of a record to perform an operation and decodes its answer into out. It only
// connects to the loopback address, and waits until ctx ends. ErrNoAnswer if there is no server;
// *engram.Error if the server refused.
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

// send sends a request over a new connection, without proxies or redirects. It needs no http.Transport, whose goroutines
// and tables cost a command as much as the rest of its question.
func send(req *http.Request, out any) error {
	ctx := req.Context()
	c, err := new(net.Dialer).DialContext(ctx, "tcp", req.URL.Host)
	if err != nil {
		return fmt.Errorf("%w: %w", ErrNoAnswer, err)
	}
	defer c.Close()
	defer context.AfterFunc(ctx, func() { _ = c.SetDeadline(time.Unix(1, 0)) })() // what blocks returns at once
	req.Close = true
	if err := req.Write(c); err != nil {
		return fmt.Errorf("%w: %w", ErrNoAnswer, err)
	}
	res, err := http.ReadResponse(bufio.NewReader(io.LimitReader(c, maxAnswer)), req)
	if err != nil {
		return fmt.Errorf("%w: %w", ErrNoAnswer, err)
	}
	defer res.Body.Close()
	answer, err := io.ReadAll(res.Body)
	if err != nil {
		return fmt.Errorf("%w: %w", ErrNoAnswer, err)
	}
	if res.StatusCode != http.StatusOK {
		var r refusal
		if err := json.Unmarshal(answer, &r); err != nil || r.Error.Code == "" {
			return ErrNoAnswer
		}
		return r.err()
	}
	if err := json.Unmarshal(answer, out); err != nil {
		return fmt.Errorf("%w: %w", ErrNoAnswer, err) // not an Engram server
	}
	return nil
}

// refusal is an error answer.
type refusal struct {
	Error struct {
		Code    engram.Code `json:"code"`
		Message string      `json:"message"`
		Hint    string      `json:"hint"`
	} `json:"error"`
}

func (r refusal) err() error {
	return engram.Errorf(r.Error.Code, "%s", r.Error.Message).WithHint("%s", r.Error.Hint)
}

// loopback reports whether address is a port that only this machine can answer.
func loopback(address string) bool {
	host, port, err := net.SplitHostPort(address)
	if err != nil {
		return false
	}
	ip := net.ParseIP(host)
	n, err := strconv.ParseUint(port, 10, 16)
	return err == nil && n > 0 && ip != nil && ip.IsLoopback()
}

// Neighbour returns the version of another Engram at an address, if one answers there, through its
// public route.
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

// AskAt returns the address at which a server that listens on l can be asked: the loopback address
// if it listens on all interfaces, "" if it does not listen on loopback.
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

// Operation answers one request; input and result are JSON.
type Operation func(ctx context.Context, in []byte) (any, error)

// Handler serves the operations to clients with the key of its record. Mount it at /daemon/{verb}
// behind the guards of the other routes, which must limit the size of requests: Handler reads them
// whole.
func Handler(key string, operations map[string]Operation) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		// Digests are compared, in constant time, since keys differ in length.
		given, want := sha256.Sum256([]byte(r.Header.Get(keyHeader))), sha256.Sum256([]byte(key))
		if key == "" || subtle.ConstantTimeCompare(given[:], want[:]) != 1 {
			fail(w, http.StatusForbidden, engram.Errorf(engram.CodeForbidden, "this is for the program's own commands").
				WithHint("use the other routes; GET / names them"))
			return
		}
		operation, known := operations[strings.TrimPrefix(r.URL.Path, pathPrefix)]
		if !known || r.Method != http.MethodPost {
			fail(w, http.StatusNotFound, engram.Errorf(engram.CodeNotFound, "the server has no such operation"))
			return
		}
		var in json.RawMessage
		if err := json.NewDecoder(r.Body).Decode(&in); err != nil {
			fail(w, http.StatusBadRequest, engram.Errorf(engram.CodeInvalid, "the body is not JSON"))
			return
		}
		out, err := operation(r.Context(), in)
		if err != nil {
			fail(w, http.StatusConflict, err)
			return
		}
		write(w, http.StatusOK, out)
	})
}

func fail(w http.ResponseWriter, status int, err error) {
	var r refusal
	r.Error.Code, r.Error.Message, r.Error.Hint = engram.CodeOf(err), err.Error(), engram.HintOf(err)
	write(w, status, r)
}

func write(w http.ResponseWriter, status int, doc any) {
	answer, err := json.Marshal(doc)
	if err != nil {
		fail(w, http.StatusInternalServerError, engram.Errorf(engram.CodeInternal, "the answer cannot be written as JSON"))
		return
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_, _ = w.Write(answer) // the client may be gone
}
