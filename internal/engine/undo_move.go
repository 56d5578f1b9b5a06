package engine

import (
	"context"
	"encoding/json"
	"slices"
	"strconv"

	"github.com/alanbuscaglia/engram"
)

// move is an entry of a move between projects, read once: it may name a hundred thousand
// memories, and each of them asks.
type move struct {
	entry    engram.Mutation
	was      projectWas
	memories map[int64]bool
	prompts  map[int64]bool
	sessions map[string]bool
}

// movesSince reads the moves between projects that were written after an operation.
func (u *undoing) movesSince(ctx context.Context, undone engram.Operation) (moves []move, err error) {
	entries, err := entriesSince(ctx, u.tx, engram.EntityProject, undone.At.Time())
	if err != nil {
		return nil, err
	}
	entries = slices.DeleteFunc(entries, func(e engram.Mutation) bool { return e.Seq <= undone.Op })
	slices.Reverse(entries)
	return movesAmong(entries)
}

// movesAmong reads those entries about projects that are moves, in their order.
func movesAmong(entries []engram.Mutation) (moves []move, err error) {
	for _, e := range entries {
		m := move{entry: e}
		if err := readWas(e, &m.was); err != nil {
			return nil, err
		}
		if m.was.From == "" {
			continue
		}
		m.memories, m.prompts, m.sessions = setOf(m.was.Memories), setOf(m.was.Prompts), setOf(m.was.Sessions)
		moves = append(moves, m)
	}
	return moves, nil
}

func setOf[T comparable](list []T) map[T]bool {
	set := make(map[T]bool, len(list))
	for _, v := range list {
		set[v] = true
	}
	return set
}

// changed returns what the move changed of one thing, as an entry of its own would note
// it; nil when it did not touch it.
func (m move) changed(entity engram.Entity, key string) (json.RawMessage, error) {
	num, _ := strconv.ParseInt(key, 10, 64)
	switch {
	case entity == engram.EntityMemory && m.memories[num]:
		return m.was.memory(num)
	case entity == engram.EntityPrompt && m.prompts[num], entity == engram.EntitySession && m.sessions[key]:
		return json.Marshal(map[string]any{"project": m.was.From})
	}
	return nil, nil
}

// settlePlacesOf settles what is shown in sessions of which the project was taken back.
func (u *undoing) settlePlacesOf(ctx context.Context, entries []engram.Mutation) error {
	var sessions []string
	for _, e := range entries {
		var was struct {
			Project  *string
			Sessions []string
		}
		if e.Entity != engram.EntitySession && e.Entity != engram.EntityProject {
			continue
		}
		if err := readWas(e, &was); err != nil {
			return err
		}
		if sessions = append(sessions, was.Sessions...); was.Project != nil {
			sessions = append(sessions, e.Key)
		}
	}
	return u.settlePlaces(ctx, sessions)
}
