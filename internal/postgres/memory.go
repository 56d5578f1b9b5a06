package postgres

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/index/lexicon"
	"github.com/alanbuscaglia/engram/internal/postgres/conn"
	"github.com/alanbuscaglia/engram/internal/sqlrow"
)

// memoryTable has the fields of a memory; each but its tags has a column.
var memoryTable = sync.OnceValue(engram.Fields[engram.Memory])

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

// memoriesWhere returns the statement that reads memories m.
func memoriesWhere(where string) string {
	return `SELECT ` + memoryColumns() + ` FROM memories m WHERE m.space = $space AND ` + where
}

// Each look-up is served by one index.
const (
	memoryByID           = `m.id = ?`
	memoryByPrefix       = `m.id >= ?1 AND m.id < ?1 || '~' ORDER BY m.id LIMIT 2`
	memoryBySyncID       = `m.sync_id = ?`
	memoryByTopic        = `m.topic_key = ? AND m.deleted_at IS NULL ORDER BY m.num DESC LIMIT 2`
	memoryByProjectTopic = `m.topic_key = ? AND m.project = ? AND m.deleted_at IS NULL ORDER BY m.num DESC LIMIT 2`
	liveFrom             = `m.num > ? AND m.deleted_at IS NULL ORDER BY m.num LIMIT ?`
)

// memoriesSQL selects memories by number. Of many it finds projects, which are few, by a join; sessions are many, so a join
// would read all of them.
var memoriesSQL = sync.OnceValue(func() string {
	columns := strings.Replace(memoryColumns(), `(SELECT name FROM projects WHERE space = $space AND num = m.project)`, `p.name`, 1)
	return `SELECT ` + columns + ` FROM memories m LEFT JOIN projects p ON p.space = $space AND p.num = m.project
		WHERE m.space = $space AND m.num = ANY(?)`
})

