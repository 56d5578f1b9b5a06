package engine

import (
	"context"
	"sync/atomic"

	"github.com/alanbuscaglia/engram"
)

// Apart returns the same Engine for those who must not hear of some projects, such as agents
// that a person has switched off for one: whatever asks everywhere leaves out what is in them,
// and what is tied to it. off returns nil while there are none, else what reports whether a
// project is one; it is asked for every answer and must not wait.
//
// What names such a project itself is for the caller to refuse, who can say why: ProjectsOf
// and ProjectFor tell of all of them. A verb that would write in one all the same, such as the undo
// of an import that was of several, is CodeForbidden and does nothing.
func (e *Engine) Apart(off func() (off func(project string) bool)) *Engine {
	f := *e
	f.store = apartStore{e.store, off}
	f.coverage = new(atomic.Pointer[coverage])
	if e.warm != nil { // a server that is asked to search does not know who asks
		f.warm = func(ctx context.Context, in SearchInput) (engram.Found, bool) {
			if off() != nil {
				return engram.Found{}, false
			}
			return e.warm(ctx, in)
		}
	}
	return &f
}

// apartStore is a Store whose Views keep projects apart.
type apartStore struct {
	engram.Store
	off func() func(project string) bool
}

// keptApart reports whether a project is kept apart now; nil while none is.
func (e *Engine) keptApart() func(project string) bool {
	if s, is := e.store.(apartStore); is {
		return s.off()
	}
	return nil
}

// everywhere is the Engine of everybody, for what looks after the store and tells nobody.
func (e *Engine) everywhere() *Engine {
	s, is := e.store.(apartStore)
	if !is {
		return e
	}
	f := *e
	f.store = s.Store
	return &f
}

// mayWrite is an error where an op would write of a thing in a project that is kept apart, or take
// it from there. A relation is nobody's alone: the end that is not kept apart may be changed, and
// what ties it with it.
func (o *op) mayWrite(t thing, project string, was map[string]any) error {
	if o.off == nil || t.entity == engram.EntityRelation {
		return nil
	}
	names := []string{project}
	if t.entity == engram.EntityProject {
		names = append(names, t.key)
	}
	if from, moved := was["project"].(string); moved {
		names = append(names, from)
	}
	for _, name := range names {
		if name != "" && o.off(name) {
			return engram.Errorf(engram.CodeForbidden, "Engram is switched off for project %q, and this would write in it: nothing was done", name).
				WithHint("the user runs {on --project %s}", name)
		}
	}
	return nil
}

// View runs fn on a snapshot without what is kept apart now.
func (s apartStore) View(ctx context.Context, fn func(engram.Reader) error) error {
	off := s.off()
	if off == nil {
		return s.Store.View(ctx, fn)
	}
	return s.Store.View(ctx, func(r engram.Reader) error {
		return fn(&apartReader{Reader: r, off: off, of: map[int64]bool{}})
	})
}

// apartReader is a Reader that leaves out what is in projects that are kept apart. What asks
// for one project by its name gets what there is, but for memories: those are left out however
// one comes to them. Lists over every project are filled up from what follows.
type apartReader struct {
	engram.Reader
	off func(project string) bool
	of  map[int64]bool // memories that are known to be in such a project, or not to be
}

// hidden are the projects that are kept apart.
func (a *apartReader) hidden(ctx context.Context) (names []string, err error) {
	all, err := a.Reader.ProjectNames(ctx)
	for _, name := range all {
		if a.off(name) {
			names = append(names, name)
		}
	}
	return names, err
}

// shown returns those of nums that are not of a memory that is kept apart, in their order.
func (a *apartReader) shown(ctx context.Context, nums []int64) ([]int64, error) {
	var unknown []int64
	for _, num := range nums {
		if _, known := a.of[num]; !known {
			a.of[num] = false
			unknown = append(unknown, num)
		}
	}
	ms, err := a.Reader.Memories(ctx, unknown)
	for _, m := range ms {
		a.of[m.Num] = a.off(m.Project)
	}
	var out []int64
	for _, num := range nums {
		if !a.of[num] {
			out = append(out, num)
		}
	}
	return out, err
}

// keep returns those of all that are not of a project that is kept apart.
func keep[T any](a *apartReader, all []T, project func(T) string) []T {
	var out []T
	for _, one := range all {
		if !a.off(project(one)) {
			out = append(out, one)
		}
	}
	return out
}

// keepBy returns those of all whose memories are shown.
func keepBy[T any](ctx context.Context, a *apartReader, all []T, nums func(T) []int64) ([]T, error) {
	var every []int64
	for _, one := range all {
		every = append(every, nums(one)...)
	}
	if _, err := a.shown(ctx, every); err != nil {
		return nil, err
	}
	var out []T
next:
	for _, one := range all {
		for _, num := range nums(one) {
			if a.of[num] {
				continue next
			}
		}
		out = append(out, one)
	}
	return out, nil
}

// apartPage is as much as is read at once of a list over every project.
const apartPage = 200

// pageApart returns a page of what passes of a list.
func pageApart[T any](p engram.Page, read func(engram.Page) ([]T, error), passing func([]T) ([]T, error)) ([]T, error) {
	raw := engram.Page{Limit: max(p.Limit, apartPage), After: p.After}
	kept, err := fillApart(p.Offset+p.Limit, raw.Limit, func() ([]T, error) {
		list, err := read(raw)
		raw.Offset += len(list)
		return list, err
	}, passing)
	return kept[min(p.Offset, len(kept)):], err
}

// firstApart returns the first of what passes of a list that has no pages.
func firstApart[T any](limit int, read func(limit int) ([]T, error), passing func([]T) ([]T, error)) ([]T, error) {
	for most := limit; ; most *= 4 {
		list, err := read(most)
		if err != nil {
			return nil, err
		}
		kept, err := passing(list)
		if err != nil || len(kept) >= limit || len(list) < most {
			return kept[:min(limit, len(kept))], err
		}
	}
}

// afterApart returns the next of what passes of a list that goes on after a key.
func afterApart[T, K any](after K, limit int, key func(T) K, read func(after K, limit int) ([]T, error), passing func([]T) ([]T, error)) ([]T, error) {
	return fillApart(limit, limit, func() ([]T, error) {
		list, err := read(after, limit)
		if len(list) > 0 {
			after = key(list[len(list)-1])
		}
		return list, err
	}, passing)
}

// fillApart returns the first most of what passes of a list that next reads, so many at once, until
// it has fewer.
func fillApart[T any](most, atOnce int, next func() ([]T, error), passing func([]T) ([]T, error)) (kept []T, err error) {
	for {
		list, err := next()
		if err != nil {
			return nil, err
		}
		more, err := passing(list)
		if err != nil {
			return nil, err
		}
		if kept = append(kept, more...); len(kept) >= most || len(list) < atOnce {
			return kept[:min(most, len(kept))], nil
		}
	}
}
