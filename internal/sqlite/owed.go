package sqlite

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/alanbuscaglia/engram"
)

// owed is what inserting memories and vectors adds to other tables and is not written yet:
// it is, at the latest, before a statement that could tell, and before the commit. A hundred
// thousand memories add to a few thousand rows that count them. Triggers would write each of
// these rows a hundred thousand times, and SQLite keeps a copy of every page that an insert
// touches if it has triggers, so that it can be taken back alone.
type owed struct {
	tallies  map[tally]int64
	sessions map[int64]attendance // by number
	models   map[int64]int64      // by number: memories that have a vector of it by now
	tags     []tagging
}

// tally is what tallies count by.
type tally struct {
	project int64
	typ     engram.Type
}

// attendance is what memories add to their session.
type attendance struct {
	live   int64
	active int64 // the latest of them was made then; 0: as before
}

// tagging is a row of tags.
type tagging struct {
	memory int64
	tag    string
}

// mostTaggings is how many rows of tags are owed at most.
const mostTaggings = 512

func (o *owed) counts() bool { return len(o.tallies)+len(o.sessions)+len(o.models) > 0 }

// oweMemory notes what a memory adds that was inserted just now.
func (t *tx) oweMemory(ctx context.Context, at home, m engram.Memory) error {
	o := &t.owed
	if o.sessions == nil {
		o.tallies, o.sessions = map[tally]int64{}, map[int64]attendance{}
	}
	a := o.sessions[at.session]
	if !m.Forgotten() {
		o.tallies[tally{at.project, m.Type}]++
		a.live++
	}
	if made, dated := millis(m.CreatedAt).(int64); dated && at.session != 0 {
		a.active = max(a.active, made)
	}
	if a != (attendance{}) {
		o.sessions[at.session] = a
	}
	for _, tag := range m.Tags {
		o.tags = append(o.tags, tagging{m.Num, tag})
	}
	if len(o.tags) < mostTaggings {
		return nil
	}
	return t.payTags(ctx)
}

// oweVector notes that a memory has a vector of a model that had none.
func (t *tx) oweVector(model int64) {
	if t.owed.models == nil {
		t.owed.models = map[int64]int64{}
	}
	t.owed.models[model]++
}

// payBefore writes what is owed if a statement could tell: what changes or deletes memories
// reaches all of it by foreign keys and triggers.
func (t *tx) payBefore(ctx context.Context, query string) error {
	reaches := strings.Contains(query, "DELETE") || strings.Contains(query, "UPDATE memories")
	if len(t.owed.tags) > 0 && (reaches || strings.Contains(query, "tags")) {
		if err := t.payTags(ctx); err != nil {
			return err
		}
	}
	if !t.owed.counts() {
		return nil
	}
	for _, column := range []string{"live", "active_at", "models"} {
		if reaches = reaches || strings.Contains(query, column); reaches {
			return t.payCounts(ctx)
		}
	}
	return nil
}

// pay writes all that is owed.
func (t *tx) pay(ctx context.Context) error {
	if err := t.payTags(ctx); err != nil {
		return err
	}
	return t.payCounts(ctx)
}

// payCounts adds what memories added to the rows that count them.
func (t *tx) payCounts(ctx context.Context) error {
	o := t.owed
	t.owed = owed{tags: o.tags} // first: what follows asks
	for _, of := range slices.SortedFunc(maps.Keys(o.tallies), tally.compare) {
		const query = `INSERT INTO tallies (project, type, live) VALUES (?,?,?) ON CONFLICT (project, type) DO UPDATE SET live = live + excluded.live`
		if _, err := t.exec(ctx, query, of.project, of.typ, o.tallies[of]); err != nil {
			return fmt.Errorf("count memories: %w", err)
		}
	}
	for _, num := range slices.Sorted(maps.Keys(o.sessions)) {
		const query = `UPDATE sessions SET live = live + ?1, active_at = max(active_at, ?2) WHERE num = ?3`
		if _, err := t.exec(ctx, query, o.sessions[num].live, o.sessions[num].active, num); err != nil {
			return fmt.Errorf("count the memories of a session: %w", err)
		}
	}
	for _, num := range slices.Sorted(maps.Keys(o.models)) {
		if _, err := t.exec(ctx, `UPDATE models SET memories = memories + ? WHERE num = ?`, o.models[num], num); err != nil {
			return fmt.Errorf("count vectors: %w", err)
		}
	}
	return nil
}

func (a tally) compare(b tally) int {
	return cmp.Or(cmp.Compare(a.project, b.project), strings.Compare(string(a.typ), string(b.typ)))
}

// Rows of tags go in by the many, and those that are left by the few: a statement for each
// of them would be half of what writing a memory with tags costs, and one for each number of
// rows would not be kept.
const manyTags, fewTags = 64, 8

// payTags writes tags.
func (t *tx) payTags(ctx context.Context) error {
	rows := t.owed.tags
	if len(rows) == 0 {
		return nil
	}
	t.owed.tags = nil
	return t.addTags(ctx, rows)
}

// addTags adds rows of tags.
func (t *tx) addTags(ctx context.Context, rows []tagging) error {
	for len(rows) > 0 {
		n := min(len(rows), fewTags)
		if len(rows) >= manyTags {
			n = manyTags
		}
		args := make([]any, 0, 2*n)
		for _, r := range rows[:n] {
			args = append(args, r.memory, r.tag)
		}
		query := `INSERT OR IGNORE INTO tags (memory, tag) VALUES (?,?)` + strings.Repeat(`,(?,?)`, n-1)
		if _, err := t.exec(ctx, query, args...); err != nil {
			return fmt.Errorf("write tags: %w", err)
		}
		rows = rows[n:]
	}
	return nil
}
