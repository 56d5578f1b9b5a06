package engine_test

import (
	"testing"

	"github.com/alanbuscaglia/engram/internal/engine/remember"
)

func TestASessionThatWasErasedIsErasedForAll(t *testing.T) {
	_, all := clones(t, 2)
	a, b := all[0], all[1]
	a.save(remember.SaveInput{Title: "Lifetime", Content: "of shop", Project: "shop"})
	a.session("empty", "shop")
	meet(a, b)
	if err := a.DeleteSession(t.Context(), "empty", true); err != nil {
		t.Fatal(err)
	}
	meet(a, b)
	equal(t, a, b)
	if p := b.push(); len(p.Batches) != 0 {
		t.Errorf("pushed %+v, want nothing: all know of it", p)
	}
}
