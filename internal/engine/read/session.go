package read

import (
	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/suspicion"
)

// FlaggedSummary says why a session's summary is instruction-like; nil if it is not. A flagged summary is not
// injected. Its memory is pending for a person; ending the session with other words replaces it.
func FlaggedSummary(s engram.Session) (why []string) {
	for _, r := range suspicion.Of(s.Summary) {
		why = append(why, r.Why)
	}
	return why
}
