package postgres

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/postgres/conn"
	"github.com/alanbuscaglia/engram/internal/sqlrow"
)

// unreplicatedRest selects the lineages l behind the key (?2, ?3) whose current state none of the carriers ?5
// holds, of things in project ?4, -1 for all, which is compared with the one in the thing's own row.
const unreplicatedRest = ` FROM lineages l WHERE l.space = $space AND l.entity = ?1 AND (l.num, l.key) > (?2, ?3)
	AND NOT EXISTS (SELECT 1 FROM carried c WHERE c.space = $space AND c.entity = l.entity AND c.num = l.num AND c.key = l.key
		AND c.digest = l.digest AND c.carrier = ANY(?5)) AND (?4::bigint < 0 OR ?4 = `

func unreplicatedFrom(entity engram.Entity) string {
	switch entity {
	case engram.EntityMemory:
		return unreplicatedRest + `(SELECT project FROM memories WHERE space = $space AND num = l.num))`
	case engram.EntityPrompt:
		return unreplicatedRest + `(SELECT project FROM prompts WHERE space = $space AND num = l.num))`
	case engram.EntitySession:
		return unreplicatedRest + `coalesce((SELECT project FROM sessions WHERE space = $space AND id = l.key), l.project))`
	case engram.EntityRelation:
		return unreplicatedRest + `(SELECT s.project FROM relations r JOIN memories s ON s.space = $space AND s.num = r.source
			JOIN memories t ON t.space = $space AND t.num = r.target WHERE r.space = $space AND r.num = l.num AND s.project = t.project))`
	case engram.EntityErased:
		return ` FROM (SELECT 0::bigint AS num, t.entity || ' ' || t.name || chr(9) || t.project AS key, t.entity, t.name, t.at, t.project FROM tombstones t WHERE t.space = $space) l
			WHERE (?2::bigint < 0 OR l.key > ?3) AND (?4::bigint < 0 OR l.project = (SELECT name FROM projects WHERE space = $space AND num = ?4))
			AND NOT EXISTS (SELECT 1 FROM carried c WHERE c.space = $space AND c.entity = ?1 AND c.num = 0 AND c.key = l.key AND c.digest = l.at AND c.carrier = ANY(?5))`
	}
	return unreplicatedRest + `(SELECT num FROM projects WHERE space = $space AND name = l.key))`
}

// unreplicatedArgs returns the arguments of the queries for unreplicated things.
func (t *tx) unreplicatedArgs(ctx context.Context, entity engram.Entity, project string, batches []string, after string) (args []any, none bool, err error) {
	in, none, err := t.whole(ctx, project)
	if err != nil || none {
		return nil, none, err
	}
	carriers, err := t.carriers(ctx, batches, func(own, there int) bool { return there == own })
	if err != nil {
		return nil, false, err
	}
	from := keyAfter(entity, after)
	return []any{sqlrow.KindNum(entity), from.num, from.name, in, carriers}, false, nil
}

// keyAfter is the key after which a page starts; -1 is before every one, and names are after all numbers.
func keyAfter(entity engram.Entity, key string) thingKey {
	if key == "" {
		return thingKey{num: -1}
	}
	k := keyOf(entity, key)
	if k.num == 0 && numbered(entity) {
		k.num = math.MaxInt64
	}
	return k
}

func scanKey(s sqlrow.Scanner) (string, error) {
	var k thingKey
	err := s.Scan(&k.num, &k.name)
	return k.String(), err
}

// Unreplicated returns the keys of things whose current state no batch holds.
func (t *tx) Unreplicated(ctx context.Context, entity engram.Entity, project string, batches []string, after string, limit int) ([]string, error) {
	args, none, err := t.unreplicatedArgs(ctx, entity, project, batches, after)
	if err != nil || none {
		return nil, err
	}
	order := ` ORDER BY l.num, l.key`
	if entity == engram.EntityErased {
		order = ` ORDER BY l.entity, l.name, l.project` // the order of the table and of the keys
	}
	return sqlrow.List(ctx, t, "read what is not replicated", `SELECT l.num, l.key`+unreplicatedFrom(entity)+order+` LIMIT ?6`, append(args, limit), scanKey)
}

