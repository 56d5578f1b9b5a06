package engine

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/lifecycle"
	"github.com/alanbuscaglia/engram/internal/retrieval"
	"github.com/alanbuscaglia/engram/internal/text"
	"github.com/alanbuscaglia/engram/internal/topic"
)

// searchAsOf finds what would have been found at a time past: memories made before it
// that were not forgotten then, in the texts, projects and types they had.
//
// The index holds the texts of now. It answers for what has not changed since; what
// has is brought back from the journal and the revisions and weighed
// beside it, word by word. Vectors of old texts are not kept, so meaning does not take
// part. What was erased since is gone, and relations count from when they were made.
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
		found.Degraded = append(found.Degraded, "what was known in the past is found by words alone")
	}
	found.Hits = slices.DeleteFunc(found.Hits, func(h engram.Hit) bool { return !p.strong(h.Memory) })
	p.topicFirst(&found)
	found.Hits = found.Hits[:min(len(found.Hits), in.Limit)]
	return found, p.annotate(ctx, found.Hits)
}

// past is one question about a time past.
type past struct {
	*Engine
	r     *pastReader
	in    SearchInput // its filter ends at at, and names the project as it was called then
	at    time.Time
	terms []engram.Term
	fades fading

	then []engram.Memory // memories that changed since, as they were, that pass the filter
}

// read finds out what has changed since, and what it was; there is false when there was
// no such project.
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

// newest lists what was newest then.
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

// lexical ranks the unchanged memories that the index finds and the changed ones by
// the same measure.
func (p *past) lexical(ctx context.Context, found *engram.Found) error {
	// Changed memories take up places in the index's answer and are dropped from it.
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

// unchanged keeps of the index's finds those that are what they were, with their memories.
// A name may lead to another project by now, whose memories are not among them.
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

// behind adds to ranked, which are best first, those of the finds that it lacks: they have
// words that only begin like those of the question.
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

// strong reports whether m was as strong then as the filter asks.
func (p *past) strong(m engram.Memory) bool { return p.fades.passes(m, p.in.Filter, p.at) }

// topicFirst puts the memory whose topic key was the question at the top.
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
	nums, ms := make([]int64, len(hits)), make([]engram.Memory, len(hits))
	for i, h := range hits {
		nums[i], ms[i] = h.Memory.Num, h.Memory
	}
	if err := p.redactHits(ctx, p.r, hits); err != nil {
		return err
	}
	suspect, err := flagged(ctx, p.r, ms)
	if err != nil {
		return err
	}
	notes, err := relationNotes(ctx, p.r, nums, func(rel engram.Relation) bool {
		return rel.Status == engram.RelationPending || rel.Verb == engram.VerbSupersedes || rel.Verb == engram.VerbContradicts
	})
	for i, h := range hits {
		hits[i].Relations, hits[i].Flagged = notes[h.Memory.Num], suspect[h.Memory.Num]
	}
	return err
}

// weighPast scores memories by BM25 over the words of a question; answer says what the
// index of now has of the words. A memory that has none of them, or with all not every
// one, scores 0.
//
// The changed memories of a word are added to those that the index counts: a word may
// have stood only in what was forgotten since. The mean length is that of ms: they are
// longer than most, all alike.
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

// wordForms says for which of the terms an indexed word counts: itself, and what the
// index took for a word it lacks.
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

// restore takes entries, newest first, back from a memory. text is the number of the
// revision that holds what it said then; 0 when its text did not change.
func restore(ctx context.Context, r engram.Reader, m engram.Memory, entries []engram.Mutation) (was engram.Memory, text int, err error) {
	for _, entry := range entries {
		table := memoryTable(&m)
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

// few is up to how many things are looked up one by one: reading all that changed costs
// more then.
const few = 100

// readAll brings back every memory that changed since.
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
		num, err := strconv.ParseInt(key, 10, 64)
		if err != nil {
			return fmt.Errorf("journal entry %d: %w", entries[key][0].Seq, err)
		}
		if num < first {
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

// read brings back memories as far as they changed since; now is what they are.
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

// memory is what the move changed of one memory, as an entry of its own would note it.
func (w projectWas) memory(num int64) (json.RawMessage, error) {
	fields := map[string]any{"project": w.From}
	if topic, lost := w.Topics[num]; lost {
		fields["topic_key"] = topic
	} else if _, got := w.Given[num]; got {
		fields["topic_key"] = ""
	}
	return json.Marshal(fields)
}

// Relations returns the relations of then.
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
			if err := relationTable(&then[i]).takeBack(e); err != nil {
				return nil, err
			}
		}
	}
	then = slices.DeleteFunc(then, func(r engram.Relation) bool { return r.Removed() })
	slices.SortFunc(then, func(a, b engram.Relation) int { return cmp.Compare(a.Num, b.Num) })
	return then, nil
}
