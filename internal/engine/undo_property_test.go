package engine_test

import (
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/engine"
)

// snapshot is everything that can be seen of a store, by names: the JSON of each live
// memory, relation and prompt, of each session and each project.
type snapshot map[string]string

func (w world) snapshot() snapshot {
	w.Helper()
	s := snapshot{}
	put := func(name string, v any) {
		b, err := json.Marshal(v)
		if err != nil {
			w.Fatal(err)
		}
		s[name] = string(b)
	}
	all := engram.Page{Limit: 1000}
	err := w.Store.View(w.Context(), func(r engram.Reader) error {
		ms, err := r.List(w.Context(), engram.Filter{}, all)
		if err != nil {
			return err
		}
		var nums []int64
		for _, m := range ms {
			m.RevisionCount = 0 // it goes on: it names the revisions
			put(fmt.Sprintf("memory %d", m.Num), m)
			nums = append(nums, m.Num)
		}
		rs, err := r.Relations(w.Context(), nums)
		if err != nil {
			return err
		}
		for _, rel := range rs {
			put(fmt.Sprintf("relation %d", rel.Num), rel)
		}
		ps, err := r.Prompts(w.Context(), "", "", all)
		if err != nil {
			return err
		}
		for _, p := range ps {
			put(fmt.Sprintf("prompt %d", p.Num), p)
		}
		ss, err := r.Sessions(w.Context(), "", all)
		if err != nil {
			return err
		}
		for _, session := range ss {
			session.ActiveAt = session.StartedAt
			put("session "+session.ID, session)
		}
		projects, err := r.Projects(w.Context())
		for _, p := range projects {
			p.Sessions = 0 // those that were made for what is forgotten by now stay
			put("project "+p.Name, p)
		}
		return err
	})
	if err != nil {
		w.Fatal(err)
	}
	return s
}

// compare says what got has otherwise than want. Projects and sessions that came into
// being meanwhile may stay, if they are empty: something forgotten may stand in them.
func (want snapshot) compare(got snapshot) (differences []string) {
	for name, v := range want {
		if got[name] != v {
			differences = append(differences, fmt.Sprintf("%s\n got %s\nwant %s", name, got[name], v))
		}
	}
	for name, v := range got {
		if _, known := want[name]; known {
			continue
		}
		kind, _, _ := strings.Cut(name, " ")
		empty := kind == "session" && strings.Contains(v, `"Memories":0`) ||
			kind == "project" && strings.Contains(v, `"Memories":0`) && strings.Contains(v, `"Prompts":0`)
		if !empty {
			differences = append(differences, fmt.Sprintf("%s should not be there: %s", name, v))
		}
	}
	slices.Sort(differences)
	return differences
}

// life is a random history that remembers what the store was before each operation.
type life struct {
	world
	t      *rapid.T
	ops    []int64
	before []snapshot
}

// step runs one verb, which may refuse.
func (l *life) step(do func() error) {
	l.t.Helper()
	before, last := l.snapshot(), l.lastOp()
	if err := do(); err != nil && engram.CodeOf(err) == engram.CodeInternal {
		l.t.Fatalf("a verb failed: %v", err)
	}
	if op := l.lastOp(); op != last {
		l.ops, l.before = append(l.ops, op), append(l.before, before)
	}
}

func (l *life) lastOp() (op int64) {
	err := l.Store.View(l.Context(), func(r engram.Reader) error {
		m, err := r.LastMutation(l.Context())
		op = m.Op
		return err
	})
	if err != nil {
		l.t.Fatal(err)
	}
	return op
}

func (l *life) draw(name string, from ...string) string {
	return rapid.SampledFrom(from).Draw(l.t, name)
}

func (l *life) num() engram.Ref { return engram.ByNum(rapid.Int64Range(1, 8).Draw(l.t, "memory")) }

func (l *life) project() string { return l.draw("project", "", "alpha", "beta", "gamma") }

