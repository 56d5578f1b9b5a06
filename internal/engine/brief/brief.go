package brief

import (
	"context"
	"slices"
	"time"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/engine/exposure"
	"github.com/alanbuscaglia/engram/internal/engine/ledger"
	"github.com/alanbuscaglia/engram/internal/engine/projects"
	"github.com/alanbuscaglia/engram/internal/engine/relate"
	"github.com/alanbuscaglia/engram/internal/engine/remember"
	"github.com/alanbuscaglia/engram/internal/engine/screen"
	"github.com/alanbuscaglia/engram/internal/engine/search"
	"github.com/alanbuscaglia/engram/internal/engine/view"
	"github.com/alanbuscaglia/engram/internal/gist"
	"github.com/alanbuscaglia/engram/internal/lifecycle"
	"github.com/alanbuscaglia/engram/internal/render"
	"github.com/alanbuscaglia/engram/internal/retrieval"
	"github.com/alanbuscaglia/engram/internal/text"
)

// SessionBriefInput describes the session that starts, or that lost its context.
type SessionBriefInput struct {
	Project   string // resolved; "" selects only memories of every project
	SessionID string // made if it does not exist; "" for none
	Directory string // folder of a new session
	Budget    int    // tokens of the whole text; 0 is BriefBudget, at most MaxBrief
	// Again repeats what the session was shown before and adds what it saved: its context was compacted.
	Again bool
	// Injected are memories, by number, that the caller knows were shown, though the store may not know it;
	// Again shows them anyway.
	Injected []int64
	// Inject, if set, is called before anything is written, even with an empty brief. The Brief has, and the
	// store records, only what it reports as shown.
	Inject exposure.Injector
}

// Budgets of a session brief, in tokens.
const (
	BriefBudget = 1_500
	MaxBrief    = 2_000
)

// SessionBrief is the text injected when a session starts.
type SessionBrief struct {
	Text     string // for the agent; "" when there is nothing to show
	Tokens   int    // estimated cost of Text, at most the budget
	Memories []engram.Memory
	Pending  int // items of the project's review queue, at most pendingMost
	Withheld int // memories left out because a person has not approved them
	// Degraded lists what could not be written, with the reason.
	Degraded []string
}

// Limits of a brief.
const (
	briefMemories = 24
	briefNewest   = 64 // newest memories that are always considered
	briefLasting  = 14 // preferences and the like of any age
	briefLearned  = 8  // and recent learnings
	briefWeighed  = 60 // best memories that are checked for approval,
	briefSpare    = 8  // until this many more than fit are approved: some are too long or alike
	briefLine     = 60 // tokens of one memory
	briefSaved    = 20 // memories saved by the session itself
	pendingMost   = 100
)

// Brief creates the session if need be and returns what it should know: the last session's result, lasting
// rules, and recent learnings of its project and its person, ranked by retrieval.Worth. Only memories that may
// be injected are shown, and a project without memories yields nothing.
//
// It reads first: a write that fails because another process writes is reported in Degraded. When ctx ends before all
// is read, it tells what is ready, and Degraded says so; it fails if that is nothing. Invalid input is CodeInvalid.
func (b *Briefer) Brief(ctx context.Context, in SessionBriefInput) (SessionBrief, error) {
	begun := b.exposure.Tally.Begin()
	out, s, err := b.brief(ctx, in)
	if err != nil || len(s.Items) > 0 { // an empty brief is intended, not a failed search
		b.exposure.Tally.Read(begun, in.Project, s, err)
	}
	return out, err
}

func (b *Briefer) brief(ctx context.Context, in SessionBriefInput) (SessionBrief, exposure.Exposure, error) {
	s := exposure.Exposure{Operation: exposure.OpContext}
	if err := (screen.Raw{"session id", in.SessionID, "project", in.Project, "directory", in.Directory}).Check(); err != nil {
		return SessionBrief{}, s, err
	}
	var err error
	if in.Budget, err = screen.Limited("budget", in.Budget, BriefBudget, MaxBrief); err != nil {
		return SessionBrief{}, s, err
	}
	in.Project, in.SessionID = screen.NormalProject(in.Project), screen.Line(in.SessionID)
	builder := &briefBuilder{briefer: b, in: in, now: b.ledger.Now(), rest: in.Budget, notes: engram.Notes{}}
	if err := b.ledger.View(ctx, func(r engram.Reader) error { return builder.read(ctx, r) }); err != nil {
		return SessionBrief{}, s, err
	}
	builder.reportAnchors(ctx)
	builder.report()
	if builder.late != nil {
		if builder.out.Text == "" {
			return SessionBrief{}, s, builder.late
		}
		builder.out.Degraded = append(builder.out.Degraded, outOfTime)
	}
	s.Items = builder.shown
	if in.Inject == nil || !builder.inject(ctx, &s) {
		builder.keep(ctx, &s)
	}
	return builder.out, s, nil
}

