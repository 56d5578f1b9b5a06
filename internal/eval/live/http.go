package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"time"

	"github.com/alanbuscaglia/engram/internal/eval"
)

// startup is how long the server may take until it answers.
const startup = 10 * time.Second

// httpFace speaks to `engram serve`.
type httpFace struct {
	base    string
	client  http.Client
	process *exec.Cmd
	log     *os.File
}

// startHTTP starts a server on a free port and waits until it is well.
func startHTTP(ctx context.Context, program, data string) (face, error) {
	port, err := freePort()
	if err != nil {
		return nil, err
	}
	logPath := filepath.Join(data, "serve.log")
	log, err := os.Create(logPath)
	if err != nil {
		return nil, err
	}
	f := &httpFace{base: "http://127.0.0.1:" + port, client: http.Client{Timeout: time.Minute}, log: log}
	f.process = exec.CommandContext(ctx, program, "serve", port)
	f.process.Env = environment(data)
	f.process.Dir = data
	f.process.Stdout, f.process.Stderr = log, log
	if err := f.process.Start(); err != nil {
		return nil, errors.Join(err, log.Close())
	}
	deadline := time.Now().Add(startup)
	for {
		if err = f.call(ctx, http.MethodGet, "/health", nil, nil); err == nil {
			return f, nil
		}
		if time.Now().After(deadline) || ctx.Err() != nil {
			said, _ := os.ReadFile(logPath)
			return nil, errors.Join(fmt.Errorf("the server does not answer: %w; it said:\n%s", err, said), f.close())
		}
		time.Sleep(20 * time.Millisecond)
	}
}

func (f *httpFace) open(ctx context.Context, session, project string) error {
	return f.call(ctx, http.MethodPost, "/sessions", map[string]any{"id": session, "project": project}, nil)
}

func (f *httpFace) save(ctx context.Context, session, project string, d eval.Document) (int64, error) {
	var saved struct{ ID int64 }
	err := f.call(ctx, http.MethodPost, "/observations", map[string]any{
		"session_id": session, "project": project, "scope": "project", "type": "manual", "title": d.Title, "content": d.Text,
	}, &saved)
	return saved.ID, err
}

func (f *httpFace) ask(ctx context.Context, project, question string) ([]int64, error) {
	var found []struct{ ID int64 }
	values := url.Values{"q": {question}, "project": {project}, "limit": {strconv.Itoa(answers)}}
	err := f.call(ctx, http.MethodGet, "/search?"+values.Encode(), nil, &found)
	var nums []int64
	for _, x := range found {
		nums = append(nums, x.ID)
	}
	return nums, err
}

func (f *httpFace) close() error {
	err := f.process.Process.Signal(os.Interrupt)
	if err == nil {
		err = f.process.Wait()
	}
	return errors.Join(err, f.log.Close())
}

// call sends one request and decodes its answer into out; nil throws it away.
func (f *httpFace) call(ctx context.Context, method, path string, in, out any) error {
	var body io.Reader
	if in != nil {
		b, err := json.Marshal(in)
		if err != nil {
			return err
		}
		body = bytes.NewReader(b)
	}
	req, err := http.NewRequestWithContext(ctx, method, f.base+path, body)
	if err != nil {
		return err
	}
	if in != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	resp, err := f.client.Do(req)
	if err != nil {
		return err
	}
	answer, err := io.ReadAll(resp.Body)
	if err = errors.Join(err, resp.Body.Close()); err != nil {
		return err
	}
	if resp.StatusCode >= 300 {
		return fmt.Errorf("%s %s: %s: %.300s", method, path, resp.Status, answer)
	}
	if out == nil {
		return nil
	}
	return json.Unmarshal(answer, out)
}

// freePort returns a port that nobody listened on a moment ago.
func freePort() (string, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	_, port, err := net.SplitHostPort(l.Addr().String())
	return port, errors.Join(err, l.Close())
}

// environment is ours without settings of a user's own engram.
func environment(data string) []string {
	var env []string
	for _, kv := range os.Environ() {
		if len(kv) < 7 || kv[:7] != "ENGRAM_" {
			env = append(env, kv)
		}
	}
	return append(env, "ENGRAM_DATA_DIR="+filepath.Join(data, "store"))
}
