package sync

import (
	"context"
	"slices"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/engine/ledger"
	"github.com/alanbuscaglia/engram/internal/engine/screen"
	"github.com/alanbuscaglia/engram/internal/engine/walk"
)

const pushPage = 500

// keys calls each with the keys of things of a kind that no batch has, page by page, each in a transaction. Erased
// ones are skipped.
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

// stated returns records to push with the digests of their states; without causal metadata there is nothing to push.
func stated(records []engram.Record) (out []outgoing) {
	for _, r := range records {
		if r.Causal != nil {
			out = append(out, outgoing{record: r, entity: r.Entity(), key: ledger.KeyOf(r), digest: r.Causal.Digest()})
		}
	}
	return out
}

// unlessErased leaves out what was erased elsewhere, and is only hidden here.
func unlessErased[T any](ctx context.Context, r engram.Reader, all []T, record func(T) engram.Record) ([]T, error) {
	if len(all) == 0 {
		return nil, nil
	}
	names := slices.Concat(walk.Mapped(all, func(one T) []string { return ledger.NamesOf(record(one)) })...)
	away, err := ledger.ErasedAmong(ctx, r, record(all[0]).Entity(), names)
	return slices.DeleteFunc(all, func(one T) bool { return away.Erases(record(one), "") }), err
}

func (p *pushing) sessions(ctx context.Context) error {
	return p.keys(ctx, engram.EntitySession, func(r engram.Reader, keys []string) ([]outgoing, error) {
		there, err := sharedSessions(ctx, r, keys)
		if err != nil {
			return nil, err
		}
		if there, err = unlessErased(ctx, r, there, ledger.SessionRecord); err != nil {
			return nil, err
		}
		records, err := ledger.SessionRecords(ctx, r, there)
		if err != nil {
			return nil, err
		}
		deleted, err := r.Replica().TombstonesOf(ctx, keys)
		if err != nil {
			return nil, err
		}
		if deleted, err = unlessErased(ctx, r, deleted, ledger.SessionRecord); err != nil {
			return nil, err
		}
		missing, err := ledger.TombstoneRecords(ctx, r, deleted)
		return stated(append(records, missing...)), err
	})
}

func (p *pushing) memories(ctx context.Context) error {
	return p.keys(ctx, engram.EntityMemory, func(r engram.Reader, keys []string) ([]outgoing, error) {
		ms, err := r.Memories(ctx, walk.Mapped(keys, ledger.NumOf))
		if err != nil {
			return nil, err
		}
		kept, err := keptHere(ctx, r, ms)
		if err != nil {
			return nil, err
		}
		for _, m := range ms {
			if m.Scope == engram.ScopePersonal {
				p.personal++
			}
		}
		ms = slices.DeleteFunc(ms, func(m engram.Memory) bool { return kept[m.Num] })
		records, err := ledger.MemoryRecords(ctx, r, ms)
		return stated(records), err
	})
}

func (p *pushing) prompts(ctx context.Context) error {
	return p.keys(ctx, engram.EntityPrompt, func(r engram.Reader, keys []string) ([]outgoing, error) {
		ps, err := ledger.FoundBy(keys, func(k string) (engram.Prompt, error) { return engram.PromptAt(ctx, r, ledger.NumOf(k)) })
		if err != nil {
			return nil, err
		}
		if ps, err = unlessErased(ctx, r, ps, ledger.PromptRecord); err != nil {
			return nil, err
		}
		if ps, err = sharedPrompts(ctx, r, ps); err != nil {
			return nil, err
		}
		records, err := ledger.PromptRecords(ctx, r, ps)
		return stated(records), err
	})
}

// relations are pushed only with both of their memories.
func (p *pushing) relations(ctx context.Context) error {
	return p.keys(ctx, engram.EntityRelation, func(r engram.Reader, keys []string) ([]outgoing, error) {
		rs, err := ledger.FoundBy(keys, func(k string) (engram.Relation, error) {
			return r.Relation(ctx, engram.RelationRef{Num: ledger.NumOf(k)})
		})
		if err != nil {
			return nil, err
		}
		ms, err := r.Memories(ctx, screen.EndsOf(rs))
		if err != nil {
			return nil, err
		}
		kept, err := keptHere(ctx, r, ms)
		if err != nil {
			return nil, err
		}
		rs = slices.DeleteFunc(rs, func(rel engram.Relation) bool { return kept[rel.Source] || kept[rel.Target] })
		records, err := ledger.RelationRecords(ctx, r, rs)
		return stated(records), err
	})
}

