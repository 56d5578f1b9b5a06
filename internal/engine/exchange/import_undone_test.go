package exchange_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/engine/exchange"
	"github.com/alanbuscaglia/engram/internal/engine/remember"
	"github.com/alanbuscaglia/engram/internal/enginetest"
)

func TestWhatAnUndoneImportTookAwayComesInAgain(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name         string
		first, again string // named projects; "": none
		want         string // where everything ends up
	}{
		{"as before", "", "", "shop"},
		{"into no other project than a wrong one", "wrong", "", "shop"},
		{"into another project than a wrong one", "wrong", "right", "right"},
		{"into the same project", "mine", "mine", "mine"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			ctx := t.Context()
			other, e := enginetest.New(t), enginetest.New(t)
			for n := range 10 { // so that its later ids differ from those of the other store
				if _, err := other.Save(ctx, remember.SaveInput{Content: fmt.Sprint("not in the file ", n), Project: "apart"}); err != nil {
					t.Fatal(err)
				}
			}
			story(t, other)
			export := enginetest.Exported(t, other, exchange.ExportInput{Project: "shop"})
			enginetest.Undone(t, e, enginetest.Imported(t, e, export, exchange.ImportInput{Project: tt.first}).Op)
			res := enginetest.Imported(t, e, export, exchange.ImportInput{Project: tt.again})
			st, err := e.Stats(ctx, tt.want)
			if err != nil || st.Memories != 2 || st.Prompts != 1 || st.Relations != 1 || st.Sessions != 1 {
				t.Errorf("import %q, undo, import %q: %s has %+v, %v; want 2 memories, a relation, a prompt and a session\nof %+v",
					tt.first, tt.again, tt.want, st, err, res)
			}
			if all, err := e.Stats(ctx, ""); err != nil || all.Memories != 2 || all.Forgotten != 1 || all.Prompts != 1 || all.Sessions != 1 || all.Relations != 1 {
				t.Errorf("import %q, undo, import %q: there is %+v, %v; want the memories themselves, and no copies", tt.first, tt.again, all, err)
			}
			if once := enginetest.Imported(t, e, export, exchange.ImportInput{Project: tt.again}); once.Op != 0 {
				t.Errorf("once more it changed something: %+v", once)
			}
			enginetest.Undone(t, e, res.Op)
			if st, err := e.Stats(ctx, ""); err != nil || st.Memories+st.Prompts+st.Relations != 0 {
				t.Errorf("undone again there is %+v, %v; want nothing", st, err)
			}
		})
	}
}

// A file may name sessions that are not in it.
func TestASessionThatIsOnlyNamedMovesWithWhatIsInIt(t *testing.T) {
	t.Parallel()
	e := enginetest.New(t)
	named := enginetest.NativeFile(`"memories":[{"id":"` + enginetest.ID1 + `","content":"a","project":"shop","session_id":"s9"}]`)
	enginetest.Undone(t, e, enginetest.Imported(t, e, named, exchange.ImportInput{Project: "wrong"}).Op)
	res := enginetest.Imported(t, e, named, exchange.ImportInput{Project: "right"})
	m, err := e.Get(t.Context(), engram.ByID(enginetest.ID1))
	if err != nil {
		t.Fatal(err)
	}
	if m.Memory.Project != "right" || m.Memory.SessionID != "s9" || len(res.Notes) > 0 {
		t.Errorf("the memory is in project %q and session %q, with notes %v; want it in right and s9", m.Memory.Project, m.Memory.SessionID, res.Notes)
	}
	if s, err := e.Session(t.Context(), "s9"); err != nil || s.Project != "right" {
		t.Errorf("its session: got %+v, %v, want it in right", s, err)
	}
	enginetest.Undone(t, e, res.Op)
	if m, err := e.Get(t.Context(), engram.ByID(enginetest.ID1)); err == nil && !m.Memory.Forgotten() {
		t.Errorf("undone it is there: %+v", m.Memory)
	}
}

// What a person forgot, not an undo, belongs to another project nevertheless.
func TestWhatAnotherProjectForgotIsLeftAlone(t *testing.T) {
	t.Parallel()
	const theirs = "mem_01m80fjn7a50pm95tw19tb75ga"
	e := enginetest.New(t)
	named := enginetest.NativeFile(`"memories":[{"id":"` + theirs + `","content":"a","project":"shop"}]`)
	enginetest.Imported(t, e, named, exchange.ImportInput{Project: "wrong"})
	if _, err := e.Forget(t.Context(), engram.ByID(theirs)); err != nil {
		t.Fatal(err)
	}
	enginetest.Imported(t, e, named, exchange.ImportInput{Project: "right"})
	if st, err := e.Stats(t.Context(), "wrong"); err != nil || st.Memories != 0 || st.Forgotten != 1 {
		t.Errorf("project wrong has %+v, %v, want one memory, forgotten", st, err)
	}
}

func TestWhatSomebodyForgotAfterAnUndoStaysForgotten(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	e := enginetest.New(t)
	const export = `"memories":[{"id":"` + enginetest.ID1 + `","content":"a","project":"shop","updated_at":"2026-01-01T00:00:00Z"}]`
	redo := enginetest.Undone(t, e, enginetest.Imported(t, e, enginetest.NativeFile(export), exchange.ImportInput{}).Op)
	enginetest.Undone(t, e, redo)
	if _, err := e.Forget(ctx, engram.ByID(enginetest.ID1)); err != nil {
		t.Fatal(err)
	}
	if res := enginetest.Imported(t, e, enginetest.NativeFile(export), exchange.ImportInput{}); res.Op != 0 || res.Memories.Forgotten != 1 {
		t.Errorf("got %+v, want it to stay forgotten", res)
	}
}

func TestUndoTakesBackWhatWasErasedElsewhere(t *testing.T) {
	t.Parallel()
	e := enginetest.New(t)
	gone := enginetest.NativeFile(`"erased":[{"kind":"memory","id":"` + enginetest.ID1 + `","sync_id":"obs-00000000000000aa","at":7}]`)
	older := enginetest.NativeFile(`"memories":[{"id":"` + enginetest.ID1 + `","sync_id":"obs-00000000000000aa","content":"a","project":"shop"}]`)
	comes := func() bool {
		t.Helper()
		return enginetest.Imported(t, e, older, exchange.ImportInput{DryRun: true}).Memories.Added == 1
	}
	res := enginetest.Imported(t, e, gone, exchange.ImportInput{})
	if res.Erased.Added != 1 || res.Op == 0 || comes() {
		t.Fatalf("import of an erasure: %+v, and what it names comes in: %v; want an operation, and it to stay away", res, comes())
	}
	if again := enginetest.Imported(t, e, gone, exchange.ImportInput{}); again.Op != 0 {
		t.Errorf("a second time it changed something: %+v", again)
	}
	redo := enginetest.Undone(t, e, res.Op)
	if !comes() {
		t.Error("after the undo it is still refused")
	}
	enginetest.Undone(t, e, redo)
	if comes() {
		t.Error("after the undo of the undo it comes in")
	}
	_, out, _ := strings.Cut(enginetest.Exported(t, e, exchange.ExportInput{}), `"erased":`)
	if !strings.Contains(out, `"sync_id":"obs-00000000000000aa"`) || !strings.Contains(out, `"at":7`) {
		t.Errorf("what was erased is exported as %s, want its sync id and its time", out)
	}
}
