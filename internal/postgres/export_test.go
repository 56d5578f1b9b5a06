package postgres

import (
	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/index"
)

// IndexStores returns what a transaction keeps of the index: of memories, of prompts, and the codes.
func IndexStores(r engram.Reader) (memories, prompts index.Store, codes index.CodeStore) {
	t := r.(*tx)
	return wordStore{t, ofMemories}, wordStore{t, ofPrompts}, codeStore{t}
}
