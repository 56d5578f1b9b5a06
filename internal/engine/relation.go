package engine

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/lifecycle"
	"github.com/alanbuscaglia/engram/internal/retrieval"
)

// graphSeeds is how many of the best finds lead on to what they are related to.
const graphSeeds = 20

// mostRelations is how many relations of one memory, verb and direction are looked at: the
// newest. What everything is tied to says little of anything.
const mostRelations = 100

// byRelation adds what the best finds lead to, and puts what supersedes a find before it.
func (q *question) byRelation(ctx context.Context) error {
	policy := retrieval.DefaultGraph()
	if q.in.Hops != nil {
		policy.Hops = *q.in.Hops
	}
	seeds := q.finds[:min(len(q.finds), graphSeeds)]
	relations, asked, err := q.relationsAround(ctx, seeds, policy)
	if err != nil || len(relations) == 0 && q.in.Limit <= graphSeeds && !q.in.Filter.Current {
		return err
	}
	if !q.in.All {
		ways, err := q.ways(ctx, relations, policy)
		if err != nil {
			return err
		}
		if err := q.spread(ctx, seeds, ways, policy); err != nil {
			return err
		}
	}
	if relations, err = q.successors(ctx, relations, asked); err != nil {
		return err
	}
	return q.supersede(ctx, relations)
}

// mostSuccessors is how long a chain of memories of which each supersedes the one before
// is followed: every further one is a question of its own to the store.
const mostSuccessors = 20

// successors adds to relations what supersedes the finds that were not asked about yet,
// and what supersedes that again: of a chain the newest is wanted, not the second.
func (q *question) successors(ctx context.Context, relations []engram.Relation, asked map[int64]bool) ([]engram.Relation, error) {
	most := q.in.Limit
	if q.in.Filter.Current {
		most = max(candidates, 3*most) // for each find that is hidden one moves up
	}
	next := numsOf(q.finds[:min(len(q.finds), most)])
	known := map[int64]bool{}
	for _, r := range relations {
		known[r.Num] = true
		if supersedes(r) {
			next = append(next, r.Source)
		}
	}
	for range mostSuccessors {
		next = slices.DeleteFunc(next, func(num int64) bool { return asked[num] })
		if len(next) == 0 {
			break
		}
		for _, num := range next {
			asked[num] = true
		}
		found, err := q.r.RelationsOf(ctx, next, []engram.Verb{engram.VerbSupersedes}, mostRelations)
		if err != nil {
			return nil, err
		}
		next = nil
		for _, r := range found {
			if supersedes(r) && !known[r.Num] {
				known[r.Num] = true
				relations, next = append(relations, r), append(next, r.Source)
			}
		}
	}
	return relations, nil
}

func supersedes(r engram.Relation) bool { return r.Supersedes() }

// relationsAround reads the relations of the seeds, and those of what they lead to, as
// far as the policy goes; seen are the memories whose relations were read.
func (q *question) relationsAround(ctx context.Context, seeds []engram.Ranked, p retrieval.GraphPolicy) (all []engram.Relation, seen map[int64]bool, err error) {
	seen = map[int64]bool{}
	known := map[int64]bool{}
	// What supersedes a find is wanted with no hops, too: hence one round more.
	for next := numsOf(seeds); len(next) > 0 && len(known) <= MaxHops*graphSeeds*graphSeeds; {
		for _, num := range next {
			seen[num] = true
		}
		found, err := q.r.RelationsOf(ctx, next, p.Follows(), mostRelations)
		if err != nil {
			return nil, nil, err
		}
		all = slices.Grow(all, len(found))
		for _, r := range found {
			if !known[r.Num] {
				known[r.Num] = true
				all = append(all, r)
			}
		}
		if p.Hops--; p.Hops <= 0 {
			break
		}
		next = retrieval.Ahead(seen, all, p)
	}
	return all, seen, nil
}

