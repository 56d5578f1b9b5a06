package search

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/engine/exposure"
	"github.com/alanbuscaglia/engram/internal/engine/projects"
	"github.com/alanbuscaglia/engram/internal/engine/screen"
	"github.com/alanbuscaglia/engram/internal/engine/view"
	"github.com/alanbuscaglia/engram/internal/engine/walk"
	"github.com/alanbuscaglia/engram/internal/lifecycle"
	"github.com/alanbuscaglia/engram/internal/redact"
	"github.com/alanbuscaglia/engram/internal/retrieval"
	"github.com/alanbuscaglia/engram/internal/text"
	"github.com/alanbuscaglia/engram/internal/topic"
)

// SearchInput is a question. An empty query lists the newest memories.
type SearchInput struct {
	Query  string
	Filter engram.Filter // with Project "" it searches every project
	Limit  int           // 0 is 10; at most 100
	All    bool          // only memories with every word
	// AsOf searches the texts of a past time, by words alone. The zero time and future times mean now.
	AsOf   time.Time
	Mode   Mode          // "" is ModeHybrid
	Fusion engram.Fusion // "" is that of the embedding model's manifest
	Hops   *int          // how many relations to follow from finds, at most MaxHops; nil is 1
	Rerank bool          // let the configured reranker reorder the best hits
	// ByStrength orders by Hit.Relevance, likeness × strength now (relevance.go). It excludes AsOf and Rerank.
	ByStrength bool
	// Own limits the search to Filter.Project. Otherwise personal and global memories are found in every
	// project, unless Filter.Scope is project.
	Own         bool
	MinLikeness float64 // with ByStrength: least likeness of hits, 0 to 1
}

// Mode selects the channels of a search.
type Mode string

// The modes.
const (
	ModeHybrid   Mode = "hybrid"
	ModeSemantic Mode = "semantic" // by meaning alone
	ModeLexical  Mode = "fts"      // by words alone
)

// MaxHops limits how many relations a search follows.
const MaxHops = 5

// topicScore is the score of a memory found by topic key.
const topicScore = 1000

// Search finds memories, best first. Any query text is valid: quotes, operators and binary data are words or
// nothing. An invalid limit, filter or mode is CodeInvalid.
func (f *Finder) Search(ctx context.Context, in SearchInput) (engram.Found, error) {
	return f.SearchFrom(ctx, "", in)
}

// SearchFrom is Search for a caller in a folder; "" is the caller's own.
func (f *Finder) SearchFrom(ctx context.Context, dir string, in SearchInput) (engram.Found, error) {
	begun := f.exposure.Tally.Begin()
	found, err := f.Find(ctx, dir, in)
	if f.exposure.Tally != nil {
		f.exposure.Tally.Read(begun, in.Filter.Project, exposure.ShownBy(exposure.OpSearch, found, exposure.PreviewTokens), err)
	}
	return found, err
}

// Find is Search without counting, since the caller or the asking process knows the operation.
func (f *Finder) Find(ctx context.Context, dir string, in SearchInput) (found engram.Found, err error) {
	if in, err = in.Clean(); err != nil {
		return engram.Found{}, err
	}
	if f.warm != nil && in.AsOf.IsZero() {
		if found, ok := f.warm(ctx, in); ok {
			f.lookAtCode(ctx, dir, &found, in) // the server has another folder
			return found, nil
		}
	}
	limit := in.Limit
	switch {
	case in.Rerank:
		in.Limit = max(limit, rerankDepth)
	case in.ByStrength:
		in.Limit = max(limit, relevanceDepth)
	}
	err = f.ledger.View(ctx, func(r engram.Reader) error {
		if !in.AsOf.IsZero() && in.AsOf.Before(f.ledger.Now()) {
			found, err = f.searchAsOf(ctx, r, in, in.AsOf)
			return err
		}
		if found, err = f.search(ctx, r, in); err == nil && in.ByStrength {
			err = f.byRelevance(ctx, r, &found, in)
		}
		return err
	})
	if err == nil && in.Rerank {
		err = f.rerank(ctx, &found)
	}
	if err != nil {
		return engram.Found{}, err
	}
	found.Cut(limit)
	if in.AsOf.IsZero() {
		f.lookAtCode(ctx, dir, &found, in)
	}
	return found, nil
}

