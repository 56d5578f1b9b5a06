package brief

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"time"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/engine/exposure"
	"github.com/alanbuscaglia/engram/internal/engine/relate"
	"github.com/alanbuscaglia/engram/internal/engine/remember"
	"github.com/alanbuscaglia/engram/internal/engine/screen"
	"github.com/alanbuscaglia/engram/internal/engine/search"
	"github.com/alanbuscaglia/engram/internal/engine/view"
	"github.com/alanbuscaglia/engram/internal/engine/walk"
	"github.com/alanbuscaglia/engram/internal/lifecycle"
	"github.com/alanbuscaglia/engram/internal/render"
	"github.com/alanbuscaglia/engram/internal/retrieval"
	"github.com/alanbuscaglia/engram/internal/text"
)

// ContextInput selects a context. An empty Project or Scope is every one.
type ContextInput struct {
	Project   string
	Scope     engram.Scope
	Budget    int    // tokens; 0 is ContextBudget, at most MaxBudget
	SessionID string // leaves out what this session was shown, and records what it is shown now; "" for none
	// AsOf returns the context at a past time; the zero time is now. It ignores and records no exposure.
	AsOf       time.Time
	Superseded bool // include superseded memories
	// Again repeats what the session was shown before: its context was compacted.
	Again bool
}

// Limits of a context, within the budget. A larger budget allows more memories.
const (
	contextSessions = 5
	contextPrompts  = 10
	contextMemories = 20
	contextPersonal = 10 // of the newest weighPersonal
	weighPersonal   = 100
	// contextShare is the fraction of the budget (1/n) reserved for sessions, and for prompts, before memories.
	contextShare = 5
)

// How many memories are considered of each source: newest, lasting, recently read.
const (
	weighNewest  = 100
	weighLasting = 50
	weighUsed    = 50
)

// Context returns what a new session should know: the latest sessions and prompts, and the most valuable
// memories (retrieval.Worth), newest first. Its text from render.Context costs at most the budget. A budget
// below 0 or above MaxBudget is CodeInvalid.
func (b *Briefer) Context(ctx context.Context, in ContextInput) (engram.Context, error) {
	begun := b.exposure.Tally.Begin()
	c, s, err := b.context(ctx, in)
	b.exposure.Tally.Read(begun, in.Project, s, err)
	return c, err
}

func (b *Briefer) context(ctx context.Context, in ContextInput) (engram.Context, exposure.Exposure, error) {
	failed := exposure.Exposure{Operation: exposure.OpContext}
	budget, err := screen.Limited("budget", in.Budget, search.ContextBudget, search.MaxBudget)
	if err != nil {
		return engram.Context{}, failed, err
	}
	f, err := search.CleanFilter(engram.Filter{Project: in.Project, Scope: in.Scope, Current: !in.Superseded})
	if err != nil {
		return engram.Context{}, failed, err
	}
	t := contextBuilder{screen: b.screen, lines: b.lines, c: engram.Context{Budget: budget, Notes: engram.Notes{}}, most: contextMemories * max(1, budget/search.ContextBudget), mostPersonal: contextPersonal * max(1, budget/search.ContextBudget)}
	now := b.ledger.Now()
	if !in.AsOf.IsZero() {
		now, in.SessionID, in.Again = in.AsOf, "", true
	}
	err = b.ledger.View(ctx, func(r engram.Reader) error {
		r, degraded, err := view.ReaderAt(ctx, b.ledger, r, in.AsOf)
		if err != nil {
			return err
		}
		if past, is := r.(*view.PastReader); is {
			if f, _, err = past.Place(ctx, f); err != nil {
				return err
			}
		}
		if t.session, t.c.Degraded, err = exposure.InSession(ctx, r, in.SessionID); err != nil {
			return err
		}
		if !in.Again {
			if t.seen, err = exposure.SeenIn(ctx, r, t.session); err != nil {
				return err
			}
		}
		t.c.Degraded = append(t.c.Degraded, degraded...)
		// Together they are a few round trips to a store on a server.
		if err := engram.Together(ctx, r, func(ctx context.Context) (err error) {
			if t.sessions, err = r.Sessions(ctx, engram.SessionFilter{Project: f.Project}, engram.Page{Limit: contextSessions}); err != nil {
				return err
			}
			return errors.Join(b.screen.ShownSessions(ctx, r, t.sessions), remember.SourcesOf(ctx, r, t.sessions))
		}, func(ctx context.Context) (err error) {
			if t.prompts, err = r.Prompts(ctx, engram.PromptFilter{Project: f.Project}, engram.Page{Limit: contextPrompts}); err != nil {
				return err
			}
			return b.screen.ShownPrompts(ctx, r, t.prompts)
		}, func(ctx context.Context) (err error) {
			t.worth, err = worthInjecting(ctx, r, f, max(weighNewest, min(t.most, 1000)), now)
			return err
		}, func(ctx context.Context) (err error) {
			t.personal, err = worthInjectingBeyond(ctx, r, f, now)
			return err
		}); err != nil {
			return err
		}
		all := append(slices.Clip(t.worth), t.personal...) // not copied without personal ones
		if t.gate, err = b.screen.Gate(ctx, r); err != nil {
			return err
		}
		if err := t.gate.Know(ctx, r, all); err != nil {
			return err
		}
		t.notes, err = search.NotesOn(ctx, r, now, all, t.gate.Flagged)
		t.gate.Redact(t.worth)
		t.gate.Redact(t.personal)
		return err
	})
	if err != nil {
		return engram.Context{}, failed, err
	}
	if in.AsOf.IsZero() {
		b.reportAnchors(ctx, &t)
	}
	t.worth = slices.DeleteFunc(t.worth, lifecycle.IsMadeSummary) // it repeats its memories
	t.fill()
	t.c.Degraded = append(t.c.Degraded, b.exposure.Record(ctx, t.exposure())...)
	return t.c, t.exposure(), nil
}

