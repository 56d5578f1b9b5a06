package lexicon

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/alanbuscaglia/engram/internal/postings"
	"github.com/alanbuscaglia/engram/internal/sqlite/conn"
)

// segment is a part of the index in one snapshot. Loaded parts are immutable, so all connections of the
// process share them.
type segment struct {
	num     int64 // 0 for the unsealed memories
	version int64
	level   int
	project int64 // its only project, or Several
	slots   int
	live    int
	tokens  int64
	firsts  []string // first word of each block
	private bool     // a copy that one transaction changes

	loading  sync.Mutex
	loaded   bool
	lengths  []byte // of the documents; nil if not read yet
	wordless bool   // unsealed memories whose words are not read yet
	docs     postings.Docs
	blocks   [][]byte          // of a small segment: reading them one by one costs more than keeping them
	shares   map[uint32]*share // by project, if there are several

	ordering  sync.Once
	bySession *inSessions
}

// share is one project's part of a segment.
type share struct {
	live   int
	tokens int64
}

// Small and medium segments are merged; large ones are filled up. Of outdated ones the level is negative (renew.go).
const (
	levelSmall  = 1
	levelMedium = 2
	levelLarge  = 3
)

func (g *segment) large() bool { return g.level == levelLarge || g.level == -levelLarge }

func numbered(num int64) func(*segment) bool { return func(g *segment) bool { return g.num == num } }

func (g *segment) outdated() bool { return g.level < 0 }

// part is the number of a row of postings, documents or lengths.
func part(segment int64, n int) int64 { return segment<<16 | int64(n) }

const (
	segmentColumns  = `num, version, level, coalesce(project, -1), slots, live, tokens, firsts`
	segmentsSQL     = `SELECT ` + segmentColumns + ` FROM segments ORDER BY num`
	documentsSQL    = `SELECT rows FROM documents WHERE num BETWEEN ? AND ? ORDER BY num`
	documentPageSQL = `SELECT rows FROM documents WHERE num = ?`
	blocksSQL       = `SELECT words FROM postings WHERE num BETWEEN ? AND ? ORDER BY num`
	blockSQL        = `SELECT words FROM postings WHERE num = ?`
	unsealedSQL     = `SELECT document, words FROM unsealed ORDER BY seq`
)

func scanSegment(r conn.Scanner) (*segment, error) {
	var g segment
	var firsts []byte
	if err := r.Scan(&g.num, &g.version, &g.level, &g.project, &g.slots, &g.live, &g.tokens, &firsts); err != nil {
		return nil, err
	}
	var err error
	if g.firsts, err = postings.ReadWords(firsts); err == nil && (g.slots < 0 || g.slots > postings.MaxSlots) {
		err = postings.ErrDamaged
	}
	if err != nil {
		return nil, fmt.Errorf("segment %d: %w", g.num, err)
	}
	return &g, nil
}

// segments reads the segments, without documents and blocks.
func (x *Index) segments(ctx context.Context) ([]*segment, error) {
	return conn.List(ctx, x.DB, "read segments", segmentsSQL, nil, scanSegment)
}

// load ensures that a segment's documents are in memory.
func (x *Index) load(ctx context.Context, g *segment) error {
	g.loading.Lock()
	defer g.loading.Unlock()
	if g.loaded {
		return nil
	}
	docs, err := x.documents(ctx, g)
	if err != nil {
		return err
	}
	if !g.large() {
		if g.blocks, err = x.blocks(ctx, g.num); err != nil {
			return err
		}
	}
	g.docs, g.lengths = docs, postings.AppendLengths(nil, docs) // close together, since scoring reads many
	g.count()
	g.loaded = true
	return nil
}

// documents reads the documents of a segment.
func (x *Index) documents(ctx context.Context, g *segment) (postings.Docs, error) {
	docs, err := x.pages(ctx, documentsSQL, g, postings.DocSize)
	return docs, conn.Doing(err, "documents of segment %d", g.num)
}

// pages reads rows of size bytes, one per slot of a segment.
func (x *Index) pages(ctx context.Context, query string, g *segment, size int) ([]byte, error) {
	all := make([]byte, 0, g.slots*size)
	err := x.DB.Rows(ctx, query, []any{part(g.num, 0), part(g.num+1, 0) - 1}, func(r conn.Scanner) error {
		var page sql.RawBytes
		err := r.Scan(&page)
		all = append(all, page...)
		return err
	})
	if err == nil && len(all) != g.slots*size {
		err = postings.ErrDamaged
	}
	return all, err
}

