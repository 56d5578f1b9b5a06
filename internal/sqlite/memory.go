package sqlite

import (
	"cmp"
	"context"
	"database/sql"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/index/lexicon"
	"github.com/alanbuscaglia/engram/internal/sqlite/conn"
	"github.com/alanbuscaglia/engram/internal/sqlrow"
)

// memoryTable has the fields of a memory; each but its tags has a column.
var memoryTable = engram.Fields[engram.Memory]

// memoryColumns is made by the first that asks, as others like it: many processes open no store.
var memoryColumns = sync.OnceValue(func() string { return columnsOf("m", memoryTable()) + `, m.hash` })

// scanMemory returns what reads rows of memoryColumns.
func scanMemory() func(sqlrow.Scanner) (engram.Memory, error) {
	var hash []byte
	scan := scanInto(new(engram.Memory), memoryTable(), &hash)
	return func(s sqlrow.Scanner) (engram.Memory, error) {
		m, err := scan(s)
		m.NormalizedHash = hex.EncodeToString(hash)
		return m, sqlrow.Doing(err, "memory %d", m.Num)
	}
}

// Each look-up is served by one index: the row id, memories.id, memories.sync_id, memories_topic, memories_hash or
// memories_title.
const (
	memoryByID           = `FROM memories m WHERE m.id = ?`
	memoryByPrefix       = `FROM memories m WHERE m.id >= ?1 AND m.id < ?1 || '~' ORDER BY m.id LIMIT 2`
	memoryBySyncID       = `FROM memories m WHERE m.sync_id = ?`
	memoryByTopic        = `FROM memories m WHERE m.topic_key = ?1 AND m.deleted_at IS NULL ORDER BY m.num DESC LIMIT 2`
	memoryByProjectTopic = `FROM memories m WHERE m.topic_key = ?1 AND m.project = ?2 AND m.deleted_at IS NULL ORDER BY m.num DESC LIMIT 2`
)

// Memory returns the memory that ref names.
func (t *tx) Memory(ctx context.Context, ref engram.Ref) (engram.Memory, error) {
	var found []engram.Memory
	var err error
	collect := func(from string, args ...any) { found, err = t.memories(ctx, memoriesFrom(from), args...) }
	switch {
	case ref.Num != 0:
		found, err = t.Memories(ctx, []int64{ref.Num})
	case ref.Whole():
		collect(memoryByID, ref.ID)
	case ref.ID != "": // an id of an earlier program, or a prefix of a current one
		if collect(memoryBySyncID, engram.SyncIDOf(engram.ID(ref.ID))); err == nil && len(found) == 0 {
			collect(memoryByPrefix, ref.ID)
		}
	case ref.SyncID != "":
		collect(memoryBySyncID, ref.SyncID)
	case ref.Project != "":
		var num int64
		if num, err = t.projectNum(ctx, ref.Project); err == nil {
			collect(memoryByProjectTopic, ref.Topic, num)
		}
	default:
		collect(memoryByTopic, ref.Topic)
	}
	switch {
	case err != nil:
		return engram.Memory{}, fmt.Errorf("read memory %s: %w", ref, err)
	case len(found) == 0:
		return engram.Memory{}, engram.Errorf(engram.CodeNotFound, "memory %s does not exist", ref).
			WithHint("find it with {search WORDS}")
	case len(found) > 1:
		return engram.Memory{}, engram.Errorf(engram.CodeConflict, "%s names more than one memory", ref).
			WithHint("use the number or a longer prefix; it matches %s and %s, for example", found[0].ID, found[1].ID)
	}
	return found[0], nil
}

const memoriesByNum = `FROM json_each(?) AS asked CROSS JOIN memories m ON m.num = asked.value`

// memoriesFrom returns the statement that reads memories m.
func memoriesFrom(from string) string { return `SELECT ` + memoryColumns() + ` ` + from }

