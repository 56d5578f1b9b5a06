// Command save is what saving over HTTP takes at least in Go with this SQLite driver and Engram's tables: it runs the
// statements of a save, which read as many rows and write the same ones, with the same pragmas and commits, one after the
// other, and nothing else. It ranks, compares, embeds, checks and indexes nothing: that comes on top.
//
// It takes the arguments of engram serve and a store that Engram has made, and leaves one that Engram must not use.
package main

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"database/sql"
	"database/sql/driver"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	mathrand "math/rand/v2"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	_ "modernc.org/sqlite"
)

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "bare:", err)
		os.Exit(1)
	}
}

// run serves the store of "--data-dir DIR serve --json 0" until it is ended.
func run(args []string) error {
	if len(args) < 2 {
		return errors.New("usage: save --data-dir DIR serve --json 0")
	}
	s, err := open(filepath.Join(args[1], "engram.db"))
	if err != nil {
		return err
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	fmt.Printf("{\"address\":\"http://%s\"}\n", l.Addr())
	http.HandleFunc("POST /sessions", answer(s, s.begin))
	http.HandleFunc("POST /observations", answer(s, s.write))
	return http.Serve(l, nil)
}

// projects is how many the corpus has.
const projects = 20

// A store is one connection with its prepared statements, as Engram's writer has.
type store struct {
	mu            sync.Mutex
	conn          driver.Conn
	statements    map[string]driver.Stmt
	seq, clock    int64           // the newest of the journal
	relation      int64           // the newest
	model, memory int64           // of the newest vector, and its memory
	row           []byte          // a vector
	first         map[int64]int64 // a memory of each project
}

func open(path string) (*store, error) {
	pragmas := url.Values{"_pragma": {"cache_size(-2048)", "temp_store(2)", "busy_timeout(20)", "foreign_keys(1)", "synchronous(FULL)",
		"journal_size_limit(4194304)", "secure_delete(1)"}}
	db, err := sql.Open("sqlite", "")
	if err != nil {
		return nil, err
	}
	defer db.Close()
	s := &store{statements: map[string]driver.Stmt{}, first: map[int64]int64{}}
	if s.conn, err = db.Driver().Open("file:" + path + "?" + pragmas.Encode()); err != nil {
		return nil, err
	}
	v, err := s.query(`SELECT max(seq), max(at), (SELECT max(num) FROM vectors), (SELECT row FROM vectors ORDER BY num DESC LIMIT 1),
		(SELECT coalesce(max(num), 0) FROM relations) FROM mutations`)
	if err != nil || v == nil {
		return nil, errors.Join(errors.New("no store with memories"), err)
	}
	s.seq, s.clock, s.row, s.relation = v[0].(int64), v[1].(int64), v[3].([]byte), v[4].(int64)
	s.model, s.memory = v[2].(int64)>>48, v[2].(int64)&(1<<48-1)
	return s, nil
}

// prepared returns a statement, prepared once, and its arguments as the driver takes them.
func (s *store) prepared(query string, args []any) (driver.Stmt, []driver.NamedValue, error) {
	stmt, ok := s.statements[query]
	if !ok {
		var err error
		if stmt, err = s.conn.Prepare(query); err != nil {
			return nil, nil, fmt.Errorf("%s: %w", query, err)
		}
		s.statements[query] = stmt
	}
	values := make([]driver.NamedValue, len(args))
	for i, a := range args {
		values[i] = driver.NamedValue{Ordinal: i + 1, Value: a}
	}
	return stmt, values, nil
}

func (s *store) exec(query string, args ...any) error {
	stmt, values, err := s.prepared(query, args)
	if err == nil {
		_, err = stmt.(driver.StmtExecContext).ExecContext(context.Background(), values)
	}
	return err
}

// query returns the first row; nil of none.
func (s *store) query(query string, args ...any) (row []driver.Value, err error) {
	err = s.rows(query, args, func(r []driver.Value) bool {
		row = slices.Clone(r)
		return false
	})
	return row, err
}

// each reads all rows.
func (s *store) each(query string, args ...any) error {
	return s.rows(query, args, func([]driver.Value) bool { return true })
}

// rows calls fn with each row until it returns false.
func (s *store) rows(query string, args []any, fn func([]driver.Value) bool) error {
	stmt, values, err := s.prepared(query, args)
	if err != nil {
		return err
	}
	rows, err := stmt.(driver.StmtQueryContext).QueryContext(context.Background(), values)
	if err != nil {
		return err
	}
	row := make([]driver.Value, len(rows.Columns()))
	for err == nil {
		if err = rows.Next(row); err == nil && !fn(row) {
			err = io.EOF
		}
	}
	if errors.Is(err, io.EOF) {
		err = nil
	}
	return errors.Join(err, rows.Close())
}

// A session is begun before the saves, with a project of the store.
type session struct {
	ID      string `json:"id"`
	Project string `json:"project"`
}

func (s *store) begin(n session) error {
	return s.exec(`INSERT INTO sessions (id, project, started_at, active_at) SELECT ?, num, 0, 0 FROM projects WHERE name = ?`, n.ID, n.Project)
}

// A memory is what is to be saved.
type memory struct {
	Session string `json:"session_id"`
	Type    string `json:"type"`
	Title   string `json:"title"`
	Content string `json:"content"`
	Project string `json:"project"`
	Scope   string `json:"scope"`
}

// answer returns a handler that decodes what do needs, does one at a time, and answers with it.
func answer[T any](s *store, do func(T) error) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		var in T
		err := json.NewDecoder(r.Body).Decode(&in)
		if err == nil {
			s.mu.Lock()
			err = do(in)
			s.mu.Unlock()
		}
		if err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
			return
		}
		w.WriteHeader(http.StatusCreated)
		json.NewEncoder(w).Encode(in)
	}
}

