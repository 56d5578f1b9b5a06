package view

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/engine/ledger"
	"github.com/alanbuscaglia/engram/internal/engine/screen"
)

// PastReader is a Reader of the store at a past time: it restores from the journal what has changed since. Erased
// memories and deleted prompts are not restored; exposures count as of today.
type PastReader struct {
	engram.Reader
	At    time.Time
	since *journalSince
	names map[string]string // of projects then, by the name asked for; "": no such project

	Was    map[int64]engram.Memory // changed memories as they were: those looked up, or all
	texts  map[int64]int           // numbers of the revisions with their texts; 0: unchanged text
	looked map[int64]bool
	whole  bool
}

// ReaderAt returns r at a past time; r itself for the zero time. degraded says what the journal does not know.
func ReaderAt(ctx context.Context, l *ledger.Ledger, r engram.Reader, at time.Time) (past engram.Reader, degraded []string, err error) {
	if at.IsZero() {
		return r, nil, nil
	}
	p, err := PastOf(ctx, r, at)
	if err != nil {
		return nil, nil, err
	}
	degraded, err = Uncertain(ctx, l, r, at)
	return p, degraded, err
}

// PastOf returns a reader of the store at a past time.
func PastOf(ctx context.Context, r engram.Reader, at time.Time) (*PastReader, error) {
	after, err := r.SeqBefore(ctx, at)
	since := &journalSince{r: r, after: after, changes: map[engram.Entity]map[string][]engram.Mutation{}, made: map[engram.Entity]int64{}}
	return &PastReader{Reader: r, At: at, since: since, names: map[string]string{}, Was: map[int64]engram.Memory{},
		texts: map[int64]int{}, looked: map[int64]bool{}}, err
}

// clockAhead is how far the journal's clock may be ahead without a warning: clock corrections are usually smaller.
const clockAhead = time.Minute

// Uncertain returns why the journal may be wrong about a time: it begins later, or its clock is ahead of the
// machine's.
func Uncertain(ctx context.Context, l *ledger.Ledger, r engram.Reader, at time.Time) (degraded []string, err error) {
	begins, err := engram.JournalBegins(ctx, r)
	if err != nil {
		return nil, err
	}
	if at.Before(begins) {
		degraded = append(degraded, fmt.Sprintf("the journal begins on %s: texts are the oldest known, and memories forgotten earlier are not shown",
			begins.Format("2 January 2006")))
	}
	last, err := engram.LastMutation(ctx, r)
	if last.At.Time().After(l.Now().Add(clockAhead)) {
		degraded = append(degraded, fmt.Sprintf("the journal's clock is ahead, at %s: this machine's clock was set back, and later changes count as of that time",
			last.At.Time().Format("2 January 2006 15:04")))
	}
	return degraded, err
}

// then returns those memories that existed, as they were; now is what they are today.
func (p *PastReader) then(ctx context.Context, now []engram.Memory) ([]engram.Memory, error) {
	if err := p.read(ctx, now); err != nil {
		return nil, err
	}
	first, err := p.since.firstMade(ctx, engram.EntityMemory)
	then := make([]engram.Memory, 0, len(now))
	for _, m := range now {
		if m.Num >= first || !m.CreatedAt.Before(p.At) {
			continue
		}
		if was, changed := p.Was[m.Num]; changed {
			m = was
		}
		then = append(then, m)
	}
	return then, err
}

// Memory returns the memory of a reference as it was.
func (p *PastReader) Memory(ctx context.Context, ref engram.Ref) (engram.Memory, error) {
	notThen := engram.Errorf(engram.CodeNotFound, "memory %s did not exist then", ref).WithHint("omit the date")
	if ref.Topic != "" {
		project, there, err := p.nameThen(ctx, ref.Project)
		if err != nil {
			return engram.Memory{}, err
		}
		if !there {
			return engram.Memory{}, notThen
		}
		ref.Project = project
		if m, found, err := p.topic(ctx, ref); found || err != nil {
			return m, err
		}
	}
	m, err := p.Reader.Memory(ctx, ref)
	if err != nil {
		return m, err
	}
	then, err := p.then(ctx, []engram.Memory{m})
	if err != nil {
		return m, err
	}
	if len(then) == 0 || ref.Topic != "" && !hasTopic(then[0], ref) {
		return m, notThen
	}
	return then[0], nil
}

