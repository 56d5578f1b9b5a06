package engine

import (
	"context"

	"github.com/alanbuscaglia/engram"
)

// Names inside the package that its external tests need.

// SecretRules is the fact that records the rules under which stored texts were checked.
const SecretRules = secretRules

// Look runs fn on the engine's reader.
func (e *Engine) Look(ctx context.Context, fn func(engram.Reader) error) error {
	return e.store.View(ctx, fn)
}

// Note writes an operation with one entry per reason about a memory, and returns its number.
func (e *Engine) Note(ctx context.Context, m engram.Memory, reasons ...string) (number int64, err error) {
	err = e.write(ctx, "test", func(o *op) error {
		for _, reason := range reasons {
			if err := o.log(ctx, engram.EntityMemory, key(m.Num), m.Project, reason, map[string]any{}); err != nil {
				return err
			}
		}
		number = o.first
		return nil
	})
	return number, err
}
