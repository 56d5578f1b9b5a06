package read_test

import (
	"math"
	"slices"
	"testing"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/engine/read"
	"github.com/alanbuscaglia/engram/internal/engine/relate"
	"github.com/alanbuscaglia/engram/internal/engine/remember"
	"github.com/alanbuscaglia/engram/internal/enginetest"
)

func TestOverviewCountsWhatIsLive(t *testing.T) {
	t.Parallel()
	w := enginetest.NewWorld(t)
	overview := func(project string) read.Overview {
		t.Helper()
		o, err := w.Overview(t.Context(), project)
		if err != nil {
			t.Fatalf("overview of %q: %v", project, err)
		}
		return o
	}
	if got, want := overview("demo"), (read.Overview{Project: "demo"}); got != want {
		t.Errorf("a project that does not exist: got %+v, want %+v", got, want)
	}
	a := w.MustSave(remember.SaveInput{Title: "Kettle", Content: "It whistles.", Project: "demo", Importance: new(1.0)}).Memory
	b := w.MustSave(remember.SaveInput{Title: "Ledger", Content: "Rows are signed.", Project: "demo", Permanent: true}).Memory
	c := w.MustSave(remember.SaveInput{Title: "Harbour", Content: "Ships wait.", Project: "demo"}).Memory
	w.MustSave(remember.SaveInput{Title: "Elsewhere", Content: "Another project's.", Project: "other"})
	for _, pair := range [][2]engram.Memory{{a, b}, {b, c}} {
		if _, err := w.Link(t.Context(), relate.LinkInput{Source: engram.ByNum(pair[0].Num), Target: engram.ByNum(pair[1].Num), Verb: engram.VerbDerivedFrom}); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := w.Forget(t.Context(), engram.ByNum(c.Num)); err != nil {
		t.Fatal(err)
	}
	got := overview("Demo")
	sum := 0.0
	for _, m := range []engram.Memory{a, b} {
		d, err := w.Get(t.Context(), engram.ByNum(m.Num))
		if err != nil {
			t.Fatal(err)
		}
		sum += d.Strength
	}
	if got.Project != "demo" || got.Memories != 2 || got.Relations != 1 || math.Abs(got.Strength-sum/2) > 1e-6 {
		t.Errorf("got %+v, want project demo, 2 memories, 1 relation, a mean strength of %v", got, sum/2)
	}
}

func TestForgettingWhatIsKnown(t *testing.T) {
	t.Parallel()
	w := enginetest.NewWorld(t)
	var refs []engram.Ref
	for _, title := range []string{"Kettle", "Ledger", "Harbour"} {
		m := w.MustSave(remember.SaveInput{Title: title, Content: "About the " + title + ".", Project: "demo"}).Memory
		refs = append(refs, engram.ByNum(m.Num))
	}
	if _, err := w.Forget(t.Context(), refs[1]); err != nil {
		t.Fatal(err)
	}
	gone, unknown, err := w.ForgetKnown(t.Context(), refs[0], engram.ByNum(99), refs[1], refs[2], refs[0])
	if err != nil || len(gone) != 2 || gone[0].Title != "Kettle" || gone[1].Title != "Harbour" || !slices.Equal(unknown, []int{1, 2}) {
		t.Errorf("got %d forgotten, %v unknown, error %v, want Kettle and Harbour, 1 and 2", len(gone), unknown, err)
	}
	if _, _, err = w.ForgetKnown(t.Context(), engram.Ref{ID: "mem_"}); engram.CodeOf(err) != engram.CodeConflict {
		t.Errorf("an id that fits several: got %v, want a conflict", err)
	}
}

func TestATitleThatNobodyGaveFollowsTheContent(t *testing.T) {
	t.Parallel()
	w := enginetest.NewWorld(t)
	m := w.MustSave(remember.SaveInput{Content: "The build takes two minutes.\nOn CI.", Project: "demo"}).Memory
	n := w.MustSave(remember.SaveInput{Title: "Build", Content: "The build takes two minutes, too.", Project: "demo"}).Memory
	for _, tt := range []struct {
		num           int64
		content, want string
	}{
		{m.Num, "The build takes one minute.", "The build takes one minute."},
		{n.Num, "The build takes one minute, too.", "Build"},
	} {
		got, err := w.Update(t.Context(), remember.UpdateInput{Ref: engram.ByNum(tt.num), Content: &tt.content})
		if err != nil || got.Title != tt.want {
			t.Errorf("%s: got title %q, error %v, want %q", tt.content, got.Title, err, tt.want)
		}
	}
	if _, err := w.Update(t.Context(), remember.UpdateInput{Ref: engram.ByNum(m.Num), Content: new(" ")}); engram.CodeOf(err) != engram.CodeInvalid {
		t.Errorf("no content: got %v, want invalid", err)
	}
}

func TestTopicsByHowTheyBegin(t *testing.T) {
	t.Parallel()
	w := enginetest.NewWorld(t)
	for _, key := range []string{"auth/tokens", "auth/model", "ui/colours"} {
		w.MustSave(remember.SaveInput{Title: key, Content: "About " + key, TopicKey: key, Project: "demo"})
	}
	for prefix, want := range map[string][]string{"": {"auth/model", "auth/tokens", "ui/colours"}, "AUTH": {"auth/model", "auth/tokens"}, "x": nil} {
		got, err := w.Topics(t.Context(), "Demo", prefix, 0)
		if err != nil || !slices.Equal(got, want) {
			t.Errorf("topics from %q: got %v, error %v, want %v", prefix, got, err, want)
		}
	}
	if _, err := w.Topics(t.Context(), "", "", 1001); engram.CodeOf(err) != engram.CodeInvalid {
		t.Errorf("too many: got %v, want invalid", err)
	}
}
