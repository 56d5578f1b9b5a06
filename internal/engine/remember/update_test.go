package remember_test

import (
	"math"
	"reflect"
	"strings"
	"testing"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/engine/remember"
	"github.com/alanbuscaglia/engram/internal/enginetest"
)

func TestUpdateChangesEachField(t *testing.T) {
	t.Parallel()
	ref := engram.ByNum(1)
	before := remember.SaveInput{Title: "Title", Content: "content", Type: "bugfix", Project: "demo", Tags: []string{"a", "b"}, Metadata: map[string]any{"k": "v", "n": 1}}
	for _, tt := range []struct {
		name   string
		in     remember.UpdateInput
		change func(m *engram.Memory)
		counts bool // as a revision
	}{
		{"title", remember.UpdateInput{Ref: ref, Title: new(" New  title ")}, func(m *engram.Memory) { m.Title = "New title" }, true},
		{"content", remember.UpdateInput{Ref: ref, Content: new("new\n")}, func(m *engram.Memory) {
			m.Content, m.NormalizedHash = "new\n", "11507a0e2f5e69d5dfa40a62a1bd7b6ee57e6bcd85c67c9b8431b36fff21c437"
		}, true},
		{"type", remember.UpdateInput{Ref: ref, Type: new(engram.Type(" Decision "))}, func(m *engram.Memory) {
			m.Type, m.ReviewAfter = "decision", m.UpdatedAt.AddDate(0, 6, 0)
		}, true},
		{"an empty type is manual", remember.UpdateInput{Ref: ref, Type: new(engram.Type(" "))}, func(m *engram.Memory) { m.Type = engram.TypeManual }, true},
		{"scope", remember.UpdateInput{Ref: ref, Scope: new(engram.Scope("Global"))}, func(m *engram.Memory) { m.Scope = "global" }, true},
		{"project", remember.UpdateInput{Ref: ref, Project: new("Other")}, func(m *engram.Memory) { m.Project = "other" }, true},
		{"no project", remember.UpdateInput{Ref: ref, Project: new("")}, func(m *engram.Memory) { m.Project = "" }, true},
		{"topic", remember.UpdateInput{Ref: ref, TopicKey: new(" Bug/A  b ")}, func(m *engram.Memory) { m.TopicKey = "bug/a-b" }, true},
		{"importance", remember.UpdateInput{Ref: ref, Importance: new(0.0)}, func(m *engram.Memory) { m.Importance = 0 }, false},
		{"permanence", remember.UpdateInput{Ref: ref, Permanent: new(true)}, func(m *engram.Memory) { m.Permanent, m.Tags = true, append(m.Tags, "permanent") }, false},
		{"tags", remember.UpdateInput{Ref: ref, Tags: &[]string{"Z", "y", "z"}}, func(m *engram.Memory) { m.Tags = []string{"y", "z"} }, false},
		{"no tags", remember.UpdateInput{Ref: ref, Tags: &[]string{}}, func(m *engram.Memory) { m.Tags = nil }, false},
		{"tags added and removed", remember.UpdateInput{Ref: ref, AddTags: []string{"c", "A"}, RemoveTags: []string{" B ", "none"}}, func(m *engram.Memory) { m.Tags = []string{"a", "c"} }, false},
		{"the last tags removed", remember.UpdateInput{Ref: ref, RemoveTags: []string{"a", "b"}}, func(m *engram.Memory) { m.Tags = nil }, false},
		{"a tag that is added and removed is removed", remember.UpdateInput{Ref: ref, AddTags: []string{"c"}, RemoveTags: []string{"c", "a"}}, func(m *engram.Memory) { m.Tags = []string{"b"} }, false},
		{"metadata", remember.UpdateInput{Ref: ref, Metadata: map[string]any{"k": nil, "n": 2, "new": []any{"x"}, "gone": nil}},
			func(m *engram.Memory) { m.Metadata = map[string]any{"n": 2.0, "new": []any{"x"}} }, false},
		{"the last metadata", remember.UpdateInput{Ref: ref, Metadata: map[string]any{"k": nil, "n": nil}}, func(m *engram.Memory) { m.Metadata = nil }, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			w := enginetest.NewWorld(t)
			want := w.MustSave(before).Memory
			done, err := w.Update(t.Context(), tt.in)
			if err != nil || len(done.Warnings) > 0 {
				t.Fatal(done.Warnings, err)
			}
			got := done.Memory
			if !got.UpdatedAt.After(want.UpdatedAt) {
				t.Errorf("updated at %v, was %v", got.UpdatedAt, want.UpdatedAt)
			}
			want.UpdatedAt = got.UpdatedAt
			tt.change(&want)
			if tt.counts {
				want.RevisionCount = 2
			}
			if !reflect.DeepEqual(got, want) {
				t.Errorf("updated\n got %+v\nwant %+v", got, want)
			}
			if kept := w.MustGet(1).Memory; !reflect.DeepEqual(kept, got) {
				t.Errorf("what was answered is not what is kept\n got %+v\nwant %+v", kept, got)
			}
		})
	}
}

