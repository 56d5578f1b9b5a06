package engine_test

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
)

func (w world) takeBack(op int64) engram.Undone {
	w.Helper()
	u, err := w.Undo(w.Context(), undo.UndoInput{Op: op})
	if err != nil {
		w.Fatalf("undo %d: %v", op, err)
	}
	return u
}

// op returns the newest operation.
func (w world) op() int64 {
	w.Helper()
	entries, _, err := w.Engine.Log(w.Context(), read.LogInput{Page: engram.Page{Limit: 1}})
	if err != nil || len(entries) == 0 {
		w.Fatalf("log: %v, %v", entries, err)
	}
	return entries[0].Op
}

func TestWhatWasChangedSinceIsNotOverwritten(t *testing.T) {
	for _, tt := range []struct {
		name    string
		between func(w world, num int64) // after the update that is undone
		code    engram.Code              // "" when it can be undone
		want    string                   // title and tags afterwards
	}{
		{"nothing happened", func(world, int64) {}, "", "first []"},
		{"other fields were changed", func(w world, num int64) {
			w.update(remember.UpdateInput{Ref: engram.ByNum(num), Importance: new(0.9)})
		}, "", "first []"},
		{"it was read", func(w world, num int64) { w.get(num) }, "", "first []"},
		{"it was forgotten", func(w world, num int64) { w.forget(num) }, "", "first []"},
		{"the text was changed", func(w world, num int64) {
			w.update(remember.UpdateInput{Ref: engram.ByNum(num), Title: new("third")})
		}, engram.CodeConflict, "third [a]"},
		{"the text was changed, and changed back by hand", func(w world, num int64) {
			w.update(remember.UpdateInput{Ref: engram.ByNum(num), Title: new("third")})
			w.update(remember.UpdateInput{Ref: engram.ByNum(num), Title: new("second")})
		}, "", "first []"},
		{"the text was changed, and that was undone", func(w world, num int64) {
			w.update(remember.UpdateInput{Ref: engram.ByNum(num), Title: new("third")})
			w.takeBack(w.op())
		}, "", "first []"},
		{"the tags were changed", func(w world, num int64) {
			w.update(remember.UpdateInput{Ref: engram.ByNum(num), AddTags: []string{"b"}})
		}, engram.CodeConflict, "second [a b]"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			w := newWorld(t)
			num := w.note("first", "text")
			w.update(remember.UpdateInput{Ref: engram.ByNum(num), Title: new("second"), Tags: new([]string{"a"})})
			op := w.op()
			tt.between(w.in(t), num)
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

func (w world) update(in remember.UpdateInput) {
	w.Helper()
	if _, err := w.Update(w.Context(), in); err != nil {
		w.Fatal(err)
	}
}

func (w world) forget(num int64) {
	w.Helper()
	if _, err := w.Forget(w.Context(), engram.ByNum(num)); err != nil {
		w.Fatal(err)
	}
}

func TestUndoingASaveForgetsAndUndoingThatBringsBack(t *testing.T) {
	w := newWorld(t)
	num := w.note("first", "text")
	u := w.takeBack(w.op())
	if got := w.list(engram.Filter{}); len(got) != 0 {
		t.Errorf("live afterwards: %v, want none", got)
	}
	if u.Op == 0 || u.Undone.Name != "save" || !slices.ContainsFunc(u.Changes, func(c engram.UndoChange) bool { return c.What == "forgotten: first" }) {
		t.Errorf("undo says %+v", u)
	}
	w.takeBack(u.Op)
	if got := w.get(num).Memory; got.Title != "first" {
		t.Errorf("brought back: %+v", got)
	}
	_, err := w.Undo(t.Context(), undo.UndoInput{Op: u.Op})
	wantCode(t, err, engram.CodeConflict)
}

// Undo takes back the latest operation of any kind: the user sees which, and can repeat.
func TestTheLatestIsUndoneFirst(t *testing.T) {
	w := newWorld(t)
	w.note("first", "text")
	w.note("second", "other text")
	w.session("s9", "demo")
	if _, err := w.EndSession(t.Context(), "s9", ""); err != nil {
		t.Fatal(err)
	}
	if _, err := w.SavePrompt(t.Context(), remember.PromptInput{Content: "why?", Project: "demo"}); err != nil {
		t.Fatal(err)
	}
	w.save(remember.SaveInput{Title: "elsewhere", Content: "in another project", Project: "old"})
	var got []string
	for {
		u, err := w.Undo(t.Context(), undo.UndoInput{Project: "demo"})
		if err != nil {
			wantCode(t, err, engram.CodeNotFound)
			break
		}
		got = append(got, u.Undone.Name)
	}
	same(t, "verbs taken back, in order", got, []string{"prompt", "session_end", "session_start", "save", "save"})
	if got := w.list(engram.Filter{Project: "demo"}); len(got) != 0 {
		t.Errorf("live afterwards: %v, want none", got)
	}
	if got := w.list(engram.Filter{Project: "old"}); len(got) != 1 {
		t.Errorf("the other project has %v, want its memory", got)
	}
}

// A deleted project has no operations any more, so that its deletion is the latest one of any project that asks.
func TestTheRemovalOfAProjectIsUndoneFromAnother(t *testing.T) {
	w := newWorld(t)
	w.note("kept", "text")
	w.session("s9", "hollow")
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
	w := newWorld(t)
	a := w.note("first", "text")
	first := w.op()
	b := w.note("second", "other text")
	w.update(remember.UpdateInput{Ref: engram.ByNum(a), Title: new("third")})
	w.forget(b)
	last := w.op()
	in := undo.UndoRangeInput{First: first, Last: last, DryRun: true}
	before := w.snapshot()
	would, err := w.UndoRange(t.Context(), in)
	if err != nil || len(would) != 4 {
		t.Fatalf("dry run: %d operations, %v; want 4", len(would), err)
	}
	same(t, "what the dry run changed", before.compare(w.snapshot()), nil)
	updates, err := w.UndoRange(t.Context(), undo.UndoRangeInput{First: first, Last: last, Operation: "update"})
	if err != nil || len(updates) != 1 || w.get(a).Memory.Title != "first" {
		t.Fatalf("the updates: %+v, %v", updates, err)
	}
	in.DryRun = false
	rest, err := w.UndoRange(t.Context(), in)
	if err != nil || len(rest) != 3 || len(w.list(engram.Filter{})) != 0 {
		t.Errorf("the rest: %d operations, %v, live %v; want 3, and nothing left", len(rest), err, w.list(engram.Filter{}))
	}
	_, err = w.UndoRange(t.Context(), in)
	wantCode(t, err, engram.CodeNotFound)
	_, err = w.UndoRange(t.Context(), undo.UndoRangeInput{First: last, Last: first})
	wantCode(t, err, engram.CodeInvalid)
}

func TestADryUndoChangesNothing(t *testing.T) {
	w := newWorld(t)
	num := w.note("first", "text")
	op := w.op()
	u, err := w.Undo(t.Context(), undo.UndoInput{Op: op, DryRun: true})
	if err != nil || len(u.Changes) == 0 || u.Op != 0 {
		t.Errorf("got %+v, %v; want the changes, and no operation", u, err)
	}
	if w.op() != op || w.get(num).Memory.Title != "first" {
		t.Error("a dry run was written")
	}
}

func TestWhatWasErasedStaysErased(t *testing.T) {
	w := newWorld(t)
	num := w.note("first", "text")
	saved := w.op()
	if _, err := w.Delete(t.Context(), true, engram.ByNum(num)); err != nil {
		t.Fatal(err)
	}
	_, err := w.Undo(t.Context(), undo.UndoInput{Op: w.op()})
	wantCode(t, err, engram.CodeForbidden)
	if u := w.takeBack(saved); len(u.Left) != 1 || !strings.Contains(u.Left[0], "erased") {
		t.Errorf("undoing the save of what was erased: %+v", u)
	}
	_, err = w.Undo(t.Context(), undo.UndoInput{Op: 4711})
	wantCode(t, err, engram.CodeNotFound)
}

func TestTheLogSaysWhoDidWhatToWhat(t *testing.T) {
	w := newWorld(t)
	num := w.note("first", "text")
	if _, err := w.As(w.Caller().By("mcp:claude-code")).Update(t.Context(), remember.UpdateInput{Ref: engram.ByNum(num), Content: new("new text"), AddTags: []string{"a"}}); err != nil {
		t.Fatal(err)
	}
	w.forget(num)
	w.note("other", "not of interest")
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
	same(t, "log", got, []string{"engram forget first false [taken away]", "mcp:claude-code update first false [tags text]", "engram save first true []"})
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
	w := newWorld(t)
	num := w.note("title", "one")
	for _, text := range []string{"two", "three"} {
		w.update(remember.UpdateInput{Ref: engram.ByNum(num), Content: new(text)})
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
	same(t, "said", said, []string{"one", "two", "three", "one"})
	same(t, "found by what it says", w.find("one"), []int64{num})
	before := w.op()
	if _, err := w.Restore(t.Context(), engram.ByNum(num), h.Versions[3].Number); err != nil || w.op() != before {
		t.Errorf("restoring what it says: %v, operation %d after %d", err, w.op(), before)
	}
	_, err = w.Restore(t.Context(), engram.ByNum(num), 99)
	wantCode(t, err, engram.CodeNotFound)
	w.takeBack(before)
	if m := w.get(num).Memory; m.Content != "three" {
		t.Errorf("after undoing the restore it says %q, want three", m.Content)
	}
}

func TestACompactedJournalSaysWhereItBegins(t *testing.T) {
	w := newWorld(t)
	num := w.note("title", "one")
	first := w.op()
	w.Clock.Add(400 * 24 * time.Hour)
	w.update(remember.UpdateInput{Ref: engram.ByNum(num), Content: new("two")})
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
	wantCode(t, err, engram.CodeNotFound)
	if err == nil || !strings.Contains(err.Error(), "begins on") {
		t.Errorf("undo of what was compacted says %v", err)
	}
	d, err := w.GetAsOf(t.Context(), engram.ByNum(num), begins.Add(-time.Hour))
	if err != nil || d.Memory.Content != "one" || len(d.Degraded) != 1 {
		t.Errorf("before the journal: %q, %v, %v; want the oldest text and a word about it", d.Memory.Content, d.Degraded, err)
	}
	_, err = w.CompactJournal(t.Context(), consolidate.CompactInput{Keep: time.Hour})
	wantCode(t, err, engram.CodeInvalid)
}

func TestWhatThereWasThen(t *testing.T) {
	w := newWorld(t)
	old := w.note("Decision", "use Redis")
	gone := w.note("Gone", "forgotten later")
	moved := w.save(remember.SaveInput{Title: "Moved", Content: "of another project", Project: "old"}).Memory.Num
	then := w.later()
	w.update(remember.UpdateInput{Ref: engram.ByNum(old), Content: new("use Valkey")})
	w.forget(gone)
	young := w.note("Young", "made later")
	w.merge("demo", "old")

	if d, err := w.GetAsOf(t.Context(), engram.ByNum(old), then); err != nil || d.Memory.Content != "use Redis" || len(d.Revisions) != 0 {
		t.Errorf("what it said then: %+v, %v", d, err)
	}
	if d, err := w.GetAsOf(t.Context(), engram.ByNum(gone), then); err != nil || d.Memory.Forgotten() {
		t.Errorf("what was forgotten since: %+v, %v", d, err)
	}
	_, err := w.GetAsOf(t.Context(), engram.ByNum(young), then)
	wantCode(t, err, engram.CodeNotFound)
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
		ms, degraded, err := listAsOf(t.Context(), w, tt.f, tt.page, then)
		if err != nil || len(degraded) > 0 {
			t.Fatalf("%s: %v, %v", tt.name, degraded, err)
		}
		got := []int64{}
		for _, m := range ms {
			got = append(got, m.Num)
		}
		same(t, tt.name, got, tt.want)
	}
	c, err := w.Engine.Context(t.Context(), brief.ContextInput{AsOf: then})
	if err != nil {
		t.Fatal(err)
	}
	var told []string
	for _, m := range c.Memories {
		told = append(told, m.Content)
	}
	same(t, "context", told, []string{"of another project", "forgotten later", "use Redis"})
}
