package main

import (
	"fmt"
	"math"
	"slices"
	"sync"
	"time"
)

// A lane is one contender of an operation: a build of Engram or a reference.
type lane struct {
	name string
	do   func(i int) error             // does the operation with number i, from 0
	cpu  func() (time.Duration, error) // what its process has used so far
	few  int                           // it does only this many of a block's operations, if not 0: some references take long
}

// An operation is done in turn by all of its lanes.
type operation struct {
	name    string
	size    int  // memories in the store
	per     int  // operations of a block
	warm    int  // operations of the block to warm up, if more than of others: until heap and caches have their size
	rounds  int  // blocks of each lane that count
	writers int  // done by as many at once, if not 0
	each    int  // memories that one operation handles, if more than one: costs are those of one
	once    bool // without a block to warm up
	lanes   []lane
}

// A sample is one block: CPU and time by the clock in ms, means of its operations. For what is no time, such as memory, cost
// has its own unit.
type sample struct{ cost, wall float64 }

// A result has the samples of each lane by round, so that those with the same index met the same machine.
type result struct {
	name  string
	size  int
	lanes map[string][]sample
}

// run does an operation: a block of each lane to warm up, then rounds of blocks, each begun by another lane.
func (o operation) run() (result, error) {
	res := result{name: o.name, size: o.size, lanes: map[string][]sample{}}
	first := 0
	begin := -1
	if o.once {
		begin = 0
	}
	for round := begin; round < o.rounds; round++ {
		per := o.per
		if round < 0 {
			per = max(per, o.warm)
		}
		for k := range o.lanes {
			l := o.lanes[(k+round+1)%len(o.lanes)]
			s, err := l.block(first, per, o.writers)
			if err != nil {
				return res, fmt.Errorf("%s at %d: %s: %w", o.name, o.size, l.name, err)
			}
			if n := float64(max(o.each, 1)); round >= 0 {
				s.cost, s.wall = s.cost/n, s.wall/n
				res.lanes[l.name] = append(res.lanes[l.name], s)
			}
		}
		first += per
	}
	return res, nil
}

// block does per operations from number first.
func (l lane) block(first, per, writers int) (sample, error) {
	if l.few > 0 {
		per = min(per, l.few)
	}
	begun := time.Now()
	before, err := l.cpu()
	if err != nil {
		return sample{}, err
	}
	if err := l.all(first, per, writers); err != nil {
		return sample{}, err
	}
	after, err := l.cpu()
	ms := func(d time.Duration) float64 { return d.Seconds() * 1000 / float64(per) }
	return sample{cost: ms(after - before), wall: ms(time.Since(begun))}, err
}

func (l lane) all(first, per, writers int) error {
	if writers == 0 {
		for i := range per {
			if err := l.do(first + i); err != nil {
				return err
			}
		}
		return nil
	}
	errs := make([]error, writers)
	var wait sync.WaitGroup
	for w := range writers {
		wait.Go(func() {
			for i := w; i < per && errs[w] == nil; i += writers {
				errs[w] = l.do(first + i)
			}
		})
	}
	wait.Wait()
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

// cost returns the median cost of a lane; false if it did not run.
func (r result) cost(lane string) (float64, bool) {
	return medianOf(r.lanes[lane], func(s sample) float64 { return s.cost })
}

// rate returns the operations a second by the clock, the median of the rounds.
func (r result) rate(lane string) (float64, bool) {
	return medianOf(r.lanes[lane], func(s sample) float64 { return 1000 / s.wall })
}

// ratio returns by how much a lane takes longer than another: the median over the rounds of what each round had.
func (r result) ratio(lane, other string) (float64, bool) {
	return r.ratioOf(lane, other, func(s sample) float64 { return s.cost })
}

// quicker returns how many times the operations a second of another a lane does, in the same way.
func (r result) quicker(lane, other string) (float64, bool) {
	return r.ratioOf(other, lane, func(s sample) float64 { return s.wall })
}

func (r result) ratioOf(lane, other string, value func(sample) float64) (float64, bool) {
	var ratios []float64
	for i := range min(len(r.lanes[lane]), len(r.lanes[other])) {
		if base := value(r.lanes[other][i]); base > 0 {
			ratios = append(ratios, value(r.lanes[lane][i])/base)
		}
	}
	return median(ratios), len(ratios) > 0
}

func medianOf(samples []sample, value func(sample) float64) (float64, bool) {
	values := make([]float64, len(samples))
	for i, s := range samples {
		values[i] = value(s)
	}
	return median(values), len(values) > 0
}

// median returns the middle value, of two their mean; 0 of none.
func median(values []float64) float64 {
	if len(values) == 0 {
		return 0
	}
	s := slices.Sorted(slices.Values(values))
	return (s[(len(s)-1)/2] + s[len(s)/2]) / 2
}

// growth returns the exponent e of cost ~ size^e: the slope of the least squares of logarithms. false with fewer than
// two sizes.
func growth(sizes []int, costs []float64) (float64, bool) {
	if len(sizes) < 2 {
		return 0, false
	}
	var x, y, xx, xy float64
	for i, size := range sizes {
		lx, ly := math.Log(float64(size)), math.Log(costs[i])
		x, y, xx, xy = x+lx, y+ly, xx+lx*lx, xy+lx*ly
	}
	n := float64(len(sizes))
	return (n*xy - x*y) / (n*xx - x*x), true
}