func TestUpdateKeepsTheOldText(t *testing.T) {
	t.Parallel()
	w := enginetest.NewWorld(t)
	w.Note("Old title", "old words")
	for _, in := range []remember.UpdateInput{{Title: new("New title")}, {Importance: new(0.7)}, {Type: new(engram.Type("bugfix"))}, {Content: new("new words")}, {Content: new("newest words")}} {
		in.Ref = engram.ByNum(1)
		if _, err := w.Update(t.Context(), in); err != nil {
			t.Fatal(err)
		}
	}
	d := w.MustGet(1)
	var got []string
	for _, r := range d.Revisions {
		got = append(got, string(r.Type)+": "+r.Title+": "+r.Content+" ("+r.Reason+")")
		if r.ReplacedAt.Before(r.WrittenAt) || r.Number < 1 || r.Number >= d.Memory.RevisionCount {
			t.Errorf("revision %+v of %d", r, d.Memory.RevisionCount)
		}
	}
	enginetest.Same(t, "revisions", got, []string{"manual: Old title: old words (update)", "bugfix: New title: old words (update)", "bugfix: New title: new words (update)"})
	enginetest.Same(t, "the newest words are found", w.MustFind("newest"), []int64{1})
	if got := w.MustFind("old"); len(got) > 0 {
		t.Errorf("the old words are found: %v", got)
	}
}

func TestAnUpdateOfNothing(t *testing.T) {
	t.Parallel()
	w := enginetest.NewWorld(t)
	before := w.MustSave(remember.SaveInput{Title: "t", Content: "c", Project: "demo", Tags: []string{"a"}, Metadata: map[string]any{"k": 1}}).Memory
	_, err := w.Update(t.Context(), remember.UpdateInput{Ref: engram.ByNum(1)})
	enginetest.WantCode(t, err, engram.CodeInvalid)
	if err.Error() != "provide at least one field to update" {
		t.Errorf("got %q", err)
	}
	for name, in := range map[string]remember.UpdateInput{
		"the same title": {Title: new("t")}, "the same in other words": {Title: new(" t "), Content: new("c"), Type: new(engram.Type("MANUAL")), Scope: new(engram.Scope("?"))},
		"a tag that is there": {AddTags: []string{"A"}}, "a tag that is not": {RemoveTags: []string{"z"}}, "the same tags": {Tags: &[]string{"a"}},
		"the same metadata": {Metadata: map[string]any{"k": 1, "z": nil}}, "the same project": {Project: new("DEMO")},
	} {
		in.Ref = engram.ByNum(1)
		entries := w.Since(func() {
			done, err := w.Update(t.Context(), in)
			if err != nil || !reflect.DeepEqual(done, remember.Updated{Memory: before}) {
				t.Errorf("%s: %+v, %v", name, done, err)
			}
		})
		if len(entries) > 0 || !reflect.DeepEqual(w.MustGet(1).Memory, before) {
			t.Errorf("%s: something was written: %+v", name, entries)
		}
	}
}

