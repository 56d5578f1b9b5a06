package postgres

import (
	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/index"
)

// Shelves returns what a transaction keeps of the index: of memories, of prompts, and the codes.
func Shelves(r engram.Reader) (memories, prompts index.Shelf, codes index.CodeShelf) {
	t := r.(*tx)
	return shelf{t, ofMemories}, shelf{t, ofPrompts}, codeShelf{t}
}