// CountUnreplicated counts the things that Unreplicated returns.
func (t *tx) CountUnreplicated(ctx context.Context, entity engram.Entity, project string, batches []string) (n int, err error) {
	args, none, err := t.unreplicatedArgs(ctx, entity, project, batches, "")
	if err != nil || none {
		return 0, err
	}
	err = t.Row(ctx, `SELECT count(*)`+unreplicatedFrom(entity), args, &n)
	return n, sqlrow.Doing(err, "count what is not replicated")
}

// strayedSQL selects, among memories that ever changed project or scope, those that were replicated in project ?3
// and have left it.
const strayedSQL = `SELECT l.num, l.key FROM lineages l JOIN memories m ON m.space = $space AND m.num = l.num
	WHERE l.space = $space AND l.entity = ?1 AND l.num > ?2 AND l.moved AND (m.project <> ?3 OR m.scope = 'personal')
	AND EXISTS (SELECT 1 FROM carried c WHERE c.space = $space AND c.entity = l.entity AND c.num = l.num AND c.key = l.key AND c.project = ?3 AND c.carrier = ANY(?4))
	ORDER BY l.num LIMIT ?5`

// Strayed returns memories that left a project after they were replicated.
func (t *tx) Strayed(ctx context.Context, project string, batches []string, after string, limit int) ([]string, error) {
	num, known, err := t.knownProject(ctx, project)
	if err != nil || !known {
		return nil, err
	}
	carriers, err := t.carriers(ctx, batches, func(_, there int) bool { return there > 0 })
	if err != nil {
		return nil, err
	}
	return sqlrow.List(ctx, t, "read what left a project", strayedSQL, []any{sqlrow.KindNum(engram.EntityMemory), keyAfter(engram.EntityMemory, after).num, num, carriers, limit}, scanKey)
}

// ReplicatedBy returns the sets of batches that hold a state.
func (t *tx) ReplicatedBy(ctx context.Context, entity engram.Entity, key string, digest int64) ([][]string, error) {
	const query = `SELECT s.batches FROM carried c JOIN carriers s ON s.space = $space AND s.num = c.carrier
		WHERE c.space = $space AND c.entity = ? AND c.num = ? AND c.key = ? AND c.digest = ? ORDER BY c.carrier`
	of := keyOf(entity, key)
	doing := fmt.Sprintf("read the batches of %s %s", entity, key)
	return sqlrow.List(ctx, t, doing, query, []any{sqlrow.KindNum(entity), of.num, of.name, digest}, func(r sqlrow.Scanner) (ids []string, err error) {
		err = r.Scan(conn.JSON{Value: &ids})
		return ids, err
	})
}

// Shared reports whether any state of a thing was ever replicated.
func (t *tx) Shared(ctx context.Context, entity engram.Entity, key string) (shared bool, err error) {
	const query = `SELECT EXISTS (SELECT 1 FROM carried WHERE space = $space AND entity = ? AND num = ? AND key = ?)`
	of := keyOf(entity, key)
	err = t.Row(ctx, query, []any{sqlrow.KindNum(entity), of.num, of.name}, &shared)
	return shared, sqlrow.Doing(err, "read whether %s %s was replicated", entity, key)
}

// carriers returns the carriers that want accepts, given the number of their batches and how many of these are
// among batches.
func (t *tx) carriers(ctx context.Context, batches []string, want func(own, there int) bool) ([]int64, error) {
	known := make(map[string]bool, len(batches))
	for _, b := range batches {
		known[b] = true
	}
	nums := []int64{}
	err := t.Rows(ctx, `SELECT num, batches FROM carriers WHERE space = $space ORDER BY num`, nil, func(r sqlrow.Scanner) error {
		var num int64
		var ids []string
		err := r.Scan(&num, conn.JSON{Value: &ids})
		there := 0
		for _, id := range ids {
			if known[id] {
				there++
			}
		}
		if want(len(ids), there) {
			nums = append(nums, num)
		}
		return err
	})
	return nums, sqlrow.Doing(err, "read carriers")
}

