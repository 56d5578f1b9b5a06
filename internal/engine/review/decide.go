package review

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/engine/anchors"
	"github.com/alanbuscaglia/engram/internal/engine/forget"
	"github.com/alanbuscaglia/engram/internal/engine/ledger"
	"github.com/alanbuscaglia/engram/internal/engine/remember"
	"github.com/alanbuscaglia/engram/internal/engine/screen"
	"github.com/alanbuscaglia/engram/internal/engine/sync"
	"github.com/alanbuscaglia/engram/internal/engine/view"
	"github.com/alanbuscaglia/engram/internal/engine/walk"
	"github.com/alanbuscaglia/engram/internal/lifecycle"
)

// Approve allows a live memory to be injected as it is now, because a person has read it; later texts are not
// approved. It also marks a memory that is due, or whose code changed, as reviewed (Reviewed). Approving twice,
// or without need, is fine.
//
// Only a person approves: no tool offers it. The command line and HTTP do: anyone who can run programs there
// can write to the database anyway, and http_token keeps out those who cannot read the person's settings.
func (k *Desk) Approve(ctx context.Context, ref engram.Ref) (ReviewResult, error) {
	return k.approveIf(ctx, ref, func(engram.Reader, engram.Memory) error { return nil })
}

// approveIf is Approve if fits returns nil, checked in the same transaction.
func (k *Desk) approveIf(ctx context.Context, ref engram.Ref, fits func(engram.Reader, engram.Memory) error) (ReviewResult, error) {
	anew := k.remember.AnchorAnew(ctx, ref)
	return ledger.Perform(ctx, k.ledger, "approve", func(o *ledger.Tx) (res ReviewResult, err error) {
		m, err := o.Live(ctx, ref)
		if err != nil {
			return res, err
		}
		if err := fits(o.Store, m); err != nil {
			return res, err
		}
		if err := o.Approve(ctx, m); err != nil {
			return res, err
		}
		err = noteReviewed(ctx, o, m, anew, &res)
		return res, err
	})
}

// noteReviewed restarts the review interval of a memory that is due, and renews stale anchors.
func noteReviewed(ctx context.Context, o *ledger.Tx, m engram.Memory, anew remember.PrecomputedAnchors, res *ReviewResult) error {
	seen, err := o.Store.SeenAnchors(ctx, []int64{m.Num})
	if err != nil {
		return err
	}
	due := !m.ReviewAfter.IsZero() && !m.ReviewAfter.After(o.At)
	if res.Memory, res.Op = m, o.First; !due && !seen[m.Num].Stale() {
		return nil
	}
	return reviewAs(ctx, o, m, anew, "reviewed", func(m engram.Memory, now time.Time) (time.Time, error) {
		if !due {
			return m.ReviewAfter, nil
		}
		return lifecycle.ReviewAfter(m, now, o.Ledger.Policy), nil
	}, res)
}

// Refuse forgets a reviewed memory; Undo restores it.
func (k *Desk) Refuse(ctx context.Context, ref engram.Ref) (ReviewResult, error) {
	return ledger.Perform(ctx, k.ledger, "refuse", func(o *ledger.Tx) (res ReviewResult, err error) {
		if res.Memory, err = o.Live(ctx, ref); err != nil {
			return res, err
		}
		err = forget.Forget(ctx, o, &res.Memory, "rejected in a review")
		res.Op = o.First
		return res, err
	})
}

// Decided is the result of deciding on items of the queue (engram.QueueItem.Name).
type Decided struct {
	Memories []engram.Memory // that were named
	Records  []int64         // numbers of pending records
	Done     []DecidedName   // all decisions in the order of the names
	Degraded []string        // what was not done and why
}

// DecidedName is the result for one name.
type DecidedName struct {
	Name   string
	Op     int64 // operation for Undo; 0 if nothing changed
	Memory int64 // number of the memory it is or became; 0 for a refused record
	// Anchored are code places it is newly anchored to, Released those that no longer exist; nil if unchanged.
	Anchored, Released []string
}

