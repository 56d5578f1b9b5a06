package health

import (
	"fmt"
	"time"
)

func judgeClock(f Facts, p Policy, why string) Check {
	c := f.Clock
	e := Evidence{"now": timestamp(c.Now), "last_entry": timestamp(c.Last), "made_in_the_future": c.Future, "newest": timestamp(c.Newest)}
	ahead := max(c.Last.Sub(c.Now), 0)
	if c.Newest.After(c.Last) {
		ahead = max(c.Newest.Sub(c.Now), 0)
	}
	if ahead <= p.Ahead {
		return fine(ClockBackwards, why, e)
	}
	e["ahead_seconds"] = int64(ahead / time.Second)
	return bad(Warning, Finding{Check: ClockBackwards, Reason: "clock_moved_backwards", Why: why, Evidence: e,
		Message: fmt.Sprintf("The store has entries that are %s ahead of the clock.", ahead.Round(time.Second)),
		Next:    "Correct the clock of this machine. If it is correct now, it was wrong before: the order of entries is still right, and this warning disappears with time."})
}

// timestamp formats a time for evidence; "" for never.
func timestamp(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.UTC().Format(time.RFC3339)
}
