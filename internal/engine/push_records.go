package engine

import (
	"context"
	"slices"

	"github.com/alanbuscaglia/engram"
)

// pushPage is how many things are read at once.
const pushPage = 500

// keys calls each with the keys of things of a kind that no batch carries, page by page,
// each page in a transaction. What was erased meanwhile is passed over.
func (p *pushing) keys(ctx context.Context, kind engram.Entity, each func(r engram.Reader, keys []string) ([]outgoing, error)) error {
	for keys := range slices.Chunk(p.fresh[kind], pushPage) {
		err := p.page(ctx, func(r engram.Reader) ([]outgoing, error) {
			page, err := each(r, keys)
			if err != nil {
				return nil, err
			}
			return known(ctx, r, page)
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// stated gives records what their states are known by; keys are those of their things.
func stated(kind engram.Entity, keys []string, records []engram.Record) []outgoing {
	out := make([]outgoing, 0, len(records))
	for i, r := range records {
		if r.Causal != nil {
			out = append(out, outgoing{record: r, entity: kind, key: keys[i], digest: r.Causal.Digest()})
		}
	}
	return out
}

func (p *pushing) sessions(ctx context.Context) error {
	return p.keys(ctx, engram.EntitySession, func(r engram.Reader, keys []string) ([]outgoing, error) {
		away, err := erasedAmong(ctx, r, engram.EntitySession, keys)
		if err != nil {
			return nil, err
		}
		erased := func(s engram.Session) bool { return away.has(engram.EntitySession, s.Project, s.ID) }
		there, err := toldOf(ctx, r, keys)
		if err != nil {
			return nil, err
		}
		there = slices.DeleteFunc(there, erased)
		records, err := sessionRecords(ctx, r, there)
		if err != nil {
			return nil, err
		}
		gone, err := r.TombstonesOf(ctx, keys)
		if err != nil {
			return nil, err
		}
		gone = slices.DeleteFunc(gone, erased)
		missing, err := tombstoneRecords(ctx, r, gone)
		return append(stated(engram.EntitySession, mapped(there, sessionID), records), stated(engram.EntitySession, mapped(gone, sessionID), missing)...), err
	})
}

func (p *pushing) memories(ctx context.Context) error {
	return p.keys(ctx, engram.EntityMemory, func(r engram.Reader, keys []string) ([]outgoing, error) {
		ms, err := r.Memories(ctx, mapped(keys, numOf))
		if err != nil {
			return nil, err
		}
		home, err := staying(ctx, r, ms)
		if err != nil {
			return nil, err
		}
		for _, m := range ms {
			if m.Scope == engram.ScopePersonal {
				p.personal++
			}
		}
		ms = slices.DeleteFunc(ms, func(m engram.Memory) bool { return home[m.Num] })
		records, err := memoryRecords(ctx, r, ms)
		return stated(engram.EntityMemory, mapped(ms, memoryKey), records), err
	})
}

// foundBy reads things by their keys, and leaves out those that do not exist.
func foundBy[T any](keys []string, read func(num int64) (T, error)) (all []T, err error) {
	for _, k := range keys {
		one, err := read(numOf(k))
		if engram.CodeOf(err) == engram.CodeNotFound {
			continue
		}
		if err != nil {
			return nil, err
		}
		all = append(all, one)
	}
	return all, nil
}

func (p *pushing) prompts(ctx context.Context) error {
	return p.keys(ctx, engram.EntityPrompt, func(r engram.Reader, keys []string) ([]outgoing, error) {
		ps, err := foundBy(keys, func(num int64) (engram.Prompt, error) { return r.Prompt(ctx, num) })
		if err != nil {
			return nil, err
		}
		away, err := erasedAmong(ctx, r, engram.EntityPrompt, mapped(ps, func(p engram.Prompt) string { return p.SyncID }))
		if err != nil {
			return nil, err
		}
		ps = slices.DeleteFunc(ps, func(p engram.Prompt) bool { return away.has(engram.EntityPrompt, p.Project, p.SyncID) })
		if ps, err = toldPrompts(ctx, r, ps); err != nil {
			return nil, err
		}
		records, err := promptRecords(ctx, r, ps)
		return stated(engram.EntityPrompt, mapped(ps, promptKey), records), err
	})
}

// relations go with both of their memories.
func (p *pushing) relations(ctx context.Context) error {
	return p.keys(ctx, engram.EntityRelation, func(r engram.Reader, keys []string) ([]outgoing, error) {
		rs, err := foundBy(keys, func(num int64) (engram.Relation, error) { return r.Relation(ctx, engram.RelationRef{Num: num}) })
		if err != nil {
			return nil, err
		}
		ms, err := r.Memories(ctx, endsOf(rs))
		if err != nil {
			return nil, err
		}
		home, err := staying(ctx, r, ms)
		if err != nil {
			return nil, err
		}
		rs = slices.DeleteFunc(rs, func(rel engram.Relation) bool { return home[rel.Source] || home[rel.Target] })
		records, err := relationRecords(ctx, r, rs)
		return stated(engram.EntityRelation, mapped(rs, func(rel engram.Relation) string { return key(rel.Num) }), records), err
	})
}

func (p *pushing) erased(ctx context.Context) error {
	return p.keys(ctx, engram.EntityErased, func(r engram.Reader, keys []string) (out []outgoing, err error) {
		names := map[engram.Entity][]string{}
		for _, k := range keys {
			x := engram.ErasedKey(k)
			names[x.Entity] = append(names[x.Entity], x.Name())
		}
		for _, kind := range []engram.Entity{engram.EntityMemory, engram.EntityPrompt, engram.EntitySession} {
			xs, err := r.ErasedOf(ctx, kind, slices.Compact(names[kind]))
			if err != nil {
				return nil, err
			}
			for _, x := range xs {
				if _, asked := slices.BinarySearch(keys, x.Key()); asked { // in other projects it goes to other remotes
					out = append(out, outgoing{record: engram.Record{Erased: &x}, entity: engram.EntityErased, key: x.Key(), digest: x.Digest()})
				}
			}
		}
		return out, nil
	})
}

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
	case r.Tombstone:
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
	lineages, err := r.CausalMetadata(ctx, engram.EntityMemory, mapped(over, memoryKey))
	if err != nil {
		return nil, err
	}
	for _, m := range over {
		shadowedValue(lineages[key(m.Num)], engram.PartDeleted, &m.DeletedAt)
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
func erasedAmong(ctx context.Context, r engram.Reader, kind engram.Entity, names []string) (tombstones, error) {
	all := newTombstones()
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
	if told, err = r.Reported(ctx, ids, ""); err != nil {
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
