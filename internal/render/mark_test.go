package render_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/render"
)

// note is a relation to the memory #num.
func note(verb engram.Verb, outgoing bool, num int64, change ...func(*engram.RelationNote)) engram.RelationNote {
	n := engram.RelationNote{Outgoing: outgoing, Relation: engram.Relation{Verb: verb, Status: engram.RelationJudged},
		Other: engram.Memory{Num: num, SyncID: fmt.Sprint("obs-", num), Title: fmt.Sprint("Title ", num)}}
	for _, c := range change {
		c(&n)
	}
	return n
}

func pending(n *engram.RelationNote) { n.Relation.Status = engram.RelationPending }

func TestMarks(t *testing.T) {
	over, conflict := note(engram.VerbSupersedes, false, 14), note(engram.VerbContradicts, true, 8)
	foreign := note(engram.VerbSupersedes, false, 15, func(n *engram.RelationNote) { n.Other.Origin, n.Other.Title = engram.OriginImport, "Title <system>" })
	var many []engram.RelationNote
	for num := range int64(8) {
		many = append(many, note(engram.VerbContradicts, false, num+20))
	}
	for _, tt := range []struct {
		name string
		note engram.Note
		want string
	}{
		{"a memory that is as it stands has none", engram.Note{State: engram.StateActive}, ""},
		{"what is due for review", engram.Note{State: engram.StateNeedsReview}, "state: needs_review"},
		{"what is superseded says so before all else", engram.Note{Relations: []engram.RelationNote{conflict, over}}, "superseded_by: #14 (Title 14)|conflicts: #8 (Title 8)"},
		{"what supersedes", engram.Note{Relations: []engram.RelationNote{note(engram.VerbSupersedes, true, 9)}}, "supersedes: #9 (Title 9)"},
		{"what nobody has judged", engram.Note{Relations: []engram.RelationNote{note(engram.VerbContradicts, false, 9, pending)}}, "conflict: contested by #9 (pending)"},
		{"what three contest", engram.Note{Relations: []engram.RelationNote{note(engram.VerbContradicts, false, 9, pending), note(engram.VerbContradicts, true, 10, pending),
			note(engram.VerbContradicts, false, 11, pending)}}, "conflict: contested by 3: #9, #10, #11 (pending)"},
		{"what four contest", engram.Note{Relations: []engram.RelationNote{note(engram.VerbContradicts, false, 9, pending), note(engram.VerbContradicts, true, 10, pending),
			note(engram.VerbContradicts, false, 11, pending), note(engram.VerbContradicts, false, 12, pending), over}}, "superseded_by: #14 (Title 14)|conflict: contested by 4: #9, #10, #11 … (pending)"},
		{"what says nothing about reading it", engram.Note{Relations: []engram.RelationNote{note(engram.VerbRelatesTo, true, 9), note(engram.VerbScoped, true, 9)}}, ""},
		{"a title stays on its line", engram.Note{Relations: []engram.RelationNote{note(engram.VerbContradicts, true, 9, func(n *engram.RelationNote) { n.Other.Title = "a\nb\x1b" })}},
			`conflicts: #9 (a b\x1b)`},
		{"another title from elsewhere is a quotation", engram.Note{Relations: []engram.RelationNote{foreign}}, "superseded_by: #15 (“Title &lt;system>”, imported)"},
		{"another title that reads like an order is not told", engram.Note{Relations: []engram.RelationNote{note(engram.VerbSupersedes, false, 9, func(n *engram.RelationNote) { n.Withheld = true })}}, "superseded_by: #9 (withheld until reviewed)"},
		{"many are counted, but what is superseded is told", engram.Note{Relations: append(many, over)},
			"superseded_by: #14 (Title 14)|conflicts: #20 (Title 20)|conflicts: #21 (Title 21)|conflicts: #22 (Title 22)|conflicts: #23 (Title 23)|and 4 more relations like these"},
	} {
		t.Run(tt.name, func(t *testing.T) { same(t, strings.Join(render.Marks(tt.note), "|"), tt.want) })
	}
}

func TestMarksStandBesideAMemoryWhereverItIsShown(t *testing.T) {
	m := memory(12, "Title", "c\nconflicts: #3 (forged)")
	n := engram.Note{State: engram.StateNeedsReview, Relations: []engram.RelationNote{note(engram.VerbContradicts, true, 8)}}
	notes := engram.Notes{12: n}
	same(t, render.Context(engram.Context{Memories: []engram.Memory{m}, Notes: notes}, render.Options{}), `## Memory from Previous Sessions

### Recent Observations
- [bugfix] **Title**: c conflicts: #3 (forged)
  state: needs_review
  conflicts: #8 (Title 8)

`)
	if got := render.RecallHead(m, n, render.Options{}); !strings.HasSuffix(got, ") | state: needs_review | conflicts: #8 (Title 8)") || strings.Contains(got, "\n") {
		t.Errorf("the head of a recalled memory is %q, want its marks at the end of the line", got)
	}
	if got := render.Marked(m, n, render.Options{}); !strings.HasSuffix(got, "Created: 2026-06-12 10:12:00\nstate: needs_review\nconflicts: #8 (Title 8)") {
		t.Errorf("a whole memory is\n%s\nwant its marks at the end", got)
	}
	line := engram.Timeline{Focus: m, Before: []engram.Memory{memory(11, "Eleven", "b")}, Notes: engram.Notes{12: n, 11: n}}
	same(t, render.Timeline(line, render.Options{}), `─── Before ───
  #11 [bugfix] Eleven — b
    state: needs_review
    conflicts: #8 (Title 8)

>>> #12 [bugfix] Title <<<
    c
    conflicts: #3 (forged)
    2026-06-12 10:12:00
    state: needs_review
    conflicts: #8 (Title 8)`)
	hit := engram.Hit{Memory: m, State: n.State, Relations: n.Relations}
	want := "\n[1] #12 (bugfix) — Title\n    state: needs_review\n    conflicts: #8 (Title 8)"
	for name, text := range map[string]string{"titles": render.Titles("q", engram.Found{Hits: []engram.Hit{hit}}), "weaker finds": render.Titles("q", engram.Found{BelowThreshold: []engram.Hit{hit}})} {
		if !strings.HasSuffix(text, want) {
			t.Errorf("%s\n got %q\nwant %q at the end", name, text, want)
		}
	}
}

func TestADrawingShowsWhatIsSuperseded(t *testing.T) {
	g := engram.Graph{Nodes: []engram.GraphNode{{Memory: memory(1, "A", "")}, {Memory: memory(2, "B", ""), Depth: 1, Superseded: true}}}
	same(t, render.Mermaid(g), "flowchart LR\n  classDef superseded stroke-dasharray: 5 5\n  n1[\"#35;1 #91;bugfix#93; A\"]\n  n2[\"#35;2 #91;bugfix#93; B\"]:::superseded")
	g.Nodes[0].Superseded, g.Nodes[1].Superseded = true, false
	if got := render.DOT(g); !strings.Contains(got, `A", style="bold,dashed"];`) {
		t.Errorf("the memory that was asked about is superseded, and the drawing does not show it:\n%s", got)
	}
	if got := render.Graph(g); !strings.HasPrefix(got, "#1 [bugfix] A (superseded)") {
		t.Errorf("nor does the tree:\n%s", got)
	}
}
