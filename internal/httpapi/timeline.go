package httpapi

import (
	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/document"
)

// maxAround is how far a timeline looks to each side.
const maxAround = 100

// timelineDoc is what was saved around a memory.
type timelineDoc struct {
	Focus   observation `json:"focus"`
	Before  []entry     `json:"before"` // oldest first
	After   []entry     `json:"after"`  // oldest first
	Session *sessionDoc `json:"session_info"`
	Total   int         `json:"total_in_range"`
}

// entry is a neighbour in a timeline. It has no sync id: the outer field hides the
// embedded one.
type entry struct {
	observation
	SyncID  *string `json:"sync_id,omitempty"`
	IsFocus bool    `json:"is_focus"`
}

func entriesOf(ms []engram.Memory, notes engram.Notes) []entry {
	return document.Each(ms, func(m engram.Memory) entry { return entry{observation: observationOf(m, notes[m.Num])} })
}

func (a *API) timeline(q request) (reply, error) {
	id := q.query.Get("observation_id")
	if id == "" {
		return reply{}, invalid("observation_id parameter is required")
	}
	ref, err := numbered(id, "observation")
	if engram.CodeOf(err) == engram.CodeInvalid {
		return reply{}, invalid("invalid observation_id").WithHint("a whole number")
	}
	var t engram.Timeline
	if err == nil {
		before, after := q.lenient("before"), q.lenient("after")
		t, err = a.Engine.Timeline(q.Context(), ref, before, after)
	}
	if err != nil {
		return reply{}, worded(err, engram.CodeNotFound, "timeline: observation #%s not found", id)
	}
	doc := timelineDoc{Focus: observationOf(t.Focus, t.Notes[t.Focus.Num]), Before: entriesOf(t.Before, t.Notes), After: entriesOf(t.After, t.Notes), Total: t.Total}
	if t.Session.ID != "" {
		s := sessionOf(t.Session)
		doc.Session = &s
	}
	return reply{body: doc}, nil
}
