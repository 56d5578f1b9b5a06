//go:build unix

package gitchunks_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/alanbuscaglia/engram/internal/replica/gitchunks"
)

func TestHoldingFollowsNoFolderThatIsALink(t *testing.T) {
	t.Parallel()
	const id = "obs-0123456789abcdef"
	elsewhere, dir := t.TempDir(), t.TempDir()
	write(t, elsewhere, "aaaa.jsonl.gz", `{"observations":[{"sync_id":"`+id+`"}]}`)
	if err := os.Symlink(filepath.Join(elsewhere, ".engram"), filepath.Join(dir, ".engram")); err != nil {
		t.Fatal(err)
	}
	got, unread, err := gitchunks.Holding(t.Context(), dir, []string{id})
	if err != nil || len(got) != 0 || len(unread) != 1 {
		t.Errorf("got %v, unread %v, %v; want the folder as unread", got, unread, err)
	}
}
