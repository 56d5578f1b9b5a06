package read_test

import (
	"strings"
	"testing"
	"time"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/engine/brief"
	"github.com/alanbuscaglia/engram/internal/engine/remember"
	"github.com/alanbuscaglia/engram/internal/enginetest"
)

func TestAMemoryByAnyOfItsNames(t *testing.T) {
	t.Parallel()
	w := enginetest.NewWorld(t)
	w.Note("first", "one")
	m := w.MustSave(remember.SaveInput{Title: "second", Content: "two", Project: "demo", TopicKey: "bug/second"}).Memory
	for _, name := range []string{"2", "#2", string(m.ID), string(m.ID[:30]), m.SyncID, "topic:bug/second", "topic: Bug/Second "} {
		ref, err := engram.ParseRef(name)
		if err != nil {
			t.Fatal(err)
		}
		d, err := w.Get(t.Context(), ref)
		if err != nil && engram.CodeOf(err) == engram.CodeConflict && strings.HasPrefix(name, "mem_") && len(name) < 30 {
			continue
		}
		if err != nil || d.Memory.Num != 2 || d.State != engram.StateActive || len(d.Revisions)+len(d.Relations) > 0 {
			t.Errorf("%s: %+v, %v", name, d, err)
		}
	}
}

func TestANameOfSeveralMemoriesIsAConflict(t *testing.T) {
	t.Parallel()
	w := enginetest.NewWorld(t)
	w.MustSave(remember.SaveInput{Content: "one", Project: "demo", TopicKey: "k"})
	w.MustSave(remember.SaveInput{Content: "two", Project: "other", TopicKey: "k"})
	for _, ref := range []engram.Ref{{ID: "mem_000"}, {Topic: "k"}} {
		_, err := w.Get(t.Context(), ref)
		enginetest.WantCode(t, err, engram.CodeConflict)
		if !strings.Contains(engram.HintOf(err), "mem_0000") {
			t.Errorf("the hint %q names none of them", engram.HintOf(err))
		}
	}
	d, err := w.Get(t.Context(), engram.Ref{Topic: "K ", Project: " Other"})
	if err != nil || d.Memory.Num != 2 {
		t.Errorf("in its project: %+v, %v", d.Memory, err)
	}
}

func TestWhatIsNotThereIsNotFound(t *testing.T) {
	t.Parallel()
	w := enginetest.NewWorld(t)
	w.Note("t", "c")
	for _, ref := range []engram.Ref{{}, engram.ByNum(2), engram.ByNum(-1), {ID: "mem_zzz"}, {SyncID: "obs-0"}, {Topic: "none"}, {Topic: "k", Project: "nothing"}} {
		_, err := w.Get(t.Context(), ref)
		enginetest.WantCode(t, err, engram.CodeNotFound)
		_, err = w.Timeline(t.Context(), ref, 1, 1)
		enginetest.WantCode(t, err, engram.CodeNotFound)
	}
}

func TestListIsNewestFirstInPages(t *testing.T) {
	t.Parallel()
	w := enginetest.NewWorld(t)
	for range 25 {
		w.MustSave(remember.SaveInput{Title: "t", Content: w.Clock.Now().String(), Project: "demo"})
	}
	page := func(p engram.Page) []int64 {
		ms, err := w.List(t.Context(), engram.Filter{Project: "demo"}, p)
		if err != nil {
			t.Fatal(err)
		}
		return enginetest.Nums(ms)
	}
	if got := page(engram.Page{}); len(got) != 20 || got[0] != 25 || got[19] != 6 {
		t.Errorf("twenty unless asked: %v", got)
	}
	enginetest.Same(t, "the rest", page(engram.Page{Offset: 20}), []int64{5, 4, 3, 2, 1})
	enginetest.Same(t, "three in the middle", page(engram.Page{Limit: 3, Offset: 10}), []int64{15, 14, 13})
	enginetest.Same(t, "beyond the end", page(engram.Page{Offset: 25}), []int64{})
	for _, p := range []engram.Page{{Limit: -1}, {Limit: 1001}, {Offset: -1}} {
		_, err := w.List(t.Context(), engram.Filter{}, p)
		enginetest.WantCode(t, err, engram.CodeInvalid)
	}
	w.Clock.Add(-24 * time.Hour)
	late := w.Note("with a clock set back", "late")
	if got := w.MustList(engram.Filter{}); got[len(got)-1] != late {
		t.Errorf("a memory made the day before stands at %v", got)
	}
}

