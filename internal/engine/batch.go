package engine

import (
	"context"
	"errors"
	"fmt"

	"github.com/alanbuscaglia/engram"
)

// MaxBatch is how many memories may be saved at once.
const MaxBatch = 100

// SaveBatch saves several memories in one transaction, all or none, and answers in their
// order. Each is decided upon with those before it: of two that say the same the second
// is a repeat, or is merged. CodeInvalid when there are none or more than MaxBatch; an
// error of one item says which, from 1.
func (e *Engine) SaveBatch(ctx context.Context, ins []SaveInput) ([]SaveResult, error) {
	if len(ins) == 0 || len(ins) > MaxBatch {
		return nil, engram.Errorf(engram.CodeInvalid, "%d memories cannot be saved at once", len(ins)).WithHint("from 1 to %d", MaxBatch)
	}
	intakes := make([]intake, len(ins))
	for i, in := range ins {
		m, err := e.draft(in)
		if err != nil {
			return nil, OfItem(i, err)
		}
		intakes[i] = intake{in: in, draft: m}
	}
	return e.saveAll(ctx, "save", intakes, OfItem)
}

// OfItem is err with the place, from 0, of the item of a batch that it is about.
func OfItem(i int, err error) error {
	told, ok := errors.AsType[*engram.Error](err)
	if !ok {
		return fmt.Errorf("memory %d: %w", i+1, err)
	}
	return engram.Errorf(told.Code, "memory %d: %s", i+1, told.Msg).WithHintOf(told).WithCause(told.Err)
}
