package engine

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/alanbuscaglia/engram"
)

// pastMemories returns, by number, every memory that the journal says has changed at a
// time or later, as it was before; the zero Memory where it was not there yet or was
// erased since.
func pastMemories(ctx context.Context, r engram.Reader, at time.Time) (map[int64]engram.Memory, error) {
	entries, err := entriesSince(ctx, r, engram.EntityMemory, at)
	if err != nil {
		return nil, err
	}
	moves, err := moveEntries(ctx, r, at)
	if err != nil || len(entries)+len(moves) == 0 {
		return nil, err
	}
	entries = append(entries, moves...)
	slices.SortStableFunc(entries, func(a, b engram.Mutation) int { return cmp.Compare(b.Seq, a.Seq) })
	var nums []int64
	seen := map[int64]bool{}
	for _, entry := range entries {
		num, err := strconv.ParseInt(entry.Key, 10, 64)
		if err != nil {
			return nil, fmt.Errorf("journal entry %d: %w", entry.Seq, err)
		}
		if !seen[num] {
			seen[num] = true
			nums = append(nums, num)
		}
	}
	now, err := r.Memories(ctx, nums)
	if err != nil {
		return nil, err
	}
	was := make(map[int64]engram.Memory, len(nums))
	for _, num := range nums {
		was[num] = engram.Memory{}
	}
	for _, m := range now {
		if m.CreatedAt.Before(at) {
			was[m.Num] = m
		}
	}
	return was, undoEntries(ctx, r, entries, was)
}

// moveEntries returns what moves between projects changed of memories since a time, as
// entries of each memory.
func moveEntries(ctx context.Context, r engram.Reader, at time.Time) (all []engram.Mutation, err error) {
	moves, err := entriesSince(ctx, r, engram.EntityProject, at)
	if err != nil {
		return nil, err
	}
	for _, move := range moves {
		if move.Was == nil {
			continue
		}
		var was projectWas
		if err := json.Unmarshal(move.Was, &was); err != nil {
			return nil, fmt.Errorf("journal entry %d: %w", move.Seq, err)
		}
		for _, num := range was.Memories {
			entry := move
			entry.Entity, entry.Key = engram.EntityMemory, key(num)
			if entry.Was, err = was.memory(num); err != nil {
				return nil, err
			}
			all = append(all, entry)
		}
	}
	return all, nil
}

// memory is what the move changed of one memory, as an entry of its own would note it.
func (w projectWas) memory(num int64) (json.RawMessage, error) {
	fields := map[string]any{"project": w.From}
	if topic, lost := w.Topics[num]; lost {
		fields["topic_key"] = topic
	} else if _, got := w.Given[num]; got {
		fields["topic_key"] = ""
	}
	return json.Marshal(fields)
}

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

// undoEntries takes entries, newest first, back from the memories they changed.
func undoEntries(ctx context.Context, r engram.Reader, entries []engram.Mutation, was map[int64]engram.Memory) error {
	revision := map[int64]int{} // the oldest text that was replaced since
	for _, entry := range entries {
		num, _ := strconv.ParseInt(entry.Key, 10, 64) // pastMemories has read it
		m := was[num]
		if m.Num == 0 || entry.Was == nil {
			continue
		}
		number, err := undo(&m, entry.Was)
		if err != nil {
			return fmt.Errorf("journal entry %d: %w", entry.Seq, err)
		}
		if number != 0 {
			revision[num] = number
		}
		was[num] = m
	}
	for num, number := range revision {
		revisions, err := r.Revisions(ctx, num)
		if err != nil {
			return err
		}
		for _, rev := range revisions {
			if rev.Number == number {
				m := was[num]
				m.Title, m.Content, m.NormalizedHash = rev.Title, rev.Content, hashOf(rev.Content)
				was[num] = m
			}
		}
	}
	return nil
}

// undo puts the old values of an entry back into m and returns the number of the
// revision that holds its old text; 0 when the text did not change.
func undo(m *engram.Memory, was json.RawMessage) (revision int, err error) {
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(was, &fields); err != nil {
		return 0, err
	}
	for name, old := range fields {
		into := memoryField(m, name)
		if name == "revision" {
			into = &revision
		}
		if into == nil {
			continue // a field that a later version journals
		}
		if err := json.Unmarshal(old, into); err != nil {
			return 0, fmt.Errorf("%s: %w", name, err)
		}
	}
	return revision, nil
}

// memoryField points to the field of m that memoryFields journals by a name; nil for
// a name it does not have.
func memoryField(m *engram.Memory, name string) any {
	switch name {
	case "project":
		return &m.Project
	case "scope":
		return &m.Scope
	case "type":
		return &m.Type
	case "summary":
		return &m.Summary
	case "tags":
		m.Tags = nil // the old ones come instead, not besides
		return &m.Tags
	case "metadata":
		m.Metadata = nil
		return &m.Metadata
	case "topic_key":
		return &m.TopicKey
	case "session_id":
		return &m.SessionID
	case "tool_name":
		return &m.ToolName
	case "origin":
		return &m.Origin
	case "importance":
		return &m.Importance
	case "strength":
		return &m.Strength
	case "touched_at":
		return &m.TouchedAt
	case "permanent":
		return &m.Permanent
	case "access_count":
		return &m.AccessCount
	case "last_accessed_at":
		return &m.LastAccessedAt
	case "updated_at":
		return &m.UpdatedAt
	case "review_after":
		return &m.ReviewAfter
	case "valid_from":
		return &m.ValidFrom
	case "valid_to":
		return &m.ValidTo
	case "revision_count":
		return &m.RevisionCount
	case "duplicate_count":
		return &m.DuplicateCount
	case "last_seen_at":
		return &m.LastSeenAt
	case "deleted_at":
		return &m.DeletedAt
	}
	return nil
}
