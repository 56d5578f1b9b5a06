package sqlite

import (
	"context"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"sync"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/index/lexicon"
	"github.com/alanbuscaglia/engram/internal/sqlite/conn"
	"github.com/alanbuscaglia/engram/internal/sqlrow"
)

// indexFilter resolves a filter for the index of words; nil if no memory can pass.
func (t *tx) indexFilter(ctx context.Context, f engram.Filter) (*lexicon.Filter, error) {
	in, err := lexicon.Resolve(ctx, f, t.knownProject, t.sessionNum)
	if err != nil || in == nil {
		return nil, err
	}
	var c sqlrow.Query
	c.AddTopic("m", f.Topic)
	addMetadata(&c, "m", f.Metadata)
	if len(c.Where) > 0 {
		in.Check = func(ctx context.Context, nums []int64) (map[int64]bool, error) { return t.check(ctx, c, nums) }
	}
	return in, nil
}

// check returns which of the memories pass conditions on metadata and topic.
func (t *tx) check(ctx context.Context, c sqlrow.Query, nums []int64) (map[int64]bool, error) {
	query := `SELECT m.num FROM json_each(?) AS asked CROSS JOIN memories m ON m.num = asked.value WHERE ` + strings.Join(c.Where, " AND ")
	pass := map[int64]bool{}
	err := sqlrow.Each(ctx, t, query, func(num int64) { pass[num] = true }, append([]any{conn.JSONNums(nums)}, c.Args...)...)
	return pass, sqlrow.Doing(err, "check metadata")
}

// beyond returns the numbers of the live memories that pass a filter with Beyond. It reads the documents
// of the index: matches are few, and SQL would scan the whole table.
func (t *tx) beyond(ctx context.Context, f engram.Filter) ([]int64, error) {
	in, err := t.indexFilter(ctx, f)
	if err != nil || in == nil {
		return nil, err
	}
	return t.index.Passing(ctx, *in)
}

// Lexical ranks memories by words.
func (t *tx) Lexical(ctx context.Context, q engram.LexicalQuery) (engram.Lexical, error) {
	in, err := t.indexFilter(ctx, q.Filter)
	if err != nil || in == nil {
		return engram.Lexical{}, err
	}
	return t.index.Search(ctx, q, *in)
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
	err := t.Rows(ctx, query, nil, func(s sqlrow.Scanner) error {
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
	t.index.Excluded = nums
	t.hidden = &hidden{nums: nums, in: in, tables: "WITH " + strings.Join(tables, ", ") + " ",
		memories:  "(SELECT * FROM main.memories INDEXED BY $2 WHERE NOT project" + in + ")$1",
		relations: "(SELECT * FROM main.relations INDEXED BY $2 WHERE NOT (" + ends + "))$1"}
	return nil
}

var (
	memoriesBy  = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\bmemories( \w)? INDEXED BY (\w+)`) })
	relationsBy = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\brelations( \w)? INDEXED BY (\w+)`) })
)

// query rewrites a query to skip the hidden rows.
func (h *hidden) query(query string) string {
	if h == nil || !strings.HasPrefix(query, "SELECT") {
		return query
	}
	return h.tables + relationsBy().ReplaceAllString(memoriesBy().ReplaceAllString(query, h.memories), h.relations)
}

// and returns a condition, starting with AND, that excludes hidden project numbers.
func (h *hidden) and(project string) string {
	if h == nil {
		return ""
	}
	return " AND NOT " + project + h.in
}
