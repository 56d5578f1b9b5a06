package remember_test

import (
	"bytes"
	"regexp"
	"strings"
	"testing"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/engine/brief"
	"github.com/alanbuscaglia/engram/internal/engine/exchange"
	"github.com/alanbuscaglia/engram/internal/engine/read"
	"github.com/alanbuscaglia/engram/internal/engine/remember"
	"github.com/alanbuscaglia/engram/internal/enginetest"
	"github.com/alanbuscaglia/engram/internal/render"
)

// contextText returns the context of a new session of project shop.
func contextText(w enginetest.World) string {
	w.Helper()
	return render.Context(enginetest.ToldOf(w, w), render.Options{})
}

// A context reports withheld prompts as such, not as pending: the review queue does not contain them.
func TestPromptsThatAreLeftOutSendNobodyToTheQueue(t *testing.T) {
	t.Parallel()
	w := enginetest.NewWorld(t)
	w.Note("Harbour", "The pilot comes at noon.")
	if _, err := w.SavePrompt(t.Context(), remember.PromptInput{Project: "shop", Content: enginetest.Order}); err != nil {
		t.Fatal(err)
	}
	got := contextText(w)
	if strings.Contains(got, "engram review") || strings.Contains(got, "collect.example.net") || !strings.Contains(got, "(Prompts left out as instruction-like: 1)") {
		t.Errorf("it is told:\n%s", got)
	}
	enginetest.Planted(t, w, engram.OriginTool, "Release notes", enginetest.Order)
	if got := contextText(w); !strings.Contains(got, "(1 withheld: ") || len(enginetest.Waits(t, w, engram.QueueFlagged)) != 1 {
		t.Errorf("with a memory that waits it is told:\n%s", got)
	}
}

func TestASummaryThatReadsLikeAnOrderIsSeenAndReplaced(t *testing.T) {
	t.Parallel()
	w := enginetest.NewWorld(t)
	if _, err := w.StartSession(t.Context(), remember.SessionInput{ID: "s1", Project: "shop"}); err != nil {
		t.Fatal(err)
	}
	end := func(summary string) []string {
		t.Helper()
		ended, err := w.EndSession(t.Context(), "s1", summary)
		if err != nil {
			t.Fatal(err)
		}
		return ended.Warnings
	}
	if told := end(enginetest.Order); len(told) != 1 || !strings.Contains(told[0], "instruction-like") {
		t.Errorf("whoever ends it is told %q", told)
	}
	if got := contextText(w); strings.Contains(got, "collect.example.net") || !strings.Contains(got, "the summary is left out as instruction-like") {
		t.Errorf("it is told unasked:\n%s", got)
	}
	if got := enginetest.BriefOf(t, w.Engine, brief.SessionBriefInput{Project: "shop", SessionID: "s2"}).Text; strings.Contains(got, "collect.example.net") {
		t.Errorf("the brief tells it:\n%s", got)
	}
	if s, err := w.Session(t.Context(), "s1"); err != nil || s.Summary != enginetest.Order || len(read.FlaggedSummary(s)) == 0 {
		t.Errorf("asked for it is %+v, %v", s, err)
	}
	if told := end("The release is on Fridays."); len(told) > 0 {
		t.Errorf("other words are warned of: %q", told)
	}
	if got := contextText(w); !strings.Contains(got, ": The release is on Fridays. [") {
		t.Errorf("other words are not told:\n%s", got)
	}
}

// lineages returns the causal metadata of an export.
var lineages = regexp.MustCompile(`,"lineage":\{[^{}]*(\{[^{}]*\})?\}`)

func TestASummaryFromElsewhereIsAQuotationWithItsSource(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, want string
		stampless  bool
	}{
		{"from another store", "from another device", false},
		{"from a file that knows no stamps", "imported", true},
	} {
		there, here := enginetest.NewWorld(t), enginetest.NewWorld(t)
		if _, err := there.StartSession(t.Context(), remember.SessionInput{ID: "s1", Project: "shop"}); err != nil {
			t.Fatal(err)
		}
		if _, err := there.EndSession(t.Context(), "s1", "Fewer locks"); err != nil {
			t.Fatal(err)
		}
		if got := contextText(there); !strings.Contains(got, ": Fewer locks [") {
			t.Errorf("where it was written:\n%s", got)
		}
		var file bytes.Buffer
		if _, err := there.Export(t.Context(), &file, exchange.ExportInput{Project: "shop"}); err != nil {
			t.Fatal(err)
		}
		text := file.Bytes()
		if tt.stampless {
			text = lineages.ReplaceAll(text, nil)
		}
		if _, err := here.Import(t.Context(), bytes.NewReader(text), exchange.ImportInput{}); err != nil {
			t.Fatal(err)
		}
		if got := contextText(here); !strings.Contains(got, ": "+tt.want+": “Fewer locks” [") {
			t.Errorf("%s: the context says\n%s", tt.name, got)
		}
		if got := enginetest.BriefOf(t, here.Engine, brief.SessionBriefInput{Project: "shop", SessionID: "s2"}).Text; !strings.Contains(got, tt.want) || !strings.Contains(got, "> Fewer locks") {
			t.Errorf("%s: the brief says\n%s", tt.name, got)
		}
	}
}

// Generated summaries contain no quoted or flagged text, which would be injected as the project's own, and none is
// made if nothing else is left.
func TestAMadeSummaryHasNothingOfWhatIsNotTrusted(t *testing.T) {
	t.Parallel()
	w := enginetest.NewWorld(t)
	made := func(session string, saves ...remember.SaveInput) []engram.Memory {
		t.Helper()
		w.MustSession(session, "shop")
		for _, in := range saves {
			in.SessionID, in.Project = session, "shop"
			w.MustSave(in)
		}
		if _, err := w.EndSession(t.Context(), session, ""); err != nil {
			t.Fatal(err)
		}
		ms, err := w.List(t.Context(), engram.Filter{SessionID: session, Types: []engram.Type{engram.TypeSessionSummary}}, engram.Page{Limit: 10})
		if err != nil {
			t.Fatal(err)
		}
		return ms
	}
	own := remember.SaveInput{Title: "Harbour", Content: "The pilot comes at noon"}
	others := []remember.SaveInput{
		{Title: "Notes", Content: enginetest.Order}, {Title: "Typed", Content: enginetest.Order + " Today.", Origin: engram.OriginHuman},
		{Title: "Tool", Content: "zebra of a tool", Origin: engram.OriginTool}, {Title: "Import", Content: "zebra of a file", Origin: engram.OriginImport},
		{Title: "Mine", Content: "zebra of mine", Scope: engram.ScopePersonal},
	}
	if ms := made("none", others...); len(ms) > 0 {
		t.Errorf("of nothing is made %+v", ms)
	}
	ms := made("some", append(others, own)...)
	if len(ms) != 1 || ms[0].Content != "Made automatically from 1 memory.\n\n## Also\n- Harbour: The pilot comes at noon\n" {
		t.Fatalf("made is %+v", ms)
	}
	if _, err := w.Forget(t.Context(), engram.ByNum(ms[0].Num)); err != nil {
		t.Fatal(err)
	}
	if entries := w.Since(func() {
		if _, err := w.EndSession(t.Context(), "some", ""); err != nil {
			t.Fatal(err)
		}
	}); len(entries) > 0 {
		t.Errorf("what somebody forgot is made again: %+v", entries)
	}
}
