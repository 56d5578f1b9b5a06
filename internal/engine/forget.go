package engine

import (
	"context"

	"github.com/alanbuscaglia/engram"
)

// Forget hides live memories; all or none. A memory that is not live is not_found.
// Nothing is lost: the journal knows how to bring them back.
func (e *Engine) Forget(ctx context.Context, refs ...engram.Ref) (gone []engram.Memory, err error) {
	err = e.write(ctx, "forget", func(o *op) error {
		gone, err = o.forgetAll(ctx, refs)
		return err
	})
	if err != nil {
		return nil, err
	}
	return gone, nil
}

// forgetAll forgets live memories that somebody named, each once.
func (o *op) forgetAll(ctx context.Context, refs []engram.Ref) ([]engram.Memory, error) {
	ms, err := each(ctx, refs, o.live)
	if err != nil {
		return nil, err
	}
	for i := range ms {
		if err := o.forget(ctx, &ms[i], "asked for"); err != nil {
			return nil, err
		}
	}
	return ms, nil
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
		if gone, err = each(ctx, refs, o.tx.Memory); err != nil {
			return err
		}
		return o.eraseAll(ctx, gone)
	})
	if err != nil {
		return nil, err
	}
	return gone, nil
}

func (o *op) eraseAll(ctx context.Context, ms []engram.Memory) error {
	for _, m := range ms {
		if err := o.eraseMemory(ctx, m); err != nil {
			return err
		}
	}
	return nil
}

// each returns the memories that refs name, as read reads them, each once: somebody may
// name one twice, by its number and by its topic.
func each(ctx context.Context, refs []engram.Ref, read func(context.Context, engram.Ref) (engram.Memory, error)) (ms []engram.Memory, err error) {
	named := map[int64]bool{}
	for _, ref := range refs {
		m, err := read(ctx, normalRef(ref))
		if err != nil {
			return nil, err
		}
		if !named[m.Num] {
			ms = append(ms, m)
		}
		named[m.Num] = true
	}
	return ms, nil
}
