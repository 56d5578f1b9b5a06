package attend

// Find is what speaks for telling a memory to somebody who did not ask for it.
type Find struct {
	Relevance float64 // how likely it answers what was said, 0 to 1, as retrieval.FloorPolicy reckons it
	Seen      bool    // the session was shown it before
}

// Certainty says when a find is told unasked.
type Certainty struct {
	Enough float64 // relevance that the best find needs, else nothing is told; 0 to 1
	Beside float64 // relevance that each other one needs beside it; at least Enough's share below
	Most   int     // memories that are told
}

// ForPrompt is how certain must be what is told beside a prompt.
func ForPrompt() Certainty { return Certainty{Enough: 0.6, Beside: 0.6, Most: 3} }

// ForError is how certain must be what is told about an error.
func ForError() Certainty { return Certainty{Enough: 0.6, Beside: 0.6, Most: 2} }

// Sure returns the places in finds, best first, of those that are told: none unless the
// best is certain, which counts when it was seen, too, but is not told again.
func (c Certainty) Sure(finds []Find) (told []int) {
	best := 0.0
	for _, f := range finds {
		best = max(best, f.Relevance)
	}
	if best < c.Enough {
		return nil
	}
	for i, f := range finds {
		if len(told) < c.Most && !f.Seen && f.Relevance >= c.Beside {
			told = append(told, i)
		}
	}
	return told
}
