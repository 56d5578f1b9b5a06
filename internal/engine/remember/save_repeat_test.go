package remember_test

import (
	"strings"
	"testing"
	"time"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/engine/ledger"
	"github.com/alanbuscaglia/engram/internal/engine/remember"
	"github.com/alanbuscaglia/engram/internal/enginetest"
)

func TestTheSameWordsWithinAQuarterOfAnHourAreCounted(t *testing.T) {
	t.Parallel()
	w := enginetest.NewWorld(t)
	first := w.MustSave(remember.SaveInput{Title: "Fix", Content: "Close the  rows\n", Project: "demo"})
	w.Clock.Add(14 * time.Minute)
	again := w.MustSave(remember.SaveInput{Title: "Fix", Content: "  close THE rows", Project: "demo"})
	if again.Action != ledger.ActionRepeated || again.Reason != "exact repeat" || again.Memory.Num != first.Memory.Num {
		t.Fatalf("got %+v", again)
	}
	m := w.MustGet(first.Memory.Num).Memory
	if m.DuplicateCount != 2 || !m.LastSeenAt.After(first.Memory.CreatedAt.Add(14*time.Minute)) || m.UpdatedAt != m.LastSeenAt ||
		m.Content != "Close the  rows\n" || m.RevisionCount != 1 || m.CreatedAt != first.Memory.CreatedAt {
		t.Errorf("got %+v", m)
	}
	if got := w.MustList(engram.Filter{}); len(got) != 1 {
		t.Errorf("there are %d memories", len(got))
	}
}

func TestWhatIsNoRepeat(t *testing.T) {
	t.Parallel()
	first := remember.SaveInput{Title: "Fix", Content: "close the rows", Project: "demo", Type: "bugfix", TopicKey: ""}
	with := func(change func(*remember.SaveInput)) remember.SaveInput {
		in := first
		change(&in)
		return in
	}
	for _, tt := range []struct {
		name  string
		later time.Duration
		in    remember.SaveInput
	}{
		{"after the window", 15*time.Minute + time.Second, first},
		{"in another project", 0, with(func(in *remember.SaveInput) { in.Project = "other" })},
		{"in no project", 0, with(func(in *remember.SaveInput) { in.Project = "" })},
		{"in another scope", 0, with(func(in *remember.SaveInput) { in.Scope = "personal" })},
		{"of another type", 0, with(func(in *remember.SaveInput) { in.Type = "decision" })},
		{"under another title", 0, with(func(in *remember.SaveInput) { in.Title = "Repair" })},
		{"in other words", 0, with(func(in *remember.SaveInput) { in.Content = "close the row" })},
		{"under a topic of its own", 0, with(func(in *remember.SaveInput) { in.TopicKey = "bug/rows" })},
	} {
		t.Run(tt.name, func(t *testing.T) {
			w := enginetest.NewWorld(t)
			w.MustSave(first)
			w.Clock.Add(tt.later)
			if res := w.MustSave(tt.in); res.Action != ledger.ActionInserted || res.Memory.Num != 2 {
				t.Errorf("got %s of #%d, want a second memory", res.Action, res.Memory.Num)
			}
		})
	}
}

func TestTheWindowIsCountedFromTheFirstTime(t *testing.T) {
	t.Parallel()
	w := enginetest.NewWorld(t)
	in := remember.SaveInput{Title: "Fix", Content: "close the rows", Project: "demo"}
	w.MustSave(in)
	for range 2 {
		w.Clock.Add(7 * time.Minute)
		if res := w.MustSave(in); res.Action != ledger.ActionRepeated {
			t.Fatalf("got %s", res.Action)
		}
	}
	w.Clock.Add(7 * time.Minute)
	if res := w.MustSave(in); res.Action != ledger.ActionInserted {
		t.Errorf("21 minutes after the first time it was still a repeat: repeats must not keep the window open")
	}
}

func TestAClockThatWasSetBackALittleStillKnowsARepeat(t *testing.T) {
	t.Parallel()
	w := enginetest.NewWorld(t)
	in := remember.SaveInput{Title: "Fix", Content: "close the rows", Project: "demo"}
	w.MustSave(in)
	w.Clock.Add(-5 * time.Second)
	if res := w.MustSave(in); res.Action != ledger.ActionRepeated {
		t.Errorf("a clock set back by seconds made the same words a new memory: %s", res.Action)
	}
	w.Clock.Add(-24 * time.Hour)
	if res := w.MustSave(in); res.Action != ledger.ActionInserted {
		t.Errorf("a day is not within the window in either direction: %s", res.Action)
	}
}

func TestAForgottenMemoryIsNotRepeated(t *testing.T) {
	t.Parallel()
	w := enginetest.NewWorld(t)
	in := remember.SaveInput{Title: "Fix", Content: "close the rows", Project: "demo"}
	num := w.MustSave(in).Memory.Num
	if _, err := w.Forget(t.Context(), engram.ByNum(num)); err != nil {
		t.Fatal(err)
	}
	if res := w.MustSave(in); res.Action != ledger.ActionInserted || res.Memory.Num == num {
		t.Errorf("got %s of #%d", res.Action, res.Memory.Num)
	}
}

func TestTheHashIgnoresCaseAndWhiteSpace(t *testing.T) {
	t.Parallel()
	w := enginetest.NewWorld(t)
	hash := func(s string) string {
		return w.MustSave(remember.SaveInput{Title: s, Content: s}).Memory.NormalizedHash
	}
	want := hash("close the rows")
	if want != "1057748755510fec1242cc572e09a2b981e66f80f6ad4a5a704cff9bcd141d26" { // by sha256sum
		t.Errorf("got %q", want)
	}
	for _, s := range []string{"Close The Rows", "\tclose\r\nthe\u00a0rows ", "CLOSE  THE\u2003ROWS"} {
		if got := hash(s); got != want {
			t.Errorf("%q has the hash %s, want %s", s, got, want)
		}
	}
	for _, s := range []string{"close therows", "close the rows.", strings.Repeat("close the rows ", 2)} {
		if got := hash(s); got == want {
			t.Errorf("%q has the hash of other words", s)
		}
	}
}
