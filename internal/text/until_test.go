package text_test

import (
	"testing"
	"time"

	"github.com/alanbuscaglia/engram/internal/text"
)

func TestUntilReadsTimesToCome(t *testing.T) {
	now := time.Date(2026, 12, 31, 15, 4, 0, 0, time.UTC)
	for given, want := range map[string]string{
		"7d": "2027-01-07T15:04:00Z", " Tomorrow ": "2027-01-01T00:00:00Z", "12h": "2027-01-01T03:04:00Z",
		"2027-01-31": "2027-01-31T00:00:00Z", "2027-01-31T10:00:00Z": "2027-01-31T10:00:00Z", "some day": "", "": "", "-7d": "",
	} {
		got, ok := text.Until(given, now)
		if ok != (want != "") || ok && got.UTC().Format(time.RFC3339) != want {
			t.Errorf("Until(%q) = %v, %v; want %q", given, got, ok, want)
		}
	}
}
