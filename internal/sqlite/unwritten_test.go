package sqlite

import (
	"testing"
	"time"

	"github.com/alanbuscaglia/engram"
)

// Counts and tags are written later, but no statement of the transaction may notice.
func TestUnwrittenCountsAreNeverObservable(t *testing.T) {
	ctx := t.Context()
	s := planStore(t)
	at := time.UnixMilli(5_000)
	insert := func(tx engram.Tx, id engram.ID) engram.Memory {
		t.Helper()
		m := engram.Memory{ID: id, SyncID: "obs-" + string(id), Project: "app", SessionID: "s", Scope: engram.ScopeProject, Type: "rarity", Origin: "agent",
			Title: "unwritten", Content: "unwritten " + string(id), TopicKey: "unwritten/" + string(id), Tags: []string{"b", "a"}, CreatedAt: at, UpdatedAt: at,
			TouchedAt: at, RevisionCount: 1, DuplicateCount: 1, NormalizedHash: "00"}
		if err := tx.InsertMemory(ctx, &m); err != nil {
			t.Fatal(err)
		}
		return m
	}
	before := 0
	err := s.Update(ctx, func(tx engram.Tx) (err error) {
		if before, err = tx.Count(ctx, engram.Filter{SessionID: "s"}); err != nil {
			return err
		}
		a, b := insert(tx, "mem_owed1"), insert(tx, "mem_owed2")
		if n, err := tx.Count(ctx, engram.Filter{SessionID: "s"}); err != nil || n != before+2 {
			t.Errorf("memories of the session after two inserts: got %d, %v; want %d", n, err, before+2)
		}
		if m, found, err := engram.ByTopic(ctx, tx, "app", engram.ScopeProject, a.TopicKey); err != nil || !found || len(m.Tags) != 2 {
			t.Errorf("tags of what was inserted, by its topic: got %v (found %v), %v; want a and b", m.Tags, found, err)
		}
		if _, found, err := engram.ByTopic(ctx, tx, "app", engram.ScopeProject, "unwritten/nobody"); err != nil || found {
			t.Errorf("a topic that nobody has: found %v, %v", found, err)
		}
		insert(tx, "mem_owed3")
		b.DeletedAt = at // needs the counts of the inserts
		if err := tx.ReplaceMemory(ctx, b); err != nil {
			return err
		}
		st, err := tx.Stats(ctx, "app")
		if err != nil || st.Types["rarity"] != 2 {
			t.Errorf("live memories of the type: got %d, %v; want 2", st.Types["rarity"], err)
		}
		insert(tx, "mem_owed4") // is unwritten when the transaction ends
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	err = s.View(ctx, func(r engram.Reader) error {
		n, err := r.Count(ctx, engram.Filter{SessionID: "s"})
		if n != before+3 {
			t.Errorf("memories of the session afterwards: got %d, want %d", n, before+3)
		}
		m, _, byTopic := engram.ByTopic(ctx, r, "app", engram.ScopeProject, "unwritten/mem_owed4")
		if byTopic != nil || len(m.Tags) != 2 {
			t.Errorf("tags of the last one: got %v, %v; want a and b", m.Tags, byTopic)
		}
		session, asked := r.Session(ctx, "s")
		if asked != nil || !session.ActiveAt.Equal(at) {
			t.Errorf("the session was active last: got %v, %v; want %v", session.ActiveAt, asked, at)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}
