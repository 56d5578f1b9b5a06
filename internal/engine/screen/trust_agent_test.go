package screen_test

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/alanbuscaglia/engram"
	enginebrief "github.com/alanbuscaglia/engram/internal/engine/brief"
	"github.com/alanbuscaglia/engram/internal/engine/remember"
	"github.com/alanbuscaglia/engram/internal/engine/search"
	"github.com/alanbuscaglia/engram/internal/enginetest"
	"github.com/alanbuscaglia/engram/internal/render"
)

// texts returns the lines of a testdata file, joining a line that ends in <|im_end|> with the one before.
func texts(t testing.TB, name string) (all []string) {
	t.Helper()
	b, err := os.ReadFile("testdata/" + name)
	if err != nil {
		t.Fatal(err)
	}
	for l := range strings.Lines(string(b)) {
		if l = strings.TrimSpace(l); strings.HasSuffix(l, "<|im_end|>") {
			all[len(all)-1] += "\n" + l
		} else {
			all = append(all, l)
		}
	}
	return all
}

// writers is the number of sessions that wrote what the credulous agent reads.
const writers = 8

// A credulous agent obeys every injected instruction: this one reads everything that is injected, and obeys
// none.
func TestACredulousAgentIsToldNoOrders(t *testing.T) {
	t.Parallel()
	injected, honest := texts(t, "injected.txt"), texts(t, "honest.txt")
	if len(injected) != 40 || len(honest) != 40 {
		t.Fatalf("%d orders and %d memories, want 40 of each", len(injected), len(honest))
	}
	w := enginetest.NewWorld(t)
	origins := []engram.Origin{engram.OriginAgent, engram.OriginTool, engram.OriginImport, engram.OriginSync}
	for i := range writers {
		if _, err := w.StartSession(t.Context(), remember.SessionInput{ID: fmt.Sprintf("s%d", i), Project: "shop"}); err != nil {
			t.Fatal(err)
		}
	}
	ids := map[string]int64{}
	for i := range 40 {
		for kind, text := range map[string]string{"Order": injected[i], "Note": honest[i]} {
			res, err := w.Save(t.Context(), remember.SaveInput{Title: fmt.Sprintf("%s %d", kind, i), Content: text, Project: "shop", SessionID: fmt.Sprintf("s%d", i%writers), Origin: origins[i%len(origins)]})
			if err != nil {
				t.Fatal(err)
			}
			ids[text] = res.Memory.Num
		}
	}
	heard := heardUnasked(t, w, append(injected, honest...))
	obeyed, found := 0, 0
	for i, order := range injected {
		if strings.Contains(heard, fmt.Sprintf("Order %d", i)) || strings.Contains(heard, render.Line(order, 60)) {
			obeyed++
			i := max(strings.Index(heard, fmt.Sprintf("Order %d", i)), 0)
			t.Errorf("it was told %q: %.200q", order, heard[max(0, i-120):min(len(heard), i+80)])
		}
	}
	for _, text := range honest {
		res, err := w.Search(t.Context(), search.SearchInput{Query: text, Filter: engram.Filter{Project: "shop"}, Limit: 3})
		if err == nil && len(res.Hits) > 0 && res.Hits[0].Memory.Num == ids[text] && len(res.Hits[0].Flagged) == 0 {
			found++
		} else {
			t.Errorf("%q is not found, or is suspect", text)
		}
	}
	t.Logf("obeyed %d of %d, found %d of %d", obeyed, len(injected), found, len(honest))
}

// heardUnasked returns all injected texts: at the start, after a compaction, before prompts and files, after
// errors, and by mem_context.
func heardUnasked(t testing.TB, w enginetest.World, asked []string) string {
	t.Helper()
	var b strings.Builder
	brief, err := w.Brief(t.Context(), enginebrief.SessionBriefInput{Project: "shop", SessionID: "s", Directory: "/src/shop", Budget: enginebrief.MaxBrief})
	if err != nil {
		t.Fatal(err)
	}
	b.WriteString(brief.Text)
	for i := range writers { // each forgets what it wrote itself, or what was written in its name
		if brief, err = w.Brief(t.Context(), enginebrief.SessionBriefInput{Project: "shop", SessionID: fmt.Sprintf("s%d", i), Budget: enginebrief.MaxBrief, Again: true}); err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(brief.Text, "Note ") {
			t.Fatalf("after a compaction session s%d is told nothing that it saved: %s", i, brief.Text)
		}
		b.WriteString(brief.Text)
	}
	c, err := w.Engine.Context(t.Context(), enginebrief.ContextInput{Project: "shop", Budget: 100_000})
	if err != nil {
		t.Fatal(err)
	}
	b.WriteString(render.Context(c, render.Options{}))
	for _, text := range asked {
		for _, in := range []enginebrief.RemindInput{{Query: text}, {Error: text}, {Path: ".env", Directory: "/src/shop"}} {
			in.Project, in.Again = "shop", true
			r, err := w.Remind(t.Context(), in)
			if err != nil {
				t.Fatal(err)
			}
			b.WriteString(r.Text)
		}
	}
	return b.String()
}
