package render_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/render"
)

func TestAnUndoOfManyNamesTheFirst(t *testing.T) {
	u := engram.Undone{Undone: engram.Operation{Op: 7, Name: "save"}, Op: 9}
	for i := range 100 {
		u.Changes = append(u.Changes, engram.UndoChange{Entity: engram.EntityMemory, Key: fmt.Sprint(i + 1), What: "forgotten"})
		u.Left = append(u.Left, fmt.Sprintf("session %d", i+1))
	}
	got := render.Undone(u, false)
	for _, want := range []string{"Undid operation 7 (save)\n", "memory #20 forgotten\n  … and 80 more\n", "session 20\n  … and 80 more are left unchanged\n", "To redo it"} {
		if !strings.Contains(got, want) {
			t.Errorf("%q is not in\n%s", want, got)
		}
	}
	if lines := strings.Count(got, "\n"); lines != 44 {
		t.Errorf("got %d lines, want 44\n%s", lines, got)
	}
}
