package sqlite

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/sqlite/conn"
	"github.com/alanbuscaglia/engram/internal/sqlrow"
)

// projectTable has the fields of a project; each but its aliases has a column.
var projectTable = engram.Fields[engram.Project]

var projectColumns = sync.OnceValue(func() string { return columnsOf("p", projectTable()) })

// projectNum returns the row of a project by name or alias; "" is row 0.
func (t *tx) projectNum(ctx context.Context, name string) (int64, error) {
	const query = `SELECT num FROM projects WHERE name = ?1 UNION ALL SELECT project FROM project_aliases WHERE alias = ?1 LIMIT 1`
	if name == "" {
		return 0, nil
	}
	if num, known := t.names.projects[name]; known {
		return num, nil
	}
	var num int64
	found, err := t.keyed.Maybe(ctx, query, []any{name}, &num)
	if found {
		keep(&t.names.projects, name, num)
	} else if err == nil {
		err = engram.Errorf(engram.CodeNotFound, "project %q does not exist", name).WithHint("see {projects list}")
	}
	return num, err
}

// knownProject is projectNum for callers that treat a missing project as an empty one; found is then
// false, as on an error.
func (t *tx) knownProject(ctx context.Context, name string) (num int64, found bool, err error) {
	num, err = t.projectNum(ctx, name)
	if engram.CodeOf(err) == engram.CodeNotFound {
		return 0, false, nil
	}
	return num, err == nil, err
}

// Project returns the project with that name or alias.
func (t *tx) Project(ctx context.Context, name string) (engram.Project, bool, error) {
	const named = ` FROM projects p WHERE p.num = (SELECT num FROM projects WHERE name = ?1 UNION ALL SELECT project FROM project_aliases WHERE alias = ?1 LIMIT 1)`
	if name == "" {
		return engram.Project{}, false, nil
	}
	if p, known := t.names.rows[name]; known {
		p.Aliases = slices.Clone(p.Aliases)
		return p, true, nil
	}
	var num int64
	p, found, err := sqlrow.First(sqlrow.List(ctx, &t.keyed, "read project", `SELECT `+projectColumns()+`, p.num`+named, []any{name},
		scanInto(new(engram.Project), projectTable(), &num)))
	if found {
		keep(&t.names.projects, name, num)
		keep(&t.names.projects, p.Name, num)
	}
	if found && p.Decay == nil { // a pointer
		row := p
		row.Aliases = slices.Clone(p.Aliases)
		keep(&t.names.rows, name, row)
	}
	return p, found, err
}

// projectsSQL counts by tallies and the covering indexes prompts_project_recent and
// sessions_project_active.
const (
	projectsSQL = `SELECT %s,%s FROM projects p WHERE p.num <> 0%s ORDER BY p.name`
	countsSQL   = `(SELECT coalesce(sum(live), 0) FROM tallies WHERE project = p.num),
	(SELECT count(*) FROM sessions WHERE project = p.num),
	(SELECT count(*) FROM prompts WHERE project = p.num AND deleted_at IS NULL)`
)

// Projects returns every project, by name.
func (t *tx) Projects(ctx context.Context, counted bool) ([]engram.ProjectCounts, error) {
	counts := "0, 0, 0"
	if counted {
		counts = countsSQL
	}
	query := fmt.Sprintf(projectsSQL, projectColumns(), counts, t.hidden.and("p.num"))
	var c engram.ProjectCounts
	scan := scanInto(&c.Project, projectTable(), &c.Memories, &c.Sessions, &c.Prompts)
	return sqlrow.List(ctx, t, "read projects", query, nil, func(s sqlrow.Scanner) (engram.ProjectCounts, error) {
		_, err := scan(s)
		return c, err
	})
}

// decaysSQL is served by projects_decay, which is empty in most stores.
const decaysSQL = `SELECT name, decay FROM projects WHERE decay IS NOT NULL`

