package enginetest

import (
	"context"
	"time"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/health"
	"github.com/alanbuscaglia/engram/internal/machine"
	"github.com/alanbuscaglia/engram/internal/postgres"
	"github.com/alanbuscaglia/engram/internal/postgrestest"
	"github.com/alanbuscaglia/engram/internal/sqlite"
)

// Opened is what both stores offer.
type Opened interface {
	engram.Store
	Probe(context.Context) health.Log
	Backup(ctx context.Context, before string, now func() time.Time) (string, error)
	Shorten(context.Context) (bool, error)
}

// Clinic implements engine.Clinic for a store that is open.
type Clinic struct {
	Path  string
	Store Opened
	Clock *Clock
}

// Examine implements engine.Clinic.
func (c Clinic) Examine(ctx context.Context, q health.Query) (health.Facts, error) {
	if url, space, instead := postgrestest.Instead(c.Path); instead {
		return postgres.Examine(ctx, postgres.Options{URL: url, Space: space}, q)
	}
	f, err := sqlite.Examine(ctx, c.Path, q)
	f.Files = machine.Look(c.Path)
	return f, err
}

// Probe implements engine.Clinic.
func (c Clinic) Probe(ctx context.Context) health.Log { return c.Store.Probe(ctx) }

// Backup implements engine.Clinic.
func (c Clinic) Backup(ctx context.Context, before string) (string, error) {
	return c.Store.Backup(ctx, before, c.Clock.Now)
}

// Shorten implements engine.Clinic.
func (c Clinic) Shorten(ctx context.Context) (bool, error) { return c.Store.Shorten(ctx) }

// Tighten implements engine.Clinic.
func (c Clinic) Tighten(context.Context) ([]string, error) {
	if OnServer() {
		return nil, nil
	}
	return machine.Tighten(c.Path)
}

// ListChunks implements engine.Clinic; there is no repository.
func (c Clinic) ListChunks(context.Context) ([]string, error) { return nil, nil }
