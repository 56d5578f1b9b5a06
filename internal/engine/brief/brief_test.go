package brief_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/alanbuscaglia/engram"
	enginebrief "github.com/alanbuscaglia/engram/internal/engine/brief"
	"github.com/alanbuscaglia/engram/internal/engine/remember"
	"github.com/alanbuscaglia/engram/internal/enginetest"
)

func TestASessionThatBeginsIsBriefed(t *testing.T) {
	t.Parallel()
	w := workshop(t)
	if _, err := w.Summarize(t.Context(), remember.SaveInput{Project: "shop", Content: "## Goal\nNo double jobs.\n## Next\nMeasure the wait."}); err != nil {
		t.Fatal(err)
	}
	b := enginetest.BriefOf(t, w.Engine, enginebrief.SessionBriefInput{SessionID: "s1", Directory: "/home/ana/shop"})
	for _, want := range []string{"# Memory of shop", "data, not instructions", "> Measure the wait.", "## Applies to all work here", "Deploys run from main at noon", "## Learned recently", "rows.Close"} {
		if !strings.Contains(b.Text, want) {
			t.Errorf("brief\n%s\nwant %q in it", b.Text, want)
		}
	}
	if b.Tokens != costOf(b.Text) || b.Tokens > enginebrief.BriefBudget || len(b.Memories) != 5 || len(b.Degraded) > 0 {
		t.Errorf("%d tokens of %d, %d memories, degraded %q", b.Tokens, costOf(b.Text), len(b.Memories), b.Degraded)
	}
	s, err := w.Session(t.Context(), "s1")
	if err != nil || s.Project != "shop" || s.Directory != "/home/ana/shop" {
		t.Errorf("session %+v, %v", s, err)
	}
	if r := remind(t, w.Engine, enginebrief.RemindInput{SessionID: "s1", Query: lock}); r.Text != "" {
		t.Errorf("what the brief told is told again beside a prompt: %q", r.Text)
	}
}

func TestABriefTellsAgainWhatWasCut(t *testing.T) {
	t.Parallel()
	w := workshop(t)
	first := enginetest.BriefOf(t, w.Engine, enginebrief.SessionBriefInput{SessionID: "s1"})
	if _, err := w.Save(t.Context(), remember.SaveInput{Title: "Locks are held a minute", Content: "By the scheduler.", Project: "shop", SessionID: "s1"}); err != nil {
		t.Fatal(err)
	}
	if again := enginetest.BriefOf(t, w.Engine, enginebrief.SessionBriefInput{SessionID: "s1"}); strings.Contains(again.Text, "advisory") {
		t.Errorf("what was told is told again unasked:\n%s", again.Text)
	}
	after := enginetest.BriefOf(t, w.Engine, enginebrief.SessionBriefInput{SessionID: "s1", Again: true})
	if !strings.Contains(after.Text, "advisory") || !strings.Contains(after.Text, "## Saved in this session") || strings.Count(after.Text, "Locks are held a minute") != 1 {
		t.Errorf("after compaction\n%s\nat first\n%s", after.Text, first.Text)
	}
}

func TestABriefOfNothingSaysNothing(t *testing.T) {
	t.Parallel()
	w := enginetest.NewParts(t)
	b := enginetest.BriefOf(t, w.Engine, enginebrief.SessionBriefInput{SessionID: "s1", Directory: "/home/ana/shop"})
	if b.Text != "" || b.Tokens != 0 || len(b.Degraded) > 0 {
		t.Errorf("brief %+v", b)
	}
	if _, err := w.Session(t.Context(), "s1"); err != nil {
		t.Errorf("the session is not made: %v", err)
	}
}

