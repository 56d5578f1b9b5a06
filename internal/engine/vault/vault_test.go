package vault_test

import (
	"context"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/engine"
	"github.com/alanbuscaglia/engram/internal/engine/exchange"
	"github.com/alanbuscaglia/engram/internal/engine/relate"
	"github.com/alanbuscaglia/engram/internal/engine/remember"
	enginevault "github.com/alanbuscaglia/engram/internal/engine/vault"
	"github.com/alanbuscaglia/engram/internal/enginetest"
)

// vaultPlace is an engine beside a vault.
type vaultPlace struct {
	t testing.TB
	*engine.Engine
	dir     string
	vault   engram.Vault
	project string
}

func newVaultPlace(t testing.TB) vaultPlace {
	dir := filepath.Join(t.TempDir(), "vault")
	return vaultPlace{t, enginetest.New(t), dir, enginetest.Vault(dir), "shop"}
}

func (p vaultPlace) save(title, content string) engram.Memory {
	p.t.Helper()
	res, err := p.Save(context.Background(), remember.SaveInput{Title: title, Content: content, Project: p.project, Type: "fact"})
	if err != nil {
		p.t.Fatalf("save %q: %v", title, err)
	}
	return res.Memory
}

func (p vaultPlace) export(in enginevault.VaultExportInput) enginevault.VaultExported {
	p.t.Helper()
	res, err := p.ExportVault(context.Background(), p.vault, in)
	if err != nil {
		p.t.Fatalf("export %+v: %v", in, err)
	}
	return res
}

func (p vaultPlace) bring(in enginevault.VaultImportInput) enginevault.VaultImported {
	p.t.Helper()
	res, err := p.ImportVault(context.Background(), p.vault, in)
	if err != nil {
		p.t.Fatalf("import %+v: %v", in, err)
	}
	return res
}

func (p vaultPlace) update(in remember.UpdateInput) {
	p.t.Helper()
	if _, err := p.Update(context.Background(), in); err != nil {
		p.t.Fatalf("update %+v: %v", in, err)
	}
}

func (p vaultPlace) get(num int64) engram.Memory {
	p.t.Helper()
	d, err := p.Get(context.Background(), engram.ByNum(num))
	if err != nil {
		p.t.Fatalf("get %d: %v", num, err)
	}
	return d.Memory
}

// notes returns the notes of the vault with an id or without, by path; not those put aside.
func (p vaultPlace) files() map[string]string {
	p.t.Helper()
	files := map[string]string{}
	err := filepath.WalkDir(p.dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		b, err := os.ReadFile(path)
		name, _ := filepath.Rel(p.dir, path)
		files[filepath.ToSlash(name)] = string(b)
		return err
	})
	if err != nil {
		p.t.Fatal(err)
	}
	return files
}

// noteOf returns the path of the note of a memory.
func (p vaultPlace) noteOf(m engram.Memory) string {
	p.t.Helper()
	for name, text := range p.files() {
		if strings.HasSuffix(name, ".md") && !strings.HasSuffix(name, ".conflict.md") && strings.Contains(text, "\nid: "+string(m.ID)+"\n") {
			return filepath.Join(p.dir, filepath.FromSlash(name))
		}
	}
	p.t.Fatalf("memory %d has no note", m.Num)
	return ""
}

func (p vaultPlace) edit(path, old, new string) {
	p.t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		p.t.Fatal(err)
	}
	if !strings.Contains(string(b), old) {
		p.t.Fatalf("%s has no %q:\n%s", path, old, b)
	}
	p.write(path, strings.ReplaceAll(string(b), old, new))
}

func (p vaultPlace) write(path, text string) {
	p.t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		p.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		p.t.Fatal(err)
	}
}

func acts(res enginevault.VaultImported) string {
	var words []string
	for _, i := range res.Items {
		words = append(words, strings.TrimSpace(string(i.Act)+" "+strings.Join(i.Fields, ",")))
	}
	return strings.Join(words, "; ")
}

