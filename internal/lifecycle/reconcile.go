package lifecycle

import (
	"encoding/json"
	"time"

	"github.com/alanbuscaglia/engram"
)

// Reconciled brings together two states of one memory: the one that is here, and one
// that comes from elsewhere. What the later edit says holds, of equal ones the greater
// text, so that both sides come to the same; theirs reports that it is the one from
// elsewhere. Counters are the greater of the two. It is forgotten when it was forgotten
// after the other's last edit: an older edit does not bring it back.
//
// Its names, project, session and age stay what they are here, and so do its words where
// they are the same, with their origin. The texts that lost are the caller's to keep.
// Reconciled with itself, or a second time with the same, a memory stays as it is.
func Reconciled(here, there engram.Memory) (m engram.Memory, theirs bool) {
	theirs = editedLater(there, here)
	m = here
	if theirs {
		m = Saying(here, there)
	}
	if there.TouchedAt.After(m.TouchedAt) {
		m.Strength, m.TouchedAt = there.Strength, there.TouchedAt
	}
	m.AccessCount, m.LastAccessedAt = max(m.AccessCount, there.AccessCount), later(m.LastAccessedAt, there.LastAccessedAt)
	m.DuplicateCount, m.LastSeenAt = max(m.DuplicateCount, there.DuplicateCount), later(m.LastSeenAt, there.LastSeenAt)
	m.DeletedAt = time.Time{}
	for _, x := range []struct{ gone, other engram.Memory }{{here, there}, {there, here}} {
		if x.gone.Forgotten() && (x.other.Forgotten() || !x.other.UpdatedAt.After(x.gone.DeletedAt)) {
			m.DeletedAt = later(m.DeletedAt, x.gone.DeletedAt)
		}
	}
	return m, theirs
}

// Saying is here with all that somebody has said in there: texts, what kind of thing it
// is, and what is to become of it.
func Saying(here, there engram.Memory) engram.Memory {
	m := here
	if m.Title != there.Title || m.Content != there.Content {
		m.Origin, m.ToolName = there.Origin, there.ToolName
	}
	m.Title, m.Content, m.NormalizedHash, m.Summary = there.Title, there.Content, there.NormalizedHash, there.Summary
	m.Scope, m.Type, m.TopicKey, m.Tags, m.Metadata = there.Scope, there.Type, there.TopicKey, there.Tags, there.Metadata
	m.Importance, m.Permanent = there.Importance, there.Permanent
	m.ReviewAfter, m.ValidFrom, m.ValidTo, m.UpdatedAt = there.ReviewAfter, there.ValidFrom, there.ValidTo, there.UpdatedAt
	return m
}

// editedLater reports whether a is the later edit.
func editedLater(a, b engram.Memory) bool {
	if !a.UpdatedAt.Equal(b.UpdatedAt) {
		return a.UpdatedAt.After(b.UpdatedAt)
	}
	return saying(a) > saying(b)
}

// saying is all that Saying takes over, as a text that can be compared.
func saying(m engram.Memory) string {
	b, err := json.Marshal([]any{m.Title, m.Content, m.Summary, m.Scope, m.Type, m.TopicKey, m.Tags, m.Metadata, m.Importance,
		m.Permanent, m.ReviewAfter.UnixMilli(), m.ValidFrom.UnixMilli(), m.ValidTo.UnixMilli()})
	if err != nil {
		return m.Title + "\x00" + m.Content // metadata that is no JSON is in no store
	}
	return string(b)
}