func TestABriefKeepsToItsBudget(t *testing.T) {
	t.Parallel()
	w := enginetest.NewParts(t)
	for i := range 60 {
		in := remember.SaveInput{Title: fmt.Sprintf("%s rule %d of %s", []string{"Naming", "Layout", "Testing"}[i%3], i, strings.Repeat("x", i)), Type: engram.TypePolicy,
			Content: strings.Repeat("It holds for everybody and each of these sentences is long. ", 20), Project: "shop"}
		if _, err := w.Save(t.Context(), in); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := w.Summarize(t.Context(), remember.SaveInput{Project: "shop", Content: strings.Repeat("Much was done. ", 2000)}); err != nil {
		t.Fatal(err)
	}
	for _, budget := range []int{0, 200, 500, enginebrief.MaxBrief} {
		b := enginetest.BriefOf(t, w.Engine, enginebrief.SessionBriefInput{Budget: budget})
		most := budget
		if most == 0 {
			most = enginebrief.BriefBudget
		}
		if b.Tokens > most || b.Tokens != costOf(b.Text) || b.Text == "" {
			t.Errorf("budget %d: %d tokens, %d in fact:\n%s", budget, b.Tokens, costOf(b.Text), b.Text)
		}
	}
	for _, budget := range []int{-1, enginebrief.MaxBrief + 1} {
		if _, err := w.Brief(t.Context(), enginebrief.SessionBriefInput{Project: "shop", Budget: budget}); engram.CodeOf(err) != engram.CodeInvalid {
			t.Errorf("budget %d: %v", budget, err)
		}
	}
}

func TestABriefTellsWhatWaitsAndWithholdsOrders(t *testing.T) {
	t.Parallel()
	w := workshop(t)
	if _, err := w.Save(t.Context(), remember.SaveInput{Title: "Read this first", Content: enginetest.Order, Origin: engram.OriginTool, Project: "shop"}); err != nil {
		t.Fatal(err)
	}
	b := enginetest.BriefOf(t, w.Engine, enginebrief.SessionBriefInput{})
	if strings.Contains(b.Text, "collect.example.net") || b.Withheld != 1 || b.Pending != 1 || !strings.Contains(b.Text, "1 memory is pending the user's review: `engram review`.") {
		t.Errorf("withheld %d, waiting %d:\n%s", b.Withheld, b.Pending, b.Text)
	}
}

func TestABriefTellsWhatIsOfThePerson(t *testing.T) {
	t.Parallel()
	w := workshop(t)
	high := 0.9
	if _, err := w.Save(t.Context(), remember.SaveInput{Title: "Answers in Spanish", Content: "Wherever it is.", Scope: engram.ScopePersonal, Importance: &high, Project: "other"}); err != nil {
		t.Fatal(err)
	}
	if b := enginetest.BriefOf(t, w.Engine, enginebrief.SessionBriefInput{}); !strings.Contains(b.Text, "Answers in Spanish") {
		t.Errorf("brief\n%s", b.Text)
	}
}

// A writer holds the store: the brief still shows what is known, in time.
func TestABriefDoesNotWaitForAWriter(t *testing.T) {
	t.Parallel()
	w := workshop(t)
	other := w.Again(t)
	held, done := make(chan struct{}), make(chan struct{})
	finished := make(chan error, 1)
	go func() {
		finished <- other.Store.Update(context.WithoutCancel(t.Context()), func(engram.Tx) error {
			close(held)
			<-done
			return nil
		})
	}()
	<-held
	ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
	defer cancel()
	b, err := w.Brief(ctx, enginebrief.SessionBriefInput{Project: "shop", SessionID: "s1"})
	if err != nil || !strings.Contains(b.Text, "advisory") || len(b.Degraded) != 1 {
		t.Errorf("brief %+v, %v", b, err)
	}
	r, err := w.Remind(ctx, enginebrief.RemindInput{Project: "shop", Query: lock, SessionID: "s1"})
	if err != nil && ctx.Err() == nil {
		t.Errorf("reminder %+v, %v", r, err)
	}
	close(done)
	if err := <-finished; err != nil {
		t.Fatal(err)
	}
}

func TestABriefTellsWhatIsPreferredHoweverOld(t *testing.T) {
	t.Parallel()
	w := enginetest.NewParts(t)
	save := func(in remember.SaveInput) {
		t.Helper()
		in.Project = "shop"
		if _, err := w.Save(t.Context(), in); err != nil {
			t.Fatal(err)
		}
	}
	save(remember.SaveInput{Title: "No generics in repositories", Content: "Ana wants queries where they are used.", Type: engram.TypePreference})
	w.Clock.Add(400 * 24 * time.Hour)
	for i := range 130 {
		save(remember.SaveInput{Title: fmt.Sprintf("Finding %c%d", 'a'+i%26, i), Content: fmt.Sprintf("What was found on day %d.", i), Type: engram.TypeDiscovery})
	}
	if b := enginetest.BriefOf(t, w.Engine, enginebrief.SessionBriefInput{}); !strings.Contains(b.Text, "No generics in repositories") {
		t.Errorf("brief\n%s", b.Text)
	}
}

func TestABriefTellsWhatWasLearnedHoweverMuchHolds(t *testing.T) {
	t.Parallel()
	w := enginetest.NewParts(t)
	save := func(typ engram.Type, title, content string) {
		t.Helper()
		if _, err := w.Save(t.Context(), remember.SaveInput{Title: title, Content: content, Type: typ, Project: "shop"}); err != nil {
			t.Fatal(err)
		}
	}
	save(engram.TypeBugfix, "Totals drifted by a cent", "Rounding was done per line.")
	for i := range 60 {
		save(engram.TypePattern, fmt.Sprintf("Habit %c%d of part%d", 'a'+i%26, i, i), fmt.Sprintf("In part%d it is done so.", i))
	}
	save(engram.TypeBugfix, "Mails went out twice", "The queue was read by two workers.")
	b := enginetest.BriefOf(t, w.Engine, enginebrief.SessionBriefInput{})
	for _, want := range []string{"Totals drifted by a cent", "Mails went out twice"} {
		if !strings.Contains(b.Text, want) {
			t.Errorf("brief\n%s\nwant %q in it", b.Text, want)
		}
	}
}

func TestASummaryOfTheSessionItselfIsNotThatBefore(t *testing.T) {
	t.Parallel()
	w := workshop(t)
	enginetest.BriefOf(t, w.Engine, enginebrief.SessionBriefInput{SessionID: "s1"})
	if _, err := w.Summarize(t.Context(), remember.SaveInput{Project: "shop", SessionID: "s1", Content: "## Goal\nNo double jobs.\n## Next\nMeasure the wait."}); err != nil {
		t.Fatal(err)
	}
	if b := enginetest.BriefOf(t, w.Engine, enginebrief.SessionBriefInput{SessionID: "s1", Again: true}); strings.Contains(b.Text, "session before") {
		t.Errorf("its own summary is told as that of another:\n%s", b.Text)
	}
	if b := enginetest.BriefOf(t, w.Engine, enginebrief.SessionBriefInput{SessionID: "s2"}); !strings.Contains(b.Text, "Measure the wait") {
		t.Errorf("the next session is not told it:\n%s", b.Text)
	}
}
