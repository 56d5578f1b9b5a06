package engine

import (
	"context"
	"errors"
	"iter"
	"reflect"

	"github.com/alanbuscaglia/engram"
)

// errEnough ends a reading whose records nobody wants any more.
var errEnough = errors.New("enough")

// ahead gives records that another goroutine reads meanwhile. It has ended when the loop over
// them has.
func ahead(ctx context.Context, records iter.Seq2[engram.Record, error]) iter.Seq2[engram.Record, error] {
	return func(yield func(engram.Record, error) bool) {
		err := readAhead(ctx, records, func(r engram.Record) error {
			if !yield(r, nil) {
				return errEnough
			}
			return nil
		})
		if err != nil && !errors.Is(err, errEnough) {
			yield(engram.Record{}, err)
		}
	}
}

// counted gives what of records fits into a format, and counts that and the rest.
func (x *exporting) counted(f engram.Format, records iter.Seq2[engram.Record, error]) iter.Seq2[engram.Record, error] {
	return func(yield func(engram.Record, error) bool) {
		for r, err := range records {
			fitting, fits := r, true
			if err == nil {
				if fitting, fits = f.Fit(r); fits {
					x.res.Written.add(fitting)
				}
				x.res.Left.add(missed(r, fitting, fits))
				x.tell(r)
			}
			if fits && !yield(fitting, err) {
				return
			}
		}
	}
}

// missed is what a record has that the one that fits has not.
func missed(r, fitting engram.Record, fits bool) engram.Record {
	switch {
	case !fits:
		return r
	case r.Memory == nil || r.Memory == fitting.Memory:
		return engram.Record{}
	}
	left, kept := *r.Memory, fitting.Memory
	if len(kept.Revisions) > 0 {
		left.Revisions = nil
	}
	if len(kept.Vectors) > 0 {
		left.Vectors = nil
	}
	if left.Revisions == nil && left.Vectors == nil && reflect.DeepEqual(left.Memory, kept.Memory) {
		return engram.Record{}
	}
	return engram.Record{Memory: &left}
}

// add counts a record; the zero one is nothing.
func (n *Written) add(r engram.Record) {
	switch {
	case r.Project != nil:
		n.Projects++
	case r.Session != nil:
		n.Sessions++
	case r.Prompt != nil:
		n.Prompts++
	case r.Relation != nil:
		n.Relations++
	case r.Erased != nil:
		n.Erased++
	case r.Memory != nil:
		n.Memories++
		n.Revisions += len(r.Memory.Revisions)
		n.Vectors += len(r.Memory.Vectors)
		if r.Memory.Memory.Forgotten() {
			n.Forgotten++
		}
	}
}

// tell tells how far the export is.
func (x *exporting) tell(r engram.Record) {
	if r.Memory != nil && x.in.Progress != nil {
		x.in.Progress(x.res.Memories, max(x.total, x.res.Memories))
	}
}
