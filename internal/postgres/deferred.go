package postgres

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/lifecycle"
	"github.com/alanbuscaglia/engram/internal/postgres/conn"
	"github.com/alanbuscaglia/engram/internal/sqlrow"
)

// deferredColumns is what deferred reads; d is the deferred table.
const deferredColumns = `d.num, d.project, d.batch, d.sent_by, d.why, d.reason, d.tries, d.first_at, d.last_at, d.record`

// Deferred records are read by number.
const (
	deferredSQL   = `SELECT ` + deferredColumns + ` FROM deferred d WHERE d.space = $space AND d.num > ?2 AND (?1 = '' OR d.project = ?1) ORDER BY d.num LIMIT ?3`
	deferredAtSQL = `SELECT ` + deferredColumns + ` FROM deferred d WHERE d.space = $space AND d.num = ?`
)

// Deferred returns deferred records, oldest first.
func (t *tx) Deferred(ctx context.Context, project string, after int64, limit int) ([]engram.Deferred, error) {
	return t.deferred(ctx, deferredSQL, project, after, limit)
}

// DeferredAt returns the deferred record with a number.
func (t *tx) DeferredAt(ctx context.Context, num int64) (engram.Deferred, bool, error) {
	return sqlrow.First(t.deferred(ctx, deferredAtSQL, num))
}

// CountDeferred counts deferred records.
func (t *tx) CountDeferred(ctx context.Context, project string, why engram.Deferral) (n int, err error) {
	const query = `SELECT count(*) FROM deferred WHERE space = $space AND (?1 = '' OR project = ?1) AND (?2 = '' OR why = ?2)`
	err = t.Row(ctx, query, []any{project, why}, &n)
	return n, sqlrow.Doing(err, "count deferred records")
}

func (t *tx) deferred(ctx context.Context, query string, args ...any) ([]engram.Deferred, error) {
	return sqlrow.List(ctx, t, "read deferred records", query, args, func(s sqlrow.Scanner) (engram.Deferred, error) {
		var d engram.Deferred
		err := s.Scan(&d.Num, &d.Project, &d.Batch, &d.By, &d.Why, &d.Reason, &d.Tries, conn.Instant{Time: &d.FirstAt}, conn.Instant{Time: &d.LastAt}, conn.JSON{Value: &d.Record})
		return d, err
	})
}

// PutDeferred adds or replaces a deferred record.
func (t *tx) PutDeferred(ctx context.Context, d *engram.Deferred) error {
	const (
		add = `INSERT INTO deferred (space, num, entity, id, batch, project, sent_by, why, reason, tries, first_at, last_at, record) VALUES ($space,?,?,?,?,?,?,?,?,?,?,?,?)
			ON CONFLICT (space, entity, id, batch, project) DO UPDATE SET sent_by = excluded.sent_by, why = excluded.why,
			reason = excluded.reason, tries = excluded.tries, last_at = excluded.last_at, record = excluded.record RETURNING num`
		replace = `UPDATE deferred SET (entity, id, batch, project, sent_by, why, reason, tries, first_at, last_at, record) = ROW(?2,?3,?4,?5,?6,?7,?8,?9,?10,?11,?12)
			WHERE space = $space AND num = ?1 RETURNING num`
	)
	r := d.Record
	r.Flaw = nil // errors cannot be restored from text
	record, err := json.Marshal(r)
	if err != nil {
		return engram.Errorf(engram.CodeInvalid, "cannot store the record").WithCause(err)
	}
	query, num := replace, d.Num
	if num == 0 {
		query, num = add, next(&t.head.deferred, 0)
	}
	t.Wrote = true
	found, err := t.Maybe(ctx, query, []any{num, sqlrow.DeferredKind(r), sqlrow.DeferredName(r), d.Batch, d.Project, d.By, d.Why, d.Reason, d.Tries, d.FirstAt.UnixMilli(), d.LastAt.UnixMilli(), string(record)}, &d.Num)
	if err == nil && !found {
		err = engram.Errorf(engram.CodeNotFound, "the deferred record %d does not exist", num)
	}
	return sqlrow.Doing(err, "write a deferred record")
}

