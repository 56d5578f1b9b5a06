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
