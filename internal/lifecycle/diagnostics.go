package lifecycle

import (
	"time"

	"github.com/alanbuscaglia/engram"
)

// Diagnostics are memories that deserve a look.
type Diagnostics struct {
	Project    string // "" is every project
	At         time.Time
	Memories   int             // live ones
	Weakest    []Weak          // that are not permanent, the weakest first
	Duplicates []DuplicatePair // pairs that say nearly the same, the nearest first
	Pairs      int             // how many such pairs there are, about: of one memory at most 256 are counted
	Orphans    []engram.Memory // that nothing leads to: not related, of no topic, never accessed; the oldest first
	Unrecalled []engram.Memory // that were never accessed, the oldest first
	Never      int             // how many were never accessed
	Degraded   []string        // what could not be done, with the reason
}

// Weak is a memory and its strength now.
type Weak struct {
	Memory   engram.Memory
	Strength float64
}

// DuplicatePair is two memories that say nearly the same.
type DuplicatePair struct {
	A, B   engram.Memory // A is the older one
	Cosine float64
	// Against is why sleep leaves them apart; "" when it would make one of them.
	Against string
}
