package engine

import (
	"context"

	"github.com/alanbuscaglia/engram"
)

// What is nobody's business elsewhere does not leave: what is personal, what was erased and is
// only hidden here, what was forgotten before anybody could have it, and what tells of nothing else.

// known leaves out what is over and was never shared: nobody has it, so there is nothing to tell.
func known(ctx context.Context, r engram.Reader, page []outgoing) ([]outgoing, error) {
	told := page[:0]
	for _, o := range page {
		if isOver(o.record) {
			shared, err := r.Shared(ctx, o.entity, o.key)
			if err != nil {
				return nil, err
			}
			if !shared {
				continue
			}
		}
		told = append(told, o)
	}
	return told, nil
}

// isOver reports whether a state says that its thing was forgotten, deleted or removed.
func isOver(r engram.Record) bool {
	switch {
	case r.Gone:
		return true
	case r.Memory != nil:
		return r.Memory.Memory.Forgotten()
	case r.Prompt != nil:
		return r.Prompt.Deleted()
	case r.Relation != nil:
		return r.Relation.Relation.Removed()
	}
	return false
}

// staying returns which of some memories go nowhere, and what ties them neither.
func staying(ctx context.Context, r engram.Reader, ms []engram.Memory) (map[int64]bool, error) {
	home := map[int64]bool{}
	var ids []string
	var over []engram.Memory
	for _, m := range ms {
		ids = append(ids, m.SyncID)
		if m.Forgotten() {
			over = append(over, m)
		}
	}
	away, err := erasedAmong(ctx, r, engram.EntityMemory, ids)
	if err != nil {
		return nil, err
	}
	for _, m := range ms {
		home[m.Num] = m.Scope == engram.ScopePersonal || away.has(engram.EntityMemory, m.Project, m.SyncID)
	}
	lineages, err := r.Lineages(ctx, engram.EntityMemory, keysOfMemories(over))
	if err != nil {
		return nil, err
	}
	for _, m := range over {
		heldValue(lineages[key(m.Num)], engram.PartDeleted, &m.DeletedAt)
		if home[m.Num] || !m.Forgotten() {
			continue // it stays anyway, or an undo alone hides it
		}
		shared, err := r.Shared(ctx, engram.EntityMemory, key(m.Num))
		if err != nil {
			return nil, err
		}
		home[m.Num] = !shared
	}
	return home, nil
}

// erasedAmong returns what was erased of things of a kind, by Erased.Name. What is here all the same was
// erased elsewhere, and is only hidden.
func erasedAmong(ctx context.Context, r engram.Reader, kind engram.Entity, names []string) (gone, error) {
	all := newGone()
	xs, err := r.ErasedOf(ctx, kind, names)
	for _, x := range xs {
		all.add(x)
	}
	return all, err
}

// toldOf returns those of some sessions that are there and may go. What is shared of a session
// brings it along, and so does that others have it. One in which nothing stands may have a
// summary that is meant for them; one in which only that stands which stays here has not.
func (p *pushing) toldOf(ctx context.Context, r engram.Reader, ids []string) ([]engram.Session, error) {
	told, err := r.Told(ctx, ids, "")
	if err != nil {
		return nil, err
	}
	var all []engram.Session
	for _, id := range ids {
		s, err := r.Session(ctx, id)
		if engram.CodeOf(err) == engram.CodeNotFound {
			continue
		}
		if err != nil {
			return nil, err
		}
		goes := told[id]
		if !goes {
			if goes, err = r.Shared(ctx, engram.EntitySession, id); err != nil {
				return nil, err
			}
		}
		if !goes && s.Summary != "" {
			n, err := r.CountInSession(ctx, id, true)
			if err != nil {
				return nil, err
			}
			goes = n == 0
		}
		if goes {
			all = append(all, s)
		}
	}
	return all, nil
}
