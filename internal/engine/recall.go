package engine

import (
	"context"
	"errors"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/redact"
	"github.com/alanbuscaglia/engram/internal/render"
	"github.com/alanbuscaglia/engram/internal/retrieval"
	"github.com/alanbuscaglia/engram/internal/text"
)

// RecallInput is a question whose answer is to fill a budget.
type RecallInput struct {
	// SearchInput is what is asked and where. Limit is how many finds are weighed; 0 is
	// 50, or 100 for a budget above 8,000.
	SearchInput
	Budget    int            // tokens; 0 is 4,000, at most MaxBudget
	SessionID string         // leaves out what that session was shown, and remembers this; "" is none
	Again     bool           // what the session was shown before is shown again
	Unseen    bool           // without a session, what is shown does not count as accessed
	Zone      *time.Location // of the dates in texts; nil is UTC
}

// The budgets, in tokens.
const (
	RecallBudget  = 4_000
	ContextBudget = 2_000
	MaxBudget     = 10_000_000
)

// Recalled is a filled budget.
type Recalled struct {
	Query    string         // as it was asked, private spans removed
	Items    []RecalledItem // best first
	LeftOut  []engram.LeftOut
	Text     string // the items as one block to paste; "" when there are none
	Tokens   int    // what Text costs, about; never more than Budget
	Budget   int
	Repaired []engram.Repair
	Times    []engram.TimeSpan
	// Degraded names each channel that could not answer, with the reason, and says
	// when what was shown could not be remembered. Empty when all is well.
	Degraded []string

	fallback, found bool // as showing has them
}

// RecalledItem is what is shown of one memory.
type RecalledItem struct {
	Hit    engram.Hit
	Text   string // Markdown: a head, and all or part of the content
	Whole  bool   // all of the content
	Tokens int
}

// Found reports whether anything relevant was found, be it shown or left out.
func (out Recalled) Found() bool { return out.found }

// Recall answers a question with as much of what was found as fits a budget of tokens, and says what it left out and why;
// retrieval.Focus is the rule. A budget below 0 or above MaxBudget is CodeInvalid, and so is what Search refuses. With a
// SessionID it shows nothing that the session was shown before, and records what it shows, after the answer was made.
func (e *Engine) Recall(ctx context.Context, in RecallInput) (Recalled, error) {
	begun := e.tally.begin()
	out, err := e.recall(ctx, in)
	e.tally.read(begun, in.Filter.Project, out.showing(engram.Session{}), err)
	return out, err
}

func (e *Engine) recall(ctx context.Context, in RecallInput) (Recalled, error) {
	budget, err := limited("budget", in.Budget, RecallBudget, MaxBudget)
	if err != nil {
		return Recalled{}, err
	}
	if in.Limit == 0 {
		if in.Limit = 50; budget > 2*RecallBudget {
			in.Limit = 100
		}
	}
	found, err := e.inFolderOf(ctx, in.SessionID).find(ctx, in.SearchInput)
	if err != nil {
		return Recalled{}, err
	}
	out := Recalled{Query: found.Query, Budget: budget, Repaired: found.Repaired, Times: found.Times, Degraded: found.Degraded,
		fallback: found.Query == "" || len(found.Degraded) > 0, found: len(found.Hits) > 0}
	var session engram.Session
	var seen map[int64]bool
	err = e.store.View(ctx, func(r engram.Reader) error {
		var degraded []string
		session, degraded, err = inSession(ctx, r, in.SessionID)
		out.Degraded = append(out.Degraded, degraded...)
		if err == nil && !in.Again {
			seen, err = seenIn(ctx, r, session)
		}
		return err
	})
	if err != nil {
		return Recalled{}, err
	}
	out.fill(slices.Concat(found.Hits, found.BelowThreshold), len(found.Hits), seen, render.Options{Zone: in.Zone})
	if session.ID != "" || !in.Unseen {
		out.Degraded = append(out.Degraded, e.remember(ctx, out.showing(session))...)
	}
	return out, nil
}

