package engine

import (
	"cmp"
	"context"
	"encoding/json"
	"slices"
	"strings"
	"time"

	"github.com/alanbuscaglia/engram"
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
func (e *Engine) searchAsOf(ctx context.Context, r engram.Reader, in SearchInput, at time.Time) (engram.Found, error) {
	p := past{Engine: e, in: in, at: at, terms: text.Query(in.Query)}
	found := engram.Found{Query: in.Query}
	there, err := p.read(ctx, r)
	if err != nil {
		return found, err
	}
	if found.Degraded, err = e.uncertain(ctx, r, at); err != nil || !there {
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
	*Engine
	r     *pastReader
	in    SearchInput // its filter ends at at, and has the project's name of then
	at    time.Time
	terms []engram.Term
	fades fading

	then []engram.Memory // changed memories, as they were, that pass the filter
}

// read restores what has changed since; there is false when there was no such project.
func (p *past) read(ctx context.Context, now engram.Reader) (there bool, err error) {
	if p.r, err = pastOf(ctx, now, p.at); err != nil {
		return false, err
	}
	if p.in.Filter, there, err = p.r.place(ctx, p.in.Filter); err != nil || !there {
		return false, err
	}
	if p.fades, err = p.fading(ctx, p.r); err != nil {
		return false, err
	}
	if err := p.r.readAll(ctx); err != nil {
		return false, err
	}
	for _, m := range p.r.was {
		if p.in.passes(m) && p.strong(m) {
			p.then = append(p.then, m)
		}
	}
	slices.SortFunc(p.then, newestFirst)
	return true, nil
}

func (p *past) newest(ctx context.Context, found *engram.Found) error {
	ms, err := p.list(ctx, p.r, p.in.Filter, engram.Page{Limit: p.in.Limit})
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
	limit := p.in.Limit + min(len(p.r.was), depth)
	answer, err := p.r.Lexical(ctx, engram.LexicalQuery{Terms: p.terms, All: p.in.All, Filter: p.in.Filter, Limit: limit})
	if err != nil {
		return err
	}
	if f, some := p.in.beyond(); some {
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
	byNum := make(map[int64]engram.Memory, len(ms))
	for i, m := range ms {
		byNum[m.Num] = m
		if scores[i] > 0 {
			ranked = append(ranked, engram.Ranked{Num: m.Num, Score: scores[i]})
		}
	}
	retrieval.Sort(ranked)
	if ranked, err = p.supersede(ctx, p.behind(ranked, finds), byNum); err != nil {
		return err
	}
	for i, f := range ranked {
		found.Hits = append(found.Hits, p.hit(byNum[f.Num], engram.ChannelRank{Channel: engram.ChannelLexical, Rank: i + 1, Score: f.Score}))
	}
	return nil
}

// unchanged returns the finds of the index that have not changed, with their memories. A name may mean another
// project today, whose memories are left out.
func (p *past) unchanged(ctx context.Context, finds []engram.Ranked) ([]engram.Memory, []engram.Ranked, error) {
	var nums []int64
	for _, f := range finds {
		if _, changed := p.r.was[f.Num]; !changed {
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
	ms := mapped(hits, func(h engram.Hit) engram.Memory { return h.Memory })
	if err := p.redactHits(ctx, p.r, hits); err != nil {
		return err
	}
	flags, err := flagged(ctx, p.r, ms)
	if err != nil {
		return err
	}
	relations, err := p.r.Relations(ctx, memoryNums(ms))
	if err != nil {
		return err
	}
	notes, err := notesFrom(ctx, p.r, slices.DeleteFunc(relations, func(rel engram.Relation) bool {
		return rel.Status != engram.RelationPending && rel.Verb != engram.VerbSupersedes && rel.Verb != engram.VerbContradicts
	}), nil)
	for i, h := range hits {
		hits[i].Relations, hits[i].Flagged = notes[h.Memory.Num], flags[h.Memory.Num]
	}
	return err
}

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
			}
		}
		text.Scan(text.Title(m), add(text.TitleWeight))
		text.Scan(m.Content, add(1))
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
		add(t.Word, i)
	}
	for i, w := range answer.Words {
		for _, word := range w.Matched {
			add(word, i)
		}
	}
	return forms
}

// restore takes entries, newest first, back from a memory. text is the number of the revision with the text of that
// time; 0 for an unchanged text.
func restore(ctx context.Context, r engram.Reader, m engram.Memory, entries []engram.Mutation) (was engram.Memory, text int, err error) {
	for _, entry := range entries {
		table := tableOf(&m)
		table[textField] = &text
		if err := table.takeBack(entry); err != nil {
			return m, 0, err
		}
	}
	if text == 0 {
		return m, 0, nil
	}
	revisions, err := r.Revisions(ctx, m.Num)
	i := slices.IndexFunc(revisions, func(rev engram.Revision) bool { return rev.Number == text })
	if i >= 0 {
		m.Title, m.Content, m.NormalizedHash = revisions[i].Title, revisions[i].Content, hashOf(revisions[i].Content)
	}
	return m, text, err
}

// few is the limit for looking things up one by one; above it, reading all changes is cheaper.
const few = 100

// readAll restores every memory that changed since.
func (p *pastReader) readAll(ctx context.Context) error {
	if p.whole {
		return nil
	}
	entries, err := p.since.all(ctx, engram.EntityMemory)
	if err != nil {
		return err
	}
	first, err := p.since.firstMade(ctx, engram.EntityMemory)
	if err != nil {
		return err
	}
	nums := make([]int64, 0, len(entries))
	for key := range entries {
		if num := numOf(key); num < first {
			nums = append(nums, num)
		}
	}
	now, err := p.Reader.Memories(ctx, nums)
	if err != nil {
		return err
	}
	p.whole = true
	return p.bringBack(ctx, now, entries)
}

// read restores those of some memories that changed since; now is what they are today.
func (p *pastReader) read(ctx context.Context, now []engram.Memory) error {
	if p.whole {
		return nil
	}
	if len(now) > few {
		return p.readAll(ctx)
	}
	entries := map[string][]engram.Mutation{}
	var changed []engram.Memory
	for _, m := range now {
		if p.looked[m.Num] {
			continue
		}
		p.looked[m.Num] = true
		es, err := p.since.of(ctx, engram.EntityMemory, key(m.Num))
		if err != nil {
			return err
		}
		if len(es) > 0 {
			entries[key(m.Num)] = es
			changed = append(changed, m)
		}
	}
	return p.bringBack(ctx, changed, entries)
}

func (p *pastReader) bringBack(ctx context.Context, now []engram.Memory, entries map[string][]engram.Mutation) error {
	for _, m := range now {
		if !m.CreatedAt.Before(p.at) {
			continue
		}
		was, text, err := restore(ctx, p.Reader, m, entries[key(m.Num)])
		if err != nil {
			return err
		}
		p.was[m.Num], p.texts[m.Num] = was, text
	}
	return nil
}

// memory returns what the move changed of one memory, in the form of a journal entry.
func (w projectWas) memory(num int64) (json.RawMessage, error) {
	fields := map[string]any{"project": w.From}
	if topic, lost := w.Topics[num]; lost {
		fields["topic_key"] = topic
	} else if _, got := w.Given[num]; got {
		fields["topic_key"] = ""
	}
	return json.Marshal(fields)
}

// Relations returns the relations of that time.
func (p *pastReader) Relations(ctx context.Context, memories []int64) ([]engram.Relation, error) {
	now, err := p.Reader.Relations(ctx, memories)
	if err != nil {
		return nil, err
	}
	// The journal knows when they were removed.
	removed, err := p.RemovedRelations(ctx, memories, time.Time{})
	if err != nil {
		return nil, err
	}
	if len(now)+len(removed) == 0 {
		return nil, nil
	}
	first, err := p.since.firstMade(ctx, engram.EntityRelation)
	if err != nil {
		return nil, err
	}
	then := slices.DeleteFunc(append(now, removed...), func(r engram.Relation) bool { return r.Num >= first || !r.CreatedAt.Before(p.at) })
	if len(then) > few {
		if _, err := p.since.all(ctx, engram.EntityRelation); err != nil {
			return nil, err
		}
	}
	for i := range then {
		entries, err := p.since.of(ctx, engram.EntityRelation, key(then[i].Num))
		if err != nil {
			return nil, err
		}
		for _, e := range entries {
			if err := tableOf(&then[i]).takeBack(e); err != nil {
				return nil, err
			}
		}
	}
	then = slices.DeleteFunc(then, func(r engram.Relation) bool { return r.Removed() })
	slices.SortFunc(then, func(a, b engram.Relation) int { return cmp.Compare(a.Num, b.Num) })
	return then, nil
}
