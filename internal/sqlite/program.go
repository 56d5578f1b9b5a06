package sqlite

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/alanbuscaglia/engram/internal/health"
)

// programKey opens the keys of table meta that say which version of the program wrote
// from when to when.
const programKey = "program:"

const (
	signEvery  = time.Hour           // how often a process that writes looks whether its entry is still true
	keptSigned = 90 * 24 * time.Hour // an entry without a write
)

// sign notes, within a write, that this version of the program writes here, so that a
// doctor sees programs of several versions on one database. It reads a row or two an
// hour and writes one a day, and a store opened without Version or Now leaves no note.
func (s *Store) sign(ctx context.Context, t *tx) error {
	const (
		put  = `INSERT INTO meta (key, value) VALUES (?,?) ON CONFLICT (key) DO UPDATE SET value = excluded.value`
		drop = `DELETE FROM meta WHERE key = ?`
	)
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
		span := strconv.FormatInt(p.First.UnixMilli(), 10) + " " + strconv.FormatInt(p.Last.UnixMilli(), 10)
		if _, err := t.exec(ctx, put, programKey+p.Version, span); err != nil {
			return fmt.Errorf("sign the store: %w", err)
		}
		for _, old := range list {
			if now.Sub(old.Last) > keptSigned && old.Version != p.Version {
				if _, err := t.exec(ctx, drop, programKey+old.Version); err != nil {
					return fmt.Errorf("sign the store: %w", err)
				}
			}
		}
	}
	s.signed = now
	return nil
}

// programs reads who wrote to the store, by version.
func (t *tx) programs(ctx context.Context) ([]health.Program, error) {
	const query = `SELECT substr(key, length(?1) + 1), value FROM meta WHERE key >= ?1 AND key < ?2 ORDER BY key`
	var list []health.Program
	// The end is the first key that does not open so: ';' follows ':'.
	err := t.rows(ctx, query, []any{programKey, "program;"}, func(r scanner) error {
		var p health.Program
		var span string
		err := r.Scan(&p.Version, &span)
		first, last, _ := strings.Cut(span, " ")
		p.First, p.Last = fromMillis(first), fromMillis(last)
		list = append(list, p)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("read the versions that wrote: %w", err)
	}
	return list, nil
}

// fromMillis reads a time; what is none was never.
func fromMillis(s string) time.Time {
	n, err := strconv.ParseInt(s, 10, 64)
	if err != nil {
		return time.Time{}
	}
	return time.UnixMilli(n).UTC()
}
