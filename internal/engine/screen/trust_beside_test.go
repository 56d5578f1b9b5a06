package screen_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/engine/brief"
	"github.com/alanbuscaglia/engram/internal/engine/exchange"
	"github.com/alanbuscaglia/engram/internal/engine/remember"
	"github.com/alanbuscaglia/engram/internal/enginetest"
)

// rewritten is an export of a world with one text replaced.
func rewritten(t *testing.T, w enginetest.World, from, to string) *bytes.Reader {
	t.Helper()
	var b bytes.Buffer
	if _, err := w.Export(t.Context(), &b, exchange.ExportInput{Project: "shop"}); err != nil {
		t.Fatal(err)
	}
	text := strings.Replace(b.String(), from, to, 1)
	if text == b.String() {
		t.Fatalf("no %q in %s", from, text)
	}
	return bytes.NewReader([]byte(text))
}

// A summary is replicated separately: a file can add one to a memory with an unchanged text.
func TestASummaryFromElsewhereSpeaksForNobody(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, summary string }{
		{"one that reads like an order", enginetest.Order},
		{"one that reads like any other", "We deploy by hand now"},
	} {
		w := enginetest.NewWorld(t)
		m := enginetest.Planted(t, w, engram.OriginHuman, "Deploying", "The pipeline deploys, nobody else.")
		file := rewritten(t, w, `,"origin":"human"`, `,"origin":"human","summary":"`+tt.summary+`"`)
		if _, err := w.Import(t.Context(), file, exchange.ImportInput{Mode: exchange.ImportReplace}); err != nil {
			t.Fatal(err)
		}
		if got := w.MustGet(m.Num).Memory; got.Summary != tt.summary || got.Origin != engram.OriginHuman {
			t.Fatalf("%s: it did not come in: %+v", tt.name, got)
		}
		if got := enginetest.BriefOf(t, w.Engine, brief.SessionBriefInput{Project: "shop", SessionID: "next"}).Text; strings.Contains(got, tt.summary) {
			t.Errorf("%s is told unasked in the name of a person:\n%s", tt.name, got)
		}
		queued := enginetest.Waits(t, w, engram.QueueFlagged)
		if want := tt.summary == enginetest.Order; (len(queued) == 1) != want {
			t.Errorf("%s: %v wait; want it to be among them: %v", tt.name, queued, want)
		}
	}
}

func TestTheSessionBeforeSaysWhereItIsFrom(t *testing.T) {
	t.Parallel()
	there, here := enginetest.NewWorld(t), enginetest.NewWorld(t)
	if _, err := there.Summarize(t.Context(), remember.SaveInput{SessionID: "s1", NewSession: true, Project: "shop", Title: "Locks", Content: "## Goal\nFewer locks"}); err != nil {
		t.Fatal(err)
	}
	if got := enginetest.BriefOf(t, there.Engine, brief.SessionBriefInput{Project: "shop", SessionID: "s2"}).Text; !strings.Contains(got, "Fewer locks") || strings.Contains(got, "another device") {
		t.Errorf("where it was written:\n%s", got)
	}
	var b bytes.Buffer
	if _, err := there.Export(t.Context(), &b, exchange.ExportInput{Project: "shop"}); err != nil {
		t.Fatal(err)
	}
	if _, err := here.Import(t.Context(), &b, exchange.ImportInput{}); err != nil {
		t.Fatal(err)
	}
	got := enginetest.BriefOf(t, here.Engine, brief.SessionBriefInput{Project: "shop", SessionID: "s2"}).Text
	if !strings.Contains(got, "Fewer locks") || !strings.Contains(got, "from another device") && !strings.Contains(got, "imported") {
		t.Errorf("where it came in:\n%s", got)
	}
}