func TestNoteAndMemoryThatChangedDifferentFieldsBothHold(t *testing.T) {
	t.Parallel()
	p := newVaultPlace(t)
	m := p.save("Pool size", "The pool has 20 connections")
	p.export(enginevault.VaultExportInput{})
	p.update(remember.UpdateInput{Ref: engram.ByNum(m.Num), AddTags: []string{"db"}})
	p.edit(p.noteOf(m), "20 connections", "30 connections")
	if got := acts(p.bring(enginevault.VaultImportInput{})); got != "revised content" {
		t.Errorf("the import: got %q, want content revised", got)
	}
	now := p.get(m.Num)
	if now.Content != "The pool has 30 connections" || !slices.Equal(now.Tags, []string{"db"}) || now.RevisionCount != 2 {
		t.Errorf("got %q, tags %v, revision %d; want both changes", now.Content, now.Tags, now.RevisionCount)
	}
}

func TestTheSameChangeOnBothSidesIsNoConflict(t *testing.T) {
	t.Parallel()
	p := newVaultPlace(t)
	m := p.save("Pool size", "The pool has 20 connections")
	p.export(enginevault.VaultExportInput{})
	content := "The pool has 30 connections"
	p.update(remember.UpdateInput{Ref: engram.ByNum(m.Num), Content: &content})
	p.edit(p.noteOf(m), "20 connections", "30 connections")
	if res := p.bring(enginevault.VaultImportInput{}); acts(res) != "" || res.Unchanged != 1 {
		t.Errorf("got %q and %d unchanged, want nothing and 1", acts(res), res.Unchanged)
	}
}

func TestALostListOfNotesLosesNothing(t *testing.T) {
	t.Parallel()
	p := newVaultPlace(t)
	a, b := p.save("First", "one"), p.save("Second", "two")
	p.export(enginevault.VaultExportInput{})
	if err := os.Remove(filepath.Join(p.dir, "engram", ".engram-vault.json")); err != nil {
		t.Fatal(err)
	}
	p.edit(p.noteOf(b), "two", "three")
	before := p.files()
	res := p.export(enginevault.VaultExportInput{})
	if res.Created != 0 || res.Updated != 0 || res.Skipped != 1 || len(res.Edited) != 1 {
		t.Errorf("got %+v, want the first known again, and the second left alone", res)
	}
	after := p.files()
	delete(after, "engram/.engram-vault.json")
	if !maps.Equal(before, after) {
		t.Errorf("files changed:\n%v\n%v", before, after)
	}
	if got := acts(p.bring(enginevault.VaultImportInput{})); got != "conflict content" {
		t.Errorf("what was edited, nobody knows when: got %q, want a conflict", got)
	}
	if got := p.get(b.Num).Content; got != "two" {
		t.Errorf("the memory says %q, want two", got)
	}
	p.export(enginevault.VaultExportInput{})
	p.noteOf(a)
	p.noteOf(b)
}

func TestAnExportThatWasStoppedIsGoneOnWith(t *testing.T) {
	t.Parallel()
	p := newVaultPlace(t)
	m := p.save("First", "one")
	p.export(enginevault.VaultExportInput{})
	list := filepath.Join(p.dir, "engram", ".engram-vault.json")
	before, err := os.ReadFile(list)
	if err != nil {
		t.Fatal(err)
	}
	content := "two"
	p.update(remember.UpdateInput{Ref: engram.ByNum(m.Num), Content: &content})
	p.save("Second", "three")
	p.export(enginevault.VaultExportInput{})
	p.write(list, string(before)) // as if the list had not been written
	res := p.export(enginevault.VaultExportInput{})
	if res.Created != 0 || res.Updated != 0 || res.Skipped != 2 || len(res.Edited) != 0 || res.Hubs.Written != 0 {
		t.Errorf("got %+v, want all known again", res)
	}
	if got := acts(p.bring(enginevault.VaultImportInput{})); got != "" {
		t.Errorf("the import: got %q, want nothing", got)
	}
}

