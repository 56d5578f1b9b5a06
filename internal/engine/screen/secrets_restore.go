package screen

import (
	"slices"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/secret"
)

// HasCuts reports whether a text of a memory has the mark of a redacted secret.
func HasCuts(r engram.MemoryRecord) bool {
	m := r.Memory
	texts := textsIn([]string{m.Title, m.Content, m.Summary, m.TopicKey}, m.Metadata)
	for _, rev := range r.Revisions {
		texts = append(texts, rev.Title, rev.Content)
	}
	return slices.ContainsFunc(texts, secret.Marked)
}
