package read_test

import (
	"testing"
	"time"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/engine/remember"
	"github.com/alanbuscaglia/engram/internal/enginetest"
)

// Versions are dated by their writes, not by when they reached this machine or by other writes.
func TestAHistoryIsDatedByItsTexts(t *testing.T) {
	t.Parallel()
	_, all := enginetest.Clones(t, 2)
	a, b := all[0], all[1]
	id := a.MustSave(remember.SaveInput{Content: "first", Project: "shop"}).Memory.ID
	enginetest.Meet(a, b)
	a.Clock.Add(time.Hour)
	if _, err := a.Update(t.Context(), remember.UpdateInput{Ref: engram.ByID(id), Tags: &[]string{"kettle"}}); err != nil {
		t.Fatal(err)
	}
	a.Clock.Add(time.Hour)
	a.Edit(id, "second")
	a.MustPush()
	b.Clock.Add(9 * time.Hour)
	b.MustPull()
	b.Clock.Add(time.Hour)
	b.Edit(id, "third")
	enginetest.Meet(a, b)
	var first []engram.Version
	for n, c := range []enginetest.Clone{a, b} {
		h, err := c.History(t.Context(), engram.ByID(id))
		if err != nil {
			t.Fatal(err)
		}
		detail, err := c.Get(t.Context(), engram.ByID(id))
		if err != nil {
			t.Fatal(err)
		}
		if len(h.Versions) != 3 {
			t.Fatalf("replica %d has %d versions, want 3: %+v", n, len(h.Versions), h.Versions)
		}
		for i, v := range h.Versions {
			if i > 0 && !v.WrittenAt.Equal(h.Versions[i-1].ReplacedAt) {
				t.Errorf("replica %d: %q was written at %s, and what was before it replaced at %s", n, v.Content, v.WrittenAt, h.Versions[i-1].ReplacedAt)
			}
			if got := detail.History().Versions[i]; !got.WrittenAt.Equal(v.WrittenAt) || !got.ReplacedAt.Equal(v.ReplacedAt) {
				t.Errorf("replica %d: the memory as it is read has %q from %s to %s, its history from %s to %s", n, got.Content,
					got.WrittenAt, got.ReplacedAt, v.WrittenAt, v.ReplacedAt)
			}
			if first != nil && !v.WrittenAt.Equal(first[i].WrittenAt) {
				t.Errorf("%q was written at %s here and at %s there", v.Content, v.WrittenAt, first[i].WrittenAt)
			}
		}
		if got := h.Versions[1].WrittenAt.Sub(h.Versions[0].WrittenAt); got < 2*time.Hour || got > 3*time.Hour {
			t.Errorf("replica %d: %s between the first text and the second, want two hours", n, got)
		}
		first = h.Versions
	}
}

// Versions as of a past time have the same dates as now.
func TestATextOfThenIsDatedByItsWrite(t *testing.T) {
	t.Parallel()
	_, all := enginetest.Clones(t, 2)
	a, b := all[0], all[1]
	id := a.MustSave(remember.SaveInput{Content: "first", Project: "shop"}).Memory.ID
	a.Clock.Add(time.Hour)
	a.Edit(id, "second")
	a.MustPush()
	b.Clock.Add(9 * time.Hour)
	b.MustPull()
	b.Clock.Add(time.Hour)
	then := b.Clock.Now()
	b.Clock.Add(time.Hour)
	b.Edit(id, "third")
	h, err := b.History(t.Context(), engram.ByID(id))
	if err != nil {
		t.Fatal(err)
	}
	d, err := b.GetAsOf(t.Context(), engram.ByID(id), then)
	if err != nil {
		t.Fatal(err)
	}
	past := d.History().Versions
	if len(past) != 2 || past[1].Content != "second" {
		t.Fatalf("then it said %+v, want the first text and the second", past)
	}
	for i, v := range past {
		if !v.WrittenAt.Equal(h.Versions[i].WrittenAt) {
			t.Errorf("%q was written at %s, asked then; now it is at %s", v.Content, v.WrittenAt, h.Versions[i].WrittenAt)
		}
	}
	if !past[0].ReplacedAt.Equal(past[1].WrittenAt) {
		t.Errorf("the first text was replaced at %s, and the second written at %s", past[0].ReplacedAt, past[1].WrittenAt)
	}
}
