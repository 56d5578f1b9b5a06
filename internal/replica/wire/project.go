package wire

import "github.com/alanbuscaglia/engram"

// Erased is the native item of an erasure; it has no text of the erased thing.
type Erased struct {
	Kind    engram.Entity `json:"kind"`
	ID      string        `json:"id"`
	SyncID  string        `json:"sync_id,omitempty"`
	Project string        `json:"project,omitempty"`
	At      engram.Clock  `json:"at"`
}

func erasedOf(x engram.Erased) Erased { return Erased{x.Entity, x.ID, x.SyncID, x.Project, x.At} }

func (n Erased) record() engram.Record {
	return engram.Record{Erased: &engram.Erased{Entity: n.Kind, ID: n.ID, SyncID: n.SyncID, Project: n.Project, At: n.At}}
}
