package postgres

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/alanbuscaglia/engram"
)

// counted collects what changes of memories add to the counting rows of projects and sessions, until a statement
// could observe it or the transaction ends: a hundred thousand memories change only a few thousand such rows.
type counted struct {
	tallies  map[tally]int64
	sessions map[int64]sessionChange // by session number, without 0
}

// tally is the key of table tallies.
type tally struct {
	project int64
	typ     engram.Type
}

func (a tally) compare(b tally) int {
	return cmp.Or(cmp.Compare(a.project, b.project), strings.Compare(string(a.typ), string(b.typ)))
}

// sessionChange is what memories add to their session.
type sessionChange struct {
	live   int64
	active int64 // newest creation time in milliseconds; 0 if unchanged
}

// count counts by live memories of a type in a project and a session, the newest made at active.
func (t *tx) count(at home, typ engram.Type, by, active int64) {
	o := &t.counted
	if o.tallies == nil {
		o.tallies, o.sessions = map[tally]int64{}, map[int64]sessionChange{}
	}
	o.tallies[tally{at.Project, typ}] += by
	if a := o.sessions[at.Session]; at.Session != 0 {
		o.sessions[at.Session] = sessionChange{a.live + by, max(a.active, active)}
	}
}

// beforeStatement writes the counts that a statement could observe.
func (t *tx) beforeStatement(ctx context.Context, query string) error {
	if len(t.counted.tallies) == 0 && len(t.counted.sessions) == 0 {
		return nil
	}
	if strings.Contains(query, "tallies") || strings.Contains(query, "sessions") && (strings.Contains(query, "live") || strings.Contains(query, "active_at") || !strings.HasPrefix(query, "SELECT")) {
		return t.writeCounts(ctx)
	}
	return nil
}

// writeCounts queues the changes of the counting rows.
func (t *tx) writeCounts(ctx context.Context) error {
	o := t.counted
	t.counted = counted{} // first: the statements below look for it
	for _, of := range slices.SortedFunc(maps.Keys(o.tallies), tally.compare) {
		const (
			add   = `INSERT INTO tallies (space, project, type, live) VALUES ($space,?,?,?) ON CONFLICT (space, project, type) DO UPDATE SET live = tallies.live + excluded.live`
			clean = `DELETE FROM tallies WHERE space = $space AND project = ? AND type = ? AND live = 0` // a type's name may be private
		)
		by := o.tallies[of]
		if by == 0 {
			continue
		}
		err := t.Run(ctx, add, of.project, of.typ, by)
		if err == nil && by < 0 {
			err = t.Run(ctx, clean, of.project, of.typ)
		}
		if err != nil {
			return fmt.Errorf("count memories: %w", err)
		}
	}
	for _, num := range slices.Sorted(maps.Keys(o.sessions)) {
		const query = `UPDATE sessions SET live = live + ?, active_at = greatest(active_at, ?) WHERE space = $space AND num = ?`
		a := o.sessions[num]
		if a == (sessionChange{}) {
			continue
		}
		t.names.countSession(num, a)
		if err := t.Run(ctx, query, a.live, a.active, num); err != nil {
			return fmt.Errorf("count the memories of a session: %w", err)
		}
	}
	return nil
}
