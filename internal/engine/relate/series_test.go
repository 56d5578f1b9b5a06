package relate_test

import (
	"fmt"
	"testing"

	"github.com/alanbuscaglia/engram/internal/engine/ledger"
	"github.com/alanbuscaglia/engram/internal/engine/relate"
	"github.com/alanbuscaglia/engram/internal/engine/remember"
	"github.com/alanbuscaglia/engram/internal/enginetest"
)

// A series repeats the same words with another number, date, version or name in one place: two members look
// like a contradiction, three do not.
func TestASeriesIsNoContradiction(t *testing.T) {
	t.Parallel()
	names := []string{"Ada", "Bob", "Cid", "Dan", "Eve", "Fay", "Gus", "Hal", "Ida", "Jon"}
	for name, text := range map[string]func(i int) string{
		"numbers":  func(i int) string { return fmt.Sprintf("Benchmark run %d took %d ms", i, 10+i*7%13) },
		"versions": func(i int) string { return fmt.Sprintf("The importer works with Postgres 14.%d", i) },
		"dates":    func(i int) string { return fmt.Sprintf("The backup of 2026-03-%02d has %d rows", i+1, 900+i) },
		"names":    func(i int) string { return fmt.Sprintf("%s owns the wiki page", names[i%10]) },
	} {
		for mode, admit := range map[string]remember.AdmitMode{"save": remember.AdmitSeparately, "remember": remember.AdmitMerging} {
			t.Run(name+", "+mode, func(t *testing.T) {
				w := enginetest.NewWorld(t)
				for i := range 10 {
					if res := w.MustSave(remember.SaveInput{Content: text(i), Project: "demo", Admit: admit}); res.Action != ledger.ActionInserted || i > 1 && len(res.Candidates) > 0 {
						t.Errorf("%q: %s, %s; contested by %d", text(i), res.Action, res.Reason, len(res.Candidates))
					}
				}
				if _, n, err := w.Conflicts(t.Context(), relate.ConflictFilter{Project: "demo", Status: "pending"}); err != nil || n > 0 {
					t.Errorf("%d pairs wait: %v", n, err)
				}
				scanned, err := w.Scan(t.Context(), relate.ScanInput{Project: "demo"})
				if err != nil || len(scanned.Pairs) > 0 {
					t.Errorf("a scan finds %d pairs: %v", len(scanned.Pairs), err)
				}
			})
		}
	}
}

// Two members that differ in a number contradict each other; the third withdraws the candidate, and its undo
// restores it.
func TestWhatASeriesWithdrewComesBack(t *testing.T) {
	t.Parallel()
	w := enginetest.NewWorld(t)
	for _, minutes := range []int{5, 15, 25} {
		res := w.MustSave(remember.SaveInput{Content: fmt.Sprintf("Sessions end after %d minutes.", minutes), Project: "demo"})
		want := 0
		if minutes == 15 {
			want = 1
		}
		if _, n, err := w.Conflicts(t.Context(), relate.ConflictFilter{Status: "pending"}); err != nil || n != want {
			t.Errorf("after %d minutes %d wait, want %d: %v", minutes, n, want, err)
		}
		if minutes == 25 {
			w.TakeBack(res.Op)
		}
	}
	if _, n, err := w.Conflicts(t.Context(), relate.ConflictFilter{Status: "pending"}); err != nil || n != 1 {
		t.Errorf("after the undo %d wait, want 1: %v", n, err)
	}
}
