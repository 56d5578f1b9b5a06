package main_test

import (
	"bufio"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// A watched vault imports edits and exports saves, a line each time, and exits with 0 when it is interrupted.
func TestAVaultIsWatchedUntilItIsInterrupted(t *testing.T) {
	dir := t.TempDir()
	data, vault := filepath.Join(dir, "data"), filepath.Join(dir, "vault")
	run := func(args ...string) string {
		t.Helper()
		out, err := exec.CommandContext(t.Context(), "engram", append(args, "--data-dir", data)...).CombinedOutput()
		if err != nil {
			t.Fatalf("engram %q: %v\n%s", args, err, out)
		}
		return string(out)
	}
	run("save", "Giraffes", "have seven bones in the neck", "--project", "zoo", "--type", "fact")
	cmd := exec.CommandContext(t.Context(), "engram", "obsidian-export", vault, "--import", "--watch", "--interval", "1s", "--json", "--data-dir", data)
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewReader(stdout)
	next := func() (round struct {
		Created, Updated int
		Import           struct{ Revised, Created int }
	}) {
		t.Helper()
		line, err := lines.ReadString('\n')
		if err == nil {
			err = json.Unmarshal([]byte(line), &round)
		}
		if err != nil {
			t.Fatalf("a round: got %q, %v", line, err)
		}
		return round
	}
	if r := next(); r.Created != 1 {
		t.Errorf("the first round: got %+v, want one note", r)
	}
	found, err := filepath.Glob(filepath.Join(vault, "engram", "zoo", "fact", "giraffes-*.md"))
	if err != nil || len(found) != 1 {
		t.Fatalf("the note: got %v, %v", found, err)
	}
	text, err := os.ReadFile(found[0])
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(found[0], []byte(strings.Replace(string(text), "seven bones", "7 bones", 1)), 0o600); err != nil {
		t.Fatal(err)
	}
	if r := next(); r.Import.Revised != 1 || r.Updated != 1 {
		t.Errorf("after an edit: got %+v, want a revision, and its note", r)
	}
	if got := run("get", "1"); !strings.Contains(got, "7 bones") {
		t.Errorf("the memory says\n%s", got)
	}
	run("save", "Okapis", "are their only relatives", "--project", "zoo", "--type", "fact")
	if r := next(); r.Created != 1 {
		t.Errorf("after a save: got %+v, want a note", r)
	}
	begun := time.Now()
	if err := cmd.Process.Signal(syscall.SIGINT); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Wait(); err != nil {
		t.Errorf("after SIGINT: got %v, want a good end", err)
	}
	if took := time.Since(begun); took > 5*time.Second {
		t.Errorf("it ended after %v", took)
	}
}
