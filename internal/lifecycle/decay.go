package lifecycle

import (
	"fmt"
	"math"
	"strings"
	"time"

	"github.com/alanbuscaglia/engram"
)

// What the curves take for a Decay that says nothing else.
const (
	defaultLoss      = 0.01 // importance: a day
	defaultKept      = 0.95 // geometric: a day
	defaultStability = 30.0 // ebbinghaus: days
	defaultMaxBoost  = 2.0  // geometric
	// leastStrength is where the importance curve ends.
	leastStrength = 0.1
)

// Strength is how strong m is at now, 0 to 1. A permanent memory does not fade; a clock
// that ran backwards costs nothing. Nothing is stored: asking twice is the same, and
// waiting never strengthens.
//
// s is m.Strength, a its access count, i its importance, t the days (fractions too) since
// its strength was last set, by writing, a boost or consolidation (TouchedAt), and d those
// since that or since it was last written or accessed, whichever is later:
//
//	importance   clamp(s·e^(-rate·d)·(0.5 + 0.5·i) + 0.1·ln(1 + a), 0.1, 1), rate 0.01
//	geometric    min(s·rate^d·min(max(log2(1 + a), 1), boost), 1), rate 0.95, boost 2
//	ebbinghaus   s·e^(-t/(rate·(1 + ln(1 + a))·(0.5 + i))), rate 30 days
//
// Sources. importance: the second of the designs that Engram unites, a relevance that
// loses a hundredth a day since the last access, weighs importance by half, adds a tenth
// of the logarithm of use and stays above a tenth; s is new: there every memory begins
// at 1. geometric: the first of them, 0.95 a day since the last access times a bounded
// logarithm of use. There it is 0 for what was never used, which would forget whatever
// is new: here use multiplies by at least 1. ebbinghaus: the fourth promises a forgetting
// curve since the last consolidation and no formula; this one is exponential after
// Ebbinghaus, "Über das Gedächtnis", 1885, and the more stable the more often a memory
// was repeated and the more important it is.
func Strength(m engram.Memory, now time.Time, d engram.Decay) float64 {
	if least := leastOf(d); !m.Permanent {
		return max(unfloored(m, now, d), least)
	}
	return clamp(m.Strength, 0, 1)
}

// leastOf is where a curve ends.
func leastOf(d engram.Decay) float64 {
	switch d.Curve {
	case engram.CurveGeometric, engram.CurveEbbinghaus:
		return 0
	}
	return leastStrength
}

// unfloored is Strength as it would be if no curve ended above 0.
func unfloored(m engram.Memory, now time.Time, d engram.Decay) float64 {
	if m.Permanent {
		return clamp(m.Strength, 0, 1)
	}
	uses := math.Log1p(float64(max(m.AccessCount, 0)))
	switch d.Curve {
	case engram.CurveGeometric:
		boost := min(max(uses/math.Ln2, 1), orElse(d.MaxBoost, defaultMaxBoost))
		return clamp(m.Strength*math.Pow(orElse(d.Rate, defaultKept), daysSince(lastFlagged(m), now))*boost, 0, 1)
	case engram.CurveEbbinghaus:
		stability := orElse(d.Rate, defaultStability) * (1 + uses) * (0.5 + m.Importance)
		return clamp(m.Strength*math.Exp(-daysSince(m.TouchedAt, now)/stability), 0, 1)
	}
	fresh := m.Strength * math.Exp(-orElse(d.Rate, defaultLoss)*daysSince(lastFlagged(m), now))
	return clamp(fresh*(0.5+0.5*m.Importance)+0.1*uses, 0, 1)
}

// Explain is Strength and what went into it, in words, the strength first:
// "0.69 · 30 days without access · importance 0.5 · 3 accesses · importance curve".
func Explain(m engram.Memory, now time.Time, d engram.Decay) (float64, string) {
	strength := Strength(m, now, d)
	said := []string{fmt.Sprintf("%.2f", strength)}
	if m.Permanent {
		return strength, strings.Join(append(said, "permanent, does not fade"), " · ")
	}
	curve, since, event := engram.CurveImportance, lastAccess(m), "without access"
	if d.Curve != "" {
		curve = d.Curve
	}
	switch {
	case curve == engram.CurveEbbinghaus:
		since, event = m.TouchedAt, "since it was consolidated"
	case m.TouchedAt.After(since):
		since, event = m.TouchedAt, "since it was boosted"
	}
	said = append(said, fmt.Sprintf("%s %s", counted(int(daysSince(since, now)), "day", "days"), event))
	if m.Strength < 1 {
		said = append(said, fmt.Sprintf("from %.2f", m.Strength))
	}
	if curve != engram.CurveGeometric {
		said = append(said, fmt.Sprintf("importance %.2g", m.Importance))
	}
	said = append(said, counted(m.AccessCount, "access", "accesses"), string(curve)+" curve")
	if curve == engram.CurveImportance && strength == leastStrength {
		said = append(said, "its floor")
	}
	return strength, strings.Join(said, " · ")
}

func counted(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}

// DecayOf is how m fades. What is said most closely counts: m's type in its project,
// its project, its type anywhere, everything. own is m's project's; nil for none.
func DecayOf(m engram.Memory, own *engram.ProjectDecay, p Policy) engram.Decay {
	if own != nil {
		if d, ok := own.Types[m.Type]; ok {
			return d
		}
		if own.Curve != "" {
			return own.Decay
		}
	}
	if d, ok := p.TypeDecay[m.Type]; ok {
		return d
	}
	return p.Decay
}

// lastAccess is when m was last read or written.
func lastAccess(m engram.Memory) time.Time {
	if m.LastAccessedAt.After(m.UpdatedAt) {
		return m.LastAccessedAt
	}
	return m.UpdatedAt
}

// lastFlagged is when m was last read, written or boosted.
func lastFlagged(m engram.Memory) time.Time {
	if at := lastAccess(m); at.After(m.TouchedAt) {
		return at
	}
	return m.TouchedAt
}

func daysSince(t, now time.Time) float64 {
	return max(now.Sub(t).Hours()/24, 0)
}

func clamp(v, least, most float64) float64 {
	if math.IsNaN(v) {
		return least
	}
	return min(max(v, least), most)
}
