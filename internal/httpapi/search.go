package httpapi

import (
	"cmp"
	"time"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/document"
	"github.com/alanbuscaglia/engram/internal/engine/search"
	"github.com/alanbuscaglia/engram/internal/httpapi/route"
	"github.com/alanbuscaglia/engram/internal/render"
)

// foundObservation is a found memory. A smaller Rank is better, as older clients sort.
type foundObservation struct {
	observation
	Rank           float64       `json:"rank"`
	BelowThreshold bool          `json:"weak,omitempty"` // below the relevance threshold: probably not meant
	Why            *document.Why `json:"why,omitempty"`  // only on request
}

func (a *API) search(q *route.Request) (route.Reply, error) {
	in := searchInput(q, a.Engine.Now())
	in.Limit = q.Lenient("limit")
	explain, wanted := q.Flag("explain"), q.Flag("weak")
	if q.Err != nil {
		return route.Reply{}, q.Err
	}
	found, err := a.at(q).SearchIn(q.Context(), q.Query.Get("session_id"), in)
	// Older clients do not know the mark: for them an empty list means that nothing is relevant, so they get no
	// more than the nearest then. Beside relevant hits the mark is enough.
	if !q.Query.Has("weak") {
		if wanted = len(found.Hits) > 0; found.Uncertain {
			found.BelowThreshold = nil
		}
	}
	hits := []foundObservation{}
	ranked, below := found.InOrder()
	for i, h := range ranked {
		if wanted || !below[i] {
			// The rank is 0, not -0, for a score of 0.
			hit := foundObservation{observation: observationOf(h.Memory, h.Note()), Rank: 0 - h.Score, BelowThreshold: below[i]}
			if explain {
				hit.Why = new(document.WhyOf(h.Why))
			}
			hits = append(hits, hit)
		}
	}
	if err != nil {
		return route.Reply{}, err
	}
	elsewhere, err := a.elsewhere(q, in.Filter.Project, len(hits) > 0 || !in.AsOf.IsZero(), found.Uncertain)
	return route.Reply{Body: hits, Degraded: found.Degraded, Elsewhere: elsewhere}, err
}

// searchInput reads the parameters of a search except limit.
func searchInput(q *route.Request, now time.Time) search.SearchInput {
	filter := filterOf(q, now)
	filter.Current = current(q)
	in := search.SearchInput{Query: q.Query.Get("q"), Filter: filter, Mode: search.Mode(q.Query.Get("mode")),
		Fusion: engram.Fusion(q.Query.Get("fusion")), All: matchAll(q), AsOf: q.When("as_of", now), Rerank: q.Flag("rerank")}
	if q.Query.Has("hops") {
		in.Hops = new(q.Number("hops"))
	}
	return in
}

// matchAll reads match, which newer clients call match_mode.
func matchAll(q *route.Request) bool {
	mode := cmp.Or(q.Query.Get("match"), q.Query.Get("match_mode"), "any")
	if mode != "any" && mode != "all" {
		q.Bad(route.Invalid("match %q is neither any nor all", mode))
	}
	return mode == "all"
}

// recalledDoc is the answer of GET /recall.
type recalledDoc struct {
	Query     string             `json:"query"`
	Budget    int                `json:"budget"` // in tokens
	Tokens    int                `json:"tokens"` // about what text costs; at most budget
	Text      string             `json:"text"`   // all items as Markdown; "" for none
	Items     []document.Shown   `json:"items"`  // best first
	LeftOut   []document.LeftOut `json:"left_out"`
	Repaired  []document.Repair  `json:"repaired"`
	Times     []document.Time    `json:"times"`
	Degraded  []string           `json:"degraded"`
	Elsewhere string             `json:"elsewhere,omitempty"` // for an empty or uncertain answer: see API.elsewhere
}

