package wire

import (
	"encoding/json"
	"fmt"
	"strconv"
	"time"
)

// Time is a time in a file. It is written in RFC 3339 in UTC with milliseconds, zero as null. It is
// read in RFC 3339, in the form of the mem_* dialect (2026-06-12 09:00:00, UTC), or as seconds or
// milliseconds since 1970; null and "" are zero.
type Time struct{ time.Time }

// At returns a time for a native item.
func At(t time.Time) Time { return Time{t} }

// MarshalJSON implements json.Marshaler.
func (m Time) MarshalJSON() ([]byte, error) {
	if m.IsZero() {
		return []byte("null"), nil
	}
	return Instant(m.Time).MarshalJSON()
}

// Instant is a time that is written even if it is zero: RFC 3339 in UTC with milliseconds.
type Instant time.Time

// MarshalJSON implements json.Marshaler.
func (s Instant) MarshalJSON() ([]byte, error) {
	return []byte(time.Time(s).UTC().Format(`"2006-01-02T15:04:05.000Z"`)), nil
}

// dialectTime is the layout of times in the mem_* dialect.
const dialectTime = "2006-01-02 15:04:05"

// UnmarshalJSON implements json.Unmarshaler.
func (m *Time) UnmarshalJSON(b []byte) error {
	text := string(b)
	if text == "null" || text == `""` {
		return nil
	}
	if b[0] != '"' {
		return m.count(text)
	}
	if err := json.Unmarshal(b, &text); err != nil {
		return err
	}
	for _, layout := range []string{time.RFC3339Nano, dialectTime, "2006-01-02T15:04:05", "2006-01-02"} {
		if t, err := time.Parse(layout, text); err == nil {
			m.Time = t.UTC()
			return nil
		}
	}
	return m.count(text)
}

// count reads seconds, or milliseconds if the number is too large for seconds.
func (m *Time) count(text string) error {
	const tooManySeconds = 100_000_000_000 // the year 5138
	n, err := strconv.ParseFloat(text, 64)
	if err != nil || !(n > -tooManySeconds*1000 && n < tooManySeconds*1000) { // false for NaN
		return fmt.Errorf("%.40q is not a time", text)
	}
	if n < tooManySeconds && n > -tooManySeconds {
		n *= 1000
	}
	m.Time = time.UnixMilli(int64(n)).UTC()
	return nil
}
