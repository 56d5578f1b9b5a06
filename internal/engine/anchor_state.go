package engine

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/retrieval"
)

// anchorTime is how long somebody looks what became of the code that an answer's memories speak of.
// Ten hits take a millisecond; of a file that went git is asked, which takes 20 where there are a
// thousand commits. What a disk that is asleep keeps busy does not look at the time, so that the
// answer does not wait for it longer than Options.Patience.
const anchorTime = 80 * time.Millisecond

// states tells what became of the anchors of memories, by number; nil where none has any.
func (e *Engine) states(ctx context.Context, ms []engram.Memory) map[int64][]engram.Anchored {
	var all []engram.Anchor
	for _, m := range ms {
		all = append(all, m.Anchors...)
	}
	if len(all) == 0 {
		return nil
	}
	states := make([]engram.Anchored, len(all))
	for i, a := range all {
		states[i].Anchor = a
	}
	if e.code != nil && e.dir != "" {
		states = e.look(ctx, all, states)
	}
	by := make(map[int64][]engram.Anchored, len(ms))
	for _, m := range ms {
		if n := len(m.Anchors); n > 0 {
			by[m.Num], states = states[:n:n], states[n:]
		}
	}
	return by
}

// mostLooks is how many looks at the code are waited for at once: those that a disk keeps for ever
// must not grow in number.
const mostLooks = 16

// Finish waits until nobody looks at code any more, and lets nobody look from then on: what is
// asked after it is not known. It waits for Options.Patience at most; a look that a disk keeps
// longer ends with the process. It reads files alone, never the store, which stays the caller's.
func (e *Engine) Finish() {
	patient := time.NewTimer(e.patience)
	defer patient.Stop()
	for range mostLooks {
		select {
		case e.looks <- struct{}{}:
		case <-patient.C:
			return
		}
	}
}

// look asks how anchors stand, and gives unknown back when nobody says so in time.
func (e *Engine) look(ctx context.Context, all []engram.Anchor, unknown []engram.Anchored) []engram.Anchored {
	patient, cancel := context.WithTimeout(ctx, e.patience)
	defer cancel()
	select {
	case e.looks <- struct{}{}:
	case <-patient.Done():
		return unknown
	}
	said := make(chan []engram.Anchored, 1)
	go func() {
		defer func() { <-e.looks }()
		limited, cancel := context.WithTimeout(ctx, anchorTime)
		defer cancel()
		said <- e.code.States(limited, e.dir, all)
	}()
	select {
	case states := <-said:
		return states
	case <-patient.Done():
		return unknown
	}
}

// lookAtCode tells of hits what became of the code that they speak of; what it says otherwise by
// now goes behind what is about as good. What was seen is noted for the review.
func (e *Engine) lookAtCode(ctx context.Context, found *engram.Found, in SearchInput) {
	by := e.states(ctx, memoriesOf(found.Hits, found.Weak))
	if by == nil {
		return
	}
	for _, hits := range [][]engram.Hit{found.Hits, found.Weak} {
		for i := range hits {
			hits[i].Anchors = by[hits[i].Memory.Num]
		}
		if !in.ByStrength && !in.Rerank { // who asked for another order gets that
			lowerStale(hits)
		}
	}
	e.noteAnchors(ctx, by)
}

// lowerStale multiplies the scores of hits by what the state of their code makes of them, and lets
// those that lost pass behind the ones that are better now. The others keep their order, which is
// not only that of scores.
func lowerStale(hits []engram.Hit) {
	policy := retrieval.DefaultAnchors()
	for i := len(hits) - 1; i >= 0; i-- {
		factor := policy.Prior(hits[i].Anchors)
		if factor.Value == 1 {
			continue
		}
		h := hits[i]
		h.Score *= factor.Value
		h.Why.Factors = append(slices.Clip(h.Why.Factors), factor)
		to := i
		for to+1 < len(hits) && hits[to+1].Score > h.Score {
			hits[to] = hits[to+1]
			to++
		}
		hits[to] = h
	}
}

func memoriesOf(lists ...[]engram.Hit) []engram.Memory {
	var ms []engram.Memory
	for _, hits := range lists {
		for _, h := range hits {
			ms = append(ms, h.Memory)
		}
	}
	return ms
}

// noteAnchors notes what was seen of anchors, where it is news: after the answer was found, and
// without failing it. Where another process is writing, it is seen again the next time.
func (e *Engine) noteAnchors(ctx context.Context, by map[int64][]engram.Anchored) {
	seen := map[int64]engram.AnchorState{}
	var nums []int64
	for num, states := range by {
		if s := retrieval.Standing(states); s != engram.AnchorUnknown {
			seen[num] = s
			nums = append(nums, num)
		}
	}
	if len(nums) == 0 {
		return
	}
	err := e.store.View(ctx, func(r engram.Reader) error {
		known, err := r.SeenAnchors(ctx, nums)
		for num, s := range seen {
			if was := known[num]; was == s || was == "" && !s.Stale() {
				delete(seen, num)
			}
		}
		return err
	})
	if err != nil || len(seen) == 0 {
		return
	}
	ctx, cancel := e.waiting(ctx)
	defer cancel()
	_ = e.store.Update(ctx, func(tx engram.Tx) error { return tx.NoteAnchors(ctx, seen) })
}

