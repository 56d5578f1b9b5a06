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

// The verbs that show memories, as uses name them.
const (
	useSearch  = "search"
	useRecall  = "recall"
	useContext = "context"
	useGet     = "get"
	useRemind  = "remind" // beside a prompt, a file or an error: unasked, and no access
)

const (
	// readPatience is how long a read waits for its uses to be written: the answer matters,
	// and whoever holds the lock may hold it long.
	readPatience = 100 * time.Millisecond
	// maxUseQuery is how many characters of a question are remembered.
	maxUseQuery = 300
)

// exposure is what one verb showed to one session.
type exposure struct {
	operation string
	query     string
	session   engram.Session
	items     []exposedItem // best first; empty: nothing was shown
	// fallback says that a channel could not answer, or that nothing was asked; found that
	// there was something, though it was not shown again.
	fallback, found bool
}

type exposedItem struct {
	memory engram.Memory
	tokens int
}

// remember writes down what was shown, and counts the accesses, in a transaction of its
// own after the answer was made. It never fails the read: what went wrong is told in the
// answer. Without a session nothing but accesses is remembered.
func (e *Engine) remember(ctx context.Context, s exposure) (degraded []string) {
	if s.session.ID == "" && !lifecycle.Reinforces(s.operation) {
		return nil
	}
	at := e.now()
	if s.session.ID == "" && len(e.accessed(s.memories(), s, nil, at)) == 0 {
		return nil // read within the hour: no lock is taken
	}
	s.query = e.CleanText(s.query) // before the transaction: every other writer waits for that
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

// rememberAt is remember in a transaction, of a showing whose query has no secrets.
func (e *Engine) rememberAt(ctx context.Context, tx engram.Tx, s exposure, at time.Time) error {
	if err := e.countAccesses(ctx, tx, s, at); err != nil {
		return err
	}
	uses := s.uses(at)
	if len(uses) == 0 {
		return nil
	}
	return tx.AppendUses(ctx, uses)
}

// waiting is ctx for what is written after the answer was made, while others write. Whoever
// asked has that already: leaving now does not undo that it was shown. But who said until when
// he waits is not kept waiting longer.
func (e *Engine) waiting(asked context.Context) (context.Context, context.CancelFunc) {
	ctx := engram.WithLockTimeout(context.WithoutCancel(asked), e.patience)
	if until, bounded := asked.Deadline(); bounded && asked.Err() == nil {
		return context.WithDeadline(ctx, until)
	}
	return context.WithCancel(ctx)
}

// countAccesses counts what was shown as accessed, as far as it counts. It comes before
// the uses of this showing are written, which would look like an earlier one.
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
		for _, num := range before {
			again[num] = true
		}
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

// accessed are those of the memories whose showing counts; again are those that the
// session was shown before.
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
	ms := make([]engram.Memory, len(s.items))
	for i, item := range s.items {
		ms[i] = item.memory
	}
	return ms
}

// nums are the memories of a showing, by number.
func (s exposure) nums() []int64 {
	nums := make([]int64, len(s.items))
	for i, item := range s.items {
		nums[i] = item.memory.Num
	}
	return nums
}

// only are the items of some memories alone.
func (s exposure) only(nums []int64) []exposedItem {
	return slices.DeleteFunc(slices.Clone(s.items), func(i exposedItem) bool { return !slices.Contains(nums, i.memory.Num) })
}

// uses are the showing as the store keeps it; none without a session.
func (s exposure) uses(at time.Time) []engram.Exposure {
	if s.session.ID == "" {
		return nil
	}
	query := render.Preview(s.query, maxUseQuery)
	use := func(project string) engram.Exposure {
		return engram.Exposure{At: at, SessionID: s.session.ID, Project: project, Operation: s.operation, Query: query, Fallback: s.fallback}
	}
	uses := make([]engram.Exposure, len(s.items))
	for i, item := range s.items {
		uses[i] = use(item.memory.Project)
		uses[i].Memory, uses[i].Rank, uses[i].Tokens = item.memory.Num, i+1, item.tokens
	}
	if len(uses) == 0 {
		nothing := use(s.session.Project)
		if s.found {
			nothing.Rank = 1
		}
		return []engram.Exposure{nothing}
	}
	return uses
}

func messageOf(err error) string {
	if engram.CodeOf(err) == engram.CodeUnavailable || engram.CodeOf(err) == engram.CodeNotFound {
		return err.Error()
	}
	return "the database did not take it"
}

// inSession returns the session that asks, and says so when it is not known: then
// nothing is remembered. Without an id nobody asks, and nothing is said.
func inSession(ctx context.Context, r engram.Reader, id string) (s engram.Session, degraded []string, err error) {
	if id = line(id); id == "" {
		return s, nil, nil
	}
	s, err = r.Session(ctx, id)
	if engram.CodeOf(err) == engram.CodeNotFound {
		return engram.Session{}, []string{fmt.Sprintf("session %q is not known: what it is shown is not remembered", render.Preview(id, engram.MaxName))}, nil
	}
	return s, nil, err
}

// seenIn returns the memories that a session was shown.
func seenIn(ctx context.Context, r engram.Reader, s engram.Session) (map[int64]bool, error) {
	if s.ID == "" {
		return nil, nil
	}
	nums, err := r.Shown(ctx, s.ID)
	seen := make(map[int64]bool, len(nums))
	for _, n := range nums {
		seen[n] = true
	}
	return seen, err
}

