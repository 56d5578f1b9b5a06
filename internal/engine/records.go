package engine

import (
	"context"

	"github.com/alanbuscaglia/engram"
)

// What is read here is what leaves: things as they were written, with all that belongs to
// them and their lineages. Those of one call are read together.

// memoryRecords are memories with their revisions.
func memoryRecords(ctx context.Context, r engram.Reader, ms []engram.Memory) ([]engram.Record, error) {
	nums := make([]int64, len(ms))
	for i, m := range ms {
		nums[i] = m.Num
	}
	device, err := r.Device(ctx)
	if err != nil {
		return nil, err
	}
	lineages, err := r.Lineages(ctx, engram.EntityMemory, keysOf(nums))
	if err != nil {
		return nil, err
	}
	all := make([]engram.Record, len(ms))
	for i, m := range ms {
		l, known := lineages[key(m.Num)]
		all[i] = writtenMemory(engram.MemoryRecord{Memory: m}, l, known, device)
		if m.RevisionCount < 2 {
			continue // a text that was replaced was counted
		}
		if all[i].Memory.Revisions, err = r.Revisions(ctx, m.Num); err != nil {
			return nil, err
		}
		date(m, all[i].Memory.Revisions, l.Of(engram.PartText))
	}
	return all, nil
}

// sessionRecords are sessions that are there.
func sessionRecords(ctx context.Context, r engram.Reader, ss []engram.Session) ([]engram.Record, error) {
	lineages, err := r.Lineages(ctx, engram.EntitySession, idsOf(ss))
	if err != nil {
		return nil, err
	}
	all := make([]engram.Record, len(ss))
	for i, s := range ss {
		l, known := lineages[s.ID]
		all[i] = sittingSession(s, l, known)
	}
	return all, nil
}

// goneRecords are sessions that left no row.
func goneRecords(ctx context.Context, r engram.Reader, ss []engram.Session) ([]engram.Record, error) {
	lineages, err := r.Lineages(ctx, engram.EntitySession, idsOf(ss))
	if err != nil {
		return nil, err
	}
	all := make([]engram.Record, len(ss))
	for i, s := range ss {
		l, known := lineages[s.ID]
		if all[i] = writtenSession(s, l); !known {
			all[i].Lineage = nil // it was erased since
		}
	}
	return all, nil
}

func idsOf(ss []engram.Session) []string {
	ids := make([]string, len(ss))
	for i, s := range ss {
		ids[i] = s.ID
	}
	return ids
}

// promptRecords are prompts.
func promptRecords(ctx context.Context, r engram.Reader, ps []engram.Prompt) ([]engram.Record, error) {
	nums := make([]int64, len(ps))
	for i, p := range ps {
		nums[i] = p.Num
	}
	lineages, err := r.Lineages(ctx, engram.EntityPrompt, keysOf(nums))
	if err != nil {
		return nil, err
	}
	all := make([]engram.Record, len(ps))
	for i, p := range ps {
		l, known := lineages[key(p.Num)]
		all[i] = writtenPrompt(p, l, known)
	}
	return all, nil
}

// relationRecords are relations whose memories have names.
func relationRecords(ctx context.Context, r engram.Reader, rs []engram.Relation) ([]engram.Record, error) {
	named, err := recordsOf(ctx, r, rs)
	if err != nil {
		return nil, err
	}
	nums := make([]int64, len(rs))
	for i, rel := range rs {
		nums[i] = rel.Num
	}
	lineages, err := r.Lineages(ctx, engram.EntityRelation, keysOf(nums))
	if err != nil {
		return nil, err
	}
	all := make([]engram.Record, len(rs))
	for i, rel := range named {
		l, known := lineages[key(rel.Relation.Num)]
		all[i] = writtenRelation(rel, l, known)
	}
	return all, nil
}

// projectRecords are projects.
func projectRecords(ctx context.Context, r engram.Reader, ps []engram.Project) ([]engram.Record, error) {
	names := make([]string, len(ps))
	for i, p := range ps {
		names[i] = p.Name
	}
	lineages, err := r.Lineages(ctx, engram.EntityProject, names)
	if err != nil {
		return nil, err
	}
	all := make([]engram.Record, len(ps))
	for i, p := range ps {
		all[i].Project = &p
		if l, known := lineages[p.Name]; known {
			all[i].Lineage = &l
		}
	}
	return all, nil
}
