package consolidate_test

import (
	"fmt"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/engine"
	"github.com/alanbuscaglia/engram/internal/engine/consolidate"
	"github.com/alanbuscaglia/engram/internal/engine/remember"
	"github.com/alanbuscaglia/engram/internal/health"
)

// Concurrent writes must not look like damage: each part is checked on one snapshot.
func TestDoctorTakesNoWriteForDamage(t *testing.T) {
	t.Parallel()
	p := patient(t)
	var done atomic.Bool
	var writers sync.WaitGroup
	for writer, e := range []*engine.Engine{p.Engine, p.Again(t).Engine} {
		writers.Go(func() {
			for i := 0; !done.Load(); i++ {
				r, err := e.Save(t.Context(), remember.SaveInput{Project: "till", Title: fmt.Sprintf("Note %d of %d", i, writer), Content: fmt.Sprintf("The drawer of till %d sticks %d times.", writer, i)})
				if err == nil && i%3 == 0 {
					_, err = e.Forget(t.Context(), engram.ByNum(r.Memory.Num))
				}
				if err != nil {
					t.Error(err)
					return
				}
			}
		})
	}
	for round := range 15 {
		r := doctor(t, p.Engine, consolidate.DoctorInput{All: true, Full: round%5 == 0})
		for _, c := range r.Checks {
			// The clock of these tests steps a second per reading.
			if c.Result != health.OK && c.Check != health.ClockBackwards {
				t.Errorf("round %d, %s: got %s, %s", round, c.Check, c.Result, c.Message)
			}
		}
	}
	done.Store(true)
	writers.Wait()
}
