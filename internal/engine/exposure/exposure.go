// Package exposure records what was shown to whom: which memories a session saw and by which operation (exposures,
// from which use and reinforcement come), and how often memory was asked and knew (Tally).
package exposure

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/engine/ledger"
	"github.com/alanbuscaglia/engram/internal/engine/screen"
	"github.com/alanbuscaglia/engram/internal/engine/walk"
	"github.com/alanbuscaglia/engram/internal/lifecycle"
	"github.com/alanbuscaglia/engram/internal/render"
	"github.com/alanbuscaglia/engram/internal/text"
)

// Recorder records what callers were shown. It is safe for concurrent use.
type Recorder struct {
	ledger *ledger.Ledger
	screen *screen.Screen

	Tally   *Tally       // counts reads; nil: only saves are counted
	collect func() error // adds the counters that other processes left behind to Tally; nil: none
}

// New returns a Recorder; tally counts reads, nil for only saves, and collect, if not nil, adds the counters that other
// processes left behind to it.
func New(l *ledger.Ledger, tally *Tally, collect func() error) *Recorder {
	return &Recorder{screen: l.Screen, ledger: l, Tally: tally, collect: collect}
}

// Operations that show memories, as recorded in exposures.
const (
	OpSearch  = "search"
	OpRecall  = "recall"
	OpContext = "context"
	OpGet     = "get"
	OpRemind  = "remind" // injected for a prompt, file or error; does not count as reading
)

// maxQuery is how many characters of a question are recorded.
const maxQuery = 300

// Exposure is what one operation showed to one session.
type Exposure struct {
	Operation string
	Query     string
	Session   engram.Session
	Items     []Item // best first; may be empty
	// fallback: a channel failed, or nothing was asked; found: there were hits, though shown before.
	Fallback, Found bool
}

// Item is one memory shown, and its cost in tokens.
type Item struct {
	Memory engram.Memory
	Tokens int
}

// Record records what was shown and counts accesses, in its own transaction after the answer was made. It
// never fails the read: the result reports errors. Without a session it only counts accesses.
func (x *Recorder) Record(ctx context.Context, s Exposure) (degraded []string) {
	if s.Session.ID == "" && !lifecycle.Reinforces(s.Operation) {
		return nil
	}
	at := x.ledger.Now()
	if s.Session.ID == "" && len(x.accessed(s.memories(), s, nil, at)) == 0 {
		return nil // read within the hour: nothing to write, no lock
	}
	s.Query = x.screen.CleanText(s.Query) // before the transaction, which blocks other writers
	ctx, cancel := x.Waiting(ctx)
	defer cancel()
	err := x.ledger.Update(ctx, func(tx engram.Tx) error { return x.RecordAt(ctx, tx, s, at) })
	switch {
	case err == nil:
		return nil
	case s.Session.ID == "":
		return []string{"cannot record the read: " + MessageOf(err)}
	}
	return []string{fmt.Sprintf("cannot record what session %q was shown: %s", s.Session.ID, MessageOf(err))}
}

// RecordAt is remember in a transaction, for an exposure with a redacted query.
func (x *Recorder) RecordAt(ctx context.Context, tx engram.Tx, s Exposure, at time.Time) error {
	if err := x.countAccesses(ctx, tx, s, at); err != nil {
		return err
	}
	exposures := s.exposures(at)
	if len(exposures) == 0 {
		return nil
	}
	return tx.RecordUse(ctx, engram.Use{Exposures: exposures})
}

// Waiting returns a context for writes after an answer was made: it outlives the request, since the answer was
// shown, waits for the lock only as long as Options.Patience, and keeps the request's deadline.
func (x *Recorder) Waiting(asked context.Context) (context.Context, context.CancelFunc) {
	ctx := engram.WithLockTimeout(context.WithoutCancel(asked), x.ledger.Patience)
	if until, bounded := asked.Deadline(); bounded && asked.Err() == nil {
		return context.WithDeadline(ctx, until)
	}
	return context.WithCancel(ctx)
}