// Decays returns the decay settings of the projects that have their own. The caller must not change them.
func (t *tx) Decays(ctx context.Context) (map[string]engram.ProjectDecay, error) {
	same, err := t.unchanged(ctx)
	if err != nil {
		return nil, err
	}
	if same != nil && same.decays != nil {
		return same.decays, nil
	}
	own := map[string]engram.ProjectDecay{}
	err = t.Rows(ctx, decaysSQL, nil, func(s sqlrow.Scanner) error {
		var name string
		var d engram.ProjectDecay
		err := s.Scan(&name, conn.JSON{Value: &d})
		own[name] = d
		return err
	})
	if err == nil && same != nil {
		same.decays = own
	}
	return own, sqlrow.Doing(err, "read decays")
}

// PutProject adds or replaces a project and its aliases.
func (t *tx) PutProject(ctx context.Context, p engram.Project) error {
	const query = `INSERT INTO projects (name, root, remote, decay, created_at) VALUES (?,?,?,?,?)
		ON CONFLICT (name) DO UPDATE SET root = excluded.root, remote = excluded.remote, created_at = excluded.created_at, decay = excluded.decay`
	decay, err := any(nil), error(nil)
	if p.Decay != nil {
		decay, err = sqlrow.JSONOrNull(p.Decay, 1)
	}
	if err != nil {
		return fmt.Errorf("write decay of project %q: %w", p.Name, err)
	}
	if err := t.Run(ctx, query, p.Name, p.Root, p.Remote, decay, p.CreatedAt.UnixMilli()); err != nil {
		return fmt.Errorf("write project %q: %w", p.Name, err)
	}
	var num int64
	err = t.Row(ctx, `SELECT num FROM projects WHERE name = ?`, []any{p.Name}, &num)
	if err == nil { // tombstones may have arrived under an alias before it was one
		err = t.moveTombstones(ctx, p.Name, p.Aliases...)
	}
	if err == nil {
		err = t.unpull(ctx, num, p)
	}
	if err == nil {
		err = t.Run(ctx, `DELETE FROM project_aliases WHERE project = ? OR alias = ?`, num, p.Name)
	}
	if err != nil {
		return err
	}
	for _, alias := range p.Aliases {
		if err := t.Run(ctx, `INSERT OR REPLACE INTO project_aliases (alias, project) VALUES (?,?)`, alias, num); err != nil {
			return fmt.Errorf("write alias %q: %w", alias, err)
		}
	}
	return nil
}

// DeleteProject removes a project that is no longer referenced.
func (t *tx) DeleteProject(ctx context.Context, name string) error {
	var num int64
	if err := t.Row(ctx, `SELECT coalesce(max(num), 0) FROM projects WHERE name = ?`, []any{name}, &num); err != nil {
		return fmt.Errorf("delete project %q: %w", name, err)
	}
	if num != 0 { // counters stay, without the project's name
		if err := t.moveCounters(ctx, num, 0); err != nil {
			return err
		}
	}
	return sqlrow.Doing(t.Run(ctx, `DELETE FROM projects WHERE name = ? AND num <> 0`, name), "delete project %q", name)
}

// names caches looked-up row numbers, and the rows of projects. Statements that may change them clear it.
type names struct {
	projects map[string]int64
	sessions map[string]int64
	rows     map[string]engram.Project // by any name
}

// mostNames bounds the cached numbers of a kind.
const mostNames = 4096

func (n names) some() bool {
	return len(n.projects)+len(n.sessions) > 0
}

// keep caches the number of a name.
func keep[K comparable, N any](in *map[K]N, name K, num N) {
	if *in == nil || len(*in) >= mostNames {
		*in = map[K]N{}
	}
	(*in)[name] = num
}

// renames reports whether a statement may change the number of a name. Plain inserts cannot: unknown
// names are not cached.
func renames(query string) bool {
	for _, table := range []string{"projects", "project_aliases", "DELETE FROM sessions"} {
		if strings.Contains(query, table) {
			return true
		}
	}
	return false
}
