package engine

import (
	"context"

	"github.com/alanbuscaglia/engram"
)

// lot writes records as a batch. Of those that no batch can have together each half goes by
// itself; one that no batch can have stays here, and is told, and the others do not wait for it.
func (p *pushing) lot(ctx context.Context, went []outgoing) error {
	records := make([]engram.Record, len(went))
	for i, o := range went {
		records[i] = o.record
	}
	b, err := p.remote.Write(ctx, engram.Batch{By: p.in.By, At: p.now()}, records)
	switch {
	case engram.CodeOf(err) == engram.CodeInvalid && len(went) > 1:
		half := len(went) / 2
		if err := p.lot(ctx, went[:half]); err != nil {
			return err
		}
		return p.lot(ctx, went[half:])
	case engram.CodeOf(err) == engram.CodeInvalid:
		p.count(records[0], -1)
		p.res.Left = append(p.res.Left, engram.ImportNote{Item: string(records[0].Entity()), Name: nameOf(records[0]), Reason: line(err.Error())})
		return nil
	case err != nil:
		return err
	}
	p.res.Batches = append(p.res.Batches, b)
	return p.carry(ctx, b.ID, went)
}
