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

// wrongFile is the rejection of a whole file, with each faulty item.
type wrongFile struct {
	error
	items []document.ImportNote
}

// Unwrap returns the error itself.
func (w *wrongFile) Unwrap() error { return w.error }

func (a *API) importFile(w http.ResponseWriter, q *request) error {
	dryRun := q.flag("dry_run")
	if q.err == nil && q.ContentLength > maxImport {
		return tooLarge(maxImport)
	}
	input := exchange.ImportInput{Mode: exchange.ImportMode(q.query.Get("mode")), Project: q.oneProject(), DryRun: dryRun}
	if a.bound(q, &input); q.err != nil {
		return q.err
	}
	in := pacedBody(w, q.Body, readTimeout)
	defer in.idle.Stop()
	res, err := a.Engine.Import(q.Context(), in, input)
	switch _, over := errors.AsType[*http.MaxBytesError](err); {
	case over:
		return tooLarge(maxImport)
	case errors.Is(err, os.ErrDeadlineExceeded):
		return refuse(http.StatusRequestTimeout, engram.Errorf(engram.CodeUnavailable, "the body did not arrive in time").WithCause(err))
	case err != nil && len(res.Rejected) > 0:
		return &wrongFile{err, document.ImportedOf(res, dryRun).Rejected}
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
	a.send(w, q.Request, http.StatusOK, mediaJSON, line)
	return nil
}

// bound limits what a replacing import may touch: one project (named, or the server's) or all, and the number
// of memories the caller agreed to forget.
func (a *API) bound(q *request, in *exchange.ImportInput) {
	if in.Mode != exchange.ImportReplace {
		return
	}
	all := q.flag("all_projects")
	in.MayForget = new(q.number("may_forget"))
	if q.err == nil && !all && in.Project == "" {
		here, err := a.Engine.ProjectFor(q.Context(), projects.ProjectRequest{Override: a.Project, Dir: a.Dir, Lenient: true})
		in.Only, q.err = here.Name, err
	}
}

// oneProject reads the project that a file is limited to, which may be left out but not blank.
func (q *request) oneProject() string {
	name := q.query.Get("project")
	if q.query.Has("project") && blank(name) {
		q.bad(invalid("project parameter must not be blank"))
	}
	return name
}

// exportFormats lists the formats of an export, the default first.
func exportFormats() []string { return []string{exchange.NativeFormat, "mem"} }

// export answers with a file, written while it is read.
func (a *API) export(w http.ResponseWriter, q *request) error {
	in := exchange.ExportInput{Format: q.query.Get("format"), Project: q.oneProject(), Vectors: q.flag("vectors")}
	if q.err != nil {
		return q.err
	}
	w.Header().Set("Content-Disposition", "attachment; filename=engram-export.json")
	w.Header().Set("Content-Type", mediaJSON)
	out := pacedAnswer(w, writeTimeout)
	defer out.idle.Stop()
	_, err := a.Engine.Export(q.Context(), out, in)
	if err != nil && out.written {
		// Half of it is sent: break the connection so that the client does not take it as complete.
		a.Log.Debug("an export was broken off", "err", err)
		out.breakOff()
		return nil
	}
	if err != nil {
		w.Header().Del("Content-Disposition")
	}
	return err
}
