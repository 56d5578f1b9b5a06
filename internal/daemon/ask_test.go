package daemon_test

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/daemon"
)

type question struct{ Text string }

// answering is a server with the verb search, which says what it was asked.
func answering(t *testing.T, key string) daemon.Record {
	t.Helper()
	s := httptest.NewServer(daemon.Handler(key, map[string]daemon.Operation{
		daemon.OperationSearch: func(_ context.Context, in []byte) (any, error) {
			var q question
			if err := json.Unmarshal(in, &q); err != nil || q.Text == "" {
				return nil, engram.Errorf(engram.CodeInvalid, "that is no question").WithHint("ask one")
			}
			return question{"you asked: " + q.Text}, nil
		},
	}))
	t.Cleanup(s.Close)
	return daemon.Record{Address: strings.TrimPrefix(s.URL, "http://"), Key: key}
}

func TestWhoKnowsTheKeyIsAnswered(t *testing.T) {
	t.Parallel()
	r := answering(t, "secret")
	var got question
	if err := daemon.Ask(t.Context(), r, "", daemon.OperationSearch, question{"why?"}, &got); err != nil || got.Text != "you asked: why?" {
		t.Errorf("got %+v, %v", got, err)
	}
}

func TestWhoIsRefusedIsToldWhy(t *testing.T) {
	t.Parallel()
	r := answering(t, "secret")
	other := r
	other.Key = "guessed"
	none := r
	none.Key = ""
	for _, tt := range []struct {
		name string
		r    daemon.Record
		verb string
		in   any
		want engram.Code
	}{
		{"another key", other, daemon.OperationSearch, question{"why?"}, engram.CodeForbidden},
		{"no key", none, daemon.OperationSearch, question{"why?"}, engram.CodeForbidden},
		{"a verb that there is not", r, "erase", question{"why?"}, engram.CodeNotFound},
		{"a question that is none", r, daemon.OperationSearch, question{}, engram.CodeInvalid},
	} {
		var got question
		if err := daemon.Ask(t.Context(), tt.r, "", tt.verb, tt.in, &got); engram.CodeOf(err) != tt.want || got.Text != "" {
			t.Errorf("%s: got %+v, %v, want %s", tt.name, got, err, tt.want)
		}
	}
	// A server without a key answers no client, not even one without a key.
	if err := daemon.Ask(t.Context(), answering(t, ""), "", daemon.OperationSearch, question{"why?"}, &question{}); engram.CodeOf(err) != engram.CodeForbidden {
		t.Errorf("no key on either side: got %v, want forbidden", err)
	}
}

func TestOnlyTheLoopbackAddressIsAsked(t *testing.T) {
	t.Parallel()
	for _, address := range []string{"", "192.0.2.1:80", "example.com:80", "localhost:80", "127.0.0.1", "127.0.0.1:0", "127.0.0.1:http", "127.0.0.1.evil.test:80",
		"127.0.0.1:80/@evil.test", "[::ffff:192.0.2.1]:80", "0.0.0.0:80"} {
		ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
		err := daemon.Ask(ctx, daemon.Record{Address: address, Key: "k"}, "", daemon.OperationSearch, question{"x"}, &question{})
		if !errors.Is(err, daemon.ErrNoAnswer) || ctx.Err() != nil {
			t.Errorf("%q: got %v, want that nobody is asked", address, err)
		}
		cancel()
	}
}

// A stranger at the address gives no answer, whatever it says; and is waited for no longer
// than the context.
func TestAStrangerIsNoAnswer(t *testing.T) {
	t.Parallel()
	for name, h := range map[string]http.HandlerFunc{
		"a page":    func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte("<html>")) },
		"not found": http.NotFound,
		"elsewhere": func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "http://192.0.2.1/", http.StatusFound)
		},
		"half of it": func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Length", "99")
			_, _ = w.Write([]byte(`{`))
		},
		"another error": func(w http.ResponseWriter, _ *http.Request) {
			http.Error(w, `{"error":"nope"}`, http.StatusInternalServerError)
		},
		"silence": func(_ http.ResponseWriter, r *http.Request) {
			_, _ = io.Copy(io.Discard, r.Body) // otherwise the lost client is not noticed
			<-r.Context().Done()
		},
	} {
		t.Run(name, func(t *testing.T) {
			s := httptest.NewServer(h)
			defer s.Close()
			ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
			defer cancel()
			r := daemon.Record{Address: strings.TrimPrefix(s.URL, "http://"), Key: "k"}
			if err := daemon.Ask(ctx, r, "", daemon.OperationSearch, question{"x"}, &question{}); !errors.Is(err, daemon.ErrNoAnswer) {
				t.Errorf("got %v, want no answer", err)
			}
			if v, is := daemon.Neighbour(ctx, r.Address); is || v != "" {
				t.Errorf("neighbour: got %q, %v, want a stranger", v, is)
			}
		})
	}
}

func TestANeighbourSaysWhatItIs(t *testing.T) {
	t.Parallel()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = w.Write([]byte(`{"service":"engram","status":"ok","version":"1.2"}`))
	}))
	defer s.Close()
	if v, is := daemon.Neighbour(t.Context(), strings.TrimPrefix(s.URL, "http://")); !is || v != "1.2" {
		t.Errorf("got %q, %v, want 1.2", v, is)
	}
}

func TestWhereAServerIsAsked(t *testing.T) {
	t.Parallel()
	for listens, want := range map[string]string{
		"127.0.0.1:7437": "127.0.0.1:7437", "0.0.0.0:80": "127.0.0.1:80", "[::]:80": "[::1]:80", "[::1]:80": "[::1]:80",
		"127.0.0.2:80": "127.0.0.2:80", "192.0.2.1:80": "", "[2001:db8::1]:80": "",
	} {
		at, err := net.ResolveTCPAddr("tcp", listens)
		if err != nil {
			t.Fatal(err)
		}
		if got := daemon.AskAt(at); got != want {
			t.Errorf("%s: got %q, want %q", listens, got, want)
		}
	}
}
