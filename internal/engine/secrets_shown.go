package engine

import (
	"context"
	"slices"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/secret"
)

// underOlderRules reports whether what is kept was not looked at by the rules of now.
func underOlderRules(ctx context.Context, r engram.Reader) (bool, error) {
	rules, err := r.Fact(ctx, secretRules)
	return rules != secret.Version, err
}

// shownOf is what the texts of one memory go through before it is shown whole, with all that it
// said before; nil when they may be shown as they are: the rules of now have seen them, and
// no person keeps a secret there, beside which another one may stand.
func (e *Engine) shownOf(ctx context.Context, r engram.Reader, num int64) (cleaner, error) {
	older, err := underOlderRules(ctx, r)
	if err != nil {
		return nil, err
	}
	all, err := r.Trust(ctx, []int64{num})
	if err != nil {
		return nil, err
	}
	marks := all[num]
	if !older && !slices.ContainsFunc(marks, func(t engram.Trust) bool { return t.Mark == engram.TrustSecret }) {
		return nil, nil
	}
	return e.unlessKept(marks), nil
}

// shownRevisions is revisions of which every text has gone through clean, in place.
func shownRevisions(rs []engram.Revision, clean func(string) string) {
	for i := range rs {
		v := &rs[i]
		v.Title, v.Content, v.Reason = clean(v.Title), clean(v.Content), clean(v.Reason)
	}
}

// shownHistory is historyOf as it may be shown.
func (e *Engine) shownHistory(ctx context.Context, r engram.Reader, ref engram.Ref) (engram.History, error) {
	h, err := historyOf(ctx, r, ref)
	if err != nil {
		return h, err
	}
	why, err := flagged(ctx, r, []engram.Memory{h.Memory})
	if err != nil {
		return h, err
	}
	h.Flagged = why[h.Memory.Num]
	clean, err := e.shownOf(ctx, r, h.Memory.Num)
	if err != nil || clean == nil {
		return h, err
	}
	h.Memory = memoryBy(h.Memory, clean)
	for i := range h.Versions {
		v := &h.Versions[i]
		v.Title, v.Content, v.Reason = clean.text(v.Title), clean.text(v.Content), clean.text(v.Reason)
	}
	return h, nil
}

// cleanShown takes out of texts that are about to be shown what older rules let in.
func cleanShown[T any](ctx context.Context, e *Engine, r engram.Reader, all []T, texts func(*T) []*string) error {
	older, err := underOlderRules(ctx, r)
	if err != nil || !older {
		return err
	}
	for i := range all {
		for _, s := range texts(&all[i]) {
			*s, _ = e.secrets().Clean(*s)
		}
	}
	return nil
}

// shownPrompts is cleanShown of prompts. It changes ps.
func (e *Engine) shownPrompts(ctx context.Context, r engram.Reader, ps []engram.Prompt) error {
	return cleanShown(ctx, e, r, ps, func(p *engram.Prompt) []*string { return []*string{&p.Content} })
}

// shownSessions is cleanShown of the summaries of sessions. It changes all.
func (e *Engine) shownSessions(ctx context.Context, r engram.Reader, all []engram.SessionActivity) error {
	return cleanShown(ctx, e, r, all, func(s *engram.SessionActivity) []*string { return []*string{&s.Summary} })
}

// shownRelations is cleanShown of what relations say, and of the memories on their other ends. It
// changes notes.
func (e *Engine) shownRelations(ctx context.Context, r engram.Reader, notes []engram.RelationNote) error {
	others := make([]engram.Memory, len(notes))
	for i, n := range notes {
		others[i] = n.Other
	}
	if err := e.recalled(ctx, r, others); err != nil {
		return err
	}
	for i := range notes {
		notes[i].Other = others[i]
	}
	return cleanShown(ctx, e, r, notes, func(n *engram.RelationNote) []*string { return []*string{&n.Relation.Reason, &n.Relation.Evidence} })
}
