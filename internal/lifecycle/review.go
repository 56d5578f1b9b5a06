package lifecycle

import (
	"time"

	"github.com/alanbuscaglia/engram"
)

// How importance changes the time until a review.
const (
	soonerFrom = 0.8 // at least: half the months, rounded up
	laterTo    = 0.2 // at most: twice the months
)

// ReviewAfter returns when m, whose text dates from from, is due for review; zero if its type never
// is. Important memories are due twice as often, unimportant ones half as often. Months are
// calendar months as time.AddDate counts: six months after 31 August is 3 March.
func ReviewAfter(m engram.Memory, from time.Time, p Policy) time.Time {
	months := p.ReviewMonths[m.Type]
	switch {
	case months <= 0:
		return time.Time{}
	case m.Importance >= soonerFrom:
		months = (months + 1) / 2
	case m.Importance <= laterTo:
		months *= 2
	}
	return from.AddDate(0, months, 0)
}

// State reports whether m is due for review at now.
func State(m engram.Memory, now time.Time) engram.State {
	if !m.ReviewAfter.IsZero() && now.After(m.ReviewAfter) {
		return engram.StateNeedsReview
	}
	return engram.StateActive
}
