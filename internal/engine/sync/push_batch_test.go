package sync_test

import (
	"context"
	"slices"
	"testing"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/engine/remember"
	"github.com/alanbuscaglia/engram/internal/engine/sync"
	"github.com/alanbuscaglia/engram/internal/enginetest"
)

// narrow is a remote that rejects memories with some title.
type narrow struct {
	engram.Remote
	title string
}

func (r narrow) Write(ctx context.Context, head engram.Batch, records []engram.Record) (engram.Batch, error) {
	if slices.ContainsFunc(records, func(rec engram.Record) bool { return rec.Memory != nil && rec.Memory.Memory.Title == r.title }) {
		return engram.Batch{}, engram.Errorf(engram.CodeInvalid, "the records are larger than 32 MiB, packed")
	}
	return r.Remote.Write(ctx, head, records)
}

func TestWhatNoBatchCanHaveDoesNotHoldUpTheRest(t *testing.T) {
	t.Parallel()
	_, cs := enginetest.Clones(t, 2)
	a, b := cs[0], cs[1]
	for _, title := range []string{"first", "big", "last"} {
		a.MustSave(remember.SaveInput{Title: title, Content: "the text of " + title, Project: "shop"})
	}
	for range 2 {
		p, err := a.Push(t.Context(), narrow{a.Remote, "big"}, sync.PushInput{Project: "shop"})
		if err != nil || len(p.Left) != 1 || p.Left[0].Reason == "" {
			t.Fatalf("pushed %+v, %v, want one that is left, with why", p, err)
		}
		if p.Memories != 2 && p.Memories != 0 {
			t.Errorf("%d memories went, want 2 and then none", p.Memories)
		}
	}
	b.MustPull()
	if got := titlesIn(b.World, "shop"); len(got) != 2 || slices.Contains(got, "big") {
		t.Errorf("there are %v, want the other two", got)
	}
	if p := a.MustPush(); p.Memories != 1 {
		t.Errorf("where there is room went %+v, want the one that was left", p)
	}
}
