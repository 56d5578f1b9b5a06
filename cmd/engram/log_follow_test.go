package main_test

import (
	"bufio"
	"encoding/json"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// log --follow prints operations of other processes, a line each, and exits with 0 when it is interrupted.
func TestALogIsFollowedUntilItIsInterrupted(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "data")
	save := func(title, content string) {
		t.Helper()
		if out, err := exec.CommandContext(t.Context(), "engram", "save", title, content, "--project", "shop", "--data-dir", dir).CombinedOutput(); err != nil {
			t.Fatalf("engram save: %v\n%s", err, out)
		}
	}
	save("Before", "nobody was watching")
	cmd := exec.CommandContext(t.Context(), "engram", "log", "--follow", "--json", "--project", "shop", "--data-dir", dir)
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	stderr, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	if line, err := bufio.NewReader(stderr).ReadString('\n'); err != nil || !strings.HasPrefix(line, "Waiting for new operations") {
		t.Fatalf("stderr: got %q, %v; want that it waits", line, err)
	}
	save("Giraffes", "have seven bones in the neck")
	line, err := bufio.NewReader(stdout).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	var op struct {
		Verb  string
		Items []struct{ Title string }
	}
	if err := json.Unmarshal([]byte(line), &op); err != nil || op.Verb != "save" || len(op.Items) == 0 || op.Items[0].Title != "Giraffes" {
		t.Errorf("got %q, %v; want the second save", line, err)
	}
	if err := cmd.Process.Signal(syscall.SIGINT); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Wait(); err != nil {
		t.Errorf("after SIGINT: got %v, want a good end", err)
	}
}
