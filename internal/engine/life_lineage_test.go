package engine_test

import (
	"encoding/json"
	"io"
	"iter"
	"os"
	"reflect"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/engine"
	"github.com/alanbuscaglia/engram/internal/engine/exchange"
	"github.com/alanbuscaglia/engram/internal/engine/remember"
	"github.com/alanbuscaglia/engram/internal/engine/sync"
	"github.com/alanbuscaglia/engram/internal/engine/undo"
	"github.com/alanbuscaglia/engram/internal/enginetest"
	"github.com/alanbuscaglia/engram/internal/lifecycle"
	"github.com/alanbuscaglia/engram/internal/replica/replicatest"
)

// catch is a format that keeps what it is given.
type catch struct{ records []engram.Record }

func (c *catch) Fit(r engram.Record) (engram.Record, bool) { return r, true }

func (c *catch) Write(_ io.Writer, _ engram.Snapshot, records iter.Seq2[engram.Record, error]) error {
	c.records = nil
	for r, err := range records {
		if err != nil {
			return err
		}
		c.records = append(c.records, r)
	}
	return nil
}

func (c *catch) Read(io.Reader) (engram.Snapshot, iter.Seq2[engram.Record, error], error) {
	return engram.Snapshot{}, nil, io.EOF
}

// records returns everything here as it was written, by kind and name.
func records(w enginetest.World) map[string]engram.Record {
	w.Helper()
	c := &catch{}
	e := engine.New(engine.Options{Store: w.Store, Now: w.Clock.Now, NewID: func() engram.ID { return "" }, Formats: map[string]engram.Format{"catch": c}})
	if _, err := e.Export(w.Context(), io.Discard, exchange.ExportInput{Format: "catch"}); err != nil {
		w.Fatal(err)
	}
	all := map[string]engram.Record{}
	for _, r := range c.records {
		all[nameOf(r)] = r
	}
	return all
}

func nameOf(r engram.Record) string {
	name := string(r.Entity()) + " "
	switch {
	case r.Erased != nil:
		return "erased " + r.Erased.Key()
	case r.Memory != nil:
		return name + string(r.Memory.Memory.ID)
	case r.Session != nil:
		return name + r.Session.ID
	case r.Prompt != nil:
		return name + r.Prompt.SyncID
	case r.Relation != nil:
		return name + r.Relation.Relation.ID
	}
	return name + r.Project.Name
}

// said returns the parts of a state that its causal metadata covers, as JSON.
func said(r engram.Record) string {
	var v any
	switch {
	case r.Memory != nil:
		m := r.Memory.Memory
		texts := map[string]engram.VersionStamp{}
		for _, rev := range r.Memory.Revisions {
			texts[rev.Stamp.String()+rev.Title+rev.Content] = rev.Stamp
		}
		v = []any{m.Project, m.Scope, m.Type, m.Title, m.Content, slices.Sorted(slices.Values(m.Tags)), m.Metadata, m.Anchors, m.TopicKey, m.SessionID, m.Importance, m.Permanent,
			m.ReviewAfter, m.ValidFrom, m.ValidTo, m.DeletedAt, texts}
	case r.Session != nil && r.Tombstone:
		v = r.Session.ID
	case r.Session != nil:
		s := *r.Session
		s.ActiveAt = time.Time{}
		v = s
	case r.Prompt != nil:
		p := *r.Prompt
		p.Num = 0
		v = p
	case r.Relation != nil:
		x := r.Relation.Relation
		v = []any{x.ID, x.Verb, x.Status, x.Strength, x.Reason, x.Evidence, x.Confidence, x.Actor, x.ActorKind, x.Model, x.SessionID, x.Removed()}
	case r.Project != nil:
		v = []any{slices.Sorted(slices.Values(r.Project.Aliases)), r.Project.Remote, r.Project.Decay}
	}
	b, err := json.Marshal([]any{r.Tombstone, v, r.Causal.Base, r.Causal.Parts, r.Causal.Sets})
	if err != nil {
		return err.Error()
	}
	return string(b)
}

