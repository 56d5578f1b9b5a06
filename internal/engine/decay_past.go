package engine

import (
	"context"

	"github.com/alanbuscaglia/engram"
)

// Vitals calls each with the memories that passed f then; they are whole.
func (p *pastReader) Vitals(ctx context.Context, f engram.Filter, each func(engram.Memory) bool) error {
	const page = 500
	for offset := 0; ; offset += page {
		ms, err := p.List(ctx, f, engram.Page{Limit: page, Offset: offset})
		if err != nil {
			return err
		}
		for _, m := range ms {
			if !each(m) {
				return nil
			}
		}
		if len(ms) < page {
			return nil
		}
	}
}
