package screen

import (
	"context"
	"slices"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/engine/walk"
	"github.com/alanbuscaglia/engram/internal/secret"
)

// UnderOlderRules reports whether stored texts were not checked under the current rules.
func UnderOlderRules(ctx context.Context, r engram.Reader) (bool, error) {
	rules, err := r.Fact(ctx, SecretRules)
	return rules != secret.Version, err
}

// ShownOf returns the cleaner for one memory with its history; nil if none is needed: the current rules checked
// it and no secret is kept there, beside which others may stand.
func (s *Screen) ShownOf(ctx context.Context, r engram.Reader, num int64) (Cleaner, error) {
	older, err := UnderOlderRules(ctx, r)
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
	return s.unlessKept(marks), nil
}

// ShownRevisions cleans revisions in place.
func ShownRevisions(rs []engram.Revision, clean func(string) string) {
	for i := range rs {
		v := &rs[i]
		v.Title, v.Content, v.Reason = clean(v.Title), clean(v.Content), clean(v.Reason)
	}
}

// cleanShown redacts secrets kept under older rules from texts about to be shown.
func cleanShown[T any](ctx context.Context, sc *Screen, r engram.Reader, all []T, texts func(*T) []*string) error {
	older, err := UnderOlderRules(ctx, r)
	if err != nil || !older {
		return err
	}
	for i := range all {
		for _, s := range texts(&all[i]) {
			*s, _ = sc.Scanner().Clean(*s)
		}
	}
	return nil
}

// ShownPrompts is cleanShown of prompts. It changes ps.
func (s *Screen) ShownPrompts(ctx context.Context, r engram.Reader, ps []engram.Prompt) error {
	return cleanShown(ctx, s, r, ps, func(p *engram.Prompt) []*string { return []*string{&p.Content} })
}

// ShownSessions is cleanShown of session summaries. It changes all.
func (s *Screen) ShownSessions(ctx context.Context, r engram.Reader, all []engram.SessionActivity) error {
	return cleanShown(ctx, s, r, all, func(session *engram.SessionActivity) []*string { return []*string{&session.Summary} })
}

// ShownRelations is cleanShown of relations and the memories at their other ends. It changes notes.
func (s *Screen) ShownRelations(ctx context.Context, r engram.Reader, notes []engram.RelationNote) error {
	others := walk.Mapped(notes, func(n engram.RelationNote) engram.Memory { return n.Other })
	if err := s.RedactForDisplay(ctx, r, others); err != nil {
		return err
	}
	for i := range notes {
		notes[i].Other = others[i]
	}
	return cleanShown(ctx, s, r, notes, func(n *engram.RelationNote) []*string { return []*string{&n.Relation.Reason, &n.Relation.Evidence} })
}
