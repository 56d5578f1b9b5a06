package search

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/engine/screen"
	"github.com/alanbuscaglia/engram/internal/engine/view"
	"github.com/alanbuscaglia/engram/internal/engine/walk"
	"github.com/alanbuscaglia/engram/internal/lifecycle"
	"github.com/alanbuscaglia/engram/internal/retrieval"
	"github.com/alanbuscaglia/engram/internal/text"
	"github.com/alanbuscaglia/engram/internal/topic"
)

// searchAsOf searches as of a past time: memories made before it and not forgotten then, with their texts, projects
// and types of that time.
//
// The index has today's texts. It answers for unchanged memories; changed ones are restored from the journal and the
// revisions, and scored beside it, by words. Vectors of old texts are not kept, so meaning takes no part. Memories
// erased since are missing, and relations count from when they were made.
func (f *Finder) searchAsOf(ctx context.Context, r engram.Reader, in SearchInput, at time.Time) (engram.Found, error) {
	p := past{finder: f, in: in, at: at, terms: f.aliases.Add(text.Query(in.Query))}
	found := engram.Found{Query: in.Query}
	there, err := p.read(ctx, r)
	if err != nil {
		return found, err
	}
	if found.Degraded, err = view.Uncertain(ctx, f.ledger, r, at); err != nil || !there {
		return found, err
	}
	if err := p.lexical(ctx, &found); err != nil {
		return found, err
	}
	if len(found.Hits) == 0 && (len(p.terms) == 0 || p.terms[0].Stop) {
		if in.Query != "" {
			found.Degraded = append(found.Degraded, "the question has no words to search for; these are the newest memories of that time")
		}
		return found, p.newest(ctx, &found)
	}
	if in.Mode != ModeLexical {
		found.Degraded = append(found.Degraded, "a search of the past uses words only")
	}
	found.Hits = slices.DeleteFunc(found.Hits, func(h engram.Hit) bool { return !p.strong(h.Memory) })
	p.topicFirst(&found)
	found.Hits = found.Hits[:min(len(found.Hits), in.Limit)]
	return found, p.annotate(ctx, found.Hits)
}

type past struct {
	finder *Finder
	r      *view.PastReader
	in     SearchInput // its filter ends at at, and has the project's name of then
	at     time.Time
	terms  []engram.Term
	fades  Fading

	then []engram.Memory // changed memories, as they were, that pass the filter
}

// read restores what has changed since; there is false when there was no such project.
func (p *past) read(ctx context.Context, now engram.Reader) (there bool, err error) {
	if p.r, err = view.PastOf(ctx, now, p.at); err != nil {
		return false, err
	}
	if p.in.Filter, there, err = p.r.Place(ctx, p.in.Filter); err != nil || !there {
		return false, err
	}
	if p.fades, err = p.finder.Fading(ctx, p.r); err != nil {
		return false, err
	}
	if err := p.r.ReadAll(ctx); err != nil {
		return false, err
	}
	for _, m := range p.r.Was {
		if p.in.passes(m) && p.strong(m) {
			p.then = append(p.then, m)
		}
	}
	slices.SortFunc(p.then, view.NewestFirst)
	return true, nil
}

func (p *past) newest(ctx context.Context, found *engram.Found) error {
	ms, err := p.finder.Matching(ctx, p.r, p.in.Filter, engram.Page{Limit: p.in.Limit})
	if err != nil {
		return err
	}
	for i, m := range ms {
		found.Hits = append(found.Hits, p.hit(m, engram.ChannelRank{Channel: engram.ChannelRecent, Rank: i + 1}))
	}
	return p.annotate(ctx, found.Hits)
}

func (p *past) hit(m engram.Memory, c engram.ChannelRank) engram.Hit {
	return engram.Hit{Memory: m, Score: c.Score, State: lifecycle.State(m, p.at), Why: engram.Why{Channels: []engram.ChannelRank{c}}}
}

