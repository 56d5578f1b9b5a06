package engine_test

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode"

	"pgregory.net/rapid"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/engine/consolidate"
	"github.com/alanbuscaglia/engram/internal/engine/read"
	"github.com/alanbuscaglia/engram/internal/engine/relate"
	"github.com/alanbuscaglia/engram/internal/engine/remember"
	"github.com/alanbuscaglia/engram/internal/engine/undo"
	"github.com/alanbuscaglia/engram/internal/enginetest"
	"github.com/alanbuscaglia/engram/internal/lifecycle"
)

// life is a random history that remembers the state before each operation.
type life struct {
	enginetest.World
	t      *rapid.T
	ops    [][]int64 // of each call that wrote: sleep may write several
	before []enginetest.Snapshot
	saved  []string // every saved content
}

// step runs one call, which may be refused.
func (l *life) step(do func() error) {
	l.t.Helper()
	before, last := l.Snapshot(), l.lastOp()
	if err := do(); err != nil && engram.CodeOf(err) == engram.CodeInternal {
		l.t.Fatalf("a verb failed: %v", err)
	}
	if ops := l.since(last); len(ops) > 0 {
		l.ops, l.before = append(l.ops, ops), append(l.before, before)
	}
}

// since returns the operations after one, oldest first.
func (l *life) since(last int64) (ops []int64) {
	entries, _, err := l.Engine.Log(l.Context(), read.LogInput{Page: engram.Page{Limit: 50}})
	if err != nil {
		l.t.Fatal(err)
	}
	for _, e := range slices.Backward(entries) {
		if e.Op > last {
			ops = append(ops, e.Op)
		}
	}
	return ops
}

