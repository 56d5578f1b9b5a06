package main_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"testing"
	"time"
)

// agent is an engram mcp started as by an agent.
type agent struct {
	*exec.Cmd
	in     io.WriteCloser
	out    io.ReadCloser
	lines  *bufio.Reader
	stderr bytes.Buffer
}

// startAgent starts engram mcp on a data folder. It is killed if it does not end in time.
func startAgent(t *testing.T, dir string) *agent {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	t.Cleanup(cancel)
	a := &agent{Cmd: exec.CommandContext(ctx, "engram", "mcp", "--tools=all", "--project", "shop", "--data-dir", dir)}
	a.Cmd.Stderr = &a.stderr
	var err error
	if a.in, err = a.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	if a.out, err = a.StdoutPipe(); err != nil {
		t.Fatal(err)
	}
	a.lines = bufio.NewReader(a.out)
	if err := a.Start(); err != nil {
		t.Fatal(err)
	}
	return a
}

const handshake = `{"jsonrpc":"2.0","id":"hello","method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"x","version":"1"}}}
{"jsonrpc":"2.0","method":"notifications/initialized"}
`

func toolCall(id int, name, args string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":%q,"arguments":%s}}`+"\n", id, name, args)
}

func (a *agent) send(t *testing.T, lines string) {
	t.Helper()
	if _, err := io.WriteString(a.in, lines); err != nil {
		t.Fatal(err)
	}
}

func (a *agent) wants(t *testing.T, part string) {
	t.Helper()
	line, err := a.lines.ReadString('\n')
	if err != nil || !strings.Contains(line, part) {
		t.Fatalf("got %.300s, error %v, want %s\nstderr: %s", line, err, part, a.stderr.String())
	}
}

func TestHalfALineAndTheEndOfTheInput(t *testing.T) {
	t.Parallel()
	a := startAgent(t, t.TempDir())
	a.send(t, handshake+toolCall(1, "mem_stats", "{}"))
	a.wants(t, `"id":"hello"`)
	a.wants(t, `"id":1`)
	a.send(t, `{"jsonrpc":"2.0","id":2,"method":"tools/ca`)
	_ = a.in.Close()
	a.wants(t, `"id":null,"error":{"code":-32700`)
	if rest, err := io.ReadAll(a.lines); len(rest) > 0 || err != nil {
		t.Errorf("got more: %s, %v", rest, err)
	}
	if err := a.Wait(); err != nil {
		t.Errorf("got %v, want exit code 0\nstderr: %s", err, a.stderr.String())
	}
}

// Acknowledged saves persist whatever the client does next, and the process ends.
func TestAClientThatVanishesInTheMiddleOfACall(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	a := startAgent(t, dir)
	a.send(t, handshake)
	a.wants(t, `"id":"hello"`)
	a.send(t, toolCall(1, "mem_save", `{"title":"acknowledged","content":"before the client vanished"}`))
	a.wants(t, `"id":1,"result"`)
	for i := range 50 {
		a.send(t, toolCall(2+i, "mem_save", fmt.Sprintf(`{"title":"under way %d","content":"number %d"}`, i, i)))
	}
	_, _ = a.out.Close(), a.in.Close()
	// If it cannot write its answers, it fails; the next session is not affected.
	err := a.Wait()
	if exit, ok := err.(*exec.ExitError); !ok || !exit.Exited() {
		t.Errorf("got %v, want that the process ended by itself with an error\nstderr: %s", err, a.stderr.String())
	}
	b := startAgent(t, dir)
	b.send(t, handshake+toolCall(1, "mem_get_observation", `{"id":1}`))
	b.wants(t, `"id":"hello"`)
	b.wants(t, "before the client vanished")
	_ = b.in.Close()
	if err := b.Wait(); err != nil {
		t.Errorf("the next session: %v\nstderr: %s", err, b.stderr.String())
	}
}

func TestAnOutputThatWasNeverOpen(t *testing.T) {
	t.Parallel()
	a := startAgent(t, t.TempDir())
	_ = a.out.Close()
	_, _ = io.WriteString(a.in, handshake+toolCall(1, "mem_stats", "{}"))
	if err := a.Wait(); err == nil {
		t.Error("got exit code 0, want an error: no answer could be written")
	}
}

// A client that sends ten thousand calls before it reads gets one answer for each, with saves in the order
// sent, in bounded memory.
func TestTenThousandCallsBeforeAnAnswerIsRead(t *testing.T) {
	const calls, saves = 10_000, 40
	a := startAgent(t, t.TempDir())
	a.send(t, handshake)
	var all strings.Builder
	for i := range calls {
		if i%(calls/saves) == 0 {
			all.WriteString(toolCall(i, "mem_save", fmt.Sprintf(`{"title":"save %d","content":"number %d"}`, i, i)))
		} else {
			all.WriteString(toolCall(i, "mem_suggest_topic_key", `{"title":"Chose Postgres","type":"decision"}`))
		}
	}
	a.send(t, all.String())
	_ = a.in.Close()
	peak := peakMemory(t, a.Process.Pid)
	a.wants(t, `"id":"hello"`)
	seen, last := map[int]bool{}, -1
	for range calls {
		line, err := a.lines.ReadBytes('\n')
		var answer struct {
			ID     int
			Result struct{ IsError bool }
			Error  any
		}
		if err != nil || json.Unmarshal(line, &answer) != nil || answer.Error != nil || answer.Result.IsError {
			t.Fatalf("got %.300s, error %v, want the answer to a call", line, err)
		}
		if seen[answer.ID] {
			t.Fatalf("call %d was answered twice", answer.ID)
		}
		seen[answer.ID] = true
		if answer.ID%(calls/saves) == 0 {
			if answer.ID <= last {
				t.Errorf("save %d was answered after save %d", answer.ID, last)
			}
			last = answer.ID
		}
	}
	if err := a.Wait(); err != nil || len(seen) != calls {
		t.Errorf("%d of %d answered, %v\nstderr: %s", len(seen), calls, err, a.stderr.String())
	}
	if most := 200 << 20; peak > most {
		t.Errorf("the process took %d MB, want at most %d", peak>>20, most>>20)
	}
}

// peakMemory returns the peak memory of a process in bytes; 0 if unknown.
func peakMemory(t *testing.T, pid int) int {
	t.Helper()
	if runtime.GOOS != "linux" {
		return 0
	}
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(status), "VmHWM:")
	var kilobytes int
	if _, err := fmt.Sscan(rest, &kilobytes); err != nil {
		t.Fatalf("%s: %v", status, err)
	}
	return kilobytes << 10
}
