package sync_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/engine/remember"
	"github.com/alanbuscaglia/engram/internal/enginetest"
)

func TestEveryTextOfARecordIsReviewed(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 6, 12, 0, 0, 0, 0, time.UTC)
	memory := func(change func(r *engram.Record)) engram.Record {
		m := engram.Memory{Title: "t", Content: "c", Project: "shop", SyncID: "obs-reviewed", Type: "manual", CreatedAt: at, UpdatedAt: at}
		r := engram.Record{Memory: &engram.MemoryRecord{Memory: m}}
		change(&r)
		return r
	}
	order := strings.ToLower(anOrder)
	for name, r := range map[string]engram.Record{
		"content":   memory(func(r *engram.Record) { r.Memory.Memory.Content = order }),
		"summary":   memory(func(r *engram.Record) { r.Memory.Memory.Summary = order }),
		"tool name": memory(func(r *engram.Record) { r.Memory.Memory.ToolName = order }),
		"tag":       memory(func(r *engram.Record) { r.Memory.Memory.Tags = []string{order} }),
		"metadata": memory(func(r *engram.Record) {
			r.Memory.Memory.Metadata = map[string]any{"a": []any{map[string]any{"b": order}}}
		}),
		"key of metadata": memory(func(r *engram.Record) {
			r.Memory.Memory.Metadata = map[string]any{order: true}
		}),
		"revision": memory(func(r *engram.Record) {
			r.Memory.Revisions = []engram.Revision{{Number: 1, Title: "x", Content: order, WrittenAt: at}}
		}),
		"tag of the lineage": memory(func(r *engram.Record) {
			s := engram.VersionStamp{At: engram.Clock(0).Tick(at), Device: "eeeeeeee"}
			r.Causal = &engram.CausalMetadata{Base: s, Sets: map[string]engram.Dots{order: {"eeeeeeee": {Added: s.At}}}}
		}),
		"session of a memory": memory(func(r *engram.Record) { r.Memory.Memory.SessionID = order }),
		"session of a prompt": {Prompt: &engram.Prompt{SyncID: "p1", SessionID: order, Project: "shop", Content: "why?", CreatedAt: at}},
		"name of a session":   {Session: &engram.Session{ID: order, Project: "shop", StartedAt: at}},
		"folder of a session": {Session: &engram.Session{ID: "s1", Project: "shop", Directory: order, StartedAt: at}},
	} {
		_, cs := enginetest.Clones(t, 1)
		enginetest.WriteTo(t, cs[0].Remote, "mallory", r)
		if p := cs[0].MustPull(); p.Deferred != 1 || p.Memories.Added+p.Sessions.Added+p.Prompts.Added != 0 {
			t.Errorf("%s: %d wait, came in %+v, rejected %+v; want one that waits", name, p.Deferred, p.Imported, p.Rejected)
		}
	}
}

// Title and content are known here already; the summary is not.
func TestANewTextIsReviewedThoughOthersAreKnown(t *testing.T) {
	t.Parallel()
	_, cs := enginetest.Clones(t, 2)
	a, b := cs[0], cs[1]
	m := a.MustSave(remember.SaveInput{Title: "s", Content: "something harmless", Project: "shop"}).Memory
	enginetest.Meet(a, b)
	worse := m
	worse.Num, worse.Summary = 0, anOrder
	s := engram.VersionStamp{At: engram.Clock(0).Tick(a.Clock.Now().Add(time.Minute)), Device: "eeeeeeee"}
	enginetest.WriteTo(t, a.Remote, "mallory", engram.Record{Memory: &engram.MemoryRecord{Memory: worse}, Causal: &engram.CausalMetadata{Base: s}})
	p := b.MustPull()
	d, err := b.Get(t.Context(), engram.ByID(m.ID))
	if err != nil || d.Memory.Summary != "" || p.Deferred != 1 {
		t.Errorf("the summary is %q, %v, and %d wait; want none, and one that waits", d.Memory.Summary, err, p.Deferred)
	}
}

func TestTagsOfALineageFollowTheRulesForTags(t *testing.T) {
	t.Parallel()
	_, cs := enginetest.Clones(t, 1)
	b := cs[0]
	at := b.Clock.Now()
	s := engram.VersionStamp{At: engram.Clock(0).Tick(at), Device: "eeeeeeee"}
	record := func(sync string, sets map[string]engram.Dots) engram.Record {
		m := engram.Memory{Title: sync, Content: "c of " + sync, Project: "shop", SyncID: sync, Type: "manual", CreatedAt: at, UpdatedAt: at}
		return engram.Record{Memory: &engram.MemoryRecord{Memory: m}, Causal: &engram.CausalMetadata{Base: s, Sets: sets}}
	}
	odd, many := map[string]engram.Dots{}, map[string]engram.Dots{}
	for _, tag := range []string{"<private>secret</private>", "UPPER Case", "two\nlines", "fine"} {
		odd[tag] = engram.Dots{s.Device: {Added: s.At}}
	}
	for n := range engram.MaxTags + 1 {
		many[fmt.Sprintf("tag%d", n)] = engram.Dots{s.Device: {Added: s.At}}
	}
	early := map[string]engram.Dots{"fine": {s.Device: {Added: s.At, Removed: 1 << 62}}}
	enginetest.WriteTo(t, b.Remote, "mallory", record("obs-odd", odd), record("obs-many", many), record("obs-early", early))
	p := b.MustPull()
	ms, err := b.List(t.Context(), engram.Filter{Project: "shop"}, engram.Page{Limit: 5})
	if err != nil || len(ms) != 1 || len(p.Rejected) != 2 {
		t.Fatalf("here are %d, %v, rejected %+v; want one, and two rejected", len(ms), err, p.Rejected)
	}
	enginetest.Same(t, "tags", ms[0].Tags, []string{"fine"})
}

func TestWhoPushedIsKeptInOneShortLine(t *testing.T) {
	t.Parallel()
	_, cs := enginetest.Clones(t, 1)
	b := cs[0]
	enginetest.WriteTo(t, b.Remote, "a\nb "+strings.Repeat("ä", 100_000), enginetest.Foreign("mem_00000000000000000000000009", b.Clock.Now(), "t", "c"))
	p := b.MustPull()
	for _, e := range b.Journal() {
		if len(e.Reason) > 300 || strings.Contains(e.Reason, "\n") {
			t.Errorf("the journal says %.400q", e.Reason)
		}
	}
	if by := p.Batches[0].Batch.By; len(by) > 200 || !strings.HasPrefix(by, "a b ä") {
		t.Errorf("the batch is by %.300q", by)
	}
}
