package httpapi

import (
	"github.com/alanbuscaglia/engram/internal/document"
	"github.com/alanbuscaglia/engram/internal/engine"
)

// usage answers what was asked and saved, as `engram metrics` does; /metrics is for
// Prometheus.
func (a *API) usage(q request) (reply, error) {
	in := engine.MetricsInput{Project: q.query.Get("project"), Session: q.query.Get("session_id")}
	var err error
	if in.Since, err = q.when("since", a.Engine.Now()); err != nil {
		return reply{}, err
	}
	m, err := a.Engine.Metrics(q.Context(), in)
	return reply{body: document.MetricsOf(in.Project, in.Session, m)}, err
}
