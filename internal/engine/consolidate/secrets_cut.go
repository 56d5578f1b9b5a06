package consolidate

import (
	"context"
	"maps"
	"slices"
	"strings"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/engine/ledger"
	"github.com/alanbuscaglia/engram/internal/engine/screen"
	"github.com/alanbuscaglia/engram/internal/secret"
)

// cutSecrets removes secrets that the current rules find from everything stored, and records the rules'
// version, after which texts are shown without another check. It returns how many records had any.
//
// It replaces texts in place, in revisions and journal too, since a revision would keep the secret. Version
// stamps stay, so that stores with equal rules agree and cutting does not overwrite others' changes. A journal
// entry records the removal, which undo cannot revert.
func (c *Consolidator) cutSecrets(ctx context.Context, operation string) (n int, err error) {
	c = c.everywhere() // skipped projects would count as checked
	var all []leak
	err = c.ledger.View(ctx, func(r engram.Reader) error {
		_, err := c.leaks(ctx, r, func(s leak) { all = append(all, s) })
		return err
	})
	if err != nil {
		return 0, err
	}
	const batch = 100 // lets other writers in between
	for some := range slices.Chunk(all, batch) {
		err := c.ledger.Write(ctx, operation, func(o *ledger.Tx) error {
			for _, s := range some {
				if err := cutThing(ctx, o, s); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			return n, err
		}
		n += len(some)
	}
	return n, c.ledger.Update(ctx, func(tx engram.Tx) error { return tx.PutFact(ctx, screen.SecretRules, secret.Version) })
}

// cutOlderSecrets is cutSecrets if the stored texts were checked under older rules.
func (c *Consolidator) cutOlderSecrets(ctx context.Context, operation string) error {
	var older bool
	err := c.ledger.View(ctx, func(r engram.Reader) (err error) {
		older, err = screen.UnderOlderRules(ctx, r)
		return err
	})
	if err != nil || !older {
		return err
	}
	_, err = c.cutSecrets(ctx, operation)
	return err
}

// cutThing removes secrets from the current state of one record; a missing one is skipped.
func cutThing(ctx context.Context, o *ledger.Tx, s leak) error {
	v := &screen.SecretFilter{Scanner: o.Ledger.Screen.Scanner, Kinds: map[string]int{}}
	project, err := cutTexts(ctx, o, s, v)
	if engram.CodeOf(err) == engram.CodeNotFound {
		return nil
	}
	if err != nil {
		return err
	}
	if _, err := eachEntry(ctx, o.Store, v, s, func(m engram.Mutation) error { return o.Store.Cut(ctx, engram.Cut{Mutations: []engram.Mutation{m}}) }); err != nil || v.Cuts == 0 {
		return err
	}
	kinds := slices.Sorted(maps.Keys(v.Kinds))
	return o.Log(ctx, s.entity, s.key, project, "secrets were removed: "+strings.Join(kinds, ", "), map[string]any{})
}

// cutTexts removes secrets from the current and earlier texts of a record and returns its project.
func cutTexts(ctx context.Context, o *ledger.Tx, s leak, v *screen.SecretFilter) (project string, err error) {
	switch s.entity {
	case engram.EntityMemory:
		return cutMemory(ctx, o, s.num, v)
	case engram.EntityPrompt:
		p, err := engram.PromptAt(ctx, o.Store, s.num)
		if err != nil {
			return "", err
		}
		if v.CutsIn(func() { p.Content = v.Text(p.Content) }) == 0 {
			return p.Project, nil
		}
		return p.Project, o.Store.Cut(ctx, engram.Cut{Prompts: []engram.Prompt{p}})
	case engram.EntitySession:
		one, err := o.Store.Session(ctx, s.key)
		if err != nil {
			return "", err
		}
		if v.CutsIn(func() { one.Summary = v.Text(one.Summary) }) == 0 {
			return one.Project, nil
		}
		return one.Project, o.Store.PutSession(ctx, one)
	}
	r, err := o.Store.Relation(ctx, engram.RelationRef{Num: s.num})
	if err != nil || v.CutsIn(func() { r.Reason, r.Evidence = v.Text(r.Reason), v.Text(r.Evidence) }) == 0 {
		return "", err
	}
	return "", o.Store.ReplaceRelation(ctx, r)
}

// cutMemory removes secrets from a memory and its revisions, except kept ones.
func cutMemory(ctx context.Context, o *ledger.Tx, num int64, v *screen.SecretFilter) (project string, err error) {
	was, err := o.Store.Memory(ctx, engram.ByNum(num))
	if err != nil {
		return "", err
	}
	marks, err := o.Store.Trust(ctx, []int64{num})
	if err != nil {
		return "", err
	}
	v.Kept = screen.TextsMarked(marks[num], engram.TrustSecret)
	rs, err := o.Store.Revisions(ctx, num)
	if err != nil {
		return "", err
	}
	for i := range rs {
		if v.CutsIn(func() { screen.ShownRevisions(rs[i:i+1], v.Text) }) > 0 {
			if err := o.Store.Cut(ctx, engram.Cut{Revisions: []engram.Revision{rs[i]}}); err != nil {
				return "", err
			}
		}
	}
	now := was
	if v.CutsIn(func() { now = screen.MemoryBy(was, v.Named) }) == 0 {
		return was.Project, nil
	}
	if now.TopicKey != was.TopicKey {
		now.TopicKey = "" // a partial key would name another topic
	}
	now.Tags = slices.DeleteFunc(slices.Clone(was.Tags), func(tag string) bool { return v.Text(tag) != tag })
	return was.Project, rewriteClean(ctx, o, was, now, v)
}

// rewriteClean replaces a memory by its redacted form without keeping a revision.
func rewriteClean(ctx context.Context, o *ledger.Tx, was, now engram.Memory, v *screen.SecretFilter) error {
	if err := o.Store.ReplaceMemory(ctx, now); err != nil {
		return err
	}
	if err := o.JudgeText(ctx, &was, now); err != nil {
		return err
	}
	if ledger.EmbeddedText(was) != ledger.EmbeddedText(now) {
		if err := o.Embed(ctx, now); err != nil {
			return err
		}
	}
	if len(now.Tags) == len(was.Tags) {
		return nil
	}
	l, err := ledger.MemoryMetadata(ctx, o.Store, was)
	if err != nil {
		return err
	}
	return o.PutMetadata(ctx, engram.EntityMemory, ledger.Key(was.Num), *screen.LineageBy(&l, v.Text))
}
