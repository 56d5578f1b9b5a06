package lifecycle_test

import (
	"testing"
	"time"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/lifecycle"
)

func TestAccesses(t *testing.T) {
	for _, tt := range []struct {
		name    string
		last    time.Time
		session string
		again   bool
		want    bool
	}{
		{"the first one", time.Time{}, "", false, true},
		{"within the hour it is the same reading", noon().Add(-time.Hour + time.Millisecond), "", false, false},
		{"an hour later it is another", noon().Add(-time.Hour), "", false, true},
		{"a clock that was set back counts none", noon().Add(24 * time.Hour), "", false, false},
		{"a session counts at once", noon().Add(-time.Second), "s1", false, true},
		{"a session counts once", noon().Add(-24 * time.Hour), "s1", true, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			m := engram.Memory{LastAccessedAt: tt.last}
			if got := lifecycle.Accesses(m, tt.session, tt.again, noon(), lifecycle.DefaultPolicy()); got != tt.want {
				t.Errorf("Accesses(last %v, session %q, again %v) at %v = %v, want %v", tt.last, tt.session, tt.again, noon(), got, tt.want)
			}
		})
	}
}

func TestReinforces(t *testing.T) {
	for verb, want := range map[string]bool{"get": true, "recall": true, "search": false, "context": false, "": false} {
		if got := lifecycle.Reinforces(verb); got != want {
			t.Errorf("Reinforces(%q) = %v, want %v", verb, got, want)
		}
	}
}
