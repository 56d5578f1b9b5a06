package postgres

import (
	"context"
	"fmt"
	"strconv"
	"time"

	"github.com/alanbuscaglia/engram/internal/health"
	"github.com/alanbuscaglia/engram/internal/postgres/conn"
)

// programKey prefixes the facts that hold the first and last write of each program version.
const programKey = "program:"

const (
	signEvery  = time.Hour           // how often a writing process records its version
	keptSigned = 90 * 24 * time.Hour // how long versions without a write are kept
)

// sign records, within a transaction that wrote, that this version writes to the space, once an hour and in the
// queue of the others. Without a version or a clock it records nothing.
func (s *Store) sign(ctx context.Context, t *tx) error {
	if s.version == "" || s.now == nil || !t.Wrote {
		return nil
	}
	now := s.now().UnixMilli()
	if since := now - s.signed.Load(); since >= 0 && since < signEvery.Milliseconds() {
		return nil
	}
	s.signed.Store(now)
	at := strconv.FormatInt(now, 10)
	return t.RunAll(ctx,
		conn.With(`INSERT INTO facts (space, key, value) VALUES ($space, ?1, ?2 || ' ' || ?2)
			ON CONFLICT (space, key) DO UPDATE SET value = split_part(facts.value, ' ', 1) || ' ' || ?2`, programKey+s.version, at),
		conn.With(`DELETE FROM facts WHERE space = $space AND key >= ? AND key < ? AND lpad(split_part(value, ' ', 2), 20, '0') < lpad(?, 20, '0')`,
			programKey, programsEnd, strconv.FormatInt(now-keptSigned.Milliseconds(), 10)))
}

// programsEnd is the first key after those with programKey: ';' follows ':'.
const programsEnd = "program;"

// programs returns the versions that wrote to the space.
func (t *tx) programs(ctx context.Context) ([]health.Program, error) {
	const query = `SELECT key, value FROM facts WHERE space = $space AND key >= ? AND key < ? ORDER BY key`
	return conn.List(ctx, t, "read the versions that wrote", query, []any{programKey, programsEnd}, func(r conn.Scanner) (p health.Program, err error) {
		var span string
		var first, last int64
		err = r.Scan(&p.Version, &span)
		if p.Version = p.Version[min(len(programKey), len(p.Version)):]; err != nil {
			return p, err
		}
		if _, bad := fmt.Sscan(span, &first, &last); bad == nil { // the zero times where it is malformed
			p.First, p.Last = time.UnixMilli(first).UTC(), time.UnixMilli(last).UTC()
		}
		return p, nil
	})
}
