package httpapi

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strings"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/document"
)

// deferredPage is what came from other stores and waits.
type deferredPage struct {
	Total int           `json:"total"`
	Limit int           `json:"limit"`
	Rows  []deferredRow `json:"rows"`
}

type deferredRow struct {
	SyncID        string            `json:"sync_id"`
	Entity        string            `json:"entity"`
	Payload       *document.Waiting `json:"payload,omitempty"`
	PayloadRaw    string            `json:"payload_raw"`
	PayloadValid  bool              `json:"payload_valid"`
	ApplyStatus   string            `json:"apply_status"` // deferred or dead
	RetryCount    int               `json:"retry_count"`
	LastError     string            `json:"last_error,omitempty"`
	LastAttempted clock             `json:"last_attempted_at,omitzero"`
	FirstSeen     clock             `json:"first_seen_at"`
}

func (a *API) deferred(q request) (reply, error) {
	status, page := strings.TrimSpace(q.query.Get("status")), deferredPage{Rows: []deferredRow{}}
	if states := q.param("status").Enum; status != "" && !slices.Contains(states, status) {
		return reply{}, invalid("status %q does not exist", clip(status)).WithHint("one of %s", strings.Join(states, ", "))
	}
	var offset int
	for name, n := range map[string]*int{"limit": &page.Limit, "offset": &offset} {
		var err error
		if *n, err = q.number(name); err != nil {
			if told, ok := errors.AsType[*engram.Error](err); ok {
				err = told.WithHint("left out it is %d", q.param(name).whole())
			}
			return reply{}, err
		}
	}
	all, err := a.Engine.Deferred(q.Context(), "")
	if err != nil {
		return reply{}, err
	}
	for _, d := range all {
		if status != "" && document.DeferredStatus(d) != status {
			continue
		}
		if page.Total++; page.Total > offset && len(page.Rows) < page.Limit {
			page.Rows = append(page.Rows, deferredRowOf(d))
		}
	}
	return reply{body: page}, nil
}

func deferredRowOf(d engram.Deferred) deferredRow {
	r := document.DeferredRowOf(d)
	raw, err := json.Marshal(r.Payload)
	return deferredRow{SyncID: r.SyncID, Entity: r.Entity, Payload: &r.Payload, PayloadRaw: string(raw), PayloadValid: err == nil,
		ApplyStatus: r.ApplyStatus, RetryCount: r.RetryCount, LastError: r.LastError, LastAttempted: clock(d.LastAt), FirstSeen: clock(d.FirstAt)}
}

// replayed says what became of changes that waited.
type replayed struct {
	Retried   int `json:"retried"`
	Succeeded int `json:"succeeded"`
	Failed    int `json:"failed"` // that wait still
	Dead      int `json:"dead"`   // of these, tried often
}

func (a *API) replayDeferred(q request) (reply, error) {
	res, err := a.Engine.RetryDeferred(q.Context(), "")
	body := replayed{Retried: res.Taken + len(res.Left), Succeeded: res.Taken, Failed: len(res.Left)}
	for _, d := range res.Left {
		if document.DeferredStatus(d) == "dead" {
			body.Dead++
		}
	}
	return reply{body: body}, err
}

// countDeferred counts what waits of a project, or of every one.
func (a *API) countDeferred(ctx context.Context, project string, deferred, dead *int) error {
	all, err := a.Engine.Deferred(ctx, project)
	for _, d := range all {
		if document.DeferredStatus(d) == "dead" {
			*dead++
		} else {
			*deferred++
		}
	}
	if engram.CodeOf(err) == engram.CodeNotFound {
		return nil // nothing is kept of it, and nothing waits
	}
	return err
}
