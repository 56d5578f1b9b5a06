package engine

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"github.com/alanbuscaglia/engram"
)

// pastReader is a Reader as the store was at a time: it brings back from the journal
// what has changed since. What was erased since is gone, and prompts that were deleted
// since are not brought back; what was shown to whom counts as of now.
type pastReader struct {
	engram.Reader
	at  time.Time
	was map[int64]engram.Memory // memories that changed since, as they were; zero: not there
}

// readerAt returns r as it was at a time; r itself for the zero time. degraded says what
// the journal cannot tell any more.
func readerAt(ctx context.Context, r engram.Reader, at time.Time) (past engram.Reader, degraded []string, err error) {
	if at.IsZero() {
		return r, nil, nil
	}
	was, err := pastMemories(ctx, r, at)
	if err != nil {
		return nil, nil, err
	}
	degraded, err = beforeJournal(ctx, r, at)
	return &pastReader{r, at, was}, degraded, err
}

// beforeJournal says that a time lies before what the journal knows.
func beforeJournal(ctx context.Context, r engram.Reader, at time.Time) ([]string, error) {
	begins, err := r.JournalBegins(ctx)
	if err != nil || !at.Before(begins) {
		return nil, err
	}
	return []string{fmt.Sprintf("the journal begins on %s: texts are the oldest it knows, and what was forgotten before is not shown",
		begins.Format("2 January 2006"))}, nil
}

// then is a memory as it was; there is false when it was not there yet.
func (p *pastReader) then(m engram.Memory) (was engram.Memory, there bool) {
	if was, changed := p.was[m.Num]; changed {
		return was, was.Num != 0
	}
	return m, m.CreatedAt.Before(p.at)
}

// Memory returns the memory that ref names, as it was.
func (p *pastReader) Memory(ctx context.Context, ref engram.Ref) (engram.Memory, error) {
	if ref.Topic != "" {
		for _, num := range p.changed() {
			m := p.was[num]
			if m.TopicKey == ref.Topic && !m.Forgotten() && (ref.Project == "" || m.Project == ref.Project) {
				return m, nil
			}
		}
	}
	m, err := p.Reader.Memory(ctx, ref)
	if err != nil {
		return m, err
	}
	was, there := p.then(m)
	if !there || ref.Topic != "" && was.TopicKey != ref.Topic {
		return was, engram.Errorf(engram.CodeNotFound, "memory %s did not exist then", ref).WithHint("leave the date out")
	}
	return was, nil
}

// changed are the memories that were there and changed since, by number.
func (p *pastReader) changed() []int64 {
	var nums []int64
	for num, m := range p.was {
		if m.Num != 0 {
			nums = append(nums, num)
		}
	}
	slices.Sort(nums)
	return nums
}

// Memories returns memories as they were; those that were not there are left out.
func (p *pastReader) Memories(ctx context.Context, nums []int64) ([]engram.Memory, error) {
	now, err := p.Reader.Memories(ctx, nums)
	var then []engram.Memory
	for _, m := range now {
		if was, there := p.then(m); there {
			then = append(then, was)
		}
	}
	return then, err
}

// List returns the memories that passed f then.
func (p *pastReader) List(ctx context.Context, f engram.Filter, page engram.Page) ([]engram.Memory, error) {
	if f.Until.IsZero() || p.at.Before(f.Until) {
		f.Until = p.at
	}
	if project, known, err := p.Project(ctx, f.Project); err != nil {
		return nil, err
	} else if known {
		f.Project = project.Name // an alias by now
	}
	// What is superseded now may not have been then.
	stored := f
	stored.Current = false
	var all []engram.Memory
	for _, num := range p.changed() {
		if m := p.was[num]; passed(m, f) {
			all = append(all, m)
		}
	}
	wanted := page.Offset + page.Limit
	for offset, unchanged := 0, 0; unchanged < wanted; offset += wanted {
		ms, err := p.Reader.List(ctx, stored, engram.Page{Limit: wanted, Offset: offset})
		if err != nil {
			return nil, err
		}
		for _, m := range ms {
			if _, changed := p.was[m.Num]; !changed {
				all = append(all, m)
				unchanged++
			}
		}
		if len(ms) < wanted {
			break
		}
	}
	all, err := p.current(ctx, all, f)
	if err != nil {
		return nil, err
	}
	slices.SortFunc(all, func(a, b engram.Memory) int {
		if f.Forgotten {
			return cmp.Or(b.DeletedAt.Compare(a.DeletedAt), cmp.Compare(b.Num, a.Num))
		}
		return newestFirst(a, b)
	})
	return all[min(page.Offset, len(all)):min(wanted, len(all))], nil
}

// passed is passes for a list that may be of forgotten memories.
func passed(m engram.Memory, f engram.Filter) bool {
	if f.Forgotten {
		forgotten := m.Forgotten()
		m.DeletedAt, f.Forgotten = time.Time{}, false
		return forgotten && passes(m, f)
	}
	return passes(m, f)
}

