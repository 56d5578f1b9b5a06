package sqlite

import (
	"context"
	"fmt"
	"sync"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/sqlite/conn"
	"github.com/alanbuscaglia/engram/internal/sqlrow"
)

// sessionTable has the fields of a session; each has a column.
var sessionTable = engram.Fields[engram.Session]

var sessionColumns = sync.OnceValue(func() string { return columnsOf("s", sessionTable()) })

// Session returns the session.
func (t *tx) Session(ctx context.Context, id string) (engram.Session, error) {
	if s, known := t.sessionRows[id]; known && len(t.unwritten.sessions) == 0 {
		return s, nil
	}
	var num, project int64
	s, found, err := sqlrow.First(sqlrow.List(ctx, &t.keyed, fmt.Sprintf("read session %q", id),
		`SELECT `+sessionColumns()+`, s.num, s.project FROM sessions s WHERE s.id = ? AND s.num <> 0`, []any{id}, scanInto(new(engram.Session), sessionTable(), &num, &project)))
	if err == nil && !found {
		return s, engram.Errorf(engram.CodeNotFound, "session %q does not exist", id).WithHint("see {session list}")
	}
	if err == nil {
		keep(&t.names.sessions, id, num)
		keep(&t.names.projects, s.Project, project)
		keep(&t.sessionRows, id, s)
	}
	return s, err
}

// sessions returns the conditions of f; nil if nothing can pass. Lists by activity are served by
// sessions_active and sessions_project_active; those by id read the table in its order.
func (t *tx) sessions(ctx context.Context, f engram.SessionFilter) (*sqlrow.Query, error) {
	num, known, err := t.knownProject(ctx, f.Project)
	if !known {
		return nil, err
	}
	c := &sqlrow.Query{From: "sessions s", Order: "s.active_at DESC, s.num DESC", Where: []string{"s.num <> 0" + t.hidden.and("s.project")}}
	project := "s.project = ?"
	if f.ByID {
		c.Order, project = "s.id", "+s.project = ?"
		c.Add("s.id > ?", f.After)
	}
	if f.Project != "" || f.Projectless {
		c.Add(project, num)
	}
	if f.Open {
		c.Add("s.ended_at IS NULL")
	}
	if f.SkipPrefix != "" {
		c.Add("substr(s.id, 1, length(?)) <> ?", f.SkipPrefix, f.SkipPrefix)
	}
	if !f.Since.IsZero() {
		c.Add("s.started_at >= ?", sqlrow.Millis(f.Since))
	}
	return c, nil
}

// Sessions returns the sessions that pass f.
func (t *tx) Sessions(ctx context.Context, f engram.SessionFilter, p engram.Page) ([]engram.SessionActivity, error) {
	c, err := t.sessions(ctx, f)
	if err != nil || c == nil {
		return nil, err
	}
	query, args := c.Select(sessionColumns()+", s.live")+" LIMIT ? OFFSET ?", append(c.Args, p.Limit, p.Offset)
	var a engram.SessionActivity
	scan := scanInto(&a.Session, sessionTable(), &a.Memories)
	return sqlrow.List(ctx, t, "read sessions", query, args, func(r sqlrow.Scanner) (engram.SessionActivity, error) {
		_, err := scan(r)
		return a, err
	})
}

// CountSessions counts the sessions that pass f. It may scan the sessions, which are few compared to memories.
func (t *tx) CountSessions(ctx context.Context, f engram.SessionFilter) (n int, err error) {
	c, err := t.sessions(ctx, f)
	if err != nil || c == nil {
		return 0, err
	}
	c.Order = ""
	err = t.Row(ctx, c.Select("count(*)"), c.Args, &n)
	return n, sqlrow.Doing(err, "count sessions")
}

// PutSession adds or replaces a session.
func (t *tx) PutSession(ctx context.Context, s engram.Session) error {
	const query = `INSERT INTO sessions (id, project, directory, started_at, ended_at, summary, active_at) VALUES (?,?,?,?,?,?,?)
		ON CONFLICT (id) DO UPDATE SET project = excluded.project, directory = excluded.directory,
		started_at = excluded.started_at, ended_at = excluded.ended_at, summary = excluded.summary, active_at = excluded.active_at`
	project, err := t.projectNum(ctx, s.Project)
	if err != nil {
		return err
	}
	err = t.Run(ctx, query, s.ID, project, s.Directory, sqlrow.Millis(s.StartedAt), sqlrow.Millis(s.EndedAt), s.Summary, sqlrow.Millis(s.ActiveAt))
	if err != nil {
		return fmt.Errorf("write session %q: %w", s.ID, err)
	}
	// It may have been erased before.
	err = t.Run(ctx, `DELETE FROM tombstones WHERE entity = ? AND name = ? AND project = ?`, engram.EntitySession, s.ID, s.Project)
	return err
}

// DeleteSession removes a session without memories. Its prompts stay, without a session; its causal
// metadata stays as a tombstone unless it is erased.
func (t *tx) DeleteSession(ctx context.Context, id string, erase bool) error {
	if erase {
		return t.eraseSession(ctx, id)
	}
	num, err := t.sessionNum(ctx, id)
	if err != nil {
		return err
	}
	const gone = `UPDATE lineages SET project = (SELECT project FROM sessions WHERE num = ?) WHERE entity = ? AND key = ?`
	err = t.RunAll(ctx, conn.With(gone, num, sqlrow.KindNum(engram.EntitySession), id),
		conn.With(`DELETE FROM uses WHERE session = ?`, num),
		conn.With(`UPDATE prompts SET session = 0 WHERE session = ?`, num), // prompts are not deleted with it
		conn.With(`DELETE FROM sessions WHERE num = ? AND num <> 0`, num))
	return sqlrow.Doing(err, "delete session %q", id)
}

// eraseSession removes a session permanently, including its summary and folder in the journal.
func (t *tx) eraseSession(ctx context.Context, id string) error {
	var project string
	err := t.Row(ctx, `SELECT coalesce(max((SELECT name FROM projects WHERE num = s.project)), '') FROM sessions s WHERE id = ?`, []any{id}, &project)
	if err != nil {
		return fmt.Errorf("erase session %q: %w", id, err)
	}
	if err := t.DeleteSession(ctx, id, false); err != nil {
		return err
	}
	t.scrubbed = true
	if err := t.Run(ctx, `UPDATE mutations SET `+emptied+` WHERE entity = ? AND key = ?`, engram.EntitySession, id); err != nil {
		return fmt.Errorf("erase session %q: %w", id, err)
	}
	return t.recordErasure(ctx, engram.Erased{Entity: engram.EntitySession, ID: id, Project: project}, id)
}

// sessionNum returns the row of a session; "" is row 0.
func (t *tx) sessionNum(ctx context.Context, id string) (int64, error) {
	if num, known := t.names.sessions[id]; known || id == "" {
		return num, nil // row 0 means no session
	}
	var num int64
	found, err := t.keyed.Maybe(ctx, `SELECT num FROM sessions WHERE id = ?`, []any{id}, &num)
	if found {
		keep(&t.names.sessions, id, num)
	} else if err == nil {
		err = engram.Errorf(engram.CodeNotFound, "session %q does not exist", id).WithHint("start it first")
	}
	return num, err
}
