package sync_test

import (
	"fmt"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/engine"
	"github.com/alanbuscaglia/engram/internal/engine/ledger"
	"github.com/alanbuscaglia/engram/internal/engine/relate"
	"github.com/alanbuscaglia/engram/internal/engine/remember"
	"github.com/alanbuscaglia/engram/internal/engine/sync"
	engineundo "github.com/alanbuscaglia/engram/internal/engine/undo"
	"github.com/alanbuscaglia/engram/internal/enginetest"
	"github.com/alanbuscaglia/engram/internal/lifecycle"
	"github.com/alanbuscaglia/engram/internal/replica/replicatest"
)

// member is a replica with a random history; the clocks of the three differ.
type member struct {
	enginetest.Parts
	*engine.Engine
	remote engram.Remote
}

func members(t *testing.T, n int) []member {
	place := replicatest.NewPlace("here")
	policy := lifecycle.DefaultPolicy()
	policy.MostLinks, policy.MostCandidates = 0, 0
	var all []member
	dir := t.TempDir()
	for i := range n {
		p := enginetest.NewPartsIn(t, fmt.Sprintf("%s/%d", dir, i))
		given, skew := i*1_000_000, time.Duration(i)*7*time.Second
		e := engine.New(engine.Options{Store: p.Store, Embedder: enginetest.Embedder(), Policy: &policy, Code: p.Code, Caller: ledger.Caller{Dir: enginetest.CodeFolder},
			Now: func() time.Time { return p.Clock.Now().Add(skew) },
			NewID: func() engram.ID {
				given++
				return engram.ID(fmt.Sprintf("%s%026d", engram.IDPrefix, given))
			}})
		all = append(all, member{p, e, place.Open()})
	}
	return all
}

// tells pushes what is there. What is forgotten before the first push stays with its writer.
func (m member) tells(t *rapid.T) {
	if _, err := m.Engine.Push(t.Context(), m.remote, sync.PushInput{Project: "shop"}); err != nil && engram.CodeOf(err) != engram.CodeNotFound {
		t.Fatal(err)
	}
}

// step changes something at random, and returns the text that it wrote; "" for none.
func (m member) step(t *rapid.T, n int, undo bool) string {
	ctx := t.Context()
	e := m.Engine
	ref := engram.ByNum(rapid.Int64Range(1, 5).Draw(t, "memory"))
	text := fmt.Sprintf("text %d", n)
	var err error
	switch rapid.IntRange(0, 14).Draw(t, "step") {
	case 0, 1:
		_, err = e.Save(ctx, remember.SaveInput{Title: text, Content: text, Project: "shop", TopicKey: rapid.SampledFrom([]string{"", "a/b", "c/d"}).Draw(t, "topic"),
			Tags: rapid.SampledFrom([][]string{nil, {"x"}, {"y", "x"}}).Draw(t, "tags")})
	case 2, 3:
		_, err = e.Update(ctx, remember.UpdateInput{Ref: ref, Content: &text})
	case 4:
		tags := rapid.SampledFrom([][]string{nil, {"x"}, {"y", "z"}}).Draw(t, "tags")
		_, err = e.Update(ctx, remember.UpdateInput{Ref: ref, Tags: &tags})
		text = ""
	case 14:
		m.Code.Write("a.go", text)
		_, err = e.Update(ctx, remember.UpdateInput{Ref: ref, Files: rapid.SampledFrom([]*[]string{{}, {"a.go"}, {"a.go", "a.go:1"}}).Draw(t, "files")})
		text = ""
	case 5:
		m.tells(t)
		_, err = e.Forget(ctx, ref)
		text = ""
	case 6:
		if text = ""; undo {
			m.tells(t)
			_, err = e.Undo(ctx, engineundo.UndoInput{})
		}
	case 7, 8:
		_, err = e.Link(ctx, relate.LinkInput{Source: ref, Target: engram.ByNum(rapid.Int64Range(1, 5).Draw(t, "target")),
			Verb: rapid.SampledFrom(engram.Verbs()).Draw(t, "verb"), Reason: text})
		text = ""
	case 9:
		_, err = e.SavePrompt(ctx, remember.PromptInput{Content: text, Project: "shop"})
		text = ""
	case 10:
		_, err = e.EndSession(ctx, "manual-save-shop", text)
		text = ""
	case 11:
		_, err = e.Push(ctx, m.remote, sync.PushInput{Project: "shop"})
		text = ""
	case 12, 13:
		_, err = e.Pull(ctx, m.remote, sync.PullInput{Project: "shop"})
		text = ""
	}
	if code := engram.CodeOf(err); code == engram.CodeInternal || code == engram.CodeUnavailable {
		t.Fatalf("step %d: %v", n, err)
	}
	if err != nil {
		return ""
	}
	return text
}

