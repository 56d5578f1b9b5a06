package sqlite

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/postings"
)

// scope is what a filter leaves of the index in one snapshot. What it asks of a memory
// is answered by the memory's document and the lists of its tags, without reading the
// memory; metadata alone is asked of the best finds at the end.
type scope struct {
	tx       *tx
	segments []*segment // that may hold memories in scope, loaded; the newest memories last
	rows     int        // live memories of the project, or of the store
	tokens   int64      // of these

	project  int64 // or several
	kinds    map[uint32]bool
	session  int64 // or -1
	since    int64
	until    int64
	tags     []string
	metadata conditions // and the topic
}

// scopeOf compiles a filter; nil when nothing can pass it.
func (t *tx) scopeOf(ctx context.Context, f engram.Filter) (*scope, error) {
	if f.Forgotten {
		return nil, nil
	}
	s := &scope{tx: t, project: several, session: -1, since: math.MinInt64, until: math.MaxInt64, tags: f.Tags}
	if f.Project != "" {
		num, found, err := t.knownProject(ctx, f.Project)
		if !found {
			return nil, err
		}
		s.project = num
	}
	if f.SessionID != "" {
		num, err := t.sessionNum(ctx, f.SessionID)
		if engram.CodeOf(err) == engram.CodeNotFound {
			return nil, nil
		}
		if err != nil {
			return nil, err
		}
		s.session = num
	}
	if !f.Since.IsZero() {
		s.since = f.Since.UnixMilli()
	}
	if !f.Until.IsZero() {
		s.until = f.Until.UnixMilli()
	}
	s.metadata.addTopic("m", f.Topic)
	s.metadata.addMetadata("m", f.Metadata)
	cat, err := t.catalogue(ctx)
	if err != nil {
		return nil, err
	}
	if len(f.Types) > 0 || f.Scope != "" {
		s.kinds = map[uint32]bool{}
		for k, num := range cat.kinds {
			if (len(f.Types) == 0 || slices.Contains(f.Types, k.typ)) && (f.Scope == "" || k.scope == f.Scope) {
				s.kinds[num] = true
			}
		}
		if len(s.kinds) == 0 {
			return nil, nil
		}
	}
	return s, s.choose(ctx, cat)
}

// choose finds the segments in scope and counts what they hold.
func (s *scope) choose(ctx context.Context, cat *catalogue) error {
	all := cat.segments
	if cat.fresh != nil {
		all = append(slices.Clip(all), cat.fresh)
	}
	for _, g := range all {
		if s.project != several && g.project != several && g.project != s.project {
			continue
		}
		if err := s.tx.load(ctx, g); err != nil {
			return err
		}
		live, tokens := g.live, g.tokens
		if s.project != several && g.project == several {
			part := g.shares[uint32(s.project)]
			if part == nil {
				continue
			}
			live, tokens = part.live, part.tokens
		}
		s.rows += live
		s.tokens += tokens
		s.segments = append(s.segments, g)
	}
	return nil
}

// mixed reports whether a segment in scope holds memories of projects that are not.
func (s *scope) mixed(g *segment) bool { return s.project != several && g.project == several }

// within is a scope within one segment.
type within struct {
	scope  *scope
	docs   postings.Docs
	mixed  bool
	plain  bool   // every live document passes
	tagged []bool // the slots that have all the tags; nil for all
}

// in returns the scope within a segment.
func (s *scope) in(ctx context.Context, g *segment) (*within, error) {
	w := &within{scope: s, docs: g.docs, mixed: s.mixed(g)}
	w.plain = !w.mixed && s.kinds == nil && s.session < 0 && s.since == math.MinInt64 && s.until == math.MaxInt64 && len(s.tags) == 0
	var ps []postings.Posting
	for i, tag := range s.tags {
		l, err := s.tx.list(ctx, g, tagMark+tag)
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

// all reports whether every live document of the segment passes.
func (w *within) all() bool { return w.plain }

// pass reports whether the slot's document is live and passes.
func (w *within) pass(slot int) bool {
	if !w.docs.Live(slot) {
		return false
	}
	if w.plain {
		return true
	}
	s := w.scope
	if w.mixed && int64(w.docs.Project(slot)) != s.project ||
		w.tagged != nil && !w.tagged[slot] ||
		s.kinds != nil && !s.kinds[w.docs.Kind(slot)] ||
		s.session >= 0 && int64(w.docs.Session(slot)) != s.session {
		return false
	}
	created := w.docs.Created(slot)
	return created >= s.since && created < s.until
}

// needsCheck reports whether the filter asks what only the memory itself can tell.
func (s *scope) needsCheck() bool { return len(s.metadata.where) > 0 }

// check says which of the memories have the metadata that the filter asks for.
func (s *scope) check(ctx context.Context, nums []int64) (map[int64]bool, error) {
	query := `SELECT m.num FROM json_each(?) AS asked CROSS JOIN memories m ON m.num = asked.value WHERE ` + strings.Join(s.metadata.where, " AND ")
	pass := map[int64]bool{}
	err := s.tx.rows(ctx, query, append([]any{jsonNums(nums)}, s.metadata.args...), func(r scanner) error {
		var num int64
		err := r.Scan(&num)
		pass[num] = true
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("test metadata: %w", err)
	}
	return pass, nil
}
