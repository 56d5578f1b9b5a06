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