func recalledOf(r search.Recalled) recalledDoc {
	d := recalledDoc{Query: r.Query, Budget: r.Budget, Tokens: r.Tokens, Text: r.Text, Items: []document.Shown{},
		LeftOut: document.Each(r.LeftOut, document.LeftOutOf), Repaired: document.Each(r.Repaired, document.RepairOf), Times: document.Each(r.Times, document.TimeOf), Degraded: document.OrEmpty(r.Degraded)}
	for i, item := range r.Items {
		shown := document.ShownOf(i+1, item.Hit, item.Text, item.Whole, item.Tokens)
		shown.Uncertain = r.Uncertain
		d.Items = append(d.Items, shown)
	}
	return d
}

func (a *API) recall(q *route.Request) (route.Reply, error) {
	in := search.RecallInput{SessionID: q.Query.Get("session_id"), Zone: a.Zone, Unseen: true,
		SearchInput: searchInput(q, a.Engine.Now())}
	in.Filter.Scope = knownScopeOf(q)
	a.knownAt(q, in.Filter.Project, in.AsOf)
	in.Limit, in.Budget, in.Again = q.Number("limit"), q.Number("budget"), q.Flag("again")
	if q.Err != nil {
		return route.Reply{}, q.Err
	}
	r, err := a.at(q).Recall(q.Context(), in)
	if err != nil {
		return route.Reply{}, err
	}
	doc := recalledOf(r)
	doc.Elsewhere, err = a.elsewhere(q, in.Filter.Project, r.Found() || len(r.Items) > 0 || !in.AsOf.IsZero(), r.Uncertain)
	return route.Reply{Body: doc, Elsewhere: doc.Elsewhere}, err
}

// maxAround is how many memories a timeline has on each side.
const maxAround = 100

type timelineDoc struct {
	Focus   observation `json:"focus"`
	Before  []entry     `json:"before"` // oldest first
	After   []entry     `json:"after"`  // oldest first
	Session *sessionDoc `json:"session_info"`
	Total   int         `json:"total_in_range"`
}

// entry is a neighbour in a timeline. It has no sync id: the outer field hides the embedded one.
type entry struct {
	observation
	SyncID  *string `json:"sync_id,omitempty"`
	IsFocus bool    `json:"is_focus"`
}

func entriesOf(ms []engram.Memory, notes engram.Notes) []entry {
	return document.Each(ms, func(m engram.Memory) entry { return entry{observation: observationOf(m, notes[m.Num])} })
}

func (a *API) timeline(q *route.Request) (route.Reply, error) {
	id := q.Query.Get("observation_id")
	if id == "" {
		return route.Reply{}, route.Invalid("observation_id parameter is required")
	}
	ref, err := numbered(id, "observation")
	if engram.CodeOf(err) == engram.CodeInvalid {
		return route.Reply{}, route.Invalid("invalid observation_id").WithHint("use a whole number")
	}
	var t engram.Timeline
	if err == nil {
		before, after := q.Lenient("before"), q.Lenient("after")
		t, err = a.Engine.Timeline(q.Context(), ref, before, after)
	}
	if err != nil {
		return route.Reply{}, route.Worded(err, engram.CodeNotFound, "timeline: observation #%s not found", id)
	}
	doc := timelineDoc{Focus: observationOf(t.Focus, t.Notes[t.Focus.Num]), Before: entriesOf(t.Before, t.Notes), After: entriesOf(t.After, t.Notes), Total: t.Total}
	if t.Session.ID != "" {
		doc.Session = new(sessionOf(t.Session))
	}
	return route.Reply{Body: doc}, nil
}

// elsewhere says where an answer without results, or with uncertain ones, looked, and what other projects hold; ""
// for one with others. Older lists are bare arrays, so a header carries it.
func (a *API) elsewhere(q *route.Request, project string, found, uncertain bool) (string, error) {
	if found && !uncertain {
		return "", nil
	}
	n, err := a.at(q).Nothing(q.Context(), project)
	n.Nearest = uncertain && found
	return render.Nothing(n, "leave project out", "POST /memories"), err
}
