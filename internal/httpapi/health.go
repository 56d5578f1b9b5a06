package httpapi

import (
	"errors"
	"slices"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/document"
	"github.com/alanbuscaglia/engram/internal/engine/consolidate"
	"github.com/alanbuscaglia/engram/internal/httpapi/route"
	"github.com/alanbuscaglia/engram/internal/project"
)

type health struct {
	Service string `json:"service"`
	Status  string `json:"status"`
	Version string `json:"version"`
}

// health answers without the store, which may be busy.
func (a *API) health(*route.Request) (route.Reply, error) {
	return route.Reply{Body: health{"engram", "ok", a.Version}}, nil
}

// openAPI answers with the description of every route, for programs that generate clients.
func (a *API) openAPI(*route.Request) (route.Reply, error) {
	doc, err := a.described()
	if err != nil {
		return route.Reply{}, engram.Errorf(engram.CodeInternal, "cannot describe the routes").WithCause(err)
	}
	return route.Reply{Media: route.MediaJSON, Text: doc}, nil
}

type greeting struct {
	Service   string   `json:"service"`
	Version   string   `json:"version"`
	Endpoints []string `json:"endpoints"`
}

// greet shows the routes to a person who opens the address in a browser.
func (a *API) greet(*route.Request) (route.Reply, error) {
	shown := slices.DeleteFunc(a.Routes(), func(r route.Route) bool { return r.Hidden })
	return route.Reply{Body: greeting{"engram", a.Version, document.Each(shown, route.Route.Name)}}, nil
}

// doctor reports the health of the store with 200, good or bad. Without a named project, which must exist, it
// takes that of the folder cwd, else of the server's folder.
func (a *API) doctor(q *route.Request) (route.Reply, error) {
	in := consolidate.DoctorInput{Check: q.Query.Get("check"), Project: a.folder(q)}
	in.Project.Explicit = q.Query.Get("project")
	r, err := a.Engine.Doctor(q.Context(), in)
	return route.Reply{Body: document.ReportOf(r)}, undetected(err, in.Project.Explicit)
}

// detectionFailed is the reason when a folder's project cannot be detected, ambiguous folders aside.
const detectionFailed project.Reason = "project_detection_failed"

// undetected words an error about a project as the older routes do.
func undetected(err error, named string) error {
	p, ok := errors.AsType[*project.Problem](err)
	switch {
	case !ok:
		return err
	case p.Reason == project.ReasonUnknown:
		return engram.Errorf(engram.CodeNotFound, "project %q not found", named).WithHintOf(err).WithCause(err)
	}
	reported := *p
	if p.Reason != project.ReasonAmbiguous {
		reported.Reason = detectionFailed
	}
	return engram.Errorf(engram.CodeInvalid, "project detection failed: %s", route.MessageOf(err)).WithHintOf(err).WithCause(&reported)
}