func (p *PastReader) topic(ctx context.Context, ref engram.Ref) (m engram.Memory, found bool, err error) {
	if err := p.ReadAll(ctx); err != nil {
		return m, false, err
	}
	for _, was := range p.Was {
		if hasTopic(was, ref) && !was.Forgotten() && (!found || was.Num < m.Num) {
			m, found = was, true
		}
	}
	return m, found, nil
}

func hasTopic(m engram.Memory, ref engram.Ref) bool {
	return m.TopicKey == ref.Topic && (ref.Project == "" || m.Project == ref.Project)
}

// Memories returns memories as they were, without those that did not exist.
func (p *PastReader) Memories(ctx context.Context, nums []int64) ([]engram.Memory, error) {
	now, err := p.Reader.Memories(ctx, nums)
	if err != nil {
		return nil, err
	}
	return p.then(ctx, now)
}

// lasting returns the lasting memories of then, as far as they last today or have changed.
func (p *PastReader) lasting(ctx context.Context, f engram.Filter, limit int) ([]engram.Memory, error) {
	f, there, err := p.Place(ctx, f)
	if err != nil || !there {
		return nil, err
	}
	if err := p.ReadAll(ctx); err != nil {
		return nil, err
	}
	var ms []engram.Memory
	if stillNamed, err := p.stillNamed(ctx, f.Project); err != nil {
		return nil, err
	} else if stillNamed {
		if ms, err = p.Reader.List(ctx, engram.Filter{Project: f.Project, Scope: f.Scope, Lasting: true}, engram.Page{Order: engram.OrderLasting, Limit: limit}); err != nil {
			return nil, err
		}
	}
	ms = slices.DeleteFunc(ms, func(m engram.Memory) bool { _, changed := p.Was[m.Num]; return changed })
	if ms, err = p.then(ctx, ms); err != nil {
		return nil, err
	}
	for _, m := range p.Was {
		if Passes(m, f) && Lasts(m) {
			ms = append(ms, m)
		}
	}
	slices.SortFunc(ms, func(a, b engram.Memory) int {
		if a.Permanent != b.Permanent {
			if a.Permanent {
				return -1
			}
			return 1
		}
		return cmp.Or(cmp.Compare(b.Importance, a.Importance), NewestFirst(a, b))
	})
	return ms[:min(limit, len(ms))], nil
}

// Lasts reports whether Filter.Lasting matches a memory.
func Lasts(m engram.Memory) bool {
	return m.Permanent || m.Importance >= 0.7 || m.Type == engram.TypePreference || m.Type == engram.TypePolicy
}

// LatelyUsed returns nothing: exposures of that time are not kept.
func (p *PastReader) LatelyUsed(context.Context, string, int) ([]int64, error) { return nil, nil }

// Revisions returns the texts that had been replaced by then.
func (p *PastReader) Revisions(ctx context.Context, nums ...int64) ([]engram.Revision, error) {
	now, err := p.Reader.Memories(ctx, nums)
	if err != nil {
		return nil, err
	}
	if err := p.read(ctx, now); err != nil {
		return nil, err
	}
	rs, err := p.Reader.Revisions(ctx, nums...)
	return slices.DeleteFunc(rs, func(r engram.Revision) bool {
		text := p.texts[r.Memory]
		return text != 0 && r.Number >= text
	}), err
}

// textWrite returns the write of the text of then, of a memory whose text has changed.
func (p *PastReader) textWrite(ctx context.Context, num int64) (s engram.VersionStamp, known bool, err error) {
	text := p.texts[num]
	if text == 0 {
		return s, false, nil
	}
	rs, err := p.Reader.Revisions(ctx, num)
	i := slices.IndexFunc(rs, func(r engram.Revision) bool { return r.Number == text })
	if i < 0 {
		return s, true, err
	}
	return rs[i].Stamp, true, nil
}

// List returns the memories that passed f then. Look-ups that no answer about the past asks for are of today.
func (p *PastReader) List(ctx context.Context, f engram.Filter, page engram.Page) ([]engram.Memory, error) {
	switch {
	case f.Lasting:
		return p.lasting(ctx, f, page.Limit)
	case page.Order != engram.OrderNewest || f.Stale || f.Anchor != "" || f.TopicKey != "":
		return p.Reader.List(ctx, f, page)
	}
	var nums []int64
	skip := page.Offset
	err := p.walk(ctx, f, page.Offset+page.Limit, func(m engram.Memory) bool {
		if !f.Forgotten && !page.After.Before(m) {
			return true
		}
		if skip > 0 {
			skip--
			return true
		}
		nums = append(nums, m.Num)
		return len(nums) < page.Limit
	})
	if err != nil || len(nums) == 0 {
		return nil, err
	}
	return p.Memories(ctx, nums)
}

