package indextest

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/alanbuscaglia/engram"
)

var errGivenUp = errors.New("given up")

// move is a project that took in another.
type move struct {
	engram.Moved
	from, to string
}

// transaction makes some changes, with questions before and in between. The first transactions and half of the others are
// small, as those of agents. One in four is of the other process, which goes on writing; one in eight is given up, and one
// in twelve followed by a new start of a process.
func (w *World) transaction() {
	if w.r.IntN(4) == 0 {
		w.opened[0], w.opened[1] = w.opened[1], w.opened[0]
	}
	small, looks, givenUp := w.Step < 15 || w.r.IntN(2) == 0, w.r.IntN(3) > 0, w.r.IntN(8) == 0
	changes := func(tx engram.Tx) error {
		for range 1 + w.r.IntN(6) {
			if err := w.operation(tx, small); err != nil {
				return err
			}
			if w.r.IntN(5) == 0 || small && w.r.IntN(3) == 0 {
				w.askOf(tx, none)
			}
			if small && w.r.IntN(2) == 0 {
				break
			}
		}
		if givenUp {
			return errGivenUp
		}
		return nil
	}
	s := w.store(0)
	err := w.attempt(w.Context(), func(ctx context.Context) error {
		if !looks {
			return s.Update(ctx, changes)
		}
		return s.UpdateAfter(ctx, func(r engram.Reader) error { w.askOf(r, none); return nil }, changes)
	})
	if err != nil && !(givenUp && errors.Is(err, errGivenUp)) {
		w.Failf("write: %v", err)
	}
	if w.r.IntN(12) == 0 {
		w.close(w.r.IntN(2))
	}
}

// operation makes one kind of change to one or many memories; a small one to few, except that a save may have so many that
// some of them are due for a segment.
func (w *World) operation(tx engram.Tx, small bool) error {
	some, fresh, n := pick(w.r, []int{1, 1, 1, 3, 30}), pick(w.r, []int{1, 1, 2, 5, 20, 50, 70, 150, 600}), w.r.IntN(100)
	if small {
		some, fresh, n = 1, pick(w.r, []int{1, 1, 1, 2, 2, 40}), w.r.IntN(130)-30
	}
	switch {
	case n < 30:
		return w.Insert(tx, fresh)
	case n < 50:
		return w.Each(tx, some, false, w.Change)
	case n < 65:
		return w.Each(tx, some, false, func(m *engram.Memory) { m.DeletedAt = minute(1) })
	case n < 75:
		return w.Each(tx, some, true, func(m *engram.Memory) { m.DeletedAt = time.Time{} })
	case n < 83:
		return w.erase(tx, some)
	case n < 86:
		return w.revive(tx)
	case n < 92:
		return w.move(tx)
	case n < 97:
		return w.moveBack(tx)
	case n < 99:
		return w.Sweep(tx)
	default:
		return tx.Reindex(w.Context())
	}
}

// Insert saves n new memories.
func (w *World) Insert(tx engram.Tx, n int) error {
	for range n {
		m := w.Memory()
		if err := w.Save(tx, m); err != nil {
			return err
		}
	}
	return nil
}

// Save saves a memory.
func (w *World) Save(tx engram.Tx, m engram.Memory) error {
	if err := tx.InsertMemory(w.Context(), &m); err != nil {
		return fmt.Errorf("insert: %w", err)
	}
	w.All[m.Num] = m
	w.model.put(m)
	return nil
}

// Each changes n memories, live ones or forgotten ones.
func (w *World) Each(tx engram.Tx, n int, forgotten bool, change func(*engram.Memory)) error {
	for _, num := range w.some(n, forgotten) {
		m := w.All[num]
		change(&m)
		if err := w.Replace(tx, m); err != nil {
			return err
		}
	}
	return nil
}

// Replace saves a memory that is there as m says.
func (w *World) Replace(tx engram.Tx, m engram.Memory) error {
	if err := tx.ReplaceMemory(w.Context(), m); err != nil {
		return fmt.Errorf("replace %d: %w", m.Num, err)
	}
	w.All[m.Num] = m
	w.model.put(m)
	return nil
}

