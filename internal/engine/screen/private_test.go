package screen_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/engine/brief"
	"github.com/alanbuscaglia/engram/internal/engine/projects"
	"github.com/alanbuscaglia/engram/internal/engine/remember"
	"github.com/alanbuscaglia/engram/internal/engine/search"
	"github.com/alanbuscaglia/engram/internal/enginetest"
)

// hidden are ways to mark text as private.
func hidden() map[string]string {
	return map[string]string{
		"a span":          "a <private>" + enginetest.Marker + "</private> b",
		"an unclosed one": "a <private>" + enginetest.Marker,
		"capitals":        "a <PRIVATE>" + enginetest.Marker + "</Private> b",
		"nested":          "a <private>x <private>y</private> " + enginetest.Marker + "</private> b",
		"lines":           "a <private>\n" + enginetest.Marker + "\n</private>\nb",
		"attributes":      `a <private why="x">` + enginetest.Marker + "</ private > b",
	}
}

func TestPrivateSpansInEveryFieldLeaveNothing(t *testing.T) {
	t.Parallel()
	for name, text := range hidden() {
		t.Run(name, func(t *testing.T) {
			w := enginetest.NewWorld(t)
			var told []any
			report := func(answer any, err error) {
				t.Helper()
				if err != nil {
					if engram.CodeOf(err) == engram.CodeInternal {
						t.Errorf("got %v", err)
					}
					told = append(told, fmt.Sprintf("%v %s %+v", err, engram.HintOf(err), err))
				}
				told = append(told, answer)
			}
			ctx := t.Context()
			full := remember.SaveInput{Title: text, Content: text, Type: engram.Type(text), Scope: engram.Scope(text), Project: text, TopicKey: text,
				SessionID: text, NewSession: true, Directory: text, ToolName: text, Tags: []string{text, "tag"},
				Metadata: map[string]any{text: text, "deep": map[string]any{text: []any{text}}}}
			report(w.Save(ctx, full))
			report(w.Save(ctx, full)) // a topic that says this already
			full.Content += " more"
			report(w.Save(ctx, full)) // a revision
			report(w.Save(ctx, remember.SaveInput{Content: text}))
			report(w.Save(ctx, remember.SaveInput{Content: text, SessionID: "nobody " + text}))
			report(w.Save(ctx, remember.SaveInput{Content: "related", Related: []engram.Ref{{Topic: text}}}))
			num := w.Note("plain", "a plain memory")
			report(w.Update(ctx, remember.UpdateInput{Ref: engram.ByNum(num), Title: &text, Content: &text, Type: new(engram.Type(text)), Project: &text,
				TopicKey: new("k " + text), Tags: &[]string{text}, AddTags: []string{"more " + text}, Metadata: map[string]any{text: text}}))
			report(w.StartSession(ctx, remember.SessionInput{ID: "s " + text, Project: "p " + text, Directory: text}))
			report(w.StartSession(ctx, remember.SessionInput{ID: "s1", Project: "demo", Directory: "d " + text}))
			report(w.EndSession(ctx, "s1", text))
			report(w.EndSession(ctx, "s "+text, text))
			report(w.Summarize(ctx, remember.SaveInput{Content: text, Project: "demo"}))
			report(w.SavePrompt(ctx, remember.PromptInput{Content: text, SessionID: "q " + text, NewSession: true, Project: "p " + text, Directory: text}))
			report(w.SavePrompt(ctx, remember.PromptInput{Content: text, Project: "demo"}))
			report(w.Capture(ctx, remember.CaptureInput{Content: "## Key Learnings:\n1. something that was learned " + text + "\n2. and this is another learning\n",
				SessionID: "c " + text, NewSession: true, Project: "p " + text, Directory: text, Source: text}))
			report(w.MergeProjects(ctx, []string{"p " + text}, "m "+text))
			for _, r := range []projects.ProjectRequest{{Explicit: text}, {Explicit: text, Write: true, Dir: t.TempDir()}, {Chosen: text}, {Override: text},
				{SessionID: "x " + text}} {
				report(w.ProjectFor(ctx, r))
			}
			report(w.SuggestTopic(engram.Type(text), text, text))
			report(w.Search(ctx, search.SearchInput{Query: text, Filter: engram.Filter{}}))
			report(w.SearchPrompts(ctx, text, "", 0))
			report(w.List(ctx, engram.Filter{}, engram.Page{}))
			report(w.Engine.Context(ctx, brief.ContextInput{}))
			report(w.Timeline(ctx, engram.ByNum(1), 5, 5))
			report(w.Get(ctx, engram.ByNum(1)))
			report(w.Get(ctx, engram.Ref{Topic: text, Project: text}))
			report(w.Sessions(ctx, "", engram.Page{}))
			report(w.Session(ctx, "y "+text))
			report(w.Prompts(ctx, "", engram.Page{}))
			report(w.Projects(ctx))
			report(w.Stats(ctx, text))
			report(nil, w.DeleteSession(ctx, "z "+text, true))
			report(w.DeleteProject(ctx, "z "+text, false))
			report(w.PruneProjects(ctx, []string{text}, false))
			report(w.Journal(), nil)

			answers, err := json.Marshal(told)
			if err != nil {
				t.Fatal(err)
			}
			if at := strings.Index(strings.ToLower(string(answers)), enginetest.Marker); at >= 0 {
				t.Errorf("an answer holds the marker: …%s…", answers[max(0, at-300):min(len(answers), at+100)])
			}
			for _, when := range []string{"while the store is open", "after it was closed"} {
				if names := w.Holds(enginetest.Marker); len(names) > 0 {
					t.Errorf("%s the marker is in %v", when, names)
				}
				w.Close(t)
			}
			if !strings.Contains(string(answers), "[REDACTED]") {
				t.Error("nothing was redacted: the test reaches nothing")
			}
		})
	}
}

func TestAPrivateSpanThatGoesAcrossLearnings(t *testing.T) {
	t.Parallel()
	w := enginetest.NewWorld(t)
	res, err := w.Capture(t.Context(), remember.CaptureInput{Project: "demo", Content: "## Learnings\n" +
		"1. the gateway retries three times\n2. the key <private>is " + enginetest.Marker + "\n3. and so is " + enginetest.Marker + " too\n4. until</private> here, for all of it\n"})
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range res.Memories {
		if strings.Contains(m.Title+m.Content, enginetest.Marker) {
			t.Errorf("got %+v", m)
		}
	}
	w.Close(t)
	if names := w.Holds(enginetest.Marker); len(names) > 0 || res.Saved == 0 {
		t.Errorf("saved %d; the marker is in %v", res.Saved, names)
	}
}

func TestARefusedTextIsNotKeptEither(t *testing.T) {
	t.Parallel()
	w := enginetest.NewWorld(t)
	for _, in := range []remember.SaveInput{
		{Title: enginetest.Marker, Content: enginetest.Marker + "\x00"}, {Title: enginetest.Marker, Content: enginetest.Marker, SessionID: "nobody"},
		{Title: enginetest.Marker, Content: enginetest.Marker, Related: []engram.Ref{engram.ByNum(9)}},
	} {
		if _, err := w.Save(t.Context(), in); err == nil {
			t.Fatalf("%+v was saved", in)
		}
	}
	w.Close(t)
	if names := w.Holds(enginetest.Marker); len(names) > 0 {
		t.Errorf("the text is in %v", names)
	}
}