// SearchIn is Search in a session, which is remembered to have been shown the hits.
// A session that does not exist is told in Degraded; "" is none.
func (e *Engine) SearchIn(ctx context.Context, session string, in SearchInput) (engram.Found, error) {
	found, err := e.inFolderOf(ctx, session).Search(ctx, in)
	if err != nil || session == "" {
		return found, err
	}
	s := shownBy(useSearch, found, previewTokens)
	degraded, err := e.rememberIn(ctx, session, s)
	found.Degraded = append(found.Degraded, degraded...)
	return found, err
}

// SearchWhole is SearchIn for somebody who is given the memories whole: each hit counts as
// accessed, as those of Recall do. The hits are as they were before.
func (e *Engine) SearchWhole(ctx context.Context, session string, in SearchInput) (engram.Found, error) {
	begun := e.tally.begin()
	found, err := e.inFolderOf(ctx, session).find(ctx, in)
	s := shownBy(useRecall, found, wholeTokens)
	e.tally.read(begun, in.Filter.Project, s, err)
	if err != nil {
		return found, err
	}
	degraded, err := e.rememberIn(ctx, session, s)
	found.Degraded = append(found.Degraded, degraded...)
	return found, err
}

// shownBy is what a search has shown, at what cost each.
func shownBy(verb string, found engram.Found, tokens func(engram.Memory) int) exposure {
	s := exposure{operation: verb, query: found.Query, fallback: found.Query == "" || len(found.Degraded) > 0}
	for _, h := range found.Hits {
		s.items = append(s.items, exposedItem{h.Memory, tokens(h.Memory)})
	}
	return s
}

// wholeTokens is what a memory costs that is shown whole, about.
func wholeTokens(m engram.Memory) int { return text.Tokens(m.Title + "\n" + m.Content) }

// previewTokens is what a memory costs in a list of hits, about.
func previewTokens(m engram.Memory) int {
	return text.Tokens(m.Title + "\n" + render.Preview(m.Content, 300))
}

// GetIn is Get for somebody who reads the memory: that counts as an access. The session
// is remembered to have been shown it, if it exists; "" is none.
func (e *Engine) GetIn(ctx context.Context, session string, ref engram.Ref) (Detail, error) {
	d, err := e.inFolderOf(ctx, session).Get(ctx, ref)
	if err != nil {
		return d, err
	}
	_, err = e.rememberIn(ctx, session, exposure{operation: useGet, items: []exposedItem{{d.Memory, wholeTokens(d.Memory)}}})
	return d, err
}

// rememberIn is remember for a session by its id.
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

// Injection is what is about to be told to a session that did not ask. Others may be about to
// tell it the same: whoever tells makes it his own before, in whatever they all look at.
type Injection struct {
	Nums []int64 // its memories, best first; of a brief there may be none
	// Text is how it reads with some of Nums alone; "" when nothing is left to say.
	Text func(mine []int64) string
	// Claim writes down in the store that the session was told some of Nums, and returns those
	// that nobody has told it before. It is for who has no better place: it takes the lock of
	// the store, for which it waits no longer than Options.Patience. An error says that nothing
	// was written.
	Claim func(nums []int64) (mine []int64, err error)
}

// Injector tells, and returns what of Telling.Nums was told. told is false where nothing was,
// such as when the time was over; then it is not remembered to have been shown.
type Injector func(Injection) (nums []int64, told bool)

// handed is what became of a Telling.
type handed struct {
	nums    []int64
	told    bool
	claimed bool // in the store, where nothing is left to be remembered
}

// handOver gives what was found to a teller. before is what has to be in the store first.
func (e *Engine) handOver(ctx context.Context, report Injector, s *exposure, again bool, text func([]int64) string, before func() error) (h handed) {
	t := Injection{Nums: s.nums(), Text: text}
	t.Claim = func(nums []int64) ([]int64, error) {
		if err := before(); err != nil {
			return nil, err
		}
		mine, err := e.claim(ctx, *s, nums, again)
		h.claimed = err == nil
		return mine, err
	}
	h.nums, h.told = report(t)
	if !h.told {
		h.nums = nil
	}
	s.items = s.only(h.nums)
	return h
}

// claim remembers that some of what a session is shown was shown, in the transaction that
// looks whether it had been.
func (e *Engine) claim(ctx context.Context, s exposure, nums []int64, again bool) (mine []int64, err error) {
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

// Account tells what a session was shown.
type Account struct {
	Session engram.Session
	Uses    []Shown // oldest first
	Tokens  int     // of all of them
}

// Shown is one use with the memory that was shown.
type Shown struct {
	engram.Exposure
	// Title and Type are those of now; "" when nothing was found, or it was erased.
	Title string
	Type  engram.Type
	// Deleted says that the memory was forgotten or erased since. Of an erased one the
	// number and the question are gone too.
	Deleted bool
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
func usesOf(ctx context.Context, r engram.Reader, session string) (all []engram.Exposure, err error) {
	const page = 1000
	for {
		us, err := r.Uses(ctx, session, engram.Page{Limit: page, Offset: len(all)})
		all = append(all, us...)
		if err != nil || len(us) < page {
			return all, err
		}
	}
}

func withMemories(ctx context.Context, r engram.Reader, uses []engram.Exposure) ([]Shown, error) {
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
		shown[i] = Shown{Exposure: u, Title: m.Title, Type: m.Type, Deleted: m.Forgotten() || m.Num == 0 && u.Tokens > 0}
	}
	return shown, nil
}
