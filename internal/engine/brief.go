package engine

import (
	"context"
	"slices"
	"time"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/gist"
	"github.com/alanbuscaglia/engram/internal/lifecycle"
	"github.com/alanbuscaglia/engram/internal/render"
	"github.com/alanbuscaglia/engram/internal/retrieval"
	"github.com/alanbuscaglia/engram/internal/text"
)

// SessionBriefInput says which session begins, or has lost what it knew.
type SessionBriefInput struct {
	Project   string // already decided; "" tells only what is of every project
	SessionID string // made if it does not exist; "" is none
	Directory string // of a session that is made
	Budget    int    // tokens of the whole text; 0 is BriefBudget, at most MaxBrief
	// Again tells what the session was shown before once more, and what it has saved: its
	// context was compacted.
	Again bool
	// Injected are memories, by number, that the caller knows to have been told, though the store
	// may not; with Again they are told all the same.
	Injected []int64
	// Inject, where it is given, is called before anything is written, also when there is nothing
	// to tell: what it says was told is what the Brief has, and what is remembered.
	Inject Injector
}

// The budgets of what a session is told unasked when it begins, in tokens.
const (
	BriefBudget = 1_500
	MaxBrief    = 2_000
)

// SessionBrief is what a session is told when it begins.
type SessionBrief struct {
	Text     string // to be put before the agent; "" when there is nothing to say
	Tokens   int    // what Text costs, about; never more than the budget
	Memories []engram.Memory
	Pending  int // memories of the project that wait for a person to look at them; at most pendingMost
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
	pendingMost   = 100
)

// Brief makes the session if need be and returns what it should know: what was done last,
// what holds for all work, what was learned of late, of its project and of its person; the
// memories that are worth most (retrieval.Worth), and of those only what may be told unasked.
// A project without memories is told nothing.
//
// It reads first: what cannot be written, because another process writes, is named in
// Degraded. Invalid input is CodeInvalid.
func (e *Engine) Brief(ctx context.Context, in SessionBriefInput) (SessionBrief, error) {
	begun := e.tally.begin()
	out, s, err := e.brief(ctx, in)
	if err != nil || len(s.items) > 0 { // silence is what is meant, not a search that found nothing
		e.tally.read(begun, in.Project, s, err)
	}
	return out, err
}

func (e *Engine) brief(ctx context.Context, in SessionBriefInput) (SessionBrief, exposure, error) {
	s := exposure{operation: useContext}
	if err := (raw{{"session id", in.SessionID}, {"project", in.Project}, {"directory", in.Directory}}).check(); err != nil {
		return SessionBrief{}, s, err
	}
	var err error
	if in.Budget, err = limited("budget", in.Budget, BriefBudget, MaxBrief); err != nil {
		return SessionBrief{}, s, err
	}
	in.Project, in.SessionID = normalProject(in.Project), line(in.SessionID)
	b := &briefBuilder{Engine: e, in: in, now: e.Now(), rest: in.Budget}
	if err := e.store.View(ctx, func(r engram.Reader) error { return b.read(ctx, r) }); err != nil {
		return SessionBrief{}, s, err
	}
	b.reportAnchors(ctx)
	b.report()
	s.items = b.shown
	if in.Inject == nil || !b.hand(ctx, &s) {
		b.keep(ctx, &s)
	}
	return b.out, s, nil
}

