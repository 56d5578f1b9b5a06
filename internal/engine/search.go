package engine

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/lifecycle"
	"github.com/alanbuscaglia/engram/internal/redact"
	"github.com/alanbuscaglia/engram/internal/text"
	"github.com/alanbuscaglia/engram/internal/topic"
)

// SearchInput is a question. An empty query lists the newest.
type SearchInput struct {
	Query  string
	Filter engram.Filter // Filter.Project "" searches every project
	Limit  int           // 0 is 10; at most 100
	All    bool          // only memories that have every word
	// AsOf asks what would have been found then: by words alone, in the texts of that
	// time. The zero time, and one that has not come yet, is now.
	AsOf time.Time
}

// topicScore is the score of a memory whose topic key is the question.
const topicScore = 1000

// Search finds memories, best first. No query text is an error: quotes, operators
// and binary are words or nothing. A limit or a filter out of range is CodeInvalid.
func (e *Engine) Search(ctx context.Context, in SearchInput) (engram.Found, error) {
	limit, err := limited("limit", in.Limit, 10, 100)
	if err != nil {
		return engram.Found{}, err
	}
	if in.Filter, err = cleanFilter(in.Filter); err != nil {
		return engram.Found{}, err
	}
	// Words beyond the limit of a content could not be in one.
	query := strings.ToValidUTF8(redact.Private(in.Query[:min(len(in.Query), engram.MaxContent)]), "")
	found := engram.Found{Query: strings.TrimSpace(query)}
	terms := text.Query(query)
	err = e.store.View(ctx, func(r engram.Reader) error {
		lexical, err := r.Lexical(ctx, engram.LexicalQuery{Terms: terms, All: in.All, Filter: in.Filter, Limit: limit})
		if err != nil {
			return err
		}
		ranked := lexical.Hits
		if len(ranked) == 0 && wordless(terms) {
			if found.Query != "" {
				found.Degraded = append(found.Degraded, "the question has no words to search for; these are the newest memories")
			}
			found.Hits, err = e.newest(ctx, r, in.Filter, limit)
			return err
		}
		if found.Hits, err = e.hits(ctx, r, ranked); err != nil {
			return err
		}
		found.Hits, err = e.topicFirst(ctx, r, found.Hits, in.Filter, found.Query, limit)
		return err
	})
	if err != nil {
		return engram.Found{}, err
	}
	return found, nil
}

// wordless reports whether a question has no word that says what it is about: only
// titles can match it.
func wordless(terms []engram.Term) bool {
	return len(terms) == 0 || terms[0].Stop // text.Query gives stop words alone or not at all
}

// hits reads the memories of a lexical ranking.
func (e *Engine) hits(ctx context.Context, r engram.Reader, ranked []engram.Ranked) ([]engram.Hit, error) {
	nums := make([]int64, len(ranked))
	score := make(map[int64]engram.ChannelRank, len(ranked))
	for i, f := range ranked {
		nums[i] = f.Num
		score[f.Num] = engram.ChannelRank{Channel: engram.ChannelLexical, Rank: i + 1, Score: f.Score}
	}
	ms, err := r.Memories(ctx, nums)
	if err != nil {
		return nil, err
	}
	hits := make([]engram.Hit, len(ms))
	for i, m := range ms {
		c := score[m.Num]
		hits[i] = engram.Hit{Memory: m, Score: c.Score, State: lifecycle.State(m, e.now()), Why: engram.Why{Channels: []engram.ChannelRank{c}}}
	}
	return hits, e.annotate(ctx, r, hits)
}

// newest are hits for a question without words.
func (e *Engine) newest(ctx context.Context, r engram.Reader, f engram.Filter, limit int) ([]engram.Hit, error) {
	ms, err := r.List(ctx, f, engram.Page{Limit: limit})
	if err != nil {
		return nil, err
	}
	hits := make([]engram.Hit, len(ms))
	for i, m := range ms {
		hits[i] = engram.Hit{Memory: m, State: lifecycle.State(m, e.now()),
			Why: engram.Why{Channels: []engram.ChannelRank{{Channel: engram.ChannelRecent, Rank: i + 1}}}}
	}
	return hits, e.annotate(ctx, r, hits)
}

