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

// A request under way when the server is told to stop is answered, and its save persists.
func TestARequestIsFinishedWhenTheServerIsStopped(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "data")
	cmd := exec.CommandContext(t.Context(), "engram", "serve", "--json", "0", "--data-dir", dir)
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
	c, err := net.Dial("tcp", addr)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = c.Close() }()
	body := `{"session_id":"s","project":"p","title":"Under way","content":"when the server was stopped"}`
	send := func(text string) {
		t.Helper()
		if _, err := io.WriteString(c, text); err != nil {
			t.Fatal(err)
		}
	}
	send(fmt.Sprintf("POST /observations HTTP/1.1\r\nHost: %s\r\nContent-Type: application/json\r\nExpect: 100-continue\r\nContent-Length: %d\r\n\r\n", addr, len(body)))
	in := bufio.NewReader(c)
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
	send(body)
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