// Decided returns the result under the memory's number.
func (res ReviewResult) Decided() DecidedName {
	return DecidedName{Name: ledger.Key(res.Memory.Num), Op: res.Op, Memory: res.Memory.Num, Anchored: anchors.PlaceNames(res.Anchored), Released: anchors.PlaceNames(res.Released)}
}

// Names returns the names that were decided on, memories first.
func (d Decided) Names() []string {
	return slices.Concat(walk.Mapped(screen.MemoryNums(d.Memories), ledger.Key), walk.Mapped(d.Records, engram.PendingName))
}

// ApproveNamed approves memories (Approve) and accepts pending records (AcceptDeferred), one after the other,
// each once. It resolves all names first and does nothing if one is unknown (CodeNotFound) or malformed
// (CodeInvalid). If a later step fails, it returns what was done before.
func (k *Desk) ApproveNamed(ctx context.Context, names []string) (Decided, error) {
	return k.decide(ctx, names, func(num int64) (sync.Accepted, error) { return k.AcceptDeferred(ctx, num) },
		func(ref engram.Ref) (ReviewResult, error) { return k.Approve(ctx, ref) })
}

// RefuseNamed forgets memories (Refuse) and rejects pending records (RefuseDeferred), with names as in
// ApproveNamed.
func (k *Desk) RefuseNamed(ctx context.Context, names []string) (Decided, error) {
	return k.decide(ctx, names, func(num int64) (sync.Accepted, error) {
		op, err := k.RefuseDeferred(ctx, num)
		return sync.Accepted{Imported: engram.Imported{Op: op}}, err
	}, func(ref engram.Ref) (ReviewResult, error) { return k.Refuse(ctx, ref) })
}

func (k *Desk) decide(ctx context.Context, names []string, record func(int64) (sync.Accepted, error), memory func(engram.Ref) (ReviewResult, error)) (d Decided, err error) {
	d.Records = []int64{}
	all, err := k.lookUp(ctx, names)
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
		d.Done = append(d.Done, DecidedName{Name: engram.PendingName(n.record), Op: became.Op, Memory: became.Memory})
		d.Degraded = append(d.Degraded, became.Warnings...)
	}
	return d, nil
}

// decidable is an item of the queue: the number of either a memory or a record.
type decidable struct{ memory, record int64 }

