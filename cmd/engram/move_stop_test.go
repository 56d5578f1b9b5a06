package main_test

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"

	"github.com/alanbuscaglia/engram/internal/waittest"
)

// The temporary file of an import has no name, so that nothing remains however the program ends.
func TestAnImportThatIsKilledLeavesNothing(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Log("there an open file keeps its name")
		return
	}
	dir, tmp := t.TempDir(), t.TempDir()
	cmd := exec.CommandContext(t.Context(), "engram", "import", "-", "--data-dir", dir)
	cmd.Env = append(os.Environ(), "TMPDIR="+tmp)
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	// More than pipe and buffers hold, so that most of it has been spooled once all is written.
	file := `{"format":"engram","version":1,"memories":[` + strings.Repeat(`{"content":"the text of a memory that nobody else is to read"},`, 20_000)
	if _, err := in.Write([]byte(file)); err != nil {
		t.Fatal(err)
	}
	left, err := os.ReadDir(tmp)
	if err != nil || len(left) > 0 {
		t.Errorf("while the file is read there are %v among the temporary files, %v; want none", left, err)
	}
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait() // it was killed
}

// An interrupted export removes its output and keeps the existing file.
func TestAnExportThatIsInterruptedLeavesTheFileAsItWas(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Log("there is no signal to send there")
		return
	}
	dir, out := t.TempDir(), t.TempDir()
	importBig(t, dir)
	target := filepath.Join(out, "out.json")
	if err := os.WriteFile(target, []byte("as it was"), 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), "engram", "export", target, "--data-dir", dir)
	var told bytes.Buffer
	cmd.Stderr = &told
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	waittest.Until(t, "the export has begun to write", func() bool {
		half, _ := filepath.Glob(filepath.Join(out, ".*.engram-new"))
		return len(half) > 0
	})
	if err := cmd.Process.Signal(syscall.SIGINT); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Wait(); err == nil || !strings.Contains(told.String(), "interrupted") {
		t.Errorf("after SIGINT: got %v, %q; want that it was interrupted", err, told.String())
	}
	left, err := os.ReadDir(out)
	if err != nil || len(left) != 1 {
		t.Errorf("there are %v, %v; want out.json alone", left, err)
	}
	if text, err := os.ReadFile(target); err != nil || string(text) != "as it was" {
		t.Errorf("out.json has %.40q, %v; want what it had", text, err)
	}
}

// importBig fills a store whose export takes a while, with many revisions, which import faster than
// embeddings are computed.
func importBig(t *testing.T, dir string) {
	t.Helper()
	var b strings.Builder
	b.WriteString(`{"format":"engram","version":1,"memories":[`)
	for m := range 400 {
		if m > 0 {
			b.WriteByte(',')
		}
		fmt.Fprintf(&b, `{"content":"memory %d","project":"shop","revisions":[`, m)
		for r := range 30 {
			if r > 0 {
				b.WriteByte(',')
			}
			fmt.Fprintf(&b, `{"number":%d,"content":"%s"}`, r+1, strings.Repeat("long ago ", 200))
		}
		b.WriteString("]}")
	}
	b.WriteString("]}")
	cmd := exec.CommandContext(t.Context(), "engram", "import", "-", "--data-dir", dir)
	cmd.Stdin = strings.NewReader(b.String())
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("engram import: %v\n%s", err, out)
	}
}
