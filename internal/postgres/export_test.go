package postgres

import (
	"context"
	"errors"
	"fmt"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/health"
	"github.com/alanbuscaglia/engram/internal/index"
	"github.com/alanbuscaglia/engram/internal/index/lexicon"
	"github.com/alanbuscaglia/engram/internal/postgres/conn"
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

// CheckIndex compares the indexes of memories and prompts with their texts, without caches.
func CheckIndex(ctx context.Context, s *Store) error {
	fresh := &Store{pool: s.pool, space: s.space, wait: s.wait, server: s.server}
	return fresh.View(ctx, func(r engram.Reader) error {
		t := r.(*tx)
		memories := t.examine(ctx, &t.index, `SELECT num, project, session, type, scope, created_at FROM memories WHERE space = $space AND deleted_at IS NULL`,
			func(ctx context.Context, each func(engram.Memory) error) error {
				ms, err := t.List(ctx, engram.Filter{}, engram.Page{Limit: 1 << 30})
				return errors.Join(err, forAll(ms, each))
			})
		prompts := t.examine(ctx, &t.asked, `SELECT num, project, 0, '', '', created_at FROM prompts WHERE space = $space AND deleted_at IS NULL`,
			func(ctx context.Context, each func(engram.Memory) error) error {
				ps, err := t.Prompts(ctx, engram.PromptFilter{}, engram.Page{Limit: 1 << 30})
				return errors.Join(err, forAll(ps, func(p engram.Prompt) error { return each(promptText(p)) }))
			})
		return errors.Join(memories, prompts)
	})
}

func (t *tx) examine(ctx context.Context, x *lexicon.Index, liveSQL string, texts func(context.Context, func(engram.Memory) error) error) error {
	live := map[int64]*lexicon.Document{}
	err := t.Rows(ctx, liveSQL, nil, func(r conn.Scanner) error {
		var num int64
		d := &lexicon.Document{}
		err := r.Scan(&num, &d.Project, &d.Session, &d.Type, &d.Scope, &d.Created)
		live[num] = d
		return err
	})
	var found health.Index
	err = errors.Join(err, x.Examine(ctx, health.Query{Full: true, Most: 5}, live, texts, &found), found.Broken)
	if found.Missing.Count+found.Dead.Count+found.Doubled.Count+found.Moved.Count > 0 || found.Indexed != found.Live {
		err = errors.Join(err, fmt.Errorf("index: %+v", found))
	}
	return err
}
