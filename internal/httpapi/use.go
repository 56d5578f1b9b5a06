package httpapi

import (
	"github.com/alanbuscaglia/engram/internal/document"
	"github.com/alanbuscaglia/engram/internal/engine"
)

// usesDoc is the answer of GET /sessions/{id}/uses.
type usesDoc struct {
	SessionID string         `json:"session_id"`
	Project   string         `json:"project"`
	Tokens    int            `json:"tokens"` // of all uses, about
	Uses      []document.Use `json:"uses"`   // oldest first
}

// sessionUses tells what a session was shown.
func (a *API) sessionUses(q request) (reply, error) {
	account, err := a.Engine.Why(q.Context(), q.PathValue("id"))
	return reply{body: usesDoc{account.Session.ID, account.Session.Project, account.Tokens, document.Each(account.Uses, func(u engine.Shown) document.Use {
		return document.UseOf(u.Use, u.Type, u.Title, u.Gone)
	})}}, err
}
