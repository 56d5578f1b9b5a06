package render

import (
	"fmt"
	"strings"
	"unicode"

	"github.com/alanbuscaglia/engram"
)

// graphTitle is the number of characters of a title in a node.
const graphTitle = 60

// GraphMore is the remark on a graph that was cut off.
func GraphMore() string {
	return "There may be more than is shown: use a smaller depth, one relation, or a higher limit."
}

// DOT returns a graph in the language of Graphviz. Nodes are n and the number of the memory; pending
// candidates have a dashed arrow, superseded memories a dashed box.
//
// Source: https://graphviz.org/doc/info/lang.html. A quoted label has backslash escapes and & entities, both
// of which are escaped here.
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

func dotText(s string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, `&`, `&amp;`).Replace(s) + `"`
}

// Mermaid returns a graph as a flowchart of Mermaid. Nodes are n and the number of the memory; pending
// candidates have a dotted arrow, superseded memories a dashed box.
//
// Source: https://mermaid.js.org/syntax/flowchart.html. Whatever could be markup, a directive or the end of a
// label is written as an entity, #NUMBER;.
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

// mermaidText escapes everything but letters, digits and characters without a meaning in the language. A
// colon has one: before a # it begins a style.
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

func nodeText(m engram.Memory) string {
	return fmt.Sprintf("#%d [%s] %s", m.Num, typeOf(m), Line(m.Title, graphTitle))
}

func edgeText(r engram.Relation) string {
	if r.Status == engram.RelationPending {
		return Line(string(r.Verb), 0) + " (pending)"
	}
	return Line(string(r.Verb), 0)
}

// Graph returns a graph as a tree from the requested memory. Each memory stands below the first one that
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

// tree is a graph while it is written.
type tree struct {
	b        strings.Builder
	root     int64
	nodes    map[int64]engram.GraphNode
	over     map[int64]bool     // superseded
	branches map[int64][]branch // by the memory that they stand below
	line     map[int64]int      // line of each memory, from the top
	lines    int
	at       int // the current line
}

// branch is a relation below one of its memories.
type branch struct {
	engram.Relation
	outgoing bool
	grows    bool // the other memory stands here, with its own branches
}

func (b branch) other() int64 {
	if b.outgoing {
		return b.Target
	}
	return b.Source
}

// treeOf puts each relation below the nearer of its memories. Edges come in the order of the walk, so the
// first one that leads to a memory is the one by which it was reached.
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

// place computes the line of each memory.
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

// Relation returns a relation seen from one of its memories, on one line: the verb, the other memory, and
// remarks on both.
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
