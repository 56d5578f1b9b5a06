package exchange_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/engine"
	"github.com/alanbuscaglia/engram/internal/engine/exchange"
	"github.com/alanbuscaglia/engram/internal/engine/remember"
	"github.com/alanbuscaglia/engram/internal/enginetest"
)

// An export leaves out what an undo of an import took away, so that it does not come back.
func TestWhatAnUndoneImportBroughtLeavesWithNoExport(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	other, e, third := enginetest.New(t), enginetest.New(t), enginetest.New(t)
	for n := range 10 { // so that its later ids differ from those of the other store
		if _, err := other.Save(ctx, remember.SaveInput{Content: fmt.Sprint("not in the file ", n), Project: "apart"}); err != nil {
			t.Fatal(err)
		}
	}
	story(t, other)
	mine, err := e.Save(ctx, remember.SaveInput{Content: "The kettle is in the kitchen", Project: "shop"})
	if err != nil {
		t.Fatal(err)
	}
	enginetest.Undone(t, e, enginetest.Imported(t, e, enginetest.Exported(t, other, exchange.ExportInput{Project: "shop"}), exchange.ImportInput{}).Op)
	for _, format := range []string{"json", "mem"} {
		for _, project := range []string{"", "shop"} {
			var b strings.Builder
			res, err := e.Export(ctx, &b, exchange.ExportInput{Format: format, Project: project})
			if err != nil {
				t.Fatal(err)
			}
			// What the file itself calls forgotten stays forgotten.
			if res.Memories-res.Forgotten != 1 || res.Revisions+res.Prompts+res.Relations != 0 {
				t.Errorf("export of %q as %s: wrote %+v; want one memory that is not forgotten\n%s", project, format, res.Written, b.String())
			}
			if own := enginetest.Imported(t, e, b.String(), exchange.ImportInput{}); own.Op != 0 {
				t.Errorf("import of it: %+v; want nothing changed", own)
			}
			enginetest.Imported(t, third, b.String(), exchange.ImportInput{})
		}
	}
	for _, e := range []*engine.Engine{e, third} {
		ms, err := e.List(ctx, engram.Filter{}, engram.Page{})
		if err != nil || len(ms) != 1 || ms[0].Content != mine.Memory.Content {
			t.Errorf("in the end there is %+v, %v; want what was saved here", ms, err)
		}
	}
}
