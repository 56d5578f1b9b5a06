package brief

import (
	"cmp"
	"context"
	"maps"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/attend"
	"github.com/alanbuscaglia/engram/internal/engine/exposure"
	"github.com/alanbuscaglia/engram/internal/engine/projects"
	"github.com/alanbuscaglia/engram/internal/engine/read"
	"github.com/alanbuscaglia/engram/internal/engine/screen"
	"github.com/alanbuscaglia/engram/internal/engine/search"
	"github.com/alanbuscaglia/engram/internal/engine/walk"
	"github.com/alanbuscaglia/engram/internal/redact"
	"github.com/alanbuscaglia/engram/internal/render"
	"github.com/alanbuscaglia/engram/internal/retrieval"
	"github.com/alanbuscaglia/engram/internal/text"
)

// RemindInput is what an agent is about to do: an Error, a Path or a Query. The first of these, in this order,
// about which something is known counts.
type RemindInput struct {
	Project   string // resolved; "" selects only memories of every project
	SessionID string // leaves out what this session was shown, and records what it is shown now; "" for none
	Directory string // base of a relative Path; the repository or a folder in it
	Query     string // the person's prompt as typed
	Path      string // file about to be read or changed
	Error     string // error as printed
	Budget    int    // tokens of the whole text; 0 is RemindBudget for a Query, else FileBudget; at most MaxBudget
	Again     bool   // repeat what the session was shown before
	// Injected are memories, by number, that the caller knows were shown, though the store may not know it.
	Injected []int64
	// Inject, if set, is called if there is anything to show. The Reminder has, and the store records, only
	// what it reports as shown.
	Inject exposure.Injector
}

// Budgets of injected reminders, in tokens.
const (
	RemindBudget = 300
	FileBudget   = 200
)

// Reminder is what is worth injecting.
type Reminder struct {
	Text     string // for the agent; "" if there is nothing to show
	Tokens   int    // estimated cost of Text, at most the budget
	Items    []search.RecalledItem
	Withheld int // memories left out because a person has not approved them
	// Degraded lists what could not be asked or recorded, with the reason.
	Degraded []string
}

// Remind returns the few certain memories (attend.Certainty) worth injecting for an agent that did not ask. It
// never shows memories that are superseded, expired, flagged, or were shown to the session before, and shows
// memories of no or another project only if they are personal or global.
//
// Invalid input is CodeInvalid. Degraded reports an unknown session. ctx bounds it: when it ends, what was found in
// time is shown, and Degraded says so.
func (b *Briefer) Remind(ctx context.Context, in RemindInput) (Reminder, error) {
	begun := b.exposure.Tally.Begin()
	out, s, err := b.remind(ctx, in)
	if err != nil || len(s.Items) > 0 { // an empty reminder is intended, not a failed search
		b.exposure.Tally.Read(begun, in.Project, s, err)
	}
	return out, err
}

func (b *Briefer) remind(ctx context.Context, in RemindInput) (Reminder, exposure.Exposure, error) {
	s := exposure.Exposure{Operation: exposure.OpRemind}
	in, err := in.clean()
	if err != nil {
		return Reminder{}, s, err
	}
	t := &reminderBuilder{briefer: b, in: in, at: b.ledger.Now(), head: render.RemindOfPrompt}
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
	s = exposure.Exposure{Operation: exposure.OpRemind, Query: t.asked, Session: t.session, Items: t.shown, Fallback: len(t.out.Degraded) > 0}
	claimed := len(t.shown) > 0 && in.Inject != nil && t.inject(ctx, &s)
	if len(s.Items) > 0 && !claimed {
		t.out.Degraded = append(t.out.Degraded, b.exposure.Record(ctx, s)...)
	}
	return t.out, s, nil
}

// inject passes the reminder to the injector and keeps what was shown. claimed is true if the store already knows
// it.
func (t *reminderBuilder) inject(ctx context.Context, s *exposure.Exposure) (claimed bool) {
	h := t.briefer.exposure.Deliver(ctx, t.in.Inject, s, t.in.Again, t.textOf, func() error { return nil })
	t.out.Items = slices.DeleteFunc(t.out.Items, func(i search.RecalledItem) bool { return !slices.Contains(h.Nums, i.Hit.Memory.Num) })
	t.out.Text = t.textOf(h.Nums)
	t.out.Tokens = text.Tokens(t.out.Text)
	return h.Claimed
}

