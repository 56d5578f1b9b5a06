package httpapi

import (
	"github.com/alanbuscaglia/engram/internal/document"
	"github.com/alanbuscaglia/engram/internal/engine"
)

// recalledDoc is the answer of GET /recall.
type recalledDoc struct {
	Query     string             `json:"query"`
	Budget    int                `json:"budget"` // in tokens
	Tokens    int                `json:"tokens"` // what text costs, about; never more than budget
	Text      string             `json:"text"`   // all items as one block of Markdown; "" when there are none
	Items     []document.Shown   `json:"items"`  // best first
	LeftOut   []document.LeftOut `json:"left_out"`
	Repaired  []document.Repair  `json:"repaired"`
	Times     []document.Time    `json:"times"`
	Degraded  []string           `json:"degraded"`
	Elsewhere string             `json:"elsewhere,omitempty"` // where was looked and what is in other projects, where nothing was found
}

func recalledOf(r engine.Recalled) recalledDoc {
	d := recalledDoc{Query: r.Query, Budget: r.Budget, Tokens: r.Tokens, Text: r.Text, Items: []document.Shown{},
		LeftOut: document.Each(r.LeftOut, document.LeftOutOf), Repaired: document.Each(r.Repaired, document.RepairOf), Times: document.Each(r.Times, document.TimeOf), Degraded: document.OrEmpty(r.Degraded)}
	for i, item := range r.Items {
		d.Items = append(d.Items, document.ShownOf(i+1, item.Hit, item.Text, item.Whole, item.Tokens))
	}
	return d
}

// recall fills a budget of tokens with what a question finds.
func (a *API) recall(q request) (reply, error) {
	in := engine.RecallInput{SessionID: q.query.Get("session_id"), Zone: a.Zone, Unseen: true}
	var err error
	if in.SearchInput, err = q.searchInput(a.Engine.Now()); err != nil {
		return reply{}, err
	}
	if in.Filter.Scope, err = knownScope(q.query.Get("scope")); err != nil {
		return reply{}, err
	}
	if err := a.knownAt(q, in.Filter.Project, in.AsOf); err != nil {
		return reply{}, err
	}
	if in.Limit, err = q.number("limit"); err != nil {
		return reply{}, err
	}
	if in.Budget, err = q.number("budget"); err != nil {
		return reply{}, err
	}
	if in.Again, err = q.flag("again"); err != nil {
		return reply{}, err
	}
	r, err := a.at(q).Recall(q.Context(), in)
	if err != nil {
		return reply{}, err
	}
	doc := recalledOf(r)
	doc.Elsewhere, err = a.elsewhere(q, in.Filter.Project, r.Found() || len(r.Items) > 0 || !in.AsOf.IsZero())
	return reply{body: doc, elsewhere: doc.Elsewhere}, err
}
