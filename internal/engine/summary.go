package engine

import (
	"context"
	"fmt"
	"strings"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/suspicion"
)

// SuspectSummary says why the summary of a session reads like an order to an agent, in words; nil
// where it does not. Such a summary is told to nobody unasked. The memory that says it waits for a
// person; who wants the session's own line told ends the session with other words.
func SuspectSummary(s engram.Session) (why []string) {
	for _, r := range suspicion.Of(s.Summary) {
		why = append(why, r.Why)
	}
	return why
}

// summaryWarning is what whoever ends a session is told of its summary; nothing where that is told.
func summaryWarning(s engram.Session) []string {
	why := SuspectSummary(s)
	if len(why) == 0 {
		return nil
	}
	return []string{fmt.Sprintf("The summary reads like an order to an agent (%s): it is shown where somebody asks for the session, and told unasked to nobody; ending the session with other words replaces it",
		strings.Join(why, "; "))}
}

// sourcesOf sets where the summaries of sessions were written that were not written here: in a file
// that knew no stamps, or in another store.
func sourcesOf(ctx context.Context, r engram.Reader, all []engram.SessionActivity) error {
	here, err := r.Device(ctx)
	if err != nil {
		return err
	}
	ids := make([]string, len(all))
	for i, s := range all {
		ids[i] = s.ID
	}
	lineages, err := r.Lineages(ctx, engram.EntitySession, ids)
	if err != nil {
		return err
	}
	for i, s := range all {
		l, known := lineages[s.ID]
		switch written := l.Of("summary"); {
		case s.Summary == "" || !known || written.Device == here:
		case written.Derived():
			all[i].From = engram.OriginImport
		default:
			all[i].From = engram.OriginSync
		}
	}
	return nil
}