func (in RemindInput) clean() (RemindInput, error) {
	if err := (screen.Raw{"project", in.Project, "session id", in.SessionID, "directory", in.Directory, "path", in.Path}).Check(); err != nil {
		return in, err
	}
	budget := RemindBudget
	if in.Error != "" || in.Path != "" {
		budget = FileBudget
	}
	var err error
	in.Budget, err = screen.Limited("budget", in.Budget, budget, search.MaxBudget)
	in.Project, in.SessionID = screen.NormalProject(in.Project), screen.Line(in.SessionID)
	in.Query, in.Error = redact.Private(in.Query), redact.Private(in.Error)
	return in, err
}

type reminderBuilder struct {
	briefer *Briefer
	in      RemindInput
	out     Reminder
	session engram.Session
	seen    map[int64]bool
	gate    *screen.Gate // of the finds
	asked   string       // recorded as the query
	head    string
	fault   string // of an error while it is looked up
	at      time.Time
	words   map[string]bool // words that select passages
	meant   map[string]bool // those of words that tell the subject
	asks    bool            // the prompt is a single question,
	inquiry attend.Inquiry  // this one
	hits    []engram.Hit    // injectable, best first
	shown   []exposure.Item
}

// byQuery finds memories about a prompt.
func (t *reminderBuilder) byQuery(ctx context.Context) error {
	question := attend.Question(t.in.Query)
	if question == "" {
		return nil
	}
	t.inquiry, t.asks = attend.AsksOne(question)
	return t.find(ctx, question, nil)
}

// byError finds memories about a similar error.
func (t *reminderBuilder) byError(ctx context.Context) error {
	fault := attend.Fault(t.in.Error)
	if fault == "" {
		return nil
	}
	t.head, t.fault = render.RemindOfError, fault
	defer func() { t.fault = "" }()
	return t.find(ctx, fault, []engram.Type{engram.TypeBugfix, attend.OutcomeType})
}

// remindDepth is the number of finds weighed: certain ones rank at the top and stand out from those right
// below.
const remindDepth = 10

// find searches the project, and beyond it for personal and global memories. The latter by words alone: this
// saves half the cost, and what stands out by its words is found anyway.
func (t *reminderBuilder) find(ctx context.Context, question string, types []engram.Type) error {
	t.asked, t.words, t.meant = question, retrieval.AskedWords(question), attend.Meant(question)
	var asks []search.SearchInput
	if t.in.Project != "" {
		asks = append(asks, search.SearchInput{Filter: engram.Filter{Project: t.in.Project, Types: types}, Own: true})
	}
	for _, s := range []engram.Scope{engram.ScopePersonal, engram.ScopeGlobal} {
		asks = append(asks, search.SearchInput{Filter: engram.Filter{Scope: s, Types: types}, Mode: search.ModeLexical})
	}
	hops := 0
	var lists []engram.Found
	var late error // after ctx ended, what was found before is enough
	for _, ask := range asks {
		ask.Query, ask.Limit, ask.Hops = question, remindDepth, &hops
		found, err := t.lookUp(ctx, ask)
		if err != nil && ctx.Err() == nil {
			return err
		}
		late = cmp.Or(late, err)
		t.out.Degraded = append(t.out.Degraded, found.Degraded...)
		if len(found.Hits)+len(found.BelowThreshold) > 0 {
			lists = append(lists, found)
		}
	}
	if len(lists) == 0 {
		return late
	}
	hits := t.sure(lists)
	err := t.know(ctx, hits)
	if err != nil && ctx.Err() == nil {
		return err
	}
	late = cmp.Or(late, err)
	t.hits = t.trusted(hits)
	if late != nil && len(t.hits) > 0 {
		t.out.Degraded = append(t.out.Degraded, outOfTime)
		return nil
	}
	return late
}

// know reads whether hits are trusted, as far as a search has not done so.
func (t *reminderBuilder) know(ctx context.Context, hits []engram.Hit) error {
	ms := slices.DeleteFunc(walk.MemoriesOf(hits), func(m engram.Memory) bool { return t.gate.Knows(m.Num) })
	if len(ms) == 0 {
		return nil
	}
	return t.briefer.ledger.View(ctx, func(r engram.Reader) error { return t.gate.Know(ctx, r, ms) })
}

