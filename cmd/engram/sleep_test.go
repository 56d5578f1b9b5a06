package main_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
)

// An interrupted sleep reports its progress and how to undo it.
func TestSleepStopsWhenInterrupted(t *testing.T) {
	t.Parallel()
	dir, memories := filepath.Join(t.TempDir(), "data"), 1000
	run := func(stdin string, args ...string) string {
		t.Helper()
		cmd := exec.CommandContext(t.Context(), "engram", append(args, "--data-dir", dir)...)
		cmd.Stdin = strings.NewReader(stdin)
		out, err := cmd.Output()
		if err != nil {
			t.Fatalf("engram %v: %v", args, err)
		}
		return string(out)
	}
	var lines strings.Builder
	for i := range memories {
		fmt.Fprintf(&lines, "{\"content\": \"Memory number %d is about the word%d of the day%d.\"}\n", i, i*7919, i*104729)
	}
	run(lines.String(), "ingest", "-", "--project", "shop")

	cmd := exec.CommandContext(t.Context(), "engram", "prune", "--below", "1", "--project", "shop", "--data-dir", dir)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	live := func() (n int) {
		var stats struct {
			Memories int `json:"memories"`
		}
		if err := json.Unmarshal([]byte(run("", "stats", "--json")), &stats); err != nil {
			t.Fatal(err)
		}
		return stats.Memories
	}
	for live() == memories { // each look starts a process, so that others get their turn
	}
	if err := cmd.Process.Signal(syscall.SIGINT); err != nil {
		t.Fatal(err)
	}
	err := cmd.Wait()
	if exit, failed := errors.AsType[*exec.ExitError](err); !failed || exit.ExitCode() != 130 {
		t.Fatalf("after SIGINT: got %v, want exit code 130\nstderr: %s", err, stderr.String())
	}
	said := regexp.MustCompile(`stopped after \d+ of 1000 steps; the next one continues\nhint: to undo: engram (undo .*)\n`).FindStringSubmatch(stderr.String())
	if said == nil {
		t.Fatalf("stderr: got %q, want how far it came and the command that takes it back", stderr.String())
	}
	if left := live(); left == 0 || left == memories {
		t.Errorf("%d of %d memories are left, want some", left, memories)
	}
	run("", strings.Fields(said[1])...)
	if left := live(); left != memories {
		t.Errorf("after the undo %d of %d memories are there, want all", left, memories)
	}
}
