package remember

import (
	"slices"
	"sync"

	"github.com/alanbuscaglia/engram/internal/contradiction"
)

// Shared is what the Writers on one store share. It is safe for concurrent use; the zero Shared is ready.
type Shared struct {
	texts contradiction.Reader

	mu    sync.Mutex
	saves []*ownSave // the newest, each following the one before it in the journal
}

// ownSave is a save of this process that only added memories: what another save that looked before it would read of
// it in the journal and the store.
type ownSave struct {
	after, last int64 // Seq of the newest journal entry before it, and of its own
	made        []recentMemory
	done        bool // was committed
}

// Limits of what is kept: eight writers see seven saves that they did not look at, and few memories each.
const (
	mostSaves = 32
	mostMade  = 4
)

// begin notes a save that is about to be committed.
func (h *Shared) begin(s *ownSave) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if n := len(h.saves); n > 0 && h.saves[n-1].last != s.after {
		h.saves = nil // others wrote since, or the last one failed
	} else if n == mostSaves {
		h.saves = slices.Delete(h.saves, 0, 1)
	}
	h.saves = append(h.saves, s)
}

// end notes whether a save was committed.
func (h *Shared) end(s *ownSave, done bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if s.done = done; !done {
		h.saves = slices.DeleteFunc(h.saves, func(o *ownSave) bool { return o.last >= s.last })
	}
}

// between returns the memories that were written by the journal entries after one up to another; known is false unless
// all of these are of saves that are kept.
func (h *Shared) between(after, last int64) (made []recentMemory, known bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, s := range h.saves {
		if s.after != after {
			continue
		}
		if !s.done {
			return nil, false
		}
		made, after = append(made, s.made...), s.last
	}
	return made, after == last
}
