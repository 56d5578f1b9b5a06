package undo_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/engine/brief"
	"github.com/alanbuscaglia/engram/internal/engine/consolidate"
	"github.com/alanbuscaglia/engram/internal/engine/read"
	"github.com/alanbuscaglia/engram/internal/engine/remember"
	"github.com/alanbuscaglia/engram/internal/engine/undo"
	"github.com/alanbuscaglia/engram/internal/enginetest"
)

func TestWhatWasChangedSinceIsNotOverwritten(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name    string
		between func(w enginetest.World, num int64) // after the update that is undone
		code    engram.Code                         // "" when it can be undone
		want    string                              // title and tags afterwards
	}{
		{"nothing happened", func(enginetest.World, int64) {}, "", "first []"},
		{"other fields were changed", func(w enginetest.World, num int64) {
			w.MustUpdate(remember.UpdateInput{Ref: engram.ByNum(num), Importance: new(0.9)})
		}, "", "first []"},
		{"it was read", func(w enginetest.World, num int64) { w.MustGet(num) }, "", "first []"},
		{"it was forgotten", func(w enginetest.World, num int64) { w.MustForget(num) }, "", "first []"},
		{"the text was changed", func(w enginetest.World, num int64) {
			w.MustUpdate(remember.UpdateInput{Ref: engram.ByNum(num), Title: new("third")})
		}, engram.CodeConflict, "third [a]"},
		{"the text was changed, and changed back by hand", func(w enginetest.World, num int64) {
			w.MustUpdate(remember.UpdateInput{Ref: engram.ByNum(num), Title: new("third")})
			w.MustUpdate(remember.UpdateInput{Ref: engram.ByNum(num), Title: new("second")})
		}, "", "first []"},
		{"the text was changed, and that was undone", func(w enginetest.World, num int64) {
			w.MustUpdate(remember.UpdateInput{Ref: engram.ByNum(num), Title: new("third")})
			w.TakeBack(w.LastOp())
		}, "", "first []"},
		{"the tags were changed", func(w enginetest.World, num int64) {
			w.MustUpdate(remember.UpdateInput{Ref: engram.ByNum(num), AddTags: []string{"b"}})
		}, engram.CodeConflict, "second [a b]"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			w := enginetest.NewWorld(t)
			num := w.Note("first", "text")
			w.MustUpdate(remember.UpdateInput{Ref: engram.ByNum(num), Title: new("second"), Tags: new([]string{"a"})})
			op := w.LastOp()
			tt.between(w.In(t), num)
			_, err := w.Undo(t.Context(), undo.UndoInput{Op: op})
			if got := engram.CodeOf(err); got != tt.code {
				t.Fatalf("undo: got %q (%v), want %q", got, err, tt.code)
			}
			if tt.code != "" && !strings.Contains(engram.HintOf(err), "undo ") {
				t.Errorf("hint %q does not name what to undo first", engram.HintOf(err))
			}
			h, err := w.History(t.Context(), engram.ByNum(num))
			if err != nil {
				t.Fatal(err)
			}
			if got := fmt.Sprintf("%s %v", h.Memory.Title, h.Memory.Tags); got != tt.want {
				t.Errorf("got %s, want %s", got, tt.want)
			}
		})
	}
}

func TestUndoingASaveForgetsAndUndoingThatBringsBack(t *testing.T) {
	t.Parallel()
	w := enginetest.NewWorld(t)
	num := w.Note("first", "text")
	u := w.TakeBack(w.LastOp())
	if got := w.MustList(engram.Filter{}); len(got) != 0 {
		t.Errorf("live afterwards: %v, want none", got)
	}
	if u.Op == 0 || u.Undone.Name != "save" || !slices.ContainsFunc(u.Changes, func(c engram.UndoChange) bool { return c.What == "forgotten: first" }) {
		t.Errorf("undo says %+v", u)
	}
	w.TakeBack(u.Op)
	if got := w.MustGet(num).Memory; got.Title != "first" {
		t.Errorf("brought back: %+v", got)
	}
	_, err := w.Undo(t.Context(), undo.UndoInput{Op: u.Op})
	enginetest.WantCode(t, err, engram.CodeConflict)
}

