package lifecycle

import (
	"time"

	"github.com/alanbuscaglia/engram"
)

// ReviewAfter is when a memory of the type, written at from, should be checked; the
// zero time when it never falls due. Months are calendar months: a decision of 31
// August falls due on 3 March, as time.AddDate counts.
func ReviewAfter(t engram.Type, from time.Time, p Policy) time.Time {
	months := p.ReviewMonths[t]
	if months == 0 {
		return time.Time{}
	}
	return from.AddDate(0, months, 0)
}

// State says whether m is due for review at now.
func State(m engram.Memory, now time.Time) engram.State {
	if !m.ReviewAfter.IsZero() && now.After(m.ReviewAfter) {
		return engram.StateNeedsReview
	}
	return engram.StateActive
}
