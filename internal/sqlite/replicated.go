package sqlite

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/sqlite/conn"
	"github.com/alanbuscaglia/engram/internal/sqlrow"
)

// replicatedHere is true if one of the carriers ?4 holds the current state of l. The plus makes SQLite
// look up the state and filter by carrier, not look up each carrier.
const replicatedHere = `EXISTS (SELECT 1 FROM carried c WHERE c.entity = l.entity AND c.key = l.key AND c.digest = l.digest
	AND +c.carrier IN (SELECT value FROM json_each(?4)))`

// unreplicatedRest filters lineages that no batch holds, before looking anything up: nearly all are
// replicated. The project, -1 for all, is compared with the one in the thing's own row.
const unreplicatedRest = ` FROM lineages l WHERE l.entity = ?1 AND l.key > ?2 AND CASE WHEN ` + replicatedHere + ` THEN 0
	WHEN ?3 < 0 THEN 1 ELSE ?3 = `

func unreplicatedFrom(entity engram.Entity) string {
	switch entity {
	case engram.EntityMemory:
		return unreplicatedRest + `(SELECT project FROM memories WHERE num = l.key) END`
	case engram.EntityPrompt:
		return unreplicatedRest + `(SELECT project FROM prompts WHERE num = l.key) END`
	case engram.EntitySession:
		return unreplicatedRest + `coalesce((SELECT project FROM sessions WHERE id = l.key), l.project) END`
	case engram.EntityRelation:
		return unreplicatedRest + `(SELECT s.project FROM relations r JOIN memories s ON s.num = r.source JOIN memories t ON t.num = r.target
			WHERE r.num = l.key AND s.project = t.project) END`
	case engram.EntityErased:
		return ` FROM (SELECT t.entity || ' ' || t.name || char(9) || t.project AS key, t.entity, t.name, t.at, t.project FROM tombstones t) l
			WHERE l.key > ?2 AND (?3 < 0 OR l.project = (SELECT name FROM projects WHERE num = ?3)) AND NOT EXISTS (SELECT 1 FROM carried c WHERE c.entity = ?1 AND c.key = l.key
			AND c.digest = l.at AND +c.carrier IN (SELECT value FROM json_each(?4)))`
	}
	return unreplicatedRest + `(SELECT num FROM projects WHERE name = l.key) END`
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
	return []any{sqlrow.KindNum(entity), keyAfter(entity, after), in, conn.JSONNums(carriers)}, false, nil
}

// keyAfter is the column value of the key after which a page starts. -1 stands for "" because SQLite
// sorts numbers before texts and keys are positive.
func keyAfter(entity engram.Entity, key string) any {
	if key == "" {
		return int64(-1)
	}
	return journalKey(entity, key)
}

// Unreplicated returns the keys of things whose current state no batch holds.
func (t *tx) Unreplicated(ctx context.Context, entity engram.Entity, project string, batches []string, after string, limit int) ([]string, error) {
	args, none, err := t.unreplicatedArgs(ctx, entity, project, batches, after)
	if err != nil || none {
		return nil, err
	}
	order := ` ORDER BY l.key`
	if entity == engram.EntityErased {
		order = ` ORDER BY l.entity, l.name, l.project` // the order of the table and of the keys
	}
	return sqlrow.Column[string](ctx, t, `SELECT l.key`+unreplicatedFrom(entity)+order+` LIMIT ?5`, append(args, limit)...)
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

// strayedSQL selects, among memories that ever changed project or scope, those that were replicated in
// project ?3 and have left it.
const strayedSQL = `SELECT l.key FROM lineages l INDEXED BY lineages_moved CROSS JOIN memories m ON m.num = l.key
	WHERE l.entity = ?1 AND l.key > ?2 AND (instr(l.more, '"project"') OR instr(l.more, '"scope"')) AND (m.project <> ?3 OR m.scope = 'personal')
	AND EXISTS (SELECT 1 FROM carried c WHERE c.entity = l.entity AND c.key = l.key AND c.project = ?3
		AND +c.carrier IN (SELECT value FROM json_each(?4)))
	ORDER BY l.key LIMIT ?5`

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
	return sqlrow.Column[string](ctx, t, strayedSQL, sqlrow.KindNum(engram.EntityMemory), keyAfter(engram.EntityMemory, after), num, conn.JSONNums(carriers), limit)
}

