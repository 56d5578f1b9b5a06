package postgres

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"sync"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/postgres/conn"
	"github.com/alanbuscaglia/engram/internal/sqlrow"
)

// projectTable has the fields of a project; each but its aliases has a column.
var projectTable = sync.OnceValue(engram.Fields[engram.Project])

var projectColumns = sync.OnceValue(func() string { return columnsOf("p", projectTable()) })

// numOfNameSQL selects the number of a project by name or alias ?1.
const numOfNameSQL = `SELECT num FROM projects WHERE space = $space AND name = ?1
	UNION ALL SELECT project FROM project_aliases WHERE space = $space AND alias = ?1 LIMIT 1`

// projectNum returns the row of a project by name or alias; "" is row 0.
func (t *tx) projectNum(ctx context.Context, name string) (int64, error) {
	if name == "" {
		return 0, nil
	}
	if num, found := known(t.names, &t.names.projects, name); found {
		return num, nil
	}
	var num int64
	found, err := t.Maybe(ctx, numOfNameSQL, []any{name}, &num)
	if found {
		know(t.names, &t.names.projects, name, num)
	} else if err == nil {
		err = engram.Errorf(engram.CodeNotFound, "project %q does not exist", name).WithHint("see {projects list}")
	}
	return num, err
}

// knownProject is projectNum for callers that treat a missing project as an empty one; found is then false, as on
// an error.
func (t *tx) knownProject(ctx context.Context, name string) (num int64, found bool, err error) {
	num, err = t.projectNum(ctx, name)
	if engram.CodeOf(err) == engram.CodeNotFound {
		return 0, false, nil
	}
	return num, err == nil, err
}

// Project returns the project with that name or alias.
func (t *tx) Project(ctx context.Context, name string) (engram.Project, bool, error) {
	const named = ` FROM projects p WHERE p.space = $space AND p.num = (` + numOfNameSQL + `)`
	if name == "" {
		return engram.Project{}, false, nil
	}
	if p, found := known(t.names, &t.names.rows, name); found {
		return copied(p), true, nil
	}
	var num int64
	p, found, err := sqlrow.First(sqlrow.List(ctx, t, "read project", `SELECT `+projectColumns()+`, p.num`+named, []any{name},
		scanInto(new(engram.Project), projectTable(), &num)))
	if found {
		know(t.names, &t.names.projects, name, num)
		know(t.names, &t.names.projects, p.Name, num)
	}
	if found {
		know(t.names, &t.names.rows, name, copied(p))
	}
	return p, found, err
}

// copied returns a copy that shares nothing with p.
func copied(p engram.Project) engram.Project {
	p.Aliases = slices.Clone(p.Aliases)
	if p.Decay != nil {
		own := *p.Decay
		own.Types = maps.Clone(own.Types)
		p.Decay = &own
	}
	return p
}

var (
	projectsSQL = `SELECT %s,%s FROM projects p WHERE p.space = $space AND p.num <> 0%s ORDER BY p.name`
	countsSQL   = `(SELECT coalesce(sum(live), 0)::bigint FROM tallies WHERE space = $space AND project = p.num),
	(SELECT count(*) FROM sessions WHERE space = $space AND project = p.num),
	(SELECT count(*) FROM prompts WHERE space = $space AND project = p.num AND deleted_at IS NULL)`
)

// Projects returns every project, by name.
func (t *tx) Projects(ctx context.Context, counted bool) ([]engram.ProjectCounts, error) {
	counts := "0::bigint, 0::bigint, 0::bigint"
	if counted {
		counts = countsSQL
	}
	query := fmt.Sprintf(projectsSQL, projectColumns(), counts, t.Off.Among("p.num"))
	var c engram.ProjectCounts
	scan := scanInto(&c.Project, projectTable(), &c.Memories, &c.Sessions, &c.Prompts)
	return sqlrow.List(ctx, t, "read projects", query, nil, func(s sqlrow.Scanner) (engram.ProjectCounts, error) {
		_, err := scan(s)
		return c, err
	})
}

// decaysSQL is served by projects_decay, which is empty in most spaces; every search runs it.
const decaysSQL = `SELECT name, decay FROM projects WHERE space = $space AND decay IS NOT NULL`