// Memory returns the memory that ref names.
func (t *tx) Memory(ctx context.Context, ref engram.Ref) (engram.Memory, error) {
	var found []engram.Memory
	var err error
	collect := func(where string, args ...any) { found, err = t.memories(ctx, memoriesWhere(where), args...) }
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

// Memories returns the memories with these numbers, in this order.
func (t *tx) Memories(ctx context.Context, nums []int64) ([]engram.Memory, error) {
	if len(nums) == 0 {
		return nil, nil
	}
	asked := slices.Clone(nums)
	slices.Sort(asked)
	read, err := t.memories(ctx, memoriesSQL(), slices.Compact(asked))
	if err != nil {
		return nil, err
	}
	slices.SortFunc(read, func(a, b engram.Memory) int { return cmp.Compare(a.Num, b.Num) })
	ms := make([]engram.Memory, 0, len(nums))
	for _, num := range nums {
		at, found := slices.BinarySearchFunc(read, num, func(m engram.Memory, num int64) int { return cmp.Compare(m.Num, num) })
		if found {
			ms = append(ms, read[at])
		}
	}
	return ms, nil
}

const readMemories = "read memories" // context of errors

func (t *tx) memories(ctx context.Context, query string, args ...any) ([]engram.Memory, error) {
	return sqlrow.List(ctx, t, readMemories, query, args, scanMemory())
}

// Neighbours are ordered by number, which is the order of saving.
const (
	memoriesEarlier = `m.session = ? AND m.num < ? AND m.deleted_at IS NULL ORDER BY m.num DESC LIMIT ?`
	memoriesLater   = `m.session = ? AND m.num > ? AND m.deleted_at IS NULL ORDER BY m.num LIMIT ?`
)

// Neighbours returns the memories saved before and after memory num in its session.
func (t *tx) Neighbours(ctx context.Context, session string, num int64, before, after int) (earlier, later []engram.Memory, err error) {
	s, err := t.sessionNum(ctx, session)
	if err != nil {
		return nil, nil, err
	}
	if earlier, err = t.memories(ctx, memoriesWhere(memoriesEarlier), s, num, before); err != nil {
		return nil, nil, err
	}
	slices.Reverse(earlier)
	later, err = t.memories(ctx, memoriesWhere(memoriesLater), s, num, after)
	return earlier, later, err
}

// Revisions returns the earlier versions of memories, oldest first.
func (t *tx) Revisions(ctx context.Context, nums ...int64) ([]engram.Revision, error) {
	const query = `SELECT memory, number, type, title, content, written_at, replaced_at, reason, stamp
		FROM revisions WHERE space = $space AND memory = ANY(?) ORDER BY memory, number`
	return sqlrow.List(ctx, t, "read revisions", query, []any{nums}, func(s sqlrow.Scanner) (r engram.Revision, err error) {
		var stamp string
		err = s.Scan(&r.Memory, &r.Number, &r.Type, &r.Title, &r.Content, conn.Instant{Time: &r.WrittenAt}, conn.Instant{Time: &r.ReplacedAt}, &r.Reason, conn.Given{Text: &stamp})
		if err == nil {
			r.Stamp, err = sqlrow.ReadStamp(stamp, t.head.device)
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

// memoryValues returns the values of the columns that writtenMemory() names.
func (t *tx) memoryValues(ctx context.Context, m engram.Memory) (at home, values []any, err error) {
	if at, err = t.homeOf(ctx, m); err != nil {
		return home{}, nil, err
	}
	hash, err := hex.DecodeString(m.NormalizedHash)
	if err != nil {
		return home{}, nil, fmt.Errorf("hash of memory %s: %w", m.ID, err)
	}
	values = append(make([]any, 0, 6+len(sqlrow.WrittenFields())), hash, hashHead(hash), titleHead(m.Title))
	values, err = sqlrow.AppendWritten(values, &m, at.Project, at.Session)
	return at, values, err
}

var (
	writtenMemory = sync.OnceValue(func() string {
		columns := "hash, hash_head, title_head"
		for _, f := range sqlrow.WrittenFields() {
			columns += ", " + f.Name
		}
		return strings.Replace(columns, "session_id", "session", 1)
	})
	insertMemorySQL = sync.OnceValue(func() string {
		return `INSERT INTO memories (` + writtenMemory() + `, num, id, sync_id, space) VALUES (` + memoryPlaces() + `,?,?,?,$space) ON CONFLICT DO NOTHING`
	})
	replaceMemorySQL = sync.OnceValue(func() string {
		return `UPDATE memories SET (` + writtenMemory() + `) = ROW(` + memoryPlaces() + `) WHERE num = ? AND space = $space`
	})
)

// hashHead returns the first bytes of a hash, which may be shorter.
func hashHead(hash []byte) int64 {
	var head [8]byte
	copy(head[:], hash)
	return int64(binary.BigEndian.Uint64(head[:]))
}

func titleHead(title string) int64 {
	sum := sha256.Sum256([]byte(title))
	return hashHead(sum[:])
}

func memoryPlaces() string { return `?,?,?` + strings.Repeat(",?", len(sqlrow.WrittenFields())) }

// InsertMemory adds m, with number m.Num if it is set, and sets m.Num.
func (t *tx) InsertMemory(ctx context.Context, m *engram.Memory) error {
	at, values, err := t.memoryValues(ctx, *m)
	if err != nil {
		return err
	}
	num := next(&t.head.memory, m.Num)
	added, err := t.Exec(ctx, insertMemorySQL(), append(values, num, m.ID, m.SyncID)...)
	switch {
	case err != nil:
		return fmt.Errorf("insert memory: %w", err)
	case added == 0:
		return engram.Errorf(engram.CodeConflict, "memory %s exists already", m.ID)
	}
	m.Num = num
	if !m.Forgotten() {
		t.count(at, m.Type, 1, m.CreatedAt.UnixMilli())
	}
	if err := t.addTags(ctx, num, m.Tags); err != nil {
		return err
	}
	if err := t.indexAnchors(ctx, num, m.Anchors); err != nil || m.Forgotten() {
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
	before, err := t.homeOf(ctx, was)
	if err != nil {
		return err
	}
	mayClash := m.TopicKey != "" && !m.Forgotten() && (was.TopicKey != m.TopicKey || was.Forgotten() || before.Project != at.Project || was.Scope != m.Scope)
	if mayClash {
		_, err = t.Attempt(ctx, replaceMemorySQL(), append(values, m.Num)...)
	} else {
		err = t.Run(ctx, replaceMemorySQL(), append(values, m.Num)...)
	}
	if conn.IsUnique(err) {
		return engram.Errorf(engram.CodeConflict, "topic %s has another memory in project %q", m.TopicKey, m.Project).
			WithHint("update that one, or choose another topic key")
	}
	if err != nil {
		return fmt.Errorf("write memory %d: %w", m.Num, err)
	}
	if !was.Forgotten() {
		t.count(before, was.Type, -1, 0)
	}
	if !m.Forgotten() {
		t.count(at, m.Type, 1, 0)
	}
	if was.Title != m.Title || was.Content != m.Content || m.Forgotten() && !was.Forgotten() {
		if err := t.dropVectors(ctx, m.Num); err != nil {
			return err
		}
	}
	if !slices.Equal(was.Tags, m.Tags) {
		if err := t.Run(ctx, `DELETE FROM tags WHERE space = $space AND memory = ?`, m.Num); err != nil {
			return fmt.Errorf("write tags: %w", err)
		}
		if err := t.addTags(ctx, m.Num, m.Tags); err != nil {
			return err
		}
	}
	if err := t.reanchor(ctx, was, m); err != nil {
		return err
	}
	return t.index.Replace(ctx, was, m, before, at)
}

// addTags adds tags to a memory.
func (t *tx) addTags(ctx context.Context, num int64, tags []string) error {
	if len(tags) == 0 {
		return nil
	}
	const query = `INSERT INTO tags (space, memory, tag) SELECT $space, ?2, tag FROM unnest(?1::text[]) AS tag ON CONFLICT DO NOTHING`
	return sqlrow.Doing(t.Run(ctx, query, tags, num), "write tags")
}

// InsertRevision adds earlier versions of memories.
func (t *tx) InsertRevision(ctx context.Context, rs ...engram.Revision) error {
	const query = `INSERT INTO revisions (space, memory, number, type, title, content, written_at, replaced_at, reason, stamp) VALUES ($space,?,?,?,?,?,?,?,?,?)`
	return forAll(rs, func(r engram.Revision) error {
		err := t.Run(ctx, query, r.Memory, r.Number, r.Type, r.Title, r.Content, sqlrow.Millis(r.WrittenAt), sqlrow.Millis(r.ReplacedAt), r.Reason,
			sqlrow.OrNull(sqlrow.Stamp(r.Stamp, t.head.device)))
		return sqlrow.Doing(err, "write revision %d of memory %d", r.Number, r.Memory)
	})
}

// countAccess counts an access to each of the memories.
func (t *tx) countAccess(ctx context.Context, nums []int64, at time.Time) error {
	const query = `UPDATE memories SET access_count = access_count + 1, last_accessed_at = greatest(coalesce(last_accessed_at, 0), ?2)
		WHERE space = $space AND num = ANY(?1)`
	return sqlrow.Doing(t.Run(ctx, query, nums, at.UnixMilli()), "count accesses")
}

// EraseMemory removes the memory and every copy of its text from every table and answer. Postgres overwrites
// nothing: the bytes go with the next vacuum.
func (t *tx) EraseMemory(ctx context.Context, num int64) error {
	was, err := t.Memory(ctx, engram.ByNum(num))
	if err != nil {
		return err
	}
	at, err := t.homeOf(ctx, was)
	if err != nil {
		return err
	}
	if !was.Forgotten() {
		t.count(at, was.Type, -1, 0)
		if err := t.index.Remove(ctx, at.Project, was); err != nil {
			return err
		}
	}
	if err := t.eraseTopicNotes(ctx, num); err != nil {
		return err
	}
	if err := t.dropVectors(ctx, num); err != nil {
		return err
	}
	const its = ` AND num IN (SELECT num FROM relations WHERE space = $space AND source = ?1 UNION SELECT num FROM relations WHERE space = $space AND target = ?1)`
	err = t.RunAll(ctx,
		// Revisions are deleted with the memory, but the journal may contain former titles, tags and metadata.
		conn.With(`UPDATE mutations SET `+emptied+`, reason = NULL WHERE space = $space AND entity = 'memory' AND num = ? AND key = ''`, num),
		conn.With(`UPDATE mutations SET `+emptied+`, reason = NULL WHERE space = $space AND key = '' AND entity = 'relation'`+its, num),
		conn.With(`DELETE FROM lineages WHERE space = $space AND key = '' AND entity = ?2`+its, num, sqlrow.KindNum(engram.EntityRelation)),
		conn.With(`DELETE FROM carried WHERE space = $space AND key = '' AND entity = ?2`+its, num, sqlrow.KindNum(engram.EntityRelation)),
		// The query that found it may contain its words, and is stored with everything that it found.
		conn.With(`UPDATE uses SET query = NULL WHERE space = $space AND query IS NOT NULL
			AND (session, at) IN (SELECT session, at FROM uses WHERE space = $space AND memory = ?)`, num),
		conn.With(`UPDATE uses SET memory = NULL WHERE space = $space AND memory = ?`, num),
		conn.With(`DELETE FROM relations WHERE space = $space AND source = ?`, num),
		conn.With(`DELETE FROM relations WHERE space = $space AND target = ?`, num),
		conn.With(`DELETE FROM memories WHERE space = $space AND num = ?`, num), // foreign keys delete the rest
	)
	if err != nil {
		return fmt.Errorf("erase memory %d: %w", num, err)
	}
	if err := t.recordErasure(ctx, engram.Erased{Entity: engram.EntityMemory, ID: string(was.ID), SyncID: was.SyncID, Project: was.Project}, thingKey{num: num}); err != nil {
		return err
	}
	return t.index.ForgetKinds(ctx)
}

// eraseTopicNotes removes a memory's topic key from the entries of project moves, which record the keys taken
// away. They are few, served by mutations_project.
func (t *tx) eraseTopicNotes(ctx context.Context, num int64) error {
	type entry struct {
		seq int64
		was string
	}
	const query = `SELECT seq, was FROM mutations WHERE space = $space AND entity = 'project' AND was LIKE '%"' || ?::text || '"%'`
	all, err := sqlrow.List(ctx, t, "read journal", query, []any{strconv.FormatInt(num, 10)}, func(s sqlrow.Scanner) (e entry, err error) {
		err = s.Scan(&e.seq, &e.was)
		return e, err
	})
	if err != nil {
		return err
	}
	return forAll(all, func(e entry) error {
		var was map[string]json.RawMessage
		if json.Unmarshal([]byte(e.was), &was) != nil {
			return nil // not one of ours: it has no topics
		}
		for _, name := range []string{"topics", "given"} {
			var of map[string]json.RawMessage
			if json.Unmarshal(was[name], &of) != nil {
				continue
			}
			delete(of, strconv.FormatInt(num, 10))
			was[name], _ = json.Marshal(of) // it was JSON
		}
		text, _ := json.Marshal(was)
		return t.Run(ctx, `UPDATE mutations SET was = ? WHERE space = $space AND seq = ?`, string(text), e.seq)
	})
}
