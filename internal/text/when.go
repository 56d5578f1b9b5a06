package text

import (
	"strconv"
	"strings"
	"time"
)

// WhenForms lists examples of what When reads, for hints.
const WhenForms = "7d, 12h, 90min, 2w, 3mo, 1y, today, yesterday, 2026-01-31 or 2026-01-31T10:00:00Z"

// When parses a point in time: an age (30min, 12h, 7d, 2w, 3mo, 1y), today, yesterday, a day, a day
// and time, or RFC 3339. Days begin at midnight in the time zone of now, and ages use calendar
// days, weeks, months and years.
//
// ok is false for everything else, such as a bare m, which could be minutes or months, and an age
// beyond the range of the calendar.
func When(s string, now time.Time) (t time.Time, ok bool) {
	s = strings.TrimSpace(s)
	midnight := time.Date(now.Year(), now.Month(), now.Day(), 0, 0, 0, 0, now.Location())
	switch strings.ToLower(s) {
	case "today":
		return midnight, true
	case "yesterday":
		return midnight.AddDate(0, 0, -1), true
	}
	for _, layout := range []string{time.RFC3339, time.DateTime, "2006-01-02T15:04:05", "2006-01-02 15:04", time.DateOnly} {
		if t, err := time.ParseInLocation(layout, s, now.Location()); err == nil {
			return t, true
		}
	}
	return shifted(s, now, -1)
}

// Ahead parses a span like an age of When (12h, 30d, 2w, 3mo, 1y) and returns the time that far
// after now; ok is false for everything else.
func Ahead(s string, now time.Time) (t time.Time, ok bool) { return shifted(s, now, 1) }

// UntilForms lists examples of what Until reads, for hints.
const UntilForms = "30d, 12h, 2w, 3mo, tomorrow, 2027-01-31 or 2027-01-31T10:00:00Z"

// Until parses a point in the future: a span as Ahead, tomorrow, or a day or time as When. It does
// not check that a date is in the future; ok is false for everything else.
func Until(s string, now time.Time) (t time.Time, ok bool) {
	if t, ok := Ahead(s, now); ok {
		return t, true
	}
	if strings.EqualFold(strings.TrimSpace(s), "tomorrow") {
		return time.Date(now.Year(), now.Month(), now.Day()+1, 0, 0, 0, 0, now.Location()), true
	}
	return When(s, now)
}

// shifted parses a number and a unit, and moves now by it, back (-1) or ahead (1).
func shifted(s string, now time.Time, sign int) (time.Time, bool) {
	s = strings.ToLower(strings.TrimSpace(s))
	digits := len(s) - len(strings.TrimLeft(s, "0123456789"))
	n, err := strconv.Atoi(s[:digits])
	if err != nil || n > 100_000 {
		return time.Time{}, false
	}
	n *= sign
	switch strings.TrimSpace(s[digits:]) {
	case "min":
		return now.Add(time.Duration(n) * time.Minute), true
	case "h":
		return now.Add(time.Duration(n) * time.Hour), true
	case "d":
		return now.AddDate(0, 0, n), true
	case "w":
		return now.AddDate(0, 0, 7*n), true
	case "mo":
		return now.AddDate(0, n, 0), true
	case "y":
		return now.AddDate(n, 0, 0), true
	}
	return time.Time{}, false
}