// fill chooses what to show of hits, of which those from weak on are below the floor.
func (out *Recalled) fill(hits []engram.Hit, weak int, seen map[int64]bool, o render.Options) {
	cs := make([]retrieval.Candidate, len(hits))
	byNum := make(map[int64]engram.Hit, len(hits))
	for i, h := range hits {
		m := h.Memory
		byNum[m.Num] = h
		cs[i] = retrieval.Candidate{Num: m.Num, Score: h.Score, Head: render.RecallHead(m, h.Note(), o), Body: recallBody(h, m.Content),
			Summary: recallBody(h, m.OwnSummary()), Seen: seen[m.Num], BelowThreshold: i >= weak, Repeats: h.Repeats}
	}
	levelTopics(cs, hits)
	title := text.Tokens(render.RecallTitle(out.Query))
	f := retrieval.Focus(cs, retrieval.FocusPolicy{Budget: out.Budget - title, Asked: retrieval.AskedWords(out.Query)})
	var parts []string
	for _, p := range f.Parts {
		if h := byNum[p.Num]; render.Quoted(h.Memory, h.Note()) {
			p.Text = requoted(p.Text)
		}
		out.Items = append(out.Items, RecalledItem{Hit: byNum[p.Num], Text: p.Text, Whole: p.Whole, Tokens: p.Tokens})
		parts = append(parts, p.Text)
	}
	for _, l := range f.Left {
		out.LeftOut = append(out.LeftOut, engram.LeftOut{Memory: byNum[l.Num].Memory, Reason: l.Reason})
	}
	for out.join(parts); out.Tokens > out.Budget && len(parts) > 0; out.join(parts) {
		last := len(parts) - 1 // its quotation marks were one too many
		out.LeftOut = append(out.LeftOut, engram.LeftOut{Memory: out.Items[last].Hit.Memory, Reason: retrieval.LeftBudget})
		parts, out.Items = parts[:last], out.Items[:last]
	}
}

func (out *Recalled) join(parts []string) {
	out.Text = render.Recall(out.Query, parts)
	out.Tokens = text.Tokens(out.Text)
}

// recallBody is a text of a find as it is shown: what nobody here wrote, or what is suspect, is
// a quotation.
func recallBody(h engram.Hit, s string) string {
	if s != "" && render.Quoted(h.Memory, h.Note()) {
		return render.Quote(s)
	}
	return render.RecallBody(s)
}

// requoted is a part of a quotation below its head, each line of which is one again: it may
// begin within a line.
func requoted(part string) string {
	head, body, _ := strings.Cut(strings.TrimSuffix(part, "\n"), "\n")
	return head + "\n" + render.Quote(body) + "\n"
}

// levelTopics gives a memory whose topic key was asked for the score of the best
// other one: its own only says that it comes first.
func levelTopics(cs []retrieval.Candidate, hits []engram.Hit) {
	byTopic := func(h engram.Hit) bool {
		return slices.ContainsFunc(h.Why.Channels, func(c engram.ChannelRank) bool { return c.Channel == engram.ChannelTopic })
	}
	best := math.Inf(-1)
	for i, h := range hits {
		if !byTopic(h) {
			best = max(best, cs[i].Score)
		}
	}
	for i, h := range hits {
		if byTopic(h) && !math.IsInf(best, -1) {
			cs[i].Score = best
		}
	}
}

func (out *Recalled) showing(session engram.Session) exposure {
	s := exposure{operation: useRecall, query: out.Query, session: session, fallback: out.fallback, found: out.found}
	for _, item := range out.Items {
		s.items = append(s.items, exposedItem{item.Hit.Memory, item.Tokens})
	}
	return s
}

// Elsewhere is what is stored beside the memories and has all the words of a question.
type Elsewhere struct {
	Prompts  []engram.Prompt          // those that were deleted and can be brought back too; by number
	Sessions []engram.SessionActivity // whose summaries have them, the latest activity first
}

