package engine

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/attend"
	"github.com/alanbuscaglia/engram/internal/redact"
	"github.com/alanbuscaglia/engram/internal/render"
	"github.com/alanbuscaglia/engram/internal/retrieval"
	"github.com/alanbuscaglia/engram/internal/text"
)

// RemindInput is what an agent is about to do. One of Query, Path and Error says it; of
// several the first one counts that something is known about, in the order Error, Path,
// Query.
type RemindInput struct {
	Project   string // already decided; "" tells only what is of every project
	SessionID string // leaves out what that session was shown, and remembers this; "" is none
	Directory string // from which a relative Path counts; of the repository or a folder in it
	Query     string // what the person asked, as typed
	Path      string // the file that is about to be read or changed
	Error     string // what went wrong, as printed
	Budget    int    // tokens of the whole text; 0 is RemindBudget for a Query, FileBudget else; at most MaxBudget
	Again     bool   // what the session was shown before is told again
	// Told are memories, by number, that the caller knows to have been told, though the
	// store may not: it could not be written then.
	Told []int64
	// Tell, where it is given, is called when there is something to tell: what it says was told
	// is what the Reminder has, and what is remembered.
	Tell Teller
}

// The budgets of what is told unasked, in tokens.
const (
	RemindBudget = 300
	FileBudget   = 200
)

// Reminder is what is worth telling unasked.
type Reminder struct {
	Text     string // to be put before the agent; "" when there is nothing to say
	Tokens   int    // what Text costs, about; never more than the budget
	Items    []RecalledItem
	Withheld int // memories that would have been told, were they approved
	// Degraded names what could not be asked or remembered, with the reason.
	Degraded []string
}

// Remind returns what of the memory is worth telling an agent that did not ask: little, and
// only what is certain (attend.Certainty). It never tells what is superseded, over, or not
// to be told unasked (trust), nor what the session was shown; memories of no project or
// another one only when they are of its person or of everybody.
//
// Invalid input is CodeInvalid. An unknown session is told in Degraded. ctx bounds it: what
// is found after it ends is not told.
func (e *Engine) Remind(ctx context.Context, in RemindInput) (Reminder, error) {
	begun := e.tally.begin()
	out, s, err := e.remind(ctx, in)
	if err != nil || len(s.items) > 0 { // silence is what is meant, not a search that found nothing
		e.tally.read(begun, in.Project, s, err)
	}
	return out, err
}

func (e *Engine) remind(ctx context.Context, in RemindInput) (Reminder, showing, error) {
	s := showing{verb: useRemind}
	in, err := in.clean()
	if err != nil {
		return Reminder{}, s, err
	}
	t := &reminding{Engine: e.inFolder(in.Directory), in: in, at: e.now(), head: render.RemindOfPrompt}
	for _, ask := range []func(context.Context) error{t.byError, t.byPath, t.byQuery} {
		if err := ask(ctx); err != nil {
			return Reminder{}, s, err
		}
		if len(t.hits) > 0 {
			break
		}
	}
	t.tellAnchors(ctx)
	t.tell()
	s = showing{verb: useRemind, query: t.asked, session: t.session, items: t.shown, fallback: len(t.out.Degraded) > 0}
	claimed := len(t.shown) > 0 && in.Tell != nil && t.hand(ctx, &s)
	if len(s.items) > 0 && !claimed {
		t.out.Degraded = append(t.out.Degraded, e.remember(ctx, s)...)
	}
	return t.out, s, nil
}

// hand gives what was found to whoever tells it, and keeps of it what was told. It reports
// whether the store knows that already.
func (t *reminding) hand(ctx context.Context, s *showing) (claimed bool) {
	h := t.handOver(ctx, t.in.Tell, s, t.in.Again, t.textOf, func() error { return nil })
	t.out.Items = slices.DeleteFunc(t.out.Items, func(i RecalledItem) bool { return !slices.Contains(h.nums, i.Hit.Memory.Num) })
	t.out.Text = t.textOf(h.nums)
	t.out.Tokens = text.Tokens(t.out.Text)
	return h.claimed
}

// clean checks what came in and fills the defaults in.
func (in RemindInput) clean() (RemindInput, error) {
	if err := (raw{{"project", in.Project}, {"session id", in.SessionID}, {"directory", in.Directory}, {"path", in.Path}}).check(); err != nil {
		return in, err
	}
	budget := RemindBudget
	if in.Error != "" || in.Path != "" {
		budget = FileBudget
	}
	var err error
	in.Budget, err = limited("budget", in.Budget, budget, MaxBudget)
	in.Project, in.SessionID = normalProject(in.Project), line(in.SessionID)
	in.Query, in.Error = redact.Private(in.Query), redact.Private(in.Error)
	return in, err
}

