package wire

import (
	"cmp"
	"strings"

	"github.com/alanbuscaglia/engram"
)

// Relation is a relation as a native item. NameOf names its memories.
type Relation struct {
	ID         string                `json:"id"`
	Source     string                `json:"source"`
	Relation   engram.Verb           `json:"relation"`
	Target     string                `json:"target"`
	Status     engram.RelationStatus `json:"status,omitempty"`
	Strength   *float64              `json:"strength,omitempty"`
	Reason     string                `json:"reason,omitempty"`
	Evidence   string                `json:"evidence,omitempty"`
	Confidence float64               `json:"confidence,omitempty"`
	Actor      string                `json:"actor,omitempty"`
	ActorKind  string                `json:"actor_kind,omitempty"`
	Model      string                `json:"model,omitempty"`
	SessionID  string                `json:"session_id,omitempty"`
	CreatedAt  Time                  `json:"created_at,omitzero"`
	UpdatedAt  Time                  `json:"updated_at,omitzero"`
	RemovedAt  Time                  `json:"removed_at,omitzero"`
	Trail
}

func relationOf(r engram.RelationRecord, t Trail) Relation {
	x := r.Relation
	return Relation{ID: x.ID, Source: NameOf(r.Source), Relation: x.Verb, Target: NameOf(r.Target), Status: x.Status,
		Strength: &x.Strength, Reason: x.Reason, Evidence: x.Evidence, Confidence: x.Confidence, Actor: x.Actor, ActorKind: x.ActorKind,
		Model: x.Model, SessionID: x.SessionID, CreatedAt: At(x.CreatedAt), UpdatedAt: At(x.UpdatedAt), RemovedAt: At(x.RemovedAt), Trail: t}
}

func (n Relation) record() engram.Record {
	x := engram.Relation{ID: n.ID, Verb: n.Relation, Status: n.Status, Strength: Or(n.Strength, 1), Reason: n.Reason, Evidence: n.Evidence,
		Confidence: n.Confidence, Actor: n.Actor, ActorKind: n.ActorKind, Model: n.Model, SessionID: n.SessionID,
		CreatedAt: n.CreatedAt.Time, UpdatedAt: n.UpdatedAt.Time, RemovedAt: n.RemovedAt.Time}
	return with(n.Trail, engram.Record{Relation: &engram.RelationRecord{Relation: x, Source: RefOf(n.Source), Target: RefOf(n.Target)}})
}

// syncIDPrefix begins the sync ids of memories.
const syncIDPrefix = "obs-"

// NameOf returns the name of a memory in a file: its ID, or else its sync id.
func NameOf(r engram.Ref) string { return cmp.Or(r.ID, r.SyncID) }

// RefOf returns the memory with this name in a file.
func RefOf(name string) engram.Ref {
	if len(name) > len(syncIDPrefix) && strings.HasPrefix(name, syncIDPrefix) {
		return engram.Ref{SyncID: name}
	}
	return engram.Ref{ID: name}
}
