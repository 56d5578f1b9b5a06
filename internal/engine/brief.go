package engine

import (
	"context"
	"slices"
	"time"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/render"
	"github.com/alanbuscaglia/engram/internal/retrieval"
	"github.com/alanbuscaglia/engram/internal/suspicion"
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
	briefWeighed  = 60 // of the best are asked whether they may be told
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
	e.tally.read(begun, in.Project, s, err)
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
	b.tell()
	s.items = b.shown
	if in.SessionID != "" && in.Project != "" {
		if s.session, err = e.StartSession(ctx, SessionInput{ID: in.SessionID, Project: in.Project, Directory: in.Directory}); err != nil {
			b.out.Degraded = append(b.out.Degraded, "the session could not be written: "+messageOf(err))
			s.session = engram.Session{}
		}
	}
	if s.session.ID != "" && len(s.items) > 0 {
		b.out.Degraded = append(b.out.Degraded, e.remember(ctx, s)...)
	}
	return b.out, s, nil
}

// briefing is a brief in the making.
type briefing struct {
	*Engine
	in      BriefInput
	now     time.Time
	out     Brief
	summary string          // of the session before
	ended   time.Time       // when that was
	saved   []engram.Memory // in this session, newest first
	worth   []engram.Memory // best first
	notes   engram.Notes
	shown   []shownItem
	rest    int // tokens
}

// read reads what there is to tell.
func (b *briefing) read(ctx context.Context, r engram.Reader) error {
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
	if b.worth, b.out.Withheld, err = b.injectable(ctx, r, ms[:min(len(ms), briefWeighed)]); err != nil {
		return err
	}
	b.notes, err = notesOn(ctx, r, b.now, b.worth)
	return err
}

// ofProject are the memories of the project that are worth telling, and how many wait for
// a person.
func (b *briefing) ofProject(ctx context.Context, r engram.Reader) ([]engram.Memory, error) {
	if b.in.Project == "" {
		return nil, nil
	}
	due, err := r.Due(ctx, b.in.Project, b.now, engram.Page{Limit: waitingMost})
	if err != nil {
		return nil, err
	}
	b.out.Waiting = len(due)
	return worthTelling(ctx, r, engram.Filter{Project: b.in.Project, Current: true}, weighNewest, b.now)
}

// before is what the session before this one came to: what it said in the end, or the
// newest summary that was saved.
func (b *briefing) before(ctx context.Context, r engram.Reader, ms []engram.Memory) error {
	if b.in.Project == "" {
		return nil
	}
	sessions, err := r.Sessions(ctx, b.in.Project, engram.Page{Limit: contextSessions})
	if err != nil {
		return err
	}
	for _, s := range sessions {
		if s.ID != b.in.SessionID && s.Summary != "" && len(suspicion.Of(s.Summary)) == 0 {
			b.summary, b.ended = s.Summary, s.ActiveAt
			break
		}
	}
	var newest engram.Memory
	for _, m := range ms {
		if m.Type == engram.TypeSessionSummary && m.CreatedAt.After(newest.CreatedAt) && m.UpdatedAt.After(b.ended) {
			newest = m
		}
	}
	if newest.Num == 0 {
		return nil
	}
	yes, _, err := b.injectable(ctx, r, []engram.Memory{newest})
	if len(yes) > 0 {
		b.summary, b.ended = newest.Content, newest.UpdatedAt
	}
	return err
}

// beyond are the memories of other projects and of none that are of the person or of
// everybody.
func (b *briefing) beyond(ctx context.Context, r engram.Reader) (all []engram.Memory, err error) {
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
func (b *briefing) unseen(ctx context.Context, r engram.Reader, ms []engram.Memory) ([]engram.Memory, error) {
	s, err := r.Session(ctx, b.in.SessionID)
	if engram.CodeOf(err) == engram.CodeNotFound || b.in.SessionID == "" {
		return ms, nil
	}
	if err != nil {
		return nil, err
	}
	if b.in.Again {
		b.saved, err = r.List(ctx, engram.Filter{SessionID: s.ID}, engram.Page{Limit: briefSaved})
		return ms, err
	}
	seen, err := seenIn(ctx, r, s)
	return slices.DeleteFunc(ms, func(m engram.Memory) bool { return seen[m.Num] }), err
}

// tell writes it, as far as the budget goes.
func (b *briefing) tell() {
	if len(b.worth) == 0 && b.summary == "" && len(b.saved) == 0 && b.out.Waiting == 0 {
		return
	}
	t := render.Brief{Project: b.in.Project, Waiting: b.out.Waiting, WaitingMore: b.out.Waiting == waitingMost}
	b.rest -= text.Tokens(render.BriefFrame(t))
	if b.summary != "" {
		body := retrieval.Fragment(retrieval.Candidate{Body: render.RecallBody(b.summary)}, nil, b.in.Budget/4)
		t.Before = render.BriefBefore(body, b.now.Sub(b.ended))
		b.rest -= text.Tokens(t.Before)
	}
	for _, m := range b.saved {
		b.fits(render.BriefSaved(m), &t.Saved)
	}
	for _, m := range b.worth {
		if len(b.shown) < briefMemories {
			b.tellMemory(m, &t)
		}
	}
	b.out.Text = render.BriefText(t)
	b.out.Tokens = text.Tokens(b.out.Text)
}

// tellMemory takes a memory, with what holds or with what was learned.
func (b *briefing) tellMemory(m engram.Memory, t *render.Brief) {
	if slices.ContainsFunc(b.saved, func(s engram.Memory) bool { return s.Num == m.Num }) {
		return
	}
	head := render.RemindLine(m, b.notes[m.Num], "", b.now)
	l := head
	if room := briefLine - text.Tokens(head); room >= leastExcerpt {
		l = render.RemindLine(m, b.notes[m.Num], retrieval.Fragment(retrieval.Candidate{Body: m.Content, Summary: m.Summary}, nil, room), b.now)
	}
	into := &t.Lately
	if holds(m) {
		into = &t.Holds
	}
	if b.fits(l, into) {
		b.out.Memories = append(b.out.Memories, m)
		b.shown = append(b.shown, shownItem{m, text.Tokens(l)})
	}
}

// holds reports whether a memory is about all later work rather than about what was.
func holds(m engram.Memory) bool {
	switch m.Type {
	case engram.TypeDecision, engram.TypePreference, engram.TypePolicy, engram.TypeArchitecture, engram.TypePattern, engram.TypeReflex, engram.TypeConfig:
		return true
	}
	return m.Permanent
}

// fits adds a line where it goes in.
func (b *briefing) fits(l string, into *[]string) bool {
	cost := text.Tokens(l)
	if cost > b.rest {
		return false
	}
	b.rest -= cost
	*into = append(*into, l)
	return true
}