// inFolderOf is the engine in the folder that a session works in, as far as somebody looks at code.
func (e *Engine) inFolderOf(ctx context.Context, session string) *Engine {
	if e.code == nil || session == "" {
		return e
	}
	dir, err := e.folderOf(ctx, line(session))
	if err != nil || dir == e.dir {
		return e // whoever needs the session says what is wrong
	}
	return e.In(dir)
}

// inFolder is the engine in a folder; "" is the one that it is in.
func (e *Engine) inFolder(dir string) *Engine {
	if dir == "" {
		return e
	}
	return e.In(dir)
}

// tellAnchors adds to hits that nobody searched for what became of their code.
func (t *reminding) tellAnchors(ctx context.Context) {
	if slices.ContainsFunc(t.hits, func(h engram.Hit) bool { return h.Anchors != nil }) {
		return
	}
	by := t.inFolder(t.in.Directory).states(ctx, memoriesOf(t.hits))
	for i := range t.hits {
		t.hits[i].Anchors = by[t.hits[i].Memory.Num]
	}
}

// tellAnchors adds to the notes of a brief what became of the code, as far as memories may be told.
func (b *briefing) tellAnchors(ctx context.Context) {
	for num, states := range b.inFolder(b.in.Directory).states(ctx, b.worth) {
		note := b.notes[num]
		note.Anchors = states
		b.notes[num] = note
	}
}

// tellAnchors adds to the notes of a context what became of the code, as far as memories may be
// told.
func (e *Engine) tellAnchors(ctx context.Context, t *telling) {
	by := e.states(ctx, t.worth[:min(len(t.worth), 3*t.most)])
	for num, states := range by {
		note := t.notes[num]
		note.Anchors = states
		t.notes[num] = note
	}
	e.noteAnchors(ctx, by)
}

// anchoredAnew are the anchors of a memory of which somebody said that it holds: to what its places
// say now. What is not there any more is let go (gone), and what nobody can see from here stays as it
// was; unseen is when that is all of it.
func (e *Engine) anchoredAnew(ctx context.Context, m engram.Memory) (now, gone []engram.Anchor, unseen bool) {
	if e.code == nil || e.dir == "" || len(m.Anchors) == 0 {
		return m.Anchors, nil, true
	}
	unseen = true
	for _, a := range e.code.States(ctx, e.dir, m.Anchors) {
		place := a.Place()
		switch a.State {
		case engram.AnchorUnknown:
			now = append(now, a.Anchor)
			continue
		case engram.AnchorGone:
			gone, unseen = append(gone, a.Anchor), false
			continue
		case engram.AnchorMoved:
			place = a.Now
		case engram.AnchorChanged:
			place.Path = cmp.Or(a.Now.Path, place.Path)
		}
		unseen = false
		anew, err := e.code.Anchors(ctx, e.dir, nil, []engram.Place{place})
		if err != nil || len(anew) == 0 {
			now = append(now, a.Anchor)
			continue
		}
		anew[0].Named = a.Named
		now = append(now, anew[0])
	}
	return engram.CleanAnchors(now), gone, unseen
}

// anchorAnew looks up, before the transaction of a review, how the code of a memory stands.
func (e *Engine) anchorAnew(ctx context.Context, ref engram.Ref) (a anchoredAhead) {
	err := e.store.View(ctx, func(r engram.Reader) (err error) {
		a.was, err = live(ctx, r, ref)
		return err
	})
	if err != nil {
		return anchoredAhead{} // the review says what is wrong
	}
	a.now, a.gone, a.unseen = e.anchoredAnew(ctx, a.was)
	return a
}

// anchor anchors a memory that was reviewed, unless it got other anchors meanwhile; it waits for
// nobody any more. Where none of its code is to be seen from here (unseen), nothing becomes of
// them, and what waits because they changed goes on waiting.
func (a anchoredAhead) anchor(ctx context.Context, o *op, m *engram.Memory, res *ReviewResult) (unseen bool, err error) {
	if a.was.Num != m.Num || len(m.Anchors) == 0 || !slices.Equal(a.was.Anchors, m.Anchors) {
		return false, nil
	}
	if a.unseen {
		return true, nil
	}
	m.Anchors, res.Released = a.now, a.gone
	res.Anchored = slices.DeleteFunc(slices.Clone(a.now), func(now engram.Anchor) bool { return slices.Contains(a.was.Anchors, now) })
	return false, o.tx.NoteAnchors(ctx, map[int64]engram.AnchorState{m.Num: engram.AnchorVerified})
}

// placesOfAnchors are the places of anchors, for a person.
func placesOfAnchors(all []engram.Anchor) string { return strings.Join(placeNames(all), ", ") }

// placeNames are the places of anchors, as a person writes them; nil for none.
func placeNames(all []engram.Anchor) (names []string) {
	for _, a := range all {
		names = append(names, a.Place().String())
	}
	return names
}