func (p *pushing) erased(ctx context.Context) error {
	return p.keys(ctx, engram.EntityErased, func(r engram.Reader, keys []string) (out []outgoing, err error) {
		names := map[engram.Entity][]string{}
		for _, k := range keys {
			x := engram.ErasedKey(k)
			names[x.Entity] = append(names[x.Entity], x.Name())
		}
		for _, kind := range ledger.ErasedKinds() {
			xs, err := r.Replica().ErasedOf(ctx, kind, slices.Compact(names[kind]))
			if err != nil {
				return nil, err
			}
			for _, x := range xs {
				if _, asked := slices.BinarySearch(keys, x.Key()); asked { // erasures in other projects go to other remotes
					out = append(out, outgoing{record: engram.Record{Erased: &x}, entity: engram.EntityErased, key: x.Key(), digest: x.Digest()})
				}
			}
		}
		return out, nil
	})
}

// The rest of the file decides what stays here: what is personal, what was erased and is only hidden here, what was
// forgotten before it was shared, and sessions with only such content.

// known leaves out what is over and was never shared: other replicas do not have it, so there is nothing to push.
func known(ctx context.Context, r engram.Reader, page []outgoing) ([]outgoing, error) {
	var err error
	return slices.DeleteFunc(page, func(o outgoing) bool {
		shared := !ledger.IsOver(o.record)
		if !shared && err == nil {
			shared, err = r.Replica().Shared(ctx, o.entity, o.key)
		}
		return !shared
	}), err
}

// keptHere returns which of some memories are not pushed, nor their relations.
func keptHere(ctx context.Context, r engram.Reader, ms []engram.Memory) (map[int64]bool, error) {
	kept := map[int64]bool{}
	var ids []string
	var over []engram.Memory
	for _, m := range ms {
		ids = append(ids, m.SyncID)
		if m.Forgotten() {
			over = append(over, m)
		}
	}
	away, err := ledger.ErasedAmong(ctx, r, engram.EntityMemory, ids)
	if err != nil {
		return nil, err
	}
	for _, m := range ms {
		kept[m.Num] = m.Scope == engram.ScopePersonal || away.Has(engram.EntityMemory, m.Project, m.SyncID)
	}
	metadata, err := r.Replica().CausalMetadata(ctx, engram.EntityMemory, walk.Mapped(over, func(m engram.Memory) string { return ledger.Key(m.Num) }))
	if err != nil {
		return nil, err
	}
	for _, m := range over {
		ledger.ShadowedValue(metadata[ledger.Key(m.Num)], engram.PartDeleted, &m.DeletedAt)
		if kept[m.Num] || !m.Forgotten() {
			continue // it stays anyway, or only an undo hides it
		}
		shared, err := r.Replica().Shared(ctx, engram.EntityMemory, ledger.Key(m.Num))
		if err != nil {
			return nil, err
		}
		kept[m.Num] = !shared
	}
	return kept, nil
}

// sharedSessions returns those of some sessions that have a row and may leave: sessions that contain something shared,
// or that others have; and empty ones with a summary. One that contains only private things stays.
func sharedSessions(ctx context.Context, r engram.Reader, ids []string) ([]engram.Session, error) {
	shared, owned, err := sharedAndOwned(ctx, r, ids)
	if err != nil {
		return nil, err
	}
	var leave []engram.Session
	all, err := ledger.FoundBy(ids, func(id string) (engram.Session, error) { return r.Session(ctx, id) })
	for _, s := range all {
		leaves := shared[s.ID]
		if !leaves && !owned[s.ID] && err == nil {
			leaves, err = isForOthers(ctx, r, s)
		}
		if leaves {
			leave = append(leave, s)
		}
	}
	return leave, err
}

// isForOthers reports whether a session was shared, or has a summary and no content.
func isForOthers(ctx context.Context, r engram.Reader, s engram.Session) (bool, error) {
	shared, err := r.Replica().Shared(ctx, engram.EntitySession, s.ID)
	if err != nil || shared || s.Summary == "" {
		return shared, err
	}
	n, err := r.Count(ctx, engram.Filter{SessionID: s.ID, WithForgotten: true})
	return n == 0, err
}

// sharedAndOwned returns which sessions have shared content, and which have private content.
func sharedAndOwned(ctx context.Context, r engram.Reader, ids []string) (shared, owned map[string]bool, err error) {
	if shared, err = r.Replica().Reported(ctx, ids, ""); err != nil {
		return nil, nil, err
	}
	owned, err = r.Replica().Owned(ctx, ids)
	return shared, owned, err
}

// sharedPrompts returns those of some prompts that may leave. A prompt of a session that stays here stays with it,
// unless others have it.
func sharedPrompts(ctx context.Context, r engram.Reader, ps []engram.Prompt) ([]engram.Prompt, error) {
	ids := walk.Mapped(ps, func(p engram.Prompt) string { return p.SessionID })
	slices.Sort(ids)
	shared, owned, err := sharedAndOwned(ctx, r, slices.DeleteFunc(slices.Compact(ids), func(id string) bool { return id == "" }))
	return slices.DeleteFunc(ps, func(p engram.Prompt) bool {
		leaves := shared[p.SessionID] || !owned[p.SessionID]
		if !leaves && err == nil {
			leaves, err = r.Replica().Shared(ctx, engram.EntityPrompt, ledger.Key(p.Num))
		}
		return !leaves
	}), err
}
