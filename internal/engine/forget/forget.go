// Package forget takes things away: it forgets memories, which undo brings back, and deletes for good, with every
// copy that it finds; prompts, sessions and projects too.
package forget

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/engine/exposure"
	"github.com/alanbuscaglia/engram/internal/engine/ledger"
	"github.com/alanbuscaglia/engram/internal/engine/screen"
	"github.com/alanbuscaglia/engram/internal/engine/view"
	"github.com/alanbuscaglia/engram/internal/engine/walk"
	"github.com/alanbuscaglia/engram/internal/lifecycle"
)

// Eraser forgets and erases. It is safe for concurrent use.
type Eraser struct {
	ledger   *ledger.Ledger
	exposure *exposure.Recorder

	traces Traces // finds other copies of erased memories; nil: no search for them
}

// New returns an Eraser; traces finds other copies of erased memories, nil for no search.
func New(l *ledger.Ledger, x *exposure.Recorder, traces Traces) *Eraser {
	return &Eraser{ledger: l, exposure: x, traces: traces}
}

// Forget hides live memories, all or none. Undo brings them back. A memory that is not live is not_found.
func (x *Eraser) Forget(ctx context.Context, refs ...engram.Ref) ([]engram.Memory, error) {
	return ledger.Perform(ctx, x.ledger, "forget", func(o *ledger.Tx) ([]engram.Memory, error) { return ForgetAll(ctx, o, refs) })
}

// ForgetAll forgets the memories that refs name, each once, and returns them.
func ForgetAll(ctx context.Context, o *ledger.Tx, refs []engram.Ref) ([]engram.Memory, error) {
	ms, err := each(ctx, refs, o.Live)
	if err != nil {
		return nil, err
	}
	for i := range ms {
		if err := Forget(ctx, o, &ms[i], "requested"); err != nil {
			return nil, err
		}
	}
	return ms, nil
}

// Forget forgets a live memory and sets its DeletedAt.
func Forget(ctx context.Context, o *ledger.Tx, m *engram.Memory, reason string) error {
	was := *m
	m.DeletedAt = o.At
	return o.ReplaceMemory(ctx, was, *m, reason)
}

func eraseAll(ctx context.Context, o *ledger.Tx, ms []engram.Memory) error {
	for _, m := range ms {
		if err := o.EraseMemory(ctx, m); err != nil {
			return err
		}
	}
	return nil
}

// each returns the memories that refs name, each once: a number and a topic may name the same one.
func each(ctx context.Context, refs []engram.Ref, read func(context.Context, engram.Ref) (engram.Memory, error)) (ms []engram.Memory, err error) {
	named := map[int64]bool{}
	for _, ref := range refs {
		m, err := read(ctx, screen.NormalRef(ref))
		if err != nil {
			return nil, err
		}
		if !named[m.Num] {
			ms = append(ms, m)
		}
		named[m.Num] = true
	}
	return ms, nil
}

// ForgetKnown is Forget for a list that may be outdated: it forgets the live memories, all or none, and returns
// the indexes of refs that name none. A ref that fits several memories is CodeConflict.
func (x *Eraser) ForgetKnown(ctx context.Context, refs ...engram.Ref) (gone []engram.Memory, unknown []int, err error) {
	err = x.ledger.Write(ctx, "forget", func(o *ledger.Tx) error {
		var live []engram.Ref
		for i, ref := range refs {
			m, err := o.Live(ctx, ref)
			switch {
			case engram.CodeOf(err) == engram.CodeNotFound:
				unknown = append(unknown, i)
			case err != nil:
				return err
			default:
				live = append(live, engram.ByNum(m.Num))
			}
		}
		gone, err = ForgetAll(ctx, o, live)
		return err
	})
	if err != nil {
		return nil, nil, err
	}
	return gone, unknown, nil
}

// Traces finds copies of memories outside the store.
type Traces interface {
	// Holding returns the backups and shared files that contain one of the memories, given by ID and SyncID,
	// and the paths of files that could not be read. roots are the folders of their projects.
	Holding(ctx context.Context, ms []engram.Memory, roots []string) (held []engram.Trace, unread []string, err error)
}

// Deleted is the result of forgetting or erasing.
type Deleted struct {
	Memories []engram.Memory
	HeldBy   []engram.Trace // remaining copies of erased texts; nil after forgetting
	Degraded []string       // what could not be searched for copies, and why
}

// Delete forgets memories, or with hard erases them for good; all or none. After erasing it lists remaining
// copies of the texts: backups, chunks shared by git, memories into which one was merged.
func (x *Eraser) Delete(ctx context.Context, hard bool, refs ...engram.Ref) (Deleted, error) {
	if !hard {
		ms, err := x.Forget(ctx, refs...)
		return Deleted{Memories: ms}, err
	}
	var roots []string
	d, err := ledger.Perform(ctx, x.ledger, "erase", func(o *ledger.Tx) (d Deleted, err error) {
		if d.Memories, err = each(ctx, refs, o.Store.Memory); err != nil {
			return d, err
		}
		// Checked before erasing, which removes the relations that tell.
		if d.HeldBy, roots, err = held(ctx, o, d.Memories); err != nil {
			return d, err
		}
		return d, eraseAll(ctx, o, d.Memories)
	})
	if err != nil {
		return d, err
	}
	outside, degraded := x.heldOutside(ctx, d.Memories, roots)
	d.HeldBy, d.Degraded = append(d.HeldBy, outside...), degraded
	return d, nil
}

