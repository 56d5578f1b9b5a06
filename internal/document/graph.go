package document

import "github.com/alanbuscaglia/engram"

// Graph is what relations lead to from one memory.
type Graph struct {
	Nodes []GraphNode `json:"nodes"` // the nearest first, the memory that was asked about at the head
	Edges []Edge      `json:"edges"`
	Cut   bool        `json:"cut"` // there may be more than was asked for at most
}

// GraphNode is a memory in a graph.
type GraphNode struct {
	ID      engram.ID    `json:"id"`
	Num     int64        `json:"num"`
	Type    engram.Type  `json:"type"`
	Title   string       `json:"title"`
	Project string       `json:"project"`
	Scope   engram.Scope `json:"scope"`
	State   engram.State `json:"state"`
	Depth   int          `json:"depth"` // relations between it and the memory that was asked about
	// Superseded says that a live memory stands in its place, in the graph or not.
	Superseded bool `json:"superseded"`
}

// Edge is a relation with the numbers of its memories.
type Edge struct {
	ID        string                `json:"id"`
	Source    int64                 `json:"source"`
	Relation  engram.Verb           `json:"relation"`
	Target    int64                 `json:"target"`
	Status    engram.RelationStatus `json:"status"`
	Strength  float64               `json:"strength"` // 0 to 1
	Reason    string                `json:"reason"`
	Actor     string                `json:"actor"`
	CreatedAt Stamp                 `json:"created_at"`
	UpdatedAt Stamp                 `json:"updated_at"`
}

// GraphOf is the document of g.
func GraphOf(g engram.Graph) Graph {
	over := g.Superseded()
	node := func(n engram.GraphNode) GraphNode {
		m := n.Memory
		return GraphNode{m.ID, m.Num, m.Type, m.Title, m.Project, m.Scope, n.State, n.Depth, over[m.Num]}
	}
	return Graph{Each(g.Nodes, node), Each(g.Edges, EdgeOf), g.Cut}
}

// EdgeOf is the document of r.
func EdgeOf(r engram.Relation) Edge {
	return Edge{r.ID, r.Source, r.Verb, r.Target, r.Status, r.Strength, r.Reason, r.Actor, Stamp(r.CreatedAt), Stamp(r.UpdatedAt)}
}

// Linked is a relation with its memories.
type Linked struct {
	Action   string `json:"action"` // linked, changed, known or removed
	Relation Edge   `json:"relation"`
	Source   End    `json:"source"`
	Target   End    `json:"target"`
}

// Unlinked is what was taken away of two memories.
type Unlinked struct {
	Removed []Linked `json:"removed"` // oldest first
}

// End is a memory of a relation.
type End struct {
	ID    engram.ID `json:"id"`
	Num   int64     `json:"num"`
	Title string    `json:"title"`
}

// LinkedOf is the document of a relation of two memories, to which action was done.
func LinkedOf(action string, r engram.Relation, source, target engram.Memory) Linked {
	end := func(m engram.Memory) End { return End{m.ID, m.Num, m.Title} }
	return Linked{action, EdgeOf(r), end(source), end(target)}
}
