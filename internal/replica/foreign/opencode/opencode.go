// Package opencode reads the conversations in the database of OpenCode.
//
// OpenCode keeps its sessions in ~/.local/share/opencode/opencode.db: session (with its folder, and
// a parent for a subagent), message and part, the latter two with a JSON object in the column data.
// Times are milliseconds.
//
// Source: the schema that opencode-ai 1.18.33 creates in an empty folder.
package opencode

import (
	"context"
	"database/sql"
	"errors"
	"time"

	"github.com/alanbuscaglia/engram/internal/replica/foreign/database"
	"github.com/alanbuscaglia/engram/internal/replica/foreign/source"
)

// Session is a session in OpenCode's database.
type Session struct {
	ID, Directory string
	UpdatedAt     time.Time
}

// Part is a piece of a message.
type Part struct {
	Message, Part string // JSON, unparsed
	At            time.Time
}

// maxPart is the longest part read, in bytes: longer ones are tool output.
const maxPart = 8 << 20

// Read passes the parts of the sessions that wants accepts to part, newest session first and in
// order within a session, until part returns false. Sessions of subagents are left out. Nothing is
// written beside the database; one in use is copied to temp first, "" for the system's folder.
//
// CodeNotFound if there is no such file, CodeInvalid for another or a damaged database,
// CodeUnavailable for one that is written all the time.
func Read(ctx context.Context, path, temp string, wants func(Session) bool, part func(Session, Part) (more bool)) (err error) {
	db, err := database.Open(ctx, path, source.Options{Temp: temp})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	err = db.Require(ctx, "OpenCode", database.Table{Name: "session", Needs: []string{"id", "directory", "parent_id", "time_updated"}, Order: "id"},
		database.Table{Name: "message", Needs: []string{"id", "session_id", "time_created", "data"}, Order: "id"},
		database.Table{Name: "part", Needs: []string{"id", "message_id", "time_created", "data"}, Order: "id"})
	if err != nil {
		return err
	}
	sessions, err := sessionsIn(ctx, db)
	if err != nil {
		return err
	}
	for _, s := range sessions {
		if !wants(s) {
			continue
		}
		more, err := partsOf(ctx, db, s, part)
		if err != nil || !more {
			return err
		}
	}
	return db.Settled()
}

func sessionsIn(ctx context.Context, d *database.DB) (all []Session, err error) {
	const query = `SELECT id, directory, time_updated FROM session WHERE coalesce(parent_id, '') = '' ORDER BY time_updated DESC, id`
	_, err = d.Rows(ctx, query, nil, func(rows *sql.Rows) (bool, error) {
		var s Session
		var updated int64
		err := rows.Scan(&s.ID, &s.Directory, &updated)
		s.UpdatedAt = time.UnixMilli(updated).UTC()
		all = append(all, s)
		return true, err
	})
	return all, err
}

func partsOf(ctx context.Context, d *database.DB, s Session, part func(Session, Part) bool) (more bool, err error) {
	const query = `SELECT m.data, p.data, p.time_created FROM message m JOIN part p ON p.message_id = m.id
		WHERE m.session_id = ? AND length(p.data) <= ? AND length(m.data) <= ? ORDER BY m.time_created, m.id, p.id`
	return d.Rows(ctx, query, []any{s.ID, maxPart, maxPart}, func(rows *sql.Rows) (bool, error) {
		var p Part
		var at int64
		if err := rows.Scan(&p.Message, &p.Part, &at); err != nil {
			return false, err
		}
		p.At = time.UnixMilli(at).UTC()
		return part(s, p), nil
	})
}
