package engine

import (
	"context"
	"maps"
	"slices"
	"strings"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/secret"
)

// cutSecrets removes secrets that the current rules find from everything stored, and records the rules'
// version, after which texts are shown without another check. It returns how many records had any.
//
// It replaces texts in place, in revisions and journal too, since a revision would keep the secret. Version
// stamps stay, so that stores with equal rules agree and cutting does not overwrite others' changes. A journal
// entry records the removal, which undo cannot revert.
func (e *Engine) cutSecrets(ctx context.Context, operation string) (n int, err error) {
	e = e.everywhere() // skipped projects would count as checked
	var all []leak
	err = e.store.View(ctx, func(r engram.Reader) error {
		_, err := e.leaks(ctx, r, func(s leak) { all = append(all, s) })
		return err
	})
	if err != nil {
		return 0, err
	}
	const batch = 100 // lets other writers in between
	for some := range slices.Chunk(all, batch) {
		err := e.write(ctx, operation, func(o *op) error {
			for _, s := range some {
				if err := o.cutThing(ctx, s); err != nil {
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
	return n, e.store.Update(ctx, func(tx engram.Tx) error { return tx.PutFact(ctx, secretRules, secret.Version) })
}

// cutOlderSecrets is cutSecrets if the stored texts were checked under older rules.
func (e *Engine) cutOlderSecrets(ctx context.Context, operation string) error {
	var older bool
	err := e.store.View(ctx, func(r engram.Reader) (err error) {
		older, err = underOlderRules(ctx, r)
		return err
	})
	if err != nil || !older {
		return err
	}
	_, err = e.cutSecrets(ctx, operation)
	return err
}

// cutThing removes secrets from the current state of one record; a missing one is skipped.
func (o *op) cutThing(ctx context.Context, s leak) error {
	v := &secretFilter{scanner: o.secrets, kinds: map[string]int{}}
	project, err := o.cutTexts(ctx, s, v)
	if engram.CodeOf(err) == engram.CodeNotFound {
		return nil
	}
	if err != nil {
		return err
	}
	if _, err := eachEntry(ctx, o.tx, v, s, func(m engram.Mutation) error { return o.tx.Cut(ctx, engram.Cut{Mutations: []engram.Mutation{m}}) }); err != nil || v.cuts == 0 {
		return err
	}
	kinds := slices.Sorted(maps.Keys(v.kinds))
	return o.log(ctx, s.entity, s.key, project, "secrets were removed: "+strings.Join(kinds, ", "), map[string]any{})
}

// cutTexts removes secrets from the current and earlier texts of a record and returns its project.
func (o *op) cutTexts(ctx context.Context, s leak, v *secretFilter) (project string, err error) {
	switch s.entity {
	case engram.EntityMemory:
		return o.cutMemory(ctx, s.num, v)
	case engram.EntityPrompt:
		p, err := engram.PromptAt(ctx, o.tx, s.num)
		if err != nil {
			return "", err
		}
		if v.cutsIn(func() { p.Content = v.text(p.Content) }) == 0 {
			return p.Project, nil
		}
		return p.Project, o.tx.Cut(ctx, engram.Cut{Prompts: []engram.Prompt{p}})
	case engram.EntitySession:
		one, err := o.tx.Session(ctx, s.key)
		if err != nil {
			return "", err
		}
		if v.cutsIn(func() { one.Summary = v.text(one.Summary) }) == 0 {
			return one.Project, nil
		}
		return one.Project, o.tx.PutSession(ctx, one)
	}
	r, err := o.tx.Relation(ctx, engram.RelationRef{Num: s.num})
	if err != nil || v.cutsIn(func() { r.Reason, r.Evidence = v.text(r.Reason), v.text(r.Evidence) }) == 0 {
		return "", err
	}
	return "", o.tx.ReplaceRelation(ctx, r)
}

// cutMemory removes secrets from a memory and its revisions, except kept ones.
func (o *op) cutMemory(ctx context.Context, num int64, v *secretFilter) (project string, err error) {
	was, err := o.tx.Memory(ctx, engram.ByNum(num))
	if err != nil {
		return "", err
	}
	marks, err := o.tx.Trust(ctx, []int64{num})
	if err != nil {
		return "", err
	}
	v.kept = textsMarked(marks[num], engram.TrustSecret)
	rs, err := o.tx.Revisions(ctx, num)
	if err != nil {
		return "", err
	}
	for i := range rs {
		if v.cutsIn(func() { shownRevisions(rs[i:i+1], v.text) }) > 0 {
			if err := o.tx.Cut(ctx, engram.Cut{Revisions: []engram.Revision{rs[i]}}); err != nil {
				return "", err
			}
		}
	}
	now := was
	if v.cutsIn(func() { now = memoryBy(was, v.named) }) == 0 {
		return was.Project, nil
	}
	if now.TopicKey != was.TopicKey {
		now.TopicKey = "" // a partial key would name another topic
	}
	now.Tags = slices.DeleteFunc(slices.Clone(was.Tags), func(tag string) bool { return v.text(tag) != tag })
	return was.Project, o.rewriteClean(ctx, was, now, v)
}

// rewriteClean replaces a memory by its redacted form without keeping a revision.
func (o *op) rewriteClean(ctx context.Context, was, now engram.Memory, v *secretFilter) error {
	if err := o.tx.ReplaceMemory(ctx, now); err != nil {
		return err
	}
	if err := o.judgeText(ctx, &was, now); err != nil {
		return err
	}
	if embeddedText(was) != embeddedText(now) {
		if err := o.embed(ctx, now); err != nil {
			return err
		}
	}
	if len(now.Tags) == len(was.Tags) {
		return nil
	}
	l, err := memoryMetadata(ctx, o.tx, was)
	if err != nil {
		return err
	}
	return o.tx.ReplicaTx().PutCausalMetadata(ctx, engram.EntityMemory, key(was.Num), *lineageBy(&l, v.text))
}
