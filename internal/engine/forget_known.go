package engine

import (
	"context"

	"github.com/alanbuscaglia/engram"
)

// ForgetKnown is Forget for a list that may be out of date: it forgets those of the
// memories that are live and returns the places, from 0, of the refs that name none. What
// is live is forgotten all or none; what fits several memories is CodeConflict.
func (e *Engine) ForgetKnown(ctx context.Context, refs ...engram.Ref) (gone []engram.Memory, unknown []int, err error) {
	err = e.write(ctx, "forget", func(o *op) error {
		var live []engram.Ref
		for i, ref := range refs {
			m, err := o.live(ctx, ref)
			switch {
			case engram.CodeOf(err) == engram.CodeNotFound:
				unknown = append(unknown, i)
			case err != nil:
				return err
			default:
				live = append(live, engram.ByNum(m.Num))
			}
		}
		gone, err = o.forgetAll(ctx, live)
		return err
	})
	if err != nil {
		return nil, nil, err
	}
	return gone, unknown, nil
}
