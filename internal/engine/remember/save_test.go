package remember_test

import (
	"math"
	"reflect"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/engine/ledger"
	"github.com/alanbuscaglia/engram/internal/engine/remember"
	"github.com/alanbuscaglia/engram/internal/enginetest"
)

func TestSaveAddsAMemory(t *testing.T) {
	t.Parallel()
	w := enginetest.NewWorld(t)
	res := w.MustSave(remember.SaveInput{Title: " Auth  model ", Content: "JWT, 15 minutes\n", Type: "Decision", Scope: "Personal", Project: "demo",
		ToolName: "bash", Tags: []string{"jwt", "Auth", "auth", " "}, Metadata: map[string]any{"pr": 7, "ok": true}, Importance: new(0.8), Permanent: true})
	m := res.Memory
	now := m.CreatedAt
	want := engram.Memory{
		ID: m.ID, Num: 1, SyncID: m.SyncID, Project: "demo", Scope: engram.ScopePersonal, Type: engram.TypeDecision, Title: "Auth model",
		Content: "JWT, 15 minutes\n", Tags: []string{"auth", "jwt", "permanent"}, Metadata: map[string]any{"pr": 7.0, "ok": true}, SessionID: "manual-save-demo",
		ToolName: "bash", Origin: engram.OriginAgent, Importance: 0.8, Strength: 1, TouchedAt: now, Permanent: true, CreatedAt: now, UpdatedAt: now,
		ReviewAfter: now.AddDate(0, 3, 0), RevisionCount: 1, DuplicateCount: 1,
		NormalizedHash: "4a38c663bd1f8facb7384304f76d6b3dfcc734523a9be3f96465451ac81ca1d3",
	}
	if !reflect.DeepEqual(m, want) {
		t.Errorf("saved\n got %+v\nwant %+v", m, want)
	}
	if got := w.MustGet(1).Memory; !reflect.DeepEqual(got, m) {
		t.Errorf("what was answered is not what is kept\n got %+v\nwant %+v", got, m)
	}
	if res.Action != ledger.ActionInserted || res.Reason != "new" || res.State != engram.StateActive || res.SuggestedTopic() != "decision/auth-model" {
		t.Errorf("got %+v", res)
	}
	if !strings.HasPrefix(m.SyncID, "obs-") || len(m.SyncID) != 20 || !now.After(enginetest.Start()) {
		t.Errorf("got sync id %q, made at %v", m.SyncID, now)
	}
}

func TestSaveFillsInWhatIsLeftOut(t *testing.T) {
	t.Parallel()
	w := enginetest.NewWorld(t)
	m := w.MustSave(remember.SaveInput{Content: "the words"}).Memory
	if m.Title != "the words" || m.Type != engram.TypeManual || m.Scope != engram.ScopeProject || m.Origin != engram.OriginAgent ||
		m.Importance != engram.DefaultImportance || m.Project != "" || m.SessionID != "manual-save" || m.Tags != nil || m.Metadata != nil {
		t.Errorf("got %+v", m)
	}
}

func TestTheTitleComesFromTheContentWhenThereIsNone(t *testing.T) {
	t.Parallel()
	w := enginetest.NewWorld(t)
	long := strings.Repeat("word ", 30)
	for _, tt := range []struct{ name, content, want string }{
		{"the first line", "First line\nsecond", "First line"},
		{"without the marks of Markdown", "## What we chose\n\nJWT", "What we chose"},
		{"a list's first item", "- one\n- two", "one"},
		{"the first line that says something", "---\n\n***\n\nOnly here", "Only here"},
		{"the marks when there is nothing else", "***", "***"},
		{"cut at a word", long, strings.TrimSpace(strings.Repeat("word ", 16)) + "…"},
		{"cut within one very long word", strings.Repeat("é", 200), strings.Repeat("é", 80) + "…"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got := w.In(t).MustSave(remember.SaveInput{Content: tt.content, Title: " \t"}).Memory.Title
			if got != tt.want || !utf8.ValidString(got) {
				t.Errorf("content %q gives the title %q, want %q", tt.content, got, tt.want)
			}
		})
	}
}

