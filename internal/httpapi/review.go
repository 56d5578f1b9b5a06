package httpapi

import (
	"strings"
	"time"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/document"
	"github.com/alanbuscaglia/engram/internal/engine"
	"github.com/alanbuscaglia/engram/internal/text"
)

// reviewsDoc is the answer of GET /review.
type reviewsDoc struct {
	Limit    int                      `json:"limit"`
	Offset   int                      `json:"offset"`
	Memories []document.Memory        `json:"memories"` // those that are due, the longest overdue first
	Counts   map[engram.QueueKind]int `json:"counts"`   // how many wait of each kind
	Items    []document.Queued        `json:"items"`    // what waits, by kind; of each the longest waiting first
}

// reviews lists what waits for a person, and the memories that are due for review by
// themselves.
func (a *API) reviews(q request) (reply, error) {
	name := q.query.Get("project")
	if err := a.known(q, name); err != nil {
		return reply{}, err
	}
	page := engram.Page{}
	var err error
	if page.Limit, err = q.number("limit"); err != nil {
		return reply{}, err
	}
	if page.Offset, err = q.number("offset"); err != nil {
		return reply{}, err
	}
	kinds, err := engram.ParseQueueKinds(q.query["kind"])
	if err != nil {
		return reply{}, err
	}
	due, err := a.Engine.Reviews(q.Context(), name, page)
	if err != nil {
		return reply{}, err
	}
	queue, err := a.Engine.Queue(q.Context(), engine.QueueInput{Project: name, Kinds: kinds, Page: page})
	return reply{body: reviewsDoc{page.Limit, page.Offset, document.Each(due, func(m engram.Memory) document.Memory {
		return document.MemoryOf(m, a.Engine.StateOf(m))
	}), queue.Counts, document.Each(queue.Items, document.QueuedOf)}}, err
}

// reviewDone notes that a memory was checked and holds.
func (a *API) reviewDone(q request) (reply, error) {
	ref, err := engram.ParseRef(q.PathValue("ref"))
	if err != nil {
		return reply{}, err
	}
	if !q.empty() {
		if _, err := decode[struct{}](q); err != nil {
			return reply{}, err
		}
	}
	return a.reviewed(a.Engine.Reviewed(q.Context(), ref))
}

// reviewedDoc is the answer of POST /review/{ref}/done and POST /review/{ref}/snooze.
type reviewedDoc struct {
	Memory   document.Memory `json:"memory"`
	Op       int64           `json:"op"`       // what undo takes back; 0 when nothing was to be changed
	Degraded []string        `json:"degraded"` // what could not be done of it, and why

	Anchored []string `json:"anchored,omitempty"` // code to which it is anchored as it stands now, and was not before
	Released []string `json:"released,omitempty"` // code to which it was anchored and that is not there any more
}

func (a *API) reviewed(res engine.ReviewResult, err error) (reply, error) {
	done := res.Decided()
	return reply{body: reviewedDoc{document.MemoryOf(res.Memory, a.Engine.StateOf(res.Memory)), res.Op, document.OrEmpty(res.Degraded), done.Anchored, done.Released}}, err
}

// snoozeBody says until when, in one of two ways.
type snoozeBody struct {
	For   string `json:"for" example:"30d" doc:"a span"`
	Until string `json:"until" example:"2027-01-31" doc:"a day or a time"`
}

// reviewSnooze puts the review of a memory off: for a span, or until a time.
func (a *API) reviewSnooze(q request) (reply, error) {
	ref, err := engram.ParseRef(q.PathValue("ref"))
	if err != nil {
		return reply{}, err
	}
	in, err := decode[snoozeBody](q)
	if err != nil {
		return reply{}, err
	}
	until, err := snoozeUntil(in.For, in.Until, a.Engine.Now())
	if err != nil {
		return reply{}, err
	}
	return a.reviewed(a.Engine.Snooze(q.Context(), ref, until))
}

func snoozeUntil(span, until string, now time.Time) (time.Time, error) {
	span, until = strings.TrimSpace(span), strings.TrimSpace(until)
	if (span == "") == (until == "") {
		return now, invalid("say until when").WithHint("%s", `either {"for": "30d"} or {"until": "2027-01-31"}`)
	}
	at, ok, given := now, false, span
	if until != "" {
		given = until
		at, ok = text.When(until, now.UTC())
	} else {
		at, ok = text.Ahead(span, now.UTC())
	}
	if !ok {
		return at, invalid("%q is not a time", given).WithHint("%s", `either {"for": "30d"} or {"until": "2027-01-31"}`)
	}
	return at, nil
}
