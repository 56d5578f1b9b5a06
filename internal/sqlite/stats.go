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
		ON r.target = m.num WHERE m.deleted_at IS NOT NULL AND r.removed_at IS NULL)`

// The relations of a project are those that its live memories have to live ones.
const (
	projectRelationsSQL = `SELECT count(*) FROM relations WHERE removed_at IS NULL
		AND source IN (SELECT num FROM memories INDEXED BY memories_project_recent WHERE project = ? AND deleted_at IS NULL)`
	// otherRelationsSQL counts what is not among them, for a project that has most of what there
	// is: each memory is a look into the index of relations.
	otherRelationsSQL = `SELECT (SELECT count(*) FROM relations WHERE removed_at IS NULL
			AND source IN (SELECT num FROM memories INDEXED BY memories_project_recent WHERE project <> ? AND deleted_at IS NULL))
		+ (SELECT count(*) FROM memories m INDEXED BY memories_forgotten CROSS JOIN relations r INDEXED BY relations_source
			ON r.source = m.num WHERE m.deleted_at IS NOT NULL AND r.removed_at IS NULL)`
	// projectWaitingSQL counts those whose target was forgotten.
	projectWaitingSQL = `SELECT count(*) FROM memories m INDEXED BY memories_forgotten CROSS JOIN relations r INDEXED BY relations_target
		ON r.target = m.num CROSS JOIN memories s ON s.num = r.source
		WHERE m.deleted_at IS NOT NULL AND r.removed_at IS NULL AND s.deleted_at IS NULL AND s.project = ?`
	liveMemoriesSQL  = `SELECT coalesce(sum(live), 0) FROM tallies`
	liveRelationsSQL = `SELECT count(*) FROM relations WHERE removed_at IS NULL`
)

// Stats counts everything, or one project's part.
func (t *tx) Stats(ctx context.Context, project string) (engram.Stats, error) {
	st := engram.Stats{Types: map[engram.Type]int{}}
	in, args := "", []any(nil)
	if project != "" {
		num, err := t.projectNum(ctx, project)
		if err != nil {
			return st, err
		}
		in, args = " AND project = ?", []any{num}
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
	for _, c := range []struct {
		query string
		into  *int
	}{
		{`SELECT count(*) FROM memories WHERE deleted_at IS NOT NULL` + in, &st.Forgotten},
		{`SELECT count(*) FROM sessions WHERE num <> 0` + in + t.hidden.and("project"), &st.Sessions},
		{`SELECT count(*) FROM prompts WHERE deleted_at IS NULL` + in, &st.Prompts},
	} {
		if err := t.row(ctx, c.query, args, c.into); err != nil {
			return st, fmt.Errorf("count: %w", err)
		}
	}
	if st.Relations, err = t.countRelations(ctx, args, st.Memories); err != nil {
		return st, fmt.Errorf("count relations: %w", err)
	}
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

// countRelations counts the relations of a project, of which there are so many live
// memories, or without one all of them.
func (t *tx) countRelations(ctx context.Context, project []any, memories int) (int, error) {
	var all, less, waiting, everywhere int
	if len(project) == 0 {
		err := t.row(ctx, liveRelationsSQL, nil, &all)
		if err == nil {
			err = t.row(ctx, waitingRelationsSQL, nil, &waiting)
		}
		return all - waiting, err
	}
	if err := t.row(ctx, liveMemoriesSQL, nil, &everywhere); err != nil {
		return 0, err
	}
	if err := t.row(ctx, projectWaitingSQL, project, &waiting); err != nil {
		return 0, err
	}
	if memories <= everywhere/2 {
		err := t.row(ctx, projectRelationsSQL, project, &all)
		return all - waiting, err
	}
	err := t.row(ctx, liveRelationsSQL, nil, &all)
	if err == nil {
		err = t.row(ctx, otherRelationsSQL, project, &less)
	}
	return all - less - waiting, err
}
