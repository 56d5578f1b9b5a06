package render

import (
	"fmt"
	"strings"
	"unicode"

	"github.com/alanbuscaglia/engram"
)

// graphTitle is how much of a title a node of a drawing shows.
const graphTitle = 60

// GraphMore is what follows a graph that has not all there is.
func GraphMore() string {
	return "There may be more than is shown: use a smaller depth, one relation, or a higher limit."
}

// DOT returns a graph in the language of Graphviz. Its nodes are n and the number of the
// memory; what is no verdict yet has a dashed arrow, what was superseded a dashed box.
//
// Source: https://graphviz.org/doc/info/lang.html. Within quotes a label has backslashes
// for escapes and & for entities, both of which are written out here.
func DOT(g engram.Graph) string {
	var b strings.Builder
	b.WriteString("digraph engram {\n  rankdir=LR;\n  node [shape=box];\n")
	over := g.Superseded()
	for i, n := range g.Nodes {
		style, dashed := "", over[n.Memory.Num]
		switch {
		case i == 0 && dashed:
			style = `, style="bold,dashed"`
		case i == 0:
			style = ", style=bold"
		case dashed:
			style = ", style=dashed"
		}
		fmt.Fprintf(&b, "  n%d [label=%s%s];\n", n.Memory.Num, dotText(nodeText(n.Memory)), style)
	}
	for _, r := range g.Edges {
		style := ""
		if r.Status == engram.RelationPending {
			style = ", style=dashed"
		}
		fmt.Fprintf(&b, "  n%d -> n%d [label=%s%s];\n", r.Source, r.Target, dotText(edgeText(r)), style)
	}
	if g.Cut {
		fmt.Fprintf(&b, "  // %s\n", GraphMore())
	}
	b.WriteString("}")
	return b.String()
}

// dotText is a string of the language.
func dotText(s string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, `&`, `&amp;`).Replace(s) + `"`
}

