// Package view has readers over a Reader: the store as it was at a past time, rebuilt from the journal, and what a
// filter lets pass.
package view

import (
	"cmp"
	"context"
	"encoding/json"
	"slices"
	"strconv"
	"time"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/engine/ledger"
	"github.com/alanbuscaglia/engram/internal/engine/screen"
	"github.com/alanbuscaglia/engram/internal/engine/walk"
)

// ReadAll restores every memory that changed since.
func (p *PastReader) ReadAll(ctx context.Context) error {
	if p.whole {
		return nil
	}
	entries, err := p.since.all(ctx, engram.EntityMemory)
	if err != nil {
		return err
	}
	first, err := p.since.firstMade(ctx, engram.EntityMemory)
	if err != nil {
		return err
	}
	nums := make([]int64, 0, len(entries))
	for key := range entries {
		if num := ledger.NumOf(key); num < first {
			nums = append(nums, num)
		}
	}
	now, err := p.Reader.Memories(ctx, nums)
	if err != nil {
		return err
	}
	p.whole = true
	return p.bringBack(ctx, now, entries)
}

// read restores those of some memories that changed since; now is what they are today.
func (p *PastReader) read(ctx context.Context, now []engram.Memory) error {
	if p.whole {
		return nil
	}
	if len(now) > few {
		return p.ReadAll(ctx)
	}
	entries := map[string][]engram.Mutation{}
	var changed []engram.Memory
	for _, m := range now {
		if p.looked[m.Num] {
			continue
		}
		p.looked[m.Num] = true
		es, err := p.since.of(ctx, engram.EntityMemory, ledger.Key(m.Num))
		if err != nil {
			return err
		}
		if len(es) > 0 {
			entries[ledger.Key(m.Num)] = es
			changed = append(changed, m)
		}
	}
	return p.bringBack(ctx, changed, entries)
}

func (p *PastReader) bringBack(ctx context.Context, now []engram.Memory, entries map[string][]engram.Mutation) error {
	for _, m := range now {
		if !m.CreatedAt.Before(p.At) {
			continue
		}
		was, text, err := Restore(ctx, p.Reader, m, entries[ledger.Key(m.Num)])
		if err != nil {
			return err
		}
		p.Was[m.Num], p.texts[m.Num] = was, text
	}
	return nil
}

// memory returns what the move changed of one memory, in the form of a journal entry.
func (w ProjectWas) memory(num int64) (json.RawMessage, error) {
	fields := map[string]any{"project": w.From}
	if topic, lost := w.Topics[num]; lost {
		fields["topic_key"] = topic
	} else if _, got := w.Given[num]; got {
		fields["topic_key"] = ""
	}
	return json.Marshal(fields)
}

// Relations returns the relations of given memories of that time, all of them: a limit would need the same reading.
// Other lists of relations are of today.
func (p *PastReader) Relations(ctx context.Context, f engram.RelationFilter, page engram.Page) ([]engram.Relation, error) {
	if f.Of == nil || f.Removed {
		return p.Reader.Relations(ctx, f, page)
	}
	then, err := p.relationsThen(ctx, f.Of)
	return slices.DeleteFunc(then, func(r engram.Relation) bool {
		return f.Verbs != nil && !slices.Contains(f.Verbs, r.Verb) ||
			f.With != nil && !slices.ContainsFunc(f.With, func(num int64) bool { return ledger.IsBetween(r, f.Of[0], num) })
	}), err
}

func (p *PastReader) relationsThen(ctx context.Context, memories []int64) ([]engram.Relation, error) {
	now, err := engram.RelationsOf(ctx, p.Reader, memories, nil, 0)
	if err != nil {
		return nil, err
	}
	// The journal knows when they were removed.
	removed, err := engram.RemovedRelations(ctx, p, memories, time.Time{})
	if err != nil {
		return nil, err
	}
	if len(now)+len(removed) == 0 {
		return nil, nil
	}
	first, err := p.since.firstMade(ctx, engram.EntityRelation)
	if err != nil {
		return nil, err
	}
	then := slices.DeleteFunc(append(now, removed...), func(r engram.Relation) bool { return r.Num >= first || !r.CreatedAt.Before(p.At) })
	if len(then) > few {
		if _, err := p.since.all(ctx, engram.EntityRelation); err != nil {
			return nil, err
		}
	}
	for i := range then {
		entries, err := p.since.of(ctx, engram.EntityRelation, ledger.Key(then[i].Num))
		if err != nil {
			return nil, err
		}
		for _, e := range entries {
			if err := ledger.TableOf(&then[i]).TakeBack(e); err != nil {
				return nil, err
			}
		}
	}
	then = slices.DeleteFunc(then, func(r engram.Relation) bool { return r.Removed() })
	slices.SortFunc(then, func(a, b engram.Relation) int { return cmp.Compare(a.Num, b.Num) })
	return then, nil
}

