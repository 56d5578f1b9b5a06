package remember

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/engine/ledger"
)

// MaxBatch limits the memories of one batch.
const MaxBatch = 100

// ItemError says why one memory of a batch cannot be saved.
type ItemError struct {
	Index int   // index in the batch, from 0
	Err   error // without the index
}

// BatchError lists the items of a batch that cannot be saved, in order; nothing was saved.
type BatchError struct{ Items []ItemError }

// mostItems limits the items named in the text of a BatchError.
const mostItems = 20

// Error names the items, counted from 1.
func (e *BatchError) Error() string { return e.Unwrap().Error() }

// Unwrap returns the first item's error with the messages of the others appended.
func (e *BatchError) Unwrap() error {
	first := OfItem(e.Items[0].Index, e.Items[0].Err)
	known, ok := errors.AsType[*engram.Error](first)
	if !ok || len(e.Items) == 1 {
		return first
	}
	var b strings.Builder
	b.WriteString(known.Msg)
	for i, item := range e.Items[1:] {
		if i == mostItems-1 {
			fmt.Fprintf(&b, "; and %d more", len(e.Items)-mostItems)
			break
		}
		fmt.Fprintf(&b, "; memory %d: %s", item.Index+1, wordsOf(item.Err))
	}
	return engram.Errorf(known.Code, "%s", b.String()).WithHintOf(known).WithCause(known.Err)
}

// wordsOf returns the message of err without its cause.
func wordsOf(err error) string {
	if known, ok := errors.AsType[*engram.Error](err); ok {
		return known.Msg
	}
	return err.Error()
}

// SaveBatch saves several memories in one transaction, all or none, and returns results in the same order. Each
// save sees those before it, so the second of two equal texts is a repeat or is merged. No items, or more than
// MaxBatch, is CodeInvalid; a *BatchError lists every item that cannot be saved.
func (w *Writer) SaveBatch(ctx context.Context, ins []SaveInput) ([]SaveResult, error) {
	return w.saveBatch(ctx, "save", len(ins), draftsOf(ins))
}

// Ingest is SaveBatch journaled as the operation ingest, so that one long file can be undone on its own.
func (w *Writer) Ingest(ctx context.Context, ins []SaveInput) ([]SaveResult, error) {
	return w.saveBatch(ctx, "ingest", len(ins), draftsOf(ins))
}

func (w *Writer) saveBatch(ctx context.Context, operation string, n int, draft drafter) ([]SaveResult, error) {
	intakes, err := w.drafts(ctx, n, draft)
	if err != nil {
		return nil, err
	}
	return w.SaveAll(ctx, operation, intakes, true)
}

// drafter makes an item of a batch.
type drafter = func(i int) (SaveInput, error)

func draftsOf(ins []SaveInput) drafter {
	return func(i int) (SaveInput, error) { return ins[i], nil }
}

// TryBatch returns what SaveBatch would do, with the same errors, and changes nothing. New memories have
// provisional numbers and ids.
func (w *Writer) TryBatch(ctx context.Context, ins []SaveInput) ([]SaveResult, error) {
	intakes, err := w.drafts(ctx, len(ins), draftsOf(ins))
	if err != nil {
		return nil, err
	}
	return w.tryIntakes(ctx, intakes)
}

func (w *Writer) tryIntakes(ctx context.Context, intakes []Intake) (all []SaveResult, err error) {
	_, err = w.saveIntakes(ctx, "save", intakes, true, func(tried []SaveResult) error {
		all = tried
		return ledger.ErrDryRun
	})
	if errors.Is(err, ledger.ErrDryRun) {
		return all, nil
	}
	return nil, err
}

// drafts prepares the items of a batch. If some are invalid it also tries the rest, so that the error lists
// every bad item.
func (w *Writer) drafts(ctx context.Context, n int, draft drafter) (_ []Intake, err error) {
	if n == 0 || n > MaxBatch {
		return nil, engram.Errorf(engram.CodeInvalid, "cannot save %d memories at once", n).WithHint("save from 1 to %d", MaxBatch)
	}
	var wrong BatchError
	fine := make([]Intake, 0, n) // they are large
	var places []int             // indexes of fine in the batch
	for i := range n {
		var t Intake
		in, err := draft(i)
		if err == nil {
			t, err = w.IntakeOf(in)
		}
		if err != nil {
			wrong.Items = append(wrong.Items, ItemError{i, err})
			continue
		}
		fine, places = append(fine, t), append(places, i)
	}
	if len(wrong.Items) == 0 {
		markOvertaken(fine)
		return fine, nil
	}
	if len(fine) > 0 {
		_, err = w.tryIntakes(ctx, fine)
	}
	return nil, wrong.with(err, places)
}

// with adds the errors from trying the remaining items, whose indexes in the batch are places. An error that
// concerns no item is returned instead.
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

// markOvertaken marks items whose topic a later item of the batch has too.
func markOvertaken(batch []Intake) {
	type place struct {
		project string
		scope   engram.Scope
		topic   string
	}
	last := map[place]int{}
	for i, t := range slices.Backward(batch) {
		at := place{t.Draft.Project, t.Draft.Scope, t.Draft.TopicKey}
		if _, later := last[at]; later && at.topic != "" {
			batch[i].overtaken = true
		}
		last[at] = i
	}
}

// SaveBatchOf is SaveBatch of n items made by draft. Items for which draft fails count as invalid, and the
// error lists them with the others.
func (w *Writer) SaveBatchOf(ctx context.Context, n int, draft func(i int) (SaveInput, error)) ([]SaveResult, error) {
	return w.saveBatch(ctx, "save", n, draft)
}

// eachItem calls do for n items. For a batch it continues after a bad item, and its error lists every one.
func eachItem(n int, batch bool, do func(i int) error) error {
	var wrong BatchError
	for i := range n {
		err := do(i)
		if err != nil && batch && ofItem(err) {
			wrong.Items = append(wrong.Items, ItemError{i, err})
		} else if err != nil {
			return err
		}
	}
	if len(wrong.Items) > 0 {
		return &wrong
	}
	return nil
}

// ofItem reports whether an error concerns one item, so that the rest of the batch can still be checked.
func ofItem(err error) bool {
	switch engram.CodeOf(err) {
	case engram.CodeInvalid, engram.CodeNotFound, engram.CodeConflict, engram.CodeForbidden:
		return true
	}
	return false
}

// OfItem adds an item's index, from 0, to its error.
func OfItem(i int, err error) error {
	known, ok := errors.AsType[*engram.Error](err)
	if !ok {
		return fmt.Errorf("memory %d: %w", i+1, err)
	}
	return engram.Errorf(known.Code, "memory %d: %s", i+1, known.Msg).WithHintOf(known).WithCause(known.Err)
}