// worthInjecting returns memories of a project and scope, most valuable first.
func worthInjecting(ctx context.Context, r engram.Reader, f engram.Filter, newest int, now time.Time) ([]engram.Memory, error) {
	all, err := worthWeighing(ctx, r, f, newest)
	if err != nil {
		return nil, err
	}
	best, err := byWorth(ctx, r, now, all)
	return memoriesAt(best), err
}

// worthInjectingBeyond returns personal and global memories outside the project of f, most valuable first; none
// if f has no project or is limited to project scope.
func worthInjectingBeyond(ctx context.Context, r engram.Reader, f engram.Filter, now time.Time) ([]engram.Memory, error) {
	beside, some := search.SearchInput{Filter: f}.Beyond()
	if !some {
		return nil, nil
	}
	listed := beside
	listed.Current = false // as in worthWeighing
	ms, err := r.List(ctx, listed, engram.Page{Limit: weighPersonal})
	if err != nil {
		return nil, err
	}
	if f.Current {
		if ms, err = relate.Current(ctx, r, ms, beside); err != nil {
			return nil, err
		}
	}
	own, _, err := r.Project(ctx, f.Project) // by its name, if f has an alias
	if err != nil {
		return nil, err
	}
	ms = slices.DeleteFunc(ms, func(m engram.Memory) bool { return m.Project == f.Project || m.Project == own.Name && own.Name != "" })
	best, err := byWorth(ctx, r, now, ms)
	return memoriesAt(best), err
}

