package undo_test

import (
	"slices"
	"testing"

	"github.com/alanbuscaglia/engram/internal/engine/exchange"
	"github.com/alanbuscaglia/engram/internal/engine/remember"
	"github.com/alanbuscaglia/engram/internal/engine/undo"
	"github.com/alanbuscaglia/engram/internal/enginetest"
)

// An import into several projects is the latest operation of each of them, although it is journaled under one.
func TestTheLatestOfAProjectIsTheImportThatWasOfOthersToo(t *testing.T) {
	t.Parallel()
	for _, project := range []string{"mine", "other", "shop"} {
		t.Run(project, func(t *testing.T) {
			ctx, e := t.Context(), enginetest.New(t)
			for _, p := range []string{"mine", "other"} {
				if _, err := e.Save(ctx, remember.SaveInput{Content: "The kettle of " + p, Project: p}); err != nil {
					t.Fatal(err)
				}
			}
			res := enginetest.Imported(t, e, enginetest.NativeFile(`"memories":[{"content":"a","project":"shop"},{"content":"b","project":"other"},{"content":"c","project":"mine"}]`), exchange.ImportInput{})
			u, err := e.Undo(ctx, undo.UndoInput{Project: project})
			if err != nil || u.Undone.Op != res.Op || !slices.Equal(u.Projects, []string{"mine", "other", "shop"}) {
				t.Fatalf("undo in %s: got operation %d (%s) of %v, %v; want the import, %d", project, u.Undone.Op, u.Undone.Name, u.Projects, err, res.Op)
			}
			if project == "shop" {
				return
			}
			if u, err = e.Undo(ctx, undo.UndoInput{Project: project}); err != nil || u.Undone.Name != "save" {
				t.Errorf("undo again: got %+v, %v; want the save before", u, err)
			}
		})
	}
}
