package engine

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/lifecycle"
)

// holders looks for memories that hold the texts of those that are about to be erased.
type holders struct {
	r      engram.Reader
	erased func(engram.Memory) bool // it goes too, and its texts with it
	told   map[int64]bool
	held   []engram.Trace
}

func holdersIn(r engram.Reader, erased func(engram.Memory) bool) *holders {
	return &holders{r: r, erased: erased, told: map[int64]bool{}}
}

// tied is a memory to which a text may have come.
type tied struct {
	num     int64
	derived bool // it was made from the text, or from what was made from it
}

// lookFor adds the memories that hold what m says or ever said, now or in a revision of
// theirs. It looks in those to which m is or was tied, and in what was merged further and
// further from them: an undo and an unlink remove the tie, not the revision.
func (h *holders) lookFor(ctx context.Context, m engram.Memory) error {
	others, err := h.tiedTo(ctx, m.Num)
	if err != nil || len(others) == 0 {
		return err
	}
	history, err := historyOf(ctx, h.r, engram.ByNum(m.Num))
	if err != nil {
		return err
	}
	var contents, titles []lifecycle.Said
	for _, v := range history.Versions {
		contents, titles = append(contents, lifecycle.SaidIn(v.Content)), append(titles, lifecycle.SaidIn(v.Title))
	}
	for _, other := range others {
		if h.told[other.num] {
			continue
		}
		called := titles
		if !other.derived { // its title is its own: many are called alike
			called = nil
		}
		if err := h.lookIn(ctx, other.num, contents, called); err != nil {
			return err
		}
	}
	return nil
}

// lookIn adds a memory that holds one of the contents, or has one of the titles for a
// sentence: in a longer one the words of a title are words as others are.
func (h *holders) lookIn(ctx context.Context, num int64, contents, titles []lifecycle.Said) error {
	history, err := historyOf(ctx, h.r, engram.ByNum(num))
	if err != nil || h.erased(history.Memory) {
		return err
	}
	for _, v := range history.Versions {
		said := lifecycle.SaidIn(v.Title + "\n" + v.Content)
		if slices.ContainsFunc(contents, said.Holds) || slices.ContainsFunc(titles, said.Says) {
			h.told[num] = true
			h.held = append(h.held, engram.Trace{Kind: engram.TraceMemory, Where: fmt.Sprintf("#%d", num)})
			return nil
		}
	}
	return nil
}

// tiedTo returns the memories to which the text of one may have come, each once, the
// nearest first.
func (h *holders) tiedTo(ctx context.Context, num int64) ([]tied, error) {
	var found []tied
	at := map[int64]int{} // where in found
	queue, queued := []int64{num}, map[int64]bool{num: true}
	for i := 0; i < len(queue); i++ {
		ties, err := h.everyTie(ctx, queue[i])
		if err != nil {
			return nil, err
		}
		for _, r := range ties {
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
				found = append(found, tied{num: other})
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

// everyTie returns the relations of a memory, removed ones too.
func (h *holders) everyTie(ctx context.Context, num int64) ([]engram.Relation, error) {
	live, err := h.r.Relations(ctx, []int64{num})
	if err != nil {
		return nil, err
	}
	removed, err := h.r.RemovedRelations(ctx, []int64{num}, time.Time{})
	return append(live, removed...), err
}
