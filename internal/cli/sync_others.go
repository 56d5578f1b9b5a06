package cli

import (
	"fmt"
	"strings"

	"github.com/alanbuscaglia/engram/internal/document"
	"github.com/alanbuscaglia/engram/internal/engine"
	"github.com/alanbuscaglia/engram/internal/render"
)

// pendingDoc is what chunks have of a project that is not the one that is synced.
type pendingDoc struct {
	Project  string `json:"project"`
	Memories int    `json:"memories"`
	Others   int    `json:"others"` // sessions, prompts and erasures
}

func pendingOf(all []engine.OtherProject) []pendingDoc {
	return document.Each(all, func(o engine.OtherProject) pendingDoc { return pendingDoc(o) })
}

// otherLines is how many projects are named.
const otherLines = 5

// writePending says what is pending of other projects, and how it comes in.
func writePending(b *strings.Builder, all []pendingDoc) {
	if len(all) == 0 {
		return
	}
	var parts []string
	for _, o := range all[:min(len(all), otherLines)] {
		what := count(o.Memories, "memory", "memories")
		if o.Memories == 0 {
			what = count(o.Others, "thing", "things")
		}
		parts = append(parts, what+" of "+render.Line(o.Project, 80))
	}
	if more := len(all) - otherLines; more > 0 {
		parts = append(parts, count(more, "more project", "more projects"))
	}
	fmt.Fprintf(b, "Pending in other projects: %s\n", strings.Join(parts, ", "))
	fmt.Fprintln(b, "  To import them: engram sync --import --all; for one project: --import --project NAME")
}
