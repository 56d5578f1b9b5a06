package app

import (
	"context"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/replica/foreign"
)

// ForeignOptions say how what another system keeps is read.
type ForeignOptions = foreign.Options

// ForeignWhere says where the usual places of other systems are.
type ForeignWhere = foreign.Where

// ForeignSystems are the names of the systems whose memory can be read.
func ForeignSystems() []string {
	var names []string
	for _, s := range foreign.Systems() {
		names = append(names, string(s))
	}
	return names
}

// Foreign opens what a system keeps at path; the caller closes it. Errors are those of
// foreign.Open.
func Foreign(ctx context.Context, system, path string, o ForeignOptions) (engram.Source, error) {
	return foreign.Open(ctx, foreign.System(system), path, o)
}

// ForeignPlaces are what a system keeps in its usual places, and those places.
func ForeignPlaces(system string, w ForeignWhere) (found, usual []string) {
	return foreign.Places(foreign.System(system), w), foreign.Usual(foreign.System(system), w)
}

// EarlierAt says which earlier Engram the database at path is of; "" for anything else.
func EarlierAt(ctx context.Context, path string) string { return foreign.Earlier(ctx, path) }
