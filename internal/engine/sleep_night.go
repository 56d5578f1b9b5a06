package engine

import (
	"context"
	"encoding/json"
	"time"

	"github.com/alanbuscaglia/engram"
)

// nightFact is what is known of the last night: a store has one, whatever number of
// processes serve it.
type nightFact struct {
	Due   int64 `json:"due"`   // milliseconds since 1970
	Begun int64 `json:"begun"` // when somebody began to sleep
	Done  bool  `json:"done"`
}

const nightName = "sleep-night"

// nightLease is how long a night that was begun and not ended is left to who began it: a
// process that was stopped meanwhile never ends it.
const nightLease = time.Hour

// SleepNight sleeps in every project, unless another process does or did for the night
// that was due at due, or a later one. slept says whether it did.
//
// On a store that never had a night, the one that is due counts as slept: who asks for
// sleep at night does not mean at once. One that is late, because no process was there, is
// made up for.
func (e *Engine) SleepNight(ctx context.Context, due time.Time) (res Slept, slept bool, err error) {
	mine, err := e.claimNight(ctx, due)
	if err != nil || !mine {
		return res, false, err
	}
	if res, err = e.Sleep(ctx, SleepInput{}); err != nil {
		return res, false, err
	}
	return res, true, e.store.Update(ctx, func(tx engram.Tx) error {
		return putNight(ctx, tx, nightFact{Due: due.UnixMilli(), Begun: e.now().UnixMilli(), Done: true})
	})
}

// claimNight reports whether the night is this process's to sleep.
func (e *Engine) claimNight(ctx context.Context, due time.Time) (mine bool, err error) {
	// Mostly it is somebody else's, which is seen without keeping other writers waiting.
	taken := false
	err = e.store.View(ctx, func(r engram.Reader) (err error) {
		_, taken, err = e.nightTaken(ctx, r, due)
		return err
	})
	if err != nil || taken {
		return false, err
	}
	err = e.store.Update(ctx, func(tx engram.Tx) error {
		known, taken, err := e.nightTaken(ctx, tx, due)
		if err != nil || taken {
			return err
		}
		mine = known
		return putNight(ctx, tx, nightFact{Due: due.UnixMilli(), Begun: e.now().UnixMilli(), Done: !known})
	})
	return mine, err
}

// nightTaken reports whether there ever was a night, and whether the one that is due was
// slept or is being slept.
func (e *Engine) nightTaken(ctx context.Context, r engram.Reader, due time.Time) (known, taken bool, err error) {
	text, err := r.Fact(ctx, nightName)
	if err != nil {
		return false, false, err
	}
	var f nightFact
	if text == "" || json.Unmarshal([]byte(text), &f) != nil {
		return false, false, nil
	}
	now := e.now()
	if time.UnixMilli(f.Due).After(now.Add(24 * time.Hour)) {
		return false, false, nil // noted by a clock that was ahead: every night until then would be taken
	}
	begun := now.Sub(time.UnixMilli(f.Begun)).Abs() // a clock that was set back does not keep it for ever
	return true, f.Due > due.UnixMilli() || f.Due == due.UnixMilli() && (f.Done || begun < nightLease), nil
}

func putNight(ctx context.Context, tx engram.Tx, f nightFact) error {
	text, err := json.Marshal(f)
	if err != nil {
		return err
	}
	return tx.PutFact(ctx, nightName, string(text))
}