// reminding is a reminder in the making.
type reminding struct {
	*Engine
	in      RemindInput
	out     Reminder
	session engram.Session
	seen    map[int64]bool
	asked   string // what was looked up, for the uses
	head    string
	fault   string // of an error that is looked up, while it is
	at      time.Time
	words   map[string]bool // by which passages are chosen
	meant   map[string]bool // of these, those that say what it is about
	asks    bool            // the prompt is nothing but one question,
	inquiry attend.Inquiry  // which is this one
	hits    []engram.Hit    // that may be told, best first
	shown   []shownItem
}

// byQuery finds what a prompt is about.
func (t *reminding) byQuery(ctx context.Context) error {
	question := attend.Question(t.in.Query)
	if question == "" {
		return nil
	}
	t.inquiry, t.asks = attend.AsksOne(question)
	return t.find(ctx, question, nil)
}

// byError finds what was learned of an error like this.
func (t *reminding) byError(ctx context.Context) error {
	fault := attend.Fault(t.in.Error)
	if fault == "" {
		return nil
	}
	t.head, t.fault = render.RemindOfError, fault
	defer func() { t.fault = "" }()
	return t.find(ctx, fault, []engram.Type{engram.TypeBugfix, attend.OutcomeType})
}

// remindDepth is how many finds are weighed: what is certain stands at the top, and what it
// stands out from right below.
const remindDepth = 10

// find searches in the project, and beyond it for what is of the person or of everybody:
// that by words alone, which is half of what a search costs and what stands out by its
// words is told all the same.
func (t *reminding) find(ctx context.Context, question string, types []engram.Type) error {
	t.asked, t.words, t.meant = question, retrieval.AskedWords(question), attend.Meant(question)
	var asks []SearchInput
	if t.in.Project != "" {
		asks = append(asks, SearchInput{Filter: engram.Filter{Project: t.in.Project, Types: types}, Own: true})
	}
	for _, s := range []engram.Scope{engram.ScopePersonal, engram.ScopeGlobal} {
		asks = append(asks, SearchInput{Filter: engram.Filter{Scope: s, Types: types}, Mode: ModeLexical})
	}
	hops := 0
	var lists []engram.Found
	for _, ask := range asks {
		ask.Query, ask.Limit, ask.Hops = question, remindDepth, &hops
		found, err := t.lookUp(ctx, ask)
		if err != nil {
			return err
		}
		t.out.Degraded = append(t.out.Degraded, found.Degraded...)
		if len(found.Hits)+len(found.Weak) > 0 {
			lists = append(lists, found)
		}
	}
	if len(lists) == 0 {
		return nil
	}
	return t.store.View(ctx, func(r engram.Reader) error {
		if err := t.open(ctx, r); err != nil {
			return err
		}
		var err error
		t.hits, err = t.trusted(ctx, r, t.sure(lists))
		return err
	})
}

// open reads who asks and what was shown there.
func (t *reminding) open(ctx context.Context, r engram.Reader) error {
	if t.seen != nil {
		return nil
	}
	t.seen = map[int64]bool{}
	var degraded []string
	var err error
	if t.session, degraded, err = inSession(ctx, r, t.in.SessionID); err != nil {
		return err
	}
	t.out.Degraded = append(t.out.Degraded, degraded...)
	if t.in.Again {
		return nil
	}
	seen, err := seenIn(ctx, r, t.session)
	for num := range seen {
		t.seen[num] = true
	}
	for _, num := range t.in.Told {
		t.seen[num] = true
	}
	return err
}

// trusted are the hits that may be told unasked.
func (t *reminding) trusted(ctx context.Context, r engram.Reader, hits []engram.Hit) ([]engram.Hit, error) {
	ms := make([]engram.Memory, len(hits))
	for i, h := range hits {
		ms[i] = h.Memory
	}
	yes, withheld, err := t.injectable(ctx, r, ms)
	t.out.Withheld += withheld
	var told []engram.Hit
	for _, h := range hits {
		if i := slices.IndexFunc(yes, func(m engram.Memory) bool { return m.Num == h.Memory.Num }); i >= 0 {
			h.Memory = yes[i] // without the secrets that it may still have
			told = append(told, h)
		}
	}
	return told, err
}

// tell writes what was found, as far as the budget goes.
func (t *reminding) tell() {
	if len(t.hits) == 0 {
		return
	}
	var lines []string
	rest := t.in.Budget - text.Tokens(render.Remind(t.head, nil))
	for i, h := range t.hits {
		l := t.line(h, rest/(len(t.hits)-i))
		cost := text.Tokens(l)
		if l == "" || cost > rest {
			continue
		}
		rest -= cost
		lines = append(lines, l)
		t.out.Items = append(t.out.Items, RecalledItem{Hit: h, Text: l, Whole: strings.Contains(l, render.Line(h.Memory.Content, 0)), Tokens: cost})
		t.shown = append(t.shown, shownItem{h.Memory, cost})
	}
	if len(lines) == 0 {
		return
	}
	t.out.Text = render.Remind(t.head, lines)
	t.out.Tokens = text.Tokens(t.out.Text)
}