// worthWeighing returns the candidates for worthInjecting, unordered and with repeats.
func worthWeighing(ctx context.Context, r engram.Reader, f engram.Filter, newest int) ([]engram.Memory, error) {
	listed := f
	listed.Current = false // one memory of a cycle is shown, but a list would show none
	var ms, lasting, used []engram.Memory
	err := engram.Together(ctx, r, func(ctx context.Context) (err error) {
		ms, err = r.List(ctx, listed, engram.Page{Limit: newest})
		return err
	}, func(ctx context.Context) (err error) {
		lasting, err = r.List(ctx, engram.Filter{Project: f.Project, Scope: f.Scope, Lasting: true}, engram.Page{Order: engram.OrderLasting, Limit: weighLasting})
		return err
	}, func(ctx context.Context) error {
		lately, err := r.LatelyUsed(ctx, f.Project, weighUsed)
		if err == nil {
			used, err = r.Memories(ctx, lately)
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	used = slices.DeleteFunc(used, func(m engram.Memory) bool {
		// It may have been forgotten or moved since it was read.
		return m.Forgotten() || f.Project != "" && m.Project != f.Project || f.Scope != "" && m.Scope != f.Scope
	})
	all := slices.Concat(ms, lasting, used)
	if f.Current {
		return relate.Current(ctx, r, all, f)
	}
	return all, nil
}

// byWorth orders memories by value, each once, newer first on ties, without those no longer valid. With an error it
// orders them as if none was ever shown. They stay in their lists: they are large to move.
func byWorth(ctx context.Context, r engram.Reader, now time.Time, lists ...[]engram.Memory) ([]*engram.Memory, error) {
	type weighed struct {
		*engram.Memory
		worth float64
	}
	var order []weighed
	known := map[int64]bool{}
	for _, ms := range lists {
		for i := range ms {
			if m := &ms[i]; !known[m.Num] && !expired(*m, now) {
				known[m.Num] = true
				order = append(order, weighed{Memory: m})
			}
		}
	}
	counts, err := r.ExposureCounts(ctx, walk.Mapped(order, func(w weighed) int64 { return w.Num }))
	for i, w := range order {
		order[i].worth = retrieval.Worth(*w.Memory, counts[w.Num], now)
	}
	slices.SortFunc(order, func(a, b weighed) int {
		if a.worth != b.worth {
			return cmp.Compare(b.worth, a.worth)
		}
		return view.NewestFirst(*a.Memory, *b.Memory)
	})
	return walk.Mapped(order, func(w weighed) *engram.Memory { return w.Memory }), err
}

// memoriesAt returns copies of memories.
func memoriesAt(ms []*engram.Memory) []engram.Memory {
	return walk.Mapped(ms, func(m *engram.Memory) engram.Memory { return *m })
}

// expired reports whether the validity of a memory has ended.
func expired(m engram.Memory, now time.Time) bool {
	return !m.ValidTo.IsZero() && !m.ValidTo.After(now)
}

type contextBuilder struct {
	screen   *screen.Screen
	lines    *Lines
	c        engram.Context
	session  engram.Session
	seen     map[int64]bool
	sessions []engram.SessionActivity // newest activity first
	prompts  []engram.Prompt          // newest first
	worth    []engram.Memory          // best first
	personal []engram.Memory          // best first
	notes    engram.Notes             // of both
	gate     *screen.Gate             // knows both
	most     int                      // memories

	mostPersonal int
	shown        []exposure.Item // best first
	rest         int             // tokens
}

// fill takes sessions and prompts within their shares, then memories, then more of the former two.
func (t *contextBuilder) fill() {
	t.rest = t.c.Budget - text.Tokens(render.ContextFrame())
	share := t.c.Budget / contextShare
	t.takeSessions(share)
	t.takePrompts(share)
	t.takePersonal(share)
	t.leaveOutSummaries()
	t.takeMemories()
	t.takePrompts(t.rest)
	t.shortenSessions()
	t.takeSessions(t.rest)
	t.c.Tokens = text.Tokens(render.Context(t.c, render.Options{}))
}

// fits takes the cost of a line from room and rest if it fits.
func (t *contextBuilder) fits(line string, room *int) bool {
	cost := text.Tokens(line)
	if cost > min(*room, t.rest) {
		return false
	}
	*room -= cost
	t.rest -= cost
	return true
}

func (t *contextBuilder) takeSessions(room int) {
	for i, s := range t.sessions {
		if s.Summary != "" && !t.screen.Ordinary(s.Summary) { // the existence of the session may be shown
			t.sessions[i].Summary, t.sessions[i].Withheld = "", true
		}
	}
	for len(t.sessions) > 0 && t.fits(render.ContextSession(t.sessions[0], render.Options{}), &room) {
		t.c.Sessions, t.sessions = append(t.c.Sessions, t.sessions[0]), t.sessions[1:]
	}
}

// repeatsSummary reports whether a memory has the text of its session's summary.
func repeatsSummary(m engram.Memory, s engram.SessionActivity) bool {
	return m.Type == engram.TypeSessionSummary && m.SessionID == s.ID && s.Summary != "" && screen.HashOf(m.Content) == screen.HashOf(s.Summary)
}

// leaveOutSummaries drops memories that repeat the summary of a shown session.
func (t *contextBuilder) leaveOutSummaries() {
	t.worth = slices.DeleteFunc(t.worth, func(m engram.Memory) bool {
		return slices.ContainsFunc(t.c.Sessions, func(s engram.SessionActivity) bool { return repeatsSummary(m, s) })
	})
}

// shortenSessions removes the summaries of sessions that a shown memory contains.
func (t *contextBuilder) shortenSessions() {
	for i, s := range t.sessions {
		if slices.ContainsFunc(t.c.Memories, func(m engram.Memory) bool { return repeatsSummary(m, s) }) {
			t.sessions[i].Summary = ""
		}
	}
}

func (t *contextBuilder) takePrompts(room int) {
	all := len(t.prompts)
	t.prompts = slices.DeleteFunc(t.prompts, func(p engram.Prompt) bool { return !t.screen.Ordinary(p.Content) })
	t.c.WithheldPrompts += all - len(t.prompts)
	for len(t.prompts) > 0 && t.fits(render.ContextPrompt(t.prompts[0], render.Options{}), &room) {
		t.c.Prompts, t.prompts = append(t.c.Prompts, t.prompts[0]), t.prompts[1:]
	}
}

// takeMemories takes memories that the session has not seen, or all if it has seen all.
func (t *contextBuilder) takeMemories() {
	fresh := slices.ContainsFunc(t.worth, func(m engram.Memory) bool { return !t.seen[m.Num] })
	for _, m := range t.worth {
		room := t.rest
		switch {
		case fresh && t.seen[m.Num]:
			t.leaveOut(m, retrieval.LeftSeen)
		case len(t.c.Memories) < t.most && !t.gate.Allows(m):
			t.c.Withheld++
		case len(t.c.Memories) == t.most || !t.take(m, &room):
			t.leaveOut(m, retrieval.LeftBudget)
		default:
			t.c.Memories = append(t.c.Memories, m)
		}
	}
	t.c.Again = !fresh && len(t.c.Memories) > 0
	slices.SortFunc(t.c.Memories, view.NewestFirst)
}

// takePersonal takes unseen personal memories within their share, so that they do not crowd out the project's
// own.
func (t *contextBuilder) takePersonal(room int) {
	for _, m := range t.personal {
		switch {
		case t.seen[m.Num]:
			t.leaveOut(m, retrieval.LeftSeen)
		case len(t.c.Personal) < t.mostPersonal && !t.gate.Allows(m):
			t.c.Withheld++
		case len(t.c.Personal) == t.mostPersonal || !t.take(m, &room):
			t.leaveOut(m, retrieval.LeftBudget)
		default:
			t.c.Personal = append(t.c.Personal, m)
		}
	}
	slices.SortFunc(t.c.Personal, view.NewestFirst)
}

func (t *contextBuilder) lineOf(m engram.Memory) string {
	note := t.notes[m.Num]
	note.Line = t.lines.of(m)
	t.notes[m.Num] = note
	return render.ContextMemory(m, note)
}

// take shows a memory if its line fits.
func (t *contextBuilder) take(m engram.Memory, room *int) bool {
	line := t.lineOf(m)
	if !t.fits(line, room) {
		return false
	}
	t.c.Notes[m.Num] = t.notes[m.Num]
	t.shown = append(t.shown, exposure.Item{Memory: m, Tokens: text.Tokens(line)})
	return true
}

// maxLeftOut limits the reported left-out memories; there are always more.
const maxLeftOut = 20

func (t *contextBuilder) leaveOut(m engram.Memory, reason string) {
	if len(t.c.LeftOut) < maxLeftOut && !t.gate.Allows(m) {
		t.c.Withheld++ // its title would be shown
		return
	}
	if len(t.c.LeftOut) < maxLeftOut {
		t.c.LeftOut = append(t.c.LeftOut, engram.LeftOut{Memory: m, Reason: reason})
	}
}

func (t *contextBuilder) exposure() exposure.Exposure {
	return exposure.Exposure{Operation: exposure.OpContext, Session: t.session, Items: t.shown}
}
