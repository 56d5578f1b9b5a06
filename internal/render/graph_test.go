package render_test

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/render"
)

func node(num int64, depth int, title string) engram.GraphNode {
	return engram.GraphNode{Memory: memory(num, title, ""), State: engram.StateActive, Depth: depth}
}

func edge(source int64, verb engram.Verb, target int64) engram.Relation {
	return engram.Relation{Source: source, Verb: verb, Target: target, Status: engram.RelationJudged, Strength: 1}
}

// ring is a graph with a cycle, two relations of one pair and a candidate.
func ring() engram.Graph {
	suspected := edge(3, engram.VerbContradicts, 5)
	suspected.Status = engram.RelationPending
	g := engram.Graph{
		Nodes: []engram.GraphNode{node(1, 0, "Token lifetime"), node(2, 1, "Old lifetime"), node(3, 1, "Session cookie"), node(4, 2, "Older still"), node(5, 2, "Another view")},
		Edges: []engram.Relation{edge(1, engram.VerbSupersedes, 2), edge(3, engram.VerbRelatesTo, 1), edge(1, engram.VerbCausedBy, 3),
			edge(2, engram.VerbSupersedes, 4), edge(2, engram.VerbRelatesTo, 3), suspected},
	}
	g.Nodes[2].State = engram.StateNeedsReview
	return g
}

func TestGraphAsATree(t *testing.T) {
	same(t, render.Graph(ring()), `#1 [bugfix] Token lifetime
├─ supersedes → #2 [bugfix] Old lifetime (superseded)
│  ├─ supersedes → #4 [bugfix] Older still (superseded)
│  └─ relates_to → #3 [bugfix] Session cookie (needs review) (below)
├─ relates_to ← #3 [bugfix] Session cookie (needs review)
│  └─ contradicts (pending) → #5 [bugfix] Another view
└─ caused_by → #3 [bugfix] Session cookie (needs review) (above)`)
	same(t, render.Graph(engram.Graph{Nodes: ring().Nodes[:1]}), "#1 [bugfix] Token lifetime\nIt has no relations.")
	same(t, render.Graph(engram.Graph{Nodes: []engram.GraphNode{node(1, 0, "a\x1b[31m\nb"), node(2, 1, "c")},
		Edges: []engram.Relation{edge(2, engram.VerbRelatesTo, 1)}, Cut: true}),
		"#1 [bugfix] a\\x1b[31m b\n└─ relates_to ← #2 [bugfix] c\n\n"+render.GraphMore())
	same(t, render.Graph(engram.Graph{}), "")
}

func TestRelation(t *testing.T) {
	gone := memory(3, "Gone\n\x1b", "")
	gone.DeletedAt = at(9)
	ignored := edge(1, engram.VerbContradicts, 3)
	ignored.Status, ignored.Reason = engram.RelationIgnored, "both\nare drafts"
	for _, tt := range []struct {
		name string
		note engram.RelationNote
		want string
	}{
		{"outwards", engram.RelationNote{Relation: edge(1, engram.VerbSupersedes, 2), Outgoing: true, Other: memory(2, "Old", "")}, `supersedes → #2 "Old" (bugfix)`},
		{"inwards, to what was forgotten and with a reason", engram.RelationNote{Relation: ignored, Other: gone},
			`contradicts ← #3 "Gone \x1b" (bugfix) (forgotten) [ignored] — both are drafts`},
	} {
		t.Run(tt.name, func(t *testing.T) { same(t, render.Relation(tt.note), tt.want) })
	}
}

func TestGraphAsDOT(t *testing.T) {
	same(t, render.DOT(ring()), `digraph engram {
  rankdir=LR;
  node [shape=box];
  n1 [label="#1 [bugfix] Token lifetime", style=bold];
  n2 [label="#2 [bugfix] Old lifetime", style=dashed];
  n3 [label="#3 [bugfix] Session cookie"];
  n4 [label="#4 [bugfix] Older still", style=dashed];
  n5 [label="#5 [bugfix] Another view"];
  n1 -> n2 [label="supersedes"];
  n3 -> n1 [label="relates_to"];
  n1 -> n3 [label="caused_by"];
  n2 -> n4 [label="supersedes"];
  n2 -> n3 [label="relates_to"];
  n3 -> n5 [label="contradicts (pending)", style=dashed];
}`)
	if got := render.DOT(engram.Graph{Cut: true}); !strings.Contains(got, "\n  // There may be more") {
		t.Errorf("a graph that was cut does not say so:\n%s", got)
	}
}

