package lifecycle

import (
	"slices"
	"time"

	"github.com/alanbuscaglia/engram"
)

// AccessOperations are the operations that show a memory to be read: get and recall. A search shows
// many so that one is opened, and opening counts. Injected memories do not count: they would
// reinforce themselves.
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