// DropDeferred removes a deferred record.
func (t *tx) DropDeferred(ctx context.Context, num int64) (bool, error) {
	n, err := t.Exec(ctx, `DELETE FROM deferred WHERE space = $space AND num = ?`, num)
	return n > 0, sqlrow.Doing(err, "drop a deferred record")
}

// erasedColumns is what scanErased reads; t is the tombstones table.
const erasedColumns = `t.entity, t.name, t.project, t.id, t.at, t.bound`

const (
	erasedAfterSQL = `SELECT ` + erasedColumns + ` FROM tombstones t WHERE t.space = $space AND entity = ?1 AND (name, project) > (?2, ?3) ORDER BY name, project LIMIT ?4`
	erasedOfSQL    = `SELECT ` + erasedColumns + ` FROM tombstones t WHERE t.space = $space AND t.entity = ?1 AND t.name = ANY(?2) ORDER BY t.name, t.project`
)

func scanErased(r sqlrow.Scanner) (x engram.Erased, err error) {
	var name string
	err = r.Scan(&x.Entity, &name, &x.Project, &x.ID, &x.At, &x.Bound)
	if x.Entity != engram.EntitySession {
		x.SyncID = name
	}
	return x, err
}

// ErasedAfter returns tombstones by key.
func (t *tx) ErasedAfter(ctx context.Context, entity engram.Entity, after string, limit int) ([]engram.Erased, error) {
	last := engram.ErasedKey(after)
	return t.manyErased(ctx, erasedAfterSQL, entity, last.Name(), last.Project, limit)
}

func (t *tx) manyErased(ctx context.Context, query string, args ...any) ([]engram.Erased, error) {
	return sqlrow.List(ctx, t, "read tombstones", query, args, scanErased)
}

// ErasedOf returns the tombstones of things by name.
func (t *tx) ErasedOf(ctx context.Context, entity engram.Entity, names []string) ([]engram.Erased, error) {
	return t.manyErased(ctx, erasedOfSQL, entity, names)
}

// erasedAs returns the known tombstone with the name and project of x.
func (t *tx) erasedAs(ctx context.Context, x engram.Erased) (was engram.Erased, known bool, err error) {
	const query = `SELECT ` + erasedColumns + ` FROM tombstones t WHERE t.space = $space AND t.entity = ? AND t.name = ? AND t.project = ?`
	return sqlrow.First(t.manyErased(ctx, query, x.Entity, x.Name(), x.Project))
}

// PutErased records a tombstone, merged with a known one.
func (t *tx) PutErased(ctx context.Context, x engram.Erased) error {
	was, known, err := t.erasedAs(ctx, x)
	if known {
		x = lifecycle.MergeErased(was, x)
	}
	if err == nil {
		err = t.Run(ctx, `INSERT INTO tombstones (space, entity, name, project, id, at, bound) VALUES ($space,?,?,?,?,?,?)
			ON CONFLICT (space, entity, name, project) DO UPDATE SET id = excluded.id, at = excluded.at, bound = excluded.bound`,
			x.Entity, x.Name(), x.Project, x.ID, int64(x.At), x.Bound)
	}
	if err != nil {
		return fmt.Errorf("record a tombstone: %w", err)
	}
	if x.Bound {
		// The pull itself checks again what is deferred for several projects.
		return t.Run(ctx, `DELETE FROM deferred WHERE space = $space AND entity = ? AND id IN (?,?) AND project = ?`, x.Entity, x.ID, x.Name(), x.Project)
	}
	return t.dropDeferredOf(ctx, x.Entity, x.ID, x.Name())
}

