package engine_test

import (
	"strings"
	"testing"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/engine"
	"github.com/alanbuscaglia/engram/internal/enginetest"
)

// workshop is a project whose memories an agent is reminded of.
func workshop(t *testing.T) enginetest.Parts {
	t.Helper()
	w := enginetest.NewParts(t)
	for _, in := range []engine.SaveInput{
		{Title: "Chose PostgreSQL advisory locks for the scheduler", Content: "Redis locks were lost on failover, so the scheduler takes an advisory lock in PostgreSQL.", Type: engram.TypeDecision},
		{Title: "Pool exhaustion in the order worker", Content: "The order worker leaked connections because rows.Close was missing in internal/orders/loader.go. Closing rows in a defer fixed it.", Type: engram.TypeBugfix},
		{Title: "Invoices are numbered per tenant", Content: "Each tenant has its own gapless sequence of invoice numbers.", Type: engram.TypeFact},
		{Title: "Deploys run from main at noon", Content: "Continuous delivery deploys main every day at noon; hot fixes go through the release branch.", Type: engram.TypePolicy},
		{Title: "Translations live in locales", Content: "Each language has a YAML file below locales; the keys are checked in the pipeline.", Type: engram.TypeConfig},
	} {
		in.Project = "shop"
		if _, err := w.Save(t.Context(), in); err != nil {
			t.Fatal(err)
		}
	}
	return w
}

func remind(t *testing.T, e *engine.Engine, in engine.RemindInput) engine.Reminder {
	t.Helper()
	in.Project = "shop"
	r, err := e.Remind(t.Context(), in)
	if err != nil {
		t.Fatalf("Remind(%+v): %v", in, err)
	}
	return r
}

func TestAPromptIsRemindedOfWhatItIsAbout(t *testing.T) {
	w := workshop(t)
	for _, tt := range []struct{ name, query, want string }{
		{"of a decision about it", "the scheduler's lock was lost again, should we use redis locks for it?", "advisory lock"},
		{"not when it only moves on", "yes please, go ahead", ""},
		{"not when it is an order to the program", "/compact the scheduler lock", ""},
		{"not when it is about something else", "rename the button on the login page to Sign in", ""},
		{"not when nothing is said", "", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := remind(t, w.Engine, engine.RemindInput{Query: tt.query})
			if tt.want == "" && r.Text != "" || !strings.Contains(r.Text, tt.want) {
				t.Errorf("Remind(%q)\n got %q\nwant %q in it", tt.query, r.Text, tt.want)
			}
		})
	}
}

func TestAFileIsRemindedOfWhatNamesIt(t *testing.T) {
	w := workshop(t)
	r := remind(t, w.Engine, engine.RemindInput{Directory: "/home/ana/shop", Path: "/home/ana/shop/internal/orders/loader.go"})
	if !strings.Contains(r.Text, "rows.Close") {
		t.Errorf("of a file that a memory names: %q", r.Text)
	}
	for _, path := range []string{"/home/ana/shop/internal/billing/invoice.go", "/etc/passwd", "../other/loader.go", "main.go"} {
		if r := remind(t, w.Engine, engine.RemindInput{Directory: "/home/ana/shop", Path: path}); r.Text != "" {
			t.Errorf("of %s, which nothing names: %q", path, r.Text)
		}
	}
}

func TestAnErrorIsRemindedOfItsLike(t *testing.T) {
	w := workshop(t)
	r := remind(t, w.Engine, engine.RemindInput{Error: "2026-06-01T10:00:00Z starting\nerror: order worker: connections exhausted in the pool\nexit status 1\n"})
	if !strings.Contains(r.Text, "rows.Close") {
		t.Errorf("of an error that was mended: %q", r.Text)
	}
}

func TestNoMemoryIsToldTwiceInASession(t *testing.T) {
	w := workshop(t)
	if _, err := w.StartSession(t.Context(), engine.SessionInput{ID: "s1", Project: "shop"}); err != nil {
		t.Fatal(err)
	}
	const query = "why does the scheduler take an advisory lock in PostgreSQL?"
	in := engine.RemindInput{SessionID: "s1", Query: query}
	if first := remind(t, w.Engine, in); len(first.Items) != 1 {
		t.Fatalf("the first time %d are told: %q", len(first.Items), first.Text)
	}
	if again := remind(t, w.Engine, in); again.Text != "" {
		t.Errorf("the second time it is told again: %q", again.Text)
	}
	in.Again = true
	if after := remind(t, w.Engine, in); after.Text == "" {
		t.Error("what was forgotten is not told again")
	}
	if other := remind(t, w.Engine, engine.RemindInput{Query: query, Told: []int64{1}}); other.Text != "" {
		t.Errorf("what the caller has told is told again: %q", other.Text)
	}
}
