package sqlite

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"

	"github.com/alanbuscaglia/engram"
)

// deferredColumns is what deferred reads; d is the deferred table.
const deferredColumns = `d.num, d.project, d.batch, d.sent_by, d.why, d.reason, d.tries, d.first_at, d.last_at, d.record`

// What waits is read by its number.
const (
	deferredSQL   = `SELECT ` + deferredColumns + ` FROM deferred d WHERE d.num > ?2 AND (?1 = '' OR d.project = ?1) ORDER BY d.num LIMIT ?3`
	deferredAtSQL = `SELECT ` + deferredColumns + ` FROM deferred d WHERE d.num = ?`
)

// Deferred returns what waits, oldest first.
func (t *tx) Deferred(ctx context.Context, project string, after int64, limit int) ([]engram.Deferred, error) {
	return t.deferred(ctx, deferredSQL, project, after, limit)
}

// DeferredAt returns what waits under a number.
func (t *tx) DeferredAt(ctx context.Context, num int64) (d engram.Deferred, found bool, err error) {
	all, err := t.deferred(ctx, deferredAtSQL, num)
	if err != nil || len(all) == 0 {
		return d, false, err
	}
	return all[0], true, nil
}

// CountDeferred counts what waits.
func (t *tx) CountDeferred(ctx context.Context, project string, why engram.Deferral) (n int, err error) {
	const query = `SELECT count(*) FROM deferred WHERE (?1 = '' OR project = ?1) AND (?2 = '' OR why = ?2)`
	if err := t.row(ctx, query, []any{project, why}, &n); err != nil {
		return 0, fmt.Errorf("count what waits: %w", err)
	}
	return n, nil
}

func (t *tx) deferred(ctx context.Context, query string, args ...any) ([]engram.Deferred, error) {
	return list(ctx, t, "read what waits", query, args, func(s scanner) (engram.Deferred, error) {
		var d engram.Deferred
		var record string
		err := s.Scan(&d.Num, &d.Project, &d.Batch, &d.By, &d.Why, &d.Reason, &d.Tries, instant{&d.FirstAt}, instant{&d.LastAt}, &record)
		if err == nil {
			err = json.Unmarshal([]byte(record), &d.Record)
		}
		return d, err
	})
}

// PutDeferred adds or replaces what waits.
func (t *tx) PutDeferred(ctx context.Context, d *engram.Deferred) error {
	const (
		add = `INSERT INTO deferred (entity, id, batch, project, sent_by, why, reason, tries, first_at, last_at, record) VALUES (?,?,?,?,?,?,?,?,?,?,?)
			ON CONFLICT (entity, id, batch, project) DO UPDATE SET sent_by = excluded.sent_by, why = excluded.why,
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
