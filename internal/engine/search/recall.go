package search

import (
	"context"
	"errors"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/engine/exposure"
	"github.com/alanbuscaglia/engram/internal/engine/projects"
	"github.com/alanbuscaglia/engram/internal/engine/screen"
	"github.com/alanbuscaglia/engram/internal/engine/walk"
	"github.com/alanbuscaglia/engram/internal/redact"
	"github.com/alanbuscaglia/engram/internal/render"
	"github.com/alanbuscaglia/engram/internal/retrieval"
	"github.com/alanbuscaglia/engram/internal/text"
)

// RecallInput is a question to answer within a budget.
type RecallInput struct {
	// SearchInput is the question. Limit is the number of finds considered; 0 is 50, or 100 for a budget above
	// 8,000.
	SearchInput
	Budget    int            // tokens; 0 is 4,000, at most MaxBudget
	SessionID string         // leaves out what this session was shown, and records what it is shown now; "" for none
	Again     bool           // include what the session was shown before
	Unseen    bool           // without a session, do not count memories as read
	Zone      *time.Location // of dates in texts; nil is UTC
}

// Budgets in tokens.
const (
	RecallBudget  = 4_000
	ContextBudget = 2_000
	MaxBudget     = 10_000_000
)

// Recalled is the result of Recall.
type Recalled struct {
	Query string         // after redaction
	Items []RecalledItem // best first
	// Uncertain says that no item is surely relevant, as in engram.Found.
	Uncertain bool
	LeftOut   []engram.LeftOut
	Text      string // all items as one block; "" without items
	Tokens    int    // estimated cost of Text, at most Budget
	Budget    int
	Repaired  []engram.Repair
	Aliases   []engram.Repair // as in engram.Found
	Times     []engram.TimeSpan
	// Degraded lists channels that failed, with the reason, and a failure to record what was shown.
	Degraded []string

	fallback, found bool   // as in exposure
	title           string // of Text
}

// RecalledItem is what is shown of one memory.
type RecalledItem struct {
	Hit    engram.Hit
	Text   string // Markdown: a heading and all or part of the content
	Whole  bool   // all of the content
	Tokens int
}

// Found reports whether anything relevant was found, shown or left out.
func (out Recalled) Found() bool { return out.found }

// Recall answers a question with as many finds as fit a token budget (retrieval.Focus), and reports what it
// left out and why. A budget below 0 or above MaxBudget is CodeInvalid, as is input that Search rejects. With a
// SessionID it leaves out what the session was shown before, and then records what it shows.
func (f *Finder) Recall(ctx context.Context, in RecallInput) (Recalled, error) {
	begun := f.exposure.Tally.Begin()
	out, err := f.recall(ctx, in)
	f.exposure.Tally.Read(begun, in.Filter.Project, out.exposure(engram.Session{}), err)
	return out, err
}

func (f *Finder) recall(ctx context.Context, in RecallInput) (Recalled, error) {
	budget, err := screen.Limited("budget", in.Budget, RecallBudget, MaxBudget)
	if err != nil {
		return Recalled{}, err
	}
	if in.Limit == 0 {
		if in.Limit = 50; budget > 2*RecallBudget {
			in.Limit = 100
		}
	}
	found, err := f.Find(ctx, f.anchors.FolderAsked(ctx, in.SessionID), in.SearchInput)
	if err != nil {
		return Recalled{}, err
	}
	out := Recalled{Query: found.Query, Budget: budget, Repaired: found.Repaired, Aliases: found.Aliases, Times: found.Times, Degraded: found.Degraded,
		Uncertain: found.Uncertain, fallback: found.Query == "" || len(found.Degraded) > 0, found: len(found.Hits) > 0,
		title: render.RecallTitle(found.Query, found.Uncertain)}
	var session engram.Session
	var seen map[int64]bool
	err = f.ledger.View(ctx, func(r engram.Reader) error {
		var degraded []string
		session, degraded, err = exposure.InSession(ctx, r, in.SessionID)
		out.Degraded = append(out.Degraded, degraded...)
		if err == nil && !in.Again {
			seen, err = exposure.SeenIn(ctx, r, session)
		}
		return err
	})
	if err != nil {
		return Recalled{}, err
	}
	out.fill(slices.Concat(found.Hits, found.BelowThreshold), len(found.Hits), seen, render.Options{Zone: in.Zone})
	if session.ID != "" || !in.Unseen {
		out.Degraded = append(out.Degraded, f.exposure.Record(ctx, out.exposure(session))...)
	}
	return out, nil
}

// fill selects what to show of hits; those from index weak on are below the relevance threshold.
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
	f := retrieval.Focus(cs, retrieval.FocusPolicy{Budget: out.Budget - text.Tokens(out.title), Asked: retrieval.AskedWords(out.Query, slices.Concat(out.Repaired, out.Aliases)...)})
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
		last := len(parts) - 1 // adding quotation marks exceeded the budget
		out.LeftOut = append(out.LeftOut, engram.LeftOut{Memory: out.Items[last].Hit.Memory, Reason: retrieval.LeftBudget})
		parts, out.Items = parts[:last], out.Items[:last]
	}
}

func (out *Recalled) join(parts []string) {
	out.Text = render.Recall(out.title, parts)
	out.Tokens = text.Tokens(out.Text)
}

