package memory

import (
	"context"
	"fmt"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/engine"
)

// reading decides the project that a tool looks in. One that is named must exist.
func (d *Dialect) reading(ctx context.Context, named string) (engine.ProjectInForce, error) {
	return d.engine.ProjectFor(ctx, engine.ProjectRequest{Explicit: named, Override: d.project, Dir: d.dir})
}

// writing decides the project that a tool writes to.
func (d *Dialect) writing(ctx context.Context, named string) (engine.ProjectInForce, error) {
	return d.engine.ProjectFor(ctx, engine.ProjectRequest{Explicit: named, Override: d.project, Dir: d.dir, Write: true, Trusted: d.remote})
}

// ref reads how the argument of that name names a memory. A topic is one of the project in
// force; where none is, it is looked for everywhere.
func (d *Dialect) ref(ctx context.Context, argument, id string) (engram.Ref, error) {
	r, err := engram.ParseRef(id)
	if err != nil {
		return r, engram.Errorf(engram.CodeOf(err), "%s: %v", argument, err).WithHintOf(err)
	}
	if r.Topic != "" {
		if at, err := d.reading(ctx, ""); err == nil {
			r.Project = at.Name
		}
	}
	return r, nil
}

// refs reads a list of them.
func (d *Dialect) refs(ctx context.Context, argument string, ids []string) ([]engram.Ref, error) {
	var rs []engram.Ref
	for i, id := range ids {
		r, err := d.ref(ctx, fmt.Sprintf("%s[%d]", argument, i), id)
		if err != nil {
			return nil, err
		}
		rs = append(rs, r)
	}
	return rs, nil
}

// warnings are what is to be said beside an answer; empty ones fall out. Never nil.
func warnings(lists ...[]string) []string {
	all := []string{}
	for _, list := range lists {
		for _, w := range list {
			if w != "" {
				all = append(all, w)
			}
		}
	}
	return all
}
