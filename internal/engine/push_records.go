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
			page, err = each(r, keys)
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
		var there, gone []engram.Session
		for _, k := range keys {
			if p.erasure.has(engram.EntitySession, k) {
				continue
			}
			s, err := r.Session(ctx, k)
			switch {
			case engram.CodeOf(err) == engram.CodeNotFound:
				gone = append(gone, engram.Session{ID: k, Project: p.res.Project})
			case err != nil:
				return nil, err
			default:
				there = append(there, s)
			}
		}
		records, err := sessionRecords(ctx, r, there)
		if err != nil {
			return nil, err
		}
		if len(gone) > 0 && p.in.All {
			if gone, err = goneAmong(ctx, r, keys); err != nil {
				return nil, err
			}
		}
		missing, err := goneRecords(ctx, r, gone)
		if err != nil {
			return nil, err
		}
		return append(stated(engram.EntitySession, idsOf(there), records), stated(engram.EntitySession, idsOf(gone), missing)...), nil
	})
}

// goneAmong returns those of some sessions that left no row, with their projects.
func goneAmong(ctx context.Context, r engram.Reader, ids []string) (gone []engram.Session, err error) {
	after := ""
	for {
		page, err := r.GoneSessions(ctx, "", after, pushPage)
		if err != nil {
			return nil, err
		}
		for _, s := range page {
			if _, among := slices.BinarySearch(ids, s.ID); among {
				gone = append(gone, s)
			}
			after = s.ID
		}
		if len(page) < pushPage {
			return gone, nil
		}
	}
}

func (p *pushing) memories(ctx context.Context) error {
	return p.keys(ctx, engram.EntityMemory, func(r engram.Reader, keys []string) ([]outgoing, error) {
		ms, err := r.Memories(ctx, numsOfKeys(keys))
		if err != nil {
			return nil, err
		}
		ms = slices.DeleteFunc(ms, func(m engram.Memory) bool { return p.erasure.has(engram.EntityMemory, string(m.ID), m.SyncID) })
		all := len(ms)
		open := slices.DeleteFunc(ms, func(m engram.Memory) bool { return m.Scope == engram.ScopePersonal })
		p.personal += all - len(open)
		records, err := memoryRecords(ctx, r, open)
		return stated(engram.EntityMemory, keysOfMemories(open), records), err
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
		var there []string
		for _, k := range keys {
			prompt, err := r.Prompt(ctx, numOf(k))
			switch {
			case engram.CodeOf(err) == engram.CodeNotFound:
			case err != nil:
				return nil, err
			case p.erasure.has(engram.EntityPrompt, prompt.SyncID): // it is hidden here, and stays away
			default:
				ps, there = append(ps, prompt), append(there, k)
			}
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
		home, err := p.staying(ctx, r, rs)
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

// staying returns which of the memories of relations go nowhere: personal ones, and those that
// were erased.
func (p *pushing) staying(ctx context.Context, r engram.Reader, rs []engram.Relation) (map[int64]bool, error) {
	var nums []int64
	for _, rel := range rs {
		nums = append(nums, rel.Source, rel.Target)
	}
	ms, err := r.Memories(ctx, nums)
	home := map[int64]bool{}
	for _, m := range ms {
		if m.Scope == engram.ScopePersonal || p.erasure.has(engram.EntityMemory, string(m.ID), m.SyncID) {
			home[m.Num] = true
		}
	}
	return home, err
}

func (p *pushing) erased(ctx context.Context) error {
	return p.keys(ctx, engram.EntityErased, func(r engram.Reader, keys []string) (out []outgoing, err error) {
		for _, kind := range []engram.Entity{engram.EntityMemory, engram.EntityPrompt, engram.EntitySession} {
			for after := ""; ; {
				page, err := r.ErasedAfter(ctx, kind, after, pushPage)
				if err != nil {
					return nil, err
				}
				for _, x := range page {
					if _, asked := slices.BinarySearch(keys, x.Key()); asked {
						out = append(out, outgoing{record: engram.Record{Erased: &x}, entity: engram.EntityErased, key: x.Key(), digest: x.Digest()})
					}
					after = x.ID
				}
				if len(page) < pushPage {
					break
				}
			}
		}
		return out, nil
	})
}