// lexical ranks unchanged memories, which the index finds, and changed ones by the same measure.
func (p *past) lexical(ctx context.Context, found *engram.Found) error {
	// Changed memories take up places in the index's answer, and are dropped from it.
	limit := p.in.Limit + min(len(p.r.Was), depth)
	answer, err := p.r.Lexical(ctx, engram.LexicalQuery{Terms: p.terms, All: p.in.All, Filter: p.in.Filter, Limit: limit})
	if err != nil {
		return err
	}
	if f, some := p.in.Beyond(); some {
		more, err := p.r.Lexical(ctx, engram.LexicalQuery{Terms: p.terms, All: p.in.All, Filter: f, Limit: limit, Alone: true})
		if err != nil {
			return err
		}
		if answer.Rows == 0 {
			answer = more
		} else {
			answer.Hits = ranked(answer.Hits, more.Hits)
		}
	}
	ms, finds, err := p.unchanged(ctx, answer.Hits)
	if err != nil {
		return err
	}
	ms = append(ms, p.then...)
	scores := weighPast(ms, p.terms, p.in.All, answer)
	ranked := make([]engram.Ranked, 0, len(ms))
	byNum := make(map[int64]*engram.Memory, len(ms))
	for i, m := range ms {
		byNum[m.Num] = &ms[i]
		if scores[i] > 0 {
			ranked = append(ranked, engram.Ranked{Num: m.Num, Score: scores[i]})
		}
	}
	retrieval.Sort(ranked)
	if ranked, err = p.supersede(ctx, p.behind(ranked, finds), byNum); err != nil {
		return err
	}
	for i, f := range ranked {
		found.Hits = append(found.Hits, p.hit(*byNum[f.Num], engram.ChannelRank{Channel: engram.ChannelLexical, Rank: i + 1, Score: f.Score}))
	}
	return nil
}

// unchanged returns the finds of the index that have not changed, with their memories. A name may mean another
// project today, whose memories are left out.
func (p *past) unchanged(ctx context.Context, finds []engram.Ranked) ([]engram.Memory, []engram.Ranked, error) {
	var nums []int64
	for _, f := range finds {
		if _, changed := p.r.Was[f.Num]; !changed {
			nums = append(nums, f.Num)
		}
	}
	ms, err := p.r.Memories(ctx, nums)
	reach := SearchInput{Filter: engram.Filter{Project: p.in.Filter.Project}, Own: p.in.Own}
	ms = slices.DeleteFunc(ms, func(m engram.Memory) bool { return !reach.passes(m) })
	kept := make(map[int64]bool, len(ms))
	for _, m := range ms {
		kept[m.Num] = true
	}
	return ms, slices.DeleteFunc(finds, func(f engram.Ranked) bool { return !kept[f.Num] }), err
}

// behind appends to ranked, best first, the finds that it lacks: they match by prefix only.
func (p *past) behind(ranked, finds []engram.Ranked) []engram.Ranked {
	have := make(map[int64]bool, len(ranked))
	for _, f := range ranked {
		have[f.Num] = true
	}
	for _, f := range finds {
		if have[f.Num] {
			continue
		}
		if len(ranked) > 0 {
			f.Score = min(f.Score, ranked[len(ranked)-1].Score)
		}
		ranked = append(ranked, f)
	}
	return ranked
}

// strong reports whether m had the strength that the filter asks for.
func (p *past) strong(m engram.Memory) bool { return p.fades.passes(m, p.in.Filter, p.at) }

// topicFirst puts the memory whose topic key is the query at the top.
func (p *past) topicFirst(found *engram.Found) {
	if len(p.in.Query) > engram.MaxTopicKey || strings.ContainsAny(p.in.Query, " \t\n") {
		return
	}
	key := topic.Normalize(p.in.Query)
	i := slices.IndexFunc(found.Hits, func(h engram.Hit) bool { return h.Memory.TopicKey == key })
	if key == "" || i < 0 {
		return
	}
	top := found.Hits[i]
	top.Score = topicScore
	top.Why.Channels = append([]engram.ChannelRank{{Channel: engram.ChannelTopic, Rank: 1, Score: topicScore}}, top.Why.Channels...)
	found.Hits = slices.Insert(slices.Delete(found.Hits, i, i+1), 0, top)
}

