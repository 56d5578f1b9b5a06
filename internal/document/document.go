// Package document holds the JSON documents that the command line and the newer HTTP
// routes have in common: what a memory, a hit and its reasons look like from outside
// (memory.go, hit.go). What only one of them answers stands there.
//
// They are a contract: keys are in snake_case and always there; lists are [] and objects
// {} when empty; a time is RFC 3339 in UTC with milliseconds, and null when there is none.
package document

import "time"

// Stamp is a time in a document.
type Stamp time.Time

// MarshalJSON writes RFC 3339 in UTC with milliseconds, or null for the zero time.
func (s Stamp) MarshalJSON() ([]byte, error) {
	t := time.Time(s)
	if t.IsZero() {
		return []byte("null"), nil
	}
	return []byte(t.UTC().Format(`"2006-01-02T15:04:05.000Z"`)), nil
}

// Each maps a list; an empty one is [], never null.
func Each[A, B any](list []A, f func(A) B) []B {
	out := make([]B, len(list))
	for i, a := range list {
		out[i] = f(a)
	}
	return out
}

// OrEmpty is list, but never nil.
func OrEmpty[T any](list []T) []T {
	if list == nil {
		return []T{}
	}
	return list
}