// Undo takes back the latest operation of any kind: the user sees which, and can repeat.
func TestTheLatestIsUndoneFirst(t *testing.T) {
	t.Parallel()
	w := enginetest.NewWorld(t)
	w.Note("first", "text")
	w.Note("second", "other text")
	w.MustSession("s9", "demo")
	if _, err := w.EndSession(t.Context(), "s9", ""); err != nil {
		t.Fatal(err)
	}
	if _, err := w.SavePrompt(t.Context(), remember.PromptInput{Content: "why?", Project: "demo"}); err != nil {
		t.Fatal(err)
	}
	w.MustSave(remember.SaveInput{Title: "elsewhere", Content: "in another project", Project: "old"})
	var got []string
	for {
		u, err := w.Undo(t.Context(), undo.UndoInput{Project: "demo"})
		if err != nil {
			enginetest.WantCode(t, err, engram.CodeNotFound)
			break
		}
		got = append(got, u.Undone.Name)
	}
	enginetest.Same(t, "verbs taken back, in order", got, []string{"prompt", "session_end", "session_start", "save", "save"})
	if got := w.MustList(engram.Filter{Project: "demo"}); len(got) != 0 {
		t.Errorf("live afterwards: %v, want none", got)
	}
	if got := w.MustList(engram.Filter{Project: "old"}); len(got) != 1 {
		t.Errorf("the other project has %v, want its memory", got)
	}
}

// A deleted project has no operations any more, so that its deletion is the latest one of any project that asks.
func TestTheRemovalOfAProjectIsUndoneFromAnother(t *testing.T) {
	t.Parallel()
	w := enginetest.NewWorld(t)
	w.Note("kept", "text")
	w.MustSession("s9", "hollow")
	if gone, err := w.PruneProjects(t.Context(), nil, false); err != nil || len(gone) != 1 {
		t.Fatalf("prune: got %v, %v; want hollow", gone, err)
	}
	u, err := w.Undo(t.Context(), undo.UndoInput{Project: "demo"})
	if err != nil || u.Undone.Name != "project_prune" {
		t.Fatalf("undo in demo: got %+v, %v; want project_prune", u.Undone, err)
	}
	if _, err := w.Session(t.Context(), "s9"); err != nil {
		t.Errorf("the session of the project: got %v, want it back", err)
	}
	if u, err = w.Undo(t.Context(), undo.UndoInput{Project: "demo"}); err != nil || u.Undone.Name != "save" {
		t.Errorf("undo again: got %+v, %v; want the save of demo", u.Undone, err)
	}
}

func TestSeveralAreUndoneAtOnce(t *testing.T) {
	t.Parallel()
	w := enginetest.NewWorld(t)
	a := w.Note("first", "text")
	first := w.LastOp()
	b := w.Note("second", "other text")
	w.MustUpdate(remember.UpdateInput{Ref: engram.ByNum(a), Title: new("third")})
	w.MustForget(b)
	last := w.LastOp()
	in := undo.UndoRangeInput{First: first, Last: last, DryRun: true}
	before := w.Snapshot()
	would, err := w.UndoRange(t.Context(), in)
	if err != nil || len(would) != 4 {
		t.Fatalf("dry run: %d operations, %v; want 4", len(would), err)
	}
	enginetest.Same(t, "what the dry run changed", before.Compare(w.Snapshot()), nil)
	updates, err := w.UndoRange(t.Context(), undo.UndoRangeInput{First: first, Last: last, Operation: "update"})
	if err != nil || len(updates) != 1 || w.MustGet(a).Memory.Title != "first" {
		t.Fatalf("the updates: %+v, %v", updates, err)
	}
	in.DryRun = false
	rest, err := w.UndoRange(t.Context(), in)
	if err != nil || len(rest) != 3 || len(w.MustList(engram.Filter{})) != 0 {
		t.Errorf("the rest: %d operations, %v, live %v; want 3, and nothing left", len(rest), err, w.MustList(engram.Filter{}))
	}
	_, err = w.UndoRange(t.Context(), in)
	enginetest.WantCode(t, err, engram.CodeNotFound)
	_, err = w.UndoRange(t.Context(), undo.UndoRangeInput{First: last, Last: first})
	enginetest.WantCode(t, err, engram.CodeInvalid)
}

func TestADryUndoChangesNothing(t *testing.T) {
	t.Parallel()
	w := enginetest.NewWorld(t)
	num := w.Note("first", "text")
	op := w.LastOp()
	u, err := w.Undo(t.Context(), undo.UndoInput{Op: op, DryRun: true})
	if err != nil || len(u.Changes) == 0 || u.Op != 0 {
		t.Errorf("got %+v, %v; want the changes, and no operation", u, err)
	}
	if w.LastOp() != op || w.MustGet(num).Memory.Title != "first" {
		t.Error("a dry run was written")
	}
}

