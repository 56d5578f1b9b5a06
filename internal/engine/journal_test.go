package engine_test

import (
	"reflect"
	"slices"
	"testing"
	"time"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/engine/remember"
)

// entry is what a test says about a journal entry; Was names the fields alone.
type entry struct {
	Verb   string
	Entity engram.Entity
	Key    string
	Reason string
	Was    []string
}

func entries(t testing.TB, ms []engram.Mutation) []entry {
	var all []entry
	for _, m := range ms {
		e := entry{m.Operation, m.Entity, m.Key, m.Reason, nil}
		for name := range was(t, m) {
			e.Was = append(e.Was, name)
		}
		slices.Sort(e.Was)
		all = append(all, e)
	}
	return all
}

func TestEachVerbLeavesItsEntries(t *testing.T) {
	ctx := t.Context()
	for _, tt := range []struct {
		name string
		// before prepares, do is what leaves want.
		before func(w world)
		do     func(w world) error
		want   []entry
	}{
		{"a first save makes project, session and memory", nil,
			func(w world) error {
				_, err := w.Save(ctx, remember.SaveInput{Content: "c", Project: "demo"})
				return err
			},
			[]entry{{"save", "project", "demo", "first use", nil}, {"save", "session", "manual-save-demo", "first use", nil}, {"save", "memory", "1", "new", nil}}},
		{"a save of a topic", func(w world) { w.note("t", "c") },
			func(w world) error {
				_, err := w.Save(ctx, remember.SaveInput{Content: "d", Project: "demo", TopicKey: "k"})
				return err
			},
			[]entry{{"save", "memory", "2", "first of its topic", nil}}},
		{"an exact repeat", func(w world) { w.note("t", "c") },
			func(w world) error {
				_, err := w.Save(ctx, remember.SaveInput{Title: "t", Content: "c", Project: "demo"})
				return err
			},
			[]entry{{"save", "memory", "1", "exact repeat", []string{"duplicate_count", "last_seen_at", "updated_at"}}}},
		{"a topic revision", func(w world) { w.save(remember.SaveInput{Title: "t", Content: "c", Project: "demo", TopicKey: "k"}) },
			func(w world) error {
				_, err := w.Save(ctx, remember.SaveInput{Title: "t", Content: "d", Project: "demo", TopicKey: "k", Tags: []string{"new"}})
				return err
			},
			[]entry{{"save", "memory", "1", "same topic key", []string{"revision", "revision_count", "tags", "touched_at", "updated_at"}}}},
		{"a save with relations", func(w world) { w.note("t", "c") },
			func(w world) error {
				_, err := w.Save(ctx, remember.SaveInput{Content: "d", Project: "demo", Related: []engram.Ref{engram.ByNum(1)}})
				return err
			},
			[]entry{{"save", "memory", "2", "new", nil}, {"save", "relation", "1", "requested", nil}}},
		{"an update of two fields", func(w world) { w.note("t", "c") },
			func(w world) error {
				_, err := w.Update(ctx, remember.UpdateInput{Ref: engram.ByNum(1), Importance: new(0.9), Type: new(engram.Type("decision"))})
				return err
			},
			[]entry{{"update", "memory", "1", "update", []string{"importance", "review_after", "revision_count", "type", "updated_at"}}}},
		{"an update of the text names its revision", func(w world) { w.note("t", "c") },
			func(w world) error {
				_, err := w.Update(ctx, remember.UpdateInput{Ref: engram.ByNum(1), Content: new("d")})
				return err
			},
			[]entry{{"update", "memory", "1", "update", []string{"revision", "revision_count", "updated_at"}}}},
		{"an update that changes nothing", func(w world) { w.note("t", "c") },
			func(w world) error {
				_, err := w.Update(ctx, remember.UpdateInput{Ref: engram.ByNum(1), Content: new("c"), Title: new(" t "), AddTags: []string{" "}})
				return err
			}, nil},
		{"forgetting", func(w world) { w.note("t", "c"); w.note("u", "d") },
			func(w world) error { _, err := w.Forget(ctx, engram.ByNum(2), engram.ByNum(1)); return err },
			[]entry{{"forget", "memory", "2", "requested", []string{"deleted_at"}}, {"forget", "memory", "1", "requested", []string{"deleted_at"}}}},
		{"forgetting nothing", nil, func(w world) error { _, err := w.Forget(ctx); return err }, nil},
		{"erasing leaves no values", func(w world) { w.note("t", "c") },
			func(w world) error { _, err := w.Delete(ctx, true, engram.ByNum(1)); return err },
			[]entry{{"erase", "memory", "1", "", nil}}},
		{"starting a session", func(w world) { w.note("t", "c") },
			func(w world) error {
				_, err := w.StartSession(ctx, remember.SessionInput{ID: "s1", Project: "demo"})
				return err
			},
			[]entry{{"session_start", "session", "s1", "started", nil}}},
		{"filling in a session", func(w world) { w.session("s1", "demo") },
			func(w world) error {
				_, err := w.StartSession(ctx, remember.SessionInput{ID: "s1", Project: "demo", Directory: "/d"})
				return err
			},
			[]entry{{"session_start", "session", "s1", "filled in", []string{"directory"}}}},
		{"ending a session", func(w world) { w.session("s1", "demo") },
			func(w world) error { _, err := w.EndSession(ctx, "s1", "done"); return err },
			[]entry{{"session_end", "session", "s1", "ended", []string{"ended_at", "summary"}}, {"session_end", "memory", "1", "new", nil}}},
		{"deleting a session", func(w world) { w.session("s1", "demo") },
			func(w world) error { return w.DeleteSession(ctx, "s1", false) },
			[]entry{{"session_delete", "session", "s1", "requested", []string{"directory", "ended_at", "project", "started_at", "summary"}}}},
		{"erasing a session leaves no text", func(w world) { w.session("s1", "demo") },
			func(w world) error { return w.DeleteSession(ctx, "s1", true) },
			[]entry{{"session_erase", "session", "s1", "requested", nil}}},
		{"a prompt", func(w world) { w.session("s1", "demo") },
			func(w world) error {
				_, err := w.SavePrompt(ctx, remember.PromptInput{Content: "why", Project: "demo"})
				return err
			},
			[]entry{{"prompt", "prompt", "1", "new", nil}}},
		{"the same prompt under its key", func(w world) {
			w.session("s1", "demo")
			if _, err := w.SavePrompt(ctx, remember.PromptInput{Content: "why", Project: "demo", Key: "k"}); err != nil {
				w.Fatal(err)
			}
		},
			func(w world) error {
				_, err := w.SavePrompt(ctx, remember.PromptInput{Content: "why", Project: "demo", Key: "k"})
				return err
			}, nil},
		{"erasing a prompt leaves no text", func(w world) {
			if _, err := w.SavePrompt(ctx, remember.PromptInput{Content: "why"}); err != nil {
				w.Fatal(err)
			}
		},
			func(w world) error { return w.DeletePrompt(ctx, 1, true) },
			[]entry{{"prompt_erase", "prompt", "1", "requested", nil}}},
		{"deleting a prompt", func(w world) {
			if _, err := w.SavePrompt(ctx, remember.PromptInput{Content: "why"}); err != nil {
				w.Fatal(err)
			}
		},
			func(w world) error { return w.DeletePrompt(ctx, 1, false) },
			[]entry{{"prompt_delete", "prompt", "1", "requested", []string{"deleted_at"}}}},
		{"a capture", func(w world) { w.session("s1", "demo") },
			func(w world) error {
				_, err := w.Capture(ctx, remember.CaptureInput{Project: "demo", Content: "## Learnings\n1. one learning of many words\n2. one learning of many words\n"})
				return err
			},
			[]entry{{"capture", "memory", "1", "learning in a text", nil}}},
		{"merging", func(w world) { w.note("t", "c"); w.save(remember.SaveInput{Content: "d", Project: "old"}) },
			func(w world) error { _, err := w.MergeProjects(ctx, []string{"old"}, "demo"); return err },
			[]entry{{"project_merge", "project", "old", "merged", []string{"from", "memories", "prompts", "sessions", "to", "topics"}},
				{"project_merge", "project", "old", "merged", []string{"aliases", "created_at", "decay", "remote", "root"}},
				{"project_merge", "project", "demo", "merged", []string{"aliases"}}}},
		{"merging nothing", func(w world) { w.note("t", "c") },
			func(w world) error { _, err := w.MergeProjects(ctx, []string{"old"}, "demo"); return err }, nil},
		{"pruning", func(w world) { w.session("s1", "demo") },
			func(w world) error { _, err := w.PruneProjects(ctx, nil, false); return err },
			[]entry{{"project_prune", "session", "s1", "requested", []string{"directory", "ended_at", "project", "started_at", "summary"}},
				{"project_prune", "project", "demo", "requested", []string{"aliases", "created_at", "decay", "remote", "root"}}}},
		{"a dry run", func(w world) { w.session("s1", "demo") },
			func(w world) error { _, err := w.PruneProjects(ctx, nil, true); return err }, nil},
		{"deleting a project", func(w world) { w.note("t", "c") },
			func(w world) error { _, err := w.DeleteProject(ctx, "demo", false); return err },
			[]entry{{"project_delete", "memory", "1", "its project was deleted", []string{"deleted_at"}}}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			w := newWorld(t)
			if tt.before != nil {
				tt.before(w)
			}
			ms := w.since(func() {
				if err := tt.do(w.in(t)); err != nil {
					t.Fatal(err)
				}
			})
			if got := entries(t, ms); !reflect.DeepEqual(got, tt.want) {
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
	w := newWorld(t)
	first := w.save(remember.SaveInput{Title: "t", Content: "c", Project: "demo", Tags: []string{"a"}, Metadata: map[string]any{"k": 1}}).Memory
	ms := w.since(func() {
		if _, err := w.As(w.Caller().By("cli")).Update(t.Context(), remember.UpdateInput{Ref: engram.ByNum(1), Title: new("u"), AddTags: []string{"b"},
			Metadata: map[string]any{"k": 2}, Scope: new(engram.ScopePersonal), TopicKey: new("k"), Permanent: new(true)}); err != nil {
			t.Fatal(err)
		}
	})
	want := map[string]any{"tags": []any{"a"}, "metadata": map[string]any{"k": 1.0}, "scope": "project", "topic_key": "", "permanent": false,
		"revision_count": 1.0, "revision": 1.0, "updated_at": first.UpdatedAt.Format(time.RFC3339Nano)}
	if got := was(t, ms[0]); !reflect.DeepEqual(got, want) {
		t.Errorf("was\n got %v\nwant %v", got, want)
	}
	if ms[0].Actor != "cli" {
		t.Errorf("the actor is %q", ms[0].Actor)
	}
}

func TestTheLogicalClockRisesWhenTheWallClockRunsBackwards(t *testing.T) {
	w := newWorld(t)
	w.note("today", "c")
	w.Clock.Add(-24 * time.Hour)
	w.note("yesterday", "d")
	w.again().note("in another process", "e")
	w.Clock.Add(48 * time.Hour)
	last := w.note("tomorrow", "f")
	var before engram.Mutation
	for _, m := range w.journal() {
		if m.At <= before.At || m.Seq <= before.Seq {
			t.Errorf("entry %d at %d follows entry %d at %d", m.Seq, m.At, before.Seq, before.At)
		}
		before = m
	}
	if want := w.get(last).Memory.CreatedAt; before.At.Time() != want {
		t.Errorf("once the wall clock is ahead again the entry says %v, want %v", before.At.Time(), want)
	}
}
