package document

import (
	"time"

	"github.com/alanbuscaglia/engram"
)

// Judged is a verdict as the mem_* dialect shows it, over MCP and over HTTP: its memories
// by their sync ids, times to the second, what nobody said left out.
type Judged struct {
	ID         int64                 `json:"id"`
	SyncID     string                `json:"sync_id"`
	SourceID   string                `json:"source_id"`
	TargetID   string                `json:"target_id"`
	Relation   string                `json:"relation"`
	Reason     string                `json:"reason,omitempty"`
	Evidence   string                `json:"evidence,omitempty"`
	Confidence float64               `json:"confidence,omitempty"`
	Status     engram.RelationStatus `json:"judgment_status"`
	Actor      string                `json:"marked_by_actor"`
	ActorKind  string                `json:"marked_by_kind"`
	Model      string                `json:"marked_by_model,omitempty"`
	SessionID  string                `json:"session_id,omitempty"`
	CreatedAt  string                `json:"created_at"`
	UpdatedAt  string                `json:"updated_at"`
}

// JudgedOf is the document of r between source and target.
func JudgedOf(r engram.Relation, source, target engram.Memory) Judged {
	return Judged{ID: r.Num, SyncID: r.ID, SourceID: source.SyncID, TargetID: target.SyncID, Relation: VerbOf(r), Reason: r.Reason,
		Evidence: r.Evidence, Confidence: r.Confidence, Status: r.Status, Actor: r.Actor, ActorKind: r.ActorKind, Model: r.Model,
		SessionID: r.SessionID, CreatedAt: seconds(r.CreatedAt), UpdatedAt: seconds(r.UpdatedAt)}
}

// Conflict is a candidate or a verdict in a list of the dialect.
type Conflict struct {
	ID          int64                 `json:"id"`
	SyncID      string                `json:"sync_id"`
	Relation    string                `json:"relation"`
	Status      engram.RelationStatus `json:"judgment_status"` // pending, judged, ignored or orphaned
	SourceID    string                `json:"source_id"`
	SourceTitle string                `json:"source_title"`
	TargetID    string                `json:"target_id"`
	TargetTitle string                `json:"target_title"`
	CreatedAt   string                `json:"created_at"`
	UpdatedAt   string                `json:"updated_at"`
}

// ConflictOf is the document of r between source and target, whose status may be another
// than its own.
func ConflictOf(r engram.Relation, status engram.RelationStatus, source, target engram.Memory) Conflict {
	return Conflict{r.Num, r.ID, VerbOf(r), status, source.SyncID, source.Title, target.SyncID, target.Title,
		seconds(r.CreatedAt), seconds(r.UpdatedAt)}
}

// ConflictShown is one candidate or verdict of the dialect; what it calls snippets are
// the titles.
type ConflictShown struct {
	ID          int64                 `json:"relation_id"`
	SyncID      string                `json:"sync_id"`
	Relation    string                `json:"relation"`
	Status      engram.RelationStatus `json:"judgment_status"`
	SourceID    string                `json:"source_id"`
	SourceTitle string                `json:"source_snippet"`
	TargetID    string                `json:"target_id"`
	TargetTitle string                `json:"target_snippet"`
	CreatedAt   string                `json:"created_at"`
	UpdatedAt   string                `json:"updated_at"`
}

// ConflictShownOf is the document of r between source and target.
func ConflictShownOf(r engram.Relation, status engram.RelationStatus, source, target engram.Memory) ConflictShown {
	return ConflictShown(ConflictOf(r, status, source, target))
}

// seconds writes a time as the dialect does.
func seconds(t time.Time) string { return t.UTC().Format(time.RFC3339) }

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

// Raised is a memory that one saved now may contradict, as the mem_* dialect shows it over
// MCP and over HTTP. CandidateOf has the same in the words of the newer routes.
type Raised struct {
	ID         int64       `json:"id"`
	SyncID     string      `json:"sync_id"`
	Title      string      `json:"title"`
	Type       engram.Type `json:"type"`
	Score      float64     `json:"score"`       // 0 to 1
	JudgmentID string      `json:"judgment_id"` // rel-…, what a verdict is recorded under
	TopicKey   string      `json:"topic_key,omitempty"`
	Reason     string      `json:"reason"` // in what they differ
}

// RaisedOf is the document of the candidate m of the pending relation r.
func RaisedOf(m engram.Memory, r engram.Relation, score float64, reason string) Raised {
	return Raised{m.Num, m.SyncID, m.Title, m.Type, score, r.ID, m.TopicKey, reason}
}
