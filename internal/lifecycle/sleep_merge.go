package lifecycle

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"time"

	"github.com/alanbuscaglia/engram"
)

// NearDuplicate is a pair of near-duplicates.
type NearDuplicate struct {
	A, B   int64
	Cosine float64 // of their vectors
	// Against is a reason against a merge that the memories themselves do not show: they contradict
	// each other, or a person judged them. "" for none.
	Against string
}

// MayMerge reports whether two near-duplicates may be merged; against is the reason if not.
func MayMerge(a, b engram.Memory) (against string, may bool) {
	switch {
	case a.Num == b.Num || a.Forgotten() || b.Forgotten():
		return "not two live memories", false
	case a.Project != b.Project || a.Scope != b.Scope:
		return "not of one project and scope", false
	case a.Type != b.Type:
		return "not of one type", false
	case a.Type == engram.TypeSessionSummary:
		return "each is about its own session", false
	case a.TopicKey != "" && b.TopicKey != "" && a.TopicKey != b.TopicKey:
		return "different topics", false
	case !a.ValidFrom.Equal(b.ValidFrom) || !a.ValidTo.Equal(b.ValidTo):
		return "valid at different times", false
	case len(a.Content)+len(b.Content)+len(a.Title)+len(b.Title) > engram.MaxContent/2:
		return "too long together", false
	}
	return "", true
}

// merges plans the merge of groups whose members are all near-duplicates of each other. Memories to
// be pruned are excluded.
func (n Night) merges(byNum map[int64]engram.Memory, now time.Time, p Policy) []Step {
	near := map[int64]map[int64]float64{}
	pair := func(from, to int64, cosine float64) {
		if near[from] == nil {
			near[from] = map[int64]float64{}
		}
		near[from][to] = cosine
	}
	pruned := func(m engram.Memory) bool { return n.Kept(m, now, p) == "" }
	for _, t := range n.NearDuplicates {
		a, knownA := byNum[t.A]
		b, knownB := byNum[t.B]
		_, may := MayMerge(a, b)
		if !knownA || !knownB || !may || t.Against != "" || pruned(a) || pruned(b) {
			continue
		}
		pair(t.A, t.B, t.Cosine)
		pair(t.B, t.A, t.Cosine)
	}
	nums := slices.Collect(maps.Keys(near))
	strength := func(num int64) float64 {
		return Strength(byNum[num], now, n.DecayOf(byNum[num], p))
	}
	slices.SortFunc(nums, func(a, b int64) int { return keepFirst(byNum[a], byNum[b], strength(a), strength(b)) })

	var steps []Step
	taken := map[int64]bool{}
	for i, num := range nums {
		if taken[num] {
			continue
		}
		kept := byNum[num]
		one, group, least := kept, []int64{num}, 1.0
		for _, other := range nums[i+1:] {
			if taken[other] || !nearAll(near[other], group) {
				continue
			}
			more := Absorbed(one, byNum[other], now, n.DecayOf(kept, p), p)
			if !fits(more) {
				continue
			}
			for _, in := range group {
				least = min(least, near[other][in])
			}
			one, group = more, append(group, other)
		}
		if len(group) == 1 {
			continue
		}
		for _, in := range group {
			taken[in] = true
		}
		steps = append(steps, Step{Action: StepMerge, Memories: group, Into: num, From: strength(num), To: Strength(one, now, n.DecayOf(one, p)),
			Reason: fmt.Sprintf("%d say nearly the same, cosine %s; kept for being %s", len(group), atLeast(least, len(group)),
				whyKept(kept, byNum[group[1]], strength(num), strength(group[1])))})
	}
	return steps
}

// Absorbed returns kept with absorbed merged in at now, as sleep does with near-duplicates. Unlike
// Merged, kept wins conflicts and keeps its review date unless absorbed's is earlier; counts are added,
// and the strength is the greater one after the boosts either has earned. d is how kept fades.
func Absorbed(kept, absorbed engram.Memory, now time.Time, d engram.Decay, p Policy) engram.Memory {
	kept, _ = Boosted(kept, now, d, p)
	absorbed, _ = Boosted(absorbed, now, d, p)
	r := Merged(kept, absorbed, now, p)
	r.Metadata = merged(absorbed.Metadata, kept.Metadata)
	r.Anchors = anchorsOfBoth(absorbed.Anchors, kept.Anchors)
	r.TopicKey = cmp.Or(kept.TopicKey, absorbed.TopicKey)
	r.RevisionCount = kept.RevisionCount
	r.DuplicateCount = kept.DuplicateCount + absorbed.DuplicateCount
	r.AccessCount = kept.AccessCount + absorbed.AccessCount
	r.LastAccessedAt = later(kept.LastAccessedAt, absorbed.LastAccessedAt)
	r.LastSeenAt = later(kept.LastSeenAt, absorbed.LastSeenAt)
	// A clock set back must not make it older.
	r.UpdatedAt, r.TouchedAt = later(kept.UpdatedAt, now), later(kept.TouchedAt, now)
	r.ReviewAfter = kept.ReviewAfter
	if !absorbed.ReviewAfter.IsZero() && (r.ReviewAfter.IsZero() || absorbed.ReviewAfter.Before(r.ReviewAfter)) {
		r.ReviewAfter = absorbed.ReviewAfter
	}
	r.Strength = max(kept.Strength, absorbed.Strength)
	if d.Curve == engram.CurveEbbinghaus || r.Permanent {
		// The curve counts from TouchedAt, which moves: keep what was lost so far.
		r.Strength = max(Strength(kept, now, d), Strength(absorbed, now, d))
	}
	return r
}

func later(a, b time.Time) time.Time {
	if b.After(a) {
		return b
	}
	return a
}

// nearAll reports whether a memory is near every member of a group. Nearness to one alone would
// make chains whose ends differ.
func nearAll(near map[int64]float64, group []int64) bool {
	return !slices.ContainsFunc(group, func(num int64) bool { _, is := near[num]; return !is })
}

// keepFirst sorts the memory to keep first: permanent, with a topic, stronger by a tenth, older,
// smaller number.
func keepFirst(a, b engram.Memory, strengthA, strengthB float64) int {
	yes := func(b bool) int {
		if b {
			return 0
		}
		return 1
	}
	return cmp.Or(cmp.Compare(yes(a.Permanent), yes(b.Permanent)), cmp.Compare(yes(a.TopicKey != ""), yes(b.TopicKey != "")),
		cmp.Compare(math.Floor(strengthB*10), math.Floor(strengthA*10)), a.CreatedAt.Compare(b.CreatedAt), cmp.Compare(a.Num, b.Num))
}

// whyKept says why keepFirst put kept before next.
func whyKept(kept, next engram.Memory, strengthKept, strengthNext float64) string {
	switch {
	case kept.Permanent && !next.Permanent:
		return "permanent"
	case kept.TopicKey != "" && next.TopicKey == "":
		return "of a topic"
	case math.Floor(strengthKept*10) > math.Floor(strengthNext*10):
		return "stronger"
	}
	return "older"
}

// atLeast formats a cosine, the least of several in a group of more than two.
func atLeast(cosine float64, members int) string {
	if members > 2 {
		return fmt.Sprintf("%.3f and more", cosine)
	}
	return fmt.Sprintf("%.3f", cosine)
}