// checkLineages checks each state against its causal metadata, and merges it with the earlier state.
func (l *life) checkLineages(before map[string]engram.Record) map[string]engram.Record {
	l.t.Helper()
	now := records(l.World)
	var latest engram.Clock
	err := l.Store.View(l.Context(), func(r engram.Reader) (err error) {
		head, err := r.Replica().Head(l.Context())
		latest = head.Clock
		return err
	})
	if err != nil {
		l.t.Fatal(err)
	}
	for name, r := range now {
		if r.Erased != nil {
			continue
		}
		if r.Causal == nil {
			l.t.Fatalf("%s has no lineage", name)
		}
		if newest := r.Causal.Newest(); newest.At > latest {
			l.t.Fatalf("%s was written at %v, the latest write here is of %v", name, newest, latest)
		}
		normal := said(lifecycle.Normal(r))
		if got := said(r); got != normal {
			l.t.Fatalf("%s\n is        %s\n should be %s", name, got, normal)
		}
		was, known := before[name]
		if !known {
			continue
		}
		if got := said(lifecycle.Merge(was, r)); got != normal {
			l.t.Fatalf("%s\n with what it was %s\n should be        %s\n was              %s", name, got, normal, said(was))
		}
	}
	for name := range before {
		if _, there := now[name]; !there && before[name].Project == nil {
			l.t.Fatalf("%s is gone without a trace", name)
		}
	}
	return now
}

func TestEveryWriteOfAHistoryHoldsAgainstWhatWasBefore(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		dir, err := os.MkdirTemp("", "lineage")
		if err != nil {
			rt.Fatal(err)
		}
		defer func() { _ = os.RemoveAll(dir) }()
		l := &life{World: enginetest.NewWorldIn(t, dir), t: rt}
		states := l.checkLineages(nil)
		for range rapid.IntRange(1, 14).Draw(rt, "length") {
			l.act()
			states = l.checkLineages(states)
			if rapid.IntRange(0, 3).Draw(rt, "undo") == 0 && len(l.ops) > 0 {
				_, _ = l.Undo(l.Context(), undo.UndoInput{}) // it may refuse
				states = l.checkLineages(states)
			}
		}
	})
}

func pull(w enginetest.World, r engram.Remote) sync.Pulled {
	w.Helper()
	p, err := w.Pull(w.Context(), r, sync.PullInput{Project: "demo"})
	if err != nil {
		w.Fatalf("pull: %v", err)
	}
	if len(p.Refused) > 0 || len(p.Rejected) > 0 {
		w.Fatalf("pull refused %+v, rejected %+v", p.Refused, p.Rejected)
	}
	return p
}

// Undoing an import is a local decision.
func TestTheUndoOfAPullHidesWhatItAddedAndDoesNotSpread(t *testing.T) {
	t.Parallel()
	a := enginetest.NewWorld(t).Unlinked()
	b := a.Other("b")
	r := replicatest.NewPlace("here").Open()
	a.Note("theirs", "a text of the other store")
	a.MustPush(r, sync.PushInput{})
	came := pull(b, r)
	b.TakeBack(came.Op)
	if ms := b.MustList(engram.Filter{Project: "demo"}); len(ms) > 0 {
		t.Errorf("after the undo there is %v", ms)
	}
	if got := b.MustPush(r, sync.PushInput{}); got.Memories > 0 {
		t.Errorf("the undo was pushed: %+v", got)
	}
	for name, rec := range records(b) {
		if rec.Memory != nil && rec.Memory.Memory.Forgotten() {
			t.Errorf("%s was written as forgotten", name)
		}
	}
	b.TakeBack(b.LastOp())
	if ms := b.MustList(engram.Filter{Project: "demo"}); len(ms) != 1 {
		t.Errorf("after the undo of the undo there is %v, want one", ms)
	}
	if got := b.MustPush(r, sync.PushInput{}); got.Memories > 0 {
		t.Errorf("that was pushed: %+v", got)
	}
	// Forgetting is meant for all replicas.
	if _, err := b.Forget(t.Context(), engram.ByNum(1)); err != nil {
		t.Fatal(err)
	}
	b.MustPush(r, sync.PushInput{})
	pull(a, r)
	if ms := a.MustList(engram.Filter{Project: "demo"}); len(ms) > 0 {
		t.Errorf("the other store still has %v", ms)
	}
}

