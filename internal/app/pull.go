package app

import (
	"context"
	"fmt"
	"time"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/config"
	"github.com/alanbuscaglia/engram/internal/daemon"
	"github.com/alanbuscaglia/engram/internal/embedding/hub"
	"github.com/alanbuscaglia/engram/internal/embedding/library"
	"github.com/alanbuscaglia/engram/internal/embedding/static"
	"github.com/alanbuscaglia/engram/internal/machine"
)

// PublishedModel is a model that is known by name.
type PublishedModel = library.Entry

// PullModel says which model to download.
type PullModel = library.PullInput

// ModelPlan is what would be downloaded.
type ModelPlan = library.Plan

// PublishedModels returns the models that are known by name, smallest first.
func PublishedModels() []PublishedModel { return library.Catalogue() }

// Pull downloads a model from the hub of a configuration and installs it (library.Library.Pull).
func (m Models) Pull(ctx context.Context, c config.Config, in PullModel) (Model, error) {
	client, err := hub.New(hub.Options{Endpoint: c.ModelMirror, Token: c.ModelToken})
	if err != nil {
		return Model{}, err
	}
	in.Hub, in.Now, in.TryLock, in.Free = client, time.Now(), daemon.TryLock, machine.Free
	return m.Library.Pull(ctx, in)
}

// ModelMarks are what cosines of a model mean for the user's own memories.
type ModelMarks = library.Marks

// inForce returns the embedding model that is configured; nil for none.
func (a *App) inForce() engram.Embedder {
	if a.asked != nil {
		return a.asked
	}
	return a.embedder
}

// marksOf returns the marks of a model in a comparable form: they may be fitted while a server runs.
func marksOf(e engram.Embedder) string {
	if e == nil {
		return ""
	}
	if s, ok := e.(*served); ok { // which are in force is known when it answers
		return fmt.Sprint(" ", s.fitted)
	}
	m := e.Model()
	return fmt.Sprint(" ", m.Related, m.Duplicate, m.Noise, m.Answer)
}

// Calibrated returns the embedding model in force, if its thresholds can be fitted: it is an installed one, or at a
// server. CodeInvalid where another or no model is in force, CodeUnavailable for one that cannot be used.
func (a *App) Calibrated() (engram.Embedder, error) {
	switch e := a.inForce().(type) {
	case *library.Embedder, *served:
		return e, nil
	case lost:
		return nil, e.err()
	case *static.Model:
		return nil, engram.Errorf(engram.CodeInvalid, "the built-in model has thresholds that were measured, and is not calibrated").
			WithHint("another model is: {model use NAME}")
	}
	return nil, engram.Errorf(engram.CodeInvalid, "no embedding model is in force").WithHint("choose one: {model list}, {model use NAME}")
}

// Fit keeps marks of the model that Calibrated returns. This process goes on with those before.
func (a *App) Fit(m ModelMarks) error {
	e, err := a.Calibrated()
	if err != nil {
		return err
	}
	if e.Model().Fingerprint == "" {
		return engram.Errorf(engram.CodeUnavailable, "the model %s has not answered yet", e.Model().Name).WithHint("check that its server is running")
	}
	m.Fitted = time.Now().UTC().Truncate(time.Second)
	return ModelsOf(a.opts.Config).SetMarks(e.Model().Fingerprint, m)
}
