package jsonfile

import (
	"encoding/json"
	"fmt"
	"strconv"
	"time"
)

// moment is a time in a file. It is written in RFC 3339, and read in that, in the form of
// the mem_* dialect (2026-06-12 09:00:00, UTC), or as seconds or milliseconds since 1970.
// Null and "" are no time.
type moment struct{ time.Time }

func at(t time.Time) moment { return moment{t} }

// MarshalJSON implements json.Marshaler.
func (m moment) MarshalJSON() ([]byte, error) {
	if m.IsZero() {
		return []byte("null"), nil
	}
	return stamp(m.Time).MarshalJSON()
}

// dialectTime is how the mem_* dialect writes times.
const dialectTime = "2006-01-02 15:04:05"

// UnmarshalJSON implements json.Unmarshaler.
func (m *moment) UnmarshalJSON(b []byte) error {
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

// count reads a number of seconds, or of milliseconds where it is too large for these.
func (m *moment) count(text string) error {
	const tooManySeconds = 100_000_000_000 // the year 5138
	n, err := strconv.ParseFloat(text, 64)
	if err != nil || !(n > -tooManySeconds*1000 && n < tooManySeconds*1000) { // NaN is neither
		return fmt.Errorf("%.40q is no time", text)
	}
	if n < tooManySeconds && n > -tooManySeconds {
		n *= 1000
	}
	m.Time = time.UnixMilli(int64(n)).UTC()
	return nil
}
