package main_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// underWay is the body of a request that a server reads while it is stopped.
const underWay = `{"session_id":"s","project":"p","title":"Under way","content":"when the server was stopped"}`

// stopDuringARequest starts a server on the database in dir, opens a request without its body, and tells the server to
// stop. It returns when the server does not listen any more.
func stopDuringARequest(t *testing.T, dir string) (cmd *exec.Cmd, c net.Conn, in *bufio.Reader) {
	t.Helper()
	cmd = exec.CommandContext(t.Context(), "engram", "serve", "--json", "0", "--data-dir", dir)
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	var doc struct{ Address string }
	if err := json.NewDecoder(stdout).Decode(&doc); err != nil {
		t.Fatal(err)
	}
	addr := strings.TrimPrefix(doc.Address, "http://")
	c, err = net.Dial("tcp", addr)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	if _, err := fmt.Fprintf(c, "POST /observations HTTP/1.1\r\nHost: %s\r\nContent-Type: application/json\r\nExpect: 100-continue\r\nContent-Length: %d\r\n\r\n", addr, len(underWay)); err != nil {
		t.Fatal(err)
	}
	in = bufio.NewReader(c)
	if line, err := in.ReadString('\n'); err != nil || !strings.Contains(line, "100") {
		t.Fatalf("got %q, %v; want that the body is read", line, err) // so the request is under way
	}
	if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	for { // until it stops listening
		other, err := net.DialTimeout("tcp", addr, time.Second)
		if err != nil {
			break
		}
		_ = other.Close()
	}
	return cmd, c, in
}

// A request under way when the server is told to stop is answered, and its save persists.
func TestARequestIsFinishedWhenTheServerIsStopped(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "data")
	cmd, c, in := stopDuringARequest(t, dir)
	if _, err := io.WriteString(c, underWay); err != nil {
		t.Fatal(err)
	}
	if _, err := in.ReadString('\n'); err != nil { // the end of the 100
		t.Fatal(err)
	}
	resp, err := http.ReadResponse(in, nil)
	if err != nil {
		t.Fatalf("no answer: %v", err)
	}
	answer, err := io.ReadAll(resp.Body)
	if err != nil || resp.StatusCode != 201 || string(answer) != `{"id":1,"status":"saved","project":"p"}`+"\n" {
		t.Errorf("got %s %q, %v; want the whole answer", resp.Status, answer, err)
	}
	if err := cmd.Wait(); err != nil {
		t.Errorf("the server ended with %v, want exit code 0", err)
	}
	out, err := exec.CommandContext(t.Context(), "engram", "get", "1", "--data-dir", dir).Output()
	if err != nil || !strings.Contains(string(out), "when the server was stopped") {
		t.Errorf("engram get 1: got %q, %v; want what was saved", out, err)
	}
}

// The server waits five seconds for open requests, a second Ctrl-C does not.
func TestASecondSignalEndsTheServerAtOnce(t *testing.T) {
	t.Parallel()
	cmd, _, _ := stopDuringARequest(t, filepath.Join(t.TempDir(), "data"))
	if err := cmd.Process.Signal(syscall.SIGINT); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait() // fails in any case
	if by := cmd.ProcessState.Sys().(syscall.WaitStatus); !by.Signaled() || by.Signal() != syscall.SIGINT {
		t.Errorf("the server ended with %v, want by the signal", cmd.ProcessState)
	}
}
