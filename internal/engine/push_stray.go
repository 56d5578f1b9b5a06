package engine

import (
	"context"
	"slices"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/lifecycle"
)

// strays tells of memories that left the project, or became personal, that they are gone
// from there. Where everything goes, wherever they went goes too.
func (p *pushing) strays(ctx context.Context) error {
	names := []string{p.res.Project}
	if p.in.All {
		err := p.store.View(ctx, func(r engram.Reader) (err error) {
			names, err = r.ProjectNames(ctx)
			return err
		})
		if err != nil {
			return err
		}
	}
	for _, name := range names {
		if err := p.strayed(ctx, name); err != nil {
			return err
		}
	}
	return nil
}

func (p *pushing) strayed(ctx context.Context, project string) error {
	for after := ""; ; {
		var page []outgoing
		var keys []string
		err := p.store.View(ctx, func(r engram.Reader) (err error) {
			if keys, err = r.Strayed(ctx, project, p.batches, after, pushPage); err != nil || len(keys) == 0 {
				return err
			}
			page, err = p.leaving(ctx, r, project, keys)
			return err
		})
		if err != nil {
			return err
		}
		for _, o := range page {
			if err := p.send(ctx, o); err != nil {
				return err
			}
		}
		if len(keys) < pushPage {
			return nil
		}
		after = keys[len(keys)-1]
	}
}

// leaving returns what is to be told of memories that left and was not told yet.
func (p *pushing) leaving(ctx context.Context, r engram.Reader, project string, keys []string) (out []outgoing, err error) {
	ms, err := r.Memories(ctx, mapped(keys, numOf))
	if err != nil {
		return nil, err
	}
	lineages, err := r.Lineages(ctx, engram.EntityMemory, keys)
	if err != nil {
		return nil, err
	}
	for _, m := range ms {
		s, left := leftBy(m, lineages[key(m.Num)], project)
		if !left || p.in.All && m.Scope != engram.ScopePersonal {
			continue
		}
		o := outgoing{record: leavingRecord(m, s, project), entity: engram.EntityMemory, key: key(m.Num)}
		o.digest = o.record.Lineage.Digest()
		sets, err := r.CarriedBy(ctx, engram.EntityMemory, o.key, o.digest)
		if err != nil {
			return nil, err
		}
		if !slices.ContainsFunc(sets, func(set []string) bool { return p.has(set) }) {
			out = append(out, o)
		}
	}
	return out, nil
}

// has reports whether all of these batches are at the remote.
func (p *pushing) has(batches []string) bool {
	return !slices.ContainsFunc(batches, func(b string) bool { return !slices.Contains(p.batches, b) })
}

// leftBy is the write by which a memory left a project, or became its author's alone.
func leftBy(m engram.Memory, l engram.Lineage, project string) (s engram.Stamp, left bool) {
	part := engram.Part("scope")
	if m.Project != project {
		part = "project"
	}
	s, left = l.Parts[part]
	return s, left
}

// leavingRecord is a memory that left a project, for those who have it there: its names, and
// by which move. It says nothing else, so that of any other part the other side's holds.
func leavingRecord(m engram.Memory, s engram.Stamp, project string) engram.Record {
	gone := engram.Memory{ID: m.ID, SyncID: m.SyncID, Project: project, DeletedAt: s.At.Time(), RevisionCount: 1, DuplicateCount: 1}
	l := lifecycle.Stamped(engram.Lineage{}, []engram.Part{engram.PartLeft}, s)
	return engram.Record{Memory: &engram.MemoryRecord{Memory: gone}, Lineage: &l, Gone: true}
}