// Clean checks the input and fills in defaults.
func (in SearchInput) Clean() (SearchInput, error) {
	var err error
	if in.Limit, err = screen.Limited("limit", in.Limit, 10, 100); err != nil {
		return in, err
	}
	if in.Filter, err = CleanFilter(in.Filter); err != nil {
		return in, err
	}
	// Longer queries have words that no content can contain.
	in.Query = strings.TrimSpace(strings.ToValidUTF8(redact.Private(in.Query[:min(len(in.Query), engram.MaxContent)]), ""))
	switch in.Mode {
	case "":
		in.Mode = ModeHybrid
	case ModeHybrid, ModeSemantic, ModeLexical:
	default:
		return in, engram.Errorf(engram.CodeInvalid, "mode %q does not exist", in.Mode).WithHint("use hybrid, semantic or fts")
	}
	switch in.Fusion {
	case "", engram.FusionScore, engram.FusionRank:
	default:
		return in, engram.Errorf(engram.CodeInvalid, "fusion %q does not exist", in.Fusion).WithHint("use score or rank")
	}
	if in.Hops != nil && (*in.Hops < 0 || *in.Hops > MaxHops) {
		return in, engram.Errorf(engram.CodeInvalid, "hops %d is out of range", *in.Hops).WithHint("use a number from 0 to %d", MaxHops)
	}
	return in.cleanRelevance()
}

func (f *Finder) search(ctx context.Context, r engram.Reader, in SearchInput) (engram.Found, error) {
	found := engram.Found{Query: in.Query}
	var err error
	if in.Filter.Project, err = projects.CanonicalProject(ctx, r, in.Filter.Project); err != nil { // as in memories
		return found, err
	}
	q := NewQuestion(f, r, in)
	q.room = f.takeRoom()
	defer q.end()
	listed, err := q.list(ctx, &found)
	if err != nil {
		return found, err
	}
	if err := q.answer(ctx); err != nil {
		return found, err
	}
	if listed {
		titled := q.hits(q.titled())
		found.Hits, found.Uncertain = followed(titled, found.Hits), found.Uncertain && len(titled) == 0
		found.Cut(in.Limit)
		return found, q.annotate(ctx, found.Hits)
	}
	found.Degraded, found.Times, found.Rows = q.degraded, q.times, q.lexical.Rows
	hits, weak := q.abstain()
	found.Hits, found.BelowThreshold, found.Repaired = q.hits(hits), q.hits(weak), q.repaired()
	found.Aliases = q.aliases()
	if len(found.Hits) == 0 && q.Wordless() {
		if in.Query != "" {
			found.Degraded = []string{"the question has no words to search for; these are the newest memories"}
		}
		found.BelowThreshold = nil // they would be listed twice
		found.Hits, err = f.newest(ctx, r, in.Filter, in.Limit)
		return found, err
	}
	found.WordsAlone = q.wordsAlone
	if err := q.newestOfTitle(ctx, &found); err != nil {
		return found, err
	}
	if err := f.topicFirst(ctx, r, &found, in); err != nil {
		return found, err
	}
	if err := q.ofLabel(ctx, &found); err != nil {
		return found, err
	}
	q.showUncertain(&found)
	found.Cut(in.Limit)
	return found, q.annotate(ctx, found.Hits, found.BelowThreshold)
}

func (f *Finder) newest(ctx context.Context, r engram.Reader, filter engram.Filter, limit int) ([]engram.Hit, error) {
	ms, err := f.Matching(ctx, r, filter, engram.Page{Limit: limit})
	if err != nil {
		return nil, err
	}
	hits := make([]engram.Hit, len(ms))
	for i, m := range ms {
		hits[i] = engram.Hit{Memory: m, State: lifecycle.State(m, f.ledger.Now()),
			Why: engram.Why{Channels: []engram.ChannelRank{{Channel: engram.ChannelRecent, Rank: i + 1}}}}
	}
	return hits, f.Annotate(ctx, r, hits)
}

