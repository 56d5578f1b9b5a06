package vault_test

import (
	"path/filepath"
	"testing"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/engine/remember"
	enginevault "github.com/alanbuscaglia/engram/internal/engine/vault"
	"github.com/alanbuscaglia/engram/internal/enginetest"
)

// A client that may write to one shared project removes no note of another from a vault, and keeps none from coming
// in.
func TestWhoSharesOneProjectErasesNoNotesOfAnother(t *testing.T) {
	t.Parallel()
	_, cs := enginetest.Clones(t, 2)
	a, b := cs[0], cs[1]
	vault := enginetest.Vault(filepath.Join(t.TempDir(), "vault"))
	for _, c := range cs {
		c.MustSave(remember.SaveInput{Title: "Own", Content: "of the shop", Project: "shop", Scope: "personal"})
	}
	m := a.MustSave(remember.SaveInput{Title: "Rate", Content: "two percent", Project: "bank"}).Memory
	if res, err := a.ExportVault(t.Context(), vault, enginevault.VaultExportInput{Project: "bank"}); err != nil || res.Created != 1 {
		t.Fatalf("export: got %+v, %v, want the note of the bank", res, err)
	}
	enginetest.WriteTo(t, a.Remote, "mallory", enginetest.Erasing(m))
	for _, c := range cs {
		c.PullFrom(c.Remote, "shop")
	}
	if res, err := a.ExportVault(t.Context(), vault, enginevault.VaultExportInput{Project: "shop"}); err != nil || res.Deleted != 0 {
		t.Errorf("export of the shop: got %+v, %v, want that the note of the bank stays", res, err)
	}
	res, err := b.ImportVault(t.Context(), vault, enginevault.VaultImportInput{})
	if _, gone := b.Get(t.Context(), engram.ByID(m.ID)); err != nil || gone != nil {
		t.Errorf("import elsewhere: got %+v, %v, and %v; want the memory of the bank", res, err, gone)
	}
}
