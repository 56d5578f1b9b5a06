package engine

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/alanbuscaglia/engram"
)

// MaxBatch is how many memories may be saved at once.
const MaxBatch = 100

// ItemError is why one memory of a batch cannot be saved.
type ItemError struct {
	Index int   // its place in the batch, from 0
	Err   error // without the place
}

// BatchError says which memories of a batch cannot be saved, in their order; none of it is.
type BatchError struct{ Items []ItemError }

// mostTold is how many wrong items the text of a BatchError names.
const mostTold = 20

// Error names the items, from 1.
func (e *BatchError) Error() string { return e.Unwrap().Error() }

// Unwrap is the first item's error, which says where it stands and what is wrong with the
// others.
func (e *BatchError) Unwrap() error {
	first := OfItem(e.Items[0].Index, e.Items[0].Err)
	told, ok := errors.AsType[*engram.Error](first)
	if !ok || len(e.Items) == 1 {
		return first
	}
	var b strings.Builder
	b.WriteString(told.Msg)
	for i, item := range e.Items[1:] {
		if i == mostTold-1 {
			fmt.Fprintf(&b, "; and %d more", len(e.Items)-mostTold)
			break
		}
		fmt.Fprintf(&b, "; memory %d: %s", item.Index+1, wordsOf(item.Err))
	}
	return engram.Errorf(told.Code, "%s", b.String()).WithHintOf(told).WithCause(told.Err)
}

// wordsOf is what err says to a person, without its cause.
func wordsOf(err error) string {
	if told, ok := errors.AsType[*engram.Error](err); ok {
		return told.Msg
	}
	return err.Error()
}

// SaveBatch saves several memories in one transaction, all or none, and answers in their
// order. Each is decided upon with those before it: of two that say the same the second
// is a repeat, or is merged. CodeInvalid when there are none or more than MaxBatch; what is
// wrong with items is a *BatchError, which has every one of them that is.
func (e *Engine) SaveBatch(ctx context.Context, ins []SaveInput) ([]SaveResult, error) {
	return e.saveBatch(ctx, "save", ins)
}

// Ingest is SaveBatch as the verb ingest, so that what a long file became can be undone without
// what others saved meanwhile.
func (e *Engine) Ingest(ctx context.Context, ins []SaveInput) ([]SaveResult, error) {
	return e.saveBatch(ctx, "ingest", ins)
}

func (e *Engine) saveBatch(ctx context.Context, verb string, ins []SaveInput) ([]SaveResult, error) {
	intakes, err := e.drafts(ctx, ins)
	if err != nil {
		return nil, err
	}
	return e.saveAll(ctx, verb, intakes, true)
}

// TryBatch says what SaveBatch would do, with the same errors, and changes nothing. The
// numbers and ids of new memories are not those that they will get.
func (e *Engine) TryBatch(ctx context.Context, ins []SaveInput) ([]SaveResult, error) {
	intakes, err := e.drafts(ctx, ins)
	if err != nil {
		return nil, err
	}
	return e.tryIntakes(ctx, intakes)
}

func (e *Engine) tryIntakes(ctx context.Context, intakes []intake) (all []SaveResult, err error) {
	_, err = e.saveIntakes(ctx, "save", intakes, true, func(tried []SaveResult) error {
		all = tried
		return errDryRun
	})
	if errors.Is(err, errDryRun) {
		return all, nil
	}
	return nil, err
}

// drafts makes what is to be saved of the items of a batch. Where some cannot be saved by
// themselves, the others are tried: whoever is to put it right wants to hear of every one.
func (e *Engine) drafts(ctx context.Context, ins []SaveInput) (_ []intake, err error) {
	if len(ins) == 0 || len(ins) > MaxBatch {
		return nil, engram.Errorf(engram.CodeInvalid, "%d memories cannot be saved at once", len(ins)).WithHint("from 1 to %d", MaxBatch)
	}
	var wrong BatchError
	var fine []intake
	var places []int // of fine, in ins
	for i, in := range ins {
		if t, err := e.intakeOf(in); err != nil {
			wrong.Items = append(wrong.Items, ItemError{i, err})
		} else {
			fine, places = append(fine, t), append(places, i)
		}
	}
	if len(wrong.Items) == 0 {
		markOvertaken(fine)
		return fine, nil
	}
	if len(fine) > 0 {
		_, err = e.tryIntakes(ctx, fine)
	}
	return nil, wrong.with(err, places)
}

// with adds what is wrong with the others, which were tried by themselves, to what is wrong;
// places are where those stand. An error that is about no item is returned instead.
func (e *BatchError) with(tried error, places []int) error {
	more, ok := errors.AsType[*BatchError](tried)
	if tried != nil && !ok {
		return tried
	}
	if ok {
		for _, item := range more.Items {
			e.Items = append(e.Items, ItemError{places[item.Index], item.Err})
		}
	}
	slices.SortFunc(e.Items, func(a, b ItemError) int { return cmp.Compare(a.Index, b.Index) })
	return e
}

// markOvertaken marks those of a batch that do not have the last word on their topic.
func markOvertaken(batch []intake) {
	type place struct {
		project string
		scope   engram.Scope
		topic   string
	}
	last := map[place]int{}
	for i, t := range slices.Backward(batch) {
		at := place{t.draft.Project, t.draft.Scope, t.draft.TopicKey}
		if _, later := last[at]; later && at.topic != "" {
			batch[i].overtaken = true
		}
		last[at] = i
	}
}

// SaveBatchOf is SaveBatch of what draft makes of each of n items. Those of which it makes none
// are wrong items like any other: the others are tried, and each is told.
func (e *Engine) SaveBatchOf(ctx context.Context, n int, draft func(i int) (SaveInput, error)) ([]SaveResult, error) {
	var wrong BatchError
	var ins []SaveInput
	var places []int // of ins
	for i := range n {
		in, err := draft(i)
		if err != nil {
			wrong.Items = append(wrong.Items, ItemError{i, err})
			continue
		}
		ins, places = append(ins, in), append(places, i)
	}
	if len(wrong.Items) == 0 {
		return e.SaveBatch(ctx, ins)
	}
	var err error
	if len(ins) > 0 && n <= MaxBatch {
		_, err = e.TryBatch(ctx, ins)
	}
	return nil, wrong.with(err, places)
}

// ofItem reports an error that is about what was to be saved, so that those behind it in its
// batch can be looked at, too; all that was written is taken back.
func ofItem(err error) bool {
	switch engram.CodeOf(err) {
	case engram.CodeInvalid, engram.CodeNotFound, engram.CodeConflict, engram.CodeForbidden:
		return true
	}
	return false
}

// OfItem is err with the place, from 0, of the item of a batch that it is about.
func OfItem(i int, err error) error {
	told, ok := errors.AsType[*engram.Error](err)
	if !ok {
		return fmt.Errorf("memory %d: %w", i+1, err)
	}
	return engram.Errorf(told.Code, "memory %d: %s", i+1, told.Msg).WithHintOf(told).WithCause(told.Err)
}