// keep creates the session, if no claim has, and records what it was shown: in one transaction, since each
// waits for the disk.
func (b *briefBuilder) keep(ctx context.Context, s *exposure.Exposure) {
	if s.Session.ID == "" {
		ctx, cancel := b.briefer.exposure.Waiting(ctx)
		defer cancel()
		if err := b.start(ctx, s, s.Items); err != nil {
			b.out.Degraded = append(b.out.Degraded, "cannot record the session: "+exposure.MessageOf(err))
		}
	} else if len(s.Items) > 0 {
		b.out.Degraded = append(b.out.Degraded, b.briefer.exposure.Record(ctx, *s)...)
	}
}

// start creates the session once and records that it was shown items.
func (b *briefBuilder) start(ctx context.Context, s *exposure.Exposure, items []exposure.Item) error {
	if b.in.SessionID == "" || b.in.Project == "" || s.Session.ID != "" {
		return nil
	}
	in := remember.SessionInput{ID: b.in.SessionID, Project: b.in.Project, Directory: b.in.Directory}
	started, err := b.briefer.remember.OpenSession(ctx, in, func(o *ledger.Tx, session engram.Session) error {
		if len(items) == 0 {
			return nil
		}
		return b.briefer.exposure.RecordAt(ctx, o.Store, exposure.Exposure{Operation: s.Operation, Session: session, Items: items}, o.At)
	})
	if err == nil {
		s.Session = started
	}
	return err
}

// inject passes the brief to the injector and keeps what was shown. claimed is true if the store already knows
// it.
func (b *briefBuilder) inject(ctx context.Context, s *exposure.Exposure) (claimed bool) {
	h := b.briefer.exposure.Deliver(ctx, b.in.Inject, s, b.in.Again, b.textOf, func() error { return b.start(ctx, s, nil) })
	b.out.Memories = slices.DeleteFunc(b.out.Memories, func(m engram.Memory) bool { return !slices.Contains(h.Nums, m.Num) })
	b.out.Text = ""
	if h.Given {
		b.out.Text = b.textOf(h.Nums)
	}
	b.out.Tokens = text.Tokens(b.out.Text)
	return h.Claimed
}

type briefBuilder struct {
	briefer *Briefer
	in      SessionBriefInput
	now     time.Time
	out     SessionBrief
	earlier render.Earlier  // result of the previous session; without Text: unknown
	saved   []engram.Memory // in this session, newest first
	gate    *screen.Gate
	late    error           // of a step after the time was over
	worth   []engram.Memory // best first
	notes   engram.Notes
	shown   []exposure.Item
	lines   []briefLineItem // lines of shown memories
	frame   render.SessionBrief
	rest    int // tokens
}

// read reads what matters most first: with the memories of the project there is something to tell, and when the
// time ends after these, the rest is left out.
func (b *briefBuilder) read(ctx context.Context, r engram.Reader) (err error) {
	if b.in.Project, err = projects.CanonicalProject(ctx, r, b.in.Project); err != nil {
		return err
	}
	if b.gate, err = b.briefer.screen.Gate(ctx, r); err != nil {
		return err
	}
	var own []engram.Memory
	if b.in.Project != "" {
		if own, err = worthWeighing(ctx, r, engram.Filter{Project: b.in.Project, Current: true}, briefNewest); err != nil {
			return err
		}
	}
	if err := b.gate.Know(ctx, r, own); err != nil {
		return err
	}
	if err := b.choose(ctx, r, own); err != nil {
		return err
	}
	for _, further := range []func(context.Context, engram.Reader) error{
		func(ctx context.Context, r engram.Reader) error { return b.before(ctx, r, own) }, b.countPending, b.readNotes,
	} {
		if err := b.inTime(ctx, further(ctx, r)); err != nil {
			return err
		}
	}
	return nil
}

// inTime passes on the error of a step that may be left out, unless the time is over: then it keeps it as late.
func (b *briefBuilder) inTime(ctx context.Context, err error) error {
	if err == nil || ctx.Err() == nil {
		return err
	}
	b.late = err
	return nil
}

// outOfTime says in Degraded that only what was read before the end of ctx is shown.
const outOfTime = "the time ran out: this is what was ready"

