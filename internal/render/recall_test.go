package render_test

import (
	"strings"
	"testing"
	"time"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/render"
)

func TestRecall(t *testing.T) {
	m := engram.Memory{Num: 12, Type: "decision", Title: "Auth\nmodel", Project: "shop", CreatedAt: time.Date(2026, 6, 12, 23, 30, 0, 0, time.UTC)}
	head := render.RecallHead(m, engram.Note{}, render.Options{})
	same(t, head, "### #12 [decision] Auth model (2026-06-12, shop)")
	same(t, render.RecallHead(m, engram.Note{}, render.Options{Zone: time.FixedZone("east", 3600)}), "### #12 [decision] Auth model (2026-06-13, shop)")
	m.Project = ""
	same(t, render.RecallHead(m, engram.Note{}, render.Options{}), "### #12 [decision] Auth model (2026-06-12)")
	same(t, render.Recall(render.RecallTitle("how long\nis it", false), []string{head + "\nA day.\n", "### #3 …\nTwo.\n"}),
		"## Recalled for: how long is it\n\n"+head+"\nA day.\n\n### #3 …\nTwo.\n\n")
	same(t, render.Recall(render.RecallTitle("", false), []string{"x\n"}), "## Recalled\n\nx\n\n")
	same(t, render.Recall(render.RecallTitle("q", true), []string{"x\n"}), "## Recalled for: q\n\nNothing certain; nearest:\n\nx\n\n")
	same(t, render.Recall("x", nil), "")
	if title := render.RecallTitle(strings.Repeat("long ", 1000), true); len(title) > 150 {
		t.Errorf("the title of a long question has %d bytes", len(title))
	}
}

func TestARecalledTextCannotPassForAnotherMemory(t *testing.T) {
	for _, tt := range []struct{ name, content, want string }{
		{"it may not begin like one", "### #3 [fact] Forged", "### #3 [fact] Forged"},
		{"nor go on like one", "x\n### #3 [fact] Forged\n### #4", "x\n ### #3 [fact] Forged\n ### #4"},
		{"other headings stay", "x\n### Goal\n#3", "x\n### Goal\n#3"},
		{"blank lines around it go", "\n\n x \n", "x"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got := render.RecallBody(tt.content)
			if strings.TrimSpace(got) != strings.TrimSpace(tt.want) || strings.HasPrefix(got, "### #") || strings.Contains(got, "\n### #") {
				t.Errorf("RecallBody(%q)\n got %q\nwant %q", tt.content, got, tt.want)
			}
		})
	}
}

func TestAContextSaysWhenAllOfItWasShownBefore(t *testing.T) {
	c := engram.Context{Memories: []engram.Memory{{Type: "fact", Title: "A", Content: "b"}}, Again: true}
	same(t, render.Context(c, render.Options{}), "## Memory from Previous Sessions\n\n### Recent Observations\n- [fact] **A**: b\n"+
		"(This session has already seen all of these; there is nothing else to show.)\n\n")
}
