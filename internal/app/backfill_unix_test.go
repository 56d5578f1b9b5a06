//go:build unix

package app_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/alanbuscaglia/engram/internal/app"
)

// A folder that could not be looked at for a reason of this machine was taken for a project of its name.
func TestProposalsGoToNoProjectThatCouldNotBeLookedUp(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "c1.jsonl")
	write(t, path, `{"type":"user","message":{"role":"user","content":"Never push to main directly."},"timestamp":"2026-05-05T10:00:00.000Z","cwd":"shop","sessionId":"c1"}`+"\n")
	a := newApp(t, dir)
	save(t, a, "The store is open by now")
	gone := filepath.Join(dir, "gone")
	if err := os.Mkdir(gone, 0o700); err != nil {
		t.Fatal(err)
	}
	t.Chdir(gone) // paths relative to a removed folder cannot be resolved
	if err := os.Remove(gone); err != nil {
		t.Fatal(err)
	}
	if res, err := a.Backfill(t.Context(), app.BackfillOptions{Source: "claude-code", Path: path, Limit: 9}); err == nil {
		t.Errorf("got %+v, want the error", res.New)
	}
}