func TestScopesInAnySpelling(t *testing.T) {
	t.Parallel()
	w := enginetest.NewWorld(t)
	for spelling, want := range map[engram.Scope]engram.Scope{"personal": "personal", " PERSONAL ": "personal", "global": "global", "Global\n": "global",
		"": "project", "project": "project", "team": "project", "\xff": "project"} {
		if got := w.MustSave(remember.SaveInput{Content: "scope " + string(want), Title: "as", Scope: spelling}).Memory.Scope; got != want {
			t.Errorf("scope %q became %q, want %q", spelling, got, want)
		}
	}
}

func TestAMebibyteIsKeptToTheByteAndMoreIsRefused(t *testing.T) {
	t.Parallel()
	w := enginetest.NewWorld(t)
	text := "\r\n \t" + strings.Repeat("é\r\nabcde fg ", engram.MaxContent/14) + "\x01\u2028end "
	text += strings.Repeat("x", engram.MaxContent-len(text))
	num := w.Note("whole", text)
	if got := w.MustGet(num).Memory.Content; got != text {
		t.Errorf("%d bytes came back as %d, or otherwise", len(text), len(got))
	}
	before := len(w.Journal())
	_, err := w.Save(t.Context(), remember.SaveInput{Title: "one more", Content: text + "y", Project: "new-one"})
	enginetest.WantCode(t, err, engram.CodeInvalid)
	if got := err.Error(); got != "content has 1048577 bytes, the limit is 1048576" {
		t.Errorf("got %q", got)
	}
	if engram.HintOf(err) == "" {
		t.Errorf("the error gives no hint")
	}
	if st := w.MustStats(); st.Memories != 1 || len(w.Journal()) != before || len(st.Projects) != 1 {
		t.Errorf("the refused save left something: %+v", st)
	}
}

func TestRefusedInputWritesNothingAndNamesTheField(t *testing.T) {
	t.Parallel()
	long := func(n int) string { return strings.Repeat("n", n+1) }
	many := map[string]any{"k": long(engram.MaxMetadata)}
	tags := make([]string, engram.MaxTags+1)
	for i := range tags {
		tags[i] = "t" + strings.Repeat("x", i)
	}
	for _, tt := range []struct {
		name, field string
		in          remember.SaveInput
	}{
		{"no content", "content", remember.SaveInput{Title: "t"}},
		{"content of white space", "content", remember.SaveInput{Title: "t", Content: " \n\t"}},
		{"a NUL in the content", "content", remember.SaveInput{Content: "a\x00b"}},
		{"a NUL in a private span", "content", remember.SaveInput{Content: "a <private>\x00</private>"}},
		{"content that is not UTF-8", "content", remember.SaveInput{Content: "a\xffb"}},
		{"a title that is not UTF-8", "title", remember.SaveInput{Title: "\xc3", Content: "c"}},
		{"a NUL in the title", "title", remember.SaveInput{Title: "a\x00", Content: "c"}},
		{"a long title", "title", remember.SaveInput{Title: long(engram.MaxTitle), Content: "c"}},
		{"a type that is not UTF-8", "type", remember.SaveInput{Type: "\xff", Content: "c"}},
		{"a long type", "type", remember.SaveInput{Type: engram.Type(long(engram.MaxName)), Content: "c"}},
		{"a topic that is not UTF-8", "topic key", remember.SaveInput{TopicKey: "a\xff", Content: "c"}},
		{"a NUL in the topic", "topic key", remember.SaveInput{TopicKey: "a\x00", Content: "c"}},
		{"a project that is not UTF-8", "project", remember.SaveInput{Project: "a\xff", Content: "c"}},
		{"a long project", "project", remember.SaveInput{Project: long(engram.MaxName), Content: "c"}},
		{"a session that is not UTF-8", "session", remember.SaveInput{SessionID: "a\xff", NewSession: true, Content: "c"}},
		{"a long session", "session", remember.SaveInput{SessionID: long(engram.MaxName), NewSession: true, Content: "c"}},
		{"a tool that is not UTF-8", "tool name", remember.SaveInput{ToolName: "a\xff", Content: "c"}},
		{"a long tool name", "tool name", remember.SaveInput{ToolName: long(engram.MaxName), Content: "c"}},
		{"a folder that is not UTF-8", "directory", remember.SaveInput{Directory: "a\xff", Content: "c"}},
		{"a tag that is not UTF-8", "tag", remember.SaveInput{Tags: []string{"a\xff"}, Content: "c"}},
		{"a NUL in a tag", "tag", remember.SaveInput{Tags: []string{"a\x00"}, Content: "c"}},
		{"a long tag", "tag", remember.SaveInput{Tags: []string{long(engram.MaxTag)}, Content: "c"}},
		{"too many tags", "tags", remember.SaveInput{Tags: tags, Content: "c"}},
		{"too much metadata", "metadata", remember.SaveInput{Metadata: many, Content: "c"}},
		{"metadata that is not JSON", "metadata", remember.SaveInput{Metadata: map[string]any{"k": math.NaN()}, Content: "c"}},
		{"importance that is no number", "importance", remember.SaveInput{Importance: new(math.NaN()), Content: "c"}},
		{"importance above one", "importance", remember.SaveInput{Importance: new(1.01), Content: "c"}},
		{"importance below nothing", "importance", remember.SaveInput{Importance: new(-0.01), Content: "c"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			w := enginetest.NewWorld(t)
			_, err := w.Save(t.Context(), tt.in)
			enginetest.WantCode(t, err, engram.CodeInvalid)
			if !strings.Contains(err.Error(), tt.field) {
				t.Errorf("got %q, which does not speak of %q", err, tt.field)
			}
			if st := w.MustStats(); st.Memories+st.Sessions+len(st.Projects)+len(w.Journal()) > 0 {
				t.Errorf("something was written: %+v", st)
			}
		})
	}
}

