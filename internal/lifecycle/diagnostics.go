package lifecycle

import (
	"time"

	"github.com/alanbuscaglia/engram"
)

// Diagnostics lists memories worth a look.
type Diagnostics struct {
	Project    string // "" is every project
	At         time.Time
	Memories   int             // live ones
	Weakest    []Weak          // without permanent ones, weakest first
	Duplicates []DuplicatePair // near-duplicates, nearest first
	Pairs      int             // number of near-duplicate pairs; at most 256 of one memory are counted
	Orphans    []engram.Memory // no relation, no topic, never accessed; oldest first
	Unrecalled []engram.Memory // never accessed, oldest first
	Never      int             // number never accessed
	Degraded   []string        // what could not be computed, with the reason
}

// Weak is a memory and its present strength.
type Weak struct {
	Memory   engram.Memory
	Strength float64
}

// DuplicatePair is a pair of near-duplicates.
type DuplicatePair struct {
	A, B   engram.Memory // A is the older one
	Cosine float64
	// Against says why sleep does not merge them; "" if it would.
	Against string
}
