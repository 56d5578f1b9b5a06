package httpapi

import (
	"strings"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/document"
	"github.com/alanbuscaglia/engram/internal/engine"
)

// readMemory reads a memory for a session, for which it counts as an access. Without a
// session nobody says who reads, and a GET changes nothing.
func (a *API) readMemory(q request, ref engram.Ref) (engine.Detail, error) {
	session := q.query.Get("session_id")
	at, err := q.when("as_of", a.Engine.Now())
	if err != nil {
		return engine.Detail{}, err
	}
	if blank(session) || !at.IsZero() {
		return a.at(q).GetAsOf(q.Context(), ref, at)
	}
	return a.at(q).GetIn(q.Context(), session, ref)
}

// decayDoc is the answer of GET /decay.
type decayDoc struct {
	Days     int              `json:"days"`  // how far ahead later looks
	Total    int              `json:"total"` // how many pass, with those that are not on this page
	Limit    int              `json:"limit"`
	Offset   int              `json:"offset"`
	Memories []document.Faded `json:"memories"` // weakest first
}

// decay tells how strong memories are, the weakest first; with id, repeated or parted by
// commas, these memories.
func (a *API) decay(q request) (reply, error) {
	in := engine.DecayInput{Curve: engram.Curve(strings.ToLower(strings.TrimSpace(q.query.Get("curve"))))}
	var err error
	if in.Filter, err = q.filter(a.Engine.Now()); err != nil {
		return reply{}, err
	}
	if in.Filter.Scope, err = knownScope(q.query.Get("scope")); err != nil {
		return reply{}, err
	}
	if err := a.known(q, in.Filter.Project); err != nil {
		return reply{}, err
	}
	if in.Refs, err = refs(q.list("id")); err != nil {
		return reply{}, err
	}
	if in.Below, err = q.share("below"); err != nil {
		return reply{}, err
	}
	if in.Days, err = q.number("days"); err != nil {
		return reply{}, err
	}
	if in.Limit, err = q.number("limit"); err != nil {
		return reply{}, err
	}
	if in.Offset, err = q.number("offset"); err != nil {
		return reply{}, err
	}
	out, err := a.Engine.Decay(q.Context(), in)
	return reply{body: decayDoc{out.Days, out.Total, in.Limit, in.Offset, document.Each(out.Memories, func(f engine.Faded) document.Faded {
		return document.FadedOf(f.Memory, f.Now, f.Later, f.Curve, f.Reason)
	})}}, err
}

// projectDecay tells how the memories of a project fade; type asks for one type.
func (a *API) projectDecay(q request) (reply, error) {
	d, err := a.Engine.DecayProject(q.Context(), engine.ProjectDecayInput{Project: q.PathValue("name"), Type: engram.Type(q.query.Get("type"))})
	return reply{body: document.ProjectDecayOf(d.Project, d.Own, d.InForce)}, err
}

// decayBody says how a project is to fade; what is null stays.
type decayBody struct {
	Type     string        `json:"type" doc:"only memories of this type"`
	Curve    *engram.Curve `json:"curve" doc:"importance, geometric or ebbinghaus"`
	Rate     *float64      `json:"rate" doc:"0 is the curve's own"`
	MaxBoost *float64      `json:"max_boost" doc:"0 is 2"`
	Reset    bool          `json:"reset" default:"false" doc:"as the configuration has it again"`
}

// setProjectDecay changes how the memories of a project fade; what is null stays.
func (a *API) setProjectDecay(q request, in decayBody) (reply, error) {
	d, err := a.Engine.DecayProject(q.Context(), engine.ProjectDecayInput{Project: q.PathValue("name"), Type: engram.Type(in.Type),
		Curve: in.Curve, Rate: in.Rate, MaxBoost: in.MaxBoost, Reset: in.Reset})
	return reply{body: document.ProjectDecayOf(d.Project, d.Own, d.InForce)}, err
}
