package search

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/engine/screen"
	"github.com/alanbuscaglia/engram/internal/engine/view"
	"github.com/alanbuscaglia/engram/internal/engine/walk"
	"github.com/alanbuscaglia/engram/internal/lifecycle"
	"github.com/alanbuscaglia/engram/internal/retrieval"
)

// graphSeeds is how many of the best hits are expanded by their relations.
const graphSeeds = 20

// byRelation adds memories that are related to the best hits, and puts superseding memories before superseded hits.
func (q *Question) byRelation(ctx context.Context) error {
	policy := retrieval.DefaultGraph()
	if q.in.Hops != nil {
		policy.Hops = *q.in.Hops
	}
	seeds := q.finds[:min(len(q.finds), graphSeeds)]
	relations, asked, err := q.relationsAround(ctx, seeds, policy)
	q.around, q.asked = slices.Clone(relations), maps.Clone(asked)
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

// MostSuccessors is how far a chain of superseding memories is followed: each step is a query.
const MostSuccessors = 20

// successors adds to relations what supersedes the hits, and what supersedes that: of a chain the newest is wanted.
// asked are memories whose relations were read.
func (q *Question) successors(ctx context.Context, relations []engram.Relation, asked map[int64]bool) ([]engram.Relation, error) {
	most := q.in.Limit
	if q.in.Filter.Current {
		most = max(candidates, 3*most) // for each hidden hit another moves up
	}
	next := walk.NumsOf(q.finds[:min(len(q.finds), most)])
	known := map[int64]bool{}
	for _, r := range relations {
		known[r.Num] = true
		if r.Supersedes() {
			next = append(next, r.Source)
		}
	}
	for range MostSuccessors {
		next = slices.DeleteFunc(next, func(num int64) bool { return asked[num] })
		if len(next) == 0 {
			break
		}
		for _, num := range next {
			asked[num] = true
		}
		found, err := engram.RelationsOf(ctx, q.r, next, []engram.Verb{engram.VerbSupersedes}, view.MostRelations)
		if err != nil {
			return nil, err
		}
		next = nil
		for _, r := range found {
			if r.Supersedes() && !known[r.Num] {
				known[r.Num] = true
				relations, next = append(relations, r), append(next, r.Source)
			}
		}
	}
	return relations, nil
}

// relationsAround reads the relations of the seeds and of their neighbours, as far as the policy goes; seen are the
// memories whose relations were read.
func (q *Question) relationsAround(ctx context.Context, seeds []engram.Ranked, p retrieval.GraphPolicy) (all []engram.Relation, seen map[int64]bool, err error) {
	seen = map[int64]bool{}
	known := map[int64]bool{}
	// Superseding memories are wanted even with no hops: hence one round more.
	for next := walk.NumsOf(seeds); len(next) > 0 && len(known) <= MaxHops*graphSeeds*graphSeeds; {
		for _, num := range next {
			seen[num] = true
		}
		found, err := engram.RelationsOf(ctx, q.r, next, p.Follows(), view.MostRelations)
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

// ways returns the relations that may be followed: paths through forgotten memories and other projects are closed. A
// single hop needs no check.
func (q *Question) ways(ctx context.Context, relations []engram.Relation, p retrieval.GraphPolicy) ([]engram.Relation, error) {
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

func (q *Question) spread(ctx context.Context, seeds []engram.Ranked, relations []engram.Relation, p retrieval.GraphPolicy) error {
	reached := retrieval.Spread(seeds, relations, p)
	nums := walk.Mapped(reached, func(r retrieval.Reached) int64 { return r.Num })
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
		w := q.whyOf(r.Num)
		w.Channels = append(w.Channels, engram.ChannelRank{Channel: engram.ChannelGraph, Rank: rank, Score: r.Ranked.Score})
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

// readMore reads those memories that were not read yet and pass the filter.
func (q *Question) readMore(ctx context.Context, nums []int64) error {
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
	q.take(ms)
	return err
}

// supersede puts superseding memories before superseded hits, and hides those if only current ones are wanted. A
// forgotten or filtered memory supersedes nothing here: the only answer would be lost. Hidden hits stay until
// abstention is decided, because they count for their successors.
func (q *Question) supersede(ctx context.Context, relations []engram.Relation) error {
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
			if r.Supersedes() {
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

// superseded returns the question of in whose hits are finds, with their successors before them.
func superseded(ctx context.Context, f *Finder, r engram.Reader, in SearchInput, finds []engram.Ranked, memories map[int64]*engram.Memory) (*Question, error) {
	q := &Question{finder: f, r: r, in: in, finds: finds, memories: memories,
		newer: map[int64][]int64{}, hidden: map[int64]bool{}, why: map[int64]*engram.Why{}}
	relations, err := q.successors(ctx, nil, map[int64]bool{})
	if err != nil {
		return nil, err
	}
	return q, q.supersede(ctx, relations)
}

// inPlaceOf returns the newest memory that supersedes a named one and passes the filter, with a note, if only current
// ones are wanted; else the named one.
func (f *Finder) inPlaceOf(ctx context.Context, r engram.Reader, m engram.Memory, in SearchInput) (engram.Memory, string, error) {
	if !in.Filter.Current {
		return m, "", nil
	}
	q, err := superseded(ctx, f, r, in, []engram.Ranked{{Num: m.Num}}, map[int64]*engram.Memory{m.Num: &m})
	if err != nil {
		return m, "", err
	}
	first := q.finds[0].Num
	if first == m.Num {
		return m, "", nil
	}
	return *q.memories[first], fmt.Sprintf("stands for #%d, which was named", m.Num), nil
}

// Annotate adds to each hit why it is flagged, and the relations that change how to read it: what it supersedes,
// transitively, what supersedes it, and what contradicts it.
func (f *Finder) Annotate(ctx context.Context, r engram.Reader, lists ...[]engram.Hit) error {
	nums := screen.MemoryNums(walk.MemoriesOf(lists...))
	relations, err := engram.RelationsOf(ctx, r, nums, markingVerbs(), view.MostRelations)
	if err != nil {
		return err
	}
	return f.annotate(ctx, r, relations, lists...)
}

// annotate is Annotate with the relations that byRelation read, if it read those of all hits.
func (q *Question) annotate(ctx context.Context, lists ...[]engram.Hit) error {
	of := map[int64]bool{}
	for _, hits := range lists {
		for i := range hits {
			num := hits[i].Memory.Num
			if of[num] = true; !q.asked[num] {
				return q.finder.Annotate(ctx, q.r, lists...)
			}
		}
	}
	relations := slices.DeleteFunc(q.around, func(r engram.Relation) bool {
		return !slices.Contains(markingVerbs(), r.Verb) || !of[r.Source] && !of[r.Target]
	})
	slices.SortFunc(relations, func(a, b engram.Relation) int { return cmp.Compare(a.Num, b.Num) })
	return q.finder.annotate(ctx, q.r, relations, lists...)
}

func (f *Finder) annotate(ctx context.Context, r engram.Reader, relations []engram.Relation, lists ...[]engram.Hit) error {
	if err := f.screen.RedactHits(ctx, r, lists...); err != nil {
		return err
	}
	known := walk.MemoriesOf(lists...)
	notes, err := NotesFrom(ctx, r, marking(relations), known)
	if err != nil {
		return err
	}
	flags, err := screen.Flagged(ctx, r, known)
	if err != nil {
		return err
	}
	for _, hits := range lists {
		for i, h := range hits {
			hits[i].Flagged = flags[h.Memory.Num]
			if hits[i].Relations, err = withChain(ctx, r, notes[h.Memory.Num]); err != nil {
				return err
			}
		}
	}
	return nil
}

// markingVerbs returns the verbs of relations that change how a memory should be read.
func markingVerbs() []engram.Verb {
	return []engram.Verb{engram.VerbSupersedes, engram.VerbContradicts}
}

// Marks reports whether r changes how its memories should be read: a verdict with one of those verbs, or a pending
// candidate.
func Marks(r engram.Relation) bool {
	return (r.Status == engram.RelationPending || r.Status == engram.RelationJudged) && slices.Contains(markingVerbs(), r.Verb)
}

func marking(relations []engram.Relation) []engram.Relation {
	return slices.DeleteFunc(relations, func(r engram.Relation) bool { return !Marks(r) })
}

// mostNotes is how many relations of one memory, verb and direction are shown where a list is short of room.
const mostNotes = 10

// NotesOn returns what changes how memories should be read at a time, in three queries for any number. flagged is
// screen.Flagged, or that of a Gate.
func NotesOn(ctx context.Context, r engram.Reader, at time.Time, ms []engram.Memory,
	flagged func(context.Context, engram.Reader, []engram.Memory) (map[int64][]string, error)) (engram.Notes, error) {
	var related map[int64][]engram.RelationNote
	var flags map[int64][]string
	if err := engram.Together(ctx, r, func(ctx context.Context) error {
		relations, err := engram.RelationsOf(ctx, r, screen.MemoryNums(ms), markingVerbs(), mostNotes)
		if err == nil {
			related, err = NotesFrom(ctx, r, marking(relations), ms)
		}
		return err
	}, func(ctx context.Context) (err error) {
		flags, err = flagged(ctx, r, ms)
		return err
	}); err != nil {
		return nil, err
	}
	notes := make(engram.Notes, len(ms))
	for _, m := range ms {
		notes[m.Num] = engram.Note{State: lifecycle.State(m, at), Relations: related[m.Num], Flagged: flags[m.Num]}
	}
	return notes, nil
}

// mostChain is how much of a chain a hit names.
const mostChain = 10

// withChain adds the predecessors of what a memory supersedes, the nearest first.
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
		relations, err := engram.RelationsOf(ctx, r, []int64{over}, []engram.Verb{engram.VerbSupersedes}, mostChain)
		if err != nil {
			return nil, err
		}
		further, err := NotesFrom(ctx, r, relations, nil)
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

// RelationsOf returns the relations of one memory, as seen from it: the newest hundred of each verb and direction.
func RelationsOf(ctx context.Context, r engram.Reader, num int64) ([]engram.RelationNote, error) {
	relations, err := engram.RelationsOf(ctx, r, []int64{num}, nil, view.MostRelations)
	if err != nil {
		return nil, err
	}
	notes, err := NotesFrom(ctx, r, relations, nil)
	return notes[num], err
}

// NotesFrom returns relations by memory, as seen from each. It does not read known memories again.
func NotesFrom(ctx context.Context, r engram.Reader, relations []engram.Relation, known []engram.Memory) (map[int64][]engram.RelationNote, error) {
	if len(relations) == 0 {
		return nil, nil
	}
	byNum := screen.ByNum(known)
	var unread []int64
	related := map[int64]bool{}
	for _, rel := range relations {
		for _, end := range []int64{rel.Source, rel.Target} {
			related[end] = true
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
	for num := range related {
		ends = append(ends, byNum[num])
	}
	withheld, err := screen.TitlesWithheld(ctx, r, ends)
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

// supersede replaces memories that were superseded then, if only current ones are wanted; their successors are added
// to byNum.
func (p *past) supersede(ctx context.Context, finds []engram.Ranked, byNum map[int64]*engram.Memory) ([]engram.Ranked, error) {
	if !p.in.Filter.Current {
		return finds, nil
	}
	q, err := superseded(ctx, p.finder, p.r, p.in, finds, byNum)
	if err != nil {
		return nil, err
	}
	return slices.DeleteFunc(q.finds, func(f engram.Ranked) bool { return q.hidden[f.Num] }), nil
}