// mostPrompts is how many of the prompts that have one of the words are looked through
// for all of them.
const mostPrompts = 10000

// Elsewhere looks through the prompts and the summaries of the sessions of a project for
// all the words of query: forgetting memories leaves those alone. Nothing when query has
// no words that carry meaning.
func (e *Engine) Elsewhere(ctx context.Context, query, project string) (found Elsewhere, err error) {
	project = normalProject(project)
	terms := slices.DeleteFunc(text.Query(redact.Private(query)), func(t engram.Term) bool { return t.Stop || t.Joined })
	if len(terms) == 0 {
		return found, nil
	}
	err = e.store.View(ctx, func(r engram.Reader) error {
		if found.Prompts, err = promptsWith(ctx, r, terms, project); err != nil {
			return err
		}
		if found.Sessions, err = sessionsWith(ctx, r, terms, project); err != nil {
			return err
		}
		return errors.Join(e.shownPrompts(ctx, r, found.Prompts), e.shownSessions(ctx, r, found.Sessions))
	})
	return found, err
}

func promptsWith(ctx context.Context, r engram.Reader, terms []engram.Term, project string) ([]engram.Prompt, error) {
	live, err := r.SearchPrompts(ctx, terms, project, mostPrompts)
	if err != nil {
		return nil, err
	}
	deleted, err := r.DeletedPrompts(ctx, project)
	if err != nil {
		return nil, err
	}
	all := slices.DeleteFunc(slices.Concat(live, deleted), func(p engram.Prompt) bool { return !hasAll(p.Content, terms) })
	slices.SortFunc(all, func(a, b engram.Prompt) int { return int(a.Num - b.Num) })
	return all, nil
}

func sessionsWith(ctx context.Context, r engram.Reader, terms []engram.Term, project string) (all []engram.SessionActivity, err error) {
	const page = 500
	for offset := 0; ; offset += page {
		list, err := r.Sessions(ctx, project, engram.Page{Limit: page, Offset: offset})
		if err != nil {
			return nil, err
		}
		for _, s := range list {
			if s.Summary != "" && hasAll(s.Summary, terms) {
				all = append(all, s)
			}
		}
		if len(list) < page {
			return all, nil
		}
	}
}

// hasAll reports whether a text has every word, as the index would find them.
func hasAll(s string, terms []engram.Term) bool {
	_, tokens := text.Index("", s)
	words := map[string]bool{}
	for word := range strings.SplitSeq(tokens, " ") {
		words[word] = true
	}
	return !slices.ContainsFunc(terms, func(t engram.Term) bool { return !words[t.Word] })
}

// Nothing says where was looked when nothing was found, and what is elsewhere. It counts the
// memories of each project, which a caller asks for only then. Projects that are kept apart do
// not count.
func (e *Engine) Nothing(ctx context.Context, project string) (n engram.Nothing, err error) {
	n.Project = normalProject(project)
	err = e.store.View(ctx, func(r engram.Reader) error {
		if p, known, err := r.Project(ctx, n.Project); err != nil {
			return err
		} else if known {
			n.Project = p.Name
		}
		all, err := r.Projects(ctx)
		if err != nil {
			return err
		}
		for _, p := range all {
			if n.Project == "" || p.Name == n.Project {
				n.Here += p.Memories
			} else {
				n.Others += p.Memories
			}
		}
		if n.Project == "" { // those of no project are no project's
			s, err := r.Stats(ctx, "")
			if err != nil {
				return err
			}
			n.Here = s.Memories
		}
		n.Stored = n.Here+n.Others > 0
		if n.Project != "" && n.Others > 0 {
			return r.Vitals(ctx, engram.Filter{Beyond: true}, func(m engram.Memory) bool {
				if m.Project != n.Project && m.Project != "" {
					n.Others--
				}
				return true
			})
		}
		if !n.Stored {
			any, err := r.List(ctx, engram.Filter{}, engram.Page{Limit: 1})
			n.Stored = len(any) > 0
			return err
		}
		return nil
	})
	return n, err
}
