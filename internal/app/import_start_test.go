package app_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/alanbuscaglia/engram/internal/app"
	"github.com/alanbuscaglia/engram/internal/config"
	"github.com/alanbuscaglia/engram/internal/daemon"
)

// starts is a session's start in a folder whose .engram has an export of some memories, and what the
// agent is answered.
func starts(t *testing.T, data, folder, session string) string {
	t.Helper()
	c := config.Config{DataDir: data, DBPath: filepath.Join(data, "engram.db"), EmbeddingModel: config.NoModel, HookWithin: time.Minute, ImportAtStart: true}
	in := `{"session_id":"` + session + `","source":"startup"}`
	return string(app.Hook(t.Context(), c, "test", folder, "some-agent", "session-start", strings.NewReader(in)))
}

func leave(t *testing.T, folder, title string) {
	t.Helper()
	text, err := json.Marshal(map[string]any{"sessions": []any{}, "observations": []any{map[string]any{"title": title, "content": "said of " + title, "type": "manual", "scope": "project"}}, "prompts": []any{}})
	if err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(filepath.Join(folder, ".engram"), 0o755); err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(folder, ".engram", "memories.json"), string(text))
}

// While another sync is running a start waits for none: it says what is pending, and the next one
// brings it in.
func TestAStartDoesNotWaitForAnotherSync(t *testing.T) {
	t.Parallel()
	data, folder := t.TempDir(), filepath.Join(t.TempDir(), "shop")
	leave(t, folder, "Till")
	lock, err := os.OpenFile(filepath.Join(data, "sync.lock"), os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		t.Fatal(err)
	}
	if held, err := daemon.TryLock(lock); err != nil || !held {
		t.Fatalf("lock: %v, %v", held, err)
	}
	if got := starts(t, data, folder, "s1"); !strings.Contains(got, "1 new chunk in .engram is pending, another program is writing: engram sync --import") {
		t.Errorf("while it is held: %q", got)
	}
	if err := lock.Close(); err != nil {
		t.Fatal(err)
	}
	if got := starts(t, data, folder, "s2"); !strings.Contains(got, "Imported 1 memory from 1 chunk in .engram") {
		t.Errorf("once it is free: %q", got)
	}
	if got := starts(t, data, folder, "s3"); strings.Contains(got, ".engram") {
		t.Errorf("a second time: %q, want nothing about it", got)
	}
}

// Two starts at once bring it in once.
func TestStartsAtOnceBringItInOnce(t *testing.T) {
	t.Parallel()
	data, folder := t.TempDir(), filepath.Join(t.TempDir(), "shop")
	leave(t, folder, "Till")
	answers := make(chan string)
	for _, session := range []string{"s1", "s2", "s3", "s4"} {
		go func() { answers <- starts(t, data, folder, session) }()
	}
	imported := 0
	for range 4 {
		if strings.Contains(<-answers, "Imported 1 memory") {
			imported++
		}
	}
	if imported != 1 {
		t.Errorf("%d starts say that they imported it, want 1", imported)
	}
}
