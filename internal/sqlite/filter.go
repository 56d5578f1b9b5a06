package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/postings"
)

// scope is the part of the index that a filter selects in one snapshot. Documents and the lists of tags
// answer most conditions without reading memories; only metadata and topics are checked on the memories
// of the best hits.
type scope struct {
	tx       *tx
	segments []*segment // segments that may contain memories in scope, loaded unless spare; newest last
	spare    bool       // large segments without memories of other projects need not be loaded
	rows     int        // live memories of the project, or of the store
	tokens   int64      // their total length

	project  int64 // project number, or several
	kinds    map[uint32]bool
	session  int64 // session number, or -1
	since    int64
	until    int64
	tags     []string
	metadata conditions // conditions on metadata and topic
}

// scopeOf compiles a filter; nil if no memory can pass. With spare, the caller reads documents of large
// segments itself (within.at).
func (t *tx) scopeOf(ctx context.Context, f engram.Filter, spare bool) (*scope, error) {
	if f.Forgotten {
		return nil, nil
	}
	s := &scope{tx: t, spare: spare, project: several, session: -1, since: math.MinInt64, until: math.MaxInt64, tags: f.Tags}
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
	if len(f.Types) > 0 || f.Scope != "" || f.Beyond {
		s.kinds = map[uint32]bool{}
		for k, num := range cat.kinds {
			if (len(f.Types) == 0 || slices.Contains(f.Types, k.typ)) && (f.Scope == "" || k.scope == f.Scope) && (!f.Beyond || k.scope != engram.ScopeProject) {
				s.kinds[num] = true
			}
		}
		if len(s.kinds) == 0 {
			return nil, nil
		}
	}
	return s, s.choose(ctx, cat)
}

// choose selects the segments in scope and counts their memories.
func (s *scope) choose(ctx context.Context, cat *catalogue) error {
	for _, g := range cat.all() {
		if g.project != several && !s.has(g.project) {
			continue
		}
		if !s.spare || s.mixed(g) || g.level != levelLarge {
			if err := s.tx.load(ctx, g); err != nil {
				return err
			}
		}
		live, tokens := g.live, g.tokens
		switch {
		case g.project != several:
		case s.project != several:
			part := g.shares[uint32(s.project)]
			if part == nil {
				continue
			}
			live, tokens = part.live, part.tokens
		case s.tx.hidden != nil:
			for num := range s.tx.hidden.nums {
				if part := g.shares[uint32(num)]; part != nil {
					live, tokens = live-part.live, tokens-part.tokens
				}
			}
		}
		s.rows += live
		s.tokens += tokens
		s.segments = append(s.segments, g)
	}
	return nil
}

// beyond returns the numbers of the live memories that pass a filter with Beyond. It reads the documents
// of the index: matches are few, and SQL would scan the whole table.
func (t *tx) beyond(ctx context.Context, f engram.Filter) (nums []int64, err error) {
	s, err := t.scopeOf(ctx, f, false)
	if err != nil || s == nil {
		return nil, err
	}
	for _, g := range s.segments {
		w, err := s.in(ctx, g)
		if err != nil {
			return nil, err
		}
		for slot := range g.docs.Len() {
			if w.pass(slot) {
				nums = append(nums, g.docs.Num(slot))
			}
		}
	}
	return nums, nil
}

// mixed reports whether a segment in scope also holds memories of projects out of scope.
func (s *scope) mixed(g *segment) bool {
	return g.project == several && (s.project != several || s.tx.hidden != nil)
}

// has reports whether a project is in scope.
func (s *scope) has(project int64) bool {
	return (s.project == several || s.project == project) && !s.tx.hidden.has(project)
}

// within is a scope restricted to one segment.
type within struct {
	scope  *scope
	of     *segment
	docs   postings.Docs         // nil if only some pages have been read
	pages  map[int]postings.Docs // the pages that have been read
	mixed  bool
	plain  bool   // every live document passes
	tagged []bool // slots that have all the tags; nil if no tags are required
}

