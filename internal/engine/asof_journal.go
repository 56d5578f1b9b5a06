package engine

import (
	"cmp"
	"context"
	"math"
	"slices"
	"strconv"
	"time"

	"github.com/alanbuscaglia/engram"
)

// entriesSince reads the journal back to a time, newest first.
func entriesSince(ctx context.Context, r engram.Reader, entity engram.Entity, at time.Time) (all []engram.Mutation, err error) {
	after, err := r.SeqBefore(ctx, at)
	if err != nil {
		return nil, err
	}
	err = walkBack(ctx, r, engram.JournalSpan{Entity: entity, After: after}, func(m engram.Mutation) { all = append(all, m) })
	return all, err
}

// walkBack calls each with the entries of a span, newest first.
func walkBack(ctx context.Context, r engram.Reader, s engram.JournalSpan, each func(engram.Mutation)) error {
	const part = 2000
	for {
		entries, err := r.MutationsIn(ctx, s, part)
		for _, m := range entries {
			each(m)
			s.Before = m.Seq
		}
		if err != nil || len(entries) < part {
			return err
		}
	}
}

// journalSince is what the journal says of a time and what came after it. The journal
// alone says when: its clock never runs backwards, and the times in the things themselves
// may, so that the two told together would be a state that never was.
//
// What is read is read once, and only when it is asked for. It is not for several
// goroutines.
type journalSince struct {
	r     engram.Reader
	after int64 // the last entry of then

	projectEntries []engram.Mutation // newest first
	moves          []move            // newest first
	readProjects   bool
	changes        map[engram.Entity]map[string][]engram.Mutation
	made           map[engram.Entity]int64
}

func sinceTime(ctx context.Context, r engram.Reader, at time.Time) (*journalSince, error) {
	after, err := r.SeqBefore(ctx, at)
	return &journalSince{r: r, after: after, changes: map[engram.Entity]map[string][]engram.Mutation{},
		made: map[engram.Entity]int64{}}, err
}

// projects reads what happened to projects; few entries are about them.
func (j *journalSince) projects(ctx context.Context) error {
	if j.readProjects {
		return nil
	}
	err := walkBack(ctx, j.r, engram.JournalSpan{Entity: engram.EntityProject, After: j.after}, func(m engram.Mutation) {
		j.projectEntries = append(j.projectEntries, m)
	})
	if err != nil {
		return err
	}
	j.readProjects = true
	j.moves, err = movesAmong(j.projectEntries)
	return err
}

// all returns, by their keys, the entries about things of a kind that were there, newest
// first, and about sessions those that made them too. What a move between projects
// changed of a thing is among them.
func (j *journalSince) all(ctx context.Context, entity engram.Entity) (map[string][]engram.Mutation, error) {
	if all, known := j.changes[entity]; known {
		return all, nil
	}
	if err := j.projects(ctx); err != nil {
		return nil, err
	}
	all := map[string][]engram.Mutation{}
	span := engram.JournalSpan{Entity: entity, After: j.after, Changes: entity != engram.EntitySession}
	err := walkBack(ctx, j.r, span, func(m engram.Mutation) { all[m.Key] = append(all[m.Key], m) })
	if err != nil {
		return nil, err
	}
	for _, m := range j.moves {
		for _, key := range m.keys(entity) {
			entry, _, err := m.of(entity, key)
			if err != nil {
				return nil, err
			}
			all[key] = append(all[key], entry)
		}
	}
	if len(j.moves) > 0 {
		for _, entries := range all {
			newestEntryFirst(entries)
		}
	}
	j.changes[entity] = all
	return all, nil
}

// of returns what all has of one thing, without reading the others.
func (j *journalSince) of(ctx context.Context, entity engram.Entity, key string) ([]engram.Mutation, error) {
	if all, known := j.changes[entity]; known {
		return all[key], nil
	}
	if err := j.projects(ctx); err != nil {
		return nil, err
	}
	const part = 50
	var own []engram.Mutation
	for offset, more := 0, true; more; offset += part {
		entries, err := j.r.Mutations(ctx, entity, key, engram.Page{Limit: part, Offset: offset})
		if err != nil {
			return nil, err
		}
		more = len(entries) == part
		for _, m := range entries {
			switch {
			case m.Seq <= j.after:
				more = false
			case m.Was != nil || entity == engram.EntitySession:
				own = append(own, m)
			}
		}
	}
	for _, m := range j.moves {
		entry, moved, err := m.of(entity, key)
		if err != nil {
			return nil, err
		}
		if moved {
			own = append(own, entry)
		}
	}
	newestEntryFirst(own)
	return own, nil
}

func newestEntryFirst(entries []engram.Mutation) {
	slices.SortStableFunc(entries, func(a, b engram.Mutation) int { return cmp.Compare(b.Seq, a.Seq) })
}

// keys are the things of a kind that were moved.
func (m move) keys(entity engram.Entity) (keys []string) {
	switch entity {
	case engram.EntityMemory:
		for _, num := range m.was.Memories {
			keys = append(keys, key(num))
		}
	case engram.EntityPrompt:
		for _, num := range m.was.Prompts {
			keys = append(keys, key(num))
		}
	case engram.EntitySession:
		keys = m.was.Sessions
	}
	return keys
}

// of is the move as an entry about one thing.
func (m move) of(entity engram.Entity, key string) (entry engram.Mutation, moved bool, err error) {
	entry = m.entry
	entry.Entity, entry.Key = entity, key
	entry.Was, err = m.changed(entity, key)
	return entry, entry.Was != nil, err
}

// firstMade is the number of the first thing of a kind that was made since: it and those
// above it were not there.
func (j *journalSince) firstMade(ctx context.Context, entity engram.Entity) (int64, error) {
	if num, known := j.made[entity]; known {
		return num, nil
	}
	key, err := j.r.FirstMade(ctx, entity, j.after)
	if err != nil {
		return 0, err
	}
	num := int64(math.MaxInt64)
	if key != "" {
		if num, err = strconv.ParseInt(key, 10, 64); err != nil {
			return 0, err
		}
	}
	j.made[entity] = num
	return num, nil
}