// countAccesses counts reads that count. It runs before this exposure is recorded, which would look like an
// earlier one.
func (x *Recorder) countAccesses(ctx context.Context, tx engram.Tx, s Exposure, at time.Time) error {
	if !lifecycle.Reinforces(s.Operation) || len(s.Items) == 0 {
		return nil
	}
	nums := s.Nums()
	again := map[int64]bool{}
	if s.Session.ID != "" {
		before, err := tx.Shown(ctx, s.Session.ID, lifecycle.AccessOperations(), nums)
		if err != nil {
			return err
		}
		again = walk.SetOf(before)
	}
	now, err := tx.Memories(ctx, nums) // another process may have counted meanwhile
	if err != nil {
		return err
	}
	if nums = x.accessed(now, s, again, at); len(nums) == 0 {
		return nil
	}
	return tx.RecordUse(ctx, engram.Use{Accessed: nums, At: at})
}

// accessed returns the memories whose reading counts; again are those shown to the session before.
func (x *Recorder) accessed(ms []engram.Memory, s Exposure, again map[int64]bool, at time.Time) (nums []int64) {
	if !lifecycle.Reinforces(s.Operation) {
		return nil
	}
	for _, m := range ms {
		if lifecycle.Accesses(m, s.Session.ID, again[m.Num], at, x.ledger.Policy) {
			nums = append(nums, m.Num)
		}
	}
	return nums
}

func (s Exposure) memories() []engram.Memory {
	return walk.Mapped(s.Items, func(item Item) engram.Memory { return item.Memory })
}

// Nums returns the numbers of the memories shown.
func (s Exposure) Nums() []int64 {
	return walk.Mapped(s.Items, func(item Item) int64 { return item.Memory.Num })
}

func (s Exposure) only(nums []int64) []Item {
	return slices.DeleteFunc(slices.Clone(s.Items), func(i Item) bool { return !slices.Contains(nums, i.Memory.Num) })
}

// exposures returns the exposure as stored; none without a session.
func (s Exposure) exposures(at time.Time) []engram.Exposure {
	if s.Session.ID == "" {
		return nil
	}
	one := engram.Exposure{At: at, SessionID: s.Session.ID, Project: s.Session.Project, Operation: s.Operation,
		Query: render.Preview(s.Query, maxQuery), Fallback: s.Fallback}
	if s.Found {
		one.Rank = 1
	}
	if len(s.Items) == 0 {
		return []engram.Exposure{one}
	}
	exposures := make([]engram.Exposure, len(s.Items))
	for i, item := range s.Items {
		one.Project, one.Memory, one.Rank, one.Tokens = item.Memory.Project, item.Memory.Num, i+1, item.Tokens
		exposures[i] = one
	}
	return exposures
}

// MessageOf returns why something was not recorded, without what the database says of itself.
func MessageOf(err error) string {
	if engram.CodeOf(err) == engram.CodeUnavailable || engram.CodeOf(err) == engram.CodeNotFound {
		return err.Error()
	}
	return "the database rejected it"
}

// InSession returns the asking session; degraded reports an unknown one, for which nothing is recorded. An
// empty id returns none.
func InSession(ctx context.Context, r engram.Reader, id string) (s engram.Session, degraded []string, err error) {
	if id = screen.Line(id); id == "" {
		return s, nil, nil
	}
	s, err = r.Session(ctx, id)
	if engram.CodeOf(err) == engram.CodeNotFound {
		return engram.Session{}, []string{fmt.Sprintf("session %q is unknown: what it is shown is not recorded", render.Preview(id, engram.MaxName))}, nil
	}
	return s, nil, err
}

// SeenIn returns the memories shown to a session before.
func SeenIn(ctx context.Context, r engram.Reader, s engram.Session) (map[int64]bool, error) {
	if s.ID == "" {
		return nil, nil
	}
	nums, err := r.Shown(ctx, s.ID, nil, nil)
	return walk.SetOf(nums), err
}

