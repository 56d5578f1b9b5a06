package engine

import (
	"bufio"
	"cmp"
	"context"
	"encoding/json"
	"io"
	"slices"
	"time"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/lifecycle"
)

// Canonical writes a project, "" is every one, so that two replicas of it are equal when the bytes are: one line of JSON
// for each thing, by kind and id, as it was written, without local numbers. It leaves out what no push sends: counts and
// fading, what the user hid, what is personal, and the folders of sessions. It has what was forgotten before it was
// shared, and sessions in which nothing shared stands: others may have them by a file.
// CodeNotFound for a project that does not exist.
func (e *Engine) Canonical(ctx context.Context, w io.Writer, project string) error {
	out := bufio.NewWriter(w)
	err := e.store.View(ctx, func(r engram.Reader) error {
		if project != "" {
			name, err := projectNamed(ctx, r, project)
			if err != nil {
				return err
			}
			project = name
		}
		d := dump{r: r, project: project, out: json.NewEncoder(out)}
		d.out.SetEscapeHTML(false)
		var err error
		if d.erasure, err = readErased(ctx, r); err != nil {
			return err
		}
		for _, kind := range []func(context.Context) error{d.sessions, d.memories, d.prompts, d.relations, d.erased} {
			if err := kind(ctx); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	return out.Flush()
}

// dump is one canonical dump at work.
type dump struct {
	r       engram.Reader
	project string
	out     *json.Encoder
	home    map[int64]bool // memories that are not told of: personal ones, and those that were erased elsewhere
	erasure tombstones
}

// dumpPage is how many things are read at once.
const dumpPage = 500

// eachAfter calls each with all that read finds, page by page; each returns where the next begins.
func eachAfter[T, K any](read func(after K) ([]T, error), each func(T) (K, error)) error {
	var after K
	for {
		page, err := read(after)
		if err != nil || len(page) == 0 {
			return err
		}
		for _, one := range page {
			if after, err = each(one); err != nil {
				return err
			}
		}
	}
}

// all is what eachAfter would call each with.
func all[T, K any](read func(after K) ([]T, error), last func(T) K) (things []T, err error) {
	err = eachAfter(read, func(one T) (K, error) {
		things = append(things, one)
		return last(one), nil
	})
	return things, err
}

// put writes a state without what is a store's own.
func (d *dump) put(r engram.Record) error {
	r = lifecycle.Normal(r)
	r.Causal.Counts = nil
	switch {
	case r.Memory != nil:
		m := &r.Memory.Memory
		m.Origin, m.AccessCount, m.DuplicateCount, m.Strength = "", 0, 0, 0 // whoever takes it in trusts it less
		m.LastAccessedAt, m.LastSeenAt, m.TouchedAt, m.UpdatedAt = time.Time{}, time.Time{}, time.Time{}, time.Time{}
		for i, v := range r.Memory.Revisions {
			r.Memory.Revisions[i] = engram.Revision{Title: v.Title, Content: v.Content, Stamp: v.Stamp}
		}
	case r.Session != nil && r.Tombstone:
		r.Session = &engram.Session{ID: r.Session.ID}
	case r.Session != nil:
		r.Session.ActiveAt, r.Session.Directory = time.Time{}, ""
	}
	if r.Session != nil {
		r.Causal = unclaimed(r.Causal, engram.PartDirectory)
	}
	return d.out.Encode(r)
}

// putAll writes records.
func (d *dump) putAll(records []engram.Record) error {
	for _, r := range records {
		if err := d.put(r); err != nil {
			return err
		}
	}
	return nil
}

// putPages writes the records of things, some at a time.
func putPages[T any](ctx context.Context, d *dump, all []T, read func(context.Context, engram.Reader, []T) ([]engram.Record, error)) error {
	for page := range slices.Chunk(all, dumpPage) {
		records, err := read(ctx, d.r, page)
		if err == nil {
			err = d.putAll(records)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (d *dump) sessions(ctx context.Context) error {
	there, err := all(func(after string) ([]engram.Session, error) {
		return d.r.SessionsAfter(ctx, d.project, after, dumpPage)
	},
		func(s engram.Session) string { return s.ID })
	if err != nil {
		return err
	}
	gone, err := all(func(after string) ([]engram.Session, error) {
		return d.r.SessionTombstones(ctx, d.project, after, dumpPage)
	},
		func(s engram.Session) string { return s.ID })
	if err != nil {
		return err
	}
	erased := func(s engram.Session) bool { return d.erasure.has(engram.EntitySession, s.Project, s.ID) }
	there, gone = slices.DeleteFunc(there, erased), slices.DeleteFunc(gone, erased)
	records, err := sessionRecords(ctx, d.r, there)
	if err != nil {
		return err
	}
	missing, err := tombstoneRecords(ctx, d.r, gone)
	if err != nil {
		return err
	}
	records = slices.DeleteFunc(append(records, missing...), func(r engram.Record) bool {
		return r.Causal != nil && claimsNothing(r.Session.ID, *r.Causal)
	})
	slices.SortFunc(records, func(a, b engram.Record) int { return cmp.Compare(a.Session.ID, b.Session.ID) })
	return d.putAll(records)
}

func (d *dump) memories(ctx context.Context) error {
	var names []engram.MemoryName
	d.home = map[int64]bool{}
	err := eachAfter(func(after int64) ([]engram.Memory, error) { return d.r.MemoriesAfter(ctx, d.project, after, dumpPage) },
		func(m engram.Memory) (int64, error) {
			if m.Scope == engram.ScopePersonal || d.erasure.has(engram.EntityMemory, m.Project, string(m.ID), m.SyncID) {
				d.home[m.Num] = true
			} else {
				names = append(names, engram.MemoryName{Num: m.Num, ID: m.ID})
			}
			return m.Num, nil
		})
	if err != nil {
		return err
	}
	slices.SortFunc(names, func(a, b engram.MemoryName) int { return cmp.Compare(a.ID, b.ID) })
	return putPages(ctx, d, names, func(ctx context.Context, r engram.Reader, page []engram.MemoryName) ([]engram.Record, error) {
		ms, err := r.Memories(ctx, mapped(page, func(n engram.MemoryName) int64 { return n.Num }))
		if err != nil {
			return nil, err
		}
		return memoryRecords(ctx, r, ms)
	})
}

func (d *dump) prompts(ctx context.Context) error {
	ps, err := all(func(after int64) ([]engram.Prompt, error) { return d.r.PromptsAfter(ctx, d.project, after, dumpPage) },
		func(p engram.Prompt) int64 { return p.Num })
	if err != nil {
		return err
	}
	ps = slices.DeleteFunc(ps, func(p engram.Prompt) bool { return d.erasure.has(engram.EntityPrompt, p.Project, p.SyncID) })
	slices.SortFunc(ps, func(a, b engram.Prompt) int { return cmp.Compare(a.SyncID, b.SyncID) })
	return putPages(ctx, d, ps, promptRecords)
}

func (d *dump) relations(ctx context.Context) error {
	rs, err := all(func(after int64) ([]engram.Relation, error) {
		return d.r.RelationsAfter(ctx, d.project, after, dumpPage)
	},
		func(r engram.Relation) int64 { return r.Num })
	if err != nil {
		return err
	}
	rs = slices.DeleteFunc(rs, func(r engram.Relation) bool { return d.home[r.Source] || d.home[r.Target] })
	slices.SortFunc(rs, func(a, b engram.Relation) int { return cmp.Compare(a.ID, b.ID) })
	return putPages(ctx, d, rs, relationRecords)
}

func (d *dump) erased(ctx context.Context) error {
	for _, kind := range []engram.Entity{engram.EntityMemory, engram.EntityPrompt, engram.EntitySession} {
		xs, err := all(func(after string) ([]engram.Erased, error) { return d.r.ErasedAfter(ctx, kind, after, dumpPage) },
			engram.Erased.Key)
		if err != nil {
			return err
		}
		for _, x := range xs {
			if d.project != "" && x.Project != d.project {
				continue
			}
			// By what it is called everywhere: not everybody who heard of it ever had it.
			said := engram.Erased{Entity: x.Entity, ID: x.Name(), Project: x.Project, At: x.At}
			if err := d.out.Encode(engram.Record{Erased: &said}); err != nil {
				return err
			}
		}
	}
	return nil
}
