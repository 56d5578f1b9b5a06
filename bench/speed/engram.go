package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"strings"
	"sync/atomic"
	"time"
)

// A build is one binary of Engram.
type build struct{ name, binary string }

// command prepares a process of the build on a store, as a user has it: without settings of this machine. It ends with
// the context.
func (b build) command(ctx context.Context, dir string, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, b.binary, append([]string{"--data-dir", dir}, args...)...)
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + dir, "TMPDIR=" + os.TempDir()}
	return cmd
}

// output runs a process to its end and returns what it wrote and the CPU time it took.
func output(cmd *exec.Cmd, stdin string) (string, time.Duration, error) {
	var out, problems bytes.Buffer
	cmd.Stdin, cmd.Stdout, cmd.Stderr = strings.NewReader(stdin), &out, &problems
	if err := cmd.Run(); err != nil {
		return "", 0, fmt.Errorf("%s: %w: %s", strings.Join(cmd.Args, " "), err, problems.String())
	}
	return out.String(), used(cmd), nil
}

// used returns the CPU time of a process that has ended.
func used(cmd *exec.Cmd) time.Duration {
	return cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
}

// processes makes a lane that does each operation in a process of its own. run returns its CPU time.
func processes(name string, run func(i int) (time.Duration, error)) lane {
	var sum time.Duration
	return lane{
		name: name,
		do: func(i int) error {
			took, err := run(i)
			sum += took
			return err
		},
		cpu: func() (time.Duration, error) { return sum, nil },
	}
}

// search asks question number i in its project, in a process of its own.
func (b build) search(ctx context.Context, dir string, i, size int) (time.Duration, error) {
	_, took, err := output(b.command(ctx, dir, "search", question(i, size), "--project", asked(i, size).project), "")
	return took, err
}

// listTools starts engram mcp, asks for its tools and ends it after the answer.
func (b build) listTools(ctx context.Context, dir string) (time.Duration, error) {
	cmd := b.command(ctx, dir, "mcp")
	in, err := cmd.StdinPipe()
	if err != nil {
		return 0, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return 0, err
	}
	if err := cmd.Start(); err != nil {
		return 0, err
	}
	_, err = io.WriteString(in, `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"speed","version":"1"}}}
{"jsonrpc":"2.0","method":"notifications/initialized"}
{"jsonrpc":"2.0","id":2,"method":"tools/list"}
`)
	answered := false
	for lines := bufio.NewReader(out); err == nil && !answered; {
		var line string
		line, err = lines.ReadString('\n')
		answered = strings.Contains(line, `"id":2`) && strings.Contains(line, `"tools"`)
	}
	err = errors.Join(err, in.Close())
	io.Copy(io.Discard, out) // until it ends
	if err := errors.Join(err, cmd.Wait()); err != nil {
		return 0, fmt.Errorf("engram mcp: %w", err)
	}
	return used(cmd), nil
}

// A server is a build that serves a store.
type server struct {
	build
	cmd     *exec.Cmd
	address string
}

// serve starts a server on a free port and waits for its address.
func (b build) serve(ctx context.Context, dir string) (*server, error) {
	s := &server{build: b, cmd: b.command(ctx, dir, "serve", "--json", "0")}
	out, err := s.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := s.cmd.Start(); err != nil {
		return nil, err
	}
	var hello struct{ Address string }
	if err := json.NewDecoder(out).Decode(&hello); err != nil || hello.Address == "" {
		return nil, errors.Join(fmt.Errorf("%s did not say its address: %v", b.binary, err), s.stop())
	}
	go io.Copy(io.Discard, out) // ends with the server
	s.address = hello.Address
	return s, nil
}

func (s *server) stop() error {
	if err := s.cmd.Process.Signal(os.Interrupt); err != nil {
		return err
	}
	s.cmd.Wait() // how it ends is not measured
	return nil
}

// lane makes a lane of what is asked of a server.
func (s *server) lane(do func(s *server, i int) error) lane {
	return lane{
		name: s.name,
		do:   func(i int) error { return do(s, i) },
		cpu:  func() (time.Duration, error) { return cpuOf(s.cmd.Process.Pid) },
	}
}

// get asks for a path and returns the answer.
func (s *server) get(path string, query url.Values) ([]byte, error) {
	res, err := http.Get(s.address + path + "?" + query.Encode())
	if err != nil {
		return nil, err
	}
	return answerOf(res)
}

// post sends a value as JSON.
func (s *server) post(path string, body any) error {
	text, err := json.Marshal(body)
	if err != nil {
		return err
	}
	res, err := http.Post(s.address+path, "application/json", bytes.NewReader(text))
	if err != nil {
		return err
	}
	_, err = answerOf(res)
	return err
}

func answerOf(res *http.Response) ([]byte, error) {
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	if err == nil && res.StatusCode/100 != 2 {
		err = fmt.Errorf("%s %s: %s: %s", res.Request.Method, res.Request.URL, res.Status, text)
	}
	return text, err
}

// search asks for ten finds.
func (s *server) search(question, project string) ([]byte, error) {
	q := url.Values{"q": {question}, "limit": {"10"}}
	if project != "" {
		q.Set("project", project)
	}
	return s.get("/search", q)
}

// session starts a session for saves.
func (s *server) session(id, project string) error {
	return s.post("/sessions", map[string]string{"id": id, "project": project, "directory": "/src/" + project})
}

// save saves a memory.
func (s *server) save(d document, session, project string) error {
	return s.post("/observations", map[string]string{
		"session_id": session, "type": d.typ, "title": d.title, "content": d.content, "project": project, "scope": "project",
	})
}

// saved numbers documents that are saved beside those of the corpus.
type saved struct{ atomic.Int64 }

func (s *saved) next() document { return documentOf(1<<32 + int(s.Add(1))) }
