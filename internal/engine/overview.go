package engine

import (
	"context"

	"github.com/alanbuscaglia/engram"
)

// Overview is what a project holds, in a few numbers.
type Overview struct {
	Project   string // by its own name, if an alias was asked for
	Memories  int    // live ones
	Relations int
	Strength  float64 // of the live memories now, on average: 0 to 1; 0 where there are none
}

// mostWeighed is of how many memories the average strength is reckoned. Reading all of
// 100,000 took half a second; a sample of this size has a standard error of at most 0.005,
// whatever the memories are.
const mostWeighed = 10_000

// Overview says what a project holds; a project that does not exist holds nothing.
func (e *Engine) Overview(ctx context.Context, project string) (Overview, error) {
	out := Overview{Project: normalProject(project)}
	err := e.store.View(ctx, func(r engram.Reader) error {
		p, known, err := r.Project(ctx, out.Project)
		if err != nil || !known {
			return err
		}
		st, err := r.Stats(ctx, p.Name)
		if err != nil {
			return err
		}
		out.Project, out.Memories, out.Relations = p.Name, st.Memories, st.Relations
		fades, err := e.fading(ctx, r)
		if err != nil {
			return err
		}
		sum, n, now := 0.0, 0, e.now()
		err = r.Sample(ctx, p.Name, mostWeighed, func(m engram.Memory) {
			sum += fades.strength(m, now)
			n++
		})
		if n > 0 {
			out.Strength = sum / float64(n)
		}
		return err
	})
	if err != nil {
		return Overview{}, err
	}
	return out, nil
}
