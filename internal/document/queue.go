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

// QueuedOf is the document of one thing that waits; its memory is told with what became of the code
// that it speaks of, where somebody looked.
func QueuedOf(i engram.QueueItem) Queued {
	q := Queued{Kind: string(i.Kind), Name: i.Name(), Since: Stamp(i.Since), Reasons: OrEmpty(i.Reasons)}
	if i.Waiting != nil {
		w := WaitingOf(*i.Waiting)
		q.Waiting = &w
		return q
	}
	m := MemoryOf(i.Memory, i.State)
	if len(i.Anchors) > 0 {
		m.Anchors = Each(i.Anchors, AnchorOf)
	}
	q.Memory = &m
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
