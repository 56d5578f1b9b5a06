package vault_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/engine/undo"
	"github.com/alanbuscaglia/engram/internal/engine/vault"
	"github.com/alanbuscaglia/engram/internal/enginetest"
)

// byHand writes notes without an id into the folder of the shop, as a person does.
func (p vaultPlace) byHand(names ...string) {
	p.t.Helper()
	for _, name := range names {
		p.write(filepath.Join(p.dir, "engram", "shop", name), "What "+name+" says.\n")
	}
}

func TestANoteThatAPersonWroteStaysWhenItsMemoryGoes(t *testing.T) {
	t.Parallel()
	for _, exported := range []bool{false, true} {
		p := newVaultPlace(t)
		p.byHand("n3.md")
		p.bring(vault.VaultImportInput{})
		if exported {
			p.export(vault.VaultExportInput{})
		}
		if _, err := p.Undo(t.Context(), undo.UndoInput{Project: "shop"}); err != nil {
			t.Fatal(err)
		}
		if res := p.bring(vault.VaultImportInput{}); len(res.Items) != 1 || !strings.Contains(res.Items[0].Reason, "was forgotten here") {
			t.Errorf("exported %v: import after the undo: got %+v, want that the memory was forgotten", exported, res.Items)
		}
		res := p.export(vault.VaultExportInput{})
		if res.Deleted != 0 || len(res.Remarks) != 1 || res.Remarks[0].Path != "engram/shop/n3.md" {
			t.Errorf("exported %v: export after the undo: got %+v, want that the note stays and is named", exported, res)
		}
		if b, err := os.ReadFile(filepath.Join(p.dir, "engram", "shop", "n3.md")); err != nil || !strings.Contains(string(b), "What n3.md says.") {
			t.Errorf("exported %v: the note: got %q, %v, want what the person wrote", exported, b, err)
		}
	}
}

func TestNotesThatAPersonWroteComeIntoEveryStoreThatSharesTheVault(t *testing.T) {
	t.Parallel()
	p := newVaultPlace(t)
	p.byHand("n1.md", "n2.md")
	a := p.bring(vault.VaultImportInput{})
	p.Engine = enginetest.New(t)
	b := p.bring(vault.VaultImportInput{})
	if acts(b) != "created; created" {
		t.Fatalf("import of the second person: got %+v, want both notes", b.Items)
	}
	ids := map[string]bool{}
	for _, i := range append(a.Items, b.Items...) {
		ids[string(i.ID)] = true
	}
	if len(ids) != 2 || p.get(b.Items[0].Num).Content == "" {
		t.Errorf("ids of two stores: got %v, want the same two", ids)
	}
	if again := p.bring(vault.VaultImportInput{}); len(again.Items) != 0 {
		t.Errorf("second import: got %+v, want nothing new", again.Items)
	}
}

func TestANoteThatAPersonWroteIsEditedBeforeItHasAnID(t *testing.T) {
	t.Parallel()
	p := newVaultPlace(t)
	p.byHand("n1.md")
	m := p.bring(vault.VaultImportInput{}).Items[0]
	p.edit(filepath.Join(p.dir, "engram", "shop", "n1.md"), "says", "said")
	if res := p.bring(vault.VaultImportInput{}); acts(res) != "revised content" || !strings.Contains(p.get(m.Num).Content, "said") {
		t.Errorf("import of the edit: got %+v, want that the memory is revised", res.Items)
	}
}

func TestNewNotesAreTakenBackByOneUndo(t *testing.T) {
	t.Parallel()
	p := newVaultPlace(t)
	m := p.save("First", "One.")
	p.export(vault.VaultExportInput{})
	p.edit(p.noteOf(m), "One.", "Two.")
	p.byHand("n1.md", "n2.md", "n3.md")
	p.write(filepath.Join(p.dir, "engram", "shop", "n4.md"), "What n1.md says.\n")
	res := p.bring(vault.VaultImportInput{})
	if acts(res) != "revised content; created; created; created; rejected" {
		t.Errorf("import: got %q, want an edit, three new notes, and one that repeats another", acts(res))
	}
	if res.Ops != 2 || res.First == 0 || res.First >= res.Op {
		t.Errorf("operations: got %d, %d..%d, want two", res.Ops, res.First, res.Op)
	}
	if _, err := p.UndoRange(t.Context(), undo.UndoRangeInput{First: res.First, Last: res.Op, Operation: "vault"}); err != nil {
		t.Fatal(err)
	}
	all, err := p.List(t.Context(), engram.Filter{Project: "shop"}, engram.Page{})
	if err != nil || len(all) != 1 || p.get(m.Num).Content != "One." {
		t.Errorf("after the undo: got %+v, %v, want the store as it was", all, err)
	}
}

func TestANoteWithoutRelationsThatIsCutOffIsAConflict(t *testing.T) {
	t.Parallel()
	p := newVaultPlace(t)
	m := p.save("Tokens", "Access tokens are JWT.\n\nThey live 15 minutes.")
	p.export(vault.VaultExportInput{})
	path := p.noteOf(m)
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	text, _, _ := strings.Cut(string(b), " JWT")
	p.write(path, text)
	res := p.bring(vault.VaultImportInput{})
	if acts(res) != "conflict" || p.get(m.Num).Content != m.Content {
		t.Errorf("import of a note that was cut off: got %+v, want a conflict and the memory as it was", res.Items)
	}
	if b, err := os.ReadFile(path); err != nil || string(b) != text {
		t.Errorf("the note: got %q, %v, want it as it is", b, err)
	}
}
