package httpapi

import (
	"slices"

	"github.com/alanbuscaglia/engram/internal/document"
)

type health struct {
	Service string `json:"service"`
	Status  string `json:"status"`
	Version string `json:"version"`
}

// health says that the server answers; it asks nothing of the store, which may be busy.
func (a *API) health(request) (reply, error) {
	return reply{body: health{"engram", "ok", a.Version}}, nil
}

type greeting struct {
	Service   string   `json:"service"`
	Version   string   `json:"version"`
	Endpoints []string `json:"endpoints"`
}

// greet tells somebody who opened the address in a browser what there is.
func (a *API) greet(request) (reply, error) {
	shown := slices.DeleteFunc(a.Routes(), func(r Route) bool { return r.Hidden })
	return reply{body: greeting{"engram", a.Version, document.Each(shown, Route.name)}}, nil
}