// Stores that diverge and meet at a remote now and then converge, and no text of a memory is lost or doubled.
func TestReplicasComeTogether(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		all := members(t, 3)
		defer func() {
			for _, m := range all {
				m.Close(t)
			}
		}()
		hides := rapid.Bool().Draw(rt, "undo") // undoing a pull hides what the others show
		written := map[string]bool{}
		for n := range rapid.IntRange(1, 30).Draw(rt, "steps") {
			if text := rapid.SampledFrom(all).Draw(rt, "member").step(rt, n, hides); text != "" {
				written[text] = true
			}
		}
		for range 3 {
			for _, m := range all {
				if _, err := m.Engine.Push(rt.Context(), m.remote, sync.PushInput{Project: "shop"}); err != nil && engram.CodeOf(err) != engram.CodeNotFound {
					rt.Fatal(err)
				}
				if p, err := m.Engine.Pull(rt.Context(), m.remote, sync.PullInput{Project: "shop"}); err != nil || len(p.Refused)+len(p.Rejected) > 0 {
					rt.Fatalf("pull: %+v, %v", p, err)
				}
			}
		}
		want := ""
		for n, m := range all {
			c := enginetest.Clone{World: enginetest.World{TB: t, Parts: m.Parts}, Remote: m.remote}
			if ps, err := m.Engine.Projects(rt.Context()); err != nil || len(ps) == 0 {
				return
			}
			got := c.MustCanonical()
			if n == 0 {
				want = got
			}
			if got != want {
				rt.Fatalf("replica %d has\n%s\nand the first\n%s", n, got, want)
			}
			if ties, first := c.LiveRelations(), (enginetest.Clone{World: enginetest.World{TB: t, Parts: all[0].Parts}, Remote: nil}).LiveRelations(); ties != first && !hides {
				rt.Fatalf("replica %d shows %s\nand the first %s", n, ties, first)
			}
			m.texts(rt, written, hides)
			if p, err := m.Engine.Push(rt.Context(), m.remote, sync.PushInput{Project: "shop"}); err != nil || len(p.Batches) > 0 {
				rt.Fatalf("replica %d has something to push still: %+v, %v", n, p, err)
			}
		}
	})
}

// texts fails for a written text that is missing or doubled: by the same write, or, without undos, at all.
func (m member) texts(t *rapid.T, written map[string]bool, undo bool) {
	type text struct {
		memory  int64
		stamp   engram.VersionStamp
		content string
	}
	have := map[text]int{}
	said := map[string]int{}
	err := m.Store.View(t.Context(), func(r engram.Reader) error {
		ms, err := engram.MemoriesAfter(t.Context(), r, "", 0, 1000)
		for _, x := range ms {
			key := fmt.Sprint(x.Num)
			ls, err := r.Replica().CausalMetadata(t.Context(), engram.EntityMemory, []string{key})
			if err != nil {
				return err
			}
			rs, err := r.Revisions(t.Context(), x.Num)
			if err != nil {
				return err
			}
			for _, rev := range append(rs, engram.Revision{Content: x.Content, Stamp: ls[key].Of(engram.PartText)}) {
				have[text{x.Num, rev.Stamp, rev.Content}]++
				said[rev.Content]++
			}
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	for text := range written {
		if said[text] == 0 || said[text] > 1 && !undo {
			t.Fatalf("%q is there %d times; there is %v", text, said[text], have)
		}
	}
	for text, n := range have {
		if n > 1 {
			t.Fatalf("%q is there %d times by one write; there is %v", text.content, n, have)
		}
	}
}