// current leaves out what was superseded then, where f asks for that.
func (p *pastReader) current(ctx context.Context, ms []engram.Memory, f engram.Filter) ([]engram.Memory, error) {
	if !f.Current {
		return ms, nil
	}
	nums := make([]int64, len(ms))
	for i, m := range ms {
		nums[i] = m.Num
	}
	relations, err := p.Relations(ctx, nums)
	if err != nil {
		return nil, err
	}
	var newer []int64
	for _, r := range relations {
		if r.Supersedes() {
			newer = append(newer, r.Source)
		}
	}
	live := map[int64]bool{}
	sources, err := p.Memories(ctx, newer)
	for _, m := range sources {
		live[m.Num] = !m.Forgotten()
	}
	return slices.DeleteFunc(ms, func(m engram.Memory) bool {
		return slices.ContainsFunc(relations, func(r engram.Relation) bool {
			return r.Target == m.Num && r.Supersedes() && live[r.Source]
		})
	}), err
}

// Lasting returns those that lasted then, as far as they last now or changed since.
func (p *pastReader) Lasting(ctx context.Context, project string, scope engram.Scope, limit int) ([]engram.Memory, error) {
	ms, err := p.Reader.Lasting(ctx, project, scope, limit)
	if err != nil {
		return nil, err
	}
	ms = slices.DeleteFunc(ms, func(m engram.Memory) bool {
		_, changed := p.was[m.Num]
		return changed || !m.CreatedAt.Before(p.at)
	})
	for _, num := range p.changed() {
		m := p.was[num]
		if passes(m, engram.Filter{Project: project, Scope: scope}) && (m.Permanent || m.Importance >= lastingImportance) {
			ms = append(ms, m)
		}
	}
	return ms[:min(limit, len(ms))], nil
}

// lastingImportance is from which importance on MemoryReader.Lasting tells a memory.
const lastingImportance = 0.7

// LatelyUsed knows nothing of then.
func (p *pastReader) LatelyUsed(context.Context, string, int) ([]int64, error) { return nil, nil }

// Revisions returns what was replaced before then.
func (p *pastReader) Revisions(ctx context.Context, num int64) ([]engram.Revision, error) {
	rs, err := p.Reader.Revisions(ctx, num)
	return slices.DeleteFunc(rs, func(r engram.Revision) bool { return !r.ReplacedAt.Before(p.at) }), err
}

// Relations returns the relations of then.
func (p *pastReader) Relations(ctx context.Context, memories []int64) ([]engram.Relation, error) {
	now, err := p.Reader.Relations(ctx, memories)
	if err != nil {
		return nil, err
	}
	removed, err := p.RemovedRelations(ctx, memories, p.at)
	if err != nil {
		return nil, err
	}
	entries, err := entriesSince(ctx, p.Reader, engram.EntityRelation, p.at)
	if err != nil {
		return nil, err
	}
	var then []engram.Relation
	for _, r := range append(now, removed...) {
		if !r.CreatedAt.Before(p.at) {
			continue
		}
		for _, e := range entries { // newest first
			if e.Key != key(r.Num) || e.Was == nil {
				continue
			}
			if err := restoreRelation(&r, e.Was); err != nil {
				return nil, fmt.Errorf("journal entry %d: %w", e.Seq, err)
			}
		}
		if !r.Removed() {
			then = append(then, r)
		}
	}
	slices.SortFunc(then, func(a, b engram.Relation) int { return cmp.Compare(a.Num, b.Num) })
	return then, nil
}

func restoreRelation(r *engram.Relation, was json.RawMessage) error {
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(was, &fields); err != nil {
		return err
	}
	for name, old := range fields {
		if into := relationField(r, name); into != nil {
			if err := json.Unmarshal(old, into); err != nil {
				return fmt.Errorf("%s: %w", name, err)
			}
		}
	}
	return nil
}

// Sessions returns the sessions that had begun, the latest begun first. Their counts
// are those of now.
func (p *pastReader) Sessions(ctx context.Context, project string, page engram.Page) ([]engram.SessionActivity, error) {
	entries, err := entriesSince(ctx, p.Reader, engram.EntitySession, p.at)
	if err != nil {
		return nil, err
	}
	then, err := pastPage(page, func(page engram.Page) ([]engram.SessionActivity, error) {
		return p.Reader.Sessions(ctx, project, page)
	}, func(s *engram.SessionActivity) bool {
		for _, e := range entries { // newest first
			var was sessionWas
			if e.Key == s.ID && e.Was != nil && json.Unmarshal(e.Was, &was) == nil {
				was.restore(&s.Session)
			}
		}
		return s.StartedAt.Before(p.at)
	})
	return then, err
}

// Prompts returns the prompts that had been asked.
func (p *pastReader) Prompts(ctx context.Context, project, session string, page engram.Page) ([]engram.Prompt, error) {
	return pastPage(page, func(page engram.Page) ([]engram.Prompt, error) {
		return p.Reader.Prompts(ctx, project, session, page)
	}, func(q *engram.Prompt) bool { return q.CreatedAt.Before(p.at) })
}

// pastPage reads pages of what there is now until it has a page of what there was.
func pastPage[T any](page engram.Page, read func(engram.Page) ([]T, error), was func(*T) bool) ([]T, error) {
	const many = 200
	var then []T
	for offset := 0; len(then) < page.Offset+page.Limit; offset += many {
		now, err := read(engram.Page{Limit: many, Offset: offset})
		if err != nil {
			return nil, err
		}
		for i := range now {
			if was(&now[i]) {
				then = append(then, now[i])
			}
		}
		if len(now) < many {
			break
		}
	}
	return then[min(page.Offset, len(then)):min(page.Offset+page.Limit, len(then))], nil
}