// ways are the relations that may be followed: none leads through what was forgotten, or
// through another project than the one asked, of which nothing is told here. A single hop
// leads through nothing.
func (q *question) ways(ctx context.Context, relations []engram.Relation, p retrieval.GraphPolicy) ([]engram.Relation, error) {
	if p.Hops <= 1 {
		return relations, nil
	}
	closed := map[int64]bool{}
	var unread []int64
	for _, r := range relations {
		for _, num := range []int64{r.Source, r.Target} {
			if _, passed := q.memories[num]; !passed && !closed[num] {
				closed[num], unread = true, append(unread, num)
			}
		}
	}
	ms, err := q.r.Memories(ctx, unread)
	if err != nil {
		return nil, err
	}
	for _, m := range ms {
		if (SearchInput{Filter: engram.Filter{Project: q.in.Filter.Project}, Own: q.in.Own}).passes(m) {
			delete(closed, m.Num)
		}
	}
	var open []engram.Relation
	for _, r := range relations {
		if !closed[r.Source] && !closed[r.Target] {
			open = append(open, r)
		}
	}
	return open, nil
}

// spread adds what relations lead to.
func (q *question) spread(ctx context.Context, seeds []engram.Ranked, relations []engram.Relation, p retrieval.GraphPolicy) error {
	reached := retrieval.Spread(seeds, relations, p)
	nums := mapped(reached, func(r retrieval.Reached) int64 { return r.Num })
	if err := q.readMore(ctx, nums); err != nil {
		return err
	}
	score := make(map[int64]float64, len(q.finds))
	for _, f := range q.finds {
		score[f.Num] = f.Score
	}
	rank := 0
	for _, r := range reached {
		if _, passed := q.memories[r.Num]; !passed {
			continue
		}
		rank++
		q.channel(r.Ranked, engram.ChannelGraph, rank)
		q.led[r.Num] = r.Path[0].From
		last := r.Path[len(r.Path)-1]
		if last.Against {
			q.note(r.Num, "it %s #%d", last.Verb, last.From)
		} else {
			q.note(r.Num, "#%d %s it", last.From, last.Verb)
		}
		if r.Score > score[r.Num] {
			score[r.Num] = r.Score
		}
	}
	q.finds = q.finds[:0:0]
	for num, s := range score {
		q.finds = append(q.finds, engram.Ranked{Num: num, Score: s})
	}
	retrieval.Sort(q.finds)
	return nil
}

// readMore reads the memories of finds that were not read yet, as far as they pass.
func (q *question) readMore(ctx context.Context, nums []int64) error {
	var missing []int64
	for _, num := range nums {
		if _, known := q.memories[num]; !known {
			missing = append(missing, num)
		}
	}
	if len(missing) == 0 {
		return nil
	}
	ms, err := q.r.Memories(ctx, missing)
	for _, m := range ms {
		if q.passes(m) {
			q.memories[m.Num] = m
		}
	}
	return err
}

// supersede puts what supersedes a find before it, and hides the find where only what is
// current is wanted. What was forgotten, or does not pass the filter, supersedes nothing
// here: somebody would miss the only memory that answers. What is hidden stays among the
// finds until they are divided: it speaks for what stands in its place.
func (q *question) supersede(ctx context.Context, relations []engram.Relation) error {
	var newer []int64
	for _, r := range relations {
		if r.Verb == engram.VerbSupersedes {
			newer = append(newer, r.Source)
		}
	}
	if err := q.readMore(ctx, newer); err != nil {
		return err
	}
	var shown []engram.Relation
	for _, r := range relations {
		if _, passes := q.memories[r.Source]; passes {
			shown = append(shown, r)
			if supersedes(r) {
				q.newer[r.Target] = append(q.newer[r.Target], r.Source)
			}
		}
	}
	placed := retrieval.Superseded(q.finds, shown)
	q.finds = q.finds[:0:0]
	for _, p := range placed {
		if p.By != 0 {
			q.note(p.Num, "superseded by #%d", p.By)
			if q.hidden[p.Num] = q.in.Filter.Current; q.hidden[p.Num] {
				q.note(p.By, "stands for #%d, which it supersedes", p.Num)
			}
		}
		if p.For != 0 {
			q.note(p.Num, "supersedes #%d", p.For)
		}
		q.finds = append(q.finds, p.Ranked)
	}
	return nil
}