func TestAnUpdateThatIsRefusedChangesNothing(t *testing.T) {
	t.Parallel()
	w := enginetest.NewWorld(t)
	before := w.MustSave(remember.SaveInput{Title: "t", Content: "c", Project: "demo", TopicKey: "mine"}).Memory
	w.MustSave(remember.SaveInput{Content: "d", Project: "demo", TopicKey: "theirs"})
	w.MustSave(remember.SaveInput{Content: "e", Project: "other", TopicKey: "mine"})
	tags := make([]string, engram.MaxTags+1)
	for i := range tags {
		tags[i] = strings.Repeat("t", i+1)
	}
	for _, tt := range []struct {
		name string
		in   remember.UpdateInput
		code engram.Code
	}{
		{"a topic that another has", remember.UpdateInput{Content: new("new"), TopicKey: new("theirs")}, engram.CodeConflict},
		{"a project where another has the topic", remember.UpdateInput{Content: new("new"), Project: new("other")}, engram.CodeConflict},
		{"an empty title", remember.UpdateInput{Content: new("new"), Title: new(" ")}, engram.CodeInvalid},
		{"empty content", remember.UpdateInput{Title: new("new"), Content: new("\n")}, engram.CodeInvalid},
		{"content that is too long", remember.UpdateInput{Content: new(strings.Repeat("x", engram.MaxContent+1))}, engram.CodeInvalid},
		{"a NUL", remember.UpdateInput{Content: new("a\x00")}, engram.CodeInvalid},
		{"a title that is not UTF-8", remember.UpdateInput{Title: new("\xff")}, engram.CodeInvalid},
		{"a type that is not UTF-8", remember.UpdateInput{Type: new(engram.Type("\xff"))}, engram.CodeInvalid},
		{"a topic that is not UTF-8", remember.UpdateInput{TopicKey: new("\xff")}, engram.CodeInvalid},
		{"a tag that is not UTF-8", remember.UpdateInput{AddTags: []string{"\xff"}}, engram.CodeInvalid},
		{"tags that are not UTF-8", remember.UpdateInput{Tags: &[]string{"\xff"}}, engram.CodeInvalid},
		{"too many tags", remember.UpdateInput{AddTags: tags}, engram.CodeInvalid},
		{"a project of control characters", remember.UpdateInput{Project: new("a\x00b")}, engram.CodeInvalid},
		{"importance", remember.UpdateInput{Importance: new(math.NaN())}, engram.CodeInvalid},
		{"metadata that is too long", remember.UpdateInput{Metadata: map[string]any{"k": strings.Repeat("x", engram.MaxMetadata)}}, engram.CodeInvalid},
		{"metadata that is not JSON", remember.UpdateInput{Metadata: map[string]any{"k": math.Inf(1)}}, engram.CodeInvalid},
	} {
		t.Run(tt.name, func(t *testing.T) {
			w := w.In(t)
			tt.in.Ref = engram.ByNum(1)
			entries := w.Since(func() {
				_, err := w.Update(t.Context(), tt.in)
				enginetest.WantCode(t, err, tt.code)
			})
			d := w.MustGet(1)
			if len(entries) > 0 || len(d.Revisions) > 0 || !reflect.DeepEqual(d.Memory, before) {
				t.Errorf("changed: %+v, %+v, %+v", entries, d.Memory, d.Revisions)
			}
			if got := w.MustStats().Projects; len(got) != 2 {
				t.Errorf("projects %v", got)
			}
		})
	}
}

func TestWhatCannotBeUpdated(t *testing.T) {
	t.Parallel()
	w := enginetest.NewWorld(t)
	w.Note("t", "c")
	if _, err := w.Forget(t.Context(), engram.ByNum(1)); err != nil {
		t.Fatal(err)
	}
	for _, ref := range []engram.Ref{engram.ByNum(1), engram.ByNum(2), {Topic: "none"}, {}, {Num: -1}} {
		_, err := w.Update(t.Context(), remember.UpdateInput{Ref: ref, Title: new("new")})
		enginetest.WantCode(t, err, engram.CodeNotFound)
	}
}

func TestTagsBeyondTheLimitByRevisionsAreRefused(t *testing.T) {
	t.Parallel()
	w := enginetest.NewWorld(t)
	in := remember.SaveInput{Content: "c", Project: "demo", TopicKey: "k"}
	for i := range engram.MaxTags {
		in.Tags = append(in.Tags, "a"+strings.Repeat("x", i))
	}
	w.MustSave(in)
	in.Content, in.Tags = "d", []string{"one-more"}
	_, err := w.Save(t.Context(), in)
	enginetest.WantCode(t, err, engram.CodeInvalid)
	if m := w.MustGet(1).Memory; len(m.Tags) != engram.MaxTags || m.Content != "c" {
		t.Errorf("got %d tags, %q", len(m.Tags), m.Content)
	}
}
