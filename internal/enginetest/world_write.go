package enginetest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"time"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/engine"
	"github.com/alanbuscaglia/engram/internal/engine/consolidate"
	"github.com/alanbuscaglia/engram/internal/engine/projects"
	"github.com/alanbuscaglia/engram/internal/engine/read"
	"github.com/alanbuscaglia/engram/internal/engine/remember"
	"github.com/alanbuscaglia/engram/internal/engine/sync"
	"github.com/alanbuscaglia/engram/internal/engine/undo"
	"github.com/alanbuscaglia/engram/internal/lifecycle"
)

// MustDecay is Decay of the engine; the test fails on its error.
func (w World) MustDecay(in consolidate.DecayInput) consolidate.Fadings {
	w.Helper()
	out, err := w.Decay(w.Context(), in)
	if err != nil {
		w.Fatalf("decay %+v: %v", in, err)
	}
	return out
}

// Aged saves a memory created some days ago.
func (w World) Aged(days int, in remember.SaveInput) int64 {
	w.Helper()
	w.Clock.Add(-time.Duration(days) * Day)
	defer w.Clock.Add(time.Duration(days) * Day)
	if in.Project == "" {
		in.Project = "demo"
	}
	in.Content = fmt.Sprintf("%s, of %d days ago", in.Title, days)
	return w.MustSave(in).Memory.Num
}

// With returns an engine with other models on the same store.
func (w World) With(o engine.Options) *engine.Engine {
	var n atomic.Int64
	o.Store, o.Now = w.Store, w.Clock.Now
	o.NewID = func() engram.ID { return engram.ID(fmt.Sprintf("%sw%025d", engram.IDPrefix, n.Add(1))) }
	return engine.New(o)
}

// Files returns every byte that the store has on disk: database, log and backups.
func (w World) Files() map[string][]byte {
	w.Helper()
	all := map[string][]byte{}
	err := filepath.WalkDir(filepath.Dir(w.Path), func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		all[d.Name()], err = os.ReadFile(path)
		return err
	})
	if err != nil {
		w.Fatal(err)
	}
	return all
}

// Holds names the files that hold a word, in any case.
func (w World) Holds(word string) (names []string) {
	w.Helper()
	for name, b := range w.Files() {
		if bytes.Contains(bytes.ToLower(b), []byte(strings.ToLower(word))) {
			names = append(names, name)
		}
	}
	return names
}

// Other is another store, with other ids than w.
func (w World) Other(prefix string) World {
	o := NewWorld(w.TB)
	n := 0
	p := lifecycle.DefaultPolicy()
	p.MostLinks, p.MostCandidates = 0, 0
	o.Engine = engine.New(engine.Options{Store: o.Store, Now: o.Clock.Now, Policy: &p, NewID: func() engram.ID {
		n++
		return engram.ID(engram.IDPrefix + prefix + string(rune('a'+n/26)) + string(rune('a'+n%26)) + "00000000000000000000000000"[:24-len(prefix)])
	}})
	return o
}

// MustProject resolves a project without error.
func (w World) MustProject(r projects.ProjectRequest) projects.ProjectInForce {
	w.Helper()
	p, err := w.ProjectFor(w.Context(), r)
	if err != nil {
		w.Fatalf("project for %+v: %v", r, err)
	}
	return p
}

// Merge merges projects.
func (w World) Merge(to string, from ...string) projects.MergeResult {
	w.Helper()
	res, err := w.MergeProjects(w.Context(), from, to)
	if err != nil {
		w.Fatalf("merge %v into %s: %v", from, to, err)
	}
	return res
}

// MustProjects returns the counts of every project.
func (w World) MustProjects() map[string]engram.ProjectCounts {
	w.Helper()
	all, err := w.Projects(w.Context())
	if err != nil {
		w.Fatal(err)
	}
	byName := map[string]engram.ProjectCounts{}
	for _, p := range all {
		byName[p.Name] = p
	}
	return byName
}

