package httpapi

import (
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"os"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/document"
	"github.com/alanbuscaglia/engram/internal/engine/exchange"
	"github.com/alanbuscaglia/engram/internal/engine/projects"
	"github.com/alanbuscaglia/engram/internal/httpapi/route"
)

// maxImport limits an import in bytes. The body is read as a stream.
const maxImport = 256 << 20

// importedDoc says what an import did. The first three fields are those of the mem_* world: how many were
// added.
type importedDoc struct {
	Sessions     int `json:"sessions_imported"`
	Observations int `json:"observations_imported"`
	Prompts      int `json:"prompts_imported"`
	document.Imported
}

func (a *API) importFile(w http.ResponseWriter, q *route.Request) error {
	dryRun := q.Flag("dry_run")
	if q.Err == nil && q.ContentLength > maxImport {
		return route.TooLarge(maxImport)
	}
	input := exchange.ImportInput{Mode: exchange.ImportMode(q.Query.Get("mode")), Project: oneProject(q), DryRun: dryRun}
	if a.bound(q, &input); q.Err != nil {
		return q.Err
	}
	in := route.PacedBody(w, q.Body, route.ReadTimeout)
	defer in.Idle.Stop()
	res, err := a.Engine.Import(q.Context(), in, input)
	switch _, over := errors.AsType[*http.MaxBytesError](err); {
	case over:
		return route.TooLarge(maxImport)
	case errors.Is(err, os.ErrDeadlineExceeded):
		return route.Refuse(http.StatusRequestTimeout, engram.Errorf(engram.CodeUnavailable, "the body did not arrive in time").WithCause(err))
	case err != nil && len(res.Rejected) > 0:
		return &route.RejectedFile{Err: err, Items: document.ImportedOf(res, dryRun).Rejected}
	case err != nil && len(res.Forgets) > 0:
		return engram.Errorf(engram.CodeOf(err), "%v", err).WithHint("nothing was replaced; to confirm, send it with may_forget=%d, or preview it with dry_run=true", res.Memories.Removed)
	case err != nil:
		return err
	}
	// Read what follows the file at its own pace; net/http would wait without limit.
	_, _ = io.Copy(io.Discard, in)
	line, err := json.Marshal(importedDoc{res.Sessions.Added, res.Memories.Added, res.Prompts.Added, document.ImportedOf(res, dryRun)})
	if err != nil {
		return engram.Errorf(engram.CodeInternal, "cannot write the answer as JSON").WithCause(err)
	}
	a.Send(w, q.Request, http.StatusOK, route.MediaJSON, line)
	return nil
}

// bound limits what a replacing import may touch: one project (named, or the server's) or all, and the number
// of memories the caller agreed to forget.
func (a *API) bound(q *route.Request, in *exchange.ImportInput) {
	if in.Mode != exchange.ImportReplace {
		return
	}
	all := q.Flag("all_projects")
	in.MayForget = new(q.Number("may_forget"))
	if q.Err == nil && !all && in.Project == "" {
		here, err := a.Engine.ProjectFor(q.Context(), projects.ProjectRequest{Override: a.Project, Dir: a.Dir, Lenient: true})
		in.Only, q.Err = here.Name, err
	}
}

// oneProject reads the project that a file is limited to, which may be left out but not blank.
func oneProject(q *route.Request) string {
	name := q.Query.Get("project")
	if q.Query.Has("project") && blank(name) {
		q.Bad(route.Invalid("project parameter must not be blank"))
	}
	return name
}

// export answers with a file, written while it is read.
func (a *API) export(w http.ResponseWriter, q *route.Request) error {
	in := exchange.ExportInput{Format: q.Query.Get("format"), Project: oneProject(q), Vectors: q.Flag("vectors")}
	if q.Err != nil {
		return q.Err
	}
	w.Header().Set("Content-Disposition", "attachment; filename=engram-export.json")
	w.Header().Set("Content-Type", route.MediaJSON)
	out := route.PacedAnswer(w, route.WriteTimeout)
	defer out.Idle.Stop()
	_, err := a.Engine.Export(q.Context(), out, in)
	if err != nil && out.Written {
		// Half of it is sent: break the connection so that the client does not take it as complete.
		a.Log.Debug("an export was broken off", "err", err)
		out.BreakOff()
		return nil
	}
	if err != nil {
		w.Header().Del("Content-Disposition")
	}
	return err
}