// act runs one random verb.
func (l *life) act() {
	ctx, e := l.Context(), l.Engine
	l.step(func() (err error) {
		switch l.draw("verb", "save", "save", "save", "save", "topic", "update", "update", "forget", "tie", "session", "end", "prompt",
			"merge", "rename", "prune", "delete session", "delete prompt", "delete project") {
		case "save":
			_, err = e.Save(ctx, engine.SaveInput{Title: "note", Content: l.Clock.Now().String(), Project: l.project(), Tags: []string{l.draw("tag", "a", "b")}})
		case "topic":
			_, err = e.Save(ctx, engine.SaveInput{Title: "topic", Content: l.Clock.Now().String(), Project: l.project(), TopicKey: "k", Type: "decision"})
		case "update":
			in := engine.UpdateInput{Ref: l.num(), Title: new(l.draw("title", "other", "third"))}
			if l.draw("what", "text", "place") == "text" {
				in.Content = new(l.Clock.Now().String())
			} else {
				in.Project, in.Importance, in.Metadata = new(l.project()), new(0.9), map[string]any{"k": l.draw("value", "v", "w")}
			}
			_, err = e.Update(ctx, in)
		case "forget":
			_, err = e.Forget(ctx, l.num())
		case "tie":
			_, err = e.Save(ctx, engine.SaveInput{Content: l.Clock.Now().String(), Related: []engram.Ref{l.num()}})
		case "session":
			_, err = e.StartSession(ctx, engine.SessionInput{ID: l.draw("session", "s1", "s2"), Project: l.draw("project", "alpha", "beta")})
		case "end":
			_, err = e.EndSession(ctx, l.draw("session", "s1", "s2"), l.draw("summary", "", "done"))
		case "prompt":
			_, err = e.SavePrompt(ctx, engine.PromptInput{Content: l.Clock.Now().String(), Project: l.project()})
		case "merge":
			_, err = e.MergeProjects(ctx, []string{l.project(), l.project()}, l.draw("to", "alpha", "beta", "delta"))
		case "rename":
			_, err = e.RenameProject(ctx, l.project(), l.draw("to", "delta", "epsilon"))
		case "prune":
			_, err = e.PruneProjects(ctx, nil, false)
		case "delete session":
			err = e.DeleteSession(ctx, l.draw("session", "s1", "s2"), false)
		case "delete prompt":
			err = e.DeletePrompt(ctx, rapid.Int64Range(1, 3).Draw(l.t, "prompt"), false)
		case "delete project":
			_, err = e.DeleteProject(ctx, l.project(), false)
		}
		return err
	})
}

func TestUndoingAHistoryRestoresEachState(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		dir, err := os.MkdirTemp("", "undo")
		if err != nil {
			rt.Fatal(err)
		}
		defer func() { _ = os.RemoveAll(dir) }()
		l := &life{world: newWorldIn(t, dir), t: rt}
		for range rapid.IntRange(1, 14).Draw(rt, "length") {
			l.act()
		}
		var undone []int64
		var after []snapshot
		for i, op := range slices.Backward(l.ops) {
			after = append(after, l.snapshot())
			res, err := l.Undo(t.Context(), engine.UndoInput{Op: op})
			if err != nil {
				rt.Fatalf("undo %d: %v", op, err)
			}
			if diff := l.before[i].compare(l.snapshot()); len(diff) > 0 {
				rt.Fatalf("after undoing operation %d (%s): %s", op, res.Undone.Verb, strings.Join(diff, "\n"))
			}
			undone = append(undone, res.Op)
		}
		for i, op := range slices.Backward(undone) {
			if op == 0 {
				continue // nothing was to do
			}
			if _, err := l.Undo(t.Context(), engine.UndoInput{Op: op}); err != nil {
				rt.Fatalf("undo the undo %d of %d: %v", op, l.ops[len(l.ops)-1-i], err)
			}
			if diff := after[i].compare(l.snapshot()); len(diff) > 0 {
				rt.Fatalf("after doing operation %d again: %s", l.ops[len(l.ops)-1-i], strings.Join(diff, "\n"))
			}
		}
	})
}
