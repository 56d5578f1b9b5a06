package engine

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"

	"github.com/alanbuscaglia/engram"
)

// movesSince reads the entries of moves between projects that were written after an
// operation, oldest first.
func (u *undoing) movesSince(ctx context.Context, undone engram.Operation) ([]engram.Mutation, error) {
	entries, err := entriesSince(ctx, u.tx, engram.EntityProject, undone.At.Time())
	if err != nil {
		return nil, err
	}
	entries = slices.DeleteFunc(entries, func(e engram.Mutation) bool { return e.Seq <= undone.Op || e.Was == nil })
	slices.Reverse(entries)
	return entries, nil
}

// movedBy returns what a move between projects changed of one thing, as an entry of its
// own would note it; nil when it did not touch it, or is no move.
func movedBy(move engram.Mutation, entity engram.Entity, key string) (json.RawMessage, error) {
	var was projectWas
	if err := json.Unmarshal(move.Was, &was); err != nil {
		return nil, fmt.Errorf("journal entry %d: %w", move.Seq, err)
	}
	num, _ := strconv.ParseInt(key, 10, 64)
	switch {
	case was.From == "":
		return nil, nil
	case entity == engram.EntityMemory && slices.Contains(was.Memories, num):
		return was.memory(num)
	case entity == engram.EntityPrompt && slices.Contains(was.Prompts, num),
		entity == engram.EntitySession && slices.Contains(was.Sessions, key):
		return json.Marshal(map[string]any{"project": was.From})
	}
	return nil, nil
}
