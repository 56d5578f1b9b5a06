package memory

import (
	"context"
	"fmt"
	"strings"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/engine"
	"github.com/alanbuscaglia/engram/internal/mcp/tool"
)

const (
	// mostNodes is how many memories a graph shows: it is read by a model.
	mostNodes = 100
	// aside is how many characters of the memories around one are shown.
	aside = 500
)

type graphArgs struct {
	ID    string   `json:"id" required:"true" ref:"true"`
	Depth int      `json:"depth" default:"2" min:"1" max:"5"`
	Types []string `json:"relation_types" doc:"follow only these"`
}

type graphed struct {
	Nodes []node `json:"nodes" doc:"the nearest first"`
	Edges []edge `json:"edges"`
	Cut   bool   `json:"cut,omitempty" schema:"-"` // there may be more
}

type node struct {
	Depth      int  `json:"depth"`
	Superseded bool `json:"superseded,omitempty"`
	told
}

// PlainText shows the memories, then the relations.
func (g graphed) PlainText() (string, bool) {
	var parts []string
	for _, n := range g.Nodes {
		about := []string{fmt.Sprintf("depth %d", n.Depth)}
		if n.Superseded {
			about = append(about, "superseded")
		}
		parts = append(parts, n.block(about...))
	}
	lines := make([]string, len(g.Edges))
	for i, e := range g.Edges {
		lines[i] = e.String()
		if e.Pending {
			lines[i] += " (suspected)"
		}
	}
	if len(lines) > 0 {
		parts = append(parts, "Relations:\n"+strings.Join(lines, "\n"))
	}
	if g.Cut {
		parts = append(parts, fmt.Sprintf("There may be more: %d memories are shown at most.", mostNodes))
	}
	return strings.Join(parts, "\n\n"), true
}

func (d *Dialect) graph(ctx context.Context, by tool.Caller, a graphArgs) (graphed, error) {
	ref, err := d.ref(ctx, "id", a.ID)
	if err != nil {
		return graphed{}, err
	}
	in := engine.GraphInput{Ref: ref, Depth: a.Depth, Limit: mostNodes}
	for i, word := range a.Types {
		verb, err := verbOf(fmt.Sprintf("relation_types[%d]", i), word)
		if err != nil {
			return graphed{}, err
		}
		in.Verbs = append(in.Verbs, verb)
	}
	g, err := d.as(by).Graph(ctx, in)
	if err != nil {
		return graphed{}, err
	}
	return graphedOf(g), nil
}

// graphedOf shows the memory that was asked for whole, and those around it in short.
func graphedOf(g engram.Graph) graphed {
	out := graphed{Nodes: []node{}, Edges: []edge{}, Cut: g.Cut}
	ids := map[int64]engram.ID{}
	for i, n := range g.Nodes {
		ids[n.Memory.Num] = n.Memory.ID
		t := toldOf(n.Memory, engram.Note{State: n.State, Suspect: n.Suspect})
		if i > 0 {
			t = t.clipped(aside)
		}
		out.Nodes = append(out.Nodes, node{n.Depth, n.Superseded, t})
	}
	for _, r := range g.Edges {
		out.Edges = append(out.Edges, edgeOf(r, ids[r.Source], ids[r.Target]))
	}
	return out
}