// topicFirst moves the memory whose topic key is the question to the top.
func (f *Finder) topicFirst(ctx context.Context, r engram.Reader, found *engram.Found, in SearchInput) error {
	if len(in.Query) > engram.MaxTopicKey || strings.ContainsAny(in.Query, " \t\n") {
		return nil
	}
	m, err := r.Memory(ctx, engram.Ref{Topic: topic.Normalize(in.Query), Project: in.Filter.Project})
	switch {
	case engram.CodeOf(err) == engram.CodeNotFound, engram.CodeOf(err) == engram.CodeConflict:
		return nil
	case err != nil:
		return err
	case !view.Passes(m, in.Filter):
		return nil
	}
	if fades, err := f.Fading(ctx, r); err != nil || !fades.passes(m, in.Filter, f.ledger.Now()) {
		return err
	}
	m, note, err := f.inPlaceOf(ctx, r, m, in)
	if err != nil {
		return err
	}
	top := engram.Hit{Memory: m, State: lifecycle.State(m, f.ledger.Now())}
	without := func(hits []engram.Hit) []engram.Hit {
		return slices.DeleteFunc(hits, func(h engram.Hit) bool {
			same := h.Memory.Num == m.Num
			if same {
				top = h
			}
			return same
		})
	}
	found.Hits, found.BelowThreshold = without(found.Hits), without(found.BelowThreshold)
	if note != "" {
		top.Why.Notes = append(top.Why.Notes, note)
	}
	top.Score = topicScore
	top.Why.Channels = append([]engram.ChannelRank{{Channel: engram.ChannelTopic, Rank: 1, Score: topicScore}}, top.Why.Channels...)
	found.Hits = append([]engram.Hit{top}, found.Hits...)
	return nil
}

// CleanFilter normalizes a filter to stored spellings.
func CleanFilter(f engram.Filter) (engram.Filter, error) {
	f.Project = screen.NormalProject(f.Project)
	f.SessionID = screen.Line(f.SessionID)
	f.Tags = screen.Tags(f.Tags)
	f.Topic = topic.Normalize(redact.Private(f.Topic))
	var types []engram.Type
	for _, t := range f.Types {
		if t = engram.Type(strings.ToLower(screen.Line(string(t)))); t != "" {
			types = append(types, t)
		}
	}
	f.Types = types
	if f.Scope != "" {
		f.Scope = engram.ParseScope(string(f.Scope))
	}
	f.Current = f.Current && !f.Forgotten // a search for forgotten memories includes superseded ones
	if err := screen.CheckShare("min_strength", f.MinStrength); err != nil {
		return f, err
	}
	if !f.Since.IsZero() && !f.Until.IsZero() && !f.Since.Before(f.Until) {
		return f, engram.Errorf(engram.CodeInvalid, "since is not before until").WithHint("swap them")
	}
	return f, nil
}

// Personal and global memories are found in every project. A search in a project queries them separately, and
// only if there are any: the store selects by project before it reads, and a query over all projects would read
// everything.

// mostBeyond limits these memories in the vector search to the newest.
const mostBeyond = 100

// Beyond returns the filter for memories outside the project; false if the search excludes them.
func (in SearchInput) Beyond() (engram.Filter, bool) {
	f := in.Filter
	if f.Project == "" || f.Scope == engram.ScopeProject || f.Forgotten || in.Own {
		return f, false
	}
	f.Project, f.Beyond = "", true
	return f, true
}

// passes reports whether a memory passes the filter, or is found outside the project.
func (in SearchInput) passes(m engram.Memory) bool {
	if view.Passes(m, in.Filter) {
		return true
	}
	f, some := in.Beyond()
	return some && view.Passes(m, f)
}

