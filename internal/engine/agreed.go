package engine

import (
	"context"

	"github.com/alanbuscaglia/engram"
)

// recipientsFact is the fact that says to which recipients somebody agreed, by repository.
const recipientsFact = "recipients:"

// AgreedRecipients returns to whom chunks of the repository at root may be encrypted, as
// they were given to AgreeRecipients here; "" for none.
func (e *Engine) AgreedRecipients(ctx context.Context, root string) (agreed string, err error) {
	return view(ctx, e, func(r engram.Reader) (string, error) { return r.Fact(ctx, recipientsFact+root) })
}

// AgreeRecipients remembers that the person who works with this store agreed to them. It is
// no part of the journal, and stays on this machine.
func (e *Engine) AgreeRecipients(ctx context.Context, root, recipients string) error {
	return e.store.Update(ctx, func(tx engram.Tx) error { return tx.PutFact(ctx, recipientsFact+root, recipients) })
}

// namedFact is the fact that says which projects somebody named for a repository.
const namedFact = "named projects:"

// NamedProjects returns which projects the person named for a repository, as they were given
// to NameProject here; "" for none.
func (e *Engine) NamedProjects(ctx context.Context, repository string) (names string, err error) {
	return view(ctx, e, func(r engram.Reader) (string, error) { return r.Fact(ctx, namedFact+repository) })
}

// NameProject remembers them, as AgreeRecipients does.
func (e *Engine) NameProject(ctx context.Context, repository, names string) error {
	return e.store.Update(ctx, func(tx engram.Tx) error { return tx.PutFact(ctx, namedFact+repository, names) })
}
