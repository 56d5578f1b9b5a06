package postgres

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/postgres/conn"
	"github.com/alanbuscaglia/engram/internal/sqlrow"
)

// sessionTable has the fields of a session; each has a column.
var sessionTable = sync.OnceValue(engram.Fields[engram.Session])

var sessionColumns = sync.OnceValue(func() string { return columnsOf("s", sessionTable()) })

// Session returns the session.
func (t *tx) Session(ctx context.Context, id string) (engram.Session, error) {
	if s, read := known(t.names, &t.names.asked, id); read {
		return active(s.Session, t.counted.sessions[s.num]), nil
	}
	var num, project int64
	s, found, err := sqlrow.First(sqlrow.List(ctx, t, fmt.Sprintf("read session %q", id),
		`SELECT `+sessionColumns()+`, s.num, s.project FROM sessions s WHERE s.space = $space AND s.id = ? AND s.num <> 0`, []any{id},
		scanInto(new(engram.Session), sessionTable(), &num, &project)))
	if err == nil && !found {
		return s, engram.Errorf(engram.CodeNotFound, "session %q does not exist", id).WithHint("see {session list}")
	}
	if err == nil {
		know(t.names, &t.names.sessions, id, num)
		know(t.names, &t.names.projects, s.Project, project)
		t.names.knowSession(askedSession{s, num})
	}
	return s, err
}

// active returns a session after a change by its memories.
func active(s engram.Session, by sessionChange) engram.Session {
	if by.active > s.ActiveAt.UnixMilli() {
		s.ActiveAt = time.UnixMilli(by.active).UTC()
	}
	return s
}

// sessions returns the conditions of f; nil if nothing can pass. Lists are served by sessions_active,
// sessions_project_active and sessions_id.
func (t *tx) sessions(ctx context.Context, f engram.SessionFilter) (*sqlrow.Query, error) {
	num, known, err := t.knownProject(ctx, f.Project)
	if !known {
		return nil, err
	}
	c := &sqlrow.Query{From: "sessions s", Order: "s.active_at DESC, s.num DESC", Where: []string{"s.space = $space AND s.num <> 0" + t.Off.Among("s.project")}}
	if f.ByID {
		c.Order = "s.id"
		c.Add("s.id > ?", f.After)
	}
	if f.Project != "" || f.Projectless {
		c.Add("s.project = ?", num)
	}
	if f.Open {
		c.Add("s.ended_at IS NULL")
	}
	if f.SkipPrefix != "" && conn.Storable(f.SkipPrefix) {
		c.Add("NOT starts_with(s.id, ?)", f.SkipPrefix)
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
	query, args := c.Page(sessionColumns()+", s.live", p)
	var a engram.SessionActivity
	scan := scanInto(&a.Session, sessionTable(), &a.Memories)
	return sqlrow.List(ctx, t, "read sessions", query, args, func(r sqlrow.Scanner) (engram.SessionActivity, error) {
		_, err := scan(r)
		return a, err
	})
}

// CountSessions counts the sessions that pass f.
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
	const query = `INSERT INTO sessions (space, num, id, project, directory, started_at, ended_at, summary, active_at) VALUES ($space,?,?,?,?,?,?,?,?)
		ON CONFLICT (space, id) DO UPDATE SET project = excluded.project, directory = excluded.directory,
		started_at = excluded.started_at, ended_at = excluded.ended_at, summary = excluded.summary, active_at = excluded.active_at`
	project, err := t.projectNum(ctx, s.Project)
	if err != nil {
		return err
	}
	// One that exists keeps its number, and this one is never used.
	num := next(&t.head.session, 0)
	t.names.forgetSessions()
	// It may have been erased before.
	err = t.RunAll(ctx, conn.With(query, num, s.ID, project, s.Directory, sqlrow.Millis(s.StartedAt), sqlrow.Millis(s.EndedAt), s.Summary, sqlrow.Millis(s.ActiveAt)),
		conn.With(`DELETE FROM tombstones WHERE space = $space AND entity = ? AND name = ? AND project = ?`, engram.EntitySession, s.ID, s.Project))
	return sqlrow.Doing(err, "write session %q", s.ID)
}

// DeleteSession removes a session without memories. Its prompts stay, without a session; its causal metadata stays
// as a tombstone unless it is erased.
func (t *tx) DeleteSession(ctx context.Context, id string, erase bool) error {
	if erase {
		return t.eraseSession(ctx, id)
	}
	num, err := t.sessionNum(ctx, id)
	if err != nil {
		return err
	}
	var used bool
	if err := t.Row(ctx, `SELECT EXISTS (SELECT 1 FROM memories WHERE space = $space AND session = ? AND deleted_at IS NULL)
		OR EXISTS (SELECT 1 FROM memories WHERE space = $space AND session = ? AND deleted_at IS NOT NULL)`, []any{num, num}, &used); err != nil {
		return fmt.Errorf("delete session %q: %w", id, err)
	}
	if used {
		return engram.Errorf(engram.CodeConflict, "session %q still has memories", id).
			WithHint("remove what depends on it first; nothing was changed")
	}
	const gone = `UPDATE lineages SET project = (SELECT project FROM sessions WHERE space = $space AND num = ?) WHERE space = $space AND entity = ? AND num = 0 AND key = ?`
	t.names.forgetSessions()
	delete(t.names.sessions, id) // they are this transaction's own
	err = t.RunAll(ctx, conn.With(gone, num, sqlrow.KindNum(engram.EntitySession), id),
		conn.With(`DELETE FROM uses WHERE space = $space AND session = ?`, num),
		conn.With(`UPDATE prompts SET session = 0 WHERE space = $space AND session = ?`, num), // prompts are not deleted with it
		conn.With(`DELETE FROM sessions WHERE space = $space AND num = ? AND num <> 0`, num))
	return sqlrow.Doing(err, "delete session %q", id)
}

// eraseSession removes a session permanently, including its summary and folder in the journal.
func (t *tx) eraseSession(ctx context.Context, id string) error {
	var project string
	_, err := t.Maybe(ctx, `SELECT p.name FROM sessions s JOIN projects p ON p.space = $space AND p.num = s.project WHERE s.space = $space AND s.id = ?`, []any{id}, &project)
	if err != nil {
		return fmt.Errorf("erase session %q: %w", id, err)
	}
	if err := t.DeleteSession(ctx, id, false); err != nil {
		return err
	}
	if err := t.Run(ctx, `UPDATE mutations SET `+emptied+` WHERE space = $space AND entity = ? AND num = 0 AND key = ?`, engram.EntitySession, id); err != nil {
		return fmt.Errorf("erase session %q: %w", id, err)
	}
	return t.recordErasure(ctx, engram.Erased{Entity: engram.EntitySession, ID: id, Project: project}, keyOf(engram.EntitySession, id))
}

// sessionNum returns the row of a session; "" is row 0.
func (t *tx) sessionNum(ctx context.Context, id string) (int64, error) {
	if num, found := known(t.names, &t.names.sessions, id); found || id == "" {
		return num, nil // row 0 means no session
	}
	var num int64
	found, err := t.Maybe(ctx, `SELECT num FROM sessions WHERE space = $space AND id = ?`, []any{id}, &num)
	if found {
		know(t.names, &t.names.sessions, id, num)
	} else if err == nil {
		err = engram.Errorf(engram.CodeNotFound, "session %q does not exist", id).WithHint("start it first")
	}
	return num, err
}
