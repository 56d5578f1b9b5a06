package text_test

import (
	"testing"
	"time"

	"github.com/alanbuscaglia/engram/internal/text"
)

func TestWhen(t *testing.T) {
	now := time.Date(2026, 3, 31, 12, 30, 0, 0, time.FixedZone("", 2*3600))
	for _, tt := range []struct{ name, in, want string }{ // want "" is a refusal
		{"today begins at midnight in the zone of now", "today", "2026-03-31T00:00:00+02:00"},
		{"upper case and blanks do not matter", " Yesterday ", "2026-03-30T00:00:00+02:00"},
		{"minutes", "90min", "2026-03-31T11:00:00+02:00"},
		{"hours", "12h", "2026-03-31T00:30:00+02:00"},
		{"days", "7d", "2026-03-24T12:30:00+02:00"},
		{"weeks", "2w", "2026-03-17T12:30:00+02:00"},
		{"months are the calendar's", "3mo", "2025-12-31T12:30:00+02:00"},
		{"a blank before the unit", "1 y", "2025-03-31T12:30:00+02:00"},
		{"no age is now", "0d", "2026-03-31T12:30:00+02:00"},
		{"a day begins in the zone of now", "2026-01-31", "2026-01-31T00:00:00+02:00"},
		{"a day and time", "2026-01-31 10:00", "2026-01-31T10:00:00+02:00"},
		{"RFC 3339 has a zone of its own", "2026-01-31T10:00:00Z", "2026-01-31T10:00:00Z"},
		{"a bare m could be two things", "3m", ""},
		{"nothing", "", ""},
		{"a unit without a number", "d", ""},
		{"a number without a unit", "7", ""},
		{"an age in the future", "-7d", ""},
		{"a word", "soon", ""},
		{"an invalid month", "2026-13-01", ""},
		{"a number past counting", "99999999999999999999d", ""},
		{"an age past the calendar", "1000000y", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got := ""
			if at, ok := text.When(tt.in, now); ok {
				got = at.Format(time.RFC3339)
			}
			if got != tt.want {
				t.Errorf("When(%q): got %q, want %q", tt.in, got, tt.want)
			}
		})
	}
}

func TestAhead(t *testing.T) {
	now := time.Date(2026, 1, 31, 12, 30, 0, 0, time.UTC)
	for _, tt := range []struct{ name, in, want string }{ // want "" is a refusal
		{"days", "30d", "2026-03-02T12:30:00Z"},
		{"hours", " 12H ", "2026-02-01T00:30:00Z"},
		{"months are the calendar's", "2mo", "2026-03-31T12:30:00Z"},
		{"a date is no span", "2026-03-31", ""},
		{"a word is no span", "tomorrow", ""},
		{"nothing", "", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got := ""
			if at, ok := text.Ahead(tt.in, now); ok {
				got = at.Format(time.RFC3339)
			}
			if got != tt.want {
				t.Errorf("Ahead(%q, %v)\n got %q\nwant %q", tt.in, now, got, tt.want)
			}
		})
	}
}
