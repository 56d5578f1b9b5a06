package exchange_test

import (
	"testing"

	"github.com/alanbuscaglia/engram/internal/engine/exchange"
	"github.com/alanbuscaglia/engram/internal/engine/remember"
	"github.com/alanbuscaglia/engram/internal/enginetest"
)

// Memories from a format without ids get ids of their own; relations of a file with ids name them by those.
func TestRelationsFindMemoriesThatCameInUnderAnotherId(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	from, to := enginetest.New(t), enginetest.New(t)
	for n := range 5 { // so that its ids differ from those of the other store
		if _, err := from.Save(ctx, remember.SaveInput{Content: "apart " + string(rune('a'+n)), Project: "apart"}); err != nil {
			t.Fatal(err)
		}
	}
	story(t, from)
	enginetest.Imported(t, to, enginetest.Exported(t, from, exchange.ExportInput{Project: "shop", Format: "mem"}), exchange.ImportInput{})
	res := enginetest.Imported(t, to, enginetest.Exported(t, from, exchange.ExportInput{Project: "shop"}), exchange.ImportInput{})
	if res.Relations.Added != 1 || res.Relations.Rejected != 0 || res.Memories.Added != 0 {
		t.Errorf("import of the full file after that of the dialect: got %+v, want its relation and no memory added", res)
	}
	again := enginetest.Imported(t, to, enginetest.Exported(t, from, exchange.ExportInput{Project: "shop"}), exchange.ImportInput{})
	if again.Op != 0 {
		t.Errorf("again: got %+v, want nothing changed", again)
	}
}