// write is one transaction.
func (s *store) write(m memory) error {
	if err := s.exec("BEGIN IMMEDIATE"); err != nil {
		return err
	}
	err := s.insert(m)
	if err == nil {
		err = s.exec("COMMIT")
	}
	if err != nil {
		return errors.Join(err, s.exec("ROLLBACK"))
	}
	return nil
}

const (
	insertMemory = `INSERT INTO memories (hash, project, scope, type, title, content, session, origin, importance, strength, touched_at,
		permanent, access_count, created_at, updated_at, revision_count, duplicate_count, num, id, sync_id)
		VALUES (?,?,?,?,?,?,?,'agent',.5,1,?,0,0,?,?,1,1,?,?,?)`
	insertRelations = `INSERT OR FAIL INTO relations (num, id, source, target, verb, status, strength, actor, actor_kind, session_id, created_at, updated_at)
		VALUES (?10-2,?1,?4,?5,'relates_to','judged',.7,'engram','system',?8,?9,?9), (?10-1,?2,?4,?6,'relates_to','judged',.7,'engram','system',?8,?9,?9),
		(?10,?3,?4,?7,'relates_to','judged',.7,'engram','system',?8,?9,?9)`
	insertEntries = `INSERT OR FAIL INTO mutations (seq, op, at, actor, verb, entity, key, project, reason)
		VALUES (?1,?1,?2,'http','save','memory',?3,?4,'new'), (?1+1,?1,?2+2,'http','save','relation',?5-2,?4,'near in meaning'),
		(?1+2,?1,?2+4,'http','save','relation',?5-1,?4,'near in meaning'), (?1+3,?1,?2+6,'http','save','relation',?5,?4,'near in meaning')`
	insertLineages = `INSERT OR FAIL INTO lineages (entity, key, at, digest) VALUES (1,?1,?2,?3), (0,?4-2,?2+2,?3+1), (0,?4-1,?2+4,?3+2), (0,?4,?2+6,?3+3)`
)

// What a save looks at in this corpus: the vectors that codes leave, and the memories that these leave.
const (
	vectorsRead  = 28
	memoriesRead = 6
)

