package own

import (
	"slices"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/eval"
)

// titles asks the title of each memory and wants its text. The documents have no
// titles: the question would find itself. Summaries of sessions are no answers: they
// are all called the same.
func titles(newest []engram.Memory) eval.Set {
	b := newBuilder("titles")
	for i, m := range slices.Backward(newest) {
		b.document(eval.Document{ID: string(m.ID), Text: m.Content, Time: m.CreatedAt, Group: m.Project, Session: m.SessionID, Seq: len(newest) - 1 - i})
	}
	for _, m := range slices.Backward(newest) {
		if m.Type != engram.TypeSessionSummary {
			b.question("title-"+string(m.ID), m.Project, m.Title, string(m.ID))
		}
	}
	return b.set
}
