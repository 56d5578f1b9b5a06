package engine

import (
	"context"
	"strconv"
	"strings"

	"github.com/alanbuscaglia/engram"
)

// Decided is what became of names of the queue (QueueItem.Name).
type Decided struct {
	Memories []engram.Memory
	Records  []int64 // numbers of what was no memory yet
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
	return decide(names, func(num int64) error {
		_, err := e.AcceptDeferred(ctx, num)
		return err
	}, func(ref engram.Ref) (engram.Memory, error) { return e.Approve(ctx, ref) })
}

// RefuseNamed forgets memories (Refuse), and throws away what waits (DropDeferred), one after the
// other. With an error, which is theirs or of a name that is none, it returns what was done before.
func (e *Engine) RefuseNamed(ctx context.Context, names []string) (Decided, error) {
	return decide(names, func(num int64) error { return e.DropDeferred(ctx, num) },
		func(ref engram.Ref) (engram.Memory, error) { return e.Refuse(ctx, ref) })
}

func decide(names []string, record func(int64) error, memory func(engram.Ref) (engram.Memory, error)) (d Decided, err error) {
	d.Records = []int64{}
	for _, name := range names {
		if num, is := parseWaiting(name); is {
			if err := record(num); err != nil {
				return d, err
			}
			d.Records = append(d.Records, num)
			continue
		}
		ref, err := engram.ParseRef(name)
		if err != nil {
			return d, err
		}
		m, err := memory(ref)
		if err != nil {
			return d, err
		}
		d.Memories = append(d.Memories, m)
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
