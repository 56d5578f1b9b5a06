//go:build unix

package main_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/alanbuscaglia/engram/internal/embedding/hubtest"
	"github.com/alanbuscaglia/engram/internal/encoder/encodertest"
	"github.com/alanbuscaglia/engram/internal/waittest"
)

// While one process downloads a model, no other does. When it is interrupted, what came is kept, and the next one asks
// for the rest.
func TestAnInterruptedPullContinues(t *testing.T) {
	hub := hubtest.Start("some/tiny", encodertest.New(encodertest.Tiny(), 1).Files)
	t.Cleanup(hub.Close)
	hub.CutAfter, hub.Hold = 1000, true
	data := t.TempDir()
	pull := func(said *strings.Builder) *exec.Cmd {
		cmd := exec.CommandContext(t.Context(), "engram", "model", "pull", "some/tiny", "--data-dir", data)
		cmd.Env = append(os.Environ(), "HOME="+data, "HF_ENDPOINT="+hub.Address())
		cmd.Stdout, cmd.Stderr = said, said
		return cmd
	}
	var first, second, third strings.Builder
	cmd := pull(&first)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	waittest.Until(t, "the first bytes of the weights came", func() bool {
		parts, _ := filepath.Glob(filepath.Join(data, "models", ".pulling-*", "model.safetensors.part"))
		if len(parts) == 0 {
			return false
		}
		info, err := os.Stat(parts[0])
		return err == nil && info.Size() == 1000
	})
	other := pull(&second)
	if err := other.Run(); err == nil || other.ProcessState.ExitCode() != 5 || !strings.Contains(second.String(), "another process is pulling a model") {
		t.Errorf("another process: %v, %s", err, second.String())
	}
	if err := cmd.Process.Signal(syscall.SIGINT); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait() // the code says how
	if cmd.ProcessState.ExitCode() != 130 || !strings.Contains(first.String(), "what was downloaded is kept: the same command continues") {
		t.Errorf("interrupted: exit code %d, %s", cmd.ProcessState.ExitCode(), first.String())
	}
	hub.Lock()
	hub.CutAfter, hub.Asked = 0, nil
	hub.Unlock()
	if err := pull(&third).Run(); err != nil {
		t.Errorf("%v: %s", err, third.String())
	}
	if asked := strings.Join(hub.Requests(), "\n"); !strings.Contains(asked, "store /model.safetensors bytes=1000-") {
		t.Errorf("it asked for %s", asked)
	}
}
