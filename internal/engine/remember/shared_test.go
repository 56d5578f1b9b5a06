package remember

import (
	"testing"

	"github.com/alanbuscaglia/engram"
)

func TestSavesOfThisProcessAreKnownWithoutTheJournal(t *testing.T) {
	t.Parallel()
	save := func(after, last int64) *ownSave {
		return &ownSave{after: after, last: last, made: []recentMemory{{memory: engram.Memory{Num: last}}}}
	}
	var h Shared
	first, second := save(10, 12), save(12, 15)
	h.begin(first)
	if _, known := h.between(10, 12); known {
		t.Error("a save that is not committed yet is known")
	}
	h.end(first, true)
	h.begin(second)
	h.end(second, true)
	for _, c := range []struct {
		name        string
		after, last int64
		want        int // memories; -1: not known
	}{
		{"both", 10, 15, 2},
		{"the last one", 12, 15, 1},
		{"others wrote before them", 9, 15, -1},
		{"others wrote since", 10, 16, -1},
		{"an entry within one", 11, 15, -1},
	} {
		made, known := h.between(c.after, c.last)
		if known != (c.want >= 0) || known && len(made) != c.want {
			t.Errorf("%s: got %d memories, %v; want %d", c.name, len(made), known, c.want)
		}
	}
	failed := save(15, 17)
	h.begin(failed)
	h.end(failed, false)
	if _, known := h.between(15, 17); known {
		t.Error("a save that was rolled back is known")
	}
	h.begin(save(20, 21)) // others wrote from 16 to 20
	if _, known := h.between(10, 15); known {
		t.Error("saves are kept beyond writes of others")
	}
	for n := range int64(3 * mostSaves) {
		s := save(21+n, 22+n)
		h.begin(s)
		h.end(s, true)
	}
	if len(h.saves) != mostSaves {
		t.Errorf("%d saves are kept, want %d", len(h.saves), mostSaves)
	}
}
