package httpapi

import (
	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/engine"
)

// recalledDoc is the answer of GET /recall.
type recalledDoc struct {
	Query    string            `json:"query"`
	Budget   int               `json:"budget"` // in tokens
	Tokens   int               `json:"tokens"` // what text costs, about; never more than budget
	Text     string            `json:"text"`   // all items as one block of Markdown; "" when there are none
	Items    []recalledItemDoc `json:"items"`  // best first
	LeftOut  []leftOutDoc      `json:"left_out"`
	Repaired []repairDoc       `json:"repaired"`
	Times    []timeDoc         `json:"times"`
	Degraded []string          `json:"degraded"`
}

type recalledItemDoc struct {
	Rank   int       `json:"rank"`   // from 1
	Score  float64   `json:"score"`  // greater is better; comparable within one answer
	Whole  bool      `json:"whole"`  // all of the content is shown
	Tokens int       `json:"tokens"` // what text costs, about
	Text   string    `json:"text"`
	Memory memoryDoc `json:"memory"`
	Why    *why      `json:"why"`
}

// leftOutDoc is a memory that was found and is not shown.
type leftOutDoc struct {
	ID     engram.ID   `json:"id"`
	Num    int64       `json:"num"`
	Type   engram.Type `json:"type"`
	Title  string      `json:"title"`
	Reason string      `json:"reason"`
}

func leftOutOf(l engram.LeftOut) leftOutDoc {
	return leftOutDoc{l.Memory.ID, l.Memory.Num, l.Memory.Type, l.Memory.Title, l.Reason}
}

func recalledOf(r engine.Recalled) recalledDoc {
	d := recalledDoc{Query: r.Query, Budget: r.Budget, Tokens: r.Tokens, Text: r.Text, Items: []recalledItemDoc{},
		LeftOut: each(r.LeftOut, leftOutOf), Repaired: each(r.Repaired, repairOf), Times: each(r.Times, timeOf), Degraded: orEmpty(r.Degraded)}
	for i, item := range r.Items {
		h := item.Hit
		d.Items = append(d.Items, recalledItemDoc{i + 1, h.Score, item.Whole, item.Tokens, item.Text, memoryOf(h.Memory, h.State), whyOf(h.Why)})
	}
	return d
}

// recall fills a budget of tokens with what a question finds.
func (a *API) recall(q request) (reply, error) {
	in := engine.RecallInput{SessionID: q.query.Get("session_id"), Zone: a.Zone}
	var err error
	if in.SearchInput, err = q.searchInput(a.Engine.Now()); err != nil {
		return reply{}, err
	}
	if in.Filter.Scope, err = knownScope(q.query.Get("scope")); err != nil {
		return reply{}, err
	}
	if err := a.known(q, in.Filter.Project); err != nil {
		return reply{}, err
	}
	if in.Limit, err = q.number("limit", 0, 1, 100); err != nil {
		return reply{}, err
	}
	if in.Budget, err = q.number("budget", 0, 0, engine.MaxBudget); err != nil {
		return reply{}, err
	}
	if in.Again, err = q.flag("again"); err != nil {
		return reply{}, err
	}
	r, err := a.Engine.Recall(q.Context(), in)
	return reply{body: recalledOf(r)}, err
}
