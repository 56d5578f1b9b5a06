package engine_test

import (
	"os"
	"regexp"
	"strconv"
	"testing"

	"pgregory.net/rapid"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/engine/read"
	"github.com/alanbuscaglia/engram/internal/engine/undo"
	"github.com/alanbuscaglia/engram/internal/enginetest"
)

// offered returns the operation that a hint offers to undo.
var offered = regexp.MustCompile(`\bundo (\d+)`)

// erase removes something for good.
func (l *life) erase() {
	l.step(func() (err error) {
		switch l.draw("erased", "memory", "memory", "project", "session", "prompt") {
		case "memory":
			_, err = l.Delete(l.Context(), true, l.num())
		case "project":
			_, err = l.DeleteProject(l.Context(), l.project(), true)
		case "session":
			err = l.DeleteSession(l.Context(), l.draw("session", "s1", "s2"), true)
		case "prompt":
			err = l.DeletePrompt(l.Context(), rapid.Int64Range(1, 3).Draw(l.t, "prompt"), true)
		}
		return err
	})
}

// checkOffers tries what the log and the hints offer: an undo succeeds or is refused, and hints name operations of
// which something is left.
func (l *life) checkOffers() {
	l.t.Helper()
	entries, _, err := l.Engine.Log(l.Context(), read.LogInput{Page: engram.Page{Limit: 100}})
	if err != nil {
		l.t.Fatal(err)
	}
	for _, entry := range append(entries, engram.LogEntry{}) { // 0: the latest
		u, err := l.Undo(l.Context(), undo.UndoInput{Op: entry.Op, DryRun: true})
		if err == nil && len(u.Changes) == 0 {
			l.t.Fatalf("undo %d would take back %+v, and nothing of it: %+v", entry.Op, u.Undone, u)
		}
		if err == nil && entry.Final {
			l.t.Fatalf("the log says that %d (%s) cannot be undone, and it can: %+v", entry.Op, entry.Name, u.Changes)
		}
		hint := offered.FindStringSubmatch(engram.HintOf(err))
		if hint == nil {
			continue
		}
		number, _ := strconv.ParseInt(hint[1], 10, 64)
		_, tried := l.Undo(l.Context(), undo.UndoInput{Op: number, DryRun: true})
		if tried != nil && offered.FindStringSubmatch(engram.HintOf(tried)) == nil {
			l.t.Fatalf("undo %d: %v (%s)\nundo %d: %v (%s)", entry.Op, err, engram.HintOf(err), number, tried, engram.HintOf(tried))
		}
	}
}

func TestAnUndoOffersWhatItCanDo(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		dir, err := os.MkdirTemp("", "undo")
		if err != nil {
			rt.Fatal(err)
		}
		defer func() { _ = os.RemoveAll(dir) }()
		l := &life{World: enginetest.NewWorldIn(t, dir), t: rt}
		for range rapid.IntRange(2, 14).Draw(rt, "length") {
			switch what := rapid.IntRange(0, 5).Draw(rt, "what"); {
			case what == 0:
				l.erase()
			case what == 1 && len(l.ops) > 0:
				ops := rapid.SampledFrom(l.ops).Draw(rt, "ops")
				if res, err := l.Undo(t.Context(), undo.UndoInput{Op: rapid.SampledFrom(ops).Draw(rt, "op")}); err == nil {
					l.ops = append(l.ops, []int64{res.Op})
				}
			default:
				l.act()
			}
		}
		l.checkOffers()
	})
}