// Memories returns the memories with these numbers, in this order. It reads them in storage order and
// sorts them here, because SQLite would copy all of them to sort.
func (t *tx) Memories(ctx context.Context, nums []int64) ([]engram.Memory, error) {
	if len(nums) == 0 {
		return nil, nil
	}
	same, err := t.unchanged(ctx)
	if err != nil {
		return nil, err
	}
	ms := make([]engram.Memory, len(nums)) // they are large, so each is read into its places
	var unread []int64
	var places []int // of unread
	for i, num := range nums {
		if same.hasMemory(num) {
			ms[i] = same.memory(num)
		} else {
			unread, places = append(unread, num), append(places, i)
		}
	}
	if len(unread) == 0 {
		return ms, nil
	}
	slices.SortFunc(places, func(a, b int) int { return cmp.Compare(nums[a], nums[b]) })
	scan := scanMemory()
	err = t.keyed.Rows(ctx, memoriesFrom(memoriesByNum), []any{conn.JSONSet(unread)}, func(s sqlrow.Scanner) error {
		m, err := scan(s)
		for len(places) > 0 && nums[places[0]] <= m.Num { // one that is asked for twice has two
			if nums[places[0]] == m.Num {
				ms[places[0]] = m
			}
			places = places[1:]
		}
		return err
	})
	if err != nil {
		return nil, sqlrow.Doing(err, readMemories)
	}
	for i := range ms {
		if num := ms[i].Num; num != 0 && !same.hasMemory(num) {
			same.keepMemory(ms[i])
		}
	}
	return slices.DeleteFunc(ms, func(m engram.Memory) bool { return m.Num == 0 }), nil
}

const readMemories = "read memories" // context of errors

func (t *tx) memories(ctx context.Context, query string, args ...any) ([]engram.Memory, error) {
	return sqlrow.List(ctx, t, readMemories, query, args, scanMemory())
}

const hashTakenSQL = `SELECT m.num FROM memories m WHERE substr(m.hash, 1, 8) = substr(?, 1, 8) AND m.hash = ? LIMIT 1`

const topicTakenSQL = `SELECT num FROM memories WHERE topic_key = ? AND project = ? AND scope = ? AND deleted_at IS NULL`

// Neighbours are ordered by number, which is the order of saving.
const (
	memoriesEarlier = `FROM memories m WHERE m.session = ? AND m.num < ? AND m.deleted_at IS NULL ORDER BY m.num DESC LIMIT ?`
	memoriesLater   = `FROM memories m WHERE m.session = ? AND m.num > ? AND m.deleted_at IS NULL ORDER BY m.num LIMIT ?`
)

// Neighbours returns the memories saved before and after memory num in its session.
func (t *tx) Neighbours(ctx context.Context, session string, num int64, before, after int) (earlier, later []engram.Memory, err error) {
	s, err := t.sessionNum(ctx, session)
	if err != nil {
		return nil, nil, err
	}
	if earlier, err = t.memories(ctx, `SELECT * FROM (`+memoriesFrom(memoriesEarlier)+`) ORDER BY num`, s, num, before); err != nil {
		return nil, nil, err
	}
	later, err = t.memories(ctx, memoriesFrom(memoriesLater), s, num, after)
	return earlier, later, err
}

// Revisions returns the earlier versions of a memory, oldest first.
func (t *tx) Revisions(ctx context.Context, nums ...int64) ([]engram.Revision, error) {
	const query = `SELECT memory, number, type, title, content, written_at, replaced_at, reason, stamp
		FROM revisions WHERE memory IN (SELECT value FROM json_each(?)) ORDER BY memory, number`
	own, err := t.Device(ctx)
	if err != nil {
		return nil, err
	}
	return sqlrow.List(ctx, t, "read revisions", query, []any{conn.JSONNums(nums)}, func(s sqlrow.Scanner) (r engram.Revision, err error) {
		var stamp sql.NullString
		err = s.Scan(&r.Memory, &r.Number, &r.Type, &r.Title, &r.Content, conn.Instant{Time: &r.WrittenAt}, conn.Instant{Time: &r.ReplacedAt}, &r.Reason, &stamp)
		if err == nil {
			r.Stamp, err = sqlrow.ReadStamp(stamp.String, own)
		}
		return r, err
	})
}

// home is the project and session of a memory, prompt or exposure, as row numbers.
type home = lexicon.Home

func (t *tx) homeOf(ctx context.Context, m engram.Memory) (home, error) {
	return t.homeIn(ctx, m.Project, m.SessionID)
}

