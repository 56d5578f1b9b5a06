package mem

import (
	"context"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/document"
	"github.com/alanbuscaglia/engram/internal/engine"
	"github.com/alanbuscaglia/engram/internal/mcp/tool"
	"github.com/alanbuscaglia/engram/internal/render"
)

type graphArgs struct {
	ID       tool.ID  `json:"id" required:"true"`
	Depth    int      `json:"depth" default:"2" min:"1" max:"5"`
	Relation []string `json:"relation_types" doc:"follow only these"`
	Pending  bool     `json:"pending" doc:"also what waits for a verdict" default:"false"`
	Limit    int      `json:"limit" default:"50" min:"1" max:"200" lax:"true"`
}

type graphed struct {
	Nodes []graphNode `json:"nodes"`
	Edges []tied      `json:"edges"`
	Cut   bool        `json:"cut" doc:"there may be more"`

	text string
}

type graphNode struct {
	ID    int64  `json:"id"`
	Title string `json:"title"`
	Type  string `json:"type"`
	State string `json:"state"`
	Depth int    `json:"depth"`

	Superseded bool `json:"superseded,omitempty" schema:"-"`
}

// PlainText returns the graph as a tree.
func (g graphed) PlainText() (string, bool) { return g.text, true }

func (d *dialect) graph(ctx context.Context, by tool.Caller, a graphArgs) (graphed, error) {
	in := engine.GraphInput{Ref: engram.ByNum(int64(a.ID)), Depth: a.Depth, Pending: a.Pending, Limit: a.Limit}
	for _, word := range a.Relation {
		verb, err := relationOf(word)
		if err != nil {
			return graphed{}, err
		}
		in.Verbs = append(in.Verbs, verb)
	}
	g, err := d.as(by).Graph(ctx, in)
	if err != nil {
		return graphed{}, err
	}
	nodes := document.Each(g.Nodes, func(n engram.GraphNode) graphNode {
		return graphNode{n.Memory.Num, n.Memory.Title, string(n.Memory.Type), string(n.State), n.Depth, n.Superseded}
	})
	return graphed{nodes, document.Each(g.Edges, tiedOf), g.Cut, render.Graph(g)}, nil
}
