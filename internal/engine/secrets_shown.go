package engine

import (
	"context"
	"slices"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/secret"
)

// underOlderRules reports whether stored texts were not checked under the current rules.
func underOlderRules(ctx context.Context, r engram.Reader) (bool, error) {
	rules, err := r.Fact(ctx, secretRules)
	return rules != secret.Version, err
}

// shownOf returns the cleaner for one memory with its history; nil if none is needed: the current rules checked
// it and no secret is kept there, beside which others may stand.
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

// shownRevisions cleans revisions in place.
func shownRevisions(rs []engram.Revision, clean func(string) string) {
	for i := range rs {
		v := &rs[i]
		v.Title, v.Content, v.Reason = clean(v.Title), clean(v.Content), clean(v.Reason)
	}
}

// shownHistory is historyOf, redacted.
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

// cleanShown redacts secrets kept under older rules from texts about to be shown.
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

// shownSessions is cleanShown of session summaries. It changes all.
func (e *Engine) shownSessions(ctx context.Context, r engram.Reader, all []engram.SessionActivity) error {
	return cleanShown(ctx, e, r, all, func(s *engram.SessionActivity) []*string { return []*string{&s.Summary} })
}

// shownRelations is cleanShown of relations and the memories at their other ends. It changes notes.
func (e *Engine) shownRelations(ctx context.Context, r engram.Reader, notes []engram.RelationNote) error {
	others := mapped(notes, func(n engram.RelationNote) engram.Memory { return n.Other })
	if err := e.redactForDisplay(ctx, r, others); err != nil {
		return err
	}
	for i := range notes {
		notes[i].Other = others[i]
	}
	return cleanShown(ctx, e, r, notes, func(n *engram.RelationNote) []*string { return []*string{&n.Relation.Reason, &n.Relation.Evidence} })
}
