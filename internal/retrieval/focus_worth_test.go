package retrieval_test

import (
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/retrieval"
)

func TestWorthOrders(t *testing.T) {
	now := time.Date(2026, 6, 12, 9, 0, 0, 0, time.UTC)
	ago := func(days float64) time.Time { return now.Add(-time.Duration(days * 24 * float64(time.Hour))) }
	type known struct {
		m   engram.Memory
		use engram.ExposureCount
	}
	plain := func(days float64, change ...func(*known)) known {
		k := known{m: engram.Memory{Type: engram.TypeManual, Importance: engram.DefaultImportance, CreatedAt: ago(days)}}
		for _, c := range change {
			c(&k)
		}
		return k
	}
	typed := func(t engram.Type) func(*known) { return func(k *known) { k.m.Type = t } }
	for _, tt := range []struct {
		name        string
		more, fewer known
	}{
		{"the newer of two alike", plain(1), plain(1.0001)},
		{"a decision before an episode of the same day", plain(1, typed(engram.TypeDecision)), plain(1, typed(engram.TypeEpisode))},
		{"a decision of last week before a note of today", plain(7, typed(engram.TypeDecision)), plain(0)},
		{"a note of today before a decision of half a year ago", plain(0), plain(180, typed(engram.TypeDecision))},
		{"a permanent memory however old before a plain one of today", plain(3000, func(k *known) { k.m.Permanent = true }), plain(0)},
		{"an important one before a new one", plain(10, func(k *known) { k.m.Importance = 1 }), plain(0)},
		{"the most important before any other of today, however old it is", plain(3000, func(k *known) { k.m.Importance = 1 }), plain(0)},
		{"one that is asked for again and again before a new one", plain(200, func(k *known) { k.use = engram.ExposureCount{Count: 8, Last: ago(2)} }), plain(0)},
		{"one asked for lately before one asked for as often long ago", plain(200, func(k *known) { k.use = engram.ExposureCount{Count: 2, Last: ago(2)} }),
			plain(200, func(k *known) { k.use = engram.ExposureCount{Count: 2, Last: ago(90)} })},
		{"one that was repeated yesterday before one that was not", plain(100, func(k *known) { k.m.LastSeenAt = ago(1) }), plain(100)},
	} {
		t.Run(tt.name, func(t *testing.T) {
			more, fewer := retrieval.Worth(tt.more.m, tt.more.use, now), retrieval.Worth(tt.fewer.m, tt.fewer.use, now)
			if more <= fewer || fewer <= 0 {
				t.Errorf("worth %v of %+v\nand %v of %+v\nwant the first greater, both above 0", more, tt.more, fewer, tt.fewer)
			}
		})
	}
}

func TestWorthNeverFallsWithUse(t *testing.T) {
	now := time.Date(2026, 6, 12, 9, 0, 0, 0, time.UTC)
	rapid.Check(t, func(t *rapid.T) {
		// A clock that was set back makes memories of tomorrow.
		at := func(name string) time.Time {
			return now.Add(time.Duration(rapid.IntRange(-5000, 100).Draw(t, name)) * time.Hour)
		}
		m := engram.Memory{Type: rapid.SampledFrom(engram.KnownTypes()).Draw(t, "type"), Importance: rapid.Float64Range(0, 1).Draw(t, "importance"),
			CreatedAt: at("made"), Permanent: rapid.Bool().Draw(t, "permanent")}
		use := engram.ExposureCount{Count: rapid.IntRange(0, 100).Draw(t, "count"), Last: at("last")}
		before, after := retrieval.Worth(m, use, now), retrieval.Worth(m, engram.ExposureCount{Count: use.Count + 1, Last: use.Last.Add(time.Hour)}, now)
		if before <= 0 || after <= before {
			t.Fatalf("Worth(%+v, %+v)\n got %v, and %v with one use more\nwant more than 0, and more again", m, use, before, after)
		}
	})
}
