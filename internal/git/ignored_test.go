package git_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/alanbuscaglia/engram/internal/git"
)

func TestWhatGitLeavesOut(t *testing.T) {
	t.Parallel()
	const chunk = ".engram/chunks/00000000.jsonl.gz"
	for _, tt := range []struct{ name, rules, path, want string }{
		{"no rule", "*.log\n", chunk, ""},
		{"the folder", "# ours\n.engram\n", chunk, ".gitignore:2:.engram"},
		{"every packed file", "*.gz\n", chunk, ".gitignore:1:*.gz"},
		{"a rule that is taken back", "*.gz\n!.engram/chunks/*\n", chunk, ""},
		{"a pattern with a colon", "*:x\n", "a:x", ".gitignore:1:*:x"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			dir := repository(t)
			if err := os.WriteFile(filepath.Join(dir, ".gitignore"), []byte(tt.rules), 0o600); err != nil {
				t.Fatal(err)
			}
			if got := (git.Folders{}).Ignored(t.Context(), dir, tt.path); got != tt.want {
				t.Errorf("%q of %q\n got %q\nwant %q", tt.path, tt.rules, got, tt.want)
			}
		})
	}
	if got := (git.Folders{}).Ignored(t.Context(), t.TempDir(), chunk); got != "" {
		t.Errorf("no repository: got %q, want none", got)
	}
}
