package config_test

import (
	"strings"
	"testing"
	"time"

	"github.com/alanbuscaglia/engram/internal/config"
)

func TestSleepAt(t *testing.T) {
	for _, tt := range []struct {
		value string
		want  *config.TimeOfDay
	}{
		{"", nil}, {"off", nil}, {"03:00", &config.TimeOfDay{Hour: 3}}, {" 23:59 ", &config.TimeOfDay{Hour: 23, Minute: 59}}, {"0:05", &config.TimeOfDay{Minute: 5}},
	} {
		got := load(t, config.Sources{Env: env("ENGRAM_SLEEP_AT", tt.value)}).SleepAt
		if (got == nil) != (tt.want == nil) || got != nil && *got != *tt.want {
			t.Errorf("ENGRAM_SLEEP_AT=%q: got %v, want %v", tt.value, got, tt.want)
		}
	}
	for _, bad := range []string{"3", "24:00", "03:60", "three", "03:00:00"} {
		if c := load(t, config.Sources{Env: env("ENGRAM_SLEEP_AT", bad)}); c.SleepAt != nil || len(c.Remarks) != 1 || !strings.Contains(c.Remarks[0].String(), "not a time of day") {
			t.Errorf("ENGRAM_SLEEP_AT=%q: got %v, %v; want none, and that it is not a time of day", bad, c.SleepAt, c.Remarks)
		}
	}
}

func TestLastBefore(t *testing.T) {
	zone, err := time.LoadLocation("Europe/Berlin")
	if err != nil {
		t.Fatal(err)
	}
	at := config.TimeOfDay{Hour: 3}
	for _, tt := range []struct{ name, now, want string }{
		{"later the same day", "2026-06-12 09:00", "2026-06-12 03:00"},
		{"on the minute", "2026-06-12 03:00", "2026-06-12 03:00"},
		{"just before it", "2026-06-12 02:59", "2026-06-11 03:00"},
		{"on the first of a month", "2026-06-01 01:00", "2026-05-31 03:00"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			now, err := time.ParseInLocation("2006-01-02 15:04", tt.now, zone)
			if err != nil {
				t.Fatal(err)
			}
			if got := at.LastBefore(now).Format("2006-01-02 15:04"); got != tt.want {
				t.Errorf("LastBefore(%s)\n got %s\nwant %s", tt.now, got, tt.want)
			}
		})
	}
}