// lookUp resolves names, each item once, in order. The error lists all unknown names.
func (k *Desk) lookUp(ctx context.Context, names []string) (all []decidable, err error) {
	var unknown []string
	var first error
	err = k.ledger.View(ctx, func(r engram.Reader) error {
		for _, name := range names {
			n, err := lookUpOne(ctx, r, name)
			switch {
			case engram.CodeOf(err) == engram.CodeNotFound:
				if first == nil {
					first = err
				}
				unknown = append(unknown, screen.Line(name))
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
	return nil, engram.Errorf(engram.CodeNotFound, "nothing was done: unknown names: %s", strings.Join(unknown, ", ")).
		WithHint("{review --all-projects} lists pending items by name")
}

func lookUpOne(ctx context.Context, r engram.Reader, name string) (decidable, error) {
	if num, is := engram.ParsePendingName(name); is {
		_, err := sync.PendingAt(ctx, r, num)
		return decidable{record: num}, err
	}
	ref, err := engram.ParseRef(name)
	if err != nil {
		return decidable{}, err
	}
	m, err := ledger.Live(ctx, r, ref)
	return decidable{memory: m.Num}, err
}

func (d *Decided) add(res ReviewResult) {
	d.Memories = append(d.Memories, res.Memory)
	d.Done = append(d.Done, res.Decided())
	d.Degraded = append(d.Degraded, res.Degraded...)
}

// ApproveOperation approves all flagged memories that one operation wrote, such as the import of a trusted
// file. A memory changed since stays pending, and Decided.Degraded says so. With an error it returns what was
// done before. CodeNotFound for an unknown operation, or if nothing it wrote is flagged.
func (k *Desk) ApproveOperation(ctx context.Context, op int64) (Decided, error) {
	d := Decided{Records: []int64{}}
	var known []engram.Memory
	err := k.ledger.View(ctx, func(r engram.Reader) error {
		_, entries, err := engram.OperationOf(ctx, r, op)
		if err != nil {
			return err
		}
		all, err := flaggedIn(ctx, r, entries)
		if err != nil {
			return err
		}
		if len(all) == 0 {
			return engram.Errorf(engram.CodeNotFound, "nothing that operation %d wrote is flagged", op).
				WithHint("{review --kind suspect --all-projects} lists what is")
		}
		for _, m := range all {
			as, err := asWritten(ctx, r, m, op)
			if err != nil {
				return err
			}
			if as {
				known = append(known, m)
			} else {
				d.Degraded = append(d.Degraded, fmt.Sprintf("Memory #%d was changed since operation %d and stays pending: engram review show %d", m.Num, op, m.Num))
			}
		}
		return nil
	})
	if err != nil {
		return Decided{}, err
	}
	for _, m := range known {
		res, err := k.approveIf(ctx, engram.ByNum(m.Num), func(r engram.Reader, m engram.Memory) error {
			if as, err := asWritten(ctx, r, m, op); err != nil || as {
				return err
			}
			return engram.Errorf(engram.CodeConflict, "memory #%d was changed just now", m.Num).WithHint("{review show %d} shows it", m.Num)
		})
		if err != nil {
			return d, err
		}
		d.add(res)
	}
	return d, nil
}

// lookedThrough is how many memories or journal entries are read at once.
const lookedThrough = 100

// flaggedIn returns the live and flagged memories that entries changed, by number.
func flaggedIn(ctx context.Context, r engram.Reader, entries []engram.Mutation) (all []engram.Memory, err error) {
	var nums []int64
	for _, entry := range entries {
		if entry.Entity == engram.EntityMemory {
			nums = append(nums, ledger.NumOf(entry.Key))
		}
	}
	slices.Sort(nums)
	for some := range slices.Chunk(slices.Compact(nums), lookedThrough) {
		ms, err := r.Memories(ctx, some)
		if err != nil {
			return nil, err
		}
		why, err := screen.Flagged(ctx, r, ms)
		if err != nil {
			return nil, err
		}
		for _, m := range ms {
			if _, isFlagged := why[m.Num]; isFlagged && !m.Forgotten() {
				all = append(all, m)
			}
		}
	}
	return all, nil
}

// asWritten reports whether the texts of a memory are unchanged since an operation: a text changed and changed
// back counts as changed.
func asWritten(ctx context.Context, r engram.Reader, m engram.Memory, op int64) (bool, error) {
	then := m
	for page := (engram.Page{Limit: lookedThrough}); ; page.Offset += page.Limit {
		entries, err := r.Mutations(ctx, engram.JournalSpan{Entity: engram.EntityMemory, Key: ledger.Key(m.Num)}, page)
		if err != nil {
			return false, err
		}
		since := entries
		if n := slices.IndexFunc(entries, func(entry engram.Mutation) bool { return entry.Op <= op }); n >= 0 {
			since = entries[:n]
		}
		if slices.ContainsFunc(since, func(entry engram.Mutation) bool { return len(entry.Was) == 0 }) {
			return false, nil // it was recreated
		}
		var text int
		if then, text, err = view.Restore(ctx, r, then, since); err != nil || text != 0 {
			return false, err
		}
		if len(since) < page.Limit {
			return then.Origin == m.Origin && slices.Equal(screen.ShownTexts(then), screen.ShownTexts(m)), nil
		}
	}
}