// some draws up to n memories, the newest half of the time.
func (w *World) some(n int, forgotten bool) (nums []int64) {
	for _, num := range slices.Sorted(maps.Keys(w.All)) {
		if w.All[num].Forgotten() == forgotten {
			nums = append(nums, num)
		}
	}
	if w.r.IntN(2) == 0 {
		nums = nums[max(0, len(nums)-2*n):]
	}
	w.r.Shuffle(len(nums), func(i, j int) { nums[i], nums[j] = nums[j], nums[i] })
	return nums[:min(n, len(nums))]
}

func (w *World) erase(tx engram.Tx, n int) error {
	for _, num := range w.some(n, w.r.IntN(4) == 0) {
		if err := tx.EraseMemory(w.Context(), num); err != nil {
			return fmt.Errorf("erase %d: %w", num, err)
		}
		w.erased = append(w.erased, w.All[num])
		delete(w.All, num)
		delete(w.model.live, num)
	}
	return nil
}

// revive saves an erased memory again under its number, as undo does, with other words.
func (w *World) revive(tx engram.Tx) error {
	if len(w.erased) == 0 {
		return nil
	}
	i := w.r.IntN(len(w.erased))
	m := w.erased[i]
	w.erased = slices.Delete(slices.Clone(w.erased), i, i+1)
	w.Change(&m)
	return w.Save(tx, m)
}

func (w *World) move(tx engram.Tx) error {
	return w.Take(tx, pick(w.r, w.projects()), pick(w.r, w.projects()))
}

// Take moves the memories of a project to another.
func (w *World) Take(tx engram.Tx, from, to string) error {
	moved, err := tx.MoveProject(w.Context(), from, to)
	if err != nil {
		return fmt.Errorf("move: %w", err)
	}
	w.moved = append(w.moved, move{moved, from, to})
	w.rehome(moved.Memories, to)
	for num, m := range w.All {
		if from != to && m.Project == from {
			return fmt.Errorf("move left memory %d in %s", num, from)
		}
	}
	return nil
}

func (w *World) moveBack(tx engram.Tx) error {
	if len(w.moved) == 0 {
		return nil
	}
	last := w.moved[len(w.moved)-1]
	w.moved = w.moved[:len(w.moved)-1]
	back, err := tx.MoveBack(w.Context(), last.Moved, last.to, last.from)
	if err != nil {
		return fmt.Errorf("move back: %w", err)
	}
	w.rehome(back.Memories, last.from)
	return nil
}

func (w *World) rehome(nums []int64, project string) {
	for _, num := range nums {
		m := w.All[num]
		m.Project = project
		w.All[num] = m
		w.model.put(m)
	}
}

// Sweep forgets most of a project, so that segments thin out or vanish.
func (w *World) Sweep(tx engram.Tx) error {
	project := pick(w.r, w.projects())
	for _, num := range w.Live() {
		m := w.All[num]
		if m.Project != project || w.r.IntN(10) == 0 {
			continue
		}
		m.DeletedAt = minute(2)
		if err := w.Replace(tx, m); err != nil {
			return err
		}
	}
	return nil
}

// Ask asks n questions of both processes, a third without some projects.
func (w *World) Ask(n int) {
	for range n {
		ctx, off := w.Context(), none
		if w.r.IntN(3) == 0 {
			one, two := pick(w.r, w.projects()), pick(w.r, w.projects())
			off = func(p string) bool { return p == one || p == two }
			ctx = engram.Without(ctx, off)
		}
		err := w.store(w.r.IntN(2)).View(ctx, func(r engram.Reader) error {
			w.askOf(r, off)
			return nil
		})
		if err != nil {
			w.Failf("read: %v", err)
		}
	}
}

// none hides no project.
func none(string) bool { return false }

func (w *World) askOf(r engram.Reader, off func(string) bool) {
	q := w.Question()
	if len(q.Terms) == 0 {
		return
	}
	got, err := r.Lexical(w.Context(), q)
	if err != nil {
		w.Failf("%+v: %v", q, err)
	}
	if why := w.model.ask(q, off).compare(q, got); why != "" {
		w.Failf("%+v\nof %d memories: %s", q, len(w.model.live), why)
	}
}
