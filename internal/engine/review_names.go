package engine

import (
	"context"
	"slices"
	"strings"

	"github.com/alanbuscaglia/engram"
)

// Decided is what became of names of the queue (engram.QueueItem.Name).
type Decided struct {
	Memories []engram.Memory // that were named
	Records  []int64         // numbers of what was no memory yet
	Done     []DecidedName   // all of them, in the order in which they were named
	Degraded []string        // what could not be done of it, and why
}

// DecidedName is what became of one name.
type DecidedName struct {
	Name   string
	Op     int64 // what Undo takes back; 0 when nothing was to be changed
	Memory int64 // that it is, or that it became; 0 of what was refused before it was one
	// Anchored are places in code to which it is anchored as they stand now, and was not before;
	// Released those that are not there any more. Nil where nothing became of its anchors.
	Anchored, Released []string
}

// Decided is what became of the memory, by its number.
func (res ReviewResult) Decided() DecidedName {
	return DecidedName{Name: key(res.Memory.Num), Op: res.Op, Memory: res.Memory.Num, Anchored: placeNames(res.Anchored), Released: placeNames(res.Released)}
}

// Names are those that something was done with, memories first.
func (d Decided) Names() []string {
	names := make([]string, 0, len(d.Memories)+len(d.Records))
	for _, m := range d.Memories {
		names = append(names, key(m.Num))
	}
	for _, num := range d.Records {
		names = append(names, engram.WaitingName(num))
	}
	return names
}

// ApproveNamed approves memories (Approve), and lets what waits come in (AcceptDeferred), one
// after the other; what is named twice once. All names are looked up before anything is done: one
// under which there is nothing is CodeNotFound, one that names nothing CodeInvalid, and nothing is
// done. With an error of theirs it returns what was done before.
func (e *Engine) ApproveNamed(ctx context.Context, names []string) (Decided, error) {
	return e.decide(ctx, names, func(num int64) (Accepted, error) { return e.AcceptDeferred(ctx, num) },
		func(ref engram.Ref) (ReviewResult, error) { return e.Approve(ctx, ref) })
}

// RefuseNamed forgets memories (Refuse), and throws away what waits (RefuseDeferred), with names
// as ApproveNamed has them.
func (e *Engine) RefuseNamed(ctx context.Context, names []string) (Decided, error) {
	return e.decide(ctx, names, func(num int64) (Accepted, error) {
		op, err := e.RefuseDeferred(ctx, num)
		return Accepted{Imported: engram.Imported{Op: op}}, err
	}, func(ref engram.Ref) (ReviewResult, error) { return e.Refuse(ctx, ref) })
}

func (e *Engine) decide(ctx context.Context, names []string, record func(int64) (Accepted, error), memory func(engram.Ref) (ReviewResult, error)) (d Decided, err error) {
	d.Records = []int64{}
	all, err := e.lookUp(ctx, names)
	if err != nil {
		return d, err
	}
	for _, n := range all {
		if n.memory != 0 {
			res, err := memory(engram.ByNum(n.memory))
			if err != nil {
				return d, err
			}
			d.add(res)
			continue
		}
		became, err := record(n.record)
		if err != nil {
			return d, err
		}
		d.Records = append(d.Records, n.record)
		d.Done = append(d.Done, DecidedName{Name: engram.WaitingName(n.record), Op: became.Op, Memory: became.Memory})
		d.Degraded = append(d.Degraded, became.Warnings...)
	}
	return d, nil
}

// decidable is what a name of the queue stands for, by its number: one of both.
type decidable struct{ memory, record int64 }

// lookUp is what names stand for, each thing once, in the order in which they are first named. The
// error says all names under which there is nothing.
func (e *Engine) lookUp(ctx context.Context, names []string) (all []decidable, err error) {
	var unknown []string
	var first error
	err = e.store.View(ctx, func(r engram.Reader) error {
		for _, name := range names {
			n, err := lookUpOne(ctx, r, name)
			switch {
			case engram.CodeOf(err) == engram.CodeNotFound:
				if first == nil {
					first = err
				}
				unknown = append(unknown, line(name))
			case err != nil:
				return err
			case !slices.Contains(all, n):
				all = append(all, n)
			}
		}
		return nil
	})
	switch {
	case err != nil:
		return nil, err
	case len(unknown) == 0:
		return all, nil
	case len(names) == 1:
		return nil, first
	}
	return nil, engram.Errorf(engram.CodeNotFound, "nothing was done: %s is none of what is here", strings.Join(unknown, ", ")).
		WithHint("{review --all-projects} lists what waits, with its names")
}

func lookUpOne(ctx context.Context, r engram.Reader, name string) (decidable, error) {
	if num, is := engram.ParseWaitingName(name); is {
		_, err := waitsAt(ctx, r, num)
		return decidable{record: num}, err
	}
	ref, err := engram.ParseRef(name)
	if err != nil {
		return decidable{}, err
	}
	m, err := live(ctx, r, ref)
	return decidable{memory: m.Num}, err
}

// add adds what became of a memory.
func (d *Decided) add(res ReviewResult) {
	d.Memories = append(d.Memories, res.Memory)
	d.Done = append(d.Done, res.Decided())
	d.Degraded = append(d.Degraded, res.Degraded...)
}
