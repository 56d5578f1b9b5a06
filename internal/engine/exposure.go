package engine

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/lifecycle"
	"github.com/alanbuscaglia/engram/internal/render"
	"github.com/alanbuscaglia/engram/internal/text"
)

// Operations that show memories, as recorded in exposures.
const (
	opSearch  = "search"
	opRecall  = "recall"
	opContext = "context"
	opGet     = "get"
	opRemind  = "remind" // injected for a prompt, file or error; does not count as reading
)

const (
	// readPatience limits how long a read waits to record exposures: the answer matters more, and the lock may
	// be held long.
	readPatience = 100 * time.Millisecond
	// maxQuery is how many characters of a question are recorded.
	maxQuery = 300
)

// exposure is what one operation showed to one session.
type exposure struct {
	operation string
	query     string
	session   engram.Session
	items     []exposedItem // best first; may be empty
	// fallback: a channel failed, or nothing was asked; found: there were hits, though shown before.
	fallback, found bool
}

type exposedItem struct {
	memory engram.Memory
	tokens int
}

// remember records what was shown and counts accesses, in its own transaction after the answer was made. It
// never fails the read: the result reports errors. Without a session it only counts accesses.
func (e *Engine) remember(ctx context.Context, s exposure) (degraded []string) {
	if s.session.ID == "" && !lifecycle.Reinforces(s.operation) {
		return nil
	}
	at := e.now()
	if s.session.ID == "" && len(e.accessed(s.memories(), s, nil, at)) == 0 {
		return nil // read within the hour: nothing to write, no lock
	}
	s.query = e.CleanText(s.query) // before the transaction, which blocks other writers
	ctx, cancel := e.waiting(ctx)
	defer cancel()
	err := e.store.Update(ctx, func(tx engram.Tx) error { return e.rememberAt(ctx, tx, s, at) })
	switch {
	case err == nil:
		return nil
	case s.session.ID == "":
		return []string{"cannot record the read: " + messageOf(err)}
	}
	return []string{fmt.Sprintf("cannot record what session %q was shown: %s", s.session.ID, messageOf(err))}
}

// rememberAt is remember in a transaction, for an exposure with a redacted query.
func (e *Engine) rememberAt(ctx context.Context, tx engram.Tx, s exposure, at time.Time) error {
	if err := e.countAccesses(ctx, tx, s, at); err != nil {
		return err
	}
	exposures := s.exposures(at)
	if len(exposures) == 0 {
		return nil
	}
	return tx.AppendExposures(ctx, exposures)
}

// waiting returns a context for writes after an answer was made: it outlives the request, since the answer was
// shown, waits for the lock only as long as Options.Patience, and keeps the request's deadline.
func (e *Engine) waiting(asked context.Context) (context.Context, context.CancelFunc) {
	ctx := engram.WithLockTimeout(context.WithoutCancel(asked), e.patience)
	if until, bounded := asked.Deadline(); bounded && asked.Err() == nil {
		return context.WithDeadline(ctx, until)
	}
	return context.WithCancel(ctx)
}

// countAccesses counts reads that count. It runs before this exposure is recorded, which would look like an
// earlier one.
func (e *Engine) countAccesses(ctx context.Context, tx engram.Tx, s exposure, at time.Time) error {
	if !lifecycle.Reinforces(s.operation) || len(s.items) == 0 {
		return nil
	}
	nums := s.nums()
	again := map[int64]bool{}
	if s.session.ID != "" {
		before, err := tx.ExposedBy(ctx, s.session.ID, lifecycle.AccessOperations(), nums)
		if err != nil {
			return err
		}
		again = setOf(before)
	}
	now, err := tx.Memories(ctx, nums) // another process may have counted meanwhile
	if err != nil {
		return err
	}
	if nums = e.accessed(now, s, again, at); len(nums) == 0 {
		return nil
	}
	return tx.CountAccess(ctx, nums, at)
}

// accessed returns the memories whose reading counts; again are those shown to the session before.
func (e *Engine) accessed(ms []engram.Memory, s exposure, again map[int64]bool, at time.Time) (nums []int64) {
	if !lifecycle.Reinforces(s.operation) {
		return nil
	}
	for _, m := range ms {
		if lifecycle.Accesses(m, s.session.ID, again[m.Num], at, e.policy) {
			nums = append(nums, m.Num)
		}
	}
	return nums
}