// PutReplicated records the batches that hold states.
func (t *tx) PutReplicated(ctx context.Context, batches []string, states ...engram.ThingState) error {
	if len(batches) == 0 || len(states) == 0 {
		return nil // no batch holds them
	}
	carrier, err := t.carrier(ctx, batches)
	if err != nil {
		return err
	}
	const into = `INSERT INTO carried (space, entity, num, key, digest, carrier, project) `
	const other = into + `VALUES ($space,?1,?2,?3,?4,?5,NULL) ON CONFLICT DO NOTHING`
	const memory = into + `SELECT h.space,?1,?2,?3,?4,?5,m.project FROM heads h LEFT JOIN memories m ON m.space = h.space AND m.num = ?2
		WHERE h.space = $space ON CONFLICT DO NOTHING`
	return forAll(states, func(s engram.ThingState) error {
		query := other
		if s.Entity == engram.EntityMemory {
			query = memory
		}
		of := keyOf(s.Entity, s.Key)
		err := t.Run(ctx, query, sqlrow.KindNum(s.Entity), of.num, of.name, s.Digest, carrier)
		return sqlrow.Doing(err, "record the batches of %s %s", s.Entity, s.Key)
	})
}

// PutStrayed records that batches hold a memory under another project than its current one.
func (t *tx) PutStrayed(ctx context.Context, key, project string, digest int64, batches []string) error {
	num, known, err := t.knownProject(ctx, project)
	if err != nil || !known {
		return err
	}
	carrier, err := t.carrier(ctx, batches)
	if err != nil {
		return err
	}
	const query = `INSERT INTO carried (space, entity, num, key, digest, carrier, project) VALUES ($space,?,?,?,?,?,?) ON CONFLICT DO NOTHING`
	of := keyOf(engram.EntityMemory, key)
	err = t.Run(ctx, query, sqlrow.KindNum(engram.EntityMemory), of.num, of.name, digest, carrier, num)
	return sqlrow.Doing(err, "record the batches of memory %s", key)
}

// carrier returns the number of a set of batches, adding the set if needed.
func (t *tx) carrier(ctx context.Context, batches []string) (num int64, err error) {
	sorted := slices.Clone(batches)
	slices.Sort(sorted)
	text, err := json.Marshal(slices.Compact(sorted))
	if err != nil {
		return 0, err
	}
	if num, known := t.carrierNums[string(text)]; known {
		return num, nil
	}
	found, err := t.Maybe(ctx, `SELECT num FROM carriers WHERE space = $space AND md5(batches) = md5(?1::text) AND batches = ?1`, []any{string(text)}, &num)
	if err == nil && !found {
		num = next(&t.head.other, 0)
		err = t.Run(ctx, `INSERT INTO carriers (space, num, batches) VALUES ($space,?,?)`, num, string(text))
	}
	if err != nil {
		return 0, fmt.Errorf("record a set of batches: %w", err)
	}
	keep(&t.carrierNums, string(text), num)
	return num, nil
}

// Pulled returns which of these batches a project has already read.
func (t *tx) Pulled(ctx context.Context, project string, batches []string) (map[string]bool, error) {
	return t.set(ctx, `SELECT batch FROM pulled WHERE space = $space AND batch = ANY(?) AND project IN ('', ?)`, batches, project)
}

// PutPulled records that a batch was read for a project, or written here.
func (t *tx) PutPulled(ctx context.Context, project, batch string, at time.Time) error {
	err := t.Run(ctx, `INSERT INTO pulled (space, batch, project, at) VALUES ($space,?,?,?) ON CONFLICT DO NOTHING`, batch, project, at.UnixMilli())
	return sqlrow.Doing(err, "record batch %s", batch)
}

// unpull forgets the batches read for a project that gets new aliases: records under an alias were skipped as
// another project's.
func (t *tx) unpull(ctx context.Context, num int64, p engram.Project) error {
	const query = `DELETE FROM pulled WHERE space = $space AND project = ?1 AND EXISTS (SELECT 1 FROM unnest(?2::text[]) AS a (alias)
		WHERE NOT EXISTS (SELECT 1 FROM project_aliases o WHERE o.space = $space AND o.alias = a.alias COLLATE "C" AND o.project = ?3))`
	if len(p.Aliases) == 0 {
		return nil
	}
	return sqlrow.Doing(t.Run(ctx, query, p.Name, p.Aliases, num), "reset the batches read for project %q", p.Name)
}

