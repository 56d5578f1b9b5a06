package sqlite

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/index/lexicon"
	"github.com/alanbuscaglia/engram/internal/index/vectors"
	"github.com/alanbuscaglia/engram/internal/sqlite/conn"
	"github.com/alanbuscaglia/engram/internal/sqlite/embeddings"
	"github.com/alanbuscaglia/engram/internal/sqlite/segments"
	"github.com/alanbuscaglia/engram/internal/sqlrow"
)

// tx is a transaction: engram.Reader and engram.Tx. Its methods are in the files of their nouns.
type tx struct {
	conn.Tx
	keyed       conn.Tx // the same, for look-ups
	index       lexicon.Index
	vectors     vectors.Index
	hidden      *hidden                   // excluded projects, for readers
	unwritten   unwritten                 // counts and tags not written yet
	related     int                       // relations that it has inserted
	names       names                     // looked-up row numbers
	sessionRows map[string]engram.Session // read since the last change of sessions
	scrubbed    bool                      // has removed texts, so the log must be emptied
	unprompted  bool                      // has removed words from the full-text index of prompts
	looked      bool                      // the connection's cache is valid for this transaction's snapshot
	wrote       bool                      // has written, so that the cache is not valid any more
	altered     bool                      // has changed rows that were there before (see unchanged)
	device      string                    // id of this store; "" until read
	head        head                      // end of the journal
	carrierNums map[string]int64          // looked-up numbers of batch sets
}

var _ engram.Tx = (*tx)(nil)

// kept is what the connections of a process cache together.
type kept struct {
	index   lexicon.Cache
	vectors vectors.Cache
}

// newTx returns the transaction that is open on a connection.
func newTx(c *conn.Conn, k *kept, writes bool) *tx {
	t := &tx{Tx: conn.Tx{Conn: c, Writes: writes}}
	t.Hook = t
	t.keyed = t.Tx
	t.keyed.Keyed = true
	t.index.Store, t.index.Cache, t.index.Slots = segments.Store{Tx: &t.keyed}, &k.index, &t.vectors
	rows := embeddings.Store{Tx: &t.keyed}
	t.index.Uncommitted = c.Joined
	t.vectors = vectors.Index{Uncommitted: c.Joined, Rows: rows, Codes: rows, Words: &t.index, Cache: &k.vectors, Seen: t.seenVectors}
	return t
}

// Before writes what the statement could observe, and hides the rows of excluded projects.
func (t *tx) Before(ctx context.Context, query string) (string, error) {
	if t.Writes && !strings.HasPrefix(query, "SELECT") {
		t.writing(query)
	}
	if t.unwritten.rows() || t.uncounted() {
		if err := t.flushBefore(ctx, query); err != nil {
			return "", err
		}
	}
	return t.hidden.query(query), nil
}

// Changing forgets what the statement may change.
func (t *tx) Changing(query string) {
	t.vectors.Changing()
	if len(t.sessionRows) > 0 && strings.Contains(query, "sessions") {
		t.sessionRows = nil
	}
	if t.names.some() && renames(query) {
		t.names = names{}
	}
}

// unchangedBytes bounds the cache of a read connection: some thousand memories with their vectors.
// Reading the sixty memories of a search costs as much as the rest of it. The limit is low because a
// server has four connections and large stores repeat few reads.
const unchangedBytes = 4 << 20

// dataVersionSQL returns a number that changes whenever another connection, of this process or another,
// commits. It is constant within a transaction.
const dataVersionSQL = `PRAGMA data_version`

// unchanged caches what a connection has read. Memories, vectors and relations are kept as long as no transaction of any
// process changes one that was there before, which they count (alteredSQL): most commits only add. Those of memories that
// get a new relation are read again. The rest is kept until the next foreign commit. SQLite does not report a connection's
// own writes by dataVersionSQL: a transaction uses and fills the cache only until it writes, and what it changes is
// forgotten (writing).
type unchanged struct {
	version   int64
	altered   int64  // by alteredSQL; -1 if not read
	related   int64  // the newest relation, by the same
	hidden    string // the excluded projects it is valid for
	memories  map[int64]engram.Memory
	lists     map[string][]int64 // numbers by query with its arguments; nil of those read once
	vectors   vectors.Seen
	relations map[relationsOf][]*engram.Relation
	decays    map[string]engram.ProjectDecay // nil if not read
	facts     map[string]string              // of those read
	bytes     int
}

