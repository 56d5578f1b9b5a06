package httpapi

import (
	"time"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/document"
	"github.com/alanbuscaglia/engram/internal/engine"
)

// foundObservation is a memory that was found. Rank is smaller for better, as older clients sort.
type foundObservation struct {
	observation
	Rank float64       `json:"rank"`
	Weak bool          `json:"weak,omitempty"` // below the floor: probably not what was meant
	Why  *document.Why `json:"why,omitempty"`  // only when asked for
}

func (a *API) search(q request) (reply, error) {
	in, err := q.searchInput(a.Engine.Now())
	if err != nil {
		return reply{}, err
	}
	in.Limit = q.lenient("limit")
	explain, err := q.flag("explain")
	if err != nil {
		return reply{}, err
	}
	wanted, err := q.flag("weak")
	if err != nil {
		return reply{}, err
	}
	found, err := a.at(q).SearchIn(q.Context(), q.query.Get("session_id"), in)
	// Older clients do not know of weak finds: an empty list says that there is nothing
	// relevant. Beside what is relevant, the mark is enough.
	if !q.query.Has("weak") {
		wanted = len(found.Hits) > 0
	}
	hits := []foundObservation{}
	ranked, below := found.InOrder()
	for i, h := range ranked {
		if wanted || !below[i] {
			hits = append(hits, hitOf(h, explain, below[i]))
		}
	}
	if err != nil {
		return reply{}, err
	}
	elsewhere, err := a.elsewhere(q, in.Filter.Project, len(hits) > 0 || !in.AsOf.IsZero())
	return reply{body: hits, degraded: found.Degraded, elsewhere: elsewhere}, err
}

func hitOf(h engram.Hit, explain, weak bool) foundObservation {
	out := foundObservation{observation: observationOf(h.Memory, h.Note()), Rank: 0 - h.Score, Weak: weak} // 0-x: a score of 0 is not -0
	if explain {
		why := document.WhyOf(h.Why)
		out.Why = &why
	}
	return out
}

// searchInput reads what a search asks, all but its limit.
func (q request) searchInput(now time.Time) (engine.SearchInput, error) {
	filter, err := q.filter(now)
	if err != nil {
		return engine.SearchInput{}, err
	}
	if filter.Current, err = q.current(); err != nil {
		return engine.SearchInput{}, err
	}
	in := engine.SearchInput{Query: q.query.Get("q"), Filter: filter, Mode: engine.Mode(q.query.Get("mode")),
		Fusion: engram.Fusion(q.query.Get("fusion"))}
	if in.All, err = q.matchAll(); err != nil {
		return in, err
	}
	if in.AsOf, err = q.when("as_of", now); err != nil {
		return in, err
	}
	if in.Rerank, err = q.flag("rerank"); err != nil {
		return in, err
	}
	if q.query.Has("hops") {
		hops, err := q.number("hops")
		if err != nil {
			return in, err
		}
		in.Hops = &hops
	}
	return in, nil
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
