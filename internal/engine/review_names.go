package engine

import (
	"context"

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
// after the other. With an error, which is theirs or of a name that is none, it returns what was
// done before.
func (e *Engine) ApproveNamed(ctx context.Context, names []string) (Decided, error) {
	return decide(names, func(num int64) (Accepted, error) { return e.AcceptDeferred(ctx, num) },
		func(ref engram.Ref) (ReviewResult, error) { return e.Approve(ctx, ref) })
}

// RefuseNamed forgets memories (Refuse), and throws away what waits (RefuseDeferred), one after
// the other. With an error, which is theirs or of a name that is none, it returns what was done
// before.
func (e *Engine) RefuseNamed(ctx context.Context, names []string) (Decided, error) {
	return decide(names, func(num int64) (Accepted, error) {
		op, err := e.RefuseDeferred(ctx, num)
		return Accepted{Imported: engram.Imported{Op: op}}, err
	}, func(ref engram.Ref) (ReviewResult, error) { return e.Refuse(ctx, ref) })
}

func decide(names []string, record func(int64) (Accepted, error), memory func(engram.Ref) (ReviewResult, error)) (d Decided, err error) {
	d.Records = []int64{}
	for _, name := range names {
		if num, is := engram.ParseWaitingName(name); is {
			became, err := record(num)
			if err != nil {
				return d, err
			}
			d.Records = append(d.Records, num)
			d.Done = append(d.Done, DecidedName{Name: engram.WaitingName(num), Op: became.Op, Memory: became.Memory})
			d.Degraded = append(d.Degraded, became.Warnings...)
			continue
		}
		ref, err := engram.ParseRef(name)
		if err != nil {
			return d, err
		}
		res, err := memory(ref)
		if err != nil {
			return d, err
		}
		d.add(res)
	}
	return d, nil
}

// add adds what became of a memory.
func (d *Decided) add(res ReviewResult) {
	d.Memories = append(d.Memories, res.Memory)
	d.Done = append(d.Done, res.Decided())
	d.Degraded = append(d.Degraded, res.Degraded...)
}
