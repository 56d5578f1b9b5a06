package lifecycle

import "fmt"

// Bunch is several memories in which a pattern is looked for.
type Bunch struct {
	Memories []int64 // the one in the middle first
	Cosine   float64 // of the one in the middle and the farthest of the others
}

func extracts(bunches []Bunch) []Step {
	var steps []Step
	for _, b := range bunches {
		steps = append(steps, Step{Action: StepExtract, Memories: b.Memories,
			Reason: fmt.Sprintf("%d are near to each other, cosine %.2f and more to the first", len(b.Memories), b.Cosine)})
	}
	return steps
}