func TestWhatWasErasedStaysErased(t *testing.T) {
	t.Parallel()
	w := enginetest.NewWorld(t)
	num := w.Note("first", "text")
	saved := w.LastOp()
	if _, err := w.Delete(t.Context(), true, engram.ByNum(num)); err != nil {
		t.Fatal(err)
	}
	_, err := w.Undo(t.Context(), undo.UndoInput{Op: w.LastOp()})
	enginetest.WantCode(t, err, engram.CodeForbidden)
	if u := w.TakeBack(saved); len(u.Left) != 1 || !strings.Contains(u.Left[0], "erased") {
		t.Errorf("undoing the save of what was erased: %+v", u)
	}
	_, err = w.Undo(t.Context(), undo.UndoInput{Op: 4711})
	enginetest.WantCode(t, err, engram.CodeNotFound)
}

func TestTheLogSaysWhoDidWhatToWhat(t *testing.T) {
	t.Parallel()
	w := enginetest.NewWorld(t)
	num := w.Note("first", "text")
	if _, err := w.As(w.Caller().By("mcp:claude-code")).Update(t.Context(), remember.UpdateInput{Ref: engram.ByNum(num), Content: new("new text"), AddTags: []string{"a"}}); err != nil {
		t.Fatal(err)
	}
	w.MustForget(num)
	w.Note("other", "not of interest")
	ref := engram.ByNum(num)
	entries, begins, err := w.Engine.Log(t.Context(), read.LogInput{Ref: &ref})
	if err != nil || !begins.IsZero() {
		t.Fatalf("log: begins %v, %v", begins, err)
	}
	var got []string
	for _, e := range entries {
		for _, i := range e.Items {
			if i.Entity == engram.EntityMemory {
				got = append(got, fmt.Sprintf("%s %s %s %v %v", e.Actor, e.Name, i.Title, i.Created, i.Fields))
			}
		}
	}
	enginetest.Same(t, "log", got, []string{"engram forget first false [taken away]", "mcp:claude-code update first false [tags text]", "engram save first true []"})
	for _, tt := range []struct {
		in   read.LogInput
		want int
	}{
		{read.LogInput{Actor: "mcp"}, 1}, {read.LogInput{Actor: "mc"}, 0}, {read.LogInput{Operation: "save"}, 2},
		{read.LogInput{Project: "nowhere"}, 0}, {read.LogInput{Since: w.Clock.Now().Add(time.Hour)}, 0}, {read.LogInput{Page: engram.Page{Limit: 2}}, 2},
	} {
		entries, _, err := w.Engine.Log(t.Context(), tt.in)
		if err != nil || len(entries) != tt.want {
			t.Errorf("Log(%+v): got %d operations, %v; want %d", tt.in, len(entries), err, tt.want)
		}
	}
}

func TestAMemorySaysAgainWhatItSaidBefore(t *testing.T) {
	t.Parallel()
	w := enginetest.NewWorld(t)
	num := w.Note("title", "one")
	for _, text := range []string{"two", "three"} {
		w.MustUpdate(remember.UpdateInput{Ref: engram.ByNum(num), Content: new(text)})
	}
	if m, err := w.Restore(t.Context(), engram.ByNum(num), 1); err != nil || m.Content != "one" {
		t.Fatalf("restore: %+v, %v", m, err)
	}
	h, err := w.History(t.Context(), engram.ByNum(num))
	if err != nil {
		t.Fatal(err)
	}
	var said []string
	for i, v := range h.Versions {
		said = append(said, v.Content)
		if i > 0 && !v.WrittenAt.Equal(h.Versions[i-1].ReplacedAt) {
			t.Errorf("version %d was written %v, the one before replaced %v", v.Number, v.WrittenAt, h.Versions[i-1].ReplacedAt)
		}
	}
	enginetest.Same(t, "said", said, []string{"one", "two", "three", "one"})
	enginetest.Same(t, "found by what it says", w.MustFind("one"), []int64{num})
	before := w.LastOp()
	if _, err := w.Restore(t.Context(), engram.ByNum(num), h.Versions[3].Number); err != nil || w.LastOp() != before {
		t.Errorf("restoring what it says: %v, operation %d after %d", err, w.LastOp(), before)
	}
	_, err = w.Restore(t.Context(), engram.ByNum(num), 99)
	enginetest.WantCode(t, err, engram.CodeNotFound)
	w.TakeBack(before)
	if m := w.MustGet(num).Memory; m.Content != "three" {
		t.Errorf("after undoing the restore it says %q, want three", m.Content)
	}
}

