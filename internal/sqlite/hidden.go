package sqlite

import (
	"context"
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

// hidden are the projects that a snapshot leaves out (engram.Without). A nil *hidden is none.
type hidden struct {
	nums   map[int64]bool
	in     string // " IN (…)" of their numbers
	tables string // common table expressions that stand for the tables, without the hidden rows
	// What stands for a table whose index a query names, which no common table expression has.
	memories, relations string
}

// hide makes the transaction leave out the projects for which off is true.
func (t *tx) hide(ctx context.Context, off func(project string) bool) error {
	if off == nil {
		return nil
	}
	// What waits for a project may have come before it.
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
		return fmt.Errorf("read the projects to leave out: %w", err)
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

// query returns a query that reads the tables without the hidden rows.
func (h *hidden) query(query string) string {
	if h == nil || !strings.HasPrefix(query, "SELECT") {
		return query
	}
	return h.tables + relationsBy.ReplaceAllString(memoriesBy.ReplaceAllString(query, h.memories), h.relations)
}

// and returns a condition, to follow others, that a project's number is not one of the hidden ones.
func (h *hidden) and(project string) string {
	if h == nil {
		return ""
	}
	return " AND NOT " + project + h.in
}

// has reports whether a project is left out.
func (h *hidden) has(project int64) bool { return h != nil && h.nums[project] }