// keep makes the session that was shown the brief, if no claim has made it, and remembers that: in
// one transaction, for each waits for the disk.
func (b *briefBuilder) keep(ctx context.Context, s *exposure) {
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
func (b *briefBuilder) start(ctx context.Context, s *exposure, items []exposedItem) error {
	if b.in.SessionID == "" || b.in.Project == "" || s.session.ID != "" {
		return nil
	}
	in := SessionInput{ID: b.in.SessionID, Project: b.in.Project, Directory: b.in.Directory}
	started, err := b.startSession(ctx, in, func(o *op, session engram.Session) error {
		if len(items) == 0 {
			return nil
		}
		return b.rememberAt(ctx, o.tx, exposure{operation: s.operation, session: session, items: items}, o.at)
	})
	if err == nil {
		s.session = started
	}
	return err
}

// hand gives the brief to whoever tells it, and keeps of it what was told. It reports whether
// the store knows that already.
func (b *briefBuilder) hand(ctx context.Context, s *exposure) (claimed bool) {
	h := b.handOver(ctx, b.in.Inject, s, b.in.Again, b.textOf, func() error { return b.start(ctx, s, nil) })
	b.out.Memories = slices.DeleteFunc(b.out.Memories, func(m engram.Memory) bool { return !slices.Contains(h.nums, m.Num) })
	b.out.Text = ""
	if h.told {
		b.out.Text = b.textOf(h.nums)
	}
	b.out.Tokens = text.Tokens(b.out.Text)
	return h.claimed
}

// briefBuilder is a brief in the making.
type briefBuilder struct {
	*Engine
	in      SessionBriefInput
	now     time.Time
	out     SessionBrief
	earlier render.Earlier  // what the session before came to; without Text there is none
	saved   []engram.Memory // in this session, newest first
	worth   []engram.Memory // best first
	notes   engram.Notes
	shown   []exposedItem
	told    []briefLineItem // of what was shown
	frame   render.SessionBrief
	rest    int // tokens
}

// read reads what there is to tell.
func (b *briefBuilder) read(ctx context.Context, r engram.Reader) error {
	if p, known, err := r.Project(ctx, b.in.Project); err != nil {
		return err
	} else if known {
		b.in.Project = p.Name
	}
	ms, err := b.ofProject(ctx, r)
	if err != nil {
		return err
	}
	if err := b.before(ctx, r, ms); err != nil {
		return err
	}
	beyond, err := b.beyond(ctx, r)
	if err != nil {
		return err
	}
	ms = slices.DeleteFunc(slices.Concat(ms, beyond), func(m engram.Memory) bool { return m.Type == engram.TypeSessionSummary })
	if ms, err = byWorth(ctx, r, ms, b.now); err != nil {
		return err
	}
	if ms, err = b.unseen(ctx, r, ms); err != nil {
		return err
	}
	ms = lastingFirst(ms, briefLasting, briefLearned)
	if err := b.weigh(ctx, r, ms[:min(len(ms), briefWeighed)]); err != nil {
		return err
	}
	b.notes, err = notesOn(ctx, r, b.now, b.worth)
	return err
}

// lastingFirst puts the first so many memories that last before all others, and then the
// first so many of what was learned. Worth fades with age, and would tell the facts of the
// week rather than what the person asked for once and for all, which no prompt brings up;
// and where much holds for all work, nothing else would be told.
func lastingFirst(ms []engram.Memory, most, learned int) []engram.Memory {
	var first, then, rest []engram.Memory
	for _, m := range ms {
		switch {
		case len(first) < most && lasts(m):
			first = append(first, m)
		case len(then) < learned && !holds(m) && !lasts(m):
			then = append(then, m)
		default:
			rest = append(rest, m)
		}
	}
	return slices.Concat(first, then, rest)
}

// weigh keeps of memories those that may be told. To look through their texts is a tenth of what
// a start costs, and most of them would not be told for want of room.
func (b *briefBuilder) weigh(ctx context.Context, r engram.Reader, ms []engram.Memory) error {
	const enough = briefMemories + briefSpare
	for len(ms) > 0 && len(b.worth) < enough {
		n := min(len(ms), enough-len(b.worth))
		yes, withheld, err := b.injectable(ctx, r, ms[:n])
		if err != nil {
			return err
		}
		b.worth, b.out.Withheld, ms = append(b.worth, yes...), b.out.Withheld+withheld, ms[n:]
	}
	return nil
}

// ofProject are the memories of the project that may be worth telling, and how many wait for
// a person.
func (b *briefBuilder) ofProject(ctx context.Context, r engram.Reader) ([]engram.Memory, error) {
	if b.in.Project == "" {
		return nil, nil
	}
	if err := b.countPending(ctx, r); err != nil {
		return nil, err
	}
	return worthWeighing(ctx, r, engram.Filter{Project: b.in.Project, Current: true}, briefNewest)
}

// countPending counts what waits for a person: what is due, what is suspect, what is no memory
// yet.
func (b *briefBuilder) countPending(ctx context.Context, r engram.Reader) error {
	due, err := r.Due(ctx, b.in.Project, b.now, engram.Page{Limit: pendingMost})
	if err != nil {
		return err
	}
	suspect, err := r.CountFlagged(ctx, b.in.Project)
	if err != nil {
		return err
	}
	n := len(due) + suspect
	for _, why := range []engram.Deferral{engram.DeferredReview, engram.DeferredProposal} {
		records, err := r.CountDeferred(ctx, b.in.Project, why)
		if err != nil {
			return err
		}
		n += records
	}
	b.out.Pending = min(n, pendingMost)
	return nil
}

// before is what the session before this one came to: what it said in the end, or the
// newest summary that was saved. One that nobody wrote says no more than the memories do, which
// are told themselves.
func (b *briefBuilder) before(ctx context.Context, r engram.Reader, ms []engram.Memory) error {
	if b.in.Project == "" {
		return nil
	}
	sessions, err := r.Sessions(ctx, b.in.Project, engram.Page{Limit: contextSessions})
	if err != nil {
		return err
	}
	if err := sourcesOf(ctx, r, sessions); err != nil {
		return err
	}
	for _, s := range sessions {
		if s.ID != b.in.SessionID && s.Summary != "" && !readsLikeAnOrder(s.Summary+"\n"+s.ID) {
			b.earlier = render.Earlier{Text: b.CleanText(s.Summary), At: s.ActiveAt, Origin: s.From, SessionID: s.ID}
			break
		}
	}
	var newest engram.Memory
	for _, m := range ms {
		over := !m.ValidTo.IsZero() && !m.ValidTo.After(b.now)
		if m.Type == engram.TypeSessionSummary && !lifecycle.IsMadeSummary(m) && !over && (m.SessionID == "" || m.SessionID != b.in.SessionID) && m.CreatedAt.After(newest.CreatedAt) && m.UpdatedAt.After(b.earlier.At) {
			newest = m
		}
	}
	if newest.Num == 0 {
		return nil
	}
	yes, _, err := b.injectable(ctx, r, []engram.Memory{newest})
	if len(yes) > 0 {
		b.earlier = render.Earlier{Text: yes[0].Content, At: newest.UpdatedAt, Origin: newest.Origin, Num: newest.Num}
	}
	return err
}

// beyond are the memories of other projects and of none that are of the person or of
// everybody.
func (b *briefBuilder) beyond(ctx context.Context, r engram.Reader) (all []engram.Memory, err error) {
	for _, s := range []engram.Scope{engram.ScopePersonal, engram.ScopeGlobal} {
		ms, err := r.Lasting(ctx, "", s, briefMemories)
		if err != nil {
			return nil, err
		}
		all = append(all, ms...)
	}
	return current(ctx, r, all, engram.Filter{})
}

// unseen leaves out what the session was shown, unless it has forgotten; then it learns
// what it saved, too.
func (b *briefBuilder) unseen(ctx context.Context, r engram.Reader, ms []engram.Memory) ([]engram.Memory, error) {
	if !b.in.Again {
		ms = slices.DeleteFunc(ms, func(m engram.Memory) bool { return slices.Contains(b.in.Injected, m.Num) })
	}
	s, err := r.Session(ctx, b.in.SessionID)
	if engram.CodeOf(err) == engram.CodeNotFound || b.in.SessionID == "" {
		return ms, nil
	}
	if err != nil {
		return nil, err
	}
	if b.in.Again {
		saved, err := r.List(ctx, engram.Filter{SessionID: s.ID}, engram.Page{Limit: briefSaved})
		if err != nil {
			return nil, err
		}
		b.saved, _, err = b.injectable(ctx, r, saved) // a tool may have written in its name
		return ms, err
	}
	seen, err := seenIn(ctx, r, s)
	return slices.DeleteFunc(ms, func(m engram.Memory) bool { return seen[m.Num] }), err
}

// report writes it, as far as the budget goes.
func (b *briefBuilder) report() {
	if len(b.worth) == 0 && b.earlier.Text == "" && len(b.saved) == 0 && b.out.Pending == 0 {
		return
	}
	t := render.SessionBrief{Project: b.in.Project, Pending: b.out.Pending, PendingMore: b.out.Pending == pendingMost}
	b.rest -= text.Tokens(render.BriefFrame(t))
	if before := b.earlier; before.Text != "" {
		before.Text = retrieval.Fragment(retrieval.Candidate{Body: render.RecallBody(before.Text)}, nil, b.in.Budget/4)
		t.Before = render.BriefBefore(before, b.now)
		b.rest -= text.Tokens(t.Before)
	}
	for _, m := range b.saved {
		if l := render.BriefSaved(m); b.fits(l) {
			t.Saved = append(t.Saved, l)
		}
	}
	b.frame = t
	var alike []engram.Memory
	var told titles
	for _, m := range b.worth {
		if told.has(m.Title) {
			alike = append(alike, m)
		} else if b.reportMemory(m) {
			told.add(m.Title)
		}
	}
	for _, m := range alike {
		b.reportMemory(m)
	}
	b.out.Text = b.textOf(exposure{items: b.shown}.nums())
	b.out.Tokens = text.Tokens(b.out.Text)
}

// briefLineItem is a memory as it stands in a brief.
type briefLineItem struct {
	num   int64
	line  string
	holds bool // for all later work
}

// textOf is how the brief reads with some of its memories alone.
func (b *briefBuilder) textOf(mine []int64) string {
	t := b.frame
	for _, l := range b.told {
		switch {
		case !slices.Contains(mine, l.num):
		case l.holds:
			t.Holds = append(t.Holds, l.line)
		default:
			t.Lately = append(t.Lately, l.line)
		}
	}
	if t.Before == "" && t.Pending == 0 && len(t.Saved)+len(t.Holds)+len(t.Lately) == 0 {
		return ""
	}
	return render.BriefText(t)
}

// titles are the words of titles that were told.
type titles []map[string]bool

// has reports whether a title is like one that was told: three fifths of the words of the
// shorter one are in both. Of several such memories ("The X keeps its folder") the first
// says enough until all else is told.
func (ts titles) has(title string) bool {
	words := titleWords(title)
	return slices.ContainsFunc(ts, func(t map[string]bool) bool {
		both := 0
		for w := range words {
			if t[w] {
				both++
			}
		}
		return both > 0 && 5*both >= 3*min(len(words), len(t))
	})
}

func (ts *titles) add(title string) { *ts = append(*ts, titleWords(title)) }

func titleWords(title string) map[string]bool {
	words := map[string]bool{}
	text.Scan(title, func(tok text.Token) {
		if !tok.Stop && tok.Kind != text.Joined {
			words[tok.Text()] = true
		}
	})
	return words
}

// reportMemory takes a memory, with what holds or with what was learned; it reports whether
// it went in.
func (b *briefBuilder) reportMemory(m engram.Memory) bool {
	if len(b.shown) == briefMemories || slices.ContainsFunc(b.saved, func(s engram.Memory) bool { return s.Num == m.Num }) {
		return false
	}
	head := render.RemindLine(m, b.notes[m.Num], "", b.now)
	l := head
	if room := briefLine - text.Tokens(head); room >= leastExcerpt {
		l = render.RemindLine(m, b.notes[m.Num], retrieval.Fragment(retrieval.Candidate{Body: m.Content, Summary: gist.Summary(m)}, nil, room), b.now)
	}
	if !b.fits(l) {
		return false
	}
	b.told = append(b.told, briefLineItem{m.Num, l, holds(m)})
	b.out.Memories = append(b.out.Memories, m)
	b.shown = append(b.shown, exposedItem{m, text.Tokens(l)})
	return true
}

// holds reports whether a memory is about all later work rather than about what was.
func holds(m engram.Memory) bool {
	switch m.Type {
	case engram.TypeDecision, engram.TypePreference, engram.TypePolicy, engram.TypeArchitecture, engram.TypePattern, engram.TypeReflex, engram.TypeConfig:
		return true
	}
	return m.Permanent
}

// fits takes the cost of a line, where it goes in.
func (b *briefBuilder) fits(l string) bool {
	cost := text.Tokens(l)
	if cost > b.rest {
		return false
	}
	b.rest -= cost
	return true
}
