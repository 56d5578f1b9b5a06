package httpapi

import (
	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/engine"
)

// usesDoc is the answer of GET /sessions/{id}/uses.
type usesDoc struct {
	SessionID string   `json:"session_id"`
	Project   string   `json:"project"`
	Tokens    int      `json:"tokens"` // of all uses, about
	Uses      []useDoc `json:"uses"`   // oldest first
}

// useDoc is one showing of a memory.
type useDoc struct {
	At     stamp       `json:"at"`
	Verb   string      `json:"verb"`   // search, recall, context or get
	Query  string      `json:"query"`  // private spans removed; "" when nothing was asked
	Num    int64       `json:"num"`    // of the memory; 0 when nothing was shown, or it was erased
	Type   engram.Type `json:"type"`   // as it is now
	Title  string      `json:"title"`  // as it is now
	Rank   int         `json:"rank"`   // from 1; 0 when nothing was shown
	Tokens int         `json:"tokens"` // what showing it cost, about
	Gone   bool        `json:"gone"`   // forgotten or erased since
}

// sessionUses tells what a session was shown.
func (a *API) sessionUses(q request) (reply, error) {
	account, err := a.Engine.Why(q.Context(), q.PathValue("id"))
	return reply{body: usesDoc{account.Session.ID, account.Session.Project, account.Tokens, each(account.Uses, func(u engine.Shown) useDoc {
		return useDoc{stamp(u.At), u.Verb, u.Query, u.Memory, u.Type, u.Title, u.Rank, u.Tokens, u.Gone}
	})}}, err
}