// relationsOf identifies an answer of RelationsOf for one memory.
type relationsOf struct {
	memory   int64
	verbs    string
	most     int
	incoming bool
}

// unchanged returns the connection's cache without what is outdated; nil if it has none.
func (t *tx) unchanged(ctx context.Context) (*unchanged, error) {
	u, _ := t.Conn.Kept.(*unchanged)
	if u == nil || t.wrote {
		return nil, nil
	}
	if t.looked {
		return u, nil
	}
	var version int64
	if err := t.keyed.Row(ctx, dataVersionSQL, nil, &version); err != nil {
		return nil, fmt.Errorf("look for changes: %w", err)
	}
	hidden := t.hidden.query("SELECT")
	switch {
	case u.memories == nil || u.hidden != hidden:
		u.empty()
		u.altered = -1 // a process with one task never asks
	case u.version != version:
		var altered, related int64
		err := t.keyed.Row(ctx, alteredSQL, nil, &altered, &related)
		if altered == u.altered && err == nil {
			u.added(true)
			err = t.forgetRelated(ctx, u, related)
		} else {
			u.empty()
		}
		if err != nil {
			return nil, fmt.Errorf("look for changes: %w", err)
		}
		u.altered, u.related = altered, related
	}
	u.version, u.hidden, t.looked = version, hidden, true
	return u, nil
}

// alteredSQL returns a number that grows with each commit that changes memories, vectors or relations that were there
// before, and that of the newest relation.
const alteredSQL = `SELECT altered, coalesce((SELECT seq FROM sqlite_sequence WHERE name = 'relations'), 0) FROM index_state`

// forgetRelated forgets the relations of memories that have got others since, up to one with this number.
func (t *tx) forgetRelated(ctx context.Context, u *unchanged, newest int64) error {
	const most = 500 // a batch has more
	if newest == u.related || len(u.relations) == 0 {
		return nil
	}
	if newest-u.related > most {
		clear(u.relations)
		return nil
	}
	ends := map[int64]bool{}
	err := t.keyed.Rows(ctx, `SELECT source, target FROM relations WHERE num > ?`, []any{u.related}, func(r sqlrow.Scanner) error {
		var source, target int64
		err := r.Scan(&source, &target)
		ends[source], ends[target] = true, true
		return err
	})
	maps.DeleteFunc(u.relations, func(of relationsOf, _ []*engram.Relation) bool { return err != nil || ends[of.memory] })
	return err
}

// countAltered counts a transaction that changes what others may keep.
func (t *tx) countAltered(ctx context.Context) error {
	if !t.altered {
		return nil
	}
	return t.Run(ctx, `UPDATE index_state SET altered = altered + 1`)
}

// additions begin the statements that change no row of memories, vectors or relations which was there before: those of a
// save, of sessions, prompts and exposures, and of the index of words. Those of vectors are embeddings.Adds.
var additions = [...]string{lockSQL, "PRAGMA", "INSERT INTO memories", relatingSQL, "INSERT OR IGNORE INTO tags",
	"UPDATE sessions SET live", "UPDATE sessions SET active_at", "UPDATE index_state", "UPDATE sqlite_sequence", "INSERT OR FAIL INTO mutations", "INSERT OR FAIL INTO lineages", "INSERT INTO lineages",
	"INSERT INTO trust", "INSERT INTO tallies", "INSERT INTO counters", "INSERT INTO unsealed", "DELETE FROM unsealed", "INSERT INTO segments",
	"UPDATE segments", "DELETE FROM segments", "INSERT INTO postings", "DELETE FROM postings", "INSERT INTO documents", "DELETE FROM documents",
	"INSERT INTO lengths", "DELETE FROM lengths", "INSERT INTO kinds", "INSERT INTO meta", "INSERT INTO projects (", "INSERT INTO sessions", "INSERT INTO prompts",
	"INSERT INTO uses", "DELETE FROM tombstones"}