// Outlines calls each with the memories that passed f then; changed ones are complete. It takes no sample.
func (p *PastReader) Outlines(ctx context.Context, f engram.Filter, _ int, each func(engram.Memory) bool) error {
	return p.walk(ctx, f, few, each)
}

// walk calls each with the memories that passed f then, in list order, until it returns false. It looks up
// supersessions for about as many memories as are wanted at a time.
func (p *PastReader) walk(ctx context.Context, f engram.Filter, wanted int, each func(engram.Memory) bool) error {
	f, there, err := p.Place(ctx, f)
	if err != nil || !there {
		return err
	}
	if err := p.ReadAll(ctx); err != nil {
		return err
	}
	more, err := p.stillNamed(ctx, f.Project)
	if err != nil {
		return err
	}
	var changed []engram.Memory
	for _, m := range p.Was {
		if passed(m, f) {
			changed = append(changed, m)
		}
	}
	slices.SortFunc(changed, listOrder(f))
	stored := f
	stored.Current = false // what is superseded today may not have been then
	for size := max(few, wanted); ; size *= 2 {
		var part []engram.Memory
		if more {
			if part, more, err = p.unchanged(ctx, &stored, size); err != nil {
				return err
			}
		}
		n := len(changed)
		if more {
			last := part[len(part)-1]
			n, _ = slices.BinarySearchFunc(changed, last, listOrder(f))
		}
		part, changed = append(part, changed[:n]...), changed[n:]
		slices.SortFunc(part, listOrder(f))
		for some := range slices.Chunk(part, max(few, wanted)) {
			if f.Current {
				if some, err = p.current(ctx, some, f); err != nil {
					return err
				}
			}
			for _, m := range some {
				if !each(m) {
					return nil
				}
			}
		}
		if !more {
			return nil
		}
	}
}

func listOrder(f engram.Filter) func(a, b engram.Memory) int {
	if f.Forgotten {
		return func(a, b engram.Memory) int {
			return cmp.Or(b.DeletedAt.Compare(a.DeletedAt), cmp.Compare(b.Num, a.Num))
		}
	}
	return NewestFirst
}

// unchanged reads outlines of at least so many unchanged memories that pass f, in list order. If there are more it
// stops between two times and makes f continue there: an offset would walk over all of them again.
func (p *PastReader) unchanged(ctx context.Context, f *engram.Filter, least int) (ms []engram.Memory, more bool, err error) {
	first, err := p.since.firstMade(ctx, engram.EntityMemory)
	if err != nil {
		return nil, false, err
	}
	err = p.Reader.Outlines(ctx, *f, 0, func(m engram.Memory) bool {
		if n := len(ms); n >= least && !f.Forgotten && m.CreatedAt.Before(ms[n-1].CreatedAt) {
			more, f.Until = true, ms[n-1].CreatedAt
			return false
		}
		if _, changed := p.Was[m.Num]; !changed && m.Num < first {
			ms = append(ms, m)
		}
		return true
	})

	return ms, more, err
}

// passed is passes for lists that may be of forgotten memories.
func passed(m engram.Memory, f engram.Filter) bool {
	if f.Forgotten {
		forgotten := m.Forgotten()
		m.DeletedAt, f.Forgotten = time.Time{}, false
		return forgotten && Passes(m, f)
	}
	return Passes(m, f)
}

// current leaves out memories that had been superseded by one that passed f.
func (p *PastReader) current(ctx context.Context, ms []engram.Memory, f engram.Filter) ([]engram.Memory, error) {
	nums := screen.MemoryNums(ms)
	relations, err := engram.RelationsOf(ctx, p, nums, []engram.Verb{engram.VerbSupersedes}, MostRelations)
	if err != nil {
		return nil, err
	}
	var newer []int64
	for _, r := range relations {
		if r.Supersedes() {
			newer = append(newer, r.Source)
		}
	}
	sources, err := p.Memories(ctx, newer)
	if err != nil {
		return nil, err
	}
	live, over := map[int64]bool{}, map[int64]bool{}
	for _, m := range sources {
		live[m.Num] = Passes(m, f)
	}
	for _, r := range relations {
		if r.Supersedes() && live[r.Source] {
			over[r.Target] = true
		}
	}
	return slices.DeleteFunc(ms, func(m engram.Memory) bool { return over[m.Num] }), nil
}