// blocks reads all blocks of a segment.
func (x *Index) blocks(ctx context.Context, segment int64) ([][]byte, error) {
	doing := fmt.Sprintf("words of segment %d", segment)
	return conn.List(ctx, x.DB, doing, blocksSQL, []any{part(segment, 0), part(segment+1, 0) - 1}, conn.One[[]byte])
}

// count fills shares.
func (g *segment) count() {
	if g.project != Several {
		return
	}
	g.shares = map[uint32]*share{}
	for slot := range g.docs.Len() {
		if !g.docs.Live(slot) {
			continue
		}
		s := g.shares[g.docs.Project(slot)]
		if s == nil {
			s = &share{}
			g.shares[g.docs.Project(slot)] = s
		}
		s.live++
		s.tokens += int64(g.docs.Length(slot))
	}
}

// encodeFirsts encodes the first words of blocks. Of none, which are those of memories without words, it
// is empty but not nil, which the table would take for NULL.
func encodeFirsts(firsts []string) []byte { return postings.AppendWords([]byte{}, firsts) }

// blockOf returns the only block that may contain word; -1 if word sorts before all blocks.
func (g *segment) blockOf(word string) int {
	n, found := slices.BinarySearch(g.firsts, word)
	if !found {
		return n - 1
	}
	for n+1 < len(g.firsts) && g.firsts[n+1] == word { // emptied blocks repeat the first word of the next
		n++
	}
	return n
}

// block reads one block of a loaded segment.
func (x *Index) block(ctx context.Context, g *segment, n int) ([]byte, error) {
	if g.blocks != nil {
		if n >= len(g.blocks) {
			return nil, fmt.Errorf("segment %d: %w", g.num, postings.ErrDamaged)
		}
		return g.blocks[n], nil
	}
	var b []byte
	found, err := x.DB.Maybe(ctx, blockSQL, []any{part(g.num, n)}, &b)
	if err == nil && !found {
		err = postings.ErrDamaged
	}
	return b, conn.Doing(err, "words of segment %d", g.num)
}

// list returns a segment's postings of a word.
func (x *Index) list(ctx context.Context, g *segment, word string) (postings.List, error) {
	if err := x.readWords(ctx, g); err != nil {
		return postings.List{}, err
	}
	n := g.blockOf(word)
	if n < 0 {
		return postings.List{}, nil
	}
	b, err := x.block(ctx, g, n)
	if err != nil {
		return postings.List{}, err
	}
	raw, found, err := postings.Find(b, word)
	if err != nil || !found {
		return postings.List{}, err
	}
	return postings.ReadList(raw)
}

// walk calls fn for the words of a segment that are not less than from, in order, until fn returns
// false. The word is valid until fn returns, the list longer.
func (x *Index) walk(ctx context.Context, g *segment, from string, fn func(word []byte, list []byte) bool) error {
	if err := x.readWords(ctx, g); err != nil {
		return err
	}
	n := max(g.blockOf(from), 0)
	err := x.eachBlock(ctx, g, n, func(b []byte) error {
		e := postings.NewEntries(b)
		for e.Next() {
			if string(e.Word()) >= from && !fn(e.Word(), e.List()) {
				return conn.ErrStop
			}
		}
		return e.Err()
	})
	if errors.Is(err, conn.ErrStop) {
		return nil
	}
	return err
}

// eachBlock calls fn for the blocks of a loaded segment from block n on. One statement for all costs a
// third of one per block.
func (x *Index) eachBlock(ctx context.Context, g *segment, n int, fn func([]byte) error) error {
	if err := x.readWords(ctx, g); err != nil {
		return err
	}
	if g.blocks != nil {
		for _, b := range g.blocks[min(n, len(g.blocks)):] {
			if err := fn(b); err != nil {
				return err
			}
		}
		return nil
	}
	return x.DB.Rows(ctx, blocksSQL, []any{part(g.num, n), part(g.num+1, 0) - 1}, func(r conn.Scanner) error {
		var b []byte
		if err := r.Scan(&b); err != nil {
			return err
		}
		return fn(b)
	})
}
