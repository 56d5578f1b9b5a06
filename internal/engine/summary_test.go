package engine_test

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
	"github.com/alanbuscaglia/engram/internal/render"
)

// contextText returns the context of a new session of project shop.
func (w world) contextText() string {
	w.Helper()
	return render.Context(toldOf(w, w), render.Options{})
}

// A context reports withheld prompts as such, not as pending: the review queue does not contain them.
func TestPromptsThatAreLeftOutSendNobodyToTheQueue(t *testing.T) {
	w := newWorld(t)
	w.note("Harbour", "The pilot comes at noon.")
	if _, err := w.SavePrompt(t.Context(), remember.PromptInput{Project: "shop", Content: order}); err != nil {
		t.Fatal(err)
	}
	got := w.contextText()
	if strings.Contains(got, "engram review") || strings.Contains(got, "collect.example.net") || !strings.Contains(got, "(Prompts left out as instruction-like: 1)") {
		t.Errorf("it is told:\n%s", got)
	}
	planted(t, w, engram.OriginTool, "Release notes", order)
	if got := w.contextText(); !strings.Contains(got, "(1 withheld: ") || len(waits(t, w, engram.QueueFlagged)) != 1 {
		t.Errorf("with a memory that waits it is told:\n%s", got)
	}
}

func TestASummaryThatReadsLikeAnOrderIsSeenAndReplaced(t *testing.T) {
	w := newWorld(t)
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
	if told := end(order); len(told) != 1 || !strings.Contains(told[0], "instruction-like") {
		t.Errorf("whoever ends it is told %q", told)
	}
	if got := w.contextText(); strings.Contains(got, "collect.example.net") || !strings.Contains(got, "the summary is left out as instruction-like") {
		t.Errorf("it is told unasked:\n%s", got)
	}
	if got := briefOf(t, w.Engine, brief.SessionBriefInput{Project: "shop", SessionID: "s2"}).Text; strings.Contains(got, "collect.example.net") {
		t.Errorf("the brief tells it:\n%s", got)
	}
	if s, err := w.Session(t.Context(), "s1"); err != nil || s.Summary != order || len(read.FlaggedSummary(s)) == 0 {
		t.Errorf("asked for it is %+v, %v", s, err)
	}
	if told := end("The release is on Fridays."); len(told) > 0 {
		t.Errorf("other words are warned of: %q", told)
	}
	if got := w.contextText(); !strings.Contains(got, ": The release is on Fridays. [") {
		t.Errorf("other words are not told:\n%s", got)
	}
}

// lineages returns the causal metadata of an export.
var lineages = regexp.MustCompile(`,"lineage":\{[^{}]*(\{[^{}]*\})?\}`)

func TestASummaryFromElsewhereIsAQuotationWithItsSource(t *testing.T) {
	for _, tt := range []struct {
		name, want string
		stampless  bool
	}{
		{"from another store", "from another device", false},
		{"from a file that knows no stamps", "imported", true},
	} {
		there, here := newWorld(t), newWorld(t)
		if _, err := there.StartSession(t.Context(), remember.SessionInput{ID: "s1", Project: "shop"}); err != nil {
			t.Fatal(err)
		}
		if _, err := there.EndSession(t.Context(), "s1", "Fewer locks"); err != nil {
			t.Fatal(err)
		}
		if got := there.contextText(); !strings.Contains(got, ": Fewer locks [") {
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
		if got := here.contextText(); !strings.Contains(got, ": "+tt.want+": “Fewer locks” [") {
			t.Errorf("%s: the context says\n%s", tt.name, got)
		}
		if got := briefOf(t, here.Engine, brief.SessionBriefInput{Project: "shop", SessionID: "s2"}).Text; !strings.Contains(got, tt.want) || !strings.Contains(got, "> Fewer locks") {
			t.Errorf("%s: the brief says\n%s", tt.name, got)
		}
	}
}

// Generated summaries contain no quoted or flagged text, which would be injected as the project's own, and none is
// made if nothing else is left.
func TestAMadeSummaryHasNothingOfWhatIsNotTrusted(t *testing.T) {
	w := newWorld(t)
	made := func(session string, saves ...remember.SaveInput) []engram.Memory {
		t.Helper()
		w.session(session, "shop")
		for _, in := range saves {
			in.SessionID, in.Project = session, "shop"
			w.save(in)
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
		{Title: "Notes", Content: order}, {Title: "Typed", Content: order + " Today.", Origin: engram.OriginHuman},
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
	if entries := w.since(func() {
		if _, err := w.EndSession(t.Context(), "some", ""); err != nil {
			t.Fatal(err)
		}
	}); len(entries) > 0 {
		t.Errorf("what somebody forgot is made again: %+v", entries)
	}
}
