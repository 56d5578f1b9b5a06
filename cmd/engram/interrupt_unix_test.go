//go:build unix

package main_test

import (
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// An interrupted command has the exit code that shells expect, reports it, writes nothing of its input and
// leaves no file behind.
func TestAnInterruptedCommandLeavesNothing(t *testing.T) {
	file := `{"version":"0.1.0","sessions":[],"observations":[` + strings.Repeat(`{"id":1,"title":"`+strings.Repeat("x", 1000)+`","content":"c"},`, 300)
	for _, tt := range []struct {
		name  string
		args  []string
		given string // beginning of its endless input
		by    syscall.Signal
		code  int
	}{
		{"an import", []string{"import", "-", "--project", "zoo"}, file, syscall.SIGINT, 130},
		{"an import that is told to end", []string{"import", "-", "--project", "zoo"}, file, syscall.SIGTERM, 143},
		{"what reads what a person types", []string{"save", "Giraffes", "-"}, strings.Repeat("have seven ", 10_000), syscall.SIGINT, 130},
	} {
		t.Run(tt.name, func(t *testing.T) {
			dir := t.TempDir()
			tmp := filepath.Join(dir, "tmp")
			if err := os.Mkdir(tmp, 0o700); err != nil {
				t.Fatal(err)
			}
			cmd := exec.CommandContext(t.Context(), "engram", append(tt.args, "--data-dir", filepath.Join(dir, "data"))...)
			cmd.Env = append(os.Environ(), "TMPDIR="+tmp, "HOME="+dir)
			var said strings.Builder
			cmd.Stderr = &said
			in, err := cmd.StdinPipe()
			if err != nil {
				t.Fatal(err)
			}
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			if _, err := io.WriteString(in, tt.given); err != nil { // more than a pipe holds, so it is read
				t.Fatal(err)
			}
			begun := time.Now()
			if err := cmd.Process.Signal(tt.by); err != nil {
				t.Fatal(err)
			}
			_ = cmd.Wait() // the code says how
			if got := cmd.ProcessState.ExitCode(); got != tt.code || !strings.HasPrefix(said.String(), "engram: interrupted\n") {
				t.Errorf("got exit code %d and %q, want %d and that it was interrupted", got, said.String(), tt.code)
			}
			if took := time.Since(begun); took > 5*time.Second {
				t.Errorf("it ended after %v, want it at once", took)
			}
			if left, err := os.ReadDir(tmp); err != nil || len(left) > 0 {
				t.Errorf("left in TMPDIR: %v, %v, want nothing", left, err)
			}
			out, err := exec.CommandContext(t.Context(), "engram", "list", "--all-projects", "--json", "--data-dir", filepath.Join(dir, "data")).Output()
			if err != nil || strings.Contains(string(out), "title\": \"") {
				t.Errorf("list: got %s, %v, want nothing", out, err)
			}
		})
	}
}
