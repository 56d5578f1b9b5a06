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

// QueuedMemory is the document of a memory that waits.
func QueuedMemory(q Queued, m engram.Memory, s engram.State) Queued {
	d := MemoryOf(m, s)
	q.Memory, q.Reasons = &d, OrEmpty(q.Reasons)
	return q
}

// QueuedRecord is the document of a record that waits.
func QueuedRecord(q Queued, d engram.Deferred) Queued {
	w := WaitingOf(d)
	q.Waiting, q.Reasons = &w, OrEmpty(q.Reasons)
	return q
}