// Mermaid returns a graph as a flowchart of Mermaid. Its nodes are n and the number of the
// memory; what is no verdict yet has a dotted arrow, what was superseded a dashed box.
//
// Source: https://mermaid.js.org/syntax/flowchart.html. Whatever could be read as markup,
// as a directive or as the end of a label is written as an entity, #NUMBER;.
func Mermaid(g engram.Graph) string {
	var b strings.Builder
	b.WriteString("flowchart LR\n")
	over := g.Superseded()
	if len(over) > 0 {
		b.WriteString("  classDef superseded stroke-dasharray: 5 5\n")
	}
	for _, n := range g.Nodes {
		class := ""
		if over[n.Memory.Num] {
			class = ":::superseded"
		}
		fmt.Fprintf(&b, "  n%d[\"%s\"]%s\n", n.Memory.Num, mermaidText(nodeText(n.Memory)), class)
	}
	for _, r := range g.Edges {
		arrow := "-->"
		if r.Status == engram.RelationPending {
			arrow = "-.->"
		}
		fmt.Fprintf(&b, "  n%d %s|\"%s\"| n%d\n", r.Source, arrow, mermaidText(edgeText(r)), r.Target)
	}
	if g.Cut {
		fmt.Fprintf(&b, "  %%%% %s\n", GraphMore())
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// mermaidText leaves letters, digits and what has no meaning anywhere in the language as
// they are. The colon is not among the latter: before a # it belongs to a style.
func mermaidText(s string) string {
	var b strings.Builder
	for _, r := range s {
		if r >= 0x80 || unicode.IsLetter(r) || unicode.IsDigit(r) || strings.ContainsRune(" -_.,!?+/='*", r) {
			b.WriteRune(r)
		} else {
			fmt.Fprintf(&b, "#%d;", r)
		}
	}
	return b.String()
}

// nodeText names a memory in a drawing, on one line.
func nodeText(m engram.Memory) string {
	return fmt.Sprintf("#%d [%s] %s", m.Num, typeOf(m), Line(m.Title, graphTitle))
}

// edgeText names a relation in a drawing.
func edgeText(r engram.Relation) string {
	if r.Status == engram.RelationPending {
		return Line(string(r.Verb), 0) + " (pending)"
	}
	return Line(string(r.Verb), 0)
}

// Graph returns a graph as a tree from the memory asked about. Each memory stands below the first one that
// leads to it; elsewhere it is only named, with "above" or "below".
func Graph(g engram.Graph) string {
	if len(g.Nodes) == 0 {
		return ""
	}
	t := treeOf(g)
	t.place(t.root)
	t.b.WriteString(t.label(t.root))
	t.write(t.root, "")
	if len(g.Edges) == 0 {
		t.b.WriteString("\nIt has no relations.")
	}
	if g.Cut {
		t.b.WriteString("\n\n" + GraphMore())
	}
	return t.b.String()
}

// tree is a graph on its way to a terminal.
type tree struct {
	b        strings.Builder
	root     int64
	nodes    map[int64]engram.GraphNode
	over     map[int64]bool     // superseded
	branches map[int64][]branch // by the memory below which they stand
	line     map[int64]int      // on which the memory stands, counted from the top
	lines    int
	at       int // the line that is written
}

// branch is a relation as it is told below one of its memories.
type branch struct {
	engram.Relation
	outgoing bool
	grows    bool // the other memory stands here, with what is below it
}

func (b branch) other() int64 {
	if b.outgoing {
		return b.Target
	}
	return b.Source
}

// treeOf hangs each relation below the nearer of its memories. Edges come in the order of
// the walk, so the first that comes upon a memory is the one by which it was reached.
func treeOf(g engram.Graph) *tree {
	t := &tree{root: g.Nodes[0].Memory.Num, nodes: map[int64]engram.GraphNode{}, over: g.Superseded(),
		branches: map[int64][]branch{}, line: map[int64]int{}}
	order := map[int64]int{}
	for i, n := range g.Nodes {
		t.nodes[n.Memory.Num], order[n.Memory.Num] = n, i
	}
	reached := map[int64]bool{t.root: true}
	for _, r := range g.Edges {
		br := branch{Relation: r, outgoing: order[r.Source] <= order[r.Target]}
		from := r.Source
		if !br.outgoing {
			from = r.Target
		}
		br.grows = !reached[br.other()]
		reached[br.other()] = true
		t.branches[from] = append(t.branches[from], br)
	}
	return t
}

// place counts on which line each memory will stand.
func (t *tree) place(num int64) {
	t.line[num] = t.lines
	for _, br := range t.branches[num] {
		t.lines++
		if br.grows {
			t.place(br.other())
		}
	}
}

func (t *tree) write(num int64, indent string) {
	branches := t.branches[num]
	for i, br := range branches {
		t.at++
		fork, below := "├─ ", "│  "
		if i == len(branches)-1 {
			fork, below = "└─ ", "   "
		}
		fmt.Fprintf(&t.b, "\n%s%s%s %s %s", indent, fork, edgeText(br.Relation), arrow(br.outgoing), t.label(br.other()))
		switch {
		case br.grows:
			t.write(br.other(), indent+below)
		case t.line[br.other()] < t.at:
			t.b.WriteString(" (above)")
		default:
			t.b.WriteString(" (below)")
		}
	}
}

// Relation returns a relation as seen from one of its memories, on one line: what it is,
// the other memory, and what it needs to be known of both.
func Relation(n engram.RelationNote) string {
	s := fmt.Sprintf("%s %s #%d \"%s\" (%s)", Line(string(n.Relation.Verb), 0), arrow(n.Outgoing), n.Other.Num,
		Line(n.Other.Title, 0), typeOf(n.Other))
	if n.Other.Forgotten() {
		s += " (forgotten)"
	}
	if n.Relation.Status != engram.RelationJudged {
		s += fmt.Sprintf(" [%s]", Line(string(n.Relation.Status), 0))
	}
	if n.Relation.Reason != "" {
		s += " — " + Line(n.Relation.Reason, 150)
	}
	return s
}

func arrow(outgoing bool) string {
	if outgoing {
		return "→"
	}
	return "←"
}

// label names a memory on one line.
func (t *tree) label(num int64) string {
	n := t.nodes[num]
	s := fmt.Sprintf("#%d [%s] %s", num, typeOf(n.Memory), Line(n.Memory.Title, 0))
	if t.over[num] {
		s += " (superseded)"
	}
	if n.State == engram.StateNeedsReview {
		s += " (needs review)"
	}
	return s
}
