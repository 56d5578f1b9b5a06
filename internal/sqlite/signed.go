package sqlite

import (
	"context"
	"fmt"
	"time"

	"github.com/alanbuscaglia/engram/internal/health"
	"github.com/alanbuscaglia/engram/internal/sqlrow"
)

// programKey prefixes the keys of table meta that hold the first and last write of each program version.
const programKey = "program:"

const (
	signEvery  = time.Hour           // how often a writing process checks that its entry is up to date
	keptSigned = 90 * 24 * time.Hour // how long entries without a write are kept
)

// sign records, within a write, that this program version writes to the store, so that doctor notices
// mixed versions. It reads a few rows per hour and writes one per day. Without Version or Now it records
// nothing.
func (s *Store) sign(ctx context.Context, t *tx) error {
	if s.version == "" || s.now == nil {
		return nil
	}
	now := s.now().UTC()
	if since := now.Sub(s.signed); since >= 0 && since < signEvery {
		return nil
	}
	list, err := t.programs(ctx)
	if err != nil {
		return err
	}
	p, write := health.Seen(s.version, now, list)
	if write {
		err = t.PutFact(ctx, programKey+p.Version, fmt.Sprint(p.First.UnixMilli(), p.Last.UnixMilli()))
		for _, old := range list {
			if now.Sub(old.Last) > keptSigned && old.Version != p.Version && err == nil {
				err = t.Run(ctx, `DELETE FROM meta WHERE key = ?`, programKey+old.Version)
			}
		}
	}
	if err != nil {
		return fmt.Errorf("record the program version: %w", err)
	}
	s.signed = now
	return nil
}

// programs returns the versions that wrote to the store.
func (t *tx) programs(ctx context.Context) ([]health.Program, error) {
	const query = `SELECT substr(key, length(?1) + 1), value FROM meta WHERE key >= ?1 AND key < ?2 ORDER BY key`
	// The end is the first key without the prefix: ';' follows ':'.
	return sqlrow.List(ctx, t, "read the versions that wrote", query, []any{programKey, "program;"}, func(r sqlrow.Scanner) (p health.Program, err error) {
		var span string
		var first, last int64
		err = r.Scan(&p.Version, &span)
		if _, bad := fmt.Sscan(span, &first, &last); bad == nil { // the zero times where it is malformed
			p.First, p.Last = time.UnixMilli(first).UTC(), time.UnixMilli(last).UTC()
		}
		return p, err
	})
}
