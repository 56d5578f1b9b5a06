package lifecycle

import (
	"slices"
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

// AccessOperations are the operations that show a memory to be read: get and recall. A search shows many so
// that one is opened, and opening counts. Injected memories do not count: they would reinforce themselves.
func AccessOperations() []string { return []string{"get", "recall"} }

// Reinforces reports whether an operation may count as an access.
func Reinforces(verb string) bool { return slices.Contains(AccessOperations(), verb) }

// Accesses reports whether one of AccessOperations at now counts as an access of m: in a session,
// which has an ID, if the session did not see it before (again); outside a session if the last
// access is p.AccessWindow ago. A clock set back counts nothing until it has caught up.
//
// The effect is bounded: the curves use the logarithm of the count and the days since the last
// access; the stored strength stays. The second of the designs that Engram unites also added 0.1
// per access, up to 1, so ten reads in an afternoon made everything equally strong. Here sleep adds
// that, to memories accessed since, at most once a day.
func Accesses(m engram.Memory, session string, again bool, now time.Time, p Policy) bool {
	if session != "" {
		return !again
	}
	return m.LastAccessedAt.IsZero() || now.Sub(m.LastAccessedAt) >= p.AccessWindow
}