// annotate adds the relations of that time, with the other memory as it was.
func (p *past) annotate(ctx context.Context, hits []engram.Hit) error {
	ms := walk.Mapped(hits, func(h engram.Hit) engram.Memory { return h.Memory })
	if err := p.finder.screen.RedactHits(ctx, p.r, hits); err != nil {
		return err
	}
	flags, err := screen.Flagged(ctx, p.r, ms)
	if err != nil {
		return err
	}
	relations, err := engram.RelationsOf(ctx, p.r, screen.MemoryNums(ms), nil, 0)
	if err != nil {
		return err
	}
	notes, err := NotesFrom(ctx, p.r, slices.DeleteFunc(relations, func(rel engram.Relation) bool {
		return rel.Status != engram.RelationPending && rel.Verb != engram.VerbSupersedes && rel.Verb != engram.VerbContradicts
	}), nil)
	for i, h := range hits {
		hits[i].Relations, hits[i].Flagged = notes[h.Memory.Num], flags[h.Memory.Num]
	}
	return err
}

// toolFrequency is how often a memory counts as having a word that only the name of its tool has.
const toolFrequency = 0.3

// weighPast scores memories by BM25; answer has the statistics of today's index. A memory without any of the words,
// or with all without one of them, scores 0.
//
// A word may have occurred only in memories forgotten since, so the changed memories count too. The mean length is
// that of ms.
func weighPast(ms []engram.Memory, terms []engram.Term, all bool, answer engram.Lexical) []float64 {
	forms := wordForms(terms, answer)
	tf := make([][]float64, len(ms))
	length, total := make([]float64, len(ms)), 0.0
	having := make([]int, len(terms))
	for i, m := range ms {
		tf[i] = make([]float64, len(terms))
		add := func(weight float64) func(text.Token) {
			return func(t text.Token) {
				if t.Stop && weight == 1 {
					return // the index does not have it either
				}
				length[i]++
				for _, j := range forms[t.Text()] {
					tf[i][j] += weight
				}
				stem := t.Foreign()
				for _, j := range forms[stem] {
					if !slices.Contains(forms[t.Text()], j) {
						tf[i][j] += weight
					}
				}
			}
		}
		text.ScanMemory(text.Title(m), m.Content, add(text.TitleWeight), add(1))
		text.Scan(m.ToolName, func(t text.Token) {
			for _, j := range forms[t.Text()] {
				tf[i][j] = max(tf[i][j], toolFrequency)
			}
		})
		total += length[i]
		for j, n := range tf[i] {
			having[j] += min(1, int(n))
		}
	}
	for j, w := range answer.Words {
		having[j] = max(having[j], w.Rows)
	}
	collection := retrieval.BM25{Rows: max(answer.Rows, len(ms)), Length: total / float64(max(len(ms), 1))}
	scores := make([]float64, len(ms))
	for i := range ms {
		for j, n := range tf[i] {
			if n == 0 && all && !terms[j].Joined {
				scores[i] = 0
				break
			}
			scores[i] += collection.Score(n, length[i], having[j])
		}
	}
	return scores
}

// wordForms returns for each indexed word the terms that it counts for: its own, and those the index matched it with.
func wordForms(terms []engram.Term, answer engram.Lexical) map[string][]int {
	forms := map[string][]int{}
	add := func(word string, term int) {
		if !slices.Contains(forms[word], term) {
			forms[word] = append(forms[word], term)
		}
	}
	for i, t := range terms {
		for _, word := range t.Words() {
			add(word, i)
		}
	}
	for i, w := range answer.Words {
		for _, word := range w.Matched {
			add(word, i)
		}
	}
	return forms
}