// ReplicatedBy returns the sets of batches that hold a state.
func (t *tx) ReplicatedBy(ctx context.Context, entity engram.Entity, key string, digest int64) ([][]string, error) {
	const query = `SELECT s.batches FROM carried c JOIN carriers s ON s.num = c.carrier
		WHERE c.entity = ? AND c.key = ? AND c.digest = ? ORDER BY c.carrier`
	doing := fmt.Sprintf("read the batches of %s %s", entity, key)
	return sqlrow.List(ctx, t, doing, query, []any{sqlrow.KindNum(entity), journalKey(entity, key), digest}, func(r sqlrow.Scanner) (ids []string, err error) {
		err = r.Scan(conn.JSON{Value: &ids})
		return ids, err
	})
}

// Shared reports whether any state of a thing was ever replicated.
func (t *tx) Shared(ctx context.Context, entity engram.Entity, key string) (shared bool, err error) {
	const query = `SELECT EXISTS (SELECT 1 FROM carried WHERE entity = ? AND key = ?)`
	err = t.Row(ctx, query, []any{sqlrow.KindNum(entity), journalKey(entity, key)}, &shared)
	return shared, sqlrow.Doing(err, "read whether %s %s was replicated", entity, key)
}

// carriers returns the carriers that want accepts, given the number of their batches and how many of
// these are among batches.
func (t *tx) carriers(ctx context.Context, batches []string, want func(own, there int) bool) ([]int64, error) {
	known := make(map[string]bool, len(batches))
	for _, b := range batches {
		known[b] = true
	}
	var nums []int64
	err := t.Rows(ctx, `SELECT num, batches FROM carriers ORDER BY num`, nil, func(r sqlrow.Scanner) error {
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
	const query = `INSERT OR IGNORE INTO carried (entity, key, digest, carrier, project) VALUES (?1,?2,?3,?4,
		CASE WHEN ?5 THEN (SELECT project FROM memories WHERE num = ?2) END)`
	return forAll(states, func(s engram.ThingState) error {
		err := t.Run(ctx, query, sqlrow.KindNum(s.Entity), journalKey(s.Entity, s.Key), s.Digest, carrier, s.Entity == engram.EntityMemory)
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
	const query = `INSERT OR IGNORE INTO carried (entity, key, digest, carrier, project) VALUES (?,?,?,?,?)`
	err = t.Run(ctx, query, sqlrow.KindNum(engram.EntityMemory), journalKey(engram.EntityMemory, key), digest, carrier, num)
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
	err = t.Run(ctx, `INSERT OR IGNORE INTO carriers (batches) VALUES (?)`, string(text))
	if err == nil {
		err = t.Row(ctx, `SELECT num FROM carriers WHERE batches = ?`, []any{string(text)}, &num)
	}
	if err != nil {
		return 0, fmt.Errorf("record a set of batches: %w", err)
	}
	if t.carrierNums == nil {
		t.carrierNums = map[string]int64{}
	}
	t.carrierNums[string(text)] = num
	return num, nil
}

// Pulled returns which of these batches a project has already read.
func (t *tx) Pulled(ctx context.Context, project string, batches []string) (map[string]bool, error) {
	const query = `SELECT p.batch FROM json_each(?) AS asked CROSS JOIN pulled p ON p.batch = asked.value AND p.project IN ('', ?)`
	return t.set(ctx, query, jsonText(batches), project)
}

// PutPulled records that a batch was read for a project, or written here.
func (t *tx) PutPulled(ctx context.Context, project, batch string, at time.Time) error {
	err := t.Run(ctx, `INSERT OR IGNORE INTO pulled (batch, project, at) VALUES (?,?,?)`, batch, project, at.UnixMilli())
	return sqlrow.Doing(err, "record batch %s", batch)
}

// unpull forgets the batches read for a project that gets new aliases: records under an alias were
// skipped as another project's.
func (t *tx) unpull(ctx context.Context, num int64, p engram.Project) error {
	const query = `DELETE FROM pulled WHERE project = ?1 AND EXISTS (SELECT 1 FROM json_each(?2) a
		WHERE NOT EXISTS (SELECT 1 FROM project_aliases WHERE alias = a.value AND project = ?3))`
	if len(p.Aliases) == 0 {
		return nil
	}
	return sqlrow.Doing(t.Run(ctx, query, p.Name, jsonText(p.Aliases), num), "reset the batches read for project %q", p.Name)
}

// Replica returns the transaction itself, which fulfils both roles.
func (t *tx) Replica() engram.ReplicaReader { return t }

// ReplicaTx returns the transaction itself.
func (t *tx) ReplicaTx() engram.ReplicaTx { return t }
