package document

import "github.com/alanbuscaglia/engram"

// Queued is one thing that waits for a person.
type Queued struct {
	Kind    string   `json:"kind"`              // suspect, waiting, proposal, changed or due
	Name    string   `json:"name"`              // what approve and refuse take: 12, or w3 of what is no memory yet
	Since   Stamp    `json:"since"`             // since when it waits; null where nobody noted that
	Reasons []string `json:"reasons"`           // for a person
	Memory  *Memory  `json:"memory,omitempty"`  // absent of waiting and proposal
	Waiting *Waiting `json:"waiting,omitempty"` // of waiting and proposal
}

// QueuedMemory is the document of a memory that waits; anchors is what became of its code, nil
// where nobody looked.
func QueuedMemory(q Queued, m engram.Memory, s engram.State, anchors []engram.Anchored) Queued {
	d := MemoryOf(m, s)
	if len(anchors) > 0 {
		d.Anchors = Each(anchors, AnchorOf)
	}
	q.Memory, q.Reasons = &d, OrEmpty(q.Reasons)
	return q
}

// DecidedName is what became of one thing that waited.
type DecidedName struct {
	Name   string `json:"name"`   // that approve and refuse took: 12, or w3 of what was no memory yet
	Op     int64  `json:"op"`     // what undo takes back; 0 when nothing was to be changed
	Memory int64  `json:"memory"` // that it is, or became; 0 of what was refused before it was one

	Anchored []string `json:"anchored,omitempty"` // code to which it is anchored as it stands now, and was not before
	Released []string `json:"released,omitempty"` // code to which it was anchored and that is not there any more
}

// QueuedRecord is the document of a record that waits.
func QueuedRecord(q Queued, d engram.Deferred) Queued {
	w := WaitingOf(d)
	q.Waiting, q.Reasons = &w, OrEmpty(q.Reasons)
	return q
}
