package lifecycle

import (
	"time"

	"github.com/alanbuscaglia/engram"
)

// What an importance does to the time until a review.
const (
	soonerFrom = 0.8 // this important or more: half the months, rounded up
	laterTo    = 0.2 // this important or less: twice the months
)

// ReviewAfter is when m, which says what it says since from, should be checked; the zero
// time when its type never falls due. What matters much is looked at twice as often, what
// matters little half as often. Months are calendar months: what is due six months after
// 31 August falls due on 3 March, as time.AddDate counts.
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

// State says whether m is due for review at now.
func State(m engram.Memory, now time.Time) engram.State {
	if !m.ReviewAfter.IsZero() && now.After(m.ReviewAfter) {
		return engram.StateNeedsReview
	}
	return engram.StateActive
}