func (s exposure) memories() []engram.Memory {
	return mapped(s.items, func(item exposedItem) engram.Memory { return item.memory })
}

func (s exposure) nums() []int64 {
	return mapped(s.items, func(item exposedItem) int64 { return item.memory.Num })
}

func (s exposure) only(nums []int64) []exposedItem {
	return slices.DeleteFunc(slices.Clone(s.items), func(i exposedItem) bool { return !slices.Contains(nums, i.memory.Num) })
}

// exposures returns the exposure as stored; none without a session.
func (s exposure) exposures(at time.Time) []engram.Exposure {
	if s.session.ID == "" {
		return nil
	}
	one := engram.Exposure{At: at, SessionID: s.session.ID, Project: s.session.Project, Operation: s.operation,
		Query: render.Preview(s.query, maxQuery), Fallback: s.fallback}
	if s.found {
		one.Rank = 1
	}
	if len(s.items) == 0 {
		return []engram.Exposure{one}
	}
	exposures := make([]engram.Exposure, len(s.items))
	for i, item := range s.items {
		one.Project, one.Memory, one.Rank, one.Tokens = item.memory.Project, item.memory.Num, i+1, item.tokens
		exposures[i] = one
	}
	return exposures
}

func messageOf(err error) string {
	if engram.CodeOf(err) == engram.CodeUnavailable || engram.CodeOf(err) == engram.CodeNotFound {
		return err.Error()
	}
	return "the database rejected it"
}

// inSession returns the asking session; degraded reports an unknown one, for which nothing is recorded. An
// empty id returns none.
func inSession(ctx context.Context, r engram.Reader, id string) (s engram.Session, degraded []string, err error) {
	if id = line(id); id == "" {
		return s, nil, nil
	}
	s, err = r.Session(ctx, id)
	if engram.CodeOf(err) == engram.CodeNotFound {
		return engram.Session{}, []string{fmt.Sprintf("session %q is unknown: what it is shown is not recorded", render.Preview(id, engram.MaxName))}, nil
	}
	return s, nil, err
}

// seenIn returns the memories shown to a session before.
func seenIn(ctx context.Context, r engram.Reader, s engram.Session) (map[int64]bool, error) {
	if s.ID == "" {
		return nil, nil
	}
	nums, err := r.Shown(ctx, s.ID)
	return setOf(nums), err
}

// SearchIn is Search in a session, and records the hits as shown there. Degraded reports an unknown session; ""
// for no session.
func (e *Engine) SearchIn(ctx context.Context, session string, in SearchInput) (engram.Found, error) {
	found, err := e.searchFrom(ctx, e.folderAsked(ctx, session), in)
	if err != nil || session == "" {
		return found, err
	}
	s := shownBy(opSearch, found, previewTokens)
	degraded, err := e.rememberIn(ctx, session, s)
	found.Degraded = append(found.Degraded, degraded...)
	return found, err
}

// SearchWhole is SearchIn for clients that receive whole memories: each hit counts as read, as in Recall. The
// returned hits have the state before.
func (e *Engine) SearchWhole(ctx context.Context, session string, in SearchInput) (engram.Found, error) {
	begun := e.tally.begin()
	found, err := e.find(ctx, e.folderAsked(ctx, session), in)
	s := shownBy(opRecall, found, wholeTokens)
	e.tally.read(begun, in.Filter.Project, s, err)
	if err != nil {
		return found, err
	}
	degraded, err := e.rememberIn(ctx, session, s)
	found.Degraded = append(found.Degraded, degraded...)
	return found, err
}

// shownBy returns the exposure of a search.
func shownBy(operation string, found engram.Found, tokens func(engram.Memory) int) exposure {
	s := exposure{operation: operation, query: found.Query, fallback: found.Query == "" || len(found.Degraded) > 0}
	for _, h := range found.Hits {
		s.items = append(s.items, exposedItem{h.Memory, tokens(h.Memory)})
	}
	return s
}

// wholeTokens estimates the cost of a memory shown whole.
func wholeTokens(m engram.Memory) int { return text.Tokens(m.Title + "\n" + m.Content) }

// previewTokens estimates the cost of a memory in a list of hits.
func previewTokens(m engram.Memory) int {
	return text.Tokens(m.Title + "\n" + render.Preview(m.Content, 300))
}