// inPlaceOf is what stands in the place of a memory that was named, where only what is
// current is wanted: the newest of what supersedes it, as far as that passes the filter,
// and a note for whoever asked for the other; else the memory itself.
func (e *Engine) inPlaceOf(ctx context.Context, r engram.Reader, m engram.Memory, in SearchInput) (engram.Memory, string, error) {
	if !in.Filter.Current {
		return m, "", nil
	}
	q := &question{Engine: e, r: r, in: in, finds: []engram.Ranked{{Num: m.Num}}, memories: map[int64]engram.Memory{m.Num: m},
		newer: map[int64][]int64{}, hidden: map[int64]bool{}, why: map[int64]*engram.Why{}}
	relations, err := q.successors(ctx, nil, map[int64]bool{})
	if err != nil || len(relations) == 0 {
		return m, "", err
	}
	if err := q.supersede(ctx, relations); err != nil {
		return m, "", err
	}
	first := q.finds[0].Num
	if first == m.Num {
		return m, "", nil
	}
	return q.memories[first], fmt.Sprintf("stands for #%d, which was named", m.Num), nil
}

// annotate adds to each hit the relations that change how it should be read: what it
// supersedes, with what that superseded, what supersedes it, what contradicts it; and why it is
// suspect.
func (e *Engine) annotate(ctx context.Context, r engram.Reader, lists ...[]engram.Hit) error {
	var nums []int64
	var known []engram.Memory
	for _, hits := range lists {
		if err := e.redactHits(ctx, r, hits); err != nil {
			return err
		}
		for _, h := range hits {
			nums, known = append(nums, h.Memory.Num), append(known, h.Memory)
		}
	}
	relations, err := r.RelationsOf(ctx, nums, markingVerbs(), mostRelations)
	if err != nil {
		return err
	}
	notes, err := notesFrom(ctx, r, marking(relations), known)
	if err != nil {
		return err
	}
	suspect, err := flagged(ctx, r, known)
	if err != nil {
		return err
	}
	for _, hits := range lists {
		for i, h := range hits {
			hits[i].Flagged = suspect[h.Memory.Num]
			if hits[i].Relations, err = withChain(ctx, r, notes[h.Memory.Num]); err != nil {
				return err
			}
		}
	}
	return nil
}

// markingVerbs are the verbs of relations that change how a memory should be read.
func markingVerbs() []engram.Verb {
	return []engram.Verb{engram.VerbSupersedes, engram.VerbContradicts}
}

// marks reports whether r changes how its memories should be read: a verdict of those
// verbs, or a candidate that waits for one.
func marks(r engram.Relation) bool {
	return (r.Status == engram.RelationPending || r.Status == engram.RelationJudged) && slices.Contains(markingVerbs(), r.Verb)
}

// marking leaves those relations that change how a memory should be read.
func marking(relations []engram.Relation) []engram.Relation {
	return slices.DeleteFunc(relations, func(r engram.Relation) bool { return !marks(r) })
}

// mostNotes is how many relations of one memory, verb and direction are told where a list
// is short of room.
const mostNotes = 10

// notesOn returns what changes how each of some memories should be read at a time. It asks
// the store three times, however many there are.
func notesOn(ctx context.Context, r engram.Reader, at time.Time, ms []engram.Memory) (engram.Notes, error) {
	nums := memoryNums(ms)
	relations, err := r.RelationsOf(ctx, nums, markingVerbs(), mostNotes)
	if err != nil {
		return nil, err
	}
	ties, err := notesFrom(ctx, r, marking(relations), ms)
	if err != nil {
		return nil, err
	}
	suspect, err := flagged(ctx, r, ms)
	if err != nil {
		return nil, err
	}
	notes := make(engram.Notes, len(ms))
	for _, m := range ms {
		notes[m.Num] = engram.Note{State: lifecycle.State(m, at), Relations: ties[m.Num], Flagged: suspect[m.Num]}
	}
	return notes, nil
}

// mostChain is how much of a chain a hit names: nobody reads more.
const mostChain = 10

// withChain adds what was superseded by what a memory supersedes, the nearest first.
func withChain(ctx context.Context, r engram.Reader, own []engram.RelationNote) ([]engram.RelationNote, error) {
	notes := slices.Clone(own)
	known := map[int64]bool{}
	for _, n := range own {
		known[n.Relation.Source], known[n.Relation.Target] = true, true
	}
	for i := 0; i < len(notes) && len(notes) < len(own)+mostChain; i++ {
		if n := notes[i]; !n.Outgoing || !n.Relation.Supersedes() {
			continue
		}
		over := notes[i].Relation.Target
		relations, err := r.RelationsOf(ctx, []int64{over}, []engram.Verb{engram.VerbSupersedes}, mostChain)
		if err != nil {
			return nil, err
		}
		further, err := notesFrom(ctx, r, relations, nil)
		if err != nil {
			return nil, err
		}
		for _, n := range further[over] {
			if n.Outgoing && n.Relation.Supersedes() && !known[n.Relation.Target] {
				known[n.Relation.Target], n.Via = true, over
				notes = append(notes, n)
			}
		}
	}
	return notes, nil
}

