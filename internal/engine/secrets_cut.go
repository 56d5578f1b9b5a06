package engine

import (
	"context"
	"maps"
	"slices"
	"strings"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/secret"
)

// cutSecrets takes the secrets that the rules of now find out of all that is kept, and notes
// that they have seen it: from then on nothing is looked at again when it is shown. It
// returns how many things had some.
//
// Texts are replaced where they stand, in the past and in the journal, too: a revision would
// keep what is to go. The write that a text comes from stays the same, so that stores whose
// rules agree agree, and one that cuts does not undo what another one wrote meanwhile. The
// entry of the journal says that it happened, and there is nothing to undo.
func (e *Engine) cutSecrets(ctx context.Context, verb string) (n int, err error) {
	e = e.everywhere() // what is not looked at now would pass for seen from then on
	var all []soiled
	err = e.store.View(ctx, func(r engram.Reader) error {
		_, err := e.soiledThings(ctx, r, func(s soiled) { all = append(all, s) })
		return err
	})
	if err != nil {
		return 0, err
	}
	const batch = 100 // others write in between
	for some := range slices.Chunk(all, batch) {
		err := e.write(ctx, verb, func(o *op) error {
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

// cutOlderSecrets is cutSecrets where the rules are newer than those that saw what is kept.
func (e *Engine) cutOlderSecrets(ctx context.Context, verb string) error {
	var older bool
	err := e.store.View(ctx, func(r engram.Reader) (err error) {
		older, err = underOlderRules(ctx, r)
		return err
	})
	if err != nil || !older {
		return err
	}
	_, err = e.cutSecrets(ctx, verb)
	return err
}

// cutThing takes the secrets out of one thing, as it is now. What is gone meanwhile is left.
func (o *op) cutThing(ctx context.Context, s soiled) error {
	v := &sieve{scanner: o.secrets, kinds: map[string]int{}}
	project, err := o.cutTexts(ctx, s, v)
	if engram.CodeOf(err) == engram.CodeNotFound {
		return nil
	}
	if err != nil {
		return err
	}
	if _, err := eachEntry(ctx, o.tx, v, s, func(m engram.Mutation) error { return o.tx.CutMutation(ctx, m) }); err != nil || v.cuts == 0 {
		return err
	}
	kinds := slices.Sorted(maps.Keys(v.kinds))
	return o.log(ctx, s.entity, s.key, project, "secrets were cut out: "+strings.Join(kinds, ", "), map[string]any{})
}

// cutTexts takes the secrets out of what a thing says, and said; it returns its project.
func (o *op) cutTexts(ctx context.Context, s soiled, v *sieve) (project string, err error) {
	switch s.entity {
	case engram.EntityMemory:
		return o.cutMemory(ctx, s.num, v)
	case engram.EntityPrompt:
		p, err := o.tx.Prompt(ctx, s.num)
		if err != nil {
			return "", err
		}
		if v.cutsIn(func() { p.Content = v.text(p.Content) }) == 0 {
			return p.Project, nil
		}
		return p.Project, o.tx.CutPrompt(ctx, p)
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

// cutMemory takes the secrets out of a memory and its revisions, but for those that it keeps.
func (o *op) cutMemory(ctx context.Context, num int64, v *sieve) (project string, err error) {
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
			if err := o.tx.CutRevision(ctx, rs[i]); err != nil {
				return "", err
			}
		}
	}
	now := was
	if v.cutsIn(func() { now = memoryBy(was, v.named) }) == 0 {
		return was.Project, nil
	}
	if now.TopicKey != was.TopicKey {
		now.TopicKey = "" // half a key names another topic
	}
	now.Tags = slices.DeleteFunc(slices.Clone(was.Tags), func(tag string) bool { return v.text(tag) != tag })
	return was.Project, o.rewriteClean(ctx, was, now, v)
}

// rewriteClean writes a memory without its secrets over it: no revision keeps what it said.
func (o *op) rewriteClean(ctx context.Context, was, now engram.Memory, v *sieve) error {
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
	return o.tx.PutCausalMetadata(ctx, engram.EntityMemory, key(was.Num), *lineageBy(&l, v.text))
}
