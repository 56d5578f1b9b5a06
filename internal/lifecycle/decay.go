package lifecycle

import (
	"cmp"
	"fmt"
	"math"
	"strings"
	"time"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/text"
)

// Defaults of a zero Decay.
const (
	defaultLoss      = 0.01 // importance: per day
	defaultKept      = 0.95 // geometric: per day
	defaultStability = 30.0 // ebbinghaus: days
	defaultMaxBoost  = 2.0  // geometric
	// leastStrength is the lower bound of the importance curve.
	leastStrength = 0.1
)

// Strength returns m's strength at now, 0 to 1. A permanent memory does not fade; a clock that ran
// backwards costs nothing. It is a pure function of time: waiting never strengthens.
//
// s is m.Strength, a the access count, i the importance, t the days (with fractions) since its
// strength was last set by a write, a boost or consolidation (TouchedAt), and d those since that,
// the last write or the last access, whichever is latest:
//
//	importance   clamp(s·e^(-rate·d)·(0.5 + 0.5·i) + 0.1·ln(1 + a), 0.1, 1), rate 0.01
//	geometric    min(s·rate^d·min(max(log2(1 + a), 1), boost), 1), rate 0.95, boost 2
//	ebbinghaus   s·e^(-t/(rate·(1 + ln(1 + a))·(0.5 + i))), rate 30 days
//
// Sources. Earlier designs that Engram unites. importance (the second): relevance loses 1 % a day
// since the last access, half of it weighted by importance, plus a tenth of the logarithm of accesses, at least
// 0.1; s is new, there every memory begins at 1. geometric (the first): 0.95 a day since the last access times
// a bounded logarithm of accesses; there a memory never accessed has 0, here the factor is at least 1.
// ebbinghaus (the fourth promises a forgetting curve since the last consolidation, without a formula):
// exponential after Ebbinghaus, "Über das Gedächtnis", 1885; more accesses and importance make it more stable.
func Strength(m engram.Memory, now time.Time, d engram.Decay) float64 {
	strength := unfloored(m, now, d)
	if m.Permanent || d.Curve == engram.CurveGeometric || d.Curve == engram.CurveEbbinghaus {
		return strength
	}
	return max(strength, leastStrength)
}

// unfloored returns Strength without the curve's lower bound.
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

// Explain returns Strength and its inputs as text: "0.69 · 30 days without access · importance 0.5
// · 3 accesses · importance curve".
func Explain(m engram.Memory, now time.Time, d engram.Decay) (float64, string) {
	strength := Strength(m, now, d)
	said := []string{fmt.Sprintf("%.2f", strength)}
	if m.Permanent {
		return strength, strings.Join(append(said, "permanent, does not fade"), " · ")
	}
	curve, since, event := cmp.Or(d.Curve, engram.CurveImportance), lastAccess(m), "without access"
	switch {
	case curve == engram.CurveEbbinghaus:
		since, event = m.TouchedAt, "since it was consolidated"
	case m.TouchedAt.After(since):
		since, event = m.TouchedAt, "since it was boosted"
	}
	said = append(said, fmt.Sprintf("%s %s", text.Counted(int(daysSince(since, now)), "day", "days"), event))
	if m.Strength < 1 {
		said = append(said, fmt.Sprintf("from %.2f", m.Strength))
	}
	if curve != engram.CurveGeometric {
		said = append(said, fmt.Sprintf("importance %.2g", m.Importance))
	}
	said = append(said, text.Counted(m.AccessCount, "access", "accesses"), string(curve)+" curve")
	if curve == engram.CurveImportance && strength == leastStrength {
		said = append(said, "its minimum")
	}
	return strength, strings.Join(said, " · ")
}

// DecayOf returns how m fades. The most specific setting wins: m's type in its project, its
// project, its type in any project, the default. own is the project's setting; nil for none.
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

// lastAccess returns when m was last read or written.
func lastAccess(m engram.Memory) time.Time { return later(m.UpdatedAt, m.LastAccessedAt) }

// lastFlagged returns when m was last read, written or boosted.
func lastFlagged(m engram.Memory) time.Time { return later(m.TouchedAt, lastAccess(m)) }

func daysSince(t, now time.Time) float64 {
	return max(now.Sub(t).Hours()/24, 0)
}

func clamp(v, least, most float64) float64 {
	if math.IsNaN(v) {
		return least
	}
	return min(max(v, least), most)
}