// choose ranks the memories of the project and of its person, and keeps the best that may be injected.
func (b *briefBuilder) choose(ctx context.Context, r engram.Reader, own []engram.Memory) error {
	beyond, err := b.beyond(ctx, r)
	if err := b.inTime(ctx, err); err != nil {
		return err
	}
	ms, err := byWorth(ctx, r, b.now, own, beyond)
	if err := b.inTime(ctx, err); err != nil {
		return err
	}
	ms = slices.DeleteFunc(ms, func(m *engram.Memory) bool { return m.Type == engram.TypeSessionSummary })
	ms, err = b.unseen(ctx, r, ms)
	if err := b.inTime(ctx, err); err != nil {
		return err
	}
	b.weigh(lastingFirst(ms, briefLasting, briefLearned, briefWeighed))
	return nil
}

func (b *briefBuilder) readNotes(ctx context.Context, r engram.Reader) error {
	notes, err := search.NotesOn(ctx, r, b.now, b.worth, b.gate.Flagged)
	if err == nil {
		b.notes = notes
	}
	return err
}

// lastingFirst moves the first most lasting memories to the front, then the first learned others that are no rules, and
// returns the first weighed of all. Worth fades with age: without this, a brief would show this week's facts instead of
// lasting preferences, which no prompt brings up; and many rules would crowd out everything else.
func lastingFirst(ms []*engram.Memory, most, learned, weighed int) []*engram.Memory {
	var first, then, rest []*engram.Memory
	for _, m := range ms {
		switch {
		case len(first) < most && view.Lasts(*m):
			first = append(first, m)
		case len(then) < learned && !holds(*m) && !view.Lasts(*m):
			then = append(then, m)
		default:
			rest = append(rest, m)
		}
	}
	order := slices.Concat(first, then, rest)
	return order[:min(len(order), weighed)]
}

// weigh keeps memories that may be injected. Most would not fit anyway, so it stops early.
func (b *briefBuilder) weigh(ms []*engram.Memory) {
	const enough = briefMemories + briefSpare
	for len(ms) > 0 && len(b.worth) < enough {
		n := min(len(ms), enough-len(b.worth))
		yes, withheld := b.gate.Pass(memoriesAt(ms[:n]))
		b.worth, b.out.Withheld, ms = append(b.worth, yes...), b.out.Withheld+withheld, ms[n:]
	}
}

// countPending counts due and flagged memories, and records that are not memories yet.
func (b *briefBuilder) countPending(ctx context.Context, r engram.Reader) error {
	if b.in.Project == "" {
		return nil
	}
	due, err := r.List(ctx, engram.Filter{Project: b.in.Project, DueBefore: b.now}, engram.Page{Order: engram.OrderDue, Limit: pendingMost})
	if err != nil {
		return err
	}
	n := len(due)
	err = r.Outlines(ctx, engram.Filter{Project: b.in.Project, Mark: engram.TrustFlagged}, 0, func(engram.Memory) bool {
		n++
		return n < pendingMost
	})
	if err != nil {
		return err
	}
	for _, why := range []engram.Deferral{engram.DeferredReview, engram.DeferredProposal} {
		records, err := r.Replica().CountDeferred(ctx, b.in.Project, why)
		if err != nil {
			return err
		}
		n += records
	}
	b.out.Pending = min(n, pendingMost)
	return nil
}

// before finds the previous session's result: its closing summary, or the newest saved summary. Generated
// summaries are skipped, since they only repeat memories.
func (b *briefBuilder) before(ctx context.Context, r engram.Reader, ms []engram.Memory) error {
	if b.in.Project == "" {
		return nil
	}
	sessions, err := r.Sessions(ctx, engram.SessionFilter{Project: b.in.Project}, engram.Page{Limit: contextSessions})
	if err != nil {
		return err
	}
	if err := remember.SourcesOf(ctx, r, sessions); err != nil {
		return err
	}
	for _, s := range sessions {
		if s.ID != b.in.SessionID && s.Summary != "" && b.briefer.screen.Ordinary(s.Summary+"\n"+s.ID) {
			b.earlier = render.Earlier{Text: b.briefer.screen.CleanText(s.Summary), At: s.ActiveAt, Origin: s.From, SessionID: s.ID}
			break
		}
	}
	var newest engram.Memory
	for _, m := range ms {
		if m.Type == engram.TypeSessionSummary && !lifecycle.IsMadeSummary(m) && !expired(m, b.now) && (m.SessionID == "" || m.SessionID != b.in.SessionID) && m.CreatedAt.After(newest.CreatedAt) && m.UpdatedAt.After(b.earlier.At) {
			newest = m
		}
	}
	if newest.Num == 0 {
		return nil
	}
	if yes, _ := b.gate.Pass([]engram.Memory{newest}); len(yes) > 0 {
		b.earlier = render.Earlier{Text: yes[0].Content, At: newest.UpdatedAt, Origin: newest.Origin, Num: newest.Num}
	}
	return nil
}