// topicFirst puts the memory whose topic key is the question at the top.
func (e *Engine) topicFirst(ctx context.Context, r engram.Reader, hits []engram.Hit, f engram.Filter, query string, limit int) ([]engram.Hit, error) {
	if len(query) > engram.MaxTopicKey || strings.ContainsAny(query, " \t\n") {
		return hits, nil
	}
	m, err := r.Memory(ctx, engram.Ref{Topic: topic.Normalize(query), Project: f.Project})
	switch {
	case engram.CodeOf(err) == engram.CodeNotFound, engram.CodeOf(err) == engram.CodeConflict:
		return hits, nil
	case err != nil:
		return nil, err
	case !passes(m, f):
		return hits, nil
	}
	top := engram.Hit{Memory: m, State: lifecycle.State(m, e.now())}
	rest := make([]engram.Hit, 0, len(hits)+1)
	for _, h := range hits {
		if h.Memory.Num == m.Num {
			top = h
			continue
		}
		rest = append(rest, h)
	}
	top.Score = topicScore
	top.Why.Channels = append([]engram.ChannelRank{{Channel: engram.ChannelTopic, Rank: 1, Score: topicScore}}, top.Why.Channels...)
	all := append([]engram.Hit{top}, rest...)
	all = all[:min(len(all), limit)]
	return all, e.annotate(ctx, r, all[:1])
}

// passes reports whether a live memory that was not found by a filtered channel
// passes the filter all the same.
func passes(m engram.Memory, f engram.Filter) bool {
	return (len(f.Types) == 0 || slices.Contains(f.Types, m.Type)) && (f.Scope == "" || f.Scope == m.Scope) && len(f.Tags) == 0 && f.SessionID == "" && len(f.Metadata) == 0 &&
		!m.CreatedAt.Before(f.Since) && (f.Until.IsZero() || m.CreatedAt.Before(f.Until)) && !f.Forgotten
}

// annotate adds to each hit the relations that change how it should be read.
func (e *Engine) annotate(ctx context.Context, r engram.Reader, hits []engram.Hit) error {
	nums := make([]int64, len(hits))
	for i, h := range hits {
		nums[i] = h.Memory.Num
	}
	notes, err := relationNotes(ctx, r, nums, func(rel engram.Relation) bool {
		return rel.Status == engram.RelationPending || rel.Verb == engram.VerbSupersedes || rel.Verb == engram.VerbContradicts
	})
	if err != nil {
		return err
	}
	for i, h := range hits {
		hits[i].Relations = notes[h.Memory.Num]
	}
	return nil
}

// relationNotes returns the wanted relations of each memory, seen from it.
func relationNotes(ctx context.Context, r engram.Reader, nums []int64, want func(engram.Relation) bool) (map[int64][]engram.RelationNote, error) {
	relations, err := r.Relations(ctx, nums)
	if err != nil || len(relations) == 0 {
		return nil, err
	}
	var ends []int64
	for _, rel := range relations {
		ends = append(ends, rel.Source, rel.Target)
	}
	ms, err := r.Memories(ctx, ends)
	if err != nil {
		return nil, err
	}
	byNum := make(map[int64]engram.Memory, len(ms))
	for _, m := range ms {
		byNum[m.Num] = m
	}
	notes := map[int64][]engram.RelationNote{}
	for _, rel := range relations {
		if !want(rel) {
			continue
		}
		notes[rel.Source] = append(notes[rel.Source], engram.RelationNote{Relation: rel, Outgoing: true, Other: byNum[rel.Target]})
		notes[rel.Target] = append(notes[rel.Target], engram.RelationNote{Relation: rel, Other: byNum[rel.Source]})
	}
	return notes, nil
}

// limited checks a count from outside: 0 is the default.
func limited(name string, n, fallback, most int) (int, error) {
	if n == 0 {
		return fallback, nil
	}
	if n < 0 || n > most {
		return 0, engram.Errorf(engram.CodeInvalid, "%s %d is out of range", name, n).WithHint("from 1 to %d", most)
	}
	return n, nil
}

// cleanFilter brings a filter from outside to the spellings that are stored.
func cleanFilter(f engram.Filter) (engram.Filter, error) {
	f.Project = normalProject(f.Project)
	f.SessionID = line(f.SessionID)
	f.Tags = tags(f.Tags)
	var types []engram.Type
	for _, t := range f.Types {
		if t = engram.Type(strings.ToLower(line(string(t)))); t != "" {
			types = append(types, t)
		}
	}
	f.Types = types
	if f.Scope != "" {
		f.Scope = engram.ParseScope(string(f.Scope))
	}
	if !f.Since.IsZero() && !f.Until.IsZero() && !f.Since.Before(f.Until) {
		return f, engram.Errorf(engram.CodeInvalid, "since is not before until").WithHint("swap them")
	}
	return f, nil
}
