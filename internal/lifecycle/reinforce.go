package lifecycle

import (
	"slices"
	"time"

	"github.com/alanbuscaglia/engram"
)

// AccessOperations are the verbs that show a memory because somebody wants to read it: get and
// recall. A search shows many in order that one is opened, and the opening counts; a
// context tells unasked, and what is told would be told for ever.
func AccessOperations() []string { return []string{"get", "recall"} }

// Reinforces reports whether what a verb shows may count as accessed.
func Reinforces(verb string) bool { return slices.Contains(AccessOperations(), verb) }

// Accesses reports whether showing m at now by one of AccessOperations counts as an access: in
// a session, which has an id, when the session was not shown it so before (again); without
// one when the last access is p.AccessWindow away. A clock that was set back counts none
// until it has caught up.
//
// What an access does is bounded: the curves take the logarithm of how many there were,
// and the days since the last. The stored strength stays what it is. The second of the
// designs that Engram unites also added a tenth to it at each access, up to 1; ten reads
// in an afternoon would make everything equally strong. That tenth is what sleep adds, to
// a memory that was used since, at most once a day.
func Accesses(m engram.Memory, session string, again bool, now time.Time, p Policy) bool {
	if session != "" {
		return !again
	}
	return m.LastAccessedAt.IsZero() || now.Sub(m.LastAccessedAt) >= p.AccessWindow
}
