package httpapi

import (
	"net/http"
	"strings"

	"github.com/alanbuscaglia/engram/internal/engine"
)

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
