package sqlite

import (
	"context"
	"fmt"

	"github.com/alanbuscaglia/engram"
)

// sessionColumns is what scanSession reads; s is the sessions table.
const sessionColumns = `s.id, (SELECT name FROM projects WHERE num = s.project), s.directory, s.started_at, s.ended_at, s.summary, s.active_at`

func scanSession(r scanner) (engram.Session, error) { return scanSessionAnd(r) }

// scanSessionAnd also reads the columns after those of the session.
func scanSessionAnd(r scanner, more ...any) (engram.Session, error) {
	var s engram.Session
	err := r.Scan(append([]any{&s.ID, &s.Project, &s.Directory, instant{&s.StartedAt}, instant{&s.EndedAt}, &s.Summary,
		instant{&s.ActiveAt}}, more...)...)
	return s, err
}

// Session returns the session.
func (t *tx) Session(ctx context.Context, id string) (engram.Session, error) {
	s, found, err := first(list(ctx, t, fmt.Sprintf("read session %q", id),
		`SELECT `+sessionColumns+` FROM sessions s WHERE s.id = ? AND s.num <> 0`, []any{id}, scanSession))
	if err == nil && !found {
		err = engram.Errorf(engram.CodeNotFound, "session %q does not exist", id).WithHint("see {session list}")
	}
	return s, err
}

// Sessions is served by sessions_active and sessions_project_active.
const (
	sessionsSQL = `SELECT ` + sessionColumns + `, s.live FROM sessions s
		WHERE s.num <> 0%s ORDER BY s.active_at DESC, s.num DESC LIMIT ? OFFSET ?`
	projectSessionsSQL = `SELECT ` + sessionColumns + `, s.live FROM sessions s
		WHERE s.project = ? AND s.num <> 0%s ORDER BY s.active_at DESC, s.num DESC LIMIT ? OFFSET ?`
)

// Sessions returns sessions, the most recently active first.
func (t *tx) Sessions(ctx context.Context, project string, p engram.Page) ([]engram.SessionActivity, error) {
	query, args := sessionsSQL, []any{p.Limit, p.Offset}
	if project != "" {
		num, known, err := t.knownProject(ctx, project)
		if !known {
			return nil, err
		}
		query, args = projectSessionsSQL, append([]any{num}, args...)
	}
	return list(ctx, t, "read sessions", fmt.Sprintf(query, t.hidden.and("s.project")), args, func(r scanner) (engram.SessionActivity, error) {
		var a engram.SessionActivity
		s, err := scanSessionAnd(r, &a.Memories)
		a.Session = s
		return a, err
	})
}

// OpenSession returns the project's most recently active session that has not ended.
func (t *tx) OpenSession(ctx context.Context, project, skipPrefix string) (engram.Session, bool, error) {
	const query = `SELECT ` + sessionColumns + ` FROM sessions s
		WHERE s.project = ?1 AND s.ended_at IS NULL AND s.num <> 0 AND substr(s.id, 1, length(?2)) <> ?2
		ORDER BY s.active_at DESC, s.num DESC LIMIT 1`
	num, known, err := t.knownProject(ctx, project)
	if !known {
		return engram.Session{}, false, err
	}
	return first(list(ctx, t, "read the open session", query, []any{num, skipPrefix}, scanSession))
}

// CountInSession counts the memories saved in the session.
func (t *tx) CountInSession(ctx context.Context, id string, forgotten bool) (int, error) {
	query := `SELECT live FROM sessions WHERE num = ?`
	if forgotten {
		query = `SELECT live + (SELECT count(*) FROM memories WHERE session = ?1 AND deleted_at IS NOT NULL) FROM sessions WHERE num = ?1`
	}
	num, err := t.sessionNum(ctx, id)
	if err != nil {
		return 0, err
	}
	var n int
	err = t.row(ctx, query, []any{num}, &n)
	return n, err
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
	err = t.run(ctx, query, s.ID, project, s.Directory, millis(s.StartedAt), millis(s.EndedAt), s.Summary, millis(s.ActiveAt))
	if err != nil {
		return fmt.Errorf("write session %q: %w", s.ID, err)
	}
	// It may have been erased before.
	err = t.run(ctx, `DELETE FROM tombstones WHERE entity = ? AND name = ? AND project = ?`, engram.EntitySession, s.ID, s.Project)
	return err
}

// DeleteSession removes a session without memories. Its prompts stay, without a session; its causal
// metadata stays as a tombstone.
func (t *tx) DeleteSession(ctx context.Context, id string) error {
	num, err := t.sessionNum(ctx, id)
	if err != nil {
		return err
	}
	const gone = `UPDATE lineages SET project = (SELECT project FROM sessions WHERE num = ?) WHERE entity = ? AND key = ?`
	err = t.runAll(ctx, with(gone, num, kindNum(engram.EntitySession), id),
		with(`DELETE FROM uses WHERE session = ?`, num),
		with(`UPDATE prompts SET session = 0 WHERE session = ?`, num), // prompts are not deleted with it
		with(`DELETE FROM sessions WHERE num = ? AND num <> 0`, num))
	return doing(err, "delete session %q", id)
}

// EraseSession removes a session permanently, including its summary and folder in the journal.
func (t *tx) EraseSession(ctx context.Context, id string) error {
	var project string
	err := t.row(ctx, `SELECT coalesce(max((SELECT name FROM projects WHERE num = s.project)), '') FROM sessions s WHERE id = ?`, []any{id}, &project)
	if err != nil {
		return fmt.Errorf("erase session %q: %w", id, err)
	}
	if err := t.DeleteSession(ctx, id); err != nil {
		return err
	}
	t.scrubbed = true
	if err := t.run(ctx, `UPDATE mutations SET `+emptied+` WHERE entity = ? AND key = ?`, engram.EntitySession, id); err != nil {
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
	found, err := t.maybe(ctx, `SELECT num FROM sessions WHERE id = ?`, []any{id}, &num)
	if found {
		keep(&t.names.sessions, id, num)
	} else if err == nil {
		err = engram.Errorf(engram.CodeNotFound, "session %q does not exist", id).WithHint("start it first")
	}
	return num, err
}
