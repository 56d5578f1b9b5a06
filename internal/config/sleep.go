package config

import (
	"fmt"
	"strings"
	"time"
)

// TimeOfDay is a time by the clock on the wall, in Config.Timezone.
type TimeOfDay struct {
	Hour   int // 0 to 23
	Minute int // 0 to 59
}

// LastBefore is when it last was that time, at now or before; in now's zone. A day on
// which the clock skips that time has it an hour later.
func (t TimeOfDay) LastBefore(now time.Time) time.Time {
	at := time.Date(now.Year(), now.Month(), now.Day(), t.Hour, t.Minute, 0, 0, now.Location())
	if at.After(now) {
		at = time.Date(now.Year(), now.Month(), now.Day()-1, t.Hour, t.Minute, 0, 0, now.Location())
	}
	return at
}

func setSleepAt(c *Config, _ paths, v string) error {
	c.SleepAt = nil
	v = strings.ToLower(strings.TrimSpace(v))
	if v == "" || v == "off" {
		return nil
	}
	at, err := time.Parse("15:04", v)
	if err != nil {
		return fmt.Errorf("%.20q is not a time of day; use one like 03:00, or off", v)
	}
	c.SleepAt = &TimeOfDay{Hour: at.Hour(), Minute: at.Minute()}
	return nil
}

func sleepAtText(c Config) string {
	if c.SleepAt == nil {
		return "off"
	}
	return fmt.Sprintf("%02d:%02d", c.SleepAt.Hour, c.SleepAt.Minute)
}
