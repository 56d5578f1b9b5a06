package consolidate

import (
	"context"
	"errors"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/engine/ledger"
	"github.com/alanbuscaglia/engram/internal/engine/screen"
	"github.com/alanbuscaglia/engram/internal/engine/walk"
	"github.com/alanbuscaglia/engram/internal/health"
	"github.com/alanbuscaglia/engram/internal/secret"
)

// leak is a record whose current or earlier text contains secrets not kept on purpose.
type leak struct {
	entity    engram.Entity
	num       int64  // of a memory, a prompt or a relation
	key       string // of the journal
	now, past int    // how many
}

// secretsPage is how many rows are read at once.
const secretsPage = 500

type leakSearch struct {
	consolidator *Consolidator
	r            engram.Reader
	keeps        map[int64]bool // memories with kept secrets
	kinds        map[string]int
	each         func(leak)
}

// leaks calls each for every record with secrets, on one snapshot, and returns the number of secrets by kind.
func (c *Consolidator) leaks(ctx context.Context, r engram.Reader, each func(leak)) (map[string]int, error) {
	kept, err := engram.SecretKept(ctx, r)
	if err != nil {
		return nil, err
	}
	s := leakSearch{c, r, kept, map[string]int{}, each}
	var revisions map[int64][]engram.Revision
	return s.kinds, errors.Join(
		walk.EachAfter(func(after int64) (ms []engram.Memory, err error) {
			if ms, err = engram.MemoriesAfter(ctx, r, "", after, secretsPage); err == nil {
				revisions, err = ledger.RevisionsOf(ctx, r, ms)
			}
			return ms, err
		},
			func(m engram.Memory) (int64, error) {
				return m.Num, s.look(ctx, engram.EntityMemory, m.Num, engram.Record{Memory: &engram.MemoryRecord{Memory: m}}, revisions[m.Num])
			}),
		walk.EachAfter(func(after int64) ([]engram.Prompt, error) { return engram.PromptsAfter(ctx, r, "", after, secretsPage) },
			func(p engram.Prompt) (int64, error) {
				return p.Num, s.look(ctx, engram.EntityPrompt, p.Num, engram.Record{Prompt: &p}, nil)
			}),
		walk.EachAfter(func(after string) ([]engram.Session, error) {
			return engram.SessionsAfter(ctx, r, "", after, secretsPage)
		},
			func(one engram.Session) (string, error) {
				return one.ID, s.look(ctx, engram.EntitySession, 0, engram.Record{Session: &one}, nil)
			}),
		walk.EachAfter(func(after int64) ([]engram.Relation, error) {
			return engram.RelationsAfter(ctx, r, "", after, secretsPage)
		},
			func(rel engram.Relation) (int64, error) {
				return rel.Num, s.look(ctx, engram.EntityRelation, rel.Num, engram.Record{Relation: &engram.RelationRecord{Relation: rel}}, nil)
			}))
}

// look counts the secrets in a record's current and earlier texts and its journal, and calls each if there are
// any.
func (s leakSearch) look(ctx context.Context, entity engram.Entity, num int64, now engram.Record, past []engram.Revision) error {
	v := &screen.SecretFilter{Scanner: s.consolidator.screen.Scanner, Kinds: s.kinds}
	found := leak{entity: entity, num: num, key: ledger.Key(num)}
	if now.Session != nil {
		found.key = now.Session.ID
	}
	if now.Memory != nil && s.keeps[num] {
		marks, err := s.r.Trust(ctx, []int64{num})
		if err != nil {
			return err
		}
		v.Kept = screen.TextsMarked(marks[num], engram.TrustSecret)
	}
	found.now = v.CutsIn(func() { screen.RecordBy(now, v.Named) })
	found.past = v.CutsIn(func() { screen.ShownRevisions(past, v.Text) })
	n, err := eachEntry(ctx, s.r, v, found, func(engram.Mutation) error { return nil })
	if found.past += n; err == nil && found.now+found.past > 0 {
		s.each(found)
	}
	return err
}

// eachEntry calls each with the filtered journal entries of a record that contain secrets, and returns the
// number of secrets.
func eachEntry(ctx context.Context, r engram.Reader, v *screen.SecretFilter, of leak, each func(engram.Mutation) error) (n int, err error) {
	for offset := 0; ; offset += secretsPage {
		all, err := r.Mutations(ctx, engram.JournalSpan{Entity: of.entity, Key: of.key}, engram.Page{Limit: secretsPage, Offset: offset})
		if err != nil {
			return n, err
		}
		for _, m := range all {
			cuts := v.CutsIn(func() { m.Was, m.Reason = v.Journaled(m.Was), v.Text(m.Reason) })
			if n += cuts; cuts == 0 {
				continue
			}
			if err := each(m); err != nil {
				return n, err
			}
		}
		if len(all) < secretsPage {
			return n, nil
		}
	}
}

// keptSecrets collects the facts for the doctor. Texts checked under the current rules are searched again only
// if full is set.
func (c *Consolidator) keptSecrets(ctx context.Context, full bool, most int) (f health.KeptSecrets) {
	f.Known, f.Current = true, secret.Version
	f.Err = c.ledger.View(ctx, func(r engram.Reader) (err error) {
		if f.Rules, err = r.Fact(ctx, screen.SecretRules); err != nil || f.Rules == f.Current && !full {
			return err
		}
		f.Looked = true
		f.Kinds, err = c.leaks(ctx, r, func(s leak) {
			switch {
			case s.entity == engram.EntitySession:
				f.Sessions++
			case s.entity == engram.EntityPrompt:
				f.Prompts.Add(s.num, most)
			case s.entity == engram.EntityRelation:
				f.Relations.Add(s.num, most)
			case s.now > 0:
				f.Memories.Add(s.num, most)
			default:
				f.Past.Add(s.num, most)
			}
		})
		return err
	})
	return f
}