func (t *tx) homeIn(ctx context.Context, project, session string) (at home, err error) {
	if at.Project, err = t.projectNum(ctx, project); err != nil {
		return home{}, err
	}
	at.Session, err = t.sessionNum(ctx, session)
	return at, err
}

// memoryValues returns the values of the columns that writtenMemory names.
func (t *tx) memoryValues(ctx context.Context, m engram.Memory) (at home, values []any, err error) {
	if at, err = t.homeOf(ctx, m); err != nil {
		return home{}, nil, err
	}
	hash, err := hex.DecodeString(m.NormalizedHash)
	if err != nil {
		return home{}, nil, fmt.Errorf("hash of memory %s: %w", m.ID, err)
	}
	values, err = sqlrow.AppendWritten(append(make([]any, 0, 4+len(sqlrow.WrittenFields())), hash), &m, at.Project, at.Session)
	return at, values, err
}

var (
	insertMemorySQL = sync.OnceValue(func() string {
		return `INSERT INTO memories (` + writtenMemory() + `, num, id, sync_id) VALUES ` + memoryPlaces() + `,nullif(?,0),?,?)`
	})
	replaceMemorySQL = sync.OnceValue(func() string {
		return `UPDATE memories SET (` + writtenMemory() + `) = ` + memoryPlaces() + `) WHERE num = ?`
	})
)

// writtenMemory has the columns of memoryValues, and memoryPlaces their parameters, without the closing parenthesis.
func writtenMemory() string {
	columns := "hash"
	for _, f := range sqlrow.WrittenFields() {
		columns += ", " + f.Name
	}
	return strings.Replace(columns, "session_id", "session", 1)
}

func memoryPlaces() string { return `(?` + strings.Repeat(",?", len(sqlrow.WrittenFields())) }

// InsertMemory adds m, with number m.Num if it is set, and sets m.Num.
func (t *tx) InsertMemory(ctx context.Context, m *engram.Memory) error {
	at, values, err := t.memoryValues(ctx, *m)
	if err != nil {
		return err
	}
	res, err := t.Exec(ctx, insertMemorySQL(), append(values, m.Num, m.ID, m.SyncID)...)
	if conn.IsUnique(err) {
		return engram.Errorf(engram.CodeConflict, "memory %s exists already", m.ID).WithCause(err)
	}
	if err != nil {
		return fmt.Errorf("insert memory: %w", err)
	}
	if m.Num, err = res.LastInsertId(); err != nil {
		return err
	}
	if err = t.indexAnchors(ctx, m.Num, m.Anchors); err == nil {
		err = t.countMemory(ctx, at, *m)
	}
	if err != nil || m.Forgotten() {
		return err
	}
	return t.index.Add(ctx, at, *m, true)
}

// ReplaceMemory writes m over the memory with its number.
func (t *tx) ReplaceMemory(ctx context.Context, m engram.Memory) error {
	was, err := t.Memory(ctx, engram.ByNum(m.Num))
	if err != nil {
		return err
	}
	at, values, err := t.memoryValues(ctx, m)
	if err != nil {
		return err
	}
	err = t.Run(ctx, replaceMemorySQL(), append(values, m.Num)...)
	if conn.IsUnique(err) {
		return engram.Errorf(engram.CodeConflict, "topic %s has another memory in project %q", m.TopicKey, m.Project).
			WithHint("update that one, or choose another topic key")
	}
	if err != nil {
		return fmt.Errorf("write memory %d: %w", m.Num, err)
	}
	if !slices.Equal(was.Tags, m.Tags) {
		if err := t.writeTags(ctx, m.Num, m.Tags); err != nil {
			return err
		}
	}
	if err := t.reanchor(ctx, was, m); err != nil {
		return err
	}
	before, err := t.homeOf(ctx, was)
	if err != nil {
		return err
	}
	return t.index.Replace(ctx, was, m, before, at)
}

func (t *tx) writeTags(ctx context.Context, num int64, tags []string) error {
	if err := t.Run(ctx, `DELETE FROM tags WHERE memory = ?`, num); err != nil {
		return fmt.Errorf("write tags: %w", err)
	}
	rows := make([][]any, len(tags))
	for i, tag := range tags {
		rows[i] = []any{num, tag}
	}
	return t.addTags(ctx, rows)
}

