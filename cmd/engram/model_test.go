package main

import (
	"errors"
	"io"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/alanbuscaglia/engram/internal/embedding/hubtest"
	"github.com/alanbuscaglia/engram/internal/encoder/encodertest"
)

// madeModel FOLDER [reranker] writes the files of a small model of random weights.
func madeModel(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) == 0 {
		ts.Fatalf("usage: madeModel folder [reranker]")
	}
	shape := encodertest.Tiny()
	shape.Classifier = len(args) > 1
	ts.Check(writeModel(ts.MkAbs(args[0]), shape))
}

func writeModel(folder string, shape encodertest.Shape) error {
	for name, b := range encodertest.New(shape, 1).Files {
		path := filepath.Join(folder, filepath.FromSlash(name))
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, b, 0o600)); err != nil {
			return err
		}
	}
	return nil
}

type hubKey struct{}

// script is the hub of a script, and its proxy.
type script struct {
	hub *hubtest.Hub

	mu    sync.Mutex
	proxy []string // first lines of the requests that it refused
}

// hub start REPOSITORY [reranker] runs a hub with a small model, in HF_ENDPOINT. hub fault FAULT [N] makes it fail: cut after
// N bytes of the weights, corrupt, status N, or token; hub fault none ends that. hub asked REQUEST… compares the requests
// since the last time. hub proxy runs a proxy that refuses, in HTTPS_PROXY; hub proxied HOST is that it was asked for one.
func modelHub(ts *testscript.TestScript, neg bool, args []string) {
	s := ts.Value(hubKey{}).(*script)
	if neg || len(args) == 0 {
		ts.Fatalf("usage: hub start|fault|asked|proxy|proxied …")
	}
	switch args[0] {
	case "start":
		shape := encodertest.Tiny()
		shape.Classifier = len(args) > 2
		s.hub = hubtest.Start(args[1], encodertest.New(shape, 1).Files)
		ts.Defer(s.hub.Close)
		ts.Setenv("HF_ENDPOINT", s.hub.Address())
	case "fault":
		s.fault(ts, args[1], args[2:])
	case "asked":
		if got := s.hub.Requests(); !slices.Equal(got, args[1:]) {
			ts.Fatalf("it was asked for %q", got)
		}
	case "proxy":
		s.startProxy(ts)
	case "proxied":
		s.mu.Lock()
		defer s.mu.Unlock()
		if !slices.Contains(s.proxy, "CONNECT "+args[1]+" HTTP/1.1") {
			ts.Fatalf("the proxy was asked for %q", s.proxy)
		}
	default:
		ts.Fatalf("unknown: %s", args[0])
	}
}

func (s *script) fault(ts *testscript.TestScript, name string, args []string) {
	n := 0
	if len(args) > 0 {
		var err error
		n, err = strconv.Atoi(args[0])
		ts.Check(err)
	}
	s.hub.Lock()
	defer s.hub.Unlock()
	s.hub.CutAfter, s.hub.Corrupt, s.hub.Status, s.hub.Token = 0, false, 0, ""
	switch name {
	case "cut":
		s.hub.CutAfter = n
	case "corrupt":
		s.hub.Corrupt = true
	case "status":
		s.hub.Status = n
	case "token":
		s.hub.Token = "secret"
	}
}

func (s *script) startProxy(ts *testscript.TestScript) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	ts.Check(err)
	ts.Defer(func() { l.Close() })
	ts.Setenv("HTTPS_PROXY", "http://"+l.Addr().String())
	go func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			b := make([]byte, 4<<10)
			n, _ := conn.Read(b) // a short one has no first line
			line, _, _ := strings.Cut(string(b[:n]), "\r\n")
			s.mu.Lock()
			s.proxy = append(s.proxy, line)
			s.mu.Unlock()
			_, _ = io.WriteString(conn, "HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\n\r\n")
			conn.Close()
		}
	}()
}
