package lifecycle_test

import (
	"math"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/lifecycle"
)

func TestStrength(t *testing.T) {
	now := time.Date(2026, 6, 12, 9, 0, 0, 0, time.UTC)
	day := 24 * time.Hour
	// aged is a memory of the default importance, last touched so long ago.
	aged := func(idle time.Duration, accesses int) engram.Memory {
		at := now.Add(-idle)
		return engram.Memory{Strength: 1, Importance: 0.5, CreatedAt: at, UpdatedAt: at, TouchedAt: at, AccessCount: accesses}
	}
	important := aged(30*day, 0)
	important.Importance = 1
	permanent := aged(3650*day, 0)
	permanent.Permanent = true
	read := aged(100*day, 1)
	read.LastAccessedAt = now
	for _, tt := range []struct {
		name  string
		m     engram.Memory
		decay engram.Decay
		want  float64
	}{
		{"a new memory of ordinary importance", aged(0, 0), engram.Decay{}, 0.75},
		{"a month is a quarter of it", aged(30*day, 0), engram.Decay{}, 0.75 * math.Exp(-0.3)},
		{"an important one starts higher", important, engram.Decay{}, math.Exp(-0.3)},
		{"what is used stays", aged(30*day, 9), engram.Decay{}, 0.75*math.Exp(-0.3) + 0.1*math.Log(10)},
		{"nothing falls below a tenth", aged(3650*day, 0), engram.Decay{}, 0.1},
		{"a permanent memory does not fade", permanent, engram.Decay{}, 1},
		{"an access begins anew", read, engram.Decay{}, 0.75 + 0.1*math.Log(2)},
		{"a clock that ran backwards costs nothing", aged(-30*day, 0), engram.Decay{}, 0.75},
		{"a rate of one's own", aged(10*day, 0), engram.Decay{Rate: 0.1}, 0.75 * math.Exp(-1)},
		{"geometric: a day keeps 95 %", aged(day, 0), engram.Decay{Curve: engram.CurveGeometric}, 0.95},
		{"geometric: accesses double at most", aged(20*day, 1000), engram.Decay{Curve: engram.CurveGeometric}, 2 * math.Pow(0.95, 20)},
		{"geometric: one access is no boost yet", aged(20*day, 1), engram.Decay{Curve: engram.CurveGeometric}, math.Pow(0.95, 20)},
		{"ebbinghaus: a stability of a month", aged(30*day, 0), engram.Decay{Curve: engram.CurveEbbinghaus}, math.Exp(-1)},
		{"ebbinghaus: repeating makes it last", aged(30*day, 3), engram.Decay{Curve: engram.CurveEbbinghaus}, math.Exp(-1 / (1 + math.Log(4)))},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := lifecycle.Strength(tt.m, now, tt.decay); math.Abs(got-tt.want) > 1e-9 {
				t.Errorf("Strength(%+v, %+v)\n got %v\nwant %v", tt.m, tt.decay, got, tt.want)
			}
		})
	}
}

func TestStrengthFadesAndNeverLeavesItsBounds(t *testing.T) {
	now := time.Date(2026, 6, 12, 9, 0, 0, 0, time.UTC)
	rapid.Check(t, func(t *rapid.T) {
		at := now.Add(-time.Duration(rapid.Int64Range(-1000, 100_000).Draw(t, "hours")) * time.Hour)
		m := engram.Memory{Strength: rapid.Float64Range(0, 1).Draw(t, "strength"), Importance: rapid.Float64Range(0, 1).Draw(t, "importance"),
			AccessCount: rapid.IntRange(0, 1_000_000).Draw(t, "accesses"), UpdatedAt: at, TouchedAt: at}
		d := engram.Decay{Curve: rapid.SampledFrom([]engram.Curve{"", engram.CurveImportance, engram.CurveGeometric, engram.CurveEbbinghaus}).Draw(t, "curve")}
		today := lifecycle.Strength(m, now, d)
		later := lifecycle.Strength(m, now.Add(time.Duration(rapid.Int64Range(0, 10_000).Draw(t, "later"))*time.Hour), d)
		if today < 0 || today > 1 || math.IsNaN(today) {
			t.Fatalf("Strength(%+v, %+v) = %v, want 0 to 1", m, d, today)
		}
		if later > today {
			t.Fatalf("Strength(%+v, %+v) grew by waiting: %v, then %v", m, d, today, later)
		}
		used := m
		used.AccessCount++
		if got := lifecycle.Strength(used, now, d); got < today {
			t.Fatalf("Strength(%+v, %+v) fell by an access: %v, then %v", m, d, today, got)
		}
	})
}
