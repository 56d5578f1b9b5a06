//go:build unix

package main

import (
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

// setupHome is a home with configured agents; the program's data is not part of its tree.
type setupHome struct {
	*testing.T
	dir string
}

func newSetupHome(t *testing.T) setupHome {
	t.Helper()
	h := setupHome{t, t.TempDir()}
	for path, content := range map[string]string{
		".codex/config.toml":             "# mine\nmodel = \"large\"\n\n[mcp_servers.other]\ncommand = \"other\"\n",
		".codex/hooks.json":              "{\n  // mine\n  \"hooks\": {\"Stop\": [{\"hooks\": [{\"type\": \"command\", \"command\": \"beep\"}]}]},\n}\n",
		".codex/AGENTS.md":               "# How I work\n\nBriefly.\n",
		".config/zed/settings.json":      "// Zed\n{\n  \"theme\": \"dark\", // at night\n  \"context_servers\": {},\n}\n",
		".config/opencode/opencode.json": "{\"model\": \"x\"}",
	} {
		file := filepath.Join(h.dir, path)
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(content), 0o640); err != nil {
			t.Fatal(err)
		}
	}
	return h
}

// command is the program run in the home.
func (h setupHome) command(program string, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(h.Context(), program, args...)
	cmd.Dir = h.dir
	cmd.Env = append(os.Environ(), "HOME="+h.dir, "XDG_CONFIG_HOME=", "CODEX_HOME=", "ENGRAM_DATA_DIR=")
	return cmd
}

func (h setupHome) run(args ...string) {
	h.Helper()
	if out, err := h.command("engram", args...).CombinedOutput(); err != nil {
		h.Fatalf("engram %s: %v\n%s", strings.Join(args, " "), err, out)
	}
}

// files returns the files of the home with modes and contents, and its folders.
func (h setupHome) files() map[string]string {
	h.Helper()
	all := map[string]string{}
	err := filepath.WalkDir(h.dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.Name() == ".engram" {
			return fs.SkipDir
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		all[path] = info.Mode().String()
		if info.Mode().IsRegular() {
			content, err := os.ReadFile(path)
			all[path] += " " + string(content)
			return err
		}
		return nil
	})
	if err != nil {
		h.Fatal(err)
	}
	return all
}

// same compares the home with an earlier state.
func (h setupHome) same(when string, was map[string]string) {
	h.Helper()
	is := h.files()
	for path, content := range was {
		if is[path] != content {
			h.Errorf("%s: %s is %q, and was %q", when, path, is[path], content)
		}
	}
	for path := range is {
		if _, there := was[path]; !there {
			h.Errorf("%s: %s is there, and was not", when, path)
		}
	}
}

// whole checks that each file is in one of its valid states: original or connected.
func (h setupHome) whole(when string, was, wired map[string]string) {
	h.Helper()
	is := h.files()
	for path, content := range was {
		if now := is[path]; now != content && now != wired[path] {
			h.Errorf("%s: %s is %q: neither what it was nor what it becomes", when, path, now)
		}
	}
}

// Whenever setup or its undo is killed, every file is in its old or its new state, and the next setup and
// undo restore every byte.
func TestSetupKilledAtAnyMomentLeavesFilesWhole(t *testing.T) {
	const kills = 22
	set, undo := []string{"setup", "codex", "zed", "opencode"}, []string{"setup", "--undo"}
	for _, tt := range []struct {
		name                string
		before, args, again []string // commands; the second is killed
	}{
		{"a setup", nil, set, nil},
		{"a setup, which is done again", nil, set, set},
		{"an undo", set, undo, nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			h := newSetupHome(t)
			was := h.files()
			begun := time.Now()
			h.run(set...)
			takes := time.Since(begun)
			wired := h.files()
			h.run(undo...)
			h.same("unharmed", was)
			for n := range kills {
				if tt.before != nil {
					h.run(tt.before...)
				}
				cmd := h.command("engram", tt.args...)
				if err := cmd.Start(); err != nil {
					t.Fatal(err)
				}
				after := takes * time.Duration(n) / kills
				kill := time.AfterFunc(after, func() { _ = cmd.Process.Kill() })
				_ = cmd.Wait() // it may end by itself
				kill.Stop()
				when := "killed after " + after.String()
				h.whole(when, was, wired)
				if tt.again != nil {
					h.run(tt.again...)
				}
				h.run(undo...)
				h.same(when, was)
				if t.Failed() {
					return
				}
			}
		})
	}
}

func TestSetupsAtOnceWaitForEachOther(t *testing.T) {
	t.Parallel()
	h := newSetupHome(t)
	was := h.files()
	for range 3 {
		var all sync.WaitGroup
		for _, name := range []string{"codex", "zed", "opencode", "codex", "gemini-cli"} {
			all.Go(func() {
				if out, err := h.command("engram", "setup", name).CombinedOutput(); err != nil {
					t.Errorf("%s: %v\n%s", name, err, out)
				}
			})
		}
		all.Wait()
		h.run("setup", "codex", "zed", "opencode", "gemini-cli")
		for _, name := range []string{"zed", "codex", "gemini-cli", "opencode"} {
			all.Go(func() {
				if out, err := h.command("engram", "setup", "--undo", name).CombinedOutput(); err != nil {
					t.Errorf("undo %s: %v\n%s", name, err, out)
				}
			})
		}
		all.Wait()
		h.same("undone at once", was)
	}
	if _, err := os.Stat(filepath.Join(h.dir, ".engram")); err == nil {
		t.Error("something is remembered, and nothing is wired")
	}
}

func TestSetupOnAFullDiskLeavesWhatWasThere(t *testing.T) {
	t.Parallel()
	h := newSetupHome(t)
	was := h.files()
	for _, room := range []string{"0", "100", "700", "1500"} {
		cmd := h.command("engram-without-room", "setup", "codex")
		cmd.Env = append(cmd.Env, "ENGRAM_TEST_ROOM="+room)
		out, err := cmd.CombinedOutput()
		if err == nil || cmd.ProcessState.ExitCode() != 5 || !strings.Contains(string(out), "room on the disk") && !strings.Contains(string(out), "cannot be") {
			t.Errorf("with room for %s bytes: %v\n%s\nwant exit code 5, and why", room, err, out)
		}
		h.same("with room for "+room+" bytes", was)
	}
	h.run("setup", "codex")
	h.run("setup", "--undo")
	h.same("with room again", was)
}
