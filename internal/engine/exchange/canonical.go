package exchange

import (
	"bufio"
	"cmp"
	"context"
	"encoding/json"
	"io"
	"slices"
	"time"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/engine/ledger"
	"github.com/alanbuscaglia/engram/internal/engine/projects"
	"github.com/alanbuscaglia/engram/internal/engine/walk"
	"github.com/alanbuscaglia/engram/internal/lifecycle"
)

// Canonical writes a project, "" is every one, so that the bytes of two equal replicas are equal: one line of JSON
// per thing, by kind and id, as it was written, without local numbers. It leaves out what is not pushed: counts,
// strength, what the user hid, personal memories and the folders of sessions. It includes what was forgotten before
// it was shared and sessions without shared content, which others may have from a file. CodeNotFound for a project
// that does not exist.
func (p *Porter) Canonical(ctx context.Context, w io.Writer, project string) error {
	out := bufio.NewWriter(w)
	err := p.ledger.View(ctx, func(r engram.Reader) error {
		if project != "" {
			name, err := projects.ProjectNamed(ctx, r, project)
			if err != nil {
				return err
			}
			project = name
		}
		d := dump{r: r, project: project, out: json.NewEncoder(out)}
		d.out.SetEscapeHTML(false)
		var err error
		if d.erasure, err = ledger.ReadErased(ctx, r); err != nil {
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

type dump struct {
	r       engram.Reader
	project string
	out     *json.Encoder
	kept    map[int64]bool // memories that are not pushed: personal ones, and those erased elsewhere
	erasure ledger.Tombstones
}

const dumpPage = 500

// put writes a state without the values that each store has for itself.
func (d *dump) put(r engram.Record) error {
	r = lifecycle.Normal(r)
	r.Causal.Counts = nil
	switch {
	case r.Memory != nil:
		m := &r.Memory.Memory
		m.Origin, m.AccessCount, m.DuplicateCount, m.Strength = "", 0, 0, 0 // every store that takes it in lowers the trust
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
		r.Causal = Unclaimed(r.Causal, engram.PartDirectory)
	}
	return d.out.Encode(r)
}

func (d *dump) putAll(records []engram.Record, err error) error {
	for _, r := range records {
		if err == nil {
			err = d.put(r)
		}
	}
	return err
}

// putSorted writes the records of things in the order of their ids, some at a time.
func putSorted[T any](ctx context.Context, d *dump, all []T, id func(T) string, read func(context.Context, engram.Reader, []T) ([]engram.Record, error)) error {
	slices.SortFunc(all, func(a, b T) int { return cmp.Compare(id(a), id(b)) })
	for page := range slices.Chunk(all, dumpPage) {
		if err := d.putAll(read(ctx, d.r, page)); err != nil {
			return err
		}
	}
	return nil
}

func (d *dump) sessions(ctx context.Context) error {
	id := func(s engram.Session) string { return s.ID }
	there, err := readAll(ctx, d, engram.SessionsAfter, id)
	if err != nil {
		return err
	}
	deleted, err := readAll(ctx, d, sessionTombstones, id)
	if err != nil {
		return err
	}
	erased := func(s engram.Session) bool { return d.erasure.Erases(ledger.SessionRecord(s), "") }
	records, err := ledger.SessionRecords(ctx, d.r, slices.DeleteFunc(there, erased))
	if err != nil {
		return err
	}
	missing, err := ledger.TombstoneRecords(ctx, d.r, slices.DeleteFunc(deleted, erased))
	if err != nil {
		return err
	}
	records = slices.DeleteFunc(append(records, missing...), func(r engram.Record) bool {
		return r.Causal != nil && ledger.ClaimsNothing(r.Session.ID, *r.Causal)
	})
	slices.SortFunc(records, func(a, b engram.Record) int { return cmp.Compare(a.Session.ID, b.Session.ID) })
	return d.putAll(records, nil)
}

func readAll[T, K any](ctx context.Context, d *dump, read pageReader[string, K, T], last func(T) K) ([]T, error) {
	return walk.AllAfter(func(after K) ([]T, error) { return read(ctx, d.r, d.project, after, dumpPage) }, last)
}

func (d *dump) memories(ctx context.Context) error {
	var names []engram.MemoryName
	d.kept = map[int64]bool{}
	err := walk.EachAfter(func(after int64) ([]engram.Memory, error) {
		return engram.MemoriesAfter(ctx, d.r, d.project, after, dumpPage)
	},
		func(m engram.Memory) (int64, error) {
			if m.Scope == engram.ScopePersonal || d.erasure.Erases(ledger.MemoryRecord(m), "") {
				d.kept[m.Num] = true
			} else {
				names = append(names, engram.MemoryName{Num: m.Num, ID: m.ID})
			}
			return m.Num, nil
		})
	if err != nil {
		return err
	}
	return putSorted(ctx, d, names, func(n engram.MemoryName) string { return string(n.ID) }, func(ctx context.Context, r engram.Reader, page []engram.MemoryName) ([]engram.Record, error) {
		ms, err := r.Memories(ctx, walk.Mapped(page, func(n engram.MemoryName) int64 { return n.Num }))
		if err != nil {
			return nil, err
		}
		return ledger.MemoryRecords(ctx, r, ms)
	})
}

func (d *dump) prompts(ctx context.Context) error {
	ps, err := readAll(ctx, d, engram.PromptsAfter, func(p engram.Prompt) int64 { return p.Num })
	if err != nil {
		return err
	}
	ps = slices.DeleteFunc(ps, func(p engram.Prompt) bool { return d.erasure.Erases(ledger.PromptRecord(p), "") })
	return putSorted(ctx, d, ps, func(p engram.Prompt) string { return p.SyncID }, ledger.PromptRecords)
}

func (d *dump) relations(ctx context.Context) error {
	rs, err := readAll(ctx, d, engram.RelationsAfter, func(r engram.Relation) int64 { return r.Num })
	if err != nil {
		return err
	}
	rs = slices.DeleteFunc(rs, func(r engram.Relation) bool { return d.kept[r.Source] || d.kept[r.Target] })
	return putSorted(ctx, d, rs, func(r engram.Relation) string { return r.ID }, ledger.RelationRecords)
}

func (d *dump) erased(ctx context.Context) error {
	for _, kind := range ledger.ErasedKinds() {
		xs, err := walk.AllAfter(func(after string) ([]engram.Erased, error) {
			return d.r.Replica().ErasedAfter(ctx, kind, after, dumpPage)
		}, engram.Erased.Key)
		if err != nil {
			return err
		}
		for _, x := range xs {
			if d.project != "" && x.Project != d.project {
				continue
			}
			// Under the name that all replicas know: not all that hear of an erasure ever had the thing.
			if err := d.out.Encode(engram.Record{Erased: &engram.Erased{Entity: x.Entity, ID: x.Name(), Project: x.Project, At: x.At}}); err != nil {
				return err
			}
		}
	}
	return nil
}