// ShownBy returns the exposure of a search.
func ShownBy(operation string, found engram.Found, tokens func(engram.Memory) int) Exposure {
	s := Exposure{Operation: operation, Query: found.Query, Fallback: found.Query == "" || len(found.Degraded) > 0}
	for _, h := range found.Hits {
		s.Items = append(s.Items, Item{h.Memory, tokens(h.Memory)})
	}
	return s
}

// WholeTokens estimates the cost of a memory shown whole.
func WholeTokens(m engram.Memory) int { return text.Tokens(m.Title + "\n" + m.Content) }

// PreviewTokens estimates the cost of a memory in a list of hits.
func PreviewTokens(m engram.Memory) int {
	return text.Tokens(m.Title + "\n" + render.Preview(m.Content, 300))
}

// RecordIn is remember for a session id.
func (x *Recorder) RecordIn(ctx context.Context, session string, s Exposure) (degraded []string, err error) {
	if session == "" {
		return x.Record(ctx, s), nil
	}
	err = x.ledger.View(ctx, func(r engram.Reader) (err error) {
		s.Session, degraded, err = InSession(ctx, r, session)
		return err
	})
	if err != nil {
		return nil, err
	}
	return append(degraded, x.Record(ctx, s)...), nil
}

// Injection is about to be injected into a session. Other processes may be about to inject the same, so the
// injector claims it first in a place they share.
type Injection struct {
	Nums []int64 // memories, best first; may be empty for a brief
	// Text returns the text with only some of Nums; "" if nothing is left.
	Text func(mine []int64) string
	// Claim records in the store that the session was shown Nums, and returns those not shown before. It is for
	// injectors without a better place: it takes the store's lock and waits at most Options.Patience. With an
	// error nothing was written.
	Claim func(nums []int64) (mine []int64, err error)
}

// Injector shows an Injection and returns the shown part of its Nums. given is false if nothing was shown, for
// example because time ran out; then nothing is recorded.
type Injector func(Injection) (nums []int64, given bool)

// Delivery is the outcome of an injection.
type Delivery struct {
	Nums    []int64
	Given   bool
	Claimed bool // recorded in the store already
}

// Deliver passes an exposure to an injector; before runs first within a claim.
func (x *Recorder) Deliver(ctx context.Context, report Injector, s *Exposure, again bool, text func([]int64) string, before func() error) (h Delivery) {
	t := Injection{Nums: s.Nums(), Text: text}
	t.Claim = func(nums []int64) ([]int64, error) {
		if err := before(); err != nil {
			return nil, err
		}
		mine, err := x.claim(ctx, *s, nums, again)
		h.Claimed = err == nil
		return mine, err
	}
	h.Nums, h.Given = report(t)
	if !h.Given {
		h.Nums = nil
	}
	s.Items = s.only(h.Nums)
	return h
}

// claim records an exposure of the memories not shown before, checked in the same transaction.
func (x *Recorder) claim(ctx context.Context, s Exposure, nums []int64, again bool) (mine []int64, err error) {
	if s.Session.ID == "" {
		return nil, engram.Errorf(engram.CodeUnavailable, "cannot claim memories for an unknown session")
	}
	s.Query = x.screen.CleanText(s.Query)
	at := x.ledger.Now()
	ctx, cancel := x.Waiting(ctx)
	defer cancel()
	err = x.ledger.Update(ctx, func(tx engram.Tx) error {
		seen, err := SeenIn(ctx, tx, s.Session)
		if err != nil {
			return err
		}
		mine = slices.DeleteFunc(slices.Clone(nums), func(num int64) bool { return seen[num] && !again })
		of := s
		of.Items = s.only(mine)
		if len(of.Items) == 0 {
			return nil
		}
		return tx.RecordUse(ctx, engram.Use{Exposures: of.exposures(at)})
	})
	return mine, err
}
