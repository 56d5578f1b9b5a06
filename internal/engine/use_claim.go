package engine

import (
	"context"
	"slices"

	"github.com/alanbuscaglia/engram"
)

// Telling is what is about to be told to a session that did not ask. Others may be about to
// tell it the same: whoever tells makes it his own before, in whatever they all look at.
type Telling struct {
	Nums []int64 // its memories, best first; of a brief there may be none
	// Text is how it reads with some of Nums alone; "" when nothing is left to say.
	Text func(mine []int64) string
	// Claim writes down in the store that the session was told some of Nums, and returns those
	// that nobody has told it before. It is for who has no better place: it takes the lock of
	// the store, for which it waits no longer than Options.Patience. An error says that nothing
	// was written.
	Claim func(nums []int64) (mine []int64, err error)
}

// Teller tells, and returns what of Telling.Nums was told. told is false where nothing was,
// such as when the time was over; then it is not remembered to have been shown.
type Teller func(Telling) (nums []int64, told bool)

// handed is what became of a Telling.
type handed struct {
	nums    []int64
	told    bool
	claimed bool // in the store, where nothing is left to be remembered
}

// handOver gives what was found to a teller. before is what has to be in the store first.
func (e *Engine) handOver(ctx context.Context, tell Teller, s *showing, again bool, text func([]int64) string, before func() error) (h handed) {
	t := Telling{Nums: s.nums(), Text: text}
	t.Claim = func(nums []int64) ([]int64, error) {
		if err := before(); err != nil {
			return nil, err
		}
		mine, err := e.claim(ctx, *s, nums, again)
		h.claimed = err == nil
		return mine, err
	}
	h.nums, h.told = tell(t)
	if !h.told {
		h.nums = nil
	}
	s.items = s.only(h.nums)
	return h
}

// claim remembers that some of what a session is shown was shown, in the transaction that
// looks whether it had been.
func (e *Engine) claim(ctx context.Context, s showing, nums []int64, again bool) (mine []int64, err error) {
	if s.session.ID == "" {
		return nil, engram.Errorf(engram.CodeUnavailable, "a session that is not known cannot be told anything once")
	}
	s.query = e.CleanText(s.query)
	at := e.now()
	ctx, cancel := e.waiting(ctx)
	defer cancel()
	err = e.store.Update(ctx, func(tx engram.Tx) error {
		seen, err := seenIn(ctx, tx, s.session)
		if err != nil {
			return err
		}
		mine = slices.DeleteFunc(slices.Clone(nums), func(num int64) bool { return seen[num] && !again })
		of := s
		of.items = s.only(mine)
		if len(of.items) == 0 {
			return nil
		}
		return tx.AppendUses(ctx, of.uses(at))
	})
	return mine, err
}
