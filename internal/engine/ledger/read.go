package ledger

import (
	"context"

	"github.com/alanbuscaglia/engram"
)

// Read runs read on one snapshot and returns its result; the zero value with an error.
func Read[T any](ctx context.Context, l *Ledger, read func(engram.Reader) (T, error)) (T, error) {
	var v, none T
	err := l.View(ctx, func(r engram.Reader) (err error) {
		v, err = read(r)
		return err
	})
	if err != nil {
		return none, err
	}
	return v, nil
}

// Perform runs fn as one operation (write) and returns its result; the zero value with an error.
func Perform[T any](ctx context.Context, l *Ledger, operation string, fn func(*Tx) (T, error)) (T, error) {
	var v, none T
	err := l.Write(ctx, operation, func(o *Tx) (err error) {
		v, err = fn(o)
		return err
	})
	if err != nil {
		return none, err
	}
	return v, nil
}

// Progress reports the progress of an operation, if anybody listens.
type Progress func(what string, done, total int)

// Report reports that done of total steps are done.
func (p Progress) Report(what string, done, total int) {
	if p != nil {
		p(what, done, total)
	}
}