// relationsOf returns the relations of one memory, seen from it, the newest hundred of
// each verb and direction.
func relationsOf(ctx context.Context, r engram.Reader, num int64) ([]engram.RelationNote, error) {
	relations, err := r.RelationsOf(ctx, []int64{num}, nil, mostRelations)
	if err != nil {
		return nil, err
	}
	notes, err := notesFrom(ctx, r, relations, nil)
	return notes[num], err
}

// relationNotes returns the wanted relations of each memory, seen from it.
func relationNotes(ctx context.Context, r engram.Reader, nums []int64, want func(engram.Relation) bool) (map[int64][]engram.RelationNote, error) {
	relations, err := r.Relations(ctx, nums)
	if err != nil {
		return nil, err
	}
	return notesFrom(ctx, r, slices.DeleteFunc(relations, func(rel engram.Relation) bool { return !want(rel) }), nil)
}

// notesFrom returns relations by their memories, seen from each. Those of their memories
// that are known already are not read again.
func notesFrom(ctx context.Context, r engram.Reader, relations []engram.Relation, known []engram.Memory) (map[int64][]engram.RelationNote, error) {
	if len(relations) == 0 {
		return nil, nil
	}
	byNum := byNum(known)
	var unread []int64
	tied := map[int64]bool{}
	for _, rel := range relations {
		for _, end := range []int64{rel.Source, rel.Target} {
			tied[end] = true
			if _, read := byNum[end]; !read {
				byNum[end], unread = engram.Memory{}, append(unread, end)
			}
		}
	}
	ms, err := r.Memories(ctx, unread)
	if err != nil {
		return nil, err
	}
	for _, m := range ms {
		byNum[m.Num] = m
	}
	var ends []engram.Memory
	for num := range tied {
		ends = append(ends, byNum[num])
	}
	withheld, err := titlesWithheld(ctx, r, ends)
	if err != nil {
		return nil, err
	}
	notes := map[int64][]engram.RelationNote{}
	note := func(of, other int64, rel engram.Relation, outgoing bool) {
		notes[of] = append(notes[of], engram.RelationNote{Relation: rel, Outgoing: outgoing, Other: byNum[other], Withheld: withheld[other]})
	}
	for _, rel := range relations {
		note(rel.Source, rel.Target, rel, true)
		note(rel.Target, rel.Source, rel, false)
	}
	return notes, nil
}

// RelationsOf returns the relations of then, of these verbs. It does not count them: what
// was there then cannot be told without reading all.
func (p *pastReader) RelationsOf(ctx context.Context, memories []int64, verbs []engram.Verb, _ int) ([]engram.Relation, error) {
	then, err := p.Relations(ctx, memories)
	if verbs == nil {
		return then, err
	}
	return slices.DeleteFunc(then, func(r engram.Relation) bool { return !slices.Contains(verbs, r.Verb) }), err
}

// RelationsBetween returns the relations that two memories had with each other then.
func (p *pastReader) RelationsBetween(ctx context.Context, a, b int64) ([]engram.Relation, error) {
	then, err := p.Relations(ctx, []int64{a})
	return slices.DeleteFunc(then, func(r engram.Relation) bool { return !isBetween(r, a, b) }), err
}

// supersede leaves out what was superseded then, where only what was current is wanted,
// and puts what superseded it in its place; its memory comes into byNum.
func (p *past) supersede(ctx context.Context, finds []engram.Ranked, byNum map[int64]engram.Memory) ([]engram.Ranked, error) {
	if !p.in.Filter.Current {
		return finds, nil
	}
	q := &question{Engine: p.Engine, r: p.r, in: p.in, finds: finds, memories: byNum,
		newer: map[int64][]int64{}, hidden: map[int64]bool{}, why: map[int64]*engram.Why{}}
	relations, err := q.successors(ctx, nil, map[int64]bool{})
	if err != nil {
		return nil, err
	}
	if err := q.supersede(ctx, relations); err != nil {
		return nil, err
	}
	return slices.DeleteFunc(q.finds, func(f engram.Ranked) bool { return q.hidden[f.Num] }), nil
}
