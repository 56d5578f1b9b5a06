package lifecycle

import (
	"slices"
	"time"

	"github.com/alanbuscaglia/engram"
)

// Filled completes a state from a lossy format with local values: fields that the format lacks, and
// the part of times that it truncates. So a state that was exported and imported again is
// unchanged. Neither record is changed; both are of the same kind.
func Filled(here, there engram.Record, head engram.Snapshot) engram.Record {
	uncut := func(times ...[2]*time.Time) {
		for _, t := range times {
			if head.Grid > time.Millisecond && t[1].Truncate(head.Grid).Equal(*t[0]) {
				*t[0] = *t[1]
			}
		}
	}
	switch {
	case there.Memory != nil && here.Memory != nil:
		filled := *there.Memory
		there.Memory = &filled
		fillFields(there, here, head.Unlisted)
		m, was := &filled.Memory, &here.Memory.Memory
		uncut([2]*time.Time{&m.CreatedAt, &was.CreatedAt}, [2]*time.Time{&m.UpdatedAt, &was.UpdatedAt}, [2]*time.Time{&m.LastSeenAt, &was.LastSeenAt},
			[2]*time.Time{&m.LastAccessedAt, &was.LastAccessedAt}, [2]*time.Time{&m.ReviewAfter, &was.ReviewAfter}, [2]*time.Time{&m.DeletedAt, &was.DeletedAt})
	case there.Session != nil && here.Session != nil:
		s, was := *there.Session, here.Session
		uncut([2]*time.Time{&s.StartedAt, &was.StartedAt}, [2]*time.Time{&s.EndedAt, &was.EndedAt}, [2]*time.Time{&s.ActiveAt, &was.ActiveAt})
		there.Session = &s
	case there.Prompt != nil && here.Prompt != nil:
		p := *there.Prompt
		uncut([2]*time.Time{&p.CreatedAt, &here.Prompt.CreatedAt})
		there.Prompt = &p
	}
	return there
}

// fillFields copies the named fields of a memory. A summary is copied only for the same text.
func fillFields(there, here engram.Record, names []string) {
	m, was := memoryOf(there), memoryOf(here)
	for _, r := range registersOf(there) {
		if slices.Contains(names, string(r.part)) && (r.part != engram.PartSummary || saysSame(there, here)) {
			r.take(there, here)
		}
	}
	if slices.Contains(names, "tags") {
		m.Tags = was.Tags
	}
	if slices.Contains(names, "strength") {
		m.Strength, m.TouchedAt = was.Strength, was.TouchedAt
	}
}
