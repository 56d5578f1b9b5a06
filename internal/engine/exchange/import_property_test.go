package exchange_test

import (
	"fmt"
	"testing"

	"pgregory.net/rapid"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/engine"
	"github.com/alanbuscaglia/engram/internal/engine/exchange"
	"github.com/alanbuscaglia/engram/internal/engine/relate"
	"github.com/alanbuscaglia/engram/internal/engine/remember"
	"github.com/alanbuscaglia/engram/internal/engine/undo"
	"github.com/alanbuscaglia/engram/internal/enginetest"
)

// aLife changes a store of a few memories at random.
func aLife(t *rapid.T, e *engine.Engine, steps int) {
	ctx := t.Context()
	word := rapid.SampledFrom([]string{"tokens", "pool", "queue", "naïve", "日本", "a\nb\tc", `"quoted" \ <b>`})
	which := rapid.Int64Range(1, 6)
	for i := range steps {
		text := fmt.Sprintf("%s %d", word.Draw(t, "word"), rapid.IntRange(1, 9).Draw(t, "n"))
		ref := engram.ByNum(which.Draw(t, "memory"))
		var err error
		switch rapid.IntRange(0, 9).Draw(t, "step") {
		case 0, 1, 2:
			_, err = e.Save(ctx, remember.SaveInput{Title: text, Content: text + " lives", Project: rapid.SampledFrom([]string{"", "shop", "web"}).Draw(t, "project"),
				TopicKey: rapid.SampledFrom([]string{"", "a/b", "c/d"}).Draw(t, "topic"), Tags: rapid.SampledFrom([][]string{nil, {"x"}, {"y", "x"}}).Draw(t, "tags"),
				Permanent: rapid.Bool().Draw(t, "permanent"), Metadata: map[string]any{"k": text, "deep": []any{1.5, nil, map[string]any{"z": true}}}})
		case 3, 4:
			_, err = e.Update(ctx, remember.UpdateInput{Ref: ref, Content: &text})
		case 5:
			_, err = e.Forget(ctx, ref)
		case 6:
			_, err = e.Link(ctx, relate.LinkInput{Source: ref, Target: engram.ByNum(which.Draw(t, "target")),
				Verb: rapid.SampledFrom(engram.Verbs()).Draw(t, "verb"), Reason: text})
		case 7:
			_, err = e.SavePrompt(ctx, remember.PromptInput{Content: text, Project: "shop"})
		case 8:
			_, err = e.Undo(ctx, undo.UndoInput{})
		case 9:
			_, err = e.EndSession(ctx, fmt.Sprintf("manual-save-%s", "shop"), text)
		}
		if code := engram.CodeOf(err); code == engram.CodeInternal || code == engram.CodeUnavailable {
			t.Fatalf("step %d: %v", i, err)
		}
	}
}

// An export imported elsewhere and exported again is the same; importing it twice changes nothing.
func TestExportsComeInEqual(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		dir := t.TempDir()
		from, to := enginetest.NewPartsIn(t, dir+"/from"), enginetest.NewPartsIn(t, dir+"/to")
		defer from.Close(t)
		defer to.Close(t)
		aLife(rt, from.Engine, rapid.IntRange(1, 15).Draw(rt, "steps"))
		file := enginetest.Exported(t, from.Engine, exchange.ExportInput{})
		res := enginetest.Imported(t, to.Engine, file, exchange.ImportInput{})
		if res.All().Rejected > 0 {
			rt.Fatalf("rejected: %+v\nof %s", res.Rejected, file)
		}
		if got, want := bare(enginetest.Exported(t, to.Engine, exchange.ExportInput{})), bare(file); got != want {
			rt.Fatalf("it came in otherwise\n got %s\nwant %s", got, want)
		}
		for name, e := range map[string]*engine.Engine{"the store it came from": from.Engine, "the other": to.Engine} {
			if res := enginetest.Imported(t, e, file, exchange.ImportInput{}); res.Op != 0 {
				rt.Fatalf("once more into %s: %+v\nof %s", name, res, file)
			}
		}
	})
}

// Two stores that diverged converge by exchanging files, and lose no text.
func TestStoresComeTogetherByFiles(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		dir := t.TempDir()
		a, b := enginetest.NewPartsIn(t, dir+"/a"), enginetest.NewPartsIn(t, dir+"/b")
		defer a.Close(t)
		defer b.Close(t)
		aLife(rt, a.Engine, 5)
		enginetest.Imported(t, b.Engine, enginetest.Exported(t, a.Engine, exchange.ExportInput{}), exchange.ImportInput{})
		for _, p := range []enginetest.Parts{a, b} {
			for num := int64(1); num <= 3; num++ {
				text := fmt.Sprintf("edit %d of %s", rapid.IntRange(1, 9).Draw(rt, "edit"), p.Path[len(dir)+1:len(dir)+2])
				if rapid.Bool().Draw(rt, "does") {
					_, err := p.Update(rt.Context(), remember.UpdateInput{Ref: engram.ByNum(num), Content: &text})
					if code := engram.CodeOf(err); err != nil && code != engram.CodeNotFound {
						rt.Fatal(err)
					}
				}
			}
		}
		texts := map[string]bool{}
		for _, p := range []enginetest.Parts{a, b} {
			contents(t, p.Engine, texts)
		}
		toB, toA := enginetest.Exported(t, a.Engine, exchange.ExportInput{}), enginetest.Exported(t, b.Engine, exchange.ExportInput{})
		enginetest.Imported(t, b.Engine, toB, exchange.ImportInput{})
		enginetest.Imported(t, a.Engine, toA, exchange.ImportInput{})
		for _, p := range []enginetest.Parts{a, b} {
			kept := map[string]bool{}
			contents(t, p.Engine, kept)
			for text := range texts {
				if !kept[text] {
					rt.Fatalf("%s lost %q", p.Path, text)
				}
			}
		}
		for num := int64(1); num <= 3; num++ {
			x, xerr := a.Get(rt.Context(), engram.ByNum(num))
			y, yerr := b.Get(rt.Context(), engram.ByNum(num))
			if engram.CodeOf(xerr) != engram.CodeOf(yerr) || x.Memory.Content != y.Memory.Content || !x.Memory.UpdatedAt.Equal(y.Memory.UpdatedAt) {
				rt.Fatalf("memory %d differs\n a %+v %v\n b %+v %v", num, x.Memory, xerr, y.Memory, yerr)
			}
		}
	})
}

// contents adds the current and earlier texts of the first memories to texts.
func contents(t *testing.T, e *engine.Engine, texts map[string]bool) {
	t.Helper()
	for num := int64(1); num <= 3; num++ {
		d, err := e.Get(t.Context(), engram.ByNum(num))
		if engram.CodeOf(err) == engram.CodeNotFound {
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		texts[d.Memory.Content] = true
		for _, r := range d.Revisions {
			texts[r.Content] = true
		}
	}
}