// ownSQL is true if session s has a personal memory, forgotten or not.
const ownSQL = `(EXISTS (SELECT 1 FROM memories o WHERE o.space = $space AND o.session = s.num AND o.deleted_at IS NULL AND o.scope = 'personal')
	OR EXISTS (SELECT 1 FROM memories o WHERE o.space = $space AND o.session = s.num AND o.deleted_at IS NOT NULL AND o.scope = 'personal'))`

// reportedSQL selects the sessions with a memory or prompt that may be reported to other replicas, by
// memories_session, memories_session_forgotten and prompts_session. Memories hidden by the undo of an import do
// not count as forgotten. Prompts of sessions with personal memories are personal.
const reportedSQL = `SELECT s.id FROM sessions s WHERE s.space = $space AND s.id = ANY(?1) AND (EXISTS
	(SELECT 1 FROM memories m WHERE m.space = $space AND m.session = s.num AND m.deleted_at IS NULL AND m.scope <> 'personal' AND (?2::bigint < 0 OR m.project = ?2))
	OR EXISTS
	(SELECT 1 FROM memories m WHERE m.space = $space AND m.session = s.num AND m.deleted_at IS NOT NULL AND m.scope <> 'personal' AND (?2::bigint < 0 OR m.project = ?2)
	AND (EXISTS (SELECT 1 FROM carried c WHERE c.space = $space AND c.entity = ?3 AND c.num = m.num AND c.key = '')
		OR EXISTS (SELECT 1 FROM lineages l WHERE l.space = $space AND l.entity = ?3 AND l.num = m.num AND l.key = '' AND l.held_live))
	AND NOT EXISTS (SELECT 1 FROM tombstones t WHERE t.space = $space AND t.entity = 'memory' AND t.name = m.sync_id
		AND (NOT t.bound OR t.project = (SELECT name FROM projects WHERE space = $space AND num = m.project))))
	OR NOT ` + ownSQL + ` AND EXISTS
	(SELECT 1 FROM prompts p WHERE p.space = $space AND p.session = s.num AND (?2::bigint < 0 OR p.project = ?2)
	AND (p.deleted_at IS NULL OR EXISTS (SELECT 1 FROM carried c WHERE c.space = $space AND c.entity = ?4 AND c.num = p.num AND c.key = '')
		OR EXISTS (SELECT 1 FROM lineages l WHERE l.space = $space AND l.entity = ?4 AND l.num = p.num AND l.key = '' AND l.held_live))
	AND NOT EXISTS (SELECT 1 FROM tombstones t WHERE t.space = $space AND t.entity = 'prompt' AND t.name = p.sync_id
		AND (NOT t.bound OR t.project = (SELECT name FROM projects WHERE space = $space AND num = p.project)))))`

// Reported returns those of the sessions that have something that may be reported.
func (t *tx) Reported(ctx context.Context, sessions []string, project string) (map[string]bool, error) {
	in, none, err := t.whole(ctx, project)
	if err != nil || none {
		return nil, err
	}
	return t.set(ctx, reportedSQL, sessions, in, sqlrow.KindNum(engram.EntityMemory), sqlrow.KindNum(engram.EntityPrompt))
}

// Owned returns those of the sessions that have a personal memory.
func (t *tx) Owned(ctx context.Context, sessions []string) (map[string]bool, error) {
	return t.set(ctx, `SELECT s.id FROM sessions s WHERE s.space = $space AND s.id = ANY(?) AND `+ownSQL, sessions)
}

// set reads a column of texts as a set.
func (t *tx) set(ctx context.Context, query string, args ...any) (map[string]bool, error) {
	ids, err := sqlrow.Column[string](ctx, t, query, args...)
	set := make(map[string]bool, len(ids))
	for _, id := range ids {
		set[id] = true
	}
	return set, err
}
