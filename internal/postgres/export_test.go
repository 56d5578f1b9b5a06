package postgres

import (
	"context"
	"errors"
	"fmt"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/health"
	"github.com/alanbuscaglia/engram/internal/index"
	"github.com/alanbuscaglia/engram/internal/index/lexicon"
	"github.com/alanbuscaglia/engram/internal/postgres/embeddings"
	"github.com/alanbuscaglia/engram/internal/postgres/segments"
	"github.com/alanbuscaglia/engram/internal/sqlrow"
)

// IndexStores returns what a transaction keeps of the index: of memories, of prompts, and the codes.
func IndexStores(r engram.Reader) (memories, prompts index.Store, codes index.CodeStore) {
	t := r.(*tx)
	return t.words(segments.OfMemories), t.words(segments.OfPrompts), t.embeddings()
}

// Vectors returns what a transaction keeps of vectors.
func Vectors(r engram.Reader) embeddings.Store { return r.(*tx).embeddings() }

// CheckIndex compares the indexes of memories and prompts with their texts, without caches.
func CheckIndex(ctx context.Context, s *Store) error {
	fresh := &Store{pool: s.pool, space: s.space, wait: s.wait, server: s.server}
	return fresh.View(ctx, func(r engram.Reader) error {
		t := r.(*tx)
		var memories health.Facts
		x := &examination{tx: t, query: health.Query{Full: true, Most: 5}, facts: &memories}
		err := errors.Join(x.words(ctx), inStep(memories.Index))
		live := map[int64]*lexicon.Document{}
		err = errors.Join(err, t.Rows(ctx, `SELECT num, project, created_at FROM prompts WHERE space = $space AND deleted_at IS NULL`, nil, func(r sqlrow.Scanner) error {
			var num int64
			d := &lexicon.Document{}
			err := r.Scan(&num, &d.Project, &d.Created)
			live[num] = d
			return err
		}))
		var prompts health.Index
		err = errors.Join(err, t.asked.Examine(ctx, x.query, live, func(ctx context.Context, each func(engram.Memory) error) error {
			ps, err := t.Prompts(ctx, engram.PromptFilter{}, engram.Page{Limit: 1 << 30})
			return errors.Join(err, forAll(ps, func(p engram.Prompt) error { return each(promptText(p)) }))
		}, &prompts))
		return errors.Join(err, inStep(prompts))
	})
}

func inStep(x health.Index) error {
	if x.Missing.Count+x.Dead.Count+x.Doubled.Count+x.Moved.Count > 0 || x.Indexed != x.Live || x.Broken != nil {
		return fmt.Errorf("index: %+v", x)
	}
	return nil
}
