package engine

import (
	"context"
	"slices"
	"strconv"
	"strings"

	"github.com/alanbuscaglia/engram"
)

// Decided is what became of names of the queue (QueueItem.Name).
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
		names = append(names, waitingName(num))
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

// ApproveOperation approves all memories that one operation wrote and that are suspect: those of a
// file that somebody knows, such as an export of their own, all of which they have read before.
// With an error it returns what was done before, as ApproveNamed. CodeNotFound where none waits.
func (e *Engine) ApproveOperation(ctx context.Context, op int64) (Decided, error) {
	var names []string
	err := e.store.View(ctx, func(r engram.Reader) error {
		_, entries, err := r.Operation(ctx, op)
		if err != nil {
			return err
		}
		names, err = suspectsIn(ctx, r, entries)
		return err
	})
	if err == nil && len(names) == 0 {
		err = engram.Errorf(engram.CodeNotFound, "nothing that operation %d wrote waits as suspect", op).WithHint("{review --kind suspect --all-projects} lists what does")
	}
	if err != nil {
		return Decided{}, err
	}
	return e.ApproveNamed(ctx, names)
}

// suspectsIn are the live memories of which entries tell and that are suspect, in their order.
func suspectsIn(ctx context.Context, r engram.Reader, entries []engram.Mutation) (names []string, err error) {
	var nums []int64
	for _, entry := range entries {
		if entry.Entity == engram.EntityMemory {
			nums = append(nums, numOf(entry.Key))
		}
	}
	slices.Sort(nums)
	for some := range slices.Chunk(slices.Compact(nums), deferredPage) {
		ms, err := r.Memories(ctx, some)
		if err != nil {
			return nil, err
		}
		why, err := suspects(ctx, r, ms)
		if err != nil {
			return nil, err
		}
		for _, m := range ms {
			if _, suspect := why[m.Num]; suspect && !m.Forgotten() {
				names = append(names, key(m.Num))
			}
		}
	}
	return names, nil
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
		if num, is := parseWaiting(name); is {
			became, err := record(num)
			if err != nil {
				return d, err
			}
			d.Records = append(d.Records, num)
			d.Done = append(d.Done, DecidedName{Name: waitingName(num), Op: became.Op, Memory: became.Memory})
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
		d.Memories = append(d.Memories, res.Memory)
		d.Done = append(d.Done, res.Decided())
		d.Degraded = append(d.Degraded, res.Degraded...)
	}
	return d, nil
}

// waitingName is what something that waits is called by a person: w and its number.
func waitingName(num int64) string { return "w" + key(num) }

// parseWaiting reads a waitingName.
func parseWaiting(name string) (num int64, is bool) {
	digits, is := strings.CutPrefix(strings.ToLower(name), "w")
	num, err := strconv.ParseInt(digits, 10, 64)
	return num, is && err == nil && num > 0
}
