package engine

import (
	"context"
	"slices"

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
	lineages, err := r.Lineages(ctx, engram.EntityMemory, mapped(over, memoryKey))
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
// summary that is meant for them; one in which only that stands which stays here has not, nor
// is a change of it for those who have it from before.
func toldOf(ctx context.Context, r engram.Reader, ids []string) ([]engram.Session, error) {
	told, owned, err := toldAndOwned(ctx, r, ids)
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
		if !goes && !owned[id] {
			if goes, err = isForOthers(ctx, r, s); err != nil {
				return nil, err
			}
		}
		if goes {
			all = append(all, s)
		}
	}
	return all, nil
}

// isForOthers reports whether others have a session already, or it has a summary and nothing else.
func isForOthers(ctx context.Context, r engram.Reader, s engram.Session) (bool, error) {
	shared, err := r.Shared(ctx, engram.EntitySession, s.ID)
	if err != nil || shared || s.Summary == "" {
		return shared, err
	}
	n, err := r.CountInSession(ctx, s.ID, true)
	return n == 0, err
}

// toldAndOwned tells of some sessions in which something stands that may be told of, and in
// which something that is somebody's own.
func toldAndOwned(ctx context.Context, r engram.Reader, ids []string) (told, owned map[string]bool, err error) {
	if told, err = r.Told(ctx, ids, ""); err != nil {
		return nil, nil, err
	}
	owned, err = r.Owned(ctx, ids)
	return told, owned, err
}

// toldPrompts are those of some prompts that may go: what was asked in a session that stays
// here stays with it, unless others have it already.
func toldPrompts(ctx context.Context, r engram.Reader, ps []engram.Prompt) ([]engram.Prompt, error) {
	var ids []string
	for _, p := range ps {
		if p.SessionID != "" && !slices.Contains(ids, p.SessionID) {
			ids = append(ids, p.SessionID)
		}
	}
	told, owned, err := toldAndOwned(ctx, r, ids)
	if err != nil {
		return nil, err
	}
	var all []engram.Prompt
	for _, p := range ps {
		goes := told[p.SessionID] || !owned[p.SessionID]
		if !goes {
			if goes, err = r.Shared(ctx, engram.EntityPrompt, key(p.Num)); err != nil {
				return nil, err
			}
		}
		if goes {
			all = append(all, p)
		}
	}
	return all, nil
}