// Fill gives a project two memories, one of them forgotten, a session and a prompt.
func (w World) Fill(name string) (live, forgotten int64) {
	w.Helper()
	w.MustSession("s-"+name, name)
	live = w.MustSave(remember.SaveInput{Title: "of " + name, Content: "live in " + name, Project: name}).Memory.Num
	forgotten = w.MustSave(remember.SaveInput{Title: "of " + name, Content: "forgotten in " + name, Project: name}).Memory.Num
	if _, err := w.Forget(w.Context(), engram.ByNum(forgotten)); err != nil {
		w.Fatal(err)
	}
	w.Prompt(remember.PromptInput{Content: "asked in " + name, Project: name})
	return live, forgotten
}

// Prompt saves a prompt.
func (w World) Prompt(in remember.PromptInput) engram.Prompt {
	w.Helper()
	p, err := w.SavePrompt(w.Context(), in)
	if err != nil {
		w.Fatalf("prompt %+v: %v", in, err)
	}
	return p.Prompt
}

// MustPush is Push of the engine; the test fails on its error.
func (w World) MustPush(r engram.Remote, in sync.PushInput) sync.Pushed {
	w.Helper()
	if in.Project == "" && !in.All {
		in.Project = "demo"
	}
	p, err := w.Push(w.Context(), r, in)
	if err != nil {
		w.Fatalf("push %+v: %v", in, err)
	}
	return p
}

// MustSleep is Sleep of the engine; the test fails on its error.
func (w World) MustSleep(in consolidate.SleepInput) consolidate.Slept {
	w.Helper()
	res, err := w.Sleep(w.Context(), in)
	if err != nil {
		w.Fatalf("sleep %+v: %v", in, err)
	}
	return res
}

// Snapshot returns everything visible.
func (w World) Snapshot() Snapshot {
	w.Helper()
	s := Snapshot{}
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
		rs, err := engram.RelationsOf(w.Context(), r, nums, nil, 0)
		if err != nil {
			return err
		}
		for _, rel := range rs {
			put(fmt.Sprintf("relation %d", rel.Num), rel)
		}
		ps, err := r.Prompts(w.Context(), engram.PromptFilter{SessionID: ""}, all)
		if err != nil {
			return err
		}
		for _, p := range ps {
			put(fmt.Sprintf("prompt %d", p.Num), p)
		}
		ss, err := r.Sessions(w.Context(), engram.SessionFilter{}, all)
		if err != nil {
			return err
		}
		for _, session := range ss {
			session.ActiveAt = session.StartedAt
			put("session "+session.ID, session)
		}
		projects, err := r.Projects(w.Context(), true)
		for _, p := range projects {
			p.Sessions = 0 // sessions of memories that are forgotten by now stay
			put("project "+p.Name, p)
		}
		return err
	})
	if err != nil {
		w.Fatal(err)
	}
	return s
}

// TakeBack undoes an operation.
func (w World) TakeBack(op int64) engram.Undone {
	w.Helper()
	u, err := w.Undo(w.Context(), undo.UndoInput{Op: op})
	if err != nil {
		w.Fatalf("undo %d: %v", op, err)
	}
	return u
}

// LastOp returns the newest operation.
func (w World) LastOp() int64 {
	w.Helper()
	entries, _, err := w.Engine.Log(w.Context(), read.LogInput{Page: engram.Page{Limit: 1}})
	if err != nil || len(entries) == 0 {
		w.Fatalf("log: %v, %v", entries, err)
	}
	return entries[0].Op
}

// MustUpdate changes a memory.
func (w World) MustUpdate(in remember.UpdateInput) {
	w.Helper()
	if _, err := w.Update(w.Context(), in); err != nil {
		w.Fatal(err)
	}
}

// MustForget is Forget of the engine; the test fails on its error.
func (w World) MustForget(num int64) {
	w.Helper()
	if _, err := w.Forget(w.Context(), engram.ByNum(num)); err != nil {
		w.Fatal(err)
	}
}
