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
		var page []outgoing
		err := p.store.View(ctx, func(r engram.Reader) (err error) {
			if page, err = each(r, keys); err == nil {
				page, err = known(ctx, r, page)
			}
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
	}
	return nil
}

// stated gives records what their states are known by; keys are those of their things.
func stated(kind engram.Entity, keys []string, records []engram.Record) []outgoing {
	out := make([]outgoing, 0, len(records))
	for i, r := range records {
		if r.Lineage != nil {
			out = append(out, outgoing{record: r, entity: kind, key: keys[i], digest: r.Lineage.Digest()})
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
		gone, err := r.GoneOf(ctx, keys)
		if err != nil {
			return nil, err
		}
		gone = slices.DeleteFunc(gone, erased)
		missing, err := goneRecords(ctx, r, gone)
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
		var ends []int64
		for _, rel := range rs {
			ends = append(ends, rel.Source, rel.Target)
		}
		ms, err := r.Memories(ctx, ends)
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
