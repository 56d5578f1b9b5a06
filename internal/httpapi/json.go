package httpapi

import "time"

// clock is a time as the older routes write it: RFC 3339 in UTC to the second, left
// out when there is none.
type clock time.Time

// IsZero lets omitzero leave it out.
func (c clock) IsZero() bool { return time.Time(c).IsZero() }

// MarshalJSON implements json.Marshaler.
func (c clock) MarshalJSON() ([]byte, error) {
	return []byte(time.Time(c).UTC().Format(`"2006-01-02T15:04:05Z"`)), nil
}

// stamp is a time as the newer routes write it: RFC 3339 in UTC with milliseconds,
// null when there is none.
type stamp time.Time

// MarshalJSON implements json.Marshaler.
func (s stamp) MarshalJSON() ([]byte, error) {
	if time.Time(s).IsZero() {
		return []byte("null"), nil
	}
	return []byte(time.Time(s).UTC().Format(`"2006-01-02T15:04:05.000Z"`)), nil
}

// each maps a list; the result is never nil, because lists are [] in JSON.
func each[A, B any](list []A, f func(A) B) []B {
	out := make([]B, len(list))
	for i, a := range list {
		out[i] = f(a)
	}
	return out
}

// orEmpty is list, but never nil.
func orEmpty[T any](list []T) []T {
	if list == nil {
		return []T{}
	}
	return list
}
