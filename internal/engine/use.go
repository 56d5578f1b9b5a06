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

// showing is what one verb showed to one session.
type showing struct {
	verb    string
	query   string
	session engram.Session
	items   []shownItem // best first; empty: nothing was shown
	// fallback says that a channel could not answer, or that nothing was asked; found that
	// there was something, though it was not shown again.
	fallback, found bool
}

type shownItem struct {
	memory engram.Memory
	tokens int
}

// remember writes down what was shown, and counts the accesses, in a transaction of its
// own after the answer was made. It never fails the read: what went wrong is told in the
// answer. Without a session nothing but accesses is remembered.
func (e *Engine) remember(ctx context.Context, s showing) (degraded []string) {
	if s.session.ID == "" && !lifecycle.Reinforces(s.verb) {
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
		return []string{"that it was read could not be counted: " + messageOf(err)}
	}
	return []string{fmt.Sprintf("what session %q was shown could not be remembered: %s", s.session.ID, messageOf(err))}
}

// rememberAt is remember in a transaction, of a showing whose query has no secrets.
func (e *Engine) rememberAt(ctx context.Context, tx engram.Tx, s showing, at time.Time) error {
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
	ctx := engram.Impatient(context.WithoutCancel(asked), e.patience)
	if until, bounded := asked.Deadline(); bounded && asked.Err() == nil {
		return context.WithDeadline(ctx, until)
	}
	return context.WithCancel(ctx)
}

// countAccesses counts what was shown as accessed, as far as it counts. It comes before
// the uses of this showing are written, which would look like an earlier one.
func (e *Engine) countAccesses(ctx context.Context, tx engram.Tx, s showing, at time.Time) error {
	if !lifecycle.Reinforces(s.verb) || len(s.items) == 0 {
		return nil
	}
	nums := s.nums()
	again := map[int64]bool{}
	if s.session.ID != "" {
		before, err := tx.ShownBy(ctx, s.session.ID, lifecycle.AccessVerbs(), nums)
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
func (e *Engine) accessed(ms []engram.Memory, s showing, again map[int64]bool, at time.Time) (nums []int64) {
	if !lifecycle.Reinforces(s.verb) {
		return nil
	}
	for _, m := range ms {
		if lifecycle.Accesses(m, s.session.ID, again[m.Num], at, e.policy) {
			nums = append(nums, m.Num)
		}
	}
	return nums
}

func (s showing) memories() []engram.Memory {
	ms := make([]engram.Memory, len(s.items))
	for i, item := range s.items {
		ms[i] = item.memory
	}
	return ms
}

// nums are the memories of a showing, by number.
func (s showing) nums() []int64 {
	nums := make([]int64, len(s.items))
	for i, item := range s.items {
		nums[i] = item.memory.Num
	}
	return nums
}

// only are the items of some memories alone.
func (s showing) only(nums []int64) []shownItem {
	return slices.DeleteFunc(slices.Clone(s.items), func(i shownItem) bool { return !slices.Contains(nums, i.memory.Num) })
}

// uses are the showing as the store keeps it; none without a session.
func (s showing) uses(at time.Time) []engram.Use {
	if s.session.ID == "" {
		return nil
	}
	query := render.Preview(s.query, maxUseQuery)
	use := func(project string) engram.Use {
		return engram.Use{At: at, SessionID: s.session.ID, Project: project, Verb: s.verb, Query: query, Fallback: s.fallback}
	}
	uses := make([]engram.Use, len(s.items))
	for i, item := range s.items {
		uses[i] = use(item.memory.Project)
		uses[i].Memory, uses[i].Rank, uses[i].Tokens = item.memory.Num, i+1, item.tokens
	}
	if len(uses) == 0 {
		nothing := use(s.session.Project)
		if s.found {
			nothing.Rank = 1
		}
		return []engram.Use{nothing}
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
func shownBy(verb string, found engram.Found, tokens func(engram.Memory) int) showing {
	s := showing{verb: verb, query: found.Query, fallback: found.Query == "" || len(found.Degraded) > 0}
	for _, h := range found.Hits {
		s.items = append(s.items, shownItem{h.Memory, tokens(h.Memory)})
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
	_, err = e.rememberIn(ctx, session, showing{verb: useGet, items: []shownItem{{d.Memory, wholeTokens(d.Memory)}}})
	return d, err
}

// rememberIn is remember for a session by its id.
func (e *Engine) rememberIn(ctx context.Context, session string, s showing) (degraded []string, err error) {
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
