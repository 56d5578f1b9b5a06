package postgres

import (
	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/index"
	"github.com/alanbuscaglia/engram/internal/postgres/embeddings"
	"github.com/alanbuscaglia/engram/internal/postgres/segments"
)

// IndexStores returns what a transaction keeps of the index: of memories, of prompts, and the codes.
func IndexStores(r engram.Reader) (memories, prompts index.Store, codes index.CodeStore) {
	t := r.(*tx)
	return t.words(segments.OfMemories), t.words(segments.OfPrompts), t.embeddings()
}

// Vectors returns what a transaction keeps of vectors.
func Vectors(r engram.Reader) embeddings.Store { return r.(*tx).embeddings() }
