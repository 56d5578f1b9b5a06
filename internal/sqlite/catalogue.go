package sqlite

import (
	"context"
	"database/sql"
	"fmt"
	"slices"
	"sync"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/postings"
)

// catalogue is the index as one snapshot sees it. It is immutable.
type catalogue struct {
	state    state
	segments []*segment
	kinds    map[kind]uint32
	fresh    *segment // the unsealed memories; nil if there are no such memories
}

// all returns the segments, the unsealed memories last.
func (c *catalogue) all() []*segment {
	if c.fresh == nil {
		return c.segments
	}
	return append(slices.Clip(c.segments), c.fresh)
}

// state identifies the content of the index.
type state struct {
	changes     int64
	count, last int64 // of table unsealed
}

// kind is a type and scope, by which filters select.
type kind struct {
	typ   engram.Type
	scope engram.Scope
}

// kept is the newest catalogue that a connection of this process has read. A new one costs a row per
// segment; documents, 32 bytes per memory, are read on first use.
type kept struct {
	mu    sync.Mutex
	cat   *catalogue
	codes keptCodes
}

const (
	stateSQL = `SELECT (SELECT changes FROM index_state), (SELECT count(*) FROM unsealed), (SELECT coalesce(max(seq), 0) FROM unsealed)`
	kindsSQL = `SELECT num, type, scope FROM kinds`
)

// catalogue returns the index as this transaction sees it, including pending changes.
func (t *tx) catalogue(ctx context.Context) (*catalogue, error) {
	if err := t.flush(ctx); err != nil {
		return nil, err
	}
	return t.written(ctx)
}

// written is catalogue without the pending changes.
func (t *tx) written(ctx context.Context) (*catalogue, error) {
	if t.cat != nil {
		return t.cat, nil
	}
	var now state
	if err := t.row(ctx, stateSQL, nil, &now.changes, &now.count, &now.last); err != nil {
		return nil, fmt.Errorf("read the index: %w", err)
	}
	t.kept.mu.Lock()
	last := t.kept.cat
	t.kept.mu.Unlock()
	if last != nil && last.state == now && !t.indexed {
		t.cat = last
		return last, nil
	}
	cat, err := t.readCatalogue(ctx, now, last)
	if err != nil {
		return nil, fmt.Errorf("read the index: %w", err)
	}
	t.cat = cat
	if !t.indexed { // uncommitted changes must stay invisible to other transactions
		t.kept.mu.Lock()
		t.kept.cat = cat
		t.kept.mu.Unlock()
	}
	return cat, nil
}

// readCatalogue reads the catalogue, reusing what is unchanged in last, which may be nil.
func (t *tx) readCatalogue(ctx context.Context, now state, last *catalogue) (*catalogue, error) {
	cat := &catalogue{state: now}
	var err error
	if cat.fresh, err = t.readUnsealed(ctx); err != nil {
		return nil, err
	}
	if last != nil && last.state.changes == now.changes && !t.indexed {
		cat.segments, cat.kinds = last.segments, last.kinds
		return cat, nil
	}
	if cat.segments, err = t.segments(ctx); err != nil {
		return nil, err
	}
	if last != nil && !t.indexed {
		known := make(map[int64]*segment, len(last.segments))
		for _, g := range last.segments {
			known[g.num] = g
		}
		for i, g := range cat.segments {
			if k := known[g.num]; k != nil && k.version == g.version {
				cat.segments[i] = k
			}
		}
	}
	cat.kinds = map[kind]uint32{}
	err = t.rows(ctx, kindsSQL, nil, func(r scanner) error {
		var num uint32
		var k kind
		err := r.Scan(&num, &k.typ, &k.scope)
		cat.kinds[k] = num
		return err
	})
	return cat, err
}

// readUnsealed makes a segment of the unsealed memories. Their words are read on first use: vector
// searches do not need them, and every save changes them.
func (t *tx) readUnsealed(ctx context.Context) (*segment, error) {
	g := &segment{level: levelSmall, project: several, loaded: true, wordless: true}
	err := t.rows(ctx, `SELECT document FROM unsealed ORDER BY seq`, nil, func(r scanner) error {
		var doc sql.RawBytes
		err := r.Scan(&doc)
		if err == nil && len(doc) != postings.DocSize {
			err = postings.ErrDamaged
		}
		g.docs = append(g.docs, doc...)
		return err
	})
	if err != nil || g.docs.Len() == 0 {
		return nil, err
	}
	g.slots, g.live = g.docs.Len(), g.docs.Len()
	for slot := range g.docs.Len() {
		g.tokens += int64(g.docs.Length(slot))
	}
	g.count()
	return g, nil
}

// readWords makes the words of a segment available: those of the unsealed memories are read on first
// use. The snapshot must have the same index state as the one in which g was read.
func (t *tx) readWords(ctx context.Context, g *segment) error {
	if g.num != 0 {
		return nil
	}
	g.loading.Lock()
	defer g.loading.Unlock()
	if !g.wordless {
		return nil
	}
	from, err := t.unsealed(ctx)
	if err != nil {
		return err
	}
	into := &target{segment: &segment{}}
	all, err := gather(from, func(postings.Doc) *target { return into })
	if err != nil {
		return err
	}
	blocks, err := postings.Merge(nil, all.additions(into), blockSize)
	if err != nil {
		return err
	}
	for _, b := range blocks {
		g.firsts = append(g.firsts, b.First)
		g.blocks = append(g.blocks, b.Data)
	}
	g.wordless = false
	return nil
}

// changed marks the index as changed by this transaction and returns the new version.
func (t *tx) changed(ctx context.Context) (version int64, err error) {
	t.touched()
	t.own = nil
	err = t.row(ctx, `UPDATE index_state SET changes = changes + 1 RETURNING changes`, nil, &version)
	if err != nil {
		return 0, fmt.Errorf("change the index: %w", err)
	}
	return version, nil
}

// touched drops the transaction's cached catalogue.
func (t *tx) touched() { t.cat, t.indexed = nil, true }

// kindNum returns the number of a type and scope, adding it if needed.
func (t *tx) kindNum(ctx context.Context, k kind) (uint32, error) {
	const find = `SELECT num FROM kinds WHERE type = ? AND scope = ?`
	if num, known := t.names.kinds[k]; known {
		return num, nil
	}
	var num uint32
	found, err := t.maybe(ctx, find, []any{k.typ, k.scope}, &num)
	if found {
		keep(&t.names.kinds, k, num)
	}
	if found || err != nil {
		return num, err
	}
	if _, err := t.changed(ctx); err != nil {
		return 0, err
	}
	res, err := t.exec(ctx, `INSERT INTO kinds (type, scope) VALUES (?,?)`, k.typ, k.scope)
	if err != nil {
		return 0, fmt.Errorf("number type %q: %w", k.typ, err)
	}
	n, err := res.LastInsertId()
	return uint32(n), err
}
