package httpapi

import "github.com/alanbuscaglia/engram/internal/document"

type statsDoc struct {
	Sessions     int      `json:"total_sessions"`
	Observations int      `json:"total_observations"`
	Prompts      int      `json:"total_prompts"`
	Projects     []string `json:"projects"`
}

func (a *API) stats(q request) (reply, error) {
	s, err := a.Engine.Stats(q.Context(), "")
	return reply{body: statsDoc{s.Sessions, s.Memories, s.Prompts, document.OrEmpty(s.Projects)}}, err
}
