//go:build unix

package main

import (
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
)

// withoutRoom runs the program as if the disk were full: no file may grow beyond ENGRAM_TEST_ROOM bytes.
func withoutRoom() {
	signal.Ignore(syscall.SIGXFSZ) // the write fails instead
	room, err := strconv.ParseUint(os.Getenv("ENGRAM_TEST_ROOM"), 10, 64)
	if err == nil {
		err = syscall.Setrlimit(syscall.RLIMIT_FSIZE, &syscall.Rlimit{Cur: room, Max: room})
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(99)
	}
	main()
}

// If the disk fills up during an import, existing data stays intact, and the exit code says that a retry may
// succeed.
func TestADiskThatIsFullLeavesWhatWasThere(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	data := filepath.Join(dir, "data")
	file := filepath.Join(dir, "many.json")
	var b strings.Builder
	b.WriteString(`{"format":"engram","version":1,"project":"shop","memories":[`)
	for i := range 3000 {
		fmt.Fprintf(&b, "%s{\"project\":\"shop\",\"title\":\"Number %d\",\"content\":\"%s %d\"}\n", ","[:min(i, 1)], i, strings.Repeat("what is kept of it ", 40), i)
	}
	b.WriteString("]}")
	if err := os.WriteFile(file, []byte(b.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	run := func(program, room string, args ...string) (string, int) {
		cmd := exec.CommandContext(t.Context(), program, append(args, "--data-dir", data)...)
		cmd.Dir = dir
		cmd.Env = append(os.Environ(), "HOME="+dir, "ENGRAM_TEST_ROOM="+room)
		said, err := cmd.CombinedOutput()
		if cmd.ProcessState == nil {
			t.Fatal(err)
		}
		return string(said), cmd.ProcessState.ExitCode()
	}
	if said, code := run("engram", "", "save", "Before", "What was here before", "--project", "shop"); code != 0 {
		t.Fatal(said)
	}
	for _, tt := range []struct{ name, room, mode string }{
		{"nowhere to keep what was read", "500000", "--mode merge"},
		{"no room for the memories", "3000000", "--mode merge"},
		{"no room for the backup, or what follows it", "3000000", "--mode replace --all-projects --yes"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			said, code := run("engram-without-room", tt.room, append([]string{"import", file}, strings.Fields(tt.mode)...)...)
			if code != 5 || !strings.Contains(said, "engram: ") {
				t.Errorf("with %s bytes: got exit code %d, %q; want 5 and why", tt.room, code, said)
			}
			said, code = run("engram", "", "list", "--project", "shop", "--json")
			if code != 0 || strings.Count(said, `"num":`) != 1 || !strings.Contains(said, `"Before"`) {
				t.Errorf("afterwards: got exit code %d, %.300q; want the one memory that was there", code, said)
			}
			if said, code = run("engram", "", "doctor"); code != 0 {
				t.Errorf("doctor afterwards: got exit code %d, %s", code, said)
			}
		})
	}
	if said, code := run("engram", "", "import", file); code != 0 || !strings.Contains(said, "3000 memories: 3000 new") {
		t.Errorf("with room again: got exit code %d, %s", code, said)
	}
}
