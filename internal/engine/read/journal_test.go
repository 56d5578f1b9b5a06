package read_test

import (
	"reflect"
	"testing"
	"time"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/engine/remember"
	"github.com/alanbuscaglia/engram/internal/enginetest"
)

func TestEachVerbLeavesItsEntries(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	for _, tt := range []struct {
		name string
		// before prepares, do is what leaves want.
		before func(w enginetest.World)
		do     func(w enginetest.World) error
		want   []enginetest.Entry
	}{
		{"a first save makes project, session and memory", nil,
			func(w enginetest.World) error {
				_, err := w.Save(ctx, remember.SaveInput{Content: "c", Project: "demo"})
				return err
			},
			[]enginetest.Entry{{Verb: "save", Entity: "project", Key: "demo", Reason: "first use", Was: nil}, {Verb: "save", Entity: "session", Key: "manual-save-demo", Reason: "first use", Was: nil}, {Verb: "save", Entity: "memory", Key: "1", Reason: "new", Was: nil}}},
		{"a save of a topic", func(w enginetest.World) { w.Note("t", "c") },
			func(w enginetest.World) error {
				_, err := w.Save(ctx, remember.SaveInput{Content: "d", Project: "demo", TopicKey: "k"})
				return err
			},
			[]enginetest.Entry{{Verb: "save", Entity: "memory", Key: "2", Reason: "first of its topic", Was: nil}}},
		{"an exact repeat", func(w enginetest.World) { w.Note("t", "c") },
			func(w enginetest.World) error {
				_, err := w.Save(ctx, remember.SaveInput{Title: "t", Content: "c", Project: "demo"})
				return err
			},
			[]enginetest.Entry{{Verb: "save", Entity: "memory", Key: "1", Reason: "exact repeat", Was: []string{"duplicate_count", "last_seen_at", "updated_at"}}}},
		{"a topic revision", func(w enginetest.World) {
			w.MustSave(remember.SaveInput{Title: "t", Content: "c", Project: "demo", TopicKey: "k"})
		},
			func(w enginetest.World) error {
				_, err := w.Save(ctx, remember.SaveInput{Title: "t", Content: "d", Project: "demo", TopicKey: "k", Tags: []string{"new"}})
				return err
			},
			[]enginetest.Entry{{Verb: "save", Entity: "memory", Key: "1", Reason: "same topic key", Was: []string{"revision", "revision_count", "tags", "touched_at", "updated_at"}}}},
		{"a save with relations", func(w enginetest.World) { w.Note("t", "c") },
			func(w enginetest.World) error {
				_, err := w.Save(ctx, remember.SaveInput{Content: "d", Project: "demo", Related: []engram.Ref{engram.ByNum(1)}})
				return err
			},
			[]enginetest.Entry{{Verb: "save", Entity: "memory", Key: "2", Reason: "new", Was: nil}, {Verb: "save", Entity: "relation", Key: "1", Reason: "requested", Was: nil}}},
		{"an update of two fields", func(w enginetest.World) { w.Note("t", "c") },
			func(w enginetest.World) error {
				_, err := w.Update(ctx, remember.UpdateInput{Ref: engram.ByNum(1), Importance: new(0.9), Type: new(engram.Type("decision"))})
				return err
			},
			[]enginetest.Entry{{Verb: "update", Entity: "memory", Key: "1", Reason: "update", Was: []string{"importance", "review_after", "revision_count", "type", "updated_at"}}}},
		{"an update of the text names its revision", func(w enginetest.World) { w.Note("t", "c") },
			func(w enginetest.World) error {
				_, err := w.Update(ctx, remember.UpdateInput{Ref: engram.ByNum(1), Content: new("d")})
				return err
			},
			[]enginetest.Entry{{Verb: "update", Entity: "memory", Key: "1", Reason: "update", Was: []string{"revision", "revision_count", "updated_at"}}}},
		{"an update that changes nothing", func(w enginetest.World) { w.Note("t", "c") },
			func(w enginetest.World) error {
				_, err := w.Update(ctx, remember.UpdateInput{Ref: engram.ByNum(1), Content: new("c"), Title: new(" t "), AddTags: []string{" "}})
				return err
			}, nil},
		{"forgetting", func(w enginetest.World) { w.Note("t", "c"); w.Note("u", "d") },
			func(w enginetest.World) error { _, err := w.Forget(ctx, engram.ByNum(2), engram.ByNum(1)); return err },
			[]enginetest.Entry{{Verb: "forget", Entity: "memory", Key: "2", Reason: "requested", Was: []string{"deleted_at"}}, {Verb: "forget", Entity: "memory", Key: "1", Reason: "requested", Was: []string{"deleted_at"}}}},
		{"forgetting nothing", nil, func(w enginetest.World) error { _, err := w.Forget(ctx); return err }, nil},
		{"erasing leaves no values", func(w enginetest.World) { w.Note("t", "c") },
			func(w enginetest.World) error { _, err := w.Delete(ctx, true, engram.ByNum(1)); return err },
			[]enginetest.Entry{{Verb: "erase", Entity: "memory", Key: "1", Reason: "", Was: nil}}},
		{"starting a session", func(w enginetest.World) { w.Note("t", "c") },
			func(w enginetest.World) error {
				_, err := w.StartSession(ctx, remember.SessionInput{ID: "s1", Project: "demo"})
				return err
			},
			[]enginetest.Entry{{Verb: "session_start", Entity: "session", Key: "s1", Reason: "started", Was: nil}}},
		{"filling in a session", func(w enginetest.World) { w.MustSession("s1", "demo") },
			func(w enginetest.World) error {
				_, err := w.StartSession(ctx, remember.SessionInput{ID: "s1", Project: "demo", Directory: "/d"})
				return err
			},
			[]enginetest.Entry{{Verb: "session_start", Entity: "session", Key: "s1", Reason: "filled in", Was: []string{"directory"}}}},
		{"ending a session", func(w enginetest.World) { w.MustSession("s1", "demo") },
			func(w enginetest.World) error { _, err := w.EndSession(ctx, "s1", "done"); return err },
			[]enginetest.Entry{{Verb: "session_end", Entity: "session", Key: "s1", Reason: "ended", Was: []string{"ended_at", "summary"}}, {Verb: "session_end", Entity: "memory", Key: "1", Reason: "new", Was: nil}}},
		{"deleting a session", func(w enginetest.World) { w.MustSession("s1", "demo") },
			func(w enginetest.World) error { return w.DeleteSession(ctx, "s1", false) },
			[]enginetest.Entry{{Verb: "session_delete", Entity: "session", Key: "s1", Reason: "requested", Was: []string{"directory", "ended_at", "project", "started_at", "summary"}}}},
		{"erasing a session leaves no text", func(w enginetest.World) { w.MustSession("s1", "demo") },
			func(w enginetest.World) error { return w.DeleteSession(ctx, "s1", true) },
			[]enginetest.Entry{{Verb: "session_erase", Entity: "session", Key: "s1", Reason: "requested", Was: nil}}},
		{"a prompt", func(w enginetest.World) { w.MustSession("s1", "demo") },
			func(w enginetest.World) error {
				_, err := w.SavePrompt(ctx, remember.PromptInput{Content: "why", Project: "demo"})
				return err
			},
			[]enginetest.Entry{{Verb: "prompt", Entity: "prompt", Key: "1", Reason: "new", Was: nil}}},
		{"the same prompt under its key", func(w enginetest.World) {
			w.MustSession("s1", "demo")
			if _, err := w.SavePrompt(ctx, remember.PromptInput{Content: "why", Project: "demo", Key: "k"}); err != nil {
				w.Fatal(err)
			}
		},
			func(w enginetest.World) error {
				_, err := w.SavePrompt(ctx, remember.PromptInput{Content: "why", Project: "demo", Key: "k"})
				return err
			}, nil},
		{"erasing a prompt leaves no text", func(w enginetest.World) {
			if _, err := w.SavePrompt(ctx, remember.PromptInput{Content: "why"}); err != nil {
				w.Fatal(err)
			}
		},
			func(w enginetest.World) error { return w.DeletePrompt(ctx, 1, true) },
			[]enginetest.Entry{{Verb: "prompt_erase", Entity: "prompt", Key: "1", Reason: "requested", Was: nil}}},
		{"deleting a prompt", func(w enginetest.World) {
			if _, err := w.SavePrompt(ctx, remember.PromptInput{Content: "why"}); err != nil {
				w.Fatal(err)
			}
		},
			func(w enginetest.World) error { return w.DeletePrompt(ctx, 1, false) },
			[]enginetest.Entry{{Verb: "prompt_delete", Entity: "prompt", Key: "1", Reason: "requested", Was: []string{"deleted_at"}}}},
		{"a capture", func(w enginetest.World) { w.MustSession("s1", "demo") },
			func(w enginetest.World) error {
				_, err := w.Capture(ctx, remember.CaptureInput{Project: "demo", Content: "## Learnings\n1. one learning of many words\n2. one learning of many words\n"})
				return err
			},
			[]enginetest.Entry{{Verb: "capture", Entity: "memory", Key: "1", Reason: "learning in a text", Was: nil}}},
		{"merging", func(w enginetest.World) {
			w.Note("t", "c")
			w.MustSave(remember.SaveInput{Content: "d", Project: "old"})
		},
			func(w enginetest.World) error { _, err := w.MergeProjects(ctx, []string{"old"}, "demo"); return err },
			[]enginetest.Entry{{Verb: "project_merge", Entity: "project", Key: "old", Reason: "merged", Was: []string{"from", "memories", "prompts", "sessions", "to", "topics"}},
				{Verb: "project_merge", Entity: "project", Key: "old", Reason: "merged", Was: []string{"aliases", "created_at", "decay", "remote", "root"}},
				{Verb: "project_merge", Entity: "project", Key: "demo", Reason: "merged", Was: []string{"aliases"}}}},
		{"merging nothing", func(w enginetest.World) { w.Note("t", "c") },
			func(w enginetest.World) error { _, err := w.MergeProjects(ctx, []string{"old"}, "demo"); return err }, nil},
		{"pruning", func(w enginetest.World) { w.MustSession("s1", "demo") },
			func(w enginetest.World) error { _, err := w.PruneProjects(ctx, nil, false); return err },
			[]enginetest.Entry{{Verb: "project_prune", Entity: "session", Key: "s1", Reason: "requested", Was: []string{"directory", "ended_at", "project", "started_at", "summary"}},
				{Verb: "project_prune", Entity: "project", Key: "demo", Reason: "requested", Was: []string{"aliases", "created_at", "decay", "remote", "root"}}}},
		{"a dry run", func(w enginetest.World) { w.MustSession("s1", "demo") },
			func(w enginetest.World) error { _, err := w.PruneProjects(ctx, nil, true); return err }, nil},
		{"deleting a project", func(w enginetest.World) { w.Note("t", "c") },
			func(w enginetest.World) error { _, err := w.DeleteProject(ctx, "demo", false); return err },
			[]enginetest.Entry{{Verb: "project_delete", Entity: "memory", Key: "1", Reason: "its project was deleted", Was: []string{"deleted_at"}}}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			w := enginetest.NewWorld(t)
			if tt.before != nil {
				tt.before(w)
			}
			ms := w.Since(func() {
				if err := tt.do(w.In(t)); err != nil {
					t.Fatal(err)
				}
			})
			if got := enginetest.Entries(t, ms); !reflect.DeepEqual(got, tt.want) {
				t.Errorf("entries\n got %+v\nwant %+v", got, tt.want)
			}
			for _, m := range ms {
				if m.Op != ms[0].Seq {
					t.Errorf("entry %d belongs to operation %d, want %d: what one verb did is undone at once", m.Seq, m.Op, ms[0].Seq)
				}
				if m.Actor != "engram" || m.Device == "" {
					t.Errorf("entry %d was written by %q on %q", m.Seq, m.Actor, m.Device)
				}
			}
		})
	}
}