func TestANoteThatAPersonMovedStaysThere(t *testing.T) {
	t.Parallel()
	p := newVaultPlace(t)
	m := p.save("First", "one")
	p.export(enginevault.VaultExportInput{})
	moved := filepath.Join(p.dir, "engram", "shop", "mine", "Renamed by me.md")
	b, err := os.ReadFile(p.noteOf(m))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(p.noteOf(m)); err != nil {
		t.Fatal(err)
	}
	p.write(moved, string(b))
	other := p.save("Second", "two")
	if _, err := p.Link(context.Background(), relate.LinkInput{Source: engram.ByNum(other.Num), Target: engram.ByNum(m.Num), Verb: engram.VerbCausedBy}); err != nil {
		t.Fatal(err)
	}
	if got := acts(p.bring(enginevault.VaultImportInput{})); got != "" {
		t.Errorf("the import: got %q, want nothing", got)
	}
	title := "Another title"
	p.update(remember.UpdateInput{Ref: engram.ByNum(m.Num), Title: &title})
	res := p.export(enginevault.VaultExportInput{})
	if res.Updated != 1 || res.Created != 1 || len(res.Missing) != 0 || p.noteOf(m) != moved {
		t.Errorf("got %+v at %s, want the note written where it was moved", res, p.noteOf(m))
	}
	if text := p.files()[strings.TrimPrefix(filepath.ToSlash(p.noteOf(other)), filepath.ToSlash(p.dir)+"/")]; !strings.Contains(text, "[[Renamed by me|Another title]]") {
		t.Errorf("the link does not follow:\n%s", text)
	}
}

func TestOnlyNewNotesAreLimited(t *testing.T) {
	t.Parallel()
	p := newVaultPlace(t)
	p.save("First", "one")
	p.export(enginevault.VaultExportInput{})
	p.save("Second", "two")
	p.save("Third", "three")
	res := p.export(enginevault.VaultExportInput{Limit: 1})
	if res.Created != 1 || res.Skipped != 1 {
		t.Errorf("got %+v, want the newest beside the one that has a note", res)
	}
	if res := p.export(enginevault.VaultExportInput{Since: p.Now()}); res.Created != 0 || res.Skipped != 2 {
		t.Errorf("since now: got %+v, want nothing new", res)
	}
}

func TestNotesOfAnotherStoreStay(t *testing.T) {
	t.Parallel()
	p := newVaultPlace(t)
	p.save("First", "one")
	p.export(enginevault.VaultExportInput{})
	other := vaultPlace{t, enginetest.NewParts(t).Again(t).Engine, p.dir, p.vault, "shop"} // makes other ids
	other.save("Elsewhere", "two")
	if res := other.export(enginevault.VaultExportInput{}); res.Created != 1 || res.Deleted != 0 {
		t.Errorf("got %+v, want one created beside", res)
	}
	if got := acts(other.bring(enginevault.VaultImportInput{})); got != "created" {
		t.Errorf("the import: got %q, want the memory of the first store", got)
	}
	if res := p.export(enginevault.VaultExportInput{}); res.Skipped != 1 || res.Deleted+res.Created+res.Updated != 0 {
		t.Errorf("the first store: got %+v, want nothing to do", res)
	}
}

func TestTheNoteOfWhatWasErasedGoes(t *testing.T) {
	t.Parallel()
	p := newVaultPlace(t)
	m := p.save("First", "one")
	edited := p.save("Second", "two")
	p.export(enginevault.VaultExportInput{})
	p.edit(p.noteOf(edited), "two", "three")
	if _, err := p.Delete(context.Background(), true, engram.ByNum(m.Num), engram.ByNum(edited.Num)); err != nil {
		t.Fatal(err)
	}
	res := p.export(enginevault.VaultExportInput{})
	if res.Deleted != 1 || len(res.Edited) != 1 {
		t.Errorf("got %+v, want one gone, and the one that was edited told", res)
	}
}

// A process that stopped after making a memory of a note, and before noting that in the vault, makes no second one.
func TestANoteThatSaysWhatAMemoryWithoutNoteSaysIsItsNote(t *testing.T) {
	t.Parallel()
	p := newVaultPlace(t)
	m := p.save("First", "one")
	own := filepath.Join(p.dir, "engram", "shop", "mine.md")
	p.write(own, "---\nmood: good\n---\none")
	if res := p.bring(enginevault.VaultImportInput{}); acts(res) != "" || res.Unchanged != 1 {
		t.Errorf("got %q and %d unchanged, want nothing and 1", acts(res), res.Unchanged)
	}
	if res := p.export(enginevault.VaultExportInput{}); res.Updated != 1 || res.Created != 0 || p.noteOf(m) != own {
		t.Errorf("got %+v at %s, want the person's file", res, p.noteOf(m))
	}
}

