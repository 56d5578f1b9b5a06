package httpapi

import (
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"os"
	"strings"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/document"
	"github.com/alanbuscaglia/engram/internal/engine"
)

// maxImport is what an import may send, in bytes. It is read as it comes in.
const maxImport = 256 << 20

// importedDoc is what an import did. The first three are what plugins of the mem_* world
// know: how many are here now that were not before.
type importedDoc struct {
	Sessions     int `json:"sessions_imported"`
	Observations int `json:"observations_imported"`
	Prompts      int `json:"prompts_imported"`
	document.Imported
}

// wrongFile is why a file was refused as a whole, with each item that is wrong.
type wrongFile struct {
	error
	items []document.ImportNote
}

// Unwrap returns the error itself.
func (w *wrongFile) Unwrap() error { return w.error }

// importFile brings a file in. The body is the file.
func (a *API) importFile(w http.ResponseWriter, q request) error {
	dryRun, err := q.flag("dry_run")
	if err != nil {
		return err
	}
	if q.ContentLength > maxImport {
		return tooLarge(maxImport)
	}
	project := q.query.Get("project")
	if q.query.Has("project") && strings.TrimSpace(project) == "" {
		return invalid("project parameter must not be blank")
	}
	input := engine.ImportInput{Mode: engine.ImportMode(q.query.Get("mode")), Project: project, DryRun: dryRun}
	if err := a.bound(q, &input); err != nil {
		return err
	}
	in := pacedBody(w, q.Body, readTimeout)
	defer in.stop()
	res, err := a.Engine.Import(q.Context(), in, input)
	switch _, over := errors.AsType[*http.MaxBytesError](err); {
	case over:
		return tooLarge(maxImport)
	case errors.Is(err, os.ErrDeadlineExceeded):
		return refuse(http.StatusRequestTimeout, engram.Errorf(engram.CodeUnavailable, "the body did not arrive in time").WithCause(err))
	case err != nil && len(res.Rejected) > 0:
		return &wrongFile{err, document.ImportedOf(res, dryRun).Rejected}
	case err != nil && len(res.Forgets) > 0:
		return engram.Errorf(engram.CodeOf(err), "%v", err).WithHint("nothing was replaced; to agree, send it with may_forget=%d, and with dry_run=true to only look", res.Memories.Removed)
	case err != nil:
		return err
	}
	// What follows the file is waited for at its pace; net/http would wait without end.
	_, _ = io.Copy(io.Discard, in)
	line, err := json.Marshal(importedDoc{res.Sessions.Added, res.Memories.Added, res.Prompts.Added, document.ImportedOf(res, dryRun)})
	if err != nil {
		return engram.Errorf(engram.CodeInternal, "the answer cannot be written as JSON").WithCause(err)
	}
	a.send(w, q.Request, http.StatusOK, mediaJSON, line)
	return nil
}

// bound says what a replacement may touch: the project of the server's folder, the one that is
// named or all, and as many memories as the caller agreed to.
func (a *API) bound(q request, in *engine.ImportInput) error {
	if in.Mode != engine.ImportReplace {
		return nil
	}
	all, err := q.flag("all_projects")
	if err != nil {
		return err
	}
	n, err := q.number("may_forget")
	if err != nil {
		return err
	}
	if in.MayForget = &n; all || in.Project != "" {
		return nil
	}
	here, err := a.Engine.ProjectFor(q.Context(), engine.ProjectRequest{Override: a.Project, Dir: a.Dir, Lenient: true})
	in.Only = here.Name
	return err
}

// exportFormats are how an export is written, the default first.
func exportFormats() []string { return []string{engine.NativeFormat, "mem"} }

// export answers with a file, which is written as it is read.
func (a *API) export(w http.ResponseWriter, q request) error {
	project := q.query.Get("project")
	if q.query.Has("project") && strings.TrimSpace(project) == "" {
		return invalid("project parameter must not be blank")
	}
	vectors, err := q.flag("vectors")
	if err != nil {
		return err
	}
	w.Header().Set("Content-Disposition", "attachment; filename=engram-export.json")
	w.Header().Set("Content-Type", mediaJSON)
	out := pacedAnswer(w, writeTimeout)
	defer out.stop()
	_, err = a.Engine.Export(q.Context(), out, engine.ExportInput{Format: q.query.Get("format"), Project: project, Vectors: vectors})
	if err != nil && out.written {
		// Half of it is on its way: who reads it must not take it for whole.
		a.Log.Debug("an export was broken off", "err", err)
		out.breakOff()
		return nil
	}
	if err != nil {
		w.Header().Del("Content-Disposition")
	}
	return err
}