// recallBody formats a text: texts from elsewhere and flagged ones are quoted.
func recallBody(h engram.Hit, s string) string {
	if s != "" && render.Quoted(h.Memory, h.Note()) {
		return render.Quote(s)
	}
	return render.RecallBody(s)
}

// requoted quotes every line below the heading of a part, which may start within a line.
func requoted(part string) string {
	head, body, _ := strings.Cut(strings.TrimSuffix(part, "\n"), "\n")
	return head + "\n" + render.Quote(body) + "\n"
}

// levelTopics gives memories found by topic key the best other score: their own only puts them first.
func levelTopics(cs []retrieval.Candidate, hits []engram.Hit) {
	best, topics := math.Inf(-1), []int(nil)
	for i, h := range hits {
		if slices.ContainsFunc(h.Why.Channels, func(c engram.ChannelRank) bool { return c.Channel == engram.ChannelTopic }) {
			topics = append(topics, i)
		} else {
			best = max(best, cs[i].Score)
		}
	}
	for _, i := range topics {
		if !math.IsInf(best, -1) {
			cs[i].Score = best
		}
	}
}

func (out *Recalled) exposure(session engram.Session) exposure.Exposure {
	s := exposure.Exposure{Operation: exposure.OpRecall, Query: out.Query, Session: session, Fallback: out.fallback, Found: out.found}
	for _, item := range out.Items {
		s.Items = append(s.Items, exposure.Item{Memory: item.Hit.Memory, Tokens: item.Tokens})
	}
	return s
}

// Elsewhere is what is stored besides memories and has all words of a question.
type Elsewhere struct {
	Prompts  []engram.Prompt          // including deleted ones that undo can restore; by number
	Sessions []engram.SessionActivity // with a matching summary, latest activity first
}

// mostPrompts limits the prompts with any of the words that are checked for all of them.
const mostPrompts = 10000

// Elsewhere searches the prompts and session summaries of a project for all words of query: forgetting memories
// leaves these untouched. It returns nothing for a query without meaningful words.
func (f *Finder) Elsewhere(ctx context.Context, query, project string) (found Elsewhere, err error) {
	project = screen.NormalProject(project)
	terms := slices.DeleteFunc(text.Query(redact.Private(query)), func(t engram.Term) bool { return t.Stop || t.Joined })
	if len(terms) == 0 {
		return found, nil
	}
	err = f.ledger.View(ctx, func(r engram.Reader) error {
		if found.Prompts, err = promptsWith(ctx, r, terms, project); err != nil {
			return err
		}
		if found.Sessions, err = sessionsWith(ctx, r, terms, project); err != nil {
			return err
		}
		return errors.Join(f.screen.ShownPrompts(ctx, r, found.Prompts), f.screen.ShownSessions(ctx, r, found.Sessions))
	})
	return found, err
}

func promptsWith(ctx context.Context, r engram.Reader, terms []engram.Term, project string) ([]engram.Prompt, error) {
	live, err := r.SearchPrompts(ctx, terms, project, mostPrompts)
	if err != nil {
		return nil, err
	}
	deleted, err := engram.DeletedPrompts(ctx, r, project, "")
	if err != nil {
		return nil, err
	}
	all := slices.DeleteFunc(slices.Concat(live, deleted), func(p engram.Prompt) bool { return !hasAll(p.Content, terms) })
	slices.SortFunc(all, func(a, b engram.Prompt) int { return int(a.Num - b.Num) })
	return all, nil
}

func sessionsWith(ctx context.Context, r engram.Reader, terms []engram.Term, project string) (all []engram.SessionActivity, err error) {
	n := 0
	err = walk.EachAfter(func(after int) ([]engram.SessionActivity, error) {
		return r.Sessions(ctx, engram.SessionFilter{Project: project}, engram.Page{Limit: 500, Offset: after})
	}, func(s engram.SessionActivity) (int, error) {
		if n++; s.Summary != "" && hasAll(s.Summary, terms) {
			all = append(all, s)
		}
		return n, nil
	})
	return all, err
}

// hasAll reports whether a text has every word, as the index would match.
func hasAll(s string, terms []engram.Term) bool {
	_, tokens := text.Index("", s)
	words := map[string]bool{}
	for word := range strings.SplitSeq(tokens, " ") {
		words[word] = true
	}
	return !slices.ContainsFunc(terms, func(t engram.Term) bool { return !words[t.Word] })
}

// Nothing describes an empty result: where the search looked and what is stored elsewhere. It counts the
// memories of each project, except disabled ones.
func (f *Finder) Nothing(ctx context.Context, project string) (n engram.Nothing, err error) {
	n.Project = project
	err = f.ledger.View(ctx, func(r engram.Reader) (err error) {
		if n.Project, err = projects.CanonicalProject(ctx, r, n.Project); err != nil {
			return err
		}
		all, err := r.Projects(ctx, true)
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
		if n.Project == "" { // memories without a project count too
			s, err := r.Stats(ctx, "")
			if err != nil {
				return err
			}
			n.Here = s.Memories
		}
		n.Stored = n.Here+n.Others > 0
		if n.Project != "" && n.Others > 0 {
			return r.Outlines(ctx, engram.Filter{Beyond: true}, 0, func(m engram.Memory) bool {
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