func TestAnEditOfAnotherStoresNoteComesInAndWaitsForThatStore(t *testing.T) {
	t.Parallel()
	p := newVaultPlace(t)
	m := p.save("First", "one")
	p.export(enginevault.VaultExportInput{})
	other := vaultPlace{t, enginetest.NewParts(t).Again(t).Engine, p.dir, p.vault, "shop"} // makes other ids
	p.edit(p.noteOf(m), "one", "two")
	if got := acts(other.bring(enginevault.VaultImportInput{})); got != "created" {
		t.Errorf("the other store: got %q, want it here", got)
	}
	if got := acts(p.bring(enginevault.VaultImportInput{})); got != "revised content" {
		t.Errorf("its own store: got %q, want it revised", got)
	}
}

func TestNotesThatCannotComeInAreToldAndChangeNothing(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, file, text, act, reason string }{
		{"a topic that another memory has", "shop/new.md", "---\ntopic: a/b\n---\nnew", "rejected", "topic a/b belongs to memory #1"},
		{"what a memory says already", "shop/new.md", "One.", "rejected", "memory #1 says this already"},
		{"a note of no project", "new.md", "new", "noted", "it names no project"},
		{"a note with a project of its own", "new.md", "---\nproject: shop\n---\nnew", "created", ""},
		{"an id that nothing has", "shop/new.md", "---\nid: mem_01m806jkpqhmcmj478e3cqpkg0\n---\nnew", "created", ""},
		{"another program's id", "shop/new.md", "---\nid: 12\n---\nnew", "rejected", "its id is not that of a memory"},
		{"a note that says nothing yet", "shop/Untitled.md", "\n", "", ""},
		{"a note of a session", "_sessions/mine.md", "new", "", ""},
		{"an attachment", "shop/picture.png", "new", "", ""},
		{"a content of private words alone", "shop/new.md", "---\ntitle: a\n---\n<private>x</private>", "created", ""},
		{"too long a title", "shop/new.md", "---\ntitle: " + strings.Repeat("x", engram.MaxTitle+1) + "\n---\nnew", "rejected", "title has"},
		{"a folder that cannot be a project", "\u200bshop/new.md", "new", "rejected", "control characters"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p := newVaultPlace(t)
			topic := "a/b"
			m := p.save("First", "One.")
			p.update(remember.UpdateInput{Ref: engram.ByNum(m.Num), TopicKey: &topic})
			p.export(enginevault.VaultExportInput{})
			p.write(filepath.Join(p.dir, "engram", filepath.FromSlash(tt.file)), tt.text)
			dry := p.bring(enginevault.VaultImportInput{DryRun: true})
			res := p.bring(enginevault.VaultImportInput{})
			if acts(dry) != acts(res) || acts(res) != tt.act || tt.reason != "" && !strings.Contains(res.Items[0].Reason, tt.reason) {
				t.Errorf("%s %.60q: got %q %+v (dry: %q), want %q …%s…", tt.file, tt.text, acts(res), res.Items, acts(dry), tt.act, tt.reason)
			}
			if got := p.get(m.Num); got.Content != "One." || got.RevisionCount != 2 {
				t.Errorf("the memory changed: %+v", got)
			}
		})
	}
}

