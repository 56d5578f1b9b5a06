package source

import (
	"strings"
	"time"
)

// When returns the first text that is a time; zero for none. A time without a zone is UTC, as
// SQLite writes it.
func When(texts ...string) time.Time {
	for _, text := range texts {
		text = strings.TrimSpace(text)
		for _, layout := range []string{time.RFC3339Nano, "2006-01-02 15:04:05", "2006-01-02 15:04:05.999999999Z07:00", "2006-01-02T15:04:05.999999999", "2006-01-02 15:04", "2006-01-02"} {
			if t, err := time.Parse(layout, text); err == nil {
				return t.UTC()
			}
		}
	}
	return time.Time{}
}

// Epoch returns a time in milliseconds since 1970; zero for 0. Some early rows have seconds.
func Epoch(n int64) time.Time {
	const tooManySeconds = 100_000_000_000 // the year 5138
	switch {
	case n <= 0:
		return time.Time{}
	case n < tooManySeconds:
		return time.Unix(n, 0).UTC()
	}
	return time.UnixMilli(n).UTC()
}
