package postgres

import (
	"context"

	"github.com/alanbuscaglia/engram"
)

// errNoIndex is the error of questions that need the index of words.
var errNoIndex = engram.Errorf(engram.CodeUnavailable, "this store has no index of words")

// Lexical ranks memories by words.
func (t *tx) Lexical(context.Context, engram.LexicalQuery) (engram.Lexical, error) {
	return engram.Lexical{}, errNoIndex
}

// SearchPrompts ranks the prompts that contain any of the terms.
func (t *tx) SearchPrompts(context.Context, []engram.Term, string, int) ([]engram.Prompt, error) {
	return nil, errNoIndex
}

// Reindex rebuilds the whole index from the texts.
func (t *tx) Reindex(context.Context) error { return nil }