func TestATopicThatBothWroteGoesToTheLaterTextAndBackWhenThatIsForgotten(t *testing.T) {
	t.Parallel()
	a := enginetest.NewWorld(t).Unlinked()
	b := a.Other("b")
	place := replicatest.NewPlace("here")
	topic := remember.SaveInput{Title: "Auth", Content: "fifteen minutes", Project: "demo", TopicKey: "auth/model"}
	a.MustSave(topic)
	topic.Content = "five minutes"
	b.Clock.Add(time.Hour)
	later := b.MustSave(topic).Memory
	for range 2 {
		for _, w := range []enginetest.World{a, b} {
			pull(w, place.Open())
			w.MustPush(place.Open(), sync.PushInput{})
		}
	}
	shows := func(w enginetest.World) string {
		m, err := w.Get(t.Context(), engram.Ref{Topic: "auth/model", Project: "demo"})
		if err != nil {
			return err.Error()
		}
		return m.Memory.Content
	}
	enginetest.Same(t, "both show", []string{shows(a), shows(b)}, []string{"five minutes", "five minutes"})
	if _, err := b.Forget(t.Context(), engram.ByID(later.ID)); err != nil {
		t.Fatal(err)
	}
	enginetest.Same(t, "where it was forgotten", []string{shows(b)}, []string{"fifteen minutes"})
	forgotten := b.LastOp()
	b.MustPush(place.Open(), sync.PushInput{})
	pull(a, place.Open())
	enginetest.Same(t, "and elsewhere", []string{shows(a)}, []string{"fifteen minutes"})
	b.TakeBack(forgotten)
	enginetest.Same(t, "after the undo", []string{shows(b)}, []string{"five minutes"})
	b.MustPush(place.Open(), sync.PushInput{})
	pull(a, place.Open())
	enginetest.Same(t, "after the undo, elsewhere", []string{shows(a)}, []string{"five minutes"})
	for name, rec := range records(b) {
		if rec.Memory != nil && rec.Memory.Memory.TopicKey != "auth/model" {
			t.Errorf("%s was written with topic %q", name, rec.Memory.Memory.TopicKey)
		}
	}
	if x, y := canonicalOf(a), canonicalOf(b); x != y {
		t.Errorf("the two differ\n%s\n%s", x, y)
	}
}

func canonicalOf(w enginetest.World) string {
	w.Helper()
	var out stringWriter
	if err := w.Canonical(w.Context(), &out, "demo"); err != nil {
		w.Fatal(err)
	}
	return string(out)
}

type stringWriter []byte

func (s *stringWriter) Write(b []byte) (int, error) {
	*s = append(*s, b...)
	return len(b), nil
}

func TestRecordsSayWhatEachStoreCounted(t *testing.T) {
	t.Parallel()
	w := enginetest.NewWorld(t).Unlinked()
	num := w.Note("t", "a text that is said again")
	w.Note("t", "a text that is said again")
	err := w.Store.Update(t.Context(), func(tx engram.Tx) error {
		l, err := tx.Replica().CausalMetadata(t.Context(), engram.EntityMemory, []string{"1"})
		if err != nil {
			return err
		}
		own := l["1"]
		own.Counts = map[string]engram.Count{"other": {Accesses: 2}}
		if err := tx.ReplicaTx().PutCausalMetadata(t.Context(), engram.EntityMemory, map[string]engram.CausalMetadata{"1": own}); err != nil {
			return err
		}
		return tx.RecordUse(t.Context(), engram.Use{Accessed: []int64{num, num}, At: w.Clock.Now()})
	})
	if err != nil {
		t.Fatal(err)
	}
	for name, r := range records(w) {
		if r.Memory == nil {
			continue
		}
		got := map[string]engram.Count{}
		for device, c := range r.Causal.Counts {
			if device != "other" {
				device = "own"
			}
			got[device] = c
		}
		if want := map[string]engram.Count{"other": {Accesses: 2}, "own": {Repeats: 1}}; !reflect.DeepEqual(got, want) {
			t.Errorf("%s: got %v, want %v", name, got, want)
		}
	}
}
