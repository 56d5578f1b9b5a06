package engine

import (
	"context"
	"slices"
	"time"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/render"
	"github.com/alanbuscaglia/engram/internal/text"
)

// BriefInput says which session begins, or has lost what it knew.
type BriefInput struct {
	Project   string // already decided; "" tells only what is of every project
	SessionID string // made if it does not exist; "" is none
	Directory string // of a session that is made
	Budget    int    // tokens of the whole text; 0 is BriefBudget, at most MaxBrief
	// Again tells what the session was shown before once more, and what it has saved: its
	// context was compacted.
	Again bool
	// Told are memories, by number, that the caller knows to have been told, though the store
	// may not; with Again they are told all the same.
	Told []int64
	// Tell, where it is given, is called before anything is written, also when there is nothing
	// to tell: what it says was told is what the Brief has, and what is remembered.
	Tell Teller
}

// The budgets of what a session is told unasked when it begins, in tokens.
const (
	BriefBudget = 1_500
	MaxBrief    = 2_000
)

// Brief is what a session is told when it begins.
type Brief struct {
	Text     string // to be put before the agent; "" when there is nothing to say
	Tokens   int    // what Text costs, about; never more than the budget
	Memories []engram.Memory
	Waiting  int // memories of the project that wait for a person to look at them; at most waitingMost
	Withheld int // memories that would have been told, were they approved
	// Degraded names what could not be written, with the reason.
	Degraded []string
}

// How much a brief tells.
const (
	briefMemories = 24
	briefNewest   = 64 // are looked at in any case
	briefLasting  = 14 // of these, preferences and the like, whatever their age
	briefLearned  = 8  // and of what was learned of late
	briefWeighed  = 60 // of the best are asked whether they may be told,
	briefSpare    = 8  // until so many more may than are told: some do not fit, or are like others
	briefLine     = 60 // tokens of a memory
	briefSaved    = 20 // memories that the session itself saved
	waitingMost   = 100
)

// Brief makes the session if need be and returns what it should know: what was done last,
// what holds for all work, what was learned of late, of its project and of its person; the
// memories that are worth most (retrieval.Worth), and of those only what may be told unasked.
// A project without memories is told nothing.
//
// It reads first: what cannot be written, because another process writes, is named in
// Degraded. Invalid input is CodeInvalid.
func (e *Engine) Brief(ctx context.Context, in BriefInput) (Brief, error) {
	begun := e.tally.begin()
	out, s, err := e.brief(ctx, in)
	if err != nil || len(s.items) > 0 { // silence is what is meant, not a search that found nothing
		e.tally.read(begun, in.Project, s, err)
	}
	return out, err
}

func (e *Engine) brief(ctx context.Context, in BriefInput) (Brief, showing, error) {
	s := showing{verb: useContext}
	if err := (raw{{"session id", in.SessionID}, {"project", in.Project}, {"directory", in.Directory}}).check(); err != nil {
		return Brief{}, s, err
	}
	var err error
	if in.Budget, err = limited("budget", in.Budget, BriefBudget, MaxBrief); err != nil {
		return Brief{}, s, err
	}
	in.Project, in.SessionID = normalProject(in.Project), line(in.SessionID)
	b := &briefing{Engine: e, in: in, now: e.Now(), rest: in.Budget}
	if err := e.store.View(ctx, func(r engram.Reader) error { return b.read(ctx, r) }); err != nil {
		return Brief{}, s, err
	}
	b.tellAnchors(ctx)
	b.tell()
	s.items = b.shown
	if in.Tell == nil || !b.hand(ctx, &s) {
		b.keep(ctx, &s)
	}
	return b.out, s, nil
}

// keep makes the session that was shown the brief, if no claim has made it, and remembers that: in
// one transaction, for each waits for the disk.
func (b *briefing) keep(ctx context.Context, s *showing) {
	if s.session.ID == "" {
		ctx, cancel := b.waiting(ctx)
		defer cancel()
		if err := b.start(ctx, s, s.items); err != nil {
			b.out.Degraded = append(b.out.Degraded, "the session could not be written: "+messageOf(err))
		}
	} else if len(s.items) > 0 {
		b.out.Degraded = append(b.out.Degraded, b.remember(ctx, *s)...)
	}
}

// start makes the session that a brief is of, once, and remembers that it was shown some items.
func (b *briefing) start(ctx context.Context, s *showing, items []shownItem) error {
	if b.in.SessionID == "" || b.in.Project == "" || s.session.ID != "" {
		return nil
	}
	in := SessionInput{ID: b.in.SessionID, Project: b.in.Project, Directory: b.in.Directory}
	started, err := b.startSession(ctx, in, func(o *op, session engram.Session) error {
		if len(items) == 0 {
			return nil
		}
		return b.rememberAt(ctx, o.tx, showing{verb: s.verb, session: session, items: items}, o.at)
	})
	if err == nil {
		s.session = started
	}
	return err
}

// hand gives the brief to whoever tells it, and keeps of it what was told. It reports whether
// the store knows that already.
func (b *briefing) hand(ctx context.Context, s *showing) (claimed bool) {
	h := b.handOver(ctx, b.in.Tell, s, b.in.Again, b.textOf, func() error { return b.start(ctx, s, nil) })
	b.out.Memories = slices.DeleteFunc(b.out.Memories, func(m engram.Memory) bool { return !slices.Contains(h.nums, m.Num) })
	b.out.Text = ""
	if h.told {
		b.out.Text = b.textOf(h.nums)
	}
	b.out.Tokens = text.Tokens(b.out.Text)
	return h.claimed
}

// briefing is a brief in the making.
type briefing struct {
	*Engine
	in      BriefInput
	now     time.Time
	out     Brief
	earlier render.Earlier  // what the session before came to; without Text there is none
	saved   []engram.Memory // in this session, newest first
	worth   []engram.Memory // best first
	notes   engram.Notes
	shown   []shownItem
	told    []toldLine // of what was shown
	frame   render.Brief
	rest    int // tokens
}
