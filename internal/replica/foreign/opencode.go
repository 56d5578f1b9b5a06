package foreign

import (
	"context"
	"database/sql"
	"errors"
	"time"
)

// OpenCode keeps its sessions in ~/.local/share/opencode/opencode.db: session (with its folder, and
// a parent for a subagent), message and part, the latter two with a JSON object in the column data.
// Times are milliseconds.
//
// Source: the schema that opencode-ai 1.18.33 creates in an empty folder.

// OpenCodeSession is a session in OpenCode's database.
type OpenCodeSession struct {
	ID, Directory string
	UpdatedAt     time.Time
}

// OpenCodePart is a piece of a message.
type OpenCodePart struct {
	Message, Part string // JSON, unparsed
	At            time.Time
}

// maxPart is the longest part read, in bytes: longer ones are tool output.
const maxPart = 8 << 20

// OpenCode passes the parts of the sessions that wants accepts to part, newest session first and in
// order within a session, until part returns false. Sessions of subagents are left out. Nothing is
// written beside the database; one in use is copied to temp first, "" for the system's folder.
//
// CodeNotFound if there is no such file, CodeInvalid for another or a damaged database,
// CodeUnavailable for one that is written all the time.
func OpenCode(ctx context.Context, path, temp string, wants func(OpenCodeSession) bool, part func(OpenCodeSession, OpenCodePart) (more bool)) (err error) {
	db, err := openDatabase(ctx, path, Options{Temp: temp})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, db.close()) }()
	err = db.require(ctx, "OpenCode", table{"session", []string{"id", "directory", "parent_id", "time_updated"}, nil, "id"},
		table{"message", []string{"id", "session_id", "time_created", "data"}, nil, "id"},
		table{"part", []string{"id", "message_id", "time_created", "data"}, nil, "id"})
	if err != nil {
		return err
	}
	sessions, err := db.openCodeSessions(ctx)
	if err != nil {
		return err
	}
	for _, s := range sessions {
		if !wants(s) {
			continue
		}
		more, err := db.openCodeParts(ctx, s, part)
		if err != nil || !more {
			return err
		}
	}
	return db.settled()
}

func (d *database) openCodeSessions(ctx context.Context) (all []OpenCodeSession, err error) {
	const query = `SELECT id, directory, time_updated FROM session WHERE coalesce(parent_id, '') = '' ORDER BY time_updated DESC, id`
	_, err = d.rows(ctx, query, nil, func(rows *sql.Rows) (bool, error) {
		var s OpenCodeSession
		var updated int64
		err := rows.Scan(&s.ID, &s.Directory, &updated)
		s.UpdatedAt = time.UnixMilli(updated).UTC()
		all = append(all, s)
		return true, err
	})
	return all, err
}

func (d *database) openCodeParts(ctx context.Context, s OpenCodeSession, part func(OpenCodeSession, OpenCodePart) bool) (more bool, err error) {
	const query = `SELECT m.data, p.data, p.time_created FROM message m JOIN part p ON p.message_id = m.id
		WHERE m.session_id = ? AND length(p.data) <= ? AND length(m.data) <= ? ORDER BY m.time_created, m.id, p.id`
	return d.rows(ctx, query, []any{s.ID, maxPart, maxPart}, func(rows *sql.Rows) (bool, error) {
		var p OpenCodePart
		var at int64
		if err := rows.Scan(&p.Message, &p.Part, &at); err != nil {
			return false, err
		}
		p.At = time.UnixMilli(at).UTC()
		return part(s, p), nil
	})
}