// held returns the memories that contain texts of those to be erased, and the folders of their projects.
func held(ctx context.Context, o *ledger.Tx, ms []engram.Memory) (held []engram.Trace, roots []string, err error) {
	going := walk.SetOf(screen.MemoryNums(ms))
	h := holdersIn(o.Store, func(m engram.Memory) bool { return going[m.Num] })
	for _, m := range ms {
		if err := h.lookFor(ctx, m); err != nil {
			return nil, nil, err
		}
		if p, known, err := o.Store.Project(ctx, m.Project); err != nil {
			return nil, nil, err
		} else if known && p.Root != "" {
			roots = append(roots, p.Root)
		}
	}
	return h.held, roots, nil
}

// heldOutside returns copies of erased memories outside the store, and what could not be searched. The texts
// have left the store whatever happens here.
func (x *Eraser) heldOutside(ctx context.Context, ms []engram.Memory, roots []string) (held []engram.Trace, degraded []string) {
	if x.traces == nil || len(ms) == 0 {
		return nil, nil
	}
	held, unread, err := x.traces.Holding(ctx, ms, roots)
	for _, path := range unread {
		degraded = append(degraded, fmt.Sprintf("cannot read %s: it may still contain the text", path))
	}
	if err != nil {
		degraded = append(degraded, fmt.Sprintf("cannot search backups and chunks: %v", err))
	}
	return held, degraded
}

// holders finds memories that contain texts of those about to be erased.
type holders struct {
	r      engram.Reader
	erased func(engram.Memory) bool // it is to be erased too
	listed map[int64]bool
	held   []engram.Trace
}

func holdersIn(r engram.Reader, erased func(engram.Memory) bool) *holders {
	return &holders{r: r, erased: erased, listed: map[int64]bool{}}
}

// relatedMemory is a memory to which a text may have been copied.
type relatedMemory struct {
	num     int64
	derived bool // made from the text, or from a memory made from it
}

// lookFor adds the memories that contain any version of m's text, now or in a revision. It searches memories
// that are or were related to m, and those derived from them: undo and unlink remove the relation, not the
// revision.
func (h *holders) lookFor(ctx context.Context, m engram.Memory) error {
	others, err := h.relatedTo(ctx, m.Num)
	if err != nil || len(others) == 0 {
		return err
	}
	history, err := view.HistoryOf(ctx, h.r, engram.ByNum(m.Num))
	if err != nil {
		return err
	}
	var contents, titles []lifecycle.Said
	for _, v := range history.Versions {
		contents, titles = append(contents, lifecycle.SaidIn(v.Content)), append(titles, lifecycle.SaidIn(v.Title))
	}
	for _, other := range others {
		if h.listed[other.num] {
			continue
		}
		called := titles
		if !other.derived { // titles are often alike by chance
			called = nil
		}
		if err := h.lookIn(ctx, other.num, contents, called); err != nil {
			return err
		}
	}
	return nil
}

// lookIn adds a memory that contains one of the contents, or one of the titles as a sentence: within a longer
// sentence, the words of a title prove nothing.
func (h *holders) lookIn(ctx context.Context, num int64, contents, titles []lifecycle.Said) error {
	history, err := view.HistoryOf(ctx, h.r, engram.ByNum(num))
	if err != nil || h.erased(history.Memory) {
		return err
	}
	for _, v := range history.Versions {
		said := lifecycle.SaidIn(v.Title + "\n" + v.Content)
		if slices.ContainsFunc(contents, said.Holds) || slices.ContainsFunc(titles, said.Says) {
			h.listed[num] = true
			h.held = append(h.held, engram.Trace{Kind: engram.TraceMemory, Where: fmt.Sprintf("#%d", num)})
			return nil
		}
	}
	return nil
}

// relatedTo returns the memories to which the text of one may have been copied, each once, nearest first.
func (h *holders) relatedTo(ctx context.Context, num int64) ([]relatedMemory, error) {
	var found []relatedMemory
	at := map[int64]int{} // index in found
	queue, queued := []int64{num}, map[int64]bool{num: true}
	for i := 0; i < len(queue); i++ {
		relations, err := h.everyRelation(ctx, queue[i])
		if err != nil {
			return nil, err
		}
		for _, r := range relations {
			other, derived := r.Source, r.Verb == engram.VerbDerivedFrom && r.Target == queue[i]
			if other == queue[i] {
				other = r.Target
			}
			if other == num || queue[i] != num && !derived {
				continue
			}
			n, known := at[other]
			if !known {
				n, at[other] = len(found), len(found)
				found = append(found, relatedMemory{num: other})
			}
			if derived {
				found[n].derived = true
			}
			if derived && !queued[other] {
				queued[other] = true
				queue = append(queue, other)
			}
		}
	}
	return found, nil
}

// everyRelation returns the relations of a memory, removed ones too.
func (h *holders) everyRelation(ctx context.Context, num int64) ([]engram.Relation, error) {
	live, err := engram.RelationsOf(ctx, h.r, []int64{num}, nil, 0)
	if err != nil {
		return nil, err
	}
	removed, err := engram.RemovedRelations(ctx, h.r, []int64{num}, time.Time{})
	return append(live, removed...), err
}
