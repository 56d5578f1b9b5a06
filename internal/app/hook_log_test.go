package app_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/alanbuscaglia/engram/internal/app"
	"github.com/alanbuscaglia/engram/internal/config"
)

// What a hook could not do stands in a line that helps to find the cause, and has no word
// of anybody's text.
func TestTheLogOfHooks(t *testing.T) {
	t.Parallel()
	const event = `{"session_id":"hunter2","prompt":"hunter2","tool_name":"hunter2","tool_input":{"command":"hunter2"},"error":"hunter2"}`
	for _, tt := range []struct {
		name, agent, event, text string
		spoil                    func(t *testing.T, dir string)
		want                     string // of each line, behind its time
	}{
		{"a file that is no database", "claude-code", "UserPromptSubmit", event, func(t *testing.T, dir string) {
			t.Helper()
			write(t, filepath.Join(dir, "engram.db"), "hunter2, and no database")
		}, `claude-code prompt till (brief|remind|write-prompt): invalid, the file is not a database \(SQLite 26\), after \d+ ms`},
		{"a folder that is a file", "hunter2", "prompt", event, func(t *testing.T, dir string) {
			t.Helper()
			write(t, filepath.Join(dir, "notes"), "hunter2")
		}, `another prompt (-|till) (claim|note|notes|wait|waiting|written): unavailable, not a directory, after \d+ ms`},
		{"half an event", "codex", "stop", event[:40], func(*testing.T, string) {}, `codex stop - read: invalid, truncated JSON, after \d+ ms`},
		{"no event", "codex", "stop", "", func(*testing.T, string) {}, `codex stop - read: invalid, no input, after \d+ ms`},
		{"nonsense", "codex", "stop", "{hunter2}", func(*testing.T, string) {}, `codex stop - read: invalid, JSON error at byte 2, after \d+ ms`},
		{"a list", "codex", "stop", `["hunter2"]`, func(*testing.T, string) {}, `codex stop - decode: invalid, the event is not a JSON object, after \d+ ms`},
		{"an event that nobody knows", "claude-code", "UserPromtSubmit", event, func(*testing.T, string) {}, `claude-code - - command-line: invalid, there is no event UserPromtSubmit, after \d+ ms`},
		{"no event's name", "claude-code", "", event, func(*testing.T, string) {}, `claude-code - - command-line: invalid, there is no such event, after \d+ ms`},
		{"what is no event's name", "claude-code", "hunter2 and more", event, func(*testing.T, string) {}, `claude-code - - command-line: invalid, there is no such event, after \d+ ms`},
		{"an agent that nobody knows", "hunter2", "session-start", `{"session_id":"s1"}`, func(*testing.T, string) {}, `another session-start - command-line: invalid, there is no such agent, after \d+ ms`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			dir := t.TempDir()
			tt.spoil(t, dir)
			log := logOf(t, dir, tt.agent, tt.event, tt.text)
			line := regexp.MustCompile(`^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ ` + tt.want + `$`)
			if log == "" || strings.Contains(log, "hunter2") {
				t.Errorf("the log is\n%s", log)
			}
			for l := range strings.Lines(log) {
				if !line.MatchString(strings.TrimSuffix(l, "\n")) {
					t.Errorf("got  %swant %s", l, line)
				}
			}
		})
	}
}

func TestTheLogOfHooksIsBounded(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path := filepath.Join(dir, "hook.log")
	write(t, path, strings.Repeat("an old line\n", 6000))
	write(t, path+".old", "one that is older")
	logOf(t, dir, "codex", "stop", "{")
	log := logOf(t, dir, "codex", "stop", "{")
	old, err := os.ReadFile(path + ".old")
	if err != nil || strings.Count(log, "\n") != 2 || strings.Contains(log, "old") || !strings.HasPrefix(string(old), "an old line") {
		t.Errorf("got %d bytes:\n%.200s\nand before %.50q, %v", len(log), log, old, err)
	}
}

// logOf is the log after an event.
func logOf(t *testing.T, dir, agent, event, text string) string {
	t.Helper()
	c := config.Config{DataDir: dir, DBPath: filepath.Join(dir, "engram.db"), HookWithin: time.Minute, Project: "till", EmbeddingModel: config.NoModel}
	app.Hook(t.Context(), c, "test", dir, agent, event, strings.NewReader(text))
	b, err := os.ReadFile(filepath.Join(dir, "hook.log"))
	if err != nil {
		t.Error(err)
	}
	return string(b)
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}
