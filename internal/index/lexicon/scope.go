package lexicon

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/index"
	"github.com/alanbuscaglia/engram/internal/postings"
)

// Filter selects memories in the index. Of engram.Filter it reads types, scope, tags and times.
type Filter struct {
	engram.Filter
	Project, Session int64 // numbers of their rows, or Several
	// Check returns which memories pass the conditions that need the memory itself; nil without such conditions.
	Check func(ctx context.Context, nums []int64) (map[int64]bool, error)
}

// Resolve returns a filter with the numbers of what it names, for which project and session are asked; nil if no memory
// can pass. A session that does not exist is CodeNotFound.
func Resolve(ctx context.Context, f engram.Filter, project func(context.Context, string) (num int64, found bool, err error),
	session func(context.Context, string) (int64, error)) (*Filter, error) {
	in := &Filter{Filter: f, Project: Several, Session: Several}
	if f.Forgotten {
		return nil, nil
	}
	if f.Project != "" {
		num, found, err := project(ctx, f.Project)
		if !found {
			return nil, err
		}
		in.Project = num
	}
	if f.SessionID != "" {
		num, err := session(ctx, f.SessionID)
		if engram.CodeOf(err) == engram.CodeNotFound {
			return nil, nil
		}
		if err != nil {
			return nil, err
		}
		in.Session = num
	}
	return in, nil
}

// Scope is the part of the index that a filter selects in one snapshot. Documents and the lists of tags
// answer most conditions without reading memories.
type Scope struct {
	Filter
	Rows     int // live memories of the project, or of the store
	index    *Index
	segments []*segment // segments that may contain memories in scope, loaded unless spare; newest last
	spare    bool       // large segments without memories of other projects need not be loaded
	tokens   int64      // total length of the live memories
	kinds    map[uint32]bool
	since    int64
	until    int64
}

// Scope compiles a filter, with the documents in memory; nil if no memory can pass.
func (x *Index) Scope(ctx context.Context, f Filter) (*Scope, error) { return x.scope(ctx, f, false) }

// scope is Scope for a caller that with spare reads documents of large segments itself (Part.at).
func (x *Index) scope(ctx context.Context, f Filter, spare bool) (*Scope, error) {
	if x.Excluded[f.Project] {
		return nil, nil
	}
	s := &Scope{Filter: f, index: x, spare: spare, since: math.MinInt64, until: math.MaxInt64}
	if !f.Since.IsZero() {
		s.since = f.Since.UnixMilli()
	}
	if !f.Until.IsZero() {
		s.until = f.Until.UnixMilli()
	}
	cat, err := x.catalogue(ctx)
	if err != nil {
		return nil, err
	}
	if len(f.Types) > 0 || f.Scope != "" || f.Beyond {
		s.kinds = map[uint32]bool{}
		for k, num := range cat.kinds {
			if (len(f.Types) == 0 || slices.Contains(f.Types, k.Type)) && (f.Scope == "" || k.Scope == f.Scope) && (!f.Beyond || k.Scope != engram.ScopeProject) {
				s.kinds[num] = true
			}
		}
		if len(s.kinds) == 0 {
			return nil, nil
		}
		if len(s.kinds) == len(cat.kinds) {
			s.kinds = nil // there are no others
		}
	}
	return s, s.choose(ctx, cat)
}

// choose selects the segments in scope and counts their memories.
func (s *Scope) choose(ctx context.Context, cat *catalogue) error {
	in, read := make([]*segment, 0, len(cat.segments)+1), make([]*segment, 0, len(cat.segments)+1)
	for _, g := range cat.all() {
		if g.project != Several && !s.has(g.project) {
			continue
		}
		if in = append(in, g); !s.spare || s.index.Served || s.mixed(g) || !g.large() {
			read = append(read, g)
		}
	}
	if err := s.index.loadAll(ctx, read...); err != nil {
		return err
	}
	for _, g := range in {
		live, tokens := g.live, g.tokens
		switch {
		case g.project != Several:
		case s.Project != Several:
			part := g.shares[uint32(s.Project)]
			if part == nil {
				continue
			}
			live, tokens = part.live, part.tokens
		case len(s.index.Excluded) > 0:
			for num := range s.index.Excluded {
				if part := g.shares[uint32(num)]; part != nil {
					live, tokens = live-part.live, tokens-part.tokens
				}
			}
		}
		s.Rows += live
		s.tokens += tokens
		s.segments = append(s.segments, g)
	}
	return nil
}

