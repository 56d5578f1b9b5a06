package httpapi

import (
	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/document"
	"github.com/alanbuscaglia/engram/internal/engine"
)

// statsDoc is the answer of GET /stats: what plugins read, and with by what was counted
// apart.
type statsDoc struct {
	Sessions     int              `json:"total_sessions"`
	Observations int              `json:"total_observations"`
	Prompts      int              `json:"total_prompts"`
	Projects     []string         `json:"projects"`
	By           string           `json:"by,omitempty"`
	Since        *document.Stamp  `json:"since,omitempty"`  // of groups; left out: from the beginning
	Groups       []document.Group `json:"groups,omitempty"` // by project and type those with most memories first; else oldest first
}

func (a *API) stats(q request) (reply, error) {
	by := q.query.Get("by")
	since, err := q.when("since", a.Engine.Now())
	if err != nil {
		return reply{}, err
	}
	if blank(by) {
		s, err := a.Engine.Stats(q.Context(), "")
		return reply{body: statsDoc{Sessions: s.Sessions, Observations: s.Memories, Prompts: s.Prompts, Projects: document.OrEmpty(s.Projects)}}, err
	}
	in := engine.StatsInput{Project: q.query.Get("project"), By: engram.Grouping(by), Since: since}
	s, err := a.Engine.StatsOver(q.Context(), in)
	doc := statsDoc{Sessions: s.Sessions, Observations: s.Memories, Prompts: s.Prompts, Projects: document.OrEmpty(s.Projects),
		By: string(s.By), Groups: document.Each(s.Groups, document.GroupOf)}
	if !s.Since.IsZero() {
		doc.Since = new(document.Stamp(s.Since))
	}
	return reply{body: doc}, err
}
