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
		return append(stated(engram.EntitySession, idsOf(there), records), stated(engram.EntitySession, idsOf(gone), missing)...), err
	})
}

func (p *pushing) memories(ctx context.Context) error {
	return p.keys(ctx, engram.EntityMemory, func(r engram.Reader, keys []string) ([]outgoing, error) {
		ms, err := r.Memories(ctx, numsOfKeys(keys))
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
		return stated(engram.EntityMemory, keysOfMemories(ms), records), err
	})
}

func numsOfKeys(keys []string) []int64 {
	nums := make([]int64, len(keys))
	for i, k := range keys {
		nums[i] = numOf(k)
	}
	return nums
}

func keysOfMemories(ms []engram.Memory) []string {
	keys := make([]string, len(ms))
	for i, m := range ms {
		keys[i] = key(m.Num)
	}
	return keys
}

func (p *pushing) prompts(ctx context.Context) error {
	return p.keys(ctx, engram.EntityPrompt, func(r engram.Reader, keys []string) ([]outgoing, error) {
		var ps []engram.Prompt
		var names []string
		for _, k := range keys {
			prompt, err := r.Prompt(ctx, numOf(k))
			switch {
			case engram.CodeOf(err) == engram.CodeNotFound:
			case err != nil:
				return nil, err
			default:
				ps, names = append(ps, prompt), append(names, prompt.SyncID)
			}
		}
		away, err := erasedAmong(ctx, r, engram.EntityPrompt, names)
		if err != nil {
			return nil, err
		}
		ps = slices.DeleteFunc(ps, func(p engram.Prompt) bool { return away.has(engram.EntityPrompt, p.Project, p.SyncID) })
		if ps, err = toldPrompts(ctx, r, ps); err != nil {
			return nil, err
		}
		var there []string
		for _, p := range ps {
			there = append(there, key(p.Num))
		}
		records, err := promptRecords(ctx, r, ps)
		return stated(engram.EntityPrompt, there, records), err
	})
}

// relations go with both of their memories.
func (p *pushing) relations(ctx context.Context) error {
	return p.keys(ctx, engram.EntityRelation, func(r engram.Reader, keys []string) ([]outgoing, error) {
		var rs []engram.Relation
		for _, k := range keys {
			rel, err := r.Relation(ctx, engram.RelationRef{Num: numOf(k)})
			switch {
			case engram.CodeOf(err) == engram.CodeNotFound:
			case err != nil:
				return nil, err
			default:
				rs = append(rs, rel)
			}
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
		keys = keys[:0:0]
		for _, rel := range rs {
			keys = append(keys, key(rel.Num))
		}
		records, err := relationRecords(ctx, r, rs)
		return stated(engram.EntityRelation, keys, records), err
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