// in returns the scope restricted to a segment.
func (s *scope) in(ctx context.Context, g *segment) (*within, error) {
	w := &within{scope: s, of: g, docs: g.known(), mixed: s.mixed(g)}
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

// mostPages is how many pages of documents are read one by one: beyond, reading all in one statement is
// cheaper.
const mostPages = 6

// at returns the documents that include a slot, and the slot's index in them.
func (w *within) at(ctx context.Context, slot int) (docs postings.Docs, i int, err error) {
	if w.docs != nil {
		return w.docs, slot, nil
	}
	page := slot / pageDocs
	if docs, known := w.pages[page]; known {
		return docs, slot % pageDocs, nil
	}
	if len(w.pages) == mostPages {
		if err := w.scope.tx.load(ctx, w.of); err != nil {
			return nil, 0, err
		}
		w.docs = w.of.known()
		return w.docs, slot, nil
	}
	var rows []byte
	err = w.scope.tx.row(ctx, documentPageSQL, []any{part(w.of.num, page)}, &rows)
	if errors.Is(err, sql.ErrNoRows) || err == nil && len(rows) != min(pageDocs, w.of.slots-page*pageDocs)*postings.DocSize {
		err = postings.ErrDamaged
	}
	if err != nil {
		return nil, 0, fmt.Errorf("documents of segment %d: %w", w.of.num, err)
	}
	if w.pages == nil {
		w.pages = map[int]postings.Docs{}
	}
	w.pages[page] = rows
	return rows, slot % pageDocs, nil
}

// pass reports whether the slot's document is live and passes. The documents must be loaded.
func (w *within) pass(slot int) bool { return w.passes(w.docs, slot, slot) }

// passes reports whether document i, that of the slot, is live and passes.
func (w *within) passes(docs postings.Docs, i, slot int) bool {
	if !docs.Live(i) {
		return false
	}
	if w.plain {
		return true
	}
	s := w.scope
	if w.mixed && !s.has(int64(docs.Project(i))) ||
		w.tagged != nil && !w.tagged[slot] ||
		s.kinds != nil && !s.kinds[docs.Kind(i)] ||
		s.session >= 0 && int64(docs.Session(i)) != s.session {
		return false
	}
	created := docs.Created(i)
	return created >= s.since && created < s.until
}

// needsCheck reports whether the filter has conditions that need the memory itself.
func (s *scope) needsCheck() bool { return len(s.metadata.where) > 0 }

// check returns which of the memories pass the conditions on metadata and topic.
func (s *scope) check(ctx context.Context, nums []int64) (map[int64]bool, error) {
	query := `SELECT m.num FROM json_each(?) AS asked CROSS JOIN memories m ON m.num = asked.value WHERE ` + strings.Join(s.metadata.where, " AND ")
	pass := map[int64]bool{}
	err := each(ctx, s.tx, query, func(num int64) { pass[num] = true }, append([]any{jsonNums(nums)}, s.metadata.args...)...)
	return pass, doing(err, "check metadata")
}

// hidden holds the projects excluded from a snapshot (engram.Excluded). A nil *hidden excludes nothing.
type hidden struct {
	nums   map[int64]bool
	in     string // " IN (…)" with their numbers
	tables string // common table expressions that replace the tables, without the hidden rows
	// Replacements for tables in queries that name an index, which does not work with a common table
	// expression.
	memories, relations string
}

// hide excludes the projects for which off is true from the transaction.
func (t *tx) hide(ctx context.Context, off func(project string) bool) error {
	if off == nil {
		return nil
	}
	// Deferred records may belong to a project that does not exist yet.
	const query = `SELECT num, name FROM projects UNION ALL SELECT DISTINCT -1, project FROM deferred`
	nums, list, names := map[int64]bool{}, []string{}, []string{}
	err := t.rows(ctx, query, nil, func(s scanner) error {
		var num int64
		var name string
		if err := s.Scan(&num, &name); err != nil || !off(name) {
			return err
		}
		names = append(names, name)
		if num >= 0 {
			nums[num], list = true, append(list, strconv.FormatInt(num, 10))
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("read the excluded projects: %w", err)
	}
	if len(names) == 0 {
		return nil
	}
	in := " IN (" + strings.Join(list, ",") + ")"
	named := " IN (SELECT value FROM json_each('" + strings.ReplaceAll(jsonText(names), "'", "''") + "'))"
	project := func(memory string) string {
		return "(SELECT project FROM main.memories WHERE num = " + memory + ")" + in
	}
	ends := project("source") + " OR " + project("target")
	var tables []string
	for _, table := range [][2]string{
		{"memories", "project" + in}, {"prompts", "project" + in}, {"tallies", "project" + in}, {"counters", "project" + in},
		{"deferred", "project" + named}, {"tombstones", "project" + named}, {"revisions", project("memory")}, {"relations", ends},
	} {
		tables = append(tables, fmt.Sprintf("%s AS NOT MATERIALIZED (SELECT * FROM main.%[1]s WHERE NOT (%s))", table[0], table[1]))
	}
	t.hidden = &hidden{nums: nums, in: in, tables: "WITH " + strings.Join(tables, ", ") + " ",
		memories:  "(SELECT * FROM main.memories INDEXED BY $2 WHERE NOT project" + in + ")$1",
		relations: "(SELECT * FROM main.relations INDEXED BY $2 WHERE NOT (" + ends + "))$1"}
	return nil
}

var (
	memoriesBy  = regexp.MustCompile(`\bmemories( \w)? INDEXED BY (\w+)`)
	relationsBy = regexp.MustCompile(`\brelations( \w)? INDEXED BY (\w+)`)
)

// query rewrites a query to skip the hidden rows.
func (h *hidden) query(query string) string {
	if h == nil || !strings.HasPrefix(query, "SELECT") {
		return query
	}
	return h.tables + relationsBy.ReplaceAllString(memoriesBy.ReplaceAllString(query, h.memories), h.relations)
}

// and returns a condition, starting with AND, that excludes hidden project numbers.
func (h *hidden) and(project string) string {
	if h == nil {
		return ""
	}
	return " AND NOT " + project + h.in
}

// has reports whether a project is hidden.
func (h *hidden) has(project int64) bool { return h != nil && h.nums[project] }