// look reads the rows that a save looks at, drawn from the project by a number, and returns the memories among them.
func (s *store) look(project int64, draw uint64) (near []int64, err error) {
	first, known := s.first[project]
	if !known {
		row, err := s.query(`SELECT min(num) FROM memories WHERE project = ? AND deleted_at IS NULL`, project)
		if err != nil {
			return nil, err
		}
		first = row[0].(int64)
		s.first[project] = first
	}
	r := mathrand.New(mathrand.NewPCG(draw, 1))
	drawn := map[int64]bool{}
	for len(drawn) < vectorsRead { // the projects of the corpus take turns
		drawn[first+projects*r.Int64N((s.memory-first)/projects)] = true
	}
	all := slices.Sorted(maps.Keys(drawn))
	near = slices.Clone(all[:memoriesRead])
	r.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	copy(near, all)
	slices.Sort(all)
	return near, errors.Join(
		s.each(`SELECT asked.value, v.row FROM json_each(?) AS asked CROSS JOIN vectors v ON v.num = (? << 48) + asked.value`, list(all), s.model),
		s.each(`SELECT m.*, (SELECT name FROM projects WHERE num = m.project), (SELECT id FROM sessions WHERE num = m.session),
			EXISTS (SELECT 1 FROM tags WHERE memory = m.num) FROM json_each(?) AS asked CROSS JOIN memories m ON m.num = asked.value`, list(near)),
		s.each(`SELECT r.source FROM json_each(?) AS asked CROSS JOIN relations r ON r.target = asked.value AND r.verb = 'supersedes' AND r.removed_at IS NULL`, list(near)))
}

func list(nums []int64) string {
	text, _ := json.Marshal(nums) // never fails
	return string(text)
}

func (s *store) insert(m memory) error {
	if _, err := s.query(`SELECT value, (SELECT max(seq) FROM mutations) FROM meta WHERE key = 'device'`); err != nil {
		return err
	}
	at, err := s.query(`SELECT num, project, (SELECT max(seq) FROM unsealed) FROM sessions WHERE id = ?`, m.Session)
	if err != nil || at == nil {
		return errors.Join(fmt.Errorf("no session %q", m.Session), err)
	}
	session, project := at[0].(int64), at[1].(int64)
	hash := sha256.Sum256([]byte(m.Content))
	s.memory++
	var random [32]byte
	_, _ = rand.Read(random[:]) // never fails
	name := hex.EncodeToString(random[:])
	now := time.Now().UnixMilli()
	near, err := s.look(project, binary.LittleEndian.Uint64(random[:])>>2)
	if err != nil {
		return err
	}
	known, err := s.query(`SELECT num FROM memories WHERE deleted_at IS NULL AND substr(hash, 1, 8) = substr(?1, 1, 8) AND hash = ?1 AND +project = ?2`, hash[:], project)
	if err != nil || known != nil {
		return errors.Join(errors.New("saved before"), err)
	}
	s.seq, s.clock, s.relation = s.seq+4, s.clock+8, s.relation+3
	var failed []error
	add := func(query string, args ...any) { failed = append(failed, s.exec(query, args...)) }
	// An id begins with the time, and sorts by it.
	add(insertMemory, hash[:], project, m.Scope, m.Type, m.Title, m.Content, session, now, now, now, s.memory, fmt.Sprintf("mem_%010x%s", now, name[:16]), "obs-"+name[16:32])
	add(`INSERT INTO vectors (num, row) VALUES ((?1 << 48) + ?2, ?3)`, s.model, s.memory, s.row)
	add(insertRelations, "rel-"+name[:16], "rel-"+name[16:32], "rel-"+name[32:48], s.memory, near[0], near[1], near[2], m.Session, now, s.relation)
	add(`INSERT INTO counters (day, project, verb, outcome, events, fallbacks, memories, tokens) VALUES (?,?,'save','inserted',1,0,0,0)
		ON CONFLICT (day, project, verb, outcome) DO UPDATE SET events = events + excluded.events`, now/86_400_000, project)
	add(`INSERT INTO unsealed (memory, document, words) VALUES (?,?,?)`, s.memory, hash[:], []byte(m.Content)) // words take as many bytes
	add(insertEntries, s.seq-3, s.clock-7, s.memory, project, s.relation)
	add(insertLineages, s.memory, s.clock-7, int64(binary.LittleEndian.Uint64(random[:])>>2), s.relation)
	add(`UPDATE models SET memories = memories + 1 WHERE num = ?`, s.model)
	add(`INSERT INTO tallies (project, type, live) VALUES (?,?,1) ON CONFLICT (project, type) DO UPDATE SET live = live + excluded.live`, project, m.Type)
	add(`UPDATE sessions SET live = live + 1, active_at = max(active_at, ?1) WHERE num = ?2`, now, session)
	return errors.Join(failed...)
}