// Whatever happens to memories and notes, in any order: no text of either side is lost, a person's own files stay,
// and a second export writes nothing.
func TestNoTextIsLostBetweenVaultAndStore(t *testing.T) {
	t.Parallel()
	place, rounds := newVaultPlace(t), 0
	rapid.Check(t, func(r *rapid.T) {
		// A project and a vault of its own each time: a store of its own would take longer.
		rounds++
		p := place
		p.project, p.dir = fmt.Sprintf("shop%d", rounds), fmt.Sprintf("%s%d", place.dir, rounds)
		p.vault = enginetest.Vault(p.dir)
		mine := filepath.Join(p.dir, "engram", "shop", "picture.txt")
		p.write(mine, "mine")
		said := map[string]bool{}
		word := func() string {
			s := fmt.Sprintf("word%03d", len(said))
			said[s] = true
			return s
		}
		all := []engram.Memory{p.save("Title", word())}
		for step := range rapid.IntRange(1, 15).Draw(r, "steps") {
			what := rapid.IntRange(0, 7).Draw(r, "what")
			m := rapid.SampledFrom(all).Draw(r, "memory")
			switch what {
			case 0:
				all = append(all, p.save(fmt.Sprintf("Title %d", step), word()))
			case 1:
				content := word()
				_, _ = p.Update(context.Background(), remember.UpdateInput{Ref: engram.ByNum(m.Num), Content: &content}) // it may be forgotten
				if d, err := p.Get(context.Background(), engram.ByNum(m.Num)); err != nil || d.Memory.Content != content {
					delete(said, content)
				}
			case 2:
				title := fmt.Sprintf("Title %d", step)
				_, _ = p.Update(context.Background(), remember.UpdateInput{Ref: engram.ByNum(m.Num), Title: &title})
			case 3, 4:
				for name, text := range p.files() {
					if strings.Contains(text, "\nid: "+string(m.ID)+"\n") && !strings.HasSuffix(name, ".conflict.md") {
						head, tail, _ := strings.Cut(text, "---\n\n")
						body, tail, _ := strings.Cut(tail, "\n\n<!--")
						p.write(filepath.Join(p.dir, filepath.FromSlash(name)), head+"---\n\n"+body+" "+word()+"\n\n<!--"+tail)
					}
				}
			case 5:
				p.export(enginevault.VaultExportInput{Project: p.project, Force: rapid.Bool().Draw(r, "force")})
			case 6:
				p.bring(enginevault.VaultImportInput{Project: p.project})
			case 7:
				_, _ = p.Forget(context.Background(), engram.ByNum(m.Num)) // it may be forgotten already
			}
		}
		p.bring(enginevault.VaultImportInput{Project: p.project})
		p.export(enginevault.VaultExportInput{Project: p.project})
		before := p.files()
		if res := p.export(enginevault.VaultExportInput{Project: p.project}); res.Created+res.Updated+res.Deleted+res.Hubs.Written > 0 || !maps.Equal(before, p.files()) {
			r.Fatalf("a second export wrote: %+v", res)
		}
		if got := p.bring(enginevault.VaultImportInput{Project: p.project}); got.Op != 0 {
			r.Fatalf("a second import changed something: %+v", got)
		}
		everything := strings.Join(slices.Collect(maps.Values(before)), "\n") + historyOfAll(r, p, all)
		for s := range said {
			if !strings.Contains(everything, s) {
				r.Fatalf("%q is lost", s)
			}
		}
		if before["engram/shop/picture.txt"] != "mine" {
			r.Fatalf("a file of the person's was touched")
		}
	})
}

// historyOfAll returns all current and earlier texts of memories, including forgotten ones.
func historyOfAll(t *rapid.T, p vaultPlace, all []engram.Memory) string {
	var b strings.Builder
	for _, m := range all {
		h, err := p.History(context.Background(), engram.ByNum(m.Num))
		if err != nil {
			t.Fatalf("history of %d: %v", m.Num, err)
		}
		for _, v := range h.Versions {
			b.WriteString(v.Content + "\n")
		}
	}
	return b.String()
}

func BenchmarkVault10000(b *testing.B) {
	p := newVaultPlace(b)
	var file strings.Builder
	file.WriteString(`{"format": "engram", "version": 1, "memories": [`)
	for i := range 10000 {
		fmt.Fprintf(&file, `%s{"title": "Memory %d of the shop", "content": "What number %d says. %s", "project": "shop", "type": "fact"}`,
			strings.Repeat(",", min(i, 1)), i, i, strings.Repeat("Words that go on for a while. ", 12))
	}
	file.WriteString("]}")
	if _, err := p.Import(context.Background(), strings.NewReader(file.String()), exchange.ImportInput{}); err != nil {
		b.Fatal(err)
	}
	b.Run("first", func(b *testing.B) {
		for i := range b.N {
			v := enginetest.Vault(filepath.Join(p.dir, fmt.Sprint(i)))
			if _, err := p.ExportVault(context.Background(), v, enginevault.VaultExportInput{}); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("nothing new", func(b *testing.B) {
		p.export(enginevault.VaultExportInput{})
		for b.Loop() {
			p.export(enginevault.VaultExportInput{})
		}
	})
	b.Run("nothing edited", func(b *testing.B) {
		for b.Loop() {
			p.bring(enginevault.VaultImportInput{})
		}
	})
}