// DropErased removes a tombstone that came from elsewhere.
func (t *tx) DropErased(ctx context.Context, key string) (x engram.Erased, found bool, err error) {
	x, found, err = t.erasedAs(ctx, engram.ErasedKey(key))
	if err == nil && found {
		err = t.RunAll(ctx, conn.With(`DELETE FROM tombstones WHERE space = $space AND entity = ? AND name = ? AND project = ?`, x.Entity, x.Name(), x.Project),
			conn.With(`DELETE FROM carried WHERE space = $space AND entity = ? AND num = 0 AND key = ?`, sqlrow.KindNum(engram.EntityErased), key))
	}
	if err != nil {
		return engram.Erased{}, false, fmt.Errorf("drop a tombstone: %w", err)
	}
	return x, found, nil
}

// tombstoneSQL selects the projects whose batches hold a thing: their other members have copies.
const tombstoneSQL = `SELECT DISTINCT p.name FROM carried c JOIN projects p ON p.space = $space AND p.num = c.project
	WHERE c.space = $space AND c.entity = ? AND c.num = ? AND c.key = ? ORDER BY 1`

// recordErasure removes what is stored of an erased thing beside its row, under its key, and records its
// tombstones, with the clock of the current operation: in its project, and in the projects whose batches hold it
// from before a move.
func (t *tx) recordErasure(ctx context.Context, x engram.Erased, key thingKey) error {
	x.At = engram.Clock(t.head.lastAt)
	// Session ids are chosen by clients: the same id may name another session in another project.
	x.Bound = x.Entity == engram.EntitySession
	if err := t.PutErased(ctx, x); err != nil {
		return err
	}
	others, err := sqlrow.Column[string](ctx, t, tombstoneSQL, sqlrow.KindNum(x.Entity), key.num, key.name)
	if err != nil {
		return err
	}
	for _, x.Project = range others {
		if err := t.PutErased(ctx, x); err != nil {
			return err
		}
	}
	err = t.RunAll(ctx, conn.With(`DELETE FROM lineages WHERE space = $space AND entity = ? AND num = ? AND key = ?`, sqlrow.KindNum(x.Entity), key.num, key.name), // includes its tags
		conn.With(`DELETE FROM carried WHERE space = $space AND entity = ? AND num = ? AND key = ?`, sqlrow.KindNum(x.Entity), key.num, key.name))
	if err != nil {
		return fmt.Errorf("erase the causal metadata of %s %v: %w", x.Entity, key, err)
	}
	return t.dropDeferredOf(ctx, x.Entity, x.ID, x.Name())
}

// dropDeferredOf removes the deferred records of a thing under any of its names.
func (t *tx) dropDeferredOf(ctx context.Context, entity engram.Entity, names ...string) error {
	err := t.Run(ctx, `DELETE FROM deferred WHERE space = $space AND entity = ? AND id = ANY(?)`, entity, names)
	return sqlrow.Doing(err, "erase deferred records of %s", entity)
}

// moveTombstonesSQL copies the tombstones of the projects ?2 to ?1, merging those with the same name.
const moveTombstonesSQL = `INSERT INTO tombstones (space, entity, name, project, id, at, bound)
	SELECT $space, entity, name, ?1, max(id), min(at), bool_and(bound) FROM tombstones WHERE space = $space AND project = ANY(?2) AND project <> ?1 GROUP BY entity, name
	ON CONFLICT (space, entity, name, project) DO UPDATE SET at = least(tombstones.at, excluded.at), bound = tombstones.bound AND excluded.bound,
	id = CASE WHEN tombstones.id = tombstones.name THEN excluded.id ELSE tombstones.id END`

// moveTombstones moves the tombstones of projects to the project that took over their names.
func (t *tx) moveTombstones(ctx context.Context, to string, from ...string) error {
	if len(from) == 0 {
		return nil
	}
	err := t.RunAll(ctx, conn.With(moveTombstonesSQL, to, from),
		conn.With(`DELETE FROM tombstones WHERE space = $space AND project = ANY(?) AND project <> ?`, from, to))
	return sqlrow.Doing(err, "move tombstones to project %q", to)
}
