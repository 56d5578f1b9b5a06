package consolidate_test

import (
	"testing"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/engine/consolidate"
	"github.com/alanbuscaglia/engram/internal/engine/remember"
	"github.com/alanbuscaglia/engram/internal/enginetest"
)

func TestDiagnose(t *testing.T) {
	t.Parallel()
	w := enginetest.NewWorld(t)
	first := w.MustSave(remember.SaveInput{Title: "Access tokens", Content: tokens, Project: "demo", Type: "discovery"}).Memory.Num
	second := w.MustSave(remember.SaveInput{Title: "Access tokens", Content: tokens + "\nThe logout page clears it.", Project: "demo", Type: "decision"}).Memory.Num
	orphan := w.MustSave(remember.SaveInput{Title: "Tea", Content: "There is green tea in the cupboard over the sink.", Project: "demo", Importance: new(0.1)}).Memory.Num
	w.MustSave(remember.SaveInput{Title: "Coffee", Content: "The machine on the second floor wants to be cleaned every Friday.", Project: "demo", TopicKey: "kitchen/coffee"})
	stays := w.MustSave(remember.SaveInput{Title: "Lunch", Content: "We go at noon, to the place at the corner.", Project: "demo", Permanent: true, Importance: new(0.0)}).Memory.Num
	err := w.Store.Update(t.Context(), func(tx engram.Tx) error {
		return tx.RecordUse(t.Context(), engram.Use{Accessed: []int64{stays}, At: w.Clock.Now()})
	})
	if err != nil {
		t.Fatal(err)
	}
	w.Clock.Add(30 * enginetest.Day)

	d, err := w.Diagnose(t.Context(), consolidate.DiagnosticsInput{Project: "demo", Limit: 3})
	if err != nil {
		t.Fatal(err)
	}
	if d.Memories != 5 || d.Never != 4 || d.Pairs != 1 || len(d.Degraded) != 0 {
		t.Errorf("diagnosis is %+v, want 5 memories, 4 of them never accessed, and one pair", d)
	}
	if len(d.Weakest) != 3 || d.Weakest[0].Memory.Num != orphan || d.Weakest[0].Strength > d.Weakest[1].Strength {
		t.Errorf("weakest are %+v, want 3, #%d first", d.Weakest, orphan)
	}
	if len(d.Duplicates) != 1 || d.Duplicates[0].A.Num != first || d.Duplicates[0].B.Num != second || d.Duplicates[0].Against != "not of one type" {
		t.Errorf("duplicates are %+v, want #%d and #%d, and why they stay apart", d.Duplicates, first, second)
	}
	enginetest.Same(t, "orphans", enginetest.Nums(d.Orphans), []int64{orphan})
	enginetest.Same(t, "never recalled", enginetest.Nums(d.Unrecalled), []int64{first, second, orphan})
	if d, err := w.Diagnose(t.Context(), consolidate.DiagnosticsInput{Project: "nowhere"}); err != nil || d.Memories != 0 {
		t.Errorf("diagnosis of nothing is %+v, %v, want nothing", d, err)
	}
	_, err = w.Diagnose(t.Context(), consolidate.DiagnosticsInput{Limit: 1000})
	enginetest.WantCode(t, err, engram.CodeInvalid)
}
