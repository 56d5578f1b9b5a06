package vault_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/alanbuscaglia/engram/internal/engine/vault"
)

func TestALinkInTheWayOfSomeNotesIsPassedOverAndTold(t *testing.T) {
	t.Parallel()
	p := newVaultPlace(t)
	p.save("First", "One.")
	p.project = "other"
	p.save("Second", "Two.")
	outside := t.TempDir()
	if err := os.MkdirAll(filepath.Join(p.dir, "engram", "shop"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(outside, filepath.Join(p.dir, "engram", "shop", "fact")); err != nil {
		t.Fatal(err)
	}
	res := p.export(vault.VaultExportInput{})
	if res.Created != 1 || len(res.Remarks) == 0 {
		t.Errorf("export: got %+v, want the other note, and a word on the link", res)
	}
	if all, err := os.ReadDir(outside); err != nil || len(all) != 0 {
		t.Errorf("behind the link: got %v, %v, want nothing", all, err)
	}
}