func TestACompactedJournalSaysWhereItBegins(t *testing.T) {
	t.Parallel()
	w := enginetest.NewWorld(t)
	num := w.Note("title", "one")
	first := w.LastOp()
	w.Clock.Add(400 * 24 * time.Hour)
	w.MustUpdate(remember.UpdateInput{Ref: engram.ByNum(num), Content: new("two")})
	year := consolidate.CompactInput{Keep: 365 * 24 * time.Hour}
	dry := year
	dry.DryRun = true
	would, err := w.CompactJournal(t.Context(), dry)
	if err != nil || would.Entries == 0 {
		t.Fatalf("dry run: %+v, %v", would, err)
	}
	did, err := w.CompactJournal(t.Context(), year)
	if err != nil || did.Entries != would.Entries {
		t.Fatalf("compact: %+v, %v; the dry run said %+v", did, err, would)
	}
	if again, err := w.CompactJournal(t.Context(), year); err != nil || again.Entries != 0 {
		t.Errorf("again: %+v, %v; want nothing", again, err)
	}
	_, begins, err := w.Engine.Log(t.Context(), read.LogInput{})
	if err != nil || !begins.Equal(did.Before) {
		t.Errorf("the journal begins %v, %v; want %v", begins, err, did.Before)
	}
	_, err = w.Undo(t.Context(), undo.UndoInput{Op: first})
	enginetest.WantCode(t, err, engram.CodeNotFound)
	if err == nil || !strings.Contains(err.Error(), "begins on") {
		t.Errorf("undo of what was compacted says %v", err)
	}
	d, err := w.GetAsOf(t.Context(), engram.ByNum(num), begins.Add(-time.Hour))
	if err != nil || d.Memory.Content != "one" || len(d.Degraded) != 1 {
		t.Errorf("before the journal: %q, %v, %v; want the oldest text and a word about it", d.Memory.Content, d.Degraded, err)
	}
	_, err = w.CompactJournal(t.Context(), consolidate.CompactInput{Keep: time.Hour})
	enginetest.WantCode(t, err, engram.CodeInvalid)
}

func TestWhatThereWasThen(t *testing.T) {
	t.Parallel()
	w := enginetest.NewWorld(t)
	old := w.Note("Decision", "use Redis")
	gone := w.Note("Gone", "forgotten later")
	moved := w.MustSave(remember.SaveInput{Title: "Moved", Content: "of another project", Project: "old"}).Memory.Num
	then := w.Later()
	w.MustUpdate(remember.UpdateInput{Ref: engram.ByNum(old), Content: new("use Valkey")})
	w.MustForget(gone)
	young := w.Note("Young", "made later")
	w.Merge("demo", "old")

	if d, err := w.GetAsOf(t.Context(), engram.ByNum(old), then); err != nil || d.Memory.Content != "use Redis" || len(d.Revisions) != 0 {
		t.Errorf("what it said then: %+v, %v", d, err)
	}
	if d, err := w.GetAsOf(t.Context(), engram.ByNum(gone), then); err != nil || d.Memory.Forgotten() {
		t.Errorf("what was forgotten since: %+v, %v", d, err)
	}
	_, err := w.GetAsOf(t.Context(), engram.ByNum(young), then)
	enginetest.WantCode(t, err, engram.CodeNotFound)
	for _, tt := range []struct {
		name string
		f    engram.Filter
		page engram.Page
		want []int64
	}{
		{"everything", engram.Filter{}, engram.Page{}, []int64{moved, gone, old}},
		{"the second page", engram.Filter{}, engram.Page{Limit: 1, Offset: 1}, []int64{gone}},
		{"a project that was merged since", engram.Filter{Project: "demo"}, engram.Page{}, []int64{gone, old}},
		{"forgotten ones", engram.Filter{Forgotten: true}, engram.Page{}, []int64{}},
	} {
		ms, degraded, err := enginetest.ListAsOf(t.Context(), w, tt.f, tt.page, then)
		if err != nil || len(degraded) > 0 {
			t.Fatalf("%s: %v, %v", tt.name, degraded, err)
		}
		got := []int64{}
		for _, m := range ms {
			got = append(got, m.Num)
		}
		enginetest.Same(t, tt.name, got, tt.want)
	}
	c, err := w.Engine.Context(t.Context(), brief.ContextInput{AsOf: then})
	if err != nil {
		t.Fatal(err)
	}
	var told []string
	for _, m := range c.Memories {
		told = append(told, m.Content)
	}
	enginetest.Same(t, "context", told, []string{"of another project", "forgotten later", "use Redis"})
}
