package storetest

import (
	"context"
	"time"

	"github.com/alanbuscaglia/engram"
)

// The look-ups of this file ask the narrow interface what the cases of the suite are about.

func due(r engram.Reader, ctx context.Context, project string, before time.Time, p engram.Page) ([]engram.Memory, error) {
	p.Order = engram.OrderDue
	return r.List(ctx, engram.Filter{Project: project, DueBefore: before}, p)
}

func anchored(r engram.Reader, ctx context.Context, project, path string, limit int) ([]engram.Memory, error) {
	return r.List(ctx, engram.Filter{Project: project, Anchor: path}, engram.Page{Limit: limit})
}

func stale(r engram.Reader, ctx context.Context, project string, p engram.Page) ([]engram.Memory, error) {
	return r.List(ctx, engram.Filter{Project: project, Stale: true}, p)
}

func lasting(r engram.Reader, ctx context.Context, project string, scope engram.Scope, limit int) ([]engram.Memory, error) {
	return r.List(ctx, engram.Filter{Project: project, Scope: scope, Lasting: true}, engram.Page{Order: engram.OrderLasting, Limit: limit})
}

func flagged(r engram.Reader, ctx context.Context, project string, p engram.Page) ([]engram.Memory, error) {
	p.Order = engram.OrderFlagged
	return r.List(ctx, engram.Filter{Project: project, Mark: engram.TrustFlagged}, p)
}

func countFlagged(r engram.Reader, ctx context.Context, project string) (int, error) {
	return r.Count(ctx, engram.Filter{Project: project, Mark: engram.TrustFlagged})
}

func unembedded(r engram.Reader, ctx context.Context, model string, after int64, limit int) ([]engram.Memory, error) {
	return r.List(ctx, engram.Filter{Unembedded: model}, engram.Page{Order: engram.OrderNumber, Limit: limit, After: engram.Position{Num: after}})
}

func countInSession(r engram.Reader, ctx context.Context, session string, forgotten bool) (int, error) {
	return r.Count(ctx, engram.Filter{SessionID: session, WithForgotten: forgotten})
}

func upkeep(r engram.Reader, ctx context.Context, project string, now time.Time) (u engram.Upkeep, err error) {
	if u.Revisions, err = r.CountRevisions(ctx, project); err == nil {
		u.Due, err = r.Count(ctx, engram.Filter{Project: project, DueBefore: now})
	}
	return u, err
}

func sessionsIn(r engram.Reader, ctx context.Context, project string, p engram.Page) ([]engram.SessionActivity, error) {
	return r.Sessions(ctx, engram.SessionFilter{Project: project}, p)
}

func sessionsSince(r engram.Reader, ctx context.Context, project string, since time.Time) (int, error) {
	return r.CountSessions(ctx, engram.SessionFilter{Project: project, Since: since})
}

func promptsIn(r engram.Reader, ctx context.Context, project, session string, p engram.Page) ([]engram.Prompt, error) {
	return r.Prompts(ctx, engram.PromptFilter{Project: project, SessionID: session}, p)
}

func mutationsOf(r engram.Reader, ctx context.Context, entity engram.Entity, key string, p engram.Page) ([]engram.Mutation, error) {
	return r.Mutations(ctx, engram.JournalSpan{Entity: entity, Key: key}, p)
}

func mutationsIn(r engram.Reader, ctx context.Context, s engram.JournalSpan, most int) ([]engram.Mutation, error) {
	return r.Mutations(ctx, s, engram.Page{Limit: most})
}

func shown(r engram.Reader, ctx context.Context, session string) ([]int64, error) {
	return r.Shown(ctx, session, nil, nil)
}

func touching(r engram.Reader, ctx context.Context, memories []int64) ([]engram.Relation, error) {
	return engram.RelationsOf(ctx, r, memories, nil, 0)
}

// swap0 to swap3 turn a function of the root package, such as engram.RelationsOf, into the form of a method
// expression.
func swap0[R, T any](f func(context.Context, R) (T, error)) func(R, context.Context) (T, error) {
	return func(r R, ctx context.Context) (T, error) { return f(ctx, r) }
}

func swap1[R, A, T any](f func(context.Context, R, A) (T, error)) func(R, context.Context, A) (T, error) {
	return func(r R, ctx context.Context, a A) (T, error) { return f(ctx, r, a) }
}

func swap2[R, A, B, T any](f func(context.Context, R, A, B) (T, error)) func(R, context.Context, A, B) (T, error) {
	return func(r R, ctx context.Context, a A, b B) (T, error) { return f(ctx, r, a, b) }
}

func swap3[R, A, B, C, T any](f func(context.Context, R, A, B, C) (T, error)) func(R, context.Context, A, B, C) (T, error) {
	return func(r R, ctx context.Context, a A, b B, c C) (T, error) { return f(ctx, r, a, b, c) }
}

func first[T any](all []T, err error) (one T, found bool, _ error) {
	if err != nil || len(all) == 0 {
		return one, false, err
	}
	return all[0], true, nil
}

func deleted(tx engram.Tx, ctx context.Context, session string) error {
	return tx.DeleteSession(ctx, session, false)
}

func erased(tx engram.Tx, ctx context.Context, session string) error {
	return tx.DeleteSession(ctx, session, true)
}
