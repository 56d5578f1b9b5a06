package config_test

import (
	"strings"
	"testing"

	"github.com/alanbuscaglia/engram/internal/config"
)

func TestHowLongTheJournalIsKept(t *testing.T) {
	for _, tt := range []struct {
		name, value string
		want        int
		refused     bool
	}{
		{"two years by default", "", 730, false},
		{"a year", "365", 365, false},
		{"for ever", "0", 0, false},
		{"less than nothing", "-1", 0, true},
		{"no number", "a year", 0, true},
		{"longer than a hundred years", "40000", 0, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			env := func(name string) (string, bool) {
				if name == "ENGRAM_JOURNAL_DAYS" {
					return tt.value, tt.value != ""
				}
				return "", false
			}
			c, err := config.Load(config.Sources{Flags: map[string]string{"data_dir": t.TempDir()}, Env: env, Dir: t.TempDir()})
			if tt.refused {
				if err != nil || c.JournalDays != 0 || len(c.Remarks) != 1 || !strings.Contains(c.Remarks[0].String(), "number of days") {
					t.Errorf("got %d, %v, %v; want everything kept, and a remark that says what it should be", c.JournalDays, c.Remarks, err)
				}
				return
			}
			if err != nil || c.JournalDays != tt.want {
				t.Errorf("got %d, %v; want %d", c.JournalDays, err, tt.want)
			}
		})
	}
}
