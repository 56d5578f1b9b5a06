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
		style := ""
		switch {
		case i == 0 && over[n.Memory.Num]:
			style = ", style=\"bold,dashed\""
		case i == 0:
			style = ", style=bold"
		case over[n.Memory.Num]:
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
