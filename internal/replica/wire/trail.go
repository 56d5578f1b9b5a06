package wire

import (
	"github.com/alanbuscaglia/engram"
)

// Trail is what every native item but an erasure may have beside its values: where they
// come from. A file that was written before lineages were kept has none.
type Trail struct {
	Causal    *engram.CausalMetadata `json:"lineage,omitempty"`
	Tombstone bool                   `json:"gone,omitempty"` // no row was left of it: it holds no more than its names
}

func trailOf(r engram.Record) Trail { return Trail{Causal: r.Causal, Tombstone: r.Tombstone} }

// on is a record with the trail.
func (t Trail) on(r engram.Record) engram.Record {
	r.Causal, r.Tombstone = t.Causal, t.Tombstone
	return r
}

// maxLineage is how many parts, members, and devices of each the lineage of one thing may
// have: more than any team has devices.
const maxLineage = 10_000

// checkLineage says what cannot be in a lineage that a store has written.
func checkLineage(l engram.CausalMetadata) error {
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
		const most = 1 << 40 // the sum of all of them fits into an int
		if c.Accesses < 0 || c.Repeats < 0 || c.Accesses > most || c.Repeats > most {
			return engram.Errorf(engram.CodeInvalid, "lineage.counts has a count that nobody can have reached")
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
	if size > maxLineage {
		return engram.Errorf(engram.CodeInvalid, "lineage has %d entries, the limit is %d", size, maxLineage)
	}
	return nil
}
