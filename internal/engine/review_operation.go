package engine

import (
	"context"
	"fmt"
	"slices"

	"github.com/alanbuscaglia/engram"
)

// ApproveOperation approves all memories that one operation wrote and that are suspect: those of a
// file that somebody knows, such as an export of their own, all of which they have read before. One
// that says something else since is not what they know: it waits on, and Decided.Degraded says so.
//
// With an error it returns what was done before, as ApproveNamed. CodeNotFound for an operation
// that is none, and where nothing that it wrote waits as suspect.
func (e *Engine) ApproveOperation(ctx context.Context, op int64) (Decided, error) {
	d := Decided{Records: []int64{}}
	var known []engram.Memory
	err := e.store.View(ctx, func(r engram.Reader) error {
		_, entries, err := r.Operation(ctx, op)
		if err != nil {
			return err
		}
		all, err := suspectsIn(ctx, r, entries)
		if err != nil {
			return err
		}
		if len(all) == 0 {
			return engram.Errorf(engram.CodeNotFound, "nothing that operation %d wrote waits as suspect", op).
				WithHint("{review --kind suspect --all-projects} lists what does")
		}
		for _, m := range all {
			as, err := asWritten(ctx, r, m, op)
			if err != nil {
				return err
			}
			if as {
				known = append(known, m)
			} else {
				d.Degraded = append(d.Degraded, fmt.Sprintf("Memory #%d was changed since operation %d and waits on: engram review show %d", m.Num, op, m.Num))
			}
		}
		return nil
	})
	if err != nil {
		return Decided{}, err
	}
	for _, m := range known {
		res, err := e.approveIf(ctx, engram.ByNum(m.Num), func(r engram.Reader, m engram.Memory) error {
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

// lookedThrough is how many memories, or entries of the journal, are read at once.
const lookedThrough = 100

// suspectsIn are the live memories of which entries tell and that are suspect, by number.
func suspectsIn(ctx context.Context, r engram.Reader, entries []engram.Mutation) (all []engram.Memory, err error) {
	var nums []int64
	for _, entry := range entries {
		if entry.Entity == engram.EntityMemory {
			nums = append(nums, numOf(entry.Key))
		}
	}
	slices.Sort(nums)
	for some := range slices.Chunk(slices.Compact(nums), lookedThrough) {
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
				all = append(all, m)
			}
		}
	}
	return all, nil
}

// asWritten reports whether a memory has said the same since an operation, in all that is looked at
// for orders: a text that was changed and changed back counts as changed.
func asWritten(ctx context.Context, r engram.Reader, m engram.Memory, op int64) (bool, error) {
	then := m
	for page := (engram.Page{Limit: lookedThrough}); ; page.Offset += page.Limit {
		entries, err := r.Mutations(ctx, engram.EntityMemory, key(m.Num), page)
		if err != nil {
			return false, err
		}
		since := entries
		if n := slices.IndexFunc(entries, func(entry engram.Mutation) bool { return entry.Op <= op }); n >= 0 {
			since = entries[:n]
		}
		if slices.ContainsFunc(since, func(entry engram.Mutation) bool { return len(entry.Was) == 0 }) {
			return false, nil // it was made anew
		}
		var text int
		if then, text, err = restore(ctx, r, then, since); err != nil || text != 0 {
			return false, err
		}
		if len(since) < page.Limit {
			return then.Origin == m.Origin && slices.Equal(shownTexts(then), shownTexts(m)), nil
		}
	}
}
