package engine

import (
	"context"

	"github.com/alanbuscaglia/engram"
)

// Forget hides live memories; all or none. A memory that is not live is not_found.
// Nothing is lost: the journal knows how to bring them back.
func (e *Engine) Forget(ctx context.Context, refs ...engram.Ref) ([]engram.Memory, error) {
	var gone []engram.Memory
	err := e.write(ctx, "forget", func(o *op) error {
		for _, ref := range refs {
			m, err := o.live(ctx, ref)
			if err != nil {
				return err
			}
			if err := o.forget(ctx, &m, "asked for"); err != nil {
				return err
			}
			gone = append(gone, m)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return gone, nil
}

func (o *op) forget(ctx context.Context, m *engram.Memory, reason string) error {
	was := *m
	m.DeletedAt = o.at
	return o.replaceMemory(ctx, was, *m, reason)
}

// Erase removes memories for good, live or forgotten; all or none. Their texts leave
// the table, the index, the revisions, the journal and the write-ahead log.
func (e *Engine) Erase(ctx context.Context, refs ...engram.Ref) ([]engram.Memory, error) {
	var gone []engram.Memory
	err := e.write(ctx, "erase", func(o *op) (err error) {
		gone, err = o.eraseAll(ctx, refs)
		return err
	})
	if err != nil {
		return nil, err
	}
	return gone, nil
}

func (o *op) eraseAll(ctx context.Context, refs []engram.Ref) (gone []engram.Memory, err error) {
	for _, ref := range refs {
		m, err := o.tx.Memory(ctx, normalRef(ref))
		if err != nil {
			return nil, err
		}
		if err := o.eraseMemory(ctx, m); err != nil {
			return nil, err
		}
		gone = append(gone, m)
	}
	return gone, nil
}