func TestGraphAsMermaid(t *testing.T) {
	same(t, render.Mermaid(ring()), `flowchart LR
  classDef superseded stroke-dasharray: 5 5
  n1["#35;1 #91;bugfix#93; Token lifetime"]
  n2["#35;2 #91;bugfix#93; Old lifetime"]:::superseded
  n3["#35;3 #91;bugfix#93; Session cookie"]
  n4["#35;4 #91;bugfix#93; Older still"]:::superseded
  n5["#35;5 #91;bugfix#93; Another view"]
  n1 -->|"supersedes"| n2
  n3 -->|"relates_to"| n1
  n1 -->|"caused_by"| n3
  n2 -->|"supersedes"| n4
  n2 -->|"relates_to"| n3
  n3 -.->|"contradicts #40;pending#41;"| n5`)
	if got := render.Mermaid(engram.Graph{Cut: true}); !strings.HasSuffix(got, "\n  %% "+render.GraphMore()) {
		t.Errorf("a graph that was cut does not say so:\n%s", got)
	}
}

// hostile are titles with markup of one of the languages.
func hostile() []string {
	return []string{`"`, `"];evil["`, `\`, `\"`, `a\`, `\N\G\l`, "a\nb", "a\r\nb", `<script>alert(1)</script>`, `<b>x</b>`, `&lt;&quot;&#34;`, `#quot;#34;`,
		"```", "`**x**`", `%%{init: {"theme":"dark"}}%%`, `%% note`, `]]`, `}}`, `)) end`, `end`, `subgraph x`, `style n1 fill:#f00;`, `classDef x:#f;`, `click n1 "javascript:x"`,
		`n1 --> n2`, `|x|`, `-- x -->`, `;`, `:::x`, `@{ shape: rect }`, "a\x00b", "\x1b]0;x\a", "\u202ereversed", "\u2028", "日本語 «é» 🙂", `// x`, `/* x */`, `# x`, `{a|b}`, "\xff"}
}

func hostileTitle(t *rapid.T) string {
	part := rapid.OneOf(rapid.SampledFrom(hostile()), rapid.StringN(0, 8, -1))
	return strings.Join(rapid.SliceOfN(part, 1, 4).Draw(t, "title"), "")
}

var (
	dotNode     = regexp.MustCompile(`^  n(\d+) \[label="((?:[^"\\]|\\.)*)"(?:, style=(?:[a-z]+|"bold,dashed"))?\];$`)
	dotEdge     = regexp.MustCompile(`^  n\d+ -> n\d+ \[label="[a-z_() ]+"(?:, style=[a-z]+)?\];$`)
	mermaidNode = regexp.MustCompile(`^  n(\d+)\["((?:[\p{L}\p{N} _.,!?+/='*-]|[^\x00-\x7f]|#\d+;)*)"\](?::::superseded)?$`)
	mermaidEdge = regexp.MustCompile(`^  n\d+ -\.?->\|"[a-z_ ]+(?:#40;pending#41;)?"\| n\d+$`)
	entity      = regexp.MustCompile(`#(\d+);`)
)

// Whatever the title, a drawing keeps one line per node, whose label yields the title when it is parsed.
func TestNoTitleBreaksADrawing(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := ring()
		for i := range g.Nodes {
			g.Nodes[i].Memory.Title = hostileTitle(t)
		}
		g.Nodes[1].Memory.Type = engram.Type(hostileTitle(t))
		for _, tt := range []struct {
			name       string
			text       string
			frame      int // lines before the nodes
			node, edge *regexp.Regexp
			read       func(label string) string
		}{
			{"DOT", render.DOT(g), 3, dotNode, dotEdge, strings.NewReplacer(`\\`, `\`, `\"`, `"`, `&amp;`, `&`).Replace},
			{"Mermaid", render.Mermaid(g), 2, mermaidNode, mermaidEdge, func(label string) string {
				return entity.ReplaceAllStringFunc(label, func(s string) string {
					n, _ := strconv.Atoi(s[1 : len(s)-1])
					return string(rune(n))
				})
			}},
		} {
			if !utf8.ValidString(tt.text) {
				t.Errorf("%s is not UTF-8: %q", tt.name, tt.text)
			}
			lines := strings.Split(strings.TrimSuffix(tt.text, "\n}"), "\n")
			if len(lines) != tt.frame+len(g.Nodes)+len(g.Edges) {
				t.Fatalf("%s has %d lines:\n%s", tt.name, len(lines), tt.text)
			}
			for i, n := range g.Nodes {
				found := tt.node.FindStringSubmatch(lines[tt.frame+i])
				if found == nil {
					t.Fatalf("%s: %q is no node", tt.name, lines[tt.frame+i])
				}
				want := fmt.Sprintf("#%d [%s] %s", n.Memory.Num, render.Line(string(n.Memory.Type), 0), render.Line(n.Memory.Title, 60))
				if got := tt.read(found[2]); found[1] != fmt.Sprint(n.Memory.Num) || got != want {
					t.Errorf("%s of title %q\n got %q\nwant %q", tt.name, n.Memory.Title, got, want)
				}
			}
			for _, line := range lines[tt.frame+len(g.Nodes):] {
				if !tt.edge.MatchString(line) {
					t.Errorf("%s: %q is no edge", tt.name, line)
				}
			}
		}
		tree := render.Graph(g)
		if tree != render.Plain(tree) || strings.Count(tree, "\n") != len(g.Edges) {
			t.Errorf("the tree has lines or characters of a title:\n%q", tree)
		}
	})
}