// Versions returns the history of a memory whose current text was written at writtenAt.
func Versions(m engram.Memory, revisions []engram.Revision, writtenAt time.Time) engram.History {
	h := engram.NewHistory(m, revisions)
	h.Versions[len(h.Versions)-1].WrittenAt = writtenAt
	return h
}

// HistoryOf returns all versions of a memory, live or forgotten.
func HistoryOf(ctx context.Context, r engram.Reader, ref engram.Ref) (engram.History, error) {
	m, err := r.Memory(ctx, screen.NormalRef(ref))
	if err != nil {
		return engram.History{}, err
	}
	revisions, writtenAt, err := DatedRevisions(ctx, r, m)
	if err != nil {
		return engram.History{}, err
	}
	return Versions(m, revisions, writtenAt), nil
}

// DatedRevisions returns the older texts of a memory and when its current text was written.
func DatedRevisions(ctx context.Context, r engram.Reader, m engram.Memory) ([]engram.Revision, time.Time, error) {
	revisions, err := r.Revisions(ctx, m.Num)
	if err != nil {
		return nil, time.Time{}, err
	}
	now, err := textWrite(ctx, r, m)
	return revisions, ledger.Date(m, revisions, now), err
}

// textWrite returns the version stamp of a memory's text.
func textWrite(ctx context.Context, r engram.Reader, m engram.Memory) (engram.VersionStamp, error) {
	if p, past := r.(*PastReader); past {
		if s, known, err := p.textWrite(ctx, m.Num); known || err != nil {
			return s, err
		}
	}
	l, err := ledger.MemoryMetadata(ctx, r, m)
	return l.Of(engram.PartText), err
}

// ProjectWas is a move in the journal: what went from one project to another.
type ProjectWas struct {
	From     string           `json:"from"`
	To       string           `json:"to"`
	Memories []int64          `json:"memories"`
	Sessions []string         `json:"sessions"`
	Prompts  []int64          `json:"prompts"`
	Topics   map[int64]string `json:"topics"` // that memories lost by the move
	Given    map[int64]string `json:"given"`  // that memories got back by it
}

// Move is an entry of a move between projects, decoded once: it may have a hundred thousand memories, each of which
// asks.
type Move struct {
	Entry    engram.Mutation
	was      ProjectWas
	memories map[int64]bool
	prompts  map[int64]bool
	sessions map[string]bool
}

// MovesAmong returns the renames and merges of projects among journal entries.
func MovesAmong(entries []engram.Mutation) (moves []Move, err error) {
	for _, e := range entries {
		m := Move{Entry: e}
		if err := ledger.ReadWas(e, &m.was); err != nil {
			return nil, err
		}
		if m.was.From == "" {
			continue
		}
		m.memories, m.prompts, m.sessions = walk.SetOf(m.was.Memories), walk.SetOf(m.was.Prompts), walk.SetOf(m.was.Sessions)
		moves = append(moves, m)
	}
	return moves, nil
}

// Changed returns what the move changed of one thing, in the form of a journal entry; nil for nothing.
func (m Move) Changed(entity engram.Entity, key string) (json.RawMessage, error) {
	num, _ := strconv.ParseInt(key, 10, 64)
	switch {
	case entity == engram.EntityMemory && m.memories[num]:
		return m.was.memory(num)
	case entity == engram.EntityPrompt && m.prompts[num], entity == engram.EntitySession && m.sessions[key]:
		return json.Marshal(map[string]any{"project": m.was.From})
	}
	return nil, nil
}
