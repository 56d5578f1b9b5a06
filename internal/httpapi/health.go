package httpapi

import (
	"bytes"
	"errors"
	"io"
	"net/http"
	"path/filepath"
	"slices"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/document"
	"github.com/alanbuscaglia/engram/internal/engine"
	"github.com/alanbuscaglia/engram/internal/project"
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

// doctor says how the store is, and is 200 whatever it says. A project that is named
// must be known; without one it is that of the folder cwd, else the server's own.
func (a *API) doctor(q request) (reply, error) {
	in := engine.DoctorInput{Check: q.query.Get("check"), Project: engine.ProjectRequest{Explicit: q.query.Get("project"), Dir: q.query.Get("cwd")}}
	switch at := &in.Project; {
	case at.Dir == "":
		at.Dir, at.Override = a.Dir, a.Project
	case !filepath.IsAbs(at.Dir):
		at.Dir = filepath.Join(a.Dir, at.Dir)
	}
	r, err := a.Engine.Doctor(q.Context(), in)
	if err != nil {
		return reply{}, undetected(err, in.Project.Explicit)
	}
	return reply{body: document.ReportOf(r)}, nil
}

// detectionFailed is the kind of a folder whose project cannot be told for another
// reason than that there are several.
const detectionFailed project.Reason = "project_detection_failed"

// undetected puts an error about a project into the words of the older routes.
func undetected(err error, named string) error {
	p, ok := errors.AsType[*project.Problem](err)
	switch {
	case !ok:
		return err
	case p.Reason == project.ReasonUnknown:
		return engram.Errorf(engram.CodeNotFound, "project %q not found", named).WithHintOf(err).WithCause(err)
	}
	told := *p
	if p.Reason != project.ReasonAmbiguous {
		told.Reason = detectionFailed
	}
	return engram.Errorf(engram.CodeInvalid, "project detection failed: %s", messageOf(err)).WithHintOf(err).WithCause(&told)
}

// forCommands hands a request to who answers the program's own commands.
func (a *API) forCommands(w http.ResponseWriter, q request) error {
	q.Body = io.NopCloser(bytes.NewReader(q.body))
	a.Daemon.ServeHTTP(w, q.Request)
	return nil
}
