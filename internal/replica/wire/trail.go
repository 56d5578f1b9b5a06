package wire

import (
	"github.com/alanbuscaglia/engram"
)

// Trail is the causal metadata of a native item other than an erasure. Old files have none.
type Trail struct {
	Causal    *engram.CausalMetadata `json:"lineage,omitempty"`
	Tombstone bool                   `json:"gone,omitempty"` // no row was left: only names
}

func trailOf(r engram.Record) Trail { return Trail{Causal: r.Causal, Tombstone: r.Tombstone} }

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
