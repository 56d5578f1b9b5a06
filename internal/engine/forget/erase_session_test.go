package forget_test

import (
	"testing"

	"github.com/alanbuscaglia/engram/internal/engine/remember"
	"github.com/alanbuscaglia/engram/internal/enginetest"
)

func TestASessionThatWasErasedIsErasedForAll(t *testing.T) {
	t.Parallel()
	_, all := enginetest.Clones(t, 2)
	a, b := all[0], all[1]
	a.MustSave(remember.SaveInput{Title: "Lifetime", Content: "of shop", Project: "shop"})
	a.MustSession("empty", "shop")
	enginetest.Meet(a, b)
	if err := a.DeleteSession(t.Context(), "empty", true); err != nil {
		t.Fatal(err)
	}
	enginetest.Meet(a, b)
	enginetest.Equal(t, a, b)
	if p := b.MustPush(); len(p.Batches) != 0 {
		t.Errorf("pushed %+v, want nothing: all know of it", p)
	}
}
