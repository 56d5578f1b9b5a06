package sqlite

import (
	"context"
	"fmt"

	"github.com/alanbuscaglia/engram"
)

// waitingRelationsSQL counts the relations of forgotten memories, which wait for them to come
// back. There are fewer of these than of the others: to look at the memories of every relation
// took half a second for 100,000, and every session's context is told the counts. The
// planner would begin with the relations all the same.
const waitingRelationsSQL = `SELECT count(*) FROM (
	SELECT r.num, r.source FROM memories m INDEXED BY memories_forgotten CROSS JOIN relations r INDEXED BY relations_source
		ON r.source = m.num WHERE m.deleted_at IS NOT NULL AND r.removed_at IS NULL
	UNION SELECT r.num, r.source FROM memories m INDEXED BY memories_forgotten CROSS JOIN relations r INDEXED BY relations_target
		ON r.target = m.num WHERE m.deleted_at IS NOT NULL AND r.removed_at IS NULL) WHERE 1`

// Stats counts everything, or one project's part.
func (t *tx) Stats(ctx context.Context, project string) (engram.Stats, error) {
	st := engram.Stats{Types: map[engram.Type]int{}}
	in, ofMemory, args := "", "", []any(nil)
	if project != "" {
		num, err := t.projectNum(ctx, project)
		if err != nil {
			return st, err
		}
		in, args = " AND project = ?", []any{num}
		// From the memories to their relations: the other way asks for the memory of each.
		ofMemory = ` AND source IN (SELECT num FROM memories WHERE project = ?)`
	}
	err := t.rows(ctx, `SELECT type, sum(live) FROM tallies WHERE live > 0`+in+` GROUP BY type ORDER BY type`, args, func(s scanner) error {
		var typ engram.Type
		var n int
		err := s.Scan(&typ, &n)
		st.Types[typ] = n
		st.Memories += n
		return err
	})
	if err != nil {
		return st, fmt.Errorf("count memories: %w", err)
	}
	var waiting int
	for _, c := range []struct {
		query string
		into  *int
		args  []any
	}{
		{`SELECT count(*) FROM memories WHERE deleted_at IS NOT NULL` + in, &st.Forgotten, args},
		{`SELECT count(*) FROM sessions WHERE num <> 0` + in, &st.Sessions, args},
		{`SELECT count(*) FROM prompts WHERE deleted_at IS NULL` + in, &st.Prompts, args},
		{`SELECT count(*) FROM relations WHERE removed_at IS NULL` + ofMemory, &st.Relations, args},
		{waitingRelationsSQL + ofMemory, &waiting, args},
	} {
		if err := t.row(ctx, c.query, c.args, c.into); err != nil {
			return st, fmt.Errorf("count: %w", err)
		}
	}
	st.Relations -= waiting
	if st.Projects, err = t.ProjectNames(ctx); err != nil {
		return st, err
	}
	var pages, size int64
	if err := t.row(ctx, `SELECT page_count, page_size FROM pragma_page_count, pragma_page_size`, nil, &pages, &size); err != nil {
		return st, fmt.Errorf("size of the database: %w", err)
	}
	st.Bytes = pages * size
	return st, nil
}