// beyond returns personal and global memories of any project.
func (b *briefBuilder) beyond(ctx context.Context, r engram.Reader) (all []engram.Memory, err error) {
	for _, s := range []engram.Scope{engram.ScopePersonal, engram.ScopeGlobal} {
		ms, err := r.List(ctx, engram.Filter{Project: "", Scope: s, Lasting: true}, engram.Page{Order: engram.OrderLasting, Limit: briefMemories})
		if err != nil {
			return nil, err
		}
		all = append(all, ms...)
	}
	if all, err = relate.Current(ctx, r, all, engram.Filter{}); err != nil {
		return nil, err
	}
	if err := b.gate.Know(ctx, r, all); err != nil {
		return nil, err
	}
	return all, nil
}

// unseen drops what the session was shown, unless its context was lost; then it adds what the session saved. With
// an error it drops what the caller knows was shown.
func (b *briefBuilder) unseen(ctx context.Context, r engram.Reader, ms []*engram.Memory) ([]*engram.Memory, error) {
	if !b.in.Again {
		ms = slices.DeleteFunc(ms, func(m *engram.Memory) bool { return slices.Contains(b.in.Injected, m.Num) })
	}
	s, err := r.Session(ctx, b.in.SessionID)
	if engram.CodeOf(err) == engram.CodeNotFound || b.in.SessionID == "" {
		return ms, nil
	}
	if err != nil {
		return ms, err
	}
	if b.in.Again {
		saved, err := r.List(ctx, engram.Filter{SessionID: s.ID}, engram.Page{Limit: briefSaved})
		if err == nil {
			err = b.gate.Know(ctx, r, saved)
		}
		if err != nil {
			return ms, err
		}
		b.saved, _ = b.gate.Pass(saved) // a tool may have written in its name
		return ms, nil
	}
	seen, err := exposure.SeenIn(ctx, r, s)
	return slices.DeleteFunc(ms, func(m *engram.Memory) bool { return seen[m.Num] }), err
}

// report writes the brief within the budget.
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
	var seen titles
	for _, m := range b.worth {
		if words := titleWords(m.Title); seen.has(words) {
			alike = append(alike, m)
		} else if b.reportMemory(m) {
			seen = append(seen, words)
		}
	}
	for _, m := range alike {
		b.reportMemory(m)
	}
	b.out.Text = b.textOf(exposure.Exposure{Items: b.shown}.Nums())
	b.out.Tokens = text.Tokens(b.out.Text)
}

type briefLineItem struct {
	num   int64
	line  string
	holds bool // it concerns all later work
}

// textOf returns the text of the brief with only some of its memories.
func (b *briefBuilder) textOf(mine []int64) string {
	t := b.frame
	for _, l := range b.lines {
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

// titles are the words of shown titles.
type titles [][]string

// has reports whether a title resembles a shown one: they share three fifths of the shorter one's words. Of
// several such memories ("The X keeps its folder") the first is enough until all others are shown.
func (ts titles) has(words []string) bool {
	return slices.ContainsFunc(ts, func(t []string) bool {
		both := 0
		for _, w := range words {
			if slices.Contains(t, w) {
				both++
			}
		}
		return both > 0 && 5*both >= 3*min(len(words), len(t))
	})
}

// titleWords returns the words of a title, each once.
func titleWords(title string) (words []string) {
	text.Scan(title, func(tok text.Token) {
		if w := tok.Text(); !tok.Stop && tok.Kind != text.Joined && !slices.Contains(words, w) {
			words = append(words, w)
		}
	})
	return words
}

// reportMemory adds a memory to the rules or the learnings, and reports whether it fit.
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
	if b.shown == nil { // at once: they are large
		n := min(len(b.worth), briefMemories)
		b.out.Memories, b.shown = make([]engram.Memory, 0, n), make([]exposure.Item, 0, n)
	}
	b.lines = append(b.lines, briefLineItem{m.Num, l, holds(m)})
	b.out.Memories = append(b.out.Memories, m)
	b.shown = append(b.shown, exposure.Item{Memory: m, Tokens: text.Tokens(l)})
	return true
}

// holds reports whether a memory is a rule for later work rather than a record of the past.
func holds(m engram.Memory) bool {
	switch m.Type {
	case engram.TypeDecision, engram.TypePreference, engram.TypePolicy, engram.TypeArchitecture, engram.TypePattern, engram.TypeReflex, engram.TypeConfig:
		return true
	}
	return m.Permanent
}

// fits takes the cost of a line from the rest if it fits.
func (b *briefBuilder) fits(l string) bool {
	cost := text.Tokens(l)
	if cost > b.rest {
		return false
	}
	b.rest -= cost
	return true
}
