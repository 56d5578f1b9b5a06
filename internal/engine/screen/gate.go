package screen

import (
	"context"
	"slices"

	"github.com/alanbuscaglia/engram"
)

// Gate lets through what may be injected. It is for one snapshot and one goroutine.
//
// It reads (Know) apart from its decisions, so that what was read before a deadline can still be told after it.
type Gate struct {
	screen   *Screen
	redactor *Redactor
	older    bool // stored texts were not checked under the current rules
	marks    map[int64][]engram.Trust
}

// Gate returns a Gate that knows no memories.
func (s *Screen) Gate(ctx context.Context, r engram.Reader) (*Gate, error) {
	older, err := UnderOlderRules(ctx, r)
	if err != nil {
		return nil, err
	}
	return &Gate{screen: s, redactor: s.Redactor(), older: older, marks: map[int64][]engram.Trust{}}, nil
}

// Know reads the trust marks of memories, once each.
func (g *Gate) Know(ctx context.Context, r engram.Reader, ms []engram.Memory) error {
	nums := slices.DeleteFunc(MemoryNums(ms), g.Knows)
	if len(nums) == 0 {
		return nil
	}
	read, err := r.Trust(ctx, nums)
	if err != nil {
		return err
	}
	for _, num := range nums {
		g.marks[num] = read[num]
	}
	return nil
}

// Knows reports whether Know has read the marks of a memory.
func (g *Gate) Knows(num int64) bool {
	_, known := g.marks[num]
	return known
}

// Allows reports whether a memory may be injected: it is known, and no text that no person typed or approved is
// instruction-like. The rule is applied again, since it may have changed since the memory was written.
func (g *Gate) Allows(m engram.Memory) bool {
	marks, known := g.marks[m.Num]
	if !known {
		return false
	}
	var flagged []Suspicious
	if g.screen.ordinary.or(digestOf(m), func() bool { flagged = SuspicionsOf(m); return len(flagged) == 0 }) {
		return true
	}
	approved := TextsMarked(marks, engram.TrustApproved)
	return !slices.ContainsFunc(flagged, func(s Suspicious) bool { return !approved[s.Digest] })
}

// Flagged is Flagged of what the Gate knows already; it reads the others.
func (g *Gate) Flagged(ctx context.Context, r engram.Reader, ms []engram.Memory) (map[int64][]string, error) {
	if err := g.Know(ctx, r, ms); err != nil {
		return nil, err
	}
	return flagged(ms, g.marks), nil
}

// Pass returns the memories that may be injected, redacted, in place of ms, and the number withheld.
func (g *Gate) Pass(ms []engram.Memory) (yes []engram.Memory, withheld int) {
	yes = slices.DeleteFunc(ms, func(m engram.Memory) bool { return !g.Allows(m) })
	g.Redact(yes)
	return yes, len(ms) - len(yes)
}

// Redact removes all secrets from memories about to be injected: those that a person keeps are shown on request
// only, and so are all of a memory that the Gate does not know. It changes ms.
func (g *Gate) Redact(ms []engram.Memory) {
	for i, m := range ms {
		marks, known := g.marks[m.Num]
		if g.older || !known || slices.ContainsFunc(marks, func(t engram.Trust) bool { return t.Mark == engram.TrustSecret }) {
			ms[i] = MemoryBy(m, g.redactor.Named)
		}
	}
}
