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
	switch {
	case there.Memory != nil && here.Memory != nil:
		filled := *there.Memory
		there.Memory = &filled
		fillFields(there, here, head.Unlisted)
		uncut(&filled.Memory, &here.Memory.Memory, head.Grid)
	case there.Session != nil && here.Session != nil:
		s := *there.Session
		uncut(&s, here.Session, head.Grid)
		there.Session = &s
	case there.Prompt != nil && here.Prompt != nil:
		p := *there.Prompt
		uncut(&p, here.Prompt, head.Grid)
		there.Prompt = &p
	}
	return there
}

// uncut gives times that were cut to the grid of a format their full value.
func uncut[T any](cut, full *T, grid time.Duration) {
	for _, f := range engram.Fields[T]() {
		if at, is := f.Of(cut).(*time.Time); is && grid > time.Millisecond && f.Of(full).(*time.Time).Truncate(grid).Equal(*at) {
			f.Copy(cut, full)
		}
	}
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