// Decays returns the decay settings of the projects that have their own.
func (t *tx) Decays(ctx context.Context) (map[string]engram.ProjectDecay, error) {
	own, read := known(t.names, &t.names.decays, "")
	if read {
		return copiedDecays(own), nil
	}
	own = map[string]engram.ProjectDecay{}
	err := t.Rows(ctx, decaysSQL, nil, func(s sqlrow.Scanner) error {
		var name string
		var d engram.ProjectDecay
		err := s.Scan(&name, conn.JSON{Value: &d})
		own[name] = d
		return err
	})
	if err == nil && t.Off == nil {
		know(t.names, &t.names.decays, "", copiedDecays(own))
	}
	return own, sqlrow.Doing(err, "read decays")
}

// copiedDecays returns a copy that shares nothing with all.
func copiedDecays(all map[string]engram.ProjectDecay) map[string]engram.ProjectDecay {
	out := make(map[string]engram.ProjectDecay, len(all))
	for name, d := range all {
		d.Types = maps.Clone(d.Types)
		out[name] = d
	}
	return out
}

// PutProject adds or replaces a project and its aliases.
func (t *tx) PutProject(ctx context.Context, p engram.Project) error {
	const query = `INSERT INTO projects (space, num, name, root, remote, decay, created_at) VALUES ($space,?,?,?,?,?,?)
		ON CONFLICT (space, name) DO UPDATE SET root = excluded.root, remote = excluded.remote, created_at = excluded.created_at, decay = excluded.decay`
	decay, err := any(nil), error(nil)
	if p.Decay != nil {
		decay, err = sqlrow.JSONOrNull(p.Decay, 1)
	}
	if err != nil {
		return fmt.Errorf("write decay of project %q: %w", p.Name, err)
	}
	var num int64
	found, err := t.Maybe(ctx, `SELECT num FROM projects WHERE space = $space AND name = ?`, []any{p.Name}, &num)
	if err != nil {
		return fmt.Errorf("write project %q: %w", p.Name, err)
	}
	if !found {
		num = next(&t.head.project, 0)
	}
	t.renamed()
	if err := t.Run(ctx, query, num, p.Name, p.Root, p.Remote, decay, p.CreatedAt.UnixMilli()); err != nil {
		return fmt.Errorf("write project %q: %w", p.Name, err)
	}
	// Tombstones may have arrived under an alias before it was one.
	if err = t.moveTombstones(ctx, p.Name, p.Aliases...); err == nil {
		err = t.unpull(ctx, num, p)
	}
	if err == nil {
		err = t.Run(ctx, `DELETE FROM project_aliases WHERE space = $space AND (project = ? OR alias = ?)`, num, p.Name)
	}
	if err != nil || len(p.Aliases) == 0 {
		return err
	}
	const aliases = `INSERT INTO project_aliases (space, alias, project) SELECT $space, alias, ?2 FROM unnest(?1::text[]) AS alias
		ON CONFLICT (space, alias) DO UPDATE SET project = excluded.project`
	return sqlrow.Doing(t.Run(ctx, aliases, slices.Compact(slices.Sorted(slices.Values(p.Aliases))), num), "write aliases of project %q", p.Name)
}

// DeleteProject removes a project that is no longer referenced.
func (t *tx) DeleteProject(ctx context.Context, name string) error {
	const query = `SELECT num, EXISTS (SELECT 1 FROM memories WHERE space = $space AND project = p.num)
		OR EXISTS (SELECT 1 FROM sessions WHERE space = $space AND project = p.num)
		OR EXISTS (SELECT 1 FROM prompts WHERE space = $space AND project = p.num) FROM projects p WHERE space = $space AND name = ? AND num <> 0`
	var num int64
	var used bool
	found, err := t.Maybe(ctx, query, []any{name}, &num, &used)
	if err != nil || !found {
		return sqlrow.Doing(err, "delete project %q", name)
	}
	if used {
		return engram.Errorf(engram.CodeConflict, "project %q is still referenced", name).
			WithHint("remove what depends on it first; nothing was changed")
	}
	t.renamed()
	if err := t.moveCounters(ctx, num, 0); err != nil { // counters stay, without the project's name
		return err
	}
	err = t.RunAll(ctx, conn.With(`DELETE FROM project_aliases WHERE space = $space AND project = ?`, num),
		conn.With(`DELETE FROM tallies WHERE space = $space AND project = ?`, num),
		conn.With(`DELETE FROM projects WHERE space = $space AND num = ?`, num))
	return sqlrow.Doing(err, "delete project %q", name)
}
