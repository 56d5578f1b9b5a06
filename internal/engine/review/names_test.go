package review_test

import (
	"context"
	"strings"
	"testing"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/engine/review"
	"github.com/alanbuscaglia/engram/internal/enginetest"
)

func TestANameThatIsNoneLeavesAllOthersUndecided(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, names, unknown string
		code                 engram.Code
	}{
		{"one that waits not", "w1 1 w999", "w999", engram.CodeNotFound},
		{"a memory that is not there", "1 999 w1 #77", "999, #77", engram.CodeNotFound},
		{"one that was forgotten", "w1 2", "2", engram.CodeNotFound},
		{"what names nothing", "w1 what?", "what?", engram.CodeInvalid},
	} {
		w := enginetest.NewWorld(t)
		w.Note("Lighthouse", "The keeper logs ships.")
		w.MustForget(w.Note("Harbour", "The pilot comes at noon.")) // #2
		propose(t, w.Engine, inTranscript("s1", found(sqlite)))
		before := w.LastOp()
		for verb, do := range map[string]func(context.Context, []string) (review.Decided, error){"approve": w.ApproveNamed, "refuse": w.RefuseNamed} {
			res, err := do(t.Context(), strings.Fields(tt.names))
			enginetest.WantCode(t, err, tt.code)
			if !strings.Contains(err.Error(), tt.unknown) || len(res.Done) > 0 || w.LastOp() != before || len(proposals(w)) != 1 {
				t.Errorf("%s, %s: got %+v, %v, and %d wait; want nothing done", verb, tt.name, res, err, len(proposals(w)))
			}
		}
	}
}

func TestWhatIsNamedTwiceIsDecidedOnce(t *testing.T) {
	t.Parallel()
	for _, verb := range []string{"approve", "refuse"} {
		w := enginetest.NewWorld(t)
		num := w.Note("Lighthouse", "The keeper logs ships.")
		propose(t, w.Engine, inTranscript("s1", found(sqlite)))
		do := w.ApproveNamed
		if verb == "refuse" {
			do = w.RefuseNamed
		}
		id := string(w.MustGet(num).Memory.ID)
		res, err := do(t.Context(), []string{"w1", id, "W1", "#1", "1"})
		if err != nil || len(res.Done) != 2 || res.Done[0].Name != "w1" || res.Done[1].Name != "1" || len(proposals(w)) > 0 {
			t.Errorf("%s: got %+v, %v; want w1 and 1, each once", verb, res, err)
		}
	}
}