// relatingSQL begins the statement that adds relations.
const relatingSQL = "INSERT OR FAIL INTO relations"

// writing forgets what a statement that is not a SELECT may change.
func (t *tx) writing(query string) {
	if strings.HasPrefix(query, dataVersionSQL) {
		return
	}
	t.wrote = true
	adds := embeddings.Adds(query) || slices.ContainsFunc(additions[:], func(begin string) bool { return strings.HasPrefix(query, begin) })
	t.altered = t.altered || !adds
	switch u, _ := t.Conn.Kept.(*unchanged); {
	case u == nil || u.memories == nil:
	case adds:
		if u.added(embeddings.Recodes(query)); strings.HasPrefix(query, relatingSQL) {
			clear(u.relations)
		}
	default:
		u.memories = nil // emptied when it is used next
	}
}

// added forgets what additions may change, but for relations.
func (u *unchanged) added(recoded bool) {
	clear(u.lists)
	clear(u.facts)
	u.decays = nil
	u.vectors.Added(recoded)
}

// seenVectors returns the part of the connection's cache for vectors; nil if it has none.
func (t *tx) seenVectors(ctx context.Context) (*vectors.Seen, error) {
	u, err := t.unchanged(ctx)
	if u == nil {
		return nil, err
	}
	return &u.vectors, err
}

func (u *unchanged) empty() {
	if u.bytes = 0; u.memories == nil {
		u.memories, u.relations, u.lists, u.facts = map[int64]engram.Memory{}, map[relationsOf][]*engram.Relation{}, map[string][]int64{}, map[string]string{}
	}
	clear(u.memories) // as many are soon read again
	clear(u.relations)
	u.added(true)
	u.vectors.Empty(u.grow)
}

// grow accounts for added bytes, and empties the whole cache if it is full: frequently used entries soon
// return.
func (u *unchanged) grow(bytes int) {
	if u.bytes += bytes; u.bytes > unchangedBytes {
		u.empty()
		u.bytes = bytes
	}
}

func (u *unchanged) hasMemory(num int64) bool {
	if u == nil {
		return false
	}
	_, known := u.memories[num]
	return known
}

// memory returns a copy of a cached memory.
func (u *unchanged) memory(num int64) engram.Memory {
	m := u.memories[num]
	m.Tags, m.Anchors = slices.Clone(m.Tags), slices.Clone(m.Anchors)
	return m
}

// keepMemory caches a memory, unless it has metadata: deep copies of nested values cost as much as
// reading it.
func (u *unchanged) keepMemory(m engram.Memory) {
	if u == nil || m.Metadata != nil {
		return
	}
	u.grow(bytesOf(m))
	m.Tags, m.Anchors = slices.Clone(m.Tags), slices.Clone(m.Anchors)
	u.memories[m.Num] = m
}

// bytesOf returns about how much memory a memory takes.
func bytesOf(m engram.Memory) int {
	const row = 800    // bytes per memory beside its texts
	const anchor = 300 // bytes per anchor
	return row + anchor*len(m.Anchors) + len(m.Title) + len(m.Content) + len(m.Summary)
}

// keepList caches a list with its memories when it is read for the second time: to keep what is read once would drive out
// what searches read.
func (u *unchanged) keepList(key string, ms []engram.Memory) {
	if _, again := u.lists[key]; !again {
		u.grow(len(key) + 100)
		u.lists[key] = nil
		return
	}
	nums, bytes := make([]int64, len(ms)), 0
	for i, m := range ms {
		if nums[i] = m.Num; !u.hasMemory(m.Num) {
			bytes += bytesOf(m)
		}
	}
	if u.bytes+bytes > unchangedBytes/2 { // lists of many projects would drive each other out
		return
	}
	for _, m := range ms {
		if !u.hasMemory(m.Num) {
			u.keepMemory(m)
		}
	}
	u.grow(8 * len(nums))
	u.lists[key] = nums
}