// mixed reports whether a segment in scope also holds memories of projects out of scope.
func (s *Scope) mixed(g *segment) bool {
	return g.project == Several && (s.Project != Several || len(s.index.Excluded) > 0)
}

// has reports whether a project is in scope.
func (s *Scope) has(project int64) bool {
	return (s.Project == Several || s.Project == project) && !s.index.Excluded[project]
}

// Part is a scope restricted to one segment.
type Part struct {
	scope  *Scope
	of     *segment
	Docs   postings.Docs         // a row per slot, not to be changed; nil if only some pages have been read
	pages  map[int]postings.Docs // the pages that have been read
	mixed  bool
	plain  bool   // every live document passes
	tagged []bool // slots that have all the tags; nil if no tags are required
}

// Parts returns the segments in scope with their documents, newest last.
func (s *Scope) Parts(ctx context.Context) ([]*Part, error) {
	parts := make([]*Part, len(s.segments))
	var err error
	for i, g := range s.segments {
		if parts[i], err = s.in(ctx, g); err != nil {
			return nil, err
		}
	}
	return parts, nil
}

// in returns the scope restricted to a segment.
func (s *Scope) in(ctx context.Context, g *segment) (*Part, error) {
	w := &Part{scope: s, of: g, Docs: g.known(), mixed: s.mixed(g)}
	w.plain = !w.mixed && s.kinds == nil && s.Session < 0 && s.since == math.MinInt64 && s.until == math.MaxInt64 && len(s.Tags) == 0
	var ps []postings.Posting
	for i, tag := range s.Tags {
		l, err := s.index.list(ctx, g, tagMark+tag)
		if err == nil {
			ps, err = l.Decode(ps[:0])
		}
		if err != nil {
			return nil, err
		}
		now := make([]bool, g.slots)
		for _, p := range ps {
			if int(p.Slot) < len(now) && (i == 0 || w.tagged[p.Slot]) {
				now[p.Slot] = true
			}
		}
		w.tagged = now
	}
	return w, nil
}

// Num returns the number of the segment, 0 for the unsealed memories, which have no lasting slots.
func (p *Part) Num() int64 { return p.of.num }

// All reports whether every live document of the segment passes.
func (p *Part) All() bool { return p.plain }

// mostPages is how many pages of documents are read one by one: beyond, reading all in one statement is
// cheaper.
const mostPages = 6

// at returns the documents that include a slot, and the slot's index in them.
func (p *Part) at(ctx context.Context, slot int) (docs postings.Docs, i int, err error) {
	if p.Docs != nil {
		return p.Docs, slot, nil
	}
	page := slot / pageDocs
	if docs, known := p.pages[page]; known {
		return docs, slot % pageDocs, nil
	}
	if len(p.pages) == mostPages {
		if err := p.scope.index.load(ctx, p.of); err != nil {
			return nil, 0, err
		}
		p.Docs = p.of.known()
		return p.Docs, slot, nil
	}
	rows, err := p.scope.index.part(ctx, index.Documents, p.of.num, page)
	if err == nil && len(rows) != min(pageDocs, p.of.slots-page*pageDocs)*postings.DocSize {
		err = postings.ErrDamaged
	}
	if err != nil {
		return nil, 0, fmt.Errorf("documents of segment %d: %w", p.of.num, err)
	}
	if p.pages == nil {
		p.pages = map[int]postings.Docs{}
	}
	p.pages[page] = rows
	return rows, slot % pageDocs, nil
}

// Pass reports whether the slot's document is live and passes. The documents must be loaded.
func (p *Part) Pass(slot int) bool { return p.passes(p.Docs, slot, slot) }

// passes reports whether document i, that of the slot, is live and passes.
func (p *Part) passes(docs postings.Docs, i, slot int) bool {
	if !docs.Live(i) {
		return false
	}
	if p.plain {
		return true
	}
	s := p.scope
	if p.mixed && !s.has(int64(docs.Project(i))) ||
		p.tagged != nil && !p.tagged[slot] ||
		s.kinds != nil && !s.kinds[docs.Kind(i)] ||
		s.Session >= 0 && int64(docs.Session(i)) != s.Session {
		return false
	}
	created := docs.Created(i)
	return created >= s.since && created < s.until
}
