package remember_test

import (
	"strings"
	"testing"
	"time"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/engine/remember"
	"github.com/alanbuscaglia/engram/internal/enginetest"
	"github.com/alanbuscaglia/engram/internal/project"
)

func capture(w enginetest.World, in remember.CaptureInput) remember.CaptureResult {
	w.Helper()
	res, err := w.Capture(w.Context(), in)
	if err != nil {
		w.Fatalf("capture %+v: %v", in, err)
	}
	return res
}

const learned = `Done. All tests pass.

## Key Learnings:

1. **The gateway** retries a request three times before it gives up on the backend
2. ` + "`max_open_conns`" + ` must stay below the limit of the database
3. short one
`

func TestLearningsBecomeMemories(t *testing.T) {
	t.Parallel()
	w := enginetest.NewWorld(t)
	res := capture(w, remember.CaptureInput{Content: learned, Project: "Demo", Source: "opencode"})
	if res.Extracted != 2 || res.Saved != 2 || res.Duplicates != 0 || len(res.Memories) != 2 {
		t.Fatalf("got %+v", res)
	}
	m := w.MustGet(res.Memories[0].Num).Memory
	if m.Type != engram.TypePassive || m.Title != "The gateway retries a request three times before it gives up..." ||
		m.Content != "The gateway retries a request three times before it gives up on the backend" || m.ToolName != "opencode" ||
		m.Origin != engram.OriginTool || m.Project != "demo" || m.SessionID != "manual-save-demo" {
		t.Errorf("got %+v", m)
	}
	enginetest.Same(t, "it is found", w.MustFind("gateway retries"), []int64{m.Num})
}

func TestALearningThatTheProjectHasIsADuplicateAtAnyTime(t *testing.T) {
	t.Parallel()
	w := enginetest.NewWorld(t)
	in := remember.CaptureInput{Content: learned, Project: "demo"}
	capture(w, in)
	before := w.MustGet(1).Memory
	w.Clock.Add(1000 * time.Hour)
	in.Content += "4. and a new one that nobody has heard of\n"
	entries := w.Since(func() {
		if res := capture(w, in); res.Extracted != 3 || res.Saved != 1 || res.Duplicates != 2 {
			t.Errorf("got %+v", res)
		}
	})
	if after := w.MustGet(1).Memory; after.DuplicateCount != 1 || after.UpdatedAt != before.UpdatedAt || len(entries) != 1 {
		t.Errorf("a duplicate changed something: %+v, %d entries", after, len(entries))
	}
	in.Project = "other"
	if res := capture(w, in); res.Saved != 3 {
		t.Errorf("another project has not learned it: %+v", res)
	}
	if _, err := w.Forget(t.Context(), engram.ByNum(1)); err != nil {
		t.Fatal(err)
	}
	in.Project = "demo"
	if res := capture(w, in); res.Saved != 1 {
		t.Errorf("what was forgotten can be learned again: %+v", res)
	}
}

func TestATextWithoutLearningsWritesNothing(t *testing.T) {
	t.Parallel()
	w := enginetest.NewWorld(t)
	for _, s := range []string{"", "nothing here", "## Key Learnings:\n\n1. short\n", "# Key Learnings\n1. of the wrong level of header, this\n"} {
		if res := capture(w, remember.CaptureInput{Content: s, Project: "demo", SessionID: "nobody"}); res.Extracted != 0 {
			t.Errorf("%q: %+v", s, res)
		}
	}
	if n := len(w.Journal()); n > 0 {
		t.Errorf("%d entries", n)
	}
}

func TestCapturesThatAreRefusedAreRefusedWhole(t *testing.T) {
	t.Parallel()
	w := enginetest.NewWorld(t)
	for name, in := range map[string]remember.CaptureInput{
		"NUL": {Content: learned + "4. one with a NUL\x00 in the middle of it\n"}, "not UTF-8": {Content: learned + "\xff"},
		"too long": {Content: strings.Repeat("x", 4*engram.MaxContent+1)}, "source": {Content: learned, Source: strings.Repeat("s", 201)},
		"folder": {Content: learned, Directory: "\xff"},
	} {
		if _, err := w.Capture(t.Context(), in); engram.CodeOf(err) != engram.CodeInvalid {
			t.Errorf("%s: %v", name, err)
		}
	}
	_, err := w.Capture(t.Context(), remember.CaptureInput{Content: learned, SessionID: "nobody"})
	enginetest.WantProblem(t, err, project.ReasonUnknownSession)
	if st := w.MustStats(); st.Memories+st.Sessions > 0 {
		t.Errorf("left behind: %+v", st)
	}
	if res := capture(w, remember.CaptureInput{Content: learned, SessionID: "somebody", NewSession: true, Project: "demo"}); res.Memories[0].SessionID != "somebody" {
		t.Errorf("got %+v", res)
	}
}

func TestSuggestedTopics(t *testing.T) {
	t.Parallel()
	w := enginetest.NewWorld(t)
	for _, tt := range []struct {
		typ            engram.Type
		title, content string
		want           string
	}{
		{"decision", "Auth model", "", "decision/auth-model"}, {" ADR ", "Auth model", "", "architecture/auth-model"},
		{"", "", "the first eight words of a content are taken for it", "topic/the-first-eight-words-of-a-content-are"}, {"bugfix", "N+1 in UserList", "", "bug/n-1-in-userlist"},
		{"", "Fixed a crash", "", "bug/fixed-a-crash"}, {"bugfix", "a <private>secret</private> b", "", "bug/a-b"},
	} {
		got, err := w.SuggestTopic(tt.typ, tt.title, tt.content)
		if err != nil || got != tt.want {
			t.Errorf("type %q, title %q, content %q: got %q, %v, want %q", tt.typ, tt.title, tt.content, got, err, tt.want)
		}
	}
	_, err := w.SuggestTopic("decision", " ", "\n")
	enginetest.WantCode(t, err, engram.CodeInvalid)
}
