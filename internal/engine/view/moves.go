package view

import (
	"encoding/json"
	"strconv"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/engine/ledger"
	"github.com/alanbuscaglia/engram/internal/engine/walk"
)

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
