package app_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/alanbuscaglia/engram/internal/app"
	"github.com/alanbuscaglia/engram/internal/config"
	"github.com/alanbuscaglia/engram/internal/engine/consolidate"
	"github.com/alanbuscaglia/engram/internal/health"
)

// A machine on which hooks run out of time is told of by the doctor: agents are told nothing
// there, and nothing else reports it.
func TestTheDoctorTellsOfHooksThatRunOutOfTime(t *testing.T) {
	line := func(ago time.Duration, agent, rest string) string {
		return time.Now().Add(-ago).UTC().Format(time.RFC3339) + " " + agent + " prompt shop " + rest + "\n"
	}
	var late strings.Builder
	for i := range 6 {
		ago := time.Duration(i+1) * time.Minute
		late.WriteString(line(ago, "claude-code", "remind: out of time, after 151 ms") + line(ago, "claude-code", "event during write: out of time, after 151 ms"))
	}
	for _, tt := range []struct {
		name, log, old string
		want           health.Status
	}{
		{"no log", "", "", health.OK},
		{"six events", late.String(), "", health.Warning},
		{"three of them before the log began anew", line(time.Minute, "codex", "event: out of time, after 151 ms"), late.String(), health.Warning},
		{"some", line(time.Minute, "codex", "event: out of time, after 151 ms"), "", health.OK},
		{"long ago", strings.ReplaceAll(late.String(), fmt.Sprint(time.Now().UTC().Year()), "2001"), "", health.OK},
		{"other troubles", strings.ReplaceAll(late.String(), "out of time", "unavailable, the database is busy (SQLite 5)"), "", health.OK},
		{"nonsense", strings.Repeat("out of time: out of time\n", 20), "", health.OK},
	} {
		t.Run(tt.name, func(t *testing.T) {
			dir := t.TempDir()
			for name, text := range map[string]string{"hook.log": tt.log, "hook.log.old": tt.old} {
				if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			a := app.New(app.Options{Config: config.Config{DataDir: dir, DBPath: filepath.Join(dir, "engram.db"), HookWithin: 150 * time.Millisecond}})
			defer a.Close()
			r, err := a.Engine.Doctor(context.Background(), consolidate.DoctorInput{Check: string(health.HooksInTime)})
			if err != nil || len(r.Checks) != 1 || r.Checks[0].Result != tt.want {
				t.Fatalf("got %+v, error %v, want %s", r, err, tt.want)
			}
			if tt.want == health.Warning && !strings.Contains(r.Checks[0].Message+r.Checks[0].Next, "hook_within") {
				t.Errorf("got %q, want hook_within named", r.Checks[0].Message)
			}
		})
	}
}