func TestTimelineIsOneSession(t *testing.T) {
	t.Parallel()
	w := enginetest.NewWorld(t)
	w.MustSession("a", "demo")
	w.MustSession("b", "demo")
	var inA []int64
	for i := range 12 {
		id := map[bool]string{true: "a", false: "b"}[i%3 != 0]
		num := w.MustSave(remember.SaveInput{Title: "t", Content: w.Clock.Now().String(), Project: "demo", SessionID: id}).Memory.Num
		if id == "a" {
			inA = append(inA, num)
		}
	}
	if _, err := w.Forget(t.Context(), engram.ByNum(inA[2])); err != nil {
		t.Fatal(err)
	}
	inA = append(inA[:2], inA[3:]...) // 7 are left
	at := func(before, after int) engram.Timeline {
		t.Helper()
		tl, err := w.Timeline(t.Context(), engram.ByNum(inA[3]), before, after)
		if err != nil {
			t.Fatal(err)
		}
		if tl.Focus.Num != inA[3] || tl.Total != 7 || tl.Session.ID != "a" {
			t.Errorf("focus #%d, total %d, session %q", tl.Focus.Num, tl.Total, tl.Session.ID)
		}
		return tl
	}
	tl := at(5, 5)
	enginetest.Same(t, "all before", enginetest.Nums(tl.Before), inA[:3])
	enginetest.Same(t, "all after", enginetest.Nums(tl.After), inA[4:])
	tl = at(2, 1)
	enginetest.Same(t, "the nearest before, oldest first", enginetest.Nums(tl.Before), inA[1:3])
	enginetest.Same(t, "the nearest after", enginetest.Nums(tl.After), inA[4:5])
	if tl = at(0, 0); len(tl.Before)+len(tl.After) > 0 {
		t.Errorf("nothing was asked for: %+v", tl)
	}
	at(100, 100)
	for _, n := range [][2]int{{-1, 5}, {5, -1}, {101, 5}, {5, 101}} {
		_, err := w.Timeline(t.Context(), engram.ByNum(inA[3]), n[0], n[1])
		enginetest.WantCode(t, err, engram.CodeInvalid)
		if engram.HintOf(err) != "use a number from 0 to 100" {
			t.Errorf("the hint is %q", engram.HintOf(err))
		}
	}
}

func TestContextIsTheLatestOfEach(t *testing.T) {
	t.Parallel()
	w := enginetest.NewWorld(t)
	report := func(in brief.ContextInput) engram.Context {
		t.Helper()
		c, err := w.Engine.Context(t.Context(), in)
		if err != nil {
			t.Fatal(err)
		}
		return c
	}
	if c := report(brief.ContextInput{Project: "demo"}); !c.Empty() {
		t.Errorf("of an empty store: %+v", c)
	}
	for i := range 30 {
		id := string(rune('a' + i%8))
		w.MustSession(id, "demo")
		scope := engram.Scope("project")
		if i%10 == 0 {
			scope = "personal"
		}
		w.MustSave(remember.SaveInput{Title: "t", Content: w.Clock.Now().String(), Project: "demo", SessionID: id, Scope: scope})
		if _, err := w.SavePrompt(t.Context(), remember.PromptInput{Content: w.Clock.Now().String(), Project: "demo", SessionID: id}); err != nil {
			t.Fatal(err)
		}
	}
	w.MustSave(remember.SaveInput{Content: "elsewhere", Project: "other"})
	c := report(brief.ContextInput{Project: "Demo"})
	if len(c.Sessions) != 5 || len(c.Prompts) != 10 || len(c.Memories) != 20 || c.Empty() {
		t.Fatalf("%d sessions, %d prompts, %d memories; want 5, 10, 20", len(c.Sessions), len(c.Prompts), len(c.Memories))
	}
	var ids []string
	for _, s := range c.Sessions {
		ids = append(ids, s.ID)
	}
	enginetest.Same(t, "sessions by their newest activity", ids, []string{"f", "e", "d", "c", "b"})
	if c.Memories[0].Num != 30 || c.Memories[19].Num != 11 || c.Prompts[0].Num != 30 || c.Prompts[9].Num != 21 {
		t.Errorf("newest first: memories %v, first prompt #%d", enginetest.Nums(c.Memories), c.Prompts[0].Num)
	}
	enginetest.Same(t, "one scope", enginetest.Nums(report(brief.ContextInput{Project: "demo", Scope: "personal"}).Memories), []int64{21, 11, 1})
	if c := report(brief.ContextInput{}); c.Memories[0].Num != 31 || c.Sessions[0].Project != "other" {
		t.Errorf("every project: %v", enginetest.Nums(c.Memories))
	}
	if c := report(brief.ContextInput{Project: "nothing", Scope: "project"}); !c.Empty() {
		t.Errorf("of an unknown project: %+v", c)
	}
}