func TestSaveRelatesToOthers(t *testing.T) {
	t.Parallel()
	w := enginetest.NewWorld(t)
	one, two := w.Note("one", "the first"), w.Note("two", "the second")
	topic := w.MustSave(remember.SaveInput{Content: "third", TopicKey: "bug/third", Project: "demo"}).Memory.Num
	res := w.MustSave(remember.SaveInput{Content: "tied", Project: "demo", Related: []engram.Ref{engram.ByNum(one), engram.ByNum(two),
		engram.ByNum(one), {Topic: "Bug/Third"}}})
	var others []int64
	for _, n := range w.MustGet(res.Memory.Num).Relations {
		if n.Relation.Verb != engram.VerbRelatesTo || n.Relation.Status != engram.RelationJudged || !n.Outgoing {
			t.Errorf("got the relation %+v", n)
		}
		others = append(others, n.Other.Num)
	}
	enginetest.Same(t, "related to", others, []int64{one, two, topic})
	if back := w.MustGet(two).Relations; len(back) != 1 || back[0].Outgoing || back[0].Other.Num != res.Memory.Num {
		t.Errorf("seen from the other side: %+v", back)
	}
}

func TestARelationThatCannotBeUndoesTheSave(t *testing.T) {
	t.Parallel()
	w := enginetest.NewWorld(t)
	w.Note("one", "the first")
	before := len(w.Journal())
	_, err := w.Save(t.Context(), remember.SaveInput{Content: "tied", Project: "demo", Related: []engram.Ref{engram.ByNum(1), engram.ByNum(99)}})
	enginetest.WantCode(t, err, engram.CodeNotFound)
	if st := w.MustStats(); st.Memories != 1 || st.Relations != 0 || len(w.Journal()) != before {
		t.Errorf("left behind: %+v", st)
	}
	self := w.MustSave(remember.SaveInput{Content: "me", TopicKey: "me", Project: "demo"}).Memory.Num
	_, err = w.Save(t.Context(), remember.SaveInput{Content: "me again", TopicKey: "me", Project: "demo", Related: []engram.Ref{engram.ByNum(self)}})
	enginetest.WantCode(t, err, engram.CodeInvalid)
	if got := w.MustGet(self).Memory.Content; got != "me" {
		t.Errorf("the refused save changed the memory to %q", got)
	}
}
