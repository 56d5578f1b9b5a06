package exchange_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/engine"
	"github.com/alanbuscaglia/engram/internal/engine/exchange"
	"github.com/alanbuscaglia/engram/internal/engine/relate"
	"github.com/alanbuscaglia/engram/internal/engine/remember"
	"github.com/alanbuscaglia/engram/internal/engine/undo"
	"github.com/alanbuscaglia/engram/internal/enginetest"
)

// neighbour returns an engine with a memory, a relation, a prompt and a session in project other, and their export.
func neighbour(t *testing.T) (e *engine.Engine, file string) {
	t.Helper()
	e, ctx := enginetest.New(t), t.Context()
	var nums []int64
	for _, text := range []string{"The kettle is blue", "Zebras have stripes"} {
		s, err := e.Save(ctx, remember.SaveInput{Title: text, Content: text + ".", Project: "other", SessionID: "s1", NewSession: len(nums) == 0, Metadata: map[string]any{"k": "v"}})
		if err != nil {
			t.Fatal(err)
		}
		nums = append(nums, s.Memory.Num)
	}
	if _, err := e.Link(ctx, relate.LinkInput{Source: engram.ByNum(nums[0]), Target: engram.ByNum(nums[1]), Verb: "caused_by"}); err != nil {
		t.Fatal(err)
	}
	if _, err := e.SavePrompt(ctx, remember.PromptInput{Content: "Why is it blue?", SessionID: "s1", Project: "other"}); err != nil {
		t.Fatal(err)
	}
	if _, err := e.Save(ctx, remember.SaveInput{Title: "Mine", Content: "It was here before", Project: "mine"}); err != nil {
		t.Fatal(err)
	}
	return e, enginetest.Exported(t, e, exchange.ExportInput{Project: "other"})
}

// mine returns the titles of the live memories of project mine.
func mine(t *testing.T, e *engine.Engine) string {
	t.Helper()
	ms, err := e.List(t.Context(), engram.Filter{Project: "mine"}, engram.Page{})
	if err != nil {
		t.Fatal(err)
	}
	var titles []string
	for _, m := range ms {
		titles = append(titles, m.Title)
	}
	slices.Sort(titles)
	return strings.Join(titles, ", ")
}

func TestWhatAnotherProjectHasComesInAsACopy(t *testing.T) {
	t.Parallel()
	for _, mode := range []exchange.ImportMode{exchange.ImportMerge, exchange.ImportReplace} {
		t.Run(string(mode), func(t *testing.T) {
			e, file := neighbour(t)
			in := exchange.ImportInput{Project: "mine", Mode: mode}
			edited := strings.ReplaceAll(file, "The kettle is blue", "The kettle is red")
			edited = strings.ReplaceAll(edited, `"updated_at":"2026-06-12`, `"updated_at":"2026-06-13`)
			res := enginetest.Imported(t, e, edited, in)
			if res.Memories.Added != 2 || res.Prompts.Added != 1 || res.Sessions.Added != 1 || res.Relations.Added != 1 || res.All().Rejected > 0 {
				t.Errorf("import: got %+v, want two memories, a prompt, a session and a relation added", res)
			}
			if len(res.Notes) != 1 || !strings.Contains(res.Notes[0].Reason, "2 of them are in other projects") {
				t.Errorf("notes: got %+v, want one that tells of two copies", res.Notes)
			}
			_, was, _ := strings.Cut(file, `"projects"`)
			if _, now, _ := strings.Cut(enginetest.Exported(t, e, exchange.ExportInput{Project: "other"}), `"projects"`); now != was {
				t.Errorf("the other project\n got %s\nwant %s", now, was)
			}
			want := map[exchange.ImportMode]string{exchange.ImportMerge: "Mine, The kettle is red, Zebras have stripes", exchange.ImportReplace: "The kettle is red, Zebras have stripes"}
			if got := mine(t, e); got != want[mode] {
				t.Errorf("mine has %s, want %s", got, want[mode])
			}
			if again := enginetest.Imported(t, e, edited, in); again.Op != 0 {
				t.Errorf("a second time it changed something: %+v", again)
			}
			if _, err := e.Undo(t.Context(), undo.UndoInput{Op: res.Op}); err != nil {
				t.Fatal(err)
			}
			if got := mine(t, e); got != "Mine" {
				t.Errorf("after the undo mine has %s, want Mine", got)
			}
		})
	}
}

func TestACopySaysWhatItIsACopyOf(t *testing.T) {
	t.Parallel()
	e, file := neighbour(t)
	enginetest.Imported(t, e, file, exchange.ImportInput{Project: "mine"})
	ms, err := e.List(t.Context(), engram.Filter{}, engram.Page{})
	if err != nil {
		t.Fatal(err)
	}
	ids := map[string]string{}
	for _, m := range ms {
		if m.Project == "other" {
			ids[string(m.ID)] = m.Title
		}
	}
	for _, m := range ms {
		if of, _ := m.Metadata["copy_of"].(string); m.Project == "mine" && m.Title != "Mine" && (ids[of] != m.Title || m.Metadata["k"] != "v") {
			t.Errorf("copy of %q: metadata %v; want copy_of to be its id in the other project, and k", m.Title, m.Metadata)
		}
	}
}

