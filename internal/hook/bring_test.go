package hook_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/alanbuscaglia/engram/internal/engine/remember"
)

// What is new in a repository comes in before a session is told what it should know, and is said with
// that; after a compaction, and without a project, it is not checked.
func TestASessionBeginsWithWhatAPullBrought(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	var asked []string
	d.o.BringIn = func(ctx context.Context, project, dir string) (string, error) {
		asked = append(asked, project+" "+strings.TrimPrefix(dir, d.dir))
		if len(asked) > 1 {
			return "", nil
		}
		_, err := d.e.Save(ctx, remember.SaveInput{Title: "Till", Content: "The till closes at six", Project: project})
		return "Imported 1 memory from 1 chunk in .engram", err
	}
	first := d.report("session-start", "source", "startup")
	if !strings.Contains(first, "Imported 1 memory from 1 chunk in .engram.") || !strings.Contains(first, "The till closes at six") {
		t.Errorf("the start is told %s, want what came in, and the line about it", first)
	}
	if again := d.report("session-start", "source", "compact"); strings.Contains(again, "Imported") || len(asked) != 1 {
		t.Errorf("after a compaction %s, asked %q; want that nobody looked", again, asked)
	}
	if len(asked) == 0 || asked[0] != "shop " {
		t.Errorf("asked for %q, want the project and the folder", asked)
	}
}

// Where there is nothing else to say, the line stands alone; and what cannot be brought in keeps no
// session from its brief.
func TestWhatAPullBroughtIsSaidAlone(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	d.o.BringIn = func(context.Context, string, string) (string, error) {
		return "2 new chunks in .engram are pending", nil
	}
	if got := d.report("session-start", "source", "startup"); !strings.Contains(got, "2 new chunks in .engram are pending.") {
		t.Errorf("got %q, want the line", got)
	}
	d = newDesk(t)
	if _, err := d.e.Save(t.Context(), remember.SaveInput{Title: "Till", Content: "The till closes at six", Project: "shop"}); err != nil {
		t.Fatal(err)
	}
	d.o.BringIn = func(context.Context, string, string) (string, error) { return "", errors.New("no disk") }
	if got := d.report("session-start", "source", "startup"); !strings.Contains(got, "The till closes at six") {
		t.Errorf("got %q, want the brief", got)
	}
	if len(d.logged) != 1 || d.logged[0] != "import: no disk" {
		t.Errorf("logged %q, want what could not be done", d.logged)
	}
}

// An agent without an event for its start has it with the first prompt, and once.
func TestAFirstPromptBringsInToo(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	asked := 0
	d.o.BringIn = func(context.Context, string, string) (string, error) {
		asked++
		return "Imported 1 memory from 1 chunk in .engram", nil
	}
	if got := d.report("prompt", "prompt", "What is open here?"); !strings.Contains(got, "Imported 1 memory") {
		t.Errorf("got %q, want the line", got)
	}
	if got := d.report("prompt", "prompt", "And what else?"); strings.Contains(got, "Imported") || asked != 1 {
		t.Errorf("got %q, asked %d times; want once", got, asked)
	}
}
