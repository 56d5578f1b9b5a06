package lifecycle

import (
	"math"
	"time"

	"github.com/alanbuscaglia/engram"
)

// Curve is a way for strength to fade, named by what it does.
type Curve string

// The curves. Each starts from the memory's own Strength s; d is the days since it was
// last touched: accessed, written or consolidated, as the curve says.
const (
	// CurveImportance, the default: clamp(s·e^(-rate·d)·(0.5 + 0.5·importance) +
	// 0.1·ln(1 + accesses), 0.1, 1), d since the last access, rate 0.01 a day. Important
	// memories fade from higher up, used ones stay, and nothing falls below 0.1.
	CurveImportance Curve = "importance"
	// CurveGeometric: min(s·rate^d·boost, 1) with boost = min(max(log2(1 + accesses), 1),
	// most), d since the last access, rate 0.95 a day, most 2.
	CurveGeometric Curve = "geometric"
	// CurveEbbinghaus: s·e^(-d/stability) with stability = 30 days × (1 + ln(1 +
	// accesses)) × (0.5 + importance), d since the last consolidation (TouchedAt).
	//
	// Source: after Ebbinghaus, "Über das Gedächtnis", 1885: retention falls
	// exponentially, the slower the more often a thing was repeated.
	CurveEbbinghaus Curve = "ebbinghaus"
)

// Decay says how strength fades. The zero value is the importance curve at its rates.
type Decay struct {
	Curve    Curve   // "" is CurveImportance
	Rate     float64 // importance: loss a day, default 0.01; geometric: what is left after a day, default 0.95; ebbinghaus: days of stability, default 30
	MaxBoost float64 // geometric: the most that accesses multiply by; default 2
}

// leastStrength is where the importance curve ends.
const leastStrength = 0.1

// Strength is how strong m is at now, 0 to 1. A permanent memory does not fade; a clock
// that ran backwards costs nothing. Nothing is stored: asking twice is the same.
func Strength(m engram.Memory, now time.Time, d Decay) float64 {
	if m.Permanent {
		return clamp(m.Strength, 0, 1)
	}
	accesses := math.Log1p(float64(max(m.AccessCount, 0)))
	switch d.Curve {
	case CurveGeometric:
		boost := min(max(accesses/math.Ln2, 1), orElse(d.MaxBoost, 2))
		return clamp(m.Strength*math.Pow(orElse(d.Rate, 0.95), daysSince(lastAccess(m), now))*boost, 0, 1)
	case CurveEbbinghaus:
		stability := orElse(d.Rate, 30) * (1 + accesses) * (0.5 + m.Importance)
		return clamp(m.Strength*math.Exp(-daysSince(m.TouchedAt, now)/stability), 0, 1)
	}
	fresh := m.Strength * math.Exp(-orElse(d.Rate, 0.01)*daysSince(lastAccess(m), now))
	return clamp(fresh*(0.5+0.5*m.Importance)+0.1*accesses, leastStrength, 1)
}

// lastAccess is when m was last read or written.
func lastAccess(m engram.Memory) time.Time {
	if m.LastAccessedAt.After(m.UpdatedAt) {
		return m.LastAccessedAt
	}
	return m.UpdatedAt
}

func daysSince(t, now time.Time) float64 {
	return max(now.Sub(t).Hours()/24, 0)
}

func orElse(v, fallback float64) float64 {
	if v <= 0 {
		return fallback
	}
	return v
}

func clamp(v, least, most float64) float64 {
	if math.IsNaN(v) {
		return least
	}
	return min(max(v, least), most)
}
