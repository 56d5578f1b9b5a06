package sqlite

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"

	"github.com/alanbuscaglia/engram"
)

const deferredSQL = `SELECT d.num, d.project, d.batch, d.sent_by, d.why, d.reason, d.tries, d.first_at, d.last_at, d.record
	FROM deferred d WHERE ?1 = '' OR d.project = ?1 ORDER BY d.num LIMIT ?2 OFFSET ?3`

// Deferred returns what waits, oldest first.
func (t *tx) Deferred(ctx context.Context, project string, p engram.Page) ([]engram.Deferred, error) {
	var all []engram.Deferred
	err := t.rows(ctx, deferredSQL, []any{project, p.Limit, p.Offset}, func(s scanner) error {
		var d engram.Deferred
		var record string
		err := s.Scan(&d.Num, &d.Project, &d.Batch, &d.By, &d.Why, &d.Reason, &d.Tries, instant{&d.FirstAt}, instant{&d.LastAt}, &record)
		if err == nil {
			err = json.Unmarshal([]byte(record), &d.Record)
		}
		all = append(all, d)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("read what waits: %w", err)
	}
	return all, nil
}

// PutDeferred adds or replaces what waits.
func (t *tx) PutDeferred(ctx context.Context, d *engram.Deferred) error {
	const (
		add = `INSERT INTO deferred (entity, id, batch, project, sent_by, why, reason, tries, first_at, last_at, record) VALUES (?,?,?,?,?,?,?,?,?,?,?)
			ON CONFLICT (entity, id, batch) DO UPDATE SET project = excluded.project, sent_by = excluded.sent_by, why = excluded.why,
			reason = excluded.reason, tries = excluded.tries, last_at = excluded.last_at, record = excluded.record RETURNING num`
		replace = `UPDATE deferred SET (entity, id, batch, project, sent_by, why, reason, tries, first_at, last_at, record) = (?,?,?,?,?,?,?,?,?,?,?)
			WHERE num = ? RETURNING num`
	)
	r := d.Record
	r.Flaw = nil // an error has no text that could be read back
	record, err := json.Marshal(r)
	if err != nil {
		return engram.Errorf(engram.CodeInvalid, "the record cannot be kept").WithCause(err)
	}
	query, args := add, []any{deferredKind(r), nameOf(r), d.Batch, d.Project, d.By, d.Why, d.Reason, d.Tries, d.FirstAt.UnixMilli(), d.LastAt.UnixMilli(), string(record)}
	if d.Num != 0 {
		query, args = replace, append(args, d.Num)
	}
	if err := t.row(ctx, query, args, &d.Num); err != nil {
		return fmt.Errorf("keep what waits: %w", err)
	}
	return nil
}

// deferredKind tells that something was erased from the thing itself.
func deferredKind(r engram.Record) engram.Entity {
	if r.Erased != nil {
		return engram.EntityErased
	}
	return r.Entity()
}

// nameOf is what a record's thing is called everywhere.
func nameOf(r engram.Record) string {
	switch {
	case r.Project != nil:
		return r.Project.Name
	case r.Session != nil:
		return r.Session.ID
	case r.Prompt != nil:
		return r.Prompt.SyncID
	case r.Memory != nil:
		return cmp.Or(string(r.Memory.Memory.ID), r.Memory.Memory.SyncID)
	case r.Relation != nil:
		return r.Relation.Relation.ID
	case r.Erased != nil:
		return r.Erased.Key()
	}
	return ""
}

// DropDeferred removes what waits no longer.
func (t *tx) DropDeferred(ctx context.Context, num int64) (bool, error) {
	res, err := t.exec(ctx, `DELETE FROM deferred WHERE num = ?`, num)
	if err != nil {
		return false, fmt.Errorf("drop what waits: %w", err)
	}
	n, err := res.RowsAffected()
	return n > 0, err
}
