package lifecycle

import (
	"time"

	"github.com/alanbuscaglia/engram"
)

// Filled is a state from a file whose format has not room for all of it, with what is here in
// the place of what was left out: fields that the format does not tell, and the rest of times
// that it cuts off. So a state that was written into such a file and is read again is the one
// that it was. Neither record is changed; both are of the same kind.
func Filled(here, there engram.Record, head engram.Snapshot) engram.Record {
	uncut := func(t *time.Time, here time.Time) {
		if head.Grid > time.Millisecond && here.Truncate(head.Grid).Equal(*t) {
			*t = here
		}
	}
	switch {
	case there.Memory != nil && here.Memory != nil:
		m, was := *there.Memory, here.Memory.Memory
		for _, name := range head.Untold {
			fillField(&m.Memory, was, name)
		}
		for _, t := range []struct {
			to   *time.Time
			from time.Time
		}{{&m.Memory.CreatedAt, was.CreatedAt}, {&m.Memory.UpdatedAt, was.UpdatedAt}, {&m.Memory.LastSeenAt, was.LastSeenAt},
			{&m.Memory.LastAccessedAt, was.LastAccessedAt}, {&m.Memory.ReviewAfter, was.ReviewAfter}, {&m.Memory.DeletedAt, was.DeletedAt}} {
			uncut(t.to, t.from)
		}
		there.Memory = &m
	case there.Session != nil && here.Session != nil:
		s := *there.Session
		uncut(&s.StartedAt, here.Session.StartedAt)
		uncut(&s.EndedAt, here.Session.EndedAt)
		uncut(&s.ActiveAt, here.Session.ActiveAt)
		there.Session = &s
	case there.Prompt != nil && here.Prompt != nil:
		p := *there.Prompt
		uncut(&p.CreatedAt, here.Prompt.CreatedAt)
		there.Prompt = &p
	}
	return there
}

// fillField sets a field of m to what it is here. Of a summary that is so only where the text
// is the same: that of another one says nothing of it.
func fillField(m *engram.Memory, here engram.Memory, name string) {
	switch name {
	case "summary":
		if m.Title == here.Title && m.Content == here.Content {
			m.Summary = here.Summary
		}
	case "tags":
		m.Tags = here.Tags
	case "metadata":
		m.Metadata = here.Metadata
	case "anchors":
		m.Anchors = here.Anchors
	case "importance":
		m.Importance = here.Importance
	case "strength":
		m.Strength, m.TouchedAt = here.Strength, here.TouchedAt
	case "permanent":
		m.Permanent = here.Permanent
	case "scope":
		m.Scope = here.Scope
	case "topic_key":
		m.TopicKey = here.TopicKey
	case "tool_name":
		m.ToolName = here.ToolName
	case "review_after":
		m.ReviewAfter = here.ReviewAfter
	case "valid_from":
		m.ValidFrom = here.ValidFrom
	case "valid_to":
		m.ValidTo = here.ValidTo
	}
}
