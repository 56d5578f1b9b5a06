package sqlrow

import (
	"cmp"
	"encoding/json"
	"time"

	"github.com/alanbuscaglia/engram"
)

// Millis is the column value of a time: NULL for the zero time.
func Millis(t time.Time) any {
	if t.IsZero() {
		return nil
	}
	return t.UnixMilli()
}

// OrNull is the column value of a text: NULL for "".
func OrNull(s string) any {
	if s == "" {
		return nil
	}
	return s
}

// OrZero is the column value of a number: NULL for 0.
func OrZero(n int64) any {
	if n == 0 {
		return nil
	}
	return n
}

// JSONOrNull encodes v, of n elements, as a column value: NULL if n is 0.
func JSONOrNull(v any, n int) (any, error) {
	if n == 0 {
		return nil, nil
	}
	b, err := json.Marshal(v)
	return string(b), err
}

// DeferredKind is the kind of thing that a deferred record is about; erasures of a thing count as their own kind.
func DeferredKind(r engram.Record) engram.Entity {
	if r.Erased != nil {
		return engram.EntityErased
	}
	return r.Entity()
}

// DeferredName returns the name of the thing that a deferred record is about, the same on all replicas.
func DeferredName(r engram.Record) string {
	switch {
	case r.Project != nil:
		return r.Project.Name
	case r.Session != nil:
		return r.Session.ID
	case r.Prompt != nil:
		return r.Prompt.SyncID
	case r.Memory != nil:
		return cmp.Or(string(r.Memory.Memory.ID), r.Memory.Memory.SyncID)
	case r.Relation != nil:
		return r.Relation.Relation.ID
	case r.Erased != nil:
		return r.Erased.Key()
	}
	return ""
}