// open reads the session and what it was shown.
func (t *reminderBuilder) open(ctx context.Context, r engram.Reader) error {
	if t.seen != nil {
		return nil
	}
	t.seen = map[int64]bool{}
	var degraded []string
	var err error
	if t.gate, err = t.briefer.screen.Gate(ctx, r); err != nil {
		return err
	}
	if t.session, degraded, err = exposure.InSession(ctx, r, t.in.SessionID); err != nil {
		return err
	}
	t.out.Degraded = append(t.out.Degraded, degraded...)
	if t.in.Again {
		return nil
	}
	seen, err := exposure.SeenIn(ctx, r, t.session)
	maps.Copy(t.seen, seen)
	for _, num := range t.in.Injected {
		t.seen[num] = true
	}
	return err
}

// trusted returns the hits that may be injected, redacted.
func (t *reminderBuilder) trusted(hits []engram.Hit) []engram.Hit {
	yes, withheld := t.gate.Pass(walk.MemoriesOf(hits))
	t.out.Withheld += withheld
	known := screen.ByNum(yes)
	var kept []engram.Hit
	for _, h := range hits {
		if m, ok := known[h.Memory.Num]; ok {
			h.Memory = m // redacted
			kept = append(kept, h)
		}
	}
	return kept
}

func (t *reminderBuilder) report() {
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
		t.out.Items = append(t.out.Items, search.RecalledItem{Hit: h, Text: l, Whole: strings.Contains(l, render.Line(h.Memory.Content, 0)), Tokens: cost})
		t.shown = append(t.shown, exposure.Item{Memory: h.Memory, Tokens: cost})
	}
	if len(lines) == 0 {
		return
	}
	t.out.Text = render.Remind(t.head, lines)
	t.out.Tokens = text.Tokens(t.out.Text)
}

// lookUp searches one scope, by words alone if meaning cannot change the result: meaning costs as much as the
// rest of a reminder. If only the search by meaning fails, it returns the finds by words beside the error.
func (t *reminderBuilder) lookUp(ctx context.Context, ask search.SearchInput) (engram.Found, error) {
	said, known, err := t.byWords(ctx, ask)
	if err != nil {
		return engram.Found{}, err
	}
	if known && t.resolved(said, ask.Mode) {
		return said, nil
	}
	found, err := t.briefer.search.Find(ctx, t.in.Directory, ask)
	if err != nil {
		return said, err
	}
	return found, nil
}

// byWords finds memories by words alone. known is false for a question that words cannot answer, such as a mere
// time.
func (t *reminderBuilder) byWords(ctx context.Context, ask search.SearchInput) (found engram.Found, known bool, err error) {
	if ask, err = ask.Clean(); err != nil {
		return found, false, err
	}
	err = t.briefer.ledger.View(ctx, func(r engram.Reader) (err error) {
		if err := t.open(ctx, r); err != nil {
			return err
		}
		if ask.Filter.Project, err = projects.CanonicalProject(ctx, r, ask.Filter.Project); err != nil { // as in memories
			return err
		}
		q := search.NewQuestion(t.briefer.search, r, ask)
		if _, _, only := q.OnlyWhen(); only || q.Wordless() {
			return nil
		}
		known = true
		lexical, err := r.Lexical(ctx, engram.LexicalQuery{Terms: q.Terms, Filter: ask.Filter, Limit: ask.Limit, Alone: true})
		if err != nil || len(lexical.Hits) == 0 {
			return err
		}
		found = engram.Found{Query: ask.Query, Rows: lexical.Rows}
		if found.Hits, err = q.Said(ctx, lexical.Hits); err != nil {
			return err
		}
		if err := t.briefer.search.Annotate(ctx, r, found.Hits); err != nil {
			return err
		}
		return t.gate.Know(ctx, r, walk.MemoriesOf(found.Hits))
	})
	return found, known, err
}

// resolved reports whether a search by words is conclusive whatever its finds mean. A superseded find is not:
// its successor may lack the words, and only a full search finds it.
func (t *reminderBuilder) resolved(found engram.Found, mode search.Mode) bool {
	if slices.ContainsFunc(found.Hits, func(h engram.Hit) bool { return successor(h) != 0 }) {
		return false
	}
	if mode == search.ModeLexical {
		return true
	}
	c := attend.DefaultCertainty()
	_, finds := t.weighed(found)
	sure := len(t.verdicts(c, finds, found.Rows))
	for i := range finds {
		finds[i].Near = 1
		if sure == 0 {
			finds[i].Relevance = 1 // a question answered by its words is answered
		}
	}
	return len(t.verdicts(c, finds, found.Rows)) == sure // nearness never lowers certainty
}

// leastExcerpt is the fewest tokens of a meaningful excerpt.
const leastExcerpt = 12

