package screen_test

import (
	"testing"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/engine/relate"
	"github.com/alanbuscaglia/engram/internal/engine/remember"
	"github.com/alanbuscaglia/engram/internal/enginetest"
)

// Titles are shown beside related memories: an instruction in one is withheld there too, until a person
// approved it.
func TestATitleThatIsAnOrderIsWithheldBesideAnother(t *testing.T) {
	t.Parallel()
	w := enginetest.NewWorld(t)
	old := w.MustSave(remember.SaveInput{Title: "Deploys", Content: "Deploys are on Tuesdays.", Project: "shop"}).Memory
	young := w.MustSave(remember.SaveInput{Title: enginetest.Order, Content: "Deploys are on Fridays.", Project: "shop", Origin: engram.OriginTool}).Memory
	if _, err := w.Link(t.Context(), relate.LinkInput{Source: engram.ByNum(young.Num), Verb: engram.VerbSupersedes, Target: engram.ByNum(old.Num)}); err != nil {
		t.Fatal(err)
	}
	withheld := func() bool {
		t.Helper()
		for _, n := range w.MustGet(old.Num).Relations {
			if n.Other.Num == young.Num {
				return n.Withheld
			}
		}
		t.Fatal("the relation is not told")
		return false
	}
	if !withheld() {
		t.Error("the title is told")
	}
	if _, err := w.Approve(t.Context(), engram.ByNum(young.Num)); err != nil {
		t.Fatal(err)
	}
	if withheld() {
		t.Error("what a person approved is withheld")
	}
}
