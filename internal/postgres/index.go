package postgres

import (
	"context"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/postgres/embeddings"
	"github.com/alanbuscaglia/engram/internal/postgres/segments"
)

// words returns what the transaction keeps of the index of a collection.
func (t *tx) words(collection int) segments.Words {
	return segments.Words{Tx: t.Tx, Collection: collection, Head: &t.head.indexes[collection], Other: &t.head.other}
}

// embeddings returns what the transaction keeps of vectors and their codes.
func (t *tx) embeddings() embeddings.Store {
	return embeddings.Store{Tx: t.Tx, Other: &t.head.other, Known: func() *embeddings.Models { return &t.names.models }}
}

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
