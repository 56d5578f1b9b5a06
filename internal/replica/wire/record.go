package wire

import (
	"cmp"
	"strings"

	"github.com/alanbuscaglia/engram"
)

// KeyOf returns the global name of the thing in a record, unique per kind.
func KeyOf(r engram.Record) string {
	switch {
	case r.Project != nil:
		return r.Project.Name
	case r.Session != nil:
		return r.Session.ID
	case r.Memory != nil:
		return cmp.Or(string(r.Memory.Memory.ID), r.Memory.Memory.SyncID)
	case r.Prompt != nil:
		return r.Prompt.SyncID
	case r.Relation != nil:
		return r.Relation.Relation.ID
	case r.Erased != nil:
		return string(r.Erased.Entity) + " " + r.Erased.ID
	}
	return ""
}

// Counted returns b with the numbers of records.
func Counted(b engram.Batch, records []engram.Record) engram.Batch {
	b.Sessions, b.Memories, b.Prompts = 0, 0, 0
	for _, r := range records {
		switch {
		case r.Session != nil:
			b.Sessions++
		case r.Memory != nil:
			b.Memories++
		case r.Prompt != nil:
			b.Prompts++
		}
	}
	return b
}

// Portable returns a record without values local to a store.
func Portable(r engram.Record) engram.Record {
	switch {
	case r.Memory != nil:
		m := *r.Memory
		m.Memory.Num, m.Vectors = 0, nil
		r.Memory = &m
	case r.Prompt != nil:
		p := *r.Prompt
		p.Num = 0
		r.Prompt = &p
	}
	return r
}

// Erased is the native item of an erasure; it has no text of the erased thing.
type Erased struct {
	Kind    engram.Entity `json:"kind"`
	ID      string        `json:"id"`
	SyncID  string        `json:"sync_id,omitempty"`
	Project string        `json:"project,omitempty"`
	At      engram.Clock  `json:"at"`
}

func (n Erased) record() engram.Record {
	return engram.Record{Erased: &engram.Erased{Entity: n.Kind, ID: n.ID, SyncID: n.SyncID, Project: n.Project, At: n.At}}
}

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

// Trail is the causal metadata of a native item other than an erasure. Old files have none.
type Trail struct {
	Causal    *engram.CausalMetadata `json:"lineage,omitempty"`
	Tombstone bool                   `json:"gone,omitempty"` // no row was left: only names
}

// with returns r with a trail. Trail has no methods, so that package reflect can embed it.
func with(t Trail, r engram.Record) engram.Record {
	r.Causal, r.Tombstone = t.Causal, t.Tombstone
	return r
}

// maxCausal is the most parts, members, and devices in the causal metadata of one thing; no team
// has so many devices.
const maxCausal = 10_000

// checkCausal rejects causal metadata that no store writes.
func checkCausal(l engram.CausalMetadata) error {
	size := len(l.Parts) + len(l.Counts)
	for member, dots := range l.Sets {
		size += 1 + len(dots)
		for device, d := range dots {
			if d.Added < 0 || d.Removed < 0 {
				return engram.Errorf(engram.CodeInvalid, "lineage.sets has a clock before 1970")
			}
			if err := engram.CheckText("device", device, engram.MaxName); err != nil {
				return err
			}
		}
		if err := engram.CheckText("member", member, engram.MaxName); err != nil {
			return err
		}
	}
	for device, c := range l.Counts {
		const most = 1 << 40 // the sum of all fits into an int
		if c.Accesses < 0 || c.Repeats < 0 || c.Accesses > most || c.Repeats > most {
			return engram.Errorf(engram.CodeInvalid, "lineage.counts has an impossible count")
		}
		if err := engram.CheckText("device", device, engram.MaxName); err != nil {
			return err
		}
	}
	for part := range l.Parts {
		if err := engram.CheckText("part", string(part), engram.MaxName); err != nil {
			return err
		}
	}
	if size > maxCausal {
		return engram.Errorf(engram.CodeInvalid, "lineage has %d entries, the limit is %d", size, maxCausal)
	}
	return nil
}