// GetIn is Get by a reader: it counts as read, and is recorded as shown in the session, if it exists; "" is
// none.
func (e *Engine) GetIn(ctx context.Context, session string, ref engram.Ref) (Detail, error) {
	d, err := e.getFrom(ctx, e.folderAsked(ctx, session), ref, time.Time{})
	if err != nil {
		return d, err
	}
	_, err = e.rememberIn(ctx, session, exposure{operation: opGet, items: []exposedItem{{d.Memory, wholeTokens(d.Memory)}}})
	return d, err
}

// rememberIn is remember for a session id.
func (e *Engine) rememberIn(ctx context.Context, session string, s exposure) (degraded []string, err error) {
	if session == "" {
		return e.remember(ctx, s), nil
	}
	err = e.store.View(ctx, func(r engram.Reader) (err error) {
		s.session, degraded, err = inSession(ctx, r, session)
		return err
	})
	if err != nil {
		return nil, err
	}
	return append(degraded, e.remember(ctx, s)...), nil
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

type delivery struct {
	nums    []int64
	given   bool
	claimed bool // recorded in the store already
}

// deliver passes an exposure to an injector; before runs first within a claim.
func (e *Engine) deliver(ctx context.Context, report Injector, s *exposure, again bool, text func([]int64) string, before func() error) (h delivery) {
	t := Injection{Nums: s.nums(), Text: text}
	t.Claim = func(nums []int64) ([]int64, error) {
		if err := before(); err != nil {
			return nil, err
		}
		mine, err := e.claim(ctx, *s, nums, again)
		h.claimed = err == nil
		return mine, err
	}
	h.nums, h.given = report(t)
	if !h.given {
		h.nums = nil
	}
	s.items = s.only(h.nums)
	return h
}

// claim records an exposure of the memories not shown before, checked in the same transaction.
func (e *Engine) claim(ctx context.Context, s exposure, nums []int64, again bool) (mine []int64, err error) {
	if s.session.ID == "" {
		return nil, engram.Errorf(engram.CodeUnavailable, "cannot claim memories for an unknown session")
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
		return tx.AppendExposures(ctx, of.exposures(at))
	})
	return mine, err
}

// Account lists what a session was shown.
type Account struct {
	Session   engram.Session
	Exposures []Shown // oldest first
	Tokens    int     // total
}

// Shown is an exposure with its memory.
type Shown struct {
	engram.Exposure
	// Title and Type are current; "" if nothing was found or it was erased.
	Title string
	Type  engram.Type
	// Deleted reports that the memory was forgotten or erased since. An erased one has lost its number and
	// question too.
	Deleted bool
}

// Why lists what was shown in a session: when, by which operation, for which question, at what cost; as far as
// it is kept. An unknown session is not_found.
func (e *Engine) Why(ctx context.Context, session string) (Account, error) {
	return view(ctx, e, func(r engram.Reader) (a Account, err error) {
		if a.Session, err = r.Session(ctx, line(session)); err != nil {
			return a, err
		}
		exposures, err := exposuresOf(ctx, r, a.Session.ID)
		if err != nil {
			return a, err
		}
		a.Exposures, err = withMemories(ctx, r, exposures)
		for _, u := range a.Exposures {
			a.Tokens += u.Tokens
		}
		return a, err
	})
}

func exposuresOf(ctx context.Context, r engram.Reader, session string) (all []engram.Exposure, err error) {
	const page = 1000
	for {
		us, err := r.Exposures(ctx, session, engram.Page{Limit: page, Offset: len(all)})
		all = append(all, us...)
		if err != nil || len(us) < page {
			return all, err
		}
	}
}

func withMemories(ctx context.Context, r engram.Reader, exposures []engram.Exposure) ([]Shown, error) {
	nums := mapped(exposures, func(u engram.Exposure) int64 { return u.Memory })
	slices.Sort(nums)
	ms, err := r.Memories(ctx, slices.Compact(nums))
	if err != nil {
		return nil, err
	}
	known := byNum(ms)
	return mapped(exposures, func(u engram.Exposure) Shown {
		m := known[u.Memory]
		// An exposure with a cost showed something: without a memory, it was erased.
		return Shown{Exposure: u, Title: m.Title, Type: m.Type, Deleted: m.Forgotten() || m.Num == 0 && u.Tokens > 0}
	}), nil
}