// InsertRevision adds an earlier version of a memory.
func (t *tx) InsertRevision(ctx context.Context, rs ...engram.Revision) error {
	return forAll(rs, func(r engram.Revision) error { return t.insertRevision(ctx, r) })
}

func (t *tx) insertRevision(ctx context.Context, r engram.Revision) error {
	const query = `INSERT INTO revisions (memory, number, type, title, content, written_at, replaced_at, reason, stamp) VALUES (?,?,?,?,?,?,?,?,?)`
	own, err := t.Device(ctx)
	if err != nil {
		return err
	}
	err = t.Run(ctx, query, r.Memory, r.Number, r.Type, r.Title, r.Content, sqlrow.Millis(r.WrittenAt), sqlrow.Millis(r.ReplacedAt), r.Reason,
		sqlrow.OrNull(sqlrow.Stamp(r.Stamp, own)))
	return sqlrow.Doing(err, "write revision %d of memory %d", r.Number, r.Memory)
}

// topicNotesSQL removes a memory's topic key from the entries of project moves, which record the keys
// takeRetrying away. The condition on entity lets mutations_project serve it; otherwise SQLite would scan the
// journal.
const topicNotesSQL = `UPDATE mutations SET was = json_remove(was, '$.topics."' || ?1 || '"', '$.given."' || ?1 || '"') WHERE entity = 'project' AND was IS NOT NULL`

// countAccess counts an access to each of the memories.
func (t *tx) countAccess(ctx context.Context, nums []int64, at time.Time) error {
	const query = `UPDATE memories SET access_count = access_count + 1, last_accessed_at = max(coalesce(last_accessed_at, 0), ?2)
		WHERE num IN (SELECT value FROM json_each(?1))`
	return sqlrow.Doing(t.Run(ctx, query, conn.JSONNums(nums), sqlrow.Millis(at)), "count accesses")
}

// EraseMemory removes the memory and every copy of its text. secure_delete overwrites the freed bytes,
// and the index drops words that no memory has.
func (t *tx) EraseMemory(ctx context.Context, num int64) error {
	was, err := t.Memory(ctx, engram.ByNum(num))
	if err != nil {
		return err
	}
	t.scrubbed = true
	at, err := t.homeOf(ctx, was)
	if err != nil {
		return err
	}
	if !was.Forgotten() {
		if err := t.index.Remove(ctx, at.Project, was); err != nil {
			return err
		}
	}
	// The plus is needed because key has no affinity.
	const its = ` AND key IN (SELECT +num FROM relations WHERE source = ?1 UNION SELECT +num FROM relations WHERE target = ?1)`
	err = t.RunAll(ctx,
		// Revisions are deleted with the memory, but the journal may contain former titles, tags and
		// metadata.
		conn.With(`UPDATE mutations SET `+emptied+`, reason = NULL WHERE entity = ? AND key = ?`, engram.EntityMemory, num),
		conn.With(`UPDATE mutations SET `+emptied+`, reason = NULL WHERE entity = 'relation'`+its, num),
		conn.With(topicNotesSQL, num),
		conn.With(`DELETE FROM lineages WHERE entity = ?2`+its, num, sqlrow.KindNum(engram.EntityRelation)),
		conn.With(`DELETE FROM carried WHERE entity = ?2`+its, num, sqlrow.KindNum(engram.EntityRelation)),
		// The query that found it may contain its words, and is stored with everything that it found.
		conn.With(`UPDATE uses SET query = NULL WHERE EXISTS (SELECT 1 FROM uses u WHERE u.memory = ?1 AND u.session = uses.session AND u.at = uses.at)
			AND session IN (SELECT session FROM uses WHERE memory = ?1)`, num),
		conn.With(`UPDATE uses SET memory = NULL WHERE memory = ?`, num),
		conn.With(`DELETE FROM memories WHERE num = ?`, num), // foreign keys delete the rest
	)
	if err != nil {
		return fmt.Errorf("erase memory %d: %w", num, err)
	}
	if err := t.recordErasure(ctx, engram.Erased{Entity: engram.EntityMemory, ID: string(was.ID), SyncID: was.SyncID, Project: was.Project}, num); err != nil {
		return err
	}
	return t.index.ForgetKinds(ctx)
}
