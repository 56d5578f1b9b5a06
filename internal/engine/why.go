package engine

import (
	"context"

	"github.com/alanbuscaglia/engram"
)

// Account tells what a session was shown.
type Account struct {
	Session engram.Session
	Uses    []Shown // oldest first
	Tokens  int     // of all of them
}

// Shown is one use with the memory that was shown.
type Shown struct {
	engram.Use
	// Title and Type are those of now; "" when nothing was found, or it was erased.
	Title string
	Type  engram.Type
	// Gone says that the memory was forgotten or erased since. Of an erased one the
	// number and the question are gone too.
	Gone bool
}

// Why tells what was shown in a session: when, by which verb, for which question, at
// what cost; as far as it is still remembered. A session that does not exist is
// not_found.
func (e *Engine) Why(ctx context.Context, session string) (Account, error) {
	var a Account
	err := e.store.View(ctx, func(r engram.Reader) error {
		var err error
		if a.Session, err = r.Session(ctx, line(session)); err != nil {
			return err
		}
		uses, err := usesOf(ctx, r, a.Session.ID)
		if err != nil {
			return err
		}
		a.Uses, err = withMemories(ctx, r, uses)
		return err
	})
	if err != nil {
		return Account{}, err
	}
	for _, u := range a.Uses {
		a.Tokens += u.Tokens
	}
	return a, nil
}

// usesOf reads every use of a session, page by page.
func usesOf(ctx context.Context, r engram.Reader, session string) (all []engram.Use, err error) {
	const page = 1000
	for {
		us, err := r.Uses(ctx, session, engram.Page{Limit: page, Offset: len(all)})
		all = append(all, us...)
		if err != nil || len(us) < page {
			return all, err
		}
	}
}

func withMemories(ctx context.Context, r engram.Reader, uses []engram.Use) ([]Shown, error) {
	var nums []int64
	known := map[int64]engram.Memory{}
	for _, u := range uses {
		if _, listed := known[u.Memory]; !listed && u.Memory != 0 {
			known[u.Memory] = engram.Memory{}
			nums = append(nums, u.Memory)
		}
	}
	ms, err := r.Memories(ctx, nums)
	if err != nil {
		return nil, err
	}
	for _, m := range ms {
		known[m.Num] = m
	}
	shown := make([]Shown, len(uses))
	for i, u := range uses {
		m := known[u.Memory]
		// A use with a cost showed something: without a memory, it was erased.
		shown[i] = Shown{Use: u, Title: m.Title, Type: m.Type, Gone: m.Forgotten() || m.Num == 0 && u.Tokens > 0}
	}
	return shown, nil
}