// byWordsBeyond adds finds by words outside the project.
func (q *Question) byWordsBeyond(ctx context.Context) error {
	f, some := q.in.Beyond()
	if !some {
		return nil
	}
	err := q.r.Outlines(ctx, f, 0, func(m engram.Memory) bool {
		if m.Project != q.in.Filter.Project {
			q.beyond = append(q.beyond, m.Num)
		}
		return len(q.beyond) < mostBeyond
	})

	if err != nil || len(q.beyond) == 0 {
		return err
	}
	found, err := q.r.Lexical(ctx, engram.LexicalQuery{Terms: q.Terms, All: q.in.All, Filter: f, Limit: mostBeyond, Alone: true})
	if err != nil {
		return err
	}
	if q.lexical.Rows == 0 { // the project is empty
		q.lexical = found
		return nil
	}
	q.lexical.Hits = ranked(q.lexical.Hits, found.Hits)
	return nil
}

// ranked merges two lists of finds; the first list's score wins.
func ranked(first, second []engram.Ranked) []engram.Ranked {
	have := walk.SetOf(walk.NumsOf(first))
	all := append(first, slices.DeleteFunc(second, func(h engram.Ranked) bool { return have[h.Num] })...)
	retrieval.Sort(all)
	return all
}

// distant removes memories from outside the project that would not rank among the nearest.
func (q *Question) distant(found []engram.Ranked) {
	if len(found) < nearDepth {
		return
	}
	least := found[len(found)-1].Score
	for _, num := range q.beyond {
		byWords := slices.ContainsFunc(q.lexical.Hits, func(h engram.Ranked) bool { return h.Num == num })
		if v := q.meaning.near[num]; v != nil && !byWords && retrieval.Cosine(q.meaning.vector, v) < least {
			delete(q.meaning.near, num)
		}
	}
}

// weigh divides the scores by the best one and multiplies them by the priors of the memories and their distance to the
// asked time.
func (q *Question) weigh(context.Context) error {
	spans := retrieval.Spans(q.phrases)
	for _, p := range q.phrases {
		q.times = append(q.times, engram.TimeSpan{Phrase: q.in.Query[p.Start:p.End], From: p.From, To: p.To})
	}
	now, prior := q.now(), retrieval.DefaultPrior()
	best := 0.0
	for _, f := range q.finds {
		best = max(best, f.Score)
	}
	for i, f := range q.finds {
		m := q.memories[f.Num]
		factors := prior.Prior(m.Importance, q.fading.Strength(*m, now), now.Sub(m.CreatedAt))
		if len(spans) > 0 {
			factors = append(factors, engram.Factor{Name: "time", Value: retrieval.TimePrior(m.CreatedAt, spans)})
		}
		q.factor(f.Num, factors...)
		if best > 0 {
			q.finds[i].Score /= best
		}
		for _, factor := range factors {
			q.finds[i].Score *= factor.Value
		}
	}
	retrieval.Sort(q.finds)
	return nil
}

// withTimes marks terms of time expressions. They are searched, since a memory may use the same words, but are
// not required.
func withTimes(terms []engram.Term, question string, phrases []text.TimePhrase) []engram.Term {
	times := map[string]bool{}
	for _, p := range phrases {
		text.Scan(question[p.Start:p.End], func(t text.Token) { times[t.Text()] = true })
	}
	for i, t := range terms {
		terms[i].Time = times[t.Word]
	}
	return terms
}

// OnlyWhen reports whether a question asks only for a time span, such as "what did we decide yesterday", and
// returns the span.
func (q *Question) OnlyWhen() (from, to time.Time, ok bool) {
	for _, t := range q.Terms {
		if !t.Time && !t.Stop && !text.Asks(t.Written) {
			return from, to, false
		}
	}
	if len(q.phrases) == 0 {
		return from, to, false
	}
	return q.phrases[0].From, q.phrases[0].To, true
}

// inSpan lists memories created in a time span, newest first.
func (q *Question) inSpan(ctx context.Context, from, to time.Time) ([]engram.Hit, error) {
	f := q.in.Filter
	if f.Since.Before(from) {
		f.Since = from.UTC()
	}
	if !to.IsZero() && (f.Until.IsZero() || to.Before(f.Until)) {
		f.Until = to.UTC()
	}
	if !f.Until.IsZero() && !f.Since.Before(f.Until) {
		return nil, nil
	}
	return q.finder.newest(ctx, q.r, f, q.in.Limit)
}