func (l *life) lastOp() (op int64) {
	err := l.Store.View(l.Context(), func(r engram.Reader) error {
		m, err := engram.LastMutation(l.Context(), r)
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

// save saves, and remembers the content.
func (l *life) save(in remember.SaveInput) error {
	_, err := l.Engine.Save(l.Context(), in)
	if err == nil {
		l.saved = append(l.saved, in.Content)
	}
	return err
}

// wordsOf returns the words of a text: a repeat may differ in punctuation and case.
func wordsOf(s string) string {
	mark := func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }
	return strings.Join(strings.FieldsFunc(strings.ToLower(s), mark), " ")
}

// checkTexts wants the words of every saved content in a memory, live or forgotten, or in a revision.
func (l *life) checkTexts() {
	l.t.Helper()
	var texts strings.Builder
	err := l.Store.View(l.Context(), func(r engram.Reader) error {
		for _, forgotten := range []bool{false, true} {
			ms, err := r.List(l.Context(), engram.Filter{Forgotten: forgotten}, engram.Page{Limit: 1000})
			if err != nil {
				return err
			}
			for _, m := range ms {
				fmt.Fprintln(&texts, m.Content)
				revisions, err := r.Revisions(l.Context(), m.Num)
				if err != nil {
					return err
				}
				for _, v := range revisions {
					fmt.Fprintln(&texts, v.Content)
				}
			}
		}
		return nil
	})
	if err != nil {
		l.t.Fatal(err)
	}
	all := wordsOf(texts.String())
	for _, content := range l.saved {
		if !strings.Contains(all, wordsOf(content)) {
			l.t.Fatalf("%q was saved and is nowhere", content)
		}
	}
}

// near draws a text that is similar to the others it draws.
func (l *life) near() string {
	return l.draw("near", "Access tokens of the web client live 15 minutes.", "Access tokens of the web client live 15 minutes!",
		"Access tokens of the web client live 5 minutes.", "Access tokens of the web client live 15 minutes, as the audit asked for.")
}

func (l *life) verb() engram.Verb {
	return rapid.SampledFrom([]engram.Verb{engram.VerbSupersedes, engram.VerbRelatesTo, engram.VerbNotConflict, engram.VerbContradicts}).Draw(l.t, "relation")
}

// act runs one random verb.
func (l *life) act() {
	ctx, e := l.Context(), l.Engine
	l.step(func() (err error) {
		switch l.draw("verb", "save", "save", "save", "save", "near", "near", "merge in", "topic", "update", "update", "forget", "tie", "session", "end",
			"prompt", "merge", "rename", "prune", "delete session", "delete prompt", "delete project", "link", "unlink", "compare", "judge", "review",
			"snooze", "restore", "fade", "sleep", "batch", "anchor", "anchor", "anchor anew") {
		case "save":
			err = l.save(remember.SaveInput{Title: "note", Content: l.Clock.Now().String(), Project: l.project(), Tags: []string{l.draw("tag", "a", "b")}})
		case "anchor":
			l.Code.Write("a.go", l.Clock.Now().String())
			err = l.save(remember.SaveInput{Title: l.draw("title", "note", "Token lifetime"), Content: l.Clock.Now().String(), Project: l.project(), TopicKey: l.draw("topic", "", "k"),
				Files: []string{l.draw("file", "a.go", "a.go:1")}})
		case "anchor anew":
			l.Code.Write("a.go", l.Clock.Now().String())
			_, err = e.Update(ctx, remember.UpdateInput{Ref: l.num(), Files: &[]string{"a.go"}})
		case "near": // automatic relations and comparisons
			err = l.save(remember.SaveInput{Title: "Token lifetime", Content: l.near(), Project: "alpha"})
		case "merge in":
			err = l.save(remember.SaveInput{Title: l.draw("title", "Token lifetime", "Lifetime of tokens"), Content: l.near(), Project: "alpha", Admit: lifecycle.AdmitMerging})
		case "batch":
			_, err = e.SaveBatch(ctx, []remember.SaveInput{{Content: l.near(), Project: "alpha"}, {Content: l.Clock.Now().String(), Project: l.project(), TopicKey: "k"}})
		case "link":
			_, err = e.Link(ctx, relate.LinkInput{Source: l.num(), Target: l.num(), Verb: l.verb(), Reason: l.draw("reason", "", "because")})
		case "unlink":
			_, err = e.Unlink(ctx, relate.UnlinkInput{A: l.num(), B: l.num()})
		case "compare":
			_, err = e.Compare(ctx, relate.CompareInput{A: l.num(), B: l.num(), Verb: l.verb(), Confidence: 0.5, Reasoning: "looked at"})
		case "judge":
			_, err = e.Judge(ctx, relate.JudgeInput{Ref: engram.RelationRef{Num: rapid.Int64Range(1, 5).Draw(l.t, "relation")}, Verb: l.verb(),
				Reverse: l.draw("way", "as it is", "round") == "round"})
		case "review":
			_, err = e.Reviewed(ctx, l.num())
		case "snooze":
			_, err = e.Snooze(ctx, l.num(), l.Clock.Now().AddDate(0, 1, 0))
		case "restore":
			_, err = e.Restore(ctx, l.num(), 1)
		case "fade":
			_, err = e.DecayProject(ctx, consolidate.ProjectDecayInput{Project: l.project(), Curve: new(engram.Curve(l.draw("curve", "geometric", "ebbinghaus")))})
		case "sleep":
			l.Clock.Add(40 * 24 * time.Hour)
			_, err = e.Sleep(ctx, consolidate.SleepInput{Below: 0.5})
		case "topic":
			err = l.save(remember.SaveInput{Title: "topic", Content: l.Clock.Now().String(), Project: l.project(), TopicKey: "k", Type: "decision"})
		case "update":
			in := remember.UpdateInput{Ref: l.num(), Title: new(l.draw("title", "other", "third"))}
			if l.draw("what", "text", "place") == "text" {
				in.Content = new(l.Clock.Now().String())
			} else {
				in.Project, in.Importance, in.Metadata = new(l.project()), new(0.9), map[string]any{"k": l.draw("value", "v", "w")}
			}
			_, err = e.Update(ctx, in)
		case "forget":
			_, err = e.Forget(ctx, l.num())
		case "tie":
			err = l.save(remember.SaveInput{Content: l.Clock.Now().String(), Related: []engram.Ref{l.num()}})
		case "session":
			_, err = e.StartSession(ctx, remember.SessionInput{ID: l.draw("session", "s1", "s2"), Project: l.draw("project", "alpha", "beta")})
		case "end":
			_, err = e.EndSession(ctx, l.draw("session", "s1", "s2"), l.draw("summary", "", "done"))
		case "prompt":
			_, err = e.SavePrompt(ctx, remember.PromptInput{Content: l.Clock.Now().String(), Project: l.project()})
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

// undoAll undoes operations, the latest first, and returns the undos, oldest first.
func (l *life) undoAll(ops []int64) (own []int64) {
	for _, op := range slices.Backward(ops) {
		res, err := l.Undo(l.Context(), undo.UndoInput{Op: op})
		if err != nil && strings.Contains(err.Error(), "cannot be taken back: everything it changed") {
			continue
		}
		if err != nil {
			l.t.Fatalf("undo %d: %v", op, err)
		}
		own = append(own, res.Op)
	}
	return own
}

func TestUndoingAHistoryRestoresEachStateAndLosesNoText(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		dir, err := os.MkdirTemp("", "undo")
		if err != nil {
			rt.Fatal(err)
		}
		defer func() { _ = os.RemoveAll(dir) }()
		l := &life{World: enginetest.NewWorldIn(t, dir), t: rt}
		for range rapid.IntRange(1, 14).Draw(rt, "length") {
			l.act()
			l.checkTexts()
		}
		var undone [][]int64 // by calls, the latest first
		var after []enginetest.Snapshot
		for i, ops := range slices.Backward(l.ops) {
			after = append(after, l.Snapshot())
			undone = append(undone, l.undoAll(ops))
			l.checkTexts()
			if diff := l.before[i].Compare(l.Snapshot()); len(diff) > 0 {
				rt.Fatalf("after undoing %v: %s", ops, strings.Join(diff, "\n"))
			}
		}
		for i, ops := range slices.Backward(undone) {
			l.undoAll(ops)
			if diff := after[i].Compare(l.Snapshot()); len(diff) > 0 {
				rt.Fatalf("after doing %v again: %s", l.ops[len(l.ops)-1-i], strings.Join(diff, "\n"))
			}
		}
	})
}

// checkPairs wants at most one judgment per pair, and no cycle of supersedes.
func (l *life) checkPairs() {
	l.t.Helper()
	var all []engram.Relation
	err := l.Store.View(l.Context(), func(r engram.Reader) (err error) {
		all, err = r.Relations(l.Context(), engram.RelationFilter{}, engram.Page{Limit: 1000})
		return err
	})
	if err != nil {
		l.t.Fatal(err)
	}
	pairs, newer := map[[2]int64]int64{}, map[int64][]int64{}
	for _, r := range all {
		if !r.Judgment() {
			continue
		}
		pair := [2]int64{min(r.Source, r.Target), max(r.Source, r.Target)}
		if other, twice := pairs[pair]; twice {
			l.t.Fatalf("of #%d and #%d there are two judgments: relations %d and %d", pair[0], pair[1], other, r.Num)
		}
		pairs[pair] = r.Num
		if r.Supersedes() {
			newer[r.Source] = append(newer[r.Source], r.Target)
		}
	}
	for start := range newer {
		seen := map[int64]bool{}
		for next := newer[start]; len(next) > 0; next = next[1:] {
			if next[0] == start {
				l.t.Fatalf("#%d supersedes itself through others", start)
			}
			if !seen[next[0]] {
				seen[next[0]] = true
				next = append(next, newer[next[0]]...)
			}
		}
	}
}

// Any undo in any order succeeds, or is refused and changes nothing.
func TestUndoingAnythingKeepsTheRules(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		dir, err := os.MkdirTemp("", "undo")
		if err != nil {
			rt.Fatal(err)
		}
		defer func() { _ = os.RemoveAll(dir) }()
		l := &life{World: enginetest.NewWorldIn(t, dir), t: rt}
		for range rapid.IntRange(2, 16).Draw(rt, "length") {
			if len(l.ops) == 0 || rapid.IntRange(0, 2).Draw(rt, "what") > 0 {
				l.act()
				continue
			}
			before, ops := l.Snapshot(), rapid.SampledFrom(l.ops).Draw(rt, "ops")
			res, err := l.Undo(t.Context(), undo.UndoInput{Op: rapid.SampledFrom(ops).Draw(rt, "op")})
			switch engram.CodeOf(err) {
			case "":
				if res.Op == 0 {
					rt.Fatalf("undo says that it took %+v back, and changed nothing", res.Undone)
				}
				l.ops = append(l.ops, []int64{res.Op}) // which may be undone, too
			case engram.CodeConflict, engram.CodeForbidden, engram.CodeNotFound:
				if diff := before.Compare(l.Snapshot()); len(diff) > 0 {
					rt.Fatalf("refused (%v), and changed %s", err, strings.Join(diff, "\n"))
				}
			default:
				rt.Fatalf("undo: %v", err)
			}
			l.checkTexts()
			l.checkPairs()
		}
	})
}