func TestTheJournalKeepsOldValues(t *testing.T) {
	t.Parallel()
	w := enginetest.NewWorld(t)
	first := w.MustSave(remember.SaveInput{Title: "t", Content: "c", Project: "demo", Tags: []string{"a"}, Metadata: map[string]any{"k": 1}}).Memory
	ms := w.Since(func() {
		if _, err := w.As(w.Caller().By("cli")).Update(t.Context(), remember.UpdateInput{Ref: engram.ByNum(1), Title: new("u"), AddTags: []string{"b"},
			Metadata: map[string]any{"k": 2}, Scope: new(engram.ScopePersonal), TopicKey: new("k"), Permanent: new(true)}); err != nil {
			t.Fatal(err)
		}
	})
	want := map[string]any{"tags": []any{"a"}, "metadata": map[string]any{"k": 1.0}, "scope": "project", "topic_key": "", "permanent": false,
		"revision_count": 1.0, "revision": 1.0, "updated_at": first.UpdatedAt.Format(time.RFC3339Nano)}
	if got := enginetest.Was(t, ms[0]); !reflect.DeepEqual(got, want) {
		t.Errorf("was\n got %v\nwant %v", got, want)
	}
	if ms[0].Actor != "cli" {
		t.Errorf("the actor is %q", ms[0].Actor)
	}
}

func TestTheLogicalClockRisesWhenTheWallClockRunsBackwards(t *testing.T) {
	t.Parallel()
	w := enginetest.NewWorld(t)
	w.Note("today", "c")
	w.Clock.Add(-24 * time.Hour)
	w.Note("yesterday", "d")
	w.Reopened().Note("in another process", "e")
	w.Clock.Add(48 * time.Hour)
	last := w.Note("tomorrow", "f")
	var before engram.Mutation
	for _, m := range w.Journal() {
		if m.At <= before.At || m.Seq <= before.Seq {
			t.Errorf("entry %d at %d follows entry %d at %d", m.Seq, m.At, before.Seq, before.At)
		}
		before = m
	}
	if want := w.MustGet(last).Memory.CreatedAt; before.At.Time() != want {
		t.Errorf("once the wall clock is ahead again the entry says %v, want %v", before.At.Time(), want)
	}
}