func TestAnErasureActsInsideTheBorderOnly(t *testing.T) {
	t.Parallel()
	e, export := neighbour(t)
	_, rest, _ := strings.Cut(export, `"observations": [`)
	_, rest, _ = strings.Cut(rest, `"engram":{"id":"`)
	id, _, _ := strings.Cut(rest, `"`)
	gone := enginetest.NativeFile(`"erased":[{"kind":"memory","id":"` + id + `","at":116736314769408000},{"kind":"memory","id":"` + enginetest.ID3 + `","at":1}]`)
	if res := enginetest.Imported(t, e, gone, exchange.ImportInput{Project: "mine"}); res.Op != 0 {
		t.Errorf("an erasure of another project's memory: got %+v, want nothing changed", res)
	}
	if m, err := e.Get(t.Context(), engram.ByID(engram.ID(id))); err != nil || m.Memory.Project != "other" {
		t.Errorf("the memory of the other project: %+v, %v; want it to be there", m.Memory, err)
	}
	if res := enginetest.Imported(t, e, enginetest.NativeFile(`"memories":[{"id":"`+enginetest.ID3+`","content":"a","project":"other"}]`), exchange.ImportInput{}); res.Memories.Added != 1 {
		t.Errorf("the erasure of a memory that nobody knew keeps it from the other project: %+v", res)
	}
	if res := enginetest.Imported(t, e, gone, exchange.ImportInput{Project: "other"}); res.Erased.Changed != 2 {
		t.Errorf("in its own project: got %+v, want both memories forgotten, that which is younger than its erasure too", res)
	}
}

func TestAReplacedProjectIsNotEmptiedByAFileOfNothing(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, head string
		want       string
	}{
		{"of no project", ``, "Mine"},
		{"of another project", `"project":"other",`, "Mine"},
		{"of this very project", `"project":"mine",`, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			e, _ := neighbour(t)
			res := enginetest.Imported(t, e, enginetest.NativeFile(tt.head+`"memories":[]`), exchange.ImportInput{Project: "mine", Mode: exchange.ImportReplace})
			if got := mine(t, e); got != tt.want {
				t.Errorf("replace by a file %s\n got %q (%+v)\nwant %q", tt.name, got, res.Memories, tt.want)
			}
		})
	}
}

func TestAReplacementWithWrongItemsIsRefused(t *testing.T) {
	t.Parallel()
	const good = `{"id":"` + enginetest.ID1 + `","content":"good","project":"shop"}`
	for _, tt := range []struct {
		name, items string
		reason      string
	}{
		{"an importance out of range", `"memories":[` + good + `,{"id":"` + enginetest.ID2 + `","content":"kept","project":"shop","importance":7}]`, "importance 7 is out of range"},
		{"an item that cannot be read", `"memories":[` + good + `,7]`, "it is a number, not an object"},
		{"a relation to itself", `"memories":[` + good + `,{"id":"` + enginetest.ID2 + `","content":"kept","project":"shop"}],
			"relations":[{"source":"` + enginetest.ID1 + `","relation":"caused_by","target":"` + enginetest.ID1 + `"}]`, "cannot be related to itself"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			e := enginetest.New(t)
			enginetest.Imported(t, e, enginetest.NativeFile(`"memories":[`+good+`,{"id":"`+enginetest.ID2+`","content":"kept","project":"shop"}]`), exchange.ImportInput{})
			was := enginetest.Exported(t, e, exchange.ExportInput{})
			for _, dry := range []bool{true, false} {
				res, err := e.Import(t.Context(), strings.NewReader(enginetest.NativeFile(tt.items)), exchange.ImportInput{Mode: exchange.ImportReplace, DryRun: dry})
				if engram.CodeOf(err) != engram.CodeInvalid || !strings.Contains(err.Error(), tt.reason) || len(res.Rejected) != 1 || res.Op != 0 {
					t.Errorf("replace, dry run %v: got %+v, %v; want it refused with the item and %q", dry, res, err, tt.reason)
				}
			}
			_, got, _ := strings.Cut(enginetest.Exported(t, e, exchange.ExportInput{}), `"projects"`)
			if _, want, _ := strings.Cut(was, `"projects"`); got != want {
				t.Errorf("afterwards there is\n%s\nwant\n%s", got, want)
			}
		})
	}
}

// An erased item is not a mistake of the file: an older copy still replaces.
func TestAReplacementGoesOnWithoutWhatWasErased(t *testing.T) {
	t.Parallel()
	e := enginetest.New(t)
	old := enginetest.NativeFile(`"memories":[{"id":"` + enginetest.ID1 + `","content":"a","project":"shop"},{"id":"` + enginetest.ID2 + `","content":"b","project":"shop"}],
		"relations":[{"source":"` + enginetest.ID1 + `","relation":"caused_by","target":"` + enginetest.ID2 + `"}]`)
	enginetest.Imported(t, e, old, exchange.ImportInput{})
	if _, err := e.Delete(t.Context(), true, engram.ByID(enginetest.ID2)); err != nil {
		t.Fatal(err)
	}
	res := enginetest.Imported(t, e, old, exchange.ImportInput{Mode: exchange.ImportReplace})
	if res.Memories.Unchanged != 1 || res.Memories.Rejected != 1 || res.Relations.Rejected != 1 || res.Memories.Removed != 0 {
		t.Errorf("got %+v; want the one unchanged, the other and its relation left out", res)
	}
}
