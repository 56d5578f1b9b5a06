package engine

import (
	"context"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/attend"
	"github.com/alanbuscaglia/engram/internal/lifecycle"
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
	// Injected are memories, by number, that the caller knows to have been told, though the
	// store may not: it could not be written then.
	Injected []int64
	// Inject, where it is given, is called when there is something to tell: what it says was told
	// is what the Reminder has, and what is remembered.
	Inject Injector
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

// Remind returns what is worth telling an agent that did not ask: little, and only what is certain (attend.Certainty). It
// never tells what is superseded, over, barred (trust) or was shown to the session before, and tells memories of
// no project or another one only when they are of its person or of everybody.
//
// Invalid input is CodeInvalid. Degraded reports an unknown session. ctx bounds it: later finds are not told.
func (e *Engine) Remind(ctx context.Context, in RemindInput) (Reminder, error) {
	begun := e.tally.begin()
	out, s, err := e.remind(ctx, in)
	if err != nil || len(s.items) > 0 { // silence is what is meant, not a search that found nothing
		e.tally.read(begun, in.Project, s, err)
	}
	return out, err
}

func (e *Engine) remind(ctx context.Context, in RemindInput) (Reminder, exposure, error) {
	s := exposure{operation: useRemind}
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
	t.reportAnchors(ctx)
	t.report()
	s = exposure{operation: useRemind, query: t.asked, session: t.session, items: t.shown, fallback: len(t.out.Degraded) > 0}
	claimed := len(t.shown) > 0 && in.Inject != nil && t.hand(ctx, &s)
	if len(s.items) > 0 && !claimed {
		t.out.Degraded = append(t.out.Degraded, e.remember(ctx, s)...)
	}
	return t.out, s, nil
}

// hand gives what was found to whoever tells it, and keeps of it what was told. It reports
// whether the store knows that already.
func (t *reminding) hand(ctx context.Context, s *exposure) (claimed bool) {
	h := t.handOver(ctx, t.in.Inject, s, t.in.Again, t.textOf, func() error { return nil })
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
	shown   []exposedItem
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
		if len(found.Hits)+len(found.BelowThreshold) > 0 {
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
	for _, num := range t.in.Injected {
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

// report writes what was found, as far as the budget goes.
func (t *reminding) report() {
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
		t.shown = append(t.shown, exposedItem{h.Memory, cost})
	}
	if len(lines) == 0 {
		return
	}
	t.out.Text = render.Remind(t.head, lines)
	t.out.Tokens = text.Tokens(t.out.Text)
}

// lookUp searches in one scope. What stands out by its words does so whatever it means, and
// what does not come near to that is not lifted there by its meaning: then the words answer
// alone. Meaning is asked only where it decides, for that costs as much as all the rest of an
// event.
func (t *reminding) lookUp(ctx context.Context, ask SearchInput) (engram.Found, error) {
	found, known, err := t.byWords(ctx, ask)
	if err != nil || known && t.resolved(found, ask.Mode) {
		return found, err
	}
	return t.Engine.find(ctx, ask)
}

// byWords finds the memories that have the words of a question, by these alone. known is
// false for a question that words do not answer, such as one that is nothing but a time.
func (t *reminding) byWords(ctx context.Context, ask SearchInput) (found engram.Found, known bool, err error) {
	if ask, err = ask.clean(); err != nil {
		return found, false, err
	}
	err = t.store.View(ctx, func(r engram.Reader) error {
		if err := t.open(ctx, r); err != nil {
			return err
		}
		if p, named, err := r.Project(ctx, ask.Filter.Project); err != nil {
			return err
		} else if named { // an alias is asked for by the name that memories have
			ask.Filter.Project = p.Name
		}
		q := newQuestion(t.Engine, r, ask)
		if _, _, only := q.onlyWhen(); only || q.wordless() {
			return nil
		}
		known = true
		lexical, err := r.Lexical(ctx, engram.LexicalQuery{Terms: q.terms, Filter: ask.Filter, Limit: ask.Limit, Alone: true})
		if err != nil || len(lexical.Hits) == 0 {
			return err
		}
		found = engram.Found{Query: ask.Query, Rows: lexical.Rows}
		if found.Hits, err = q.said(ctx, lexical.Hits); err != nil {
			return err
		}
		return t.annotate(ctx, r, found.Hits)
	})
	return found, known, err
}

// said are finds of the lexical channel, with their memories.
func (q *question) said(ctx context.Context, finds []engram.Ranked) ([]engram.Hit, error) {
	ms, err := q.r.Memories(ctx, numsOf(finds))
	if err != nil {
		return nil, err
	}
	byNum := byNum(ms)
	var hits []engram.Hit
	for i, f := range finds {
		if m, ok := byNum[f.Num]; ok {
			hits = append(hits, engram.Hit{Memory: m, Score: f.Score, State: lifecycle.State(m, q.now()),
				Why: engram.Why{Channels: []engram.ChannelRank{{Channel: engram.ChannelLexical, Rank: i + 1, Score: f.Score}}}})
		}
	}
	return hits, nil
}

// resolved reports whether of a search by words the same is told whatever its finds mean.
// What supersedes a find need not have its words: then a whole search says what stands in its
// place.
func (t *reminding) resolved(found engram.Found, mode Mode) bool {
	if slices.ContainsFunc(found.Hits, func(h engram.Hit) bool { return successor(h) != 0 }) {
		return false
	}
	if mode == ModeLexical {
		return true
	}
	c := attend.DefaultCertainty()
	_, finds := t.weighed(found)
	sure := len(t.verdicts(c, finds, found.Rows))
	for i := range finds {
		finds[i].Near = 1
		if sure == 0 {
			finds[i].Relevance = 1 // what of a question is answered by its words has been answered
		}
	}
	return len(t.verdicts(c, finds, found.Rows)) == sure // nearness makes none less certain
}

// leastExcerpt is the fewest tokens of a text that say something.
const leastExcerpt = 12

// line is a hit as it is told, of at most so many tokens: what it is, and the passage that
// answers best. "" where not even its head goes in.
func (t *reminding) line(h engram.Hit, tokens int) string {
	m := h.Memory
	head := render.RemindLine(m, h.Note(), "", t.at)
	room := tokens - text.Tokens(head) - 2
	if room < leastExcerpt {
		if text.Tokens(head) > tokens {
			return ""
		}
		return head
	}
	c := retrieval.Candidate{Num: m.Num, Body: m.Content, Summary: m.OwnSummary()}
	return render.RemindLine(m, h.Note(), retrieval.Fragment(c, t.words, room), t.at)
}

// textOf is how a reminder reads with some of its memories alone.
func (t *reminding) textOf(mine []int64) string {
	var lines []string
	for _, item := range t.out.Items {
		if slices.Contains(mine, item.Hit.Memory.Num) {
			lines = append(lines, item.Text)
		}
	}
	if len(lines) == 0 {
		return ""
	}
	return render.Remind(t.head, lines)
}

// How much is told about a file, and how much is looked at for it.
const (
	fileMost  = 3
	fileDepth = 30
)

// byPath finds what is anchored to a file, and then what names it; once for each file of
// a session.
func (t *reminding) byPath(ctx context.Context) error {
	places := attend.Places(t.in.Directory, t.in.Path)
	if len(places) == 0 {
		return nil
	}
	t.head, t.asked = render.RemindOfFile, "file: "+places[0]
	var hits []engram.Hit
	err := t.store.View(ctx, func(r engram.Reader) error {
		if err := t.open(ctx, r); err != nil {
			return err
		}
		anchored, err := t.anchored(ctx, r, places)
		hits = anchored
		return err
	})
	if err != nil {
		return err
	}
	if len(hits) < fileMost {
		named, err := t.naming(ctx, places[0])
		if err != nil {
			return err
		}
		hits = append(hits, named...)
	}
	return t.store.View(ctx, func(r engram.Reader) error { return t.aboutFile(ctx, r, hits) })
}

// aboutFile keeps of hits what may be told about a file that was not told about before.
func (t *reminding) aboutFile(ctx context.Context, r engram.Reader, hits []engram.Hit) error {
	known := map[int64]bool{}
	hits = slices.DeleteFunc(hits, func(h engram.Hit) bool {
		num := h.Memory.Num
		out := t.seen[num] || known[num] || h.Memory.Forgotten() || !h.Memory.ValidTo.IsZero() && !h.Memory.ValidTo.After(t.at)
		known[num] = true
		return out
	})
	if len(hits) == 0 {
		return nil
	}
	if told, err := t.toldBefore(ctx, r); err != nil || told && !t.in.Again {
		return err
	}
	if err := t.annotate(ctx, r, hits); err != nil {
		return err
	}
	hits = slices.DeleteFunc(hits, func(h engram.Hit) bool { return h.Repeats != 0 || successor(h) != 0 })
	hits, err := t.trusted(ctx, r, hits[:min(len(hits), 2*fileMost)])
	t.hits = hits[:min(len(hits), fileMost)]
	return err
}

// toldBefore reports whether the session was told something for this question before.
func (t *reminding) toldBefore(ctx context.Context, r engram.Reader) (bool, error) {
	if t.session.ID == "" {
		return false, nil
	}
	uses, err := usesOf(ctx, r, t.session.ID)
	return slices.ContainsFunc(uses, func(u engram.Exposure) bool { return u.Operation == useRemind && u.Query == t.asked }), err
}

// anchored are the memories that are tied to a file, by any of the names it may have in its
// repository.
func (t *reminding) anchored(ctx context.Context, r engram.Reader, places []string) ([]engram.Hit, error) {
	if t.in.Project == "" {
		return nil, nil
	}
	var hits []engram.Hit
	for _, p := range places {
		ms, err := r.Anchored(ctx, t.in.Project, p, fileDepth)
		if err != nil {
			return nil, err
		}
		for _, m := range ms {
			hits = append(hits, engram.Hit{Memory: m})
		}
	}
	return hits, nil
}

// naming are the memories whose text names a file: by its path, by the end of it, or by its
// own name where hardly another file is called so and the text does not say that another
// one is meant.
func (t *reminding) naming(ctx context.Context, place string) ([]engram.Hit, error) {
	names := attend.NamesOf(place)
	if len(names) == 0 || t.in.Project == "" {
		return nil, nil
	}
	found, err := t.Engine.find(ctx, SearchInput{Query: path.Base(place), All: true, Mode: ModeLexical, Limit: fileDepth, Own: true, Filter: engram.Filter{Project: t.in.Project}})
	if err != nil {
		return nil, err
	}
	return slices.DeleteFunc(found.Hits, func(h engram.Hit) bool {
		said := strings.ToLower(h.Memory.Title + "\n" + h.Memory.Content)
		return attend.Elsewhere(said, strings.ToLower(place)) || !slices.ContainsFunc(names, func(n string) bool { return attend.Names(said, strings.ToLower(n)) })
	}), nil
}