// line returns the line of a hit within tokens: its heading and the best passage; "" if not even the heading
// fits.
func (t *reminderBuilder) line(h engram.Hit, tokens int) string {
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

// textOf returns the text of the reminder with only some of its memories.
func (t *reminderBuilder) textOf(mine []int64) string {
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

// Limits for one file: hits shown and memories considered.
const (
	fileMost  = 3
	fileDepth = 30
)

// byPath finds memories anchored to a file, then memories that name it; once per file and session.
func (t *reminderBuilder) byPath(ctx context.Context) error {
	places := attend.Places(t.in.Directory, t.in.Path)
	if len(places) == 0 {
		return nil
	}
	t.head, t.asked = render.RemindOfFile, "file: "+places[0]
	var hits []engram.Hit
	err := t.briefer.ledger.View(ctx, func(r engram.Reader) (err error) {
		if err := t.open(ctx, r); err != nil {
			return err
		}
		hits, err = t.anchored(ctx, r, places)
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
	return t.briefer.ledger.View(ctx, func(r engram.Reader) error { return t.aboutFile(ctx, r, hits) })
}

// aboutFile keeps the hits that may be shown for a file without an earlier reminder.
func (t *reminderBuilder) aboutFile(ctx context.Context, r engram.Reader, hits []engram.Hit) error {
	known := map[int64]bool{}
	hits = slices.DeleteFunc(hits, func(h engram.Hit) bool {
		num := h.Memory.Num
		out := t.seen[num] || known[num] || h.Memory.Forgotten() || expired(h.Memory, t.at)
		known[num] = true
		return out
	})
	if len(hits) == 0 {
		return nil
	}
	if reminded, err := t.remindedBefore(ctx, r); err != nil || reminded && !t.in.Again {
		return err
	}
	if err := t.briefer.search.Annotate(ctx, r, hits); err != nil {
		return err
	}
	hits = slices.DeleteFunc(hits, func(h engram.Hit) bool { return h.Repeats != 0 || successor(h) != 0 })
	hits = hits[:min(len(hits), 2*fileMost)]
	if err := t.gate.Know(ctx, r, walk.MemoriesOf(hits)); err != nil {
		return err
	}
	hits = t.trusted(hits)
	t.hits = hits[:min(len(hits), fileMost)]
	return nil
}

// remindedBefore reports whether the session had a reminder for this question before.
func (t *reminderBuilder) remindedBefore(ctx context.Context, r engram.Reader) (bool, error) {
	if t.session.ID == "" {
		return false, nil
	}
	exposures, err := read.ExposuresOf(ctx, r, t.session.ID)
	return slices.ContainsFunc(exposures, func(u engram.Exposure) bool { return u.Operation == exposure.OpRemind && u.Query == t.asked }), err
}

// anchored returns memories anchored to a file under any of its names in the repository.
func (t *reminderBuilder) anchored(ctx context.Context, r engram.Reader, places []string) ([]engram.Hit, error) {
	if t.in.Project == "" {
		return nil, nil
	}
	var hits []engram.Hit
	for _, p := range places {
		ms, err := r.List(ctx, engram.Filter{Project: t.in.Project, Anchor: p}, engram.Page{Limit: fileDepth})
		if err != nil {
			return nil, err
		}
		hits = append(hits, walk.Mapped(ms, func(m engram.Memory) engram.Hit { return engram.Hit{Memory: m} })...)
	}
	return hits, nil
}

// naming returns memories whose text names a file: by its path, the end of its path, or its base name if that
// is rare and the text does not mean another file.
func (t *reminderBuilder) naming(ctx context.Context, place string) ([]engram.Hit, error) {
	names := attend.NamesOf(place)
	if len(names) == 0 || t.in.Project == "" {
		return nil, nil
	}
	found, err := t.briefer.search.Find(ctx, t.in.Directory, search.SearchInput{Query: path.Base(place), All: true, Mode: search.ModeLexical, Limit: fileDepth, Own: true, Filter: engram.Filter{Project: t.in.Project}})
	if err != nil {
		return nil, err
	}
	return slices.DeleteFunc(found.Hits, func(h engram.Hit) bool {
		said := strings.ToLower(h.Memory.Title + "\n" + h.Memory.Content)
		return attend.Elsewhere(said, strings.ToLower(place)) || !slices.ContainsFunc(names, func(n string) bool { return attend.Names(said, strings.ToLower(n)) })
	}), nil
}
