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
	err = e.store.View(ctx, func(r engram.Reader) error {
		agreed, err = r.Fact(ctx, recipientsFact+root)
		return err
	})
	return agreed, err
}

// AgreeRecipients remembers that the person who works with this store agreed to them. It is
// no part of the journal, and stays on this machine.
func (e *Engine) AgreeRecipients(ctx context.Context, root, recipients string) error {
	return e.store.Update(ctx, func(tx engram.Tx) error { return tx.PutFact(ctx, recipientsFact+root, recipients) })
}
