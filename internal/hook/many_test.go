package hook_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/attend"
	"github.com/alanbuscaglia/engram/internal/engine"
	"github.com/alanbuscaglia/engram/internal/enginetest"
)

// learnings is a message that lists so many.
func learnings(count int) string {
	var b strings.Builder
	b.WriteString("## Key Learnings:\n")
	for i := range count {
		fmt.Fprintf(&b, "%d. The cart rounds line %d and not the sum, as the tax office wants it\n", i+1, i)
	}
	return b.String()
}

// Of a message that lists what was done, line by line, the first are kept, and it is over: it
// must not cost all events after it their time.
func TestOfVeryManyLearningsTheFirstAreKept(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	d.quiet(d.report("stop", "last_assistant_message", learnings(1000)))
	ms := d.memories(engram.Filter{})
	if len(ms) != 20 || len(d.notes.waiting) != 0 {
		t.Errorf("got %d memories, want 20; %d wait", len(ms), len(d.notes.waiting))
	}
	for _, m := range ms {
		var line int
		if _, err := fmt.Sscanf(m.Content, "The cart rounds line %d", &line); err != nil || line >= 20 {
			t.Errorf("%q is none of the first: %v", m.Content, err)
		}
	}
	if len(d.logged) != 1 || !strings.Contains(d.logged[0], "more learnings than the 20") {
		t.Errorf("logged %v", d.logged)
	}
}

// briefStore has the time for so many writes.
type briefStore struct {
	engram.Store
	left *int
}

func (s briefStore) Update(ctx context.Context, f func(engram.Tx) error) error {
	if *s.left--; *s.left < 0 {
		return context.DeadlineExceeded
	}
	return s.Store.Update(ctx, f)
}

// What an event had the time for is kept, and the next one goes on.
func TestLearningsAreKeptAsFarAsTheTimeGoes(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	store, err := enginetest.OpenStore(t.TempDir() + "/engram.db")
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	left := 0
	e := engine.New(engine.Options{Store: briefStore{store, &left}, Now: enginetest.Start, NewID: enginetest.IDs()})
	d.o.Engine = func() *engine.Engine { return e }
	d.o.Project = "shop"
	d.notes.waiting = []attend.Pending{{Key: "k", What: attend.PendingCapture, Session: "s1", Project: "shop", Text: learnings(18)}}
	var got []int
	for writes := range 4 {
		left = writes + 2 // finding what is kept already takes one, too
		d.quiet(d.tellAs("windsurf", "stop"))
		ms, err := e.List(t.Context(), engram.Filter{}, engram.Page{Limit: 100})
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, len(ms))
	}
	if want := "[8 12 16 18]"; fmt.Sprint(got) != want || len(d.notes.waiting) != 0 {
		t.Errorf("memories after each event: got %v, want %s; still waiting %d", got, want, len(d.notes.waiting))
	}
}

// An agent that has no stop says in the end what it has done.
func TestWhatClineHasLearnedIsKept(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	d.quiet(d.tellAs("cline", "TaskComplete", "taskId", "s1", "taskComplete", map[string]any{"taskMetadata": map[string]any{"taskId": "s1", "result": "Done.\n\n" + learnings(2)}}))
	ms := d.memories(engram.Filter{SessionID: "s1"})
	s, err := d.e.Session(t.Context(), "s1")
	if len(ms) != 2 || err != nil || s.EndedAt.IsZero() {
		t.Errorf("got %d memories, want 2; the session %+v, %v; logged %v", len(ms), s, err, d.logged)
	}
}
