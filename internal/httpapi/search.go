package httpapi

import (
	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/engine"
)

// hit is a memory that was found. Rank is smaller for better, as older clients sort.
type hit struct {
	observation
	Rank float64 `json:"rank"`
	Why  *why    `json:"why,omitempty"` // only when asked for
}

// why says how a hit came to its place.
type why struct {
	Channels []channelRank `json:"channels"`
	Factors  []factor      `json:"factors"`
}

type channelRank struct {
	Channel engram.Channel `json:"channel"`
	Rank    int            `json:"rank"` // from 1
	Score   float64        `json:"score"`
}

type factor struct {
	Name  string  `json:"name"`
	Value float64 `json:"value"`
}

func whyOf(w engram.Why) *why {
	return &why{
		each(w.Channels, func(c engram.ChannelRank) channelRank { return channelRank(c) }),
		each(w.Factors, func(f engram.Factor) factor { return factor(f) }),
	}
}

func (a *API) search(q request) (reply, error) {
	filter, err := q.filter(a.Engine.Now())
	if err != nil {
		return reply{}, err
	}
	all, err := q.matchAll()
	if err != nil {
		return reply{}, err
	}
	explain, err := q.flag("explain")
	if err != nil {
		return reply{}, err
	}
	found, err := a.Engine.Search(q.Context(), engine.SearchInput{
		Query: q.query.Get("q"), Filter: filter, Limit: q.lenient("limit", 10, 1, 20), All: all,
	})
	hits := each(found.Hits, func(h engram.Hit) hit {
		out := hit{observation: observationOf(h.Memory), Rank: 0 - h.Score} // 0-x: a score of 0 is not -0
		if explain {
			out.Why = whyOf(h.Why)
		}
		return out
	})
	return reply{body: hits, degraded: found.Degraded}, err
}

// matchAll reads match, which newer clients call match_mode.
func (q request) matchAll() (bool, error) {
	mode := q.query.Get("match")
	if mode == "" {
		mode = q.query.Get("match_mode")
	}
	switch mode {
	case "", "any":
		return false, nil
	case "all":
		return true, nil
	}
	return false, invalid("match %q is neither any nor all", mode)
}
