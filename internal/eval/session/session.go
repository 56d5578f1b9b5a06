// Package session measures what an agent is told unasked, on scripted sessions: a project
// with some hundred memories, and the prompts of one session, each labelled with the
// memories that would help with it (script.go). Play (play.go) puts the session through
// engine.Brief and engine.Remind and counts what was told, what of it was labelled, and
// what it cost.
package session

import (
	"context"
	"fmt"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/engine"
)

// Script is a session and what is known when it begins.
type Script struct {
	Name     string
	Memories []Memory // oldest first
	Turns    []Turn
}

// Memory is one that is known.
type Memory struct {
	Key            string // names it in labels; "" for filler
	Type           engram.Type
	Title, Content string
}

// Turn is one prompt, and the keys of the memories that help with it.
type Turn struct {
	Prompt string
	Useful []string
}

// Fill saves the memories of a script, and calls before ahead of each with the number that
// are still to come, so that a clock may be moved. It returns the memories by number.
func Fill(ctx context.Context, e *engine.Engine, s Script, before func(left int)) (map[int64]Memory, error) {
	byNum := map[int64]Memory{}
	for i, m := range s.Memories {
		before(len(s.Memories) - i)
		in := engine.SaveInput{Title: m.Title, Content: m.Content, Type: m.Type, Project: s.Name,
			SessionID: fmt.Sprintf("past-%d", i/8), NewSession: true}
		res, err := e.Save(ctx, in)
		if err != nil {
			return nil, fmt.Errorf("save %q: %w", m.Title, err)
		}
		byNum[res.Memory.Num] = m
	}
	return byNum, nil
}
