package sqlite

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/postings"
	"github.com/alanbuscaglia/engram/internal/text"
)

// segment is a part of the index in one snapshot. Loaded parts are immutable, so all connections of the
// process share them.
type segment struct {
	num     int64 // 0 for the unsealed memories
	version int64
	level   int
	project int64 // its only project, or several
	slots   int
	live    int
	tokens  int64
	firsts  []string // first word of each block
	private bool     // a copy that one transaction changes

	loading  sync.Mutex
	loaded   bool
	lengths  []byte // of a large segment, if read separately; nil otherwise
	wordless bool   // unsealed memories whose words are not read yet
	docs     postings.Docs
	blocks   [][]byte          // of a small segment: reading them one by one costs more than keeping them
	shares   map[uint32]*share // by project, if there are several
}

// share is one project's part of a segment.
type share struct {
	live   int
	tokens int64
}

// several is the project of a segment with memories of more than one project.
const several = -1

// Small and medium segments are merged; large ones are filled up.
const (
	levelSmall  = 1
	levelMedium = 2
	levelLarge  = 3
)

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

func scanSegment(r scanner) (*segment, error) {
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
func (t *tx) segments(ctx context.Context) ([]*segment, error) {
	return list(ctx, t, "read segments", segmentsSQL, nil, scanSegment)
}

// load ensures that a segment's documents are in memory.
func (t *tx) load(ctx context.Context, g *segment) error {
	g.loading.Lock()
	defer g.loading.Unlock()
	if g.loaded {
		return nil
	}
	docs, err := t.documents(ctx, g)
	if err != nil {
		return err
	}
	if g.level != levelLarge {
		if g.blocks, err = t.blocks(ctx, g.num); err != nil {
			return err
		}
	}
	g.docs = docs
	g.count()
	g.loaded = true
	return nil
}

// documents reads the documents of a segment.
func (t *tx) documents(ctx context.Context, g *segment) (postings.Docs, error) {
	docs, err := t.pages(ctx, documentsSQL, g, postings.DocSize)
	return docs, doing(err, "documents of segment %d", g.num)
}

// pages reads rows of size bytes, one per slot of a segment.
func (t *tx) pages(ctx context.Context, query string, g *segment, size int) ([]byte, error) {
	all := make([]byte, 0, g.slots*size)
	err := t.rows(ctx, query, []any{part(g.num, 0), part(g.num+1, 0) - 1}, func(r scanner) error {
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
func (t *tx) blocks(ctx context.Context, segment int64) ([][]byte, error) {
	doing := fmt.Sprintf("words of segment %d", segment)
	return list(ctx, t, doing, blocksSQL, []any{part(segment, 0), part(segment+1, 0) - 1}, scanOne[[]byte])
}

// count fills shares.
func (g *segment) count() {
	if g.project != several {
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
func (t *tx) block(ctx context.Context, g *segment, n int) ([]byte, error) {
	if g.blocks != nil {
		if n >= len(g.blocks) {
			return nil, fmt.Errorf("segment %d: %w", g.num, postings.ErrDamaged)
		}
		return g.blocks[n], nil
	}
	var b []byte
	err := t.row(ctx, blockSQL, []any{part(g.num, n)}, &b)
	return b, doing(err, "words of segment %d", g.num)
}

// list returns a segment's postings of a word.
func (t *tx) list(ctx context.Context, g *segment, word string) (postings.List, error) {
	if err := t.readWords(ctx, g); err != nil {
		return postings.List{}, err
	}
	n := g.blockOf(word)
	if n < 0 {
		return postings.List{}, nil
	}
	b, err := t.block(ctx, g, n)
	if err != nil {
		return postings.List{}, err
	}
	raw, found, err := postings.Find(b, word)
	if err != nil || !found {
		return postings.List{}, err
	}
	return postings.ReadList(raw)
}

// errStop ends an iteration early.
var errStop = errors.New("stop")

// walk calls fn for the words of a segment that are not less than from, in order, until fn returns
// false. The word is valid until fn returns, the list longer.
func (t *tx) walk(ctx context.Context, g *segment, from string, fn func(word []byte, list []byte) bool) error {
	if err := t.readWords(ctx, g); err != nil {
		return err
	}
	n := max(g.blockOf(from), 0)
	err := t.eachBlock(ctx, g, n, func(b []byte) error {
		e := postings.NewEntries(b)
		for e.Next() {
			if string(e.Word()) >= from && !fn(e.Word(), e.List()) {
				return errStop
			}
		}
		return e.Err()
	})
	if errors.Is(err, errStop) {
		return nil
	}
	return err
}

// eachBlock calls fn for the blocks of a loaded segment from block n on. One statement for all costs a
// third of one per block.
func (t *tx) eachBlock(ctx context.Context, g *segment, n int, fn func([]byte) error) error {
	if err := t.readWords(ctx, g); err != nil {
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
	return t.rows(ctx, blocksSQL, []any{part(g.num, n), part(g.num+1, 0) - 1}, func(r scanner) error {
		var b []byte
		if err := r.Scan(&b); err != nil {
			return err
		}
		return fn(b)
	})
}

// Sizes of a connection's page cache in KiB. A transaction that adds thousands of memories touches pages
// all over the indexes of ids, hashes and titles; with the usual size it would write and read each page
// some ten times.
const (
	usualPages = 2 << 10
	manyPages  = 32 << 10
)

func pagesSQL(kib int) string { return fmt.Sprintf("PRAGMA cache_size = -%d", kib) }

// widen enlarges the page cache for a large transaction.
func (t *tx) widen(ctx context.Context) error {
	if t.wide {
		return nil
	}
	t.wide = true
	return t.conn.exec(ctx, pagesSQL(manyPages))
}

// narrow restores its size when the transaction is over.
func (t *tx) narrow() {
	if !t.wide {
		return
	}
	// The caller's context may be done already. If this fails, only memory is wasted, and the connection
	// is discarded.
	if err := t.conn.exec(context.Background(), pagesSQL(usualPages)+`; PRAGMA shrink_memory`); err != nil {
		t.conn.broken = true
	}
}

// Scoring needs only the lengths of documents, and the words of a query occur in most pages of
// documents. So large segments store the lengths separately too, in a sixteenth of the space: a process
// that runs one query reads these, and the document pages of the best hits only.

const lengthsSQL = `SELECT rows FROM lengths WHERE num BETWEEN ? AND ? ORDER BY num`

// lengthsOf returns the lengths of a segment's documents.
func (t *tx) lengthsOf(ctx context.Context, g *segment) (postings.Lengths, error) {
	g.loading.Lock()
	defer g.loading.Unlock()
	if g.loaded {
		return g.docs.Lengths(), nil
	}
	if g.lengths == nil {
		all, err := t.pages(ctx, lengthsSQL, g, postings.LengthSize)
		if err != nil {
			return postings.Lengths{}, fmt.Errorf("lengths of segment %d: %w", g.num, err)
		}
		g.lengths = all
	}
	return postings.ReadLengths(g.lengths), nil
}

// known returns the documents of a segment if they are loaded, nil otherwise.
func (g *segment) known() postings.Docs {
	g.loading.Lock()
	defer g.loading.Unlock()
	if !g.loaded {
		return nil
	}
	return g.docs
}

// appendLengths appends the lengths of documents to a large segment after its slots.
func (t *tx) appendLengths(ctx context.Context, g *segment, slots int, docs postings.Docs) error {
	if g.level != levelLarge {
		return nil
	}
	const (
		read  = `SELECT rows FROM lengths WHERE num = ?`
		write = `INSERT INTO lengths (num, rows) VALUES (?,?) ON CONFLICT (num) DO UPDATE SET rows = excluded.rows`
	)
	return t.appendPages(ctx, read, write, g.num, slots, postings.AppendLengths(nil, docs), postings.LengthSize, pageLengths)
}

// patchLength rewrites the length of a slot of the transaction's own segment.
func (t *tx) patchLength(ctx context.Context, g *segment, slot int) error {
	if g.level != levelLarge {
		return nil
	}
	page := slot / pageLengths
	docs := g.docs[page*pageLengths*postings.DocSize : min((page+1)*pageLengths*postings.DocSize, len(g.docs))]
	err := t.run(ctx, `UPDATE lengths SET rows = ? WHERE num = ?`, postings.AppendLengths(nil, docs), part(g.num, page))
	return err
}

// checkLengths compares the lengths of a loaded segment with its documents.
func (t *tx) checkLengths(ctx context.Context, g *segment) error {
	if g.level != levelLarge {
		return nil
	}
	alone, err := t.pages(ctx, lengthsSQL, g, postings.LengthSize)
	if err == nil && !bytes.Equal(alone, postings.AppendLengths(nil, g.docs)) {
		err = postings.ErrDamaged
	}
	return doing(err, "lengths of segment %d", g.num)
}

// wordsVersion identifies the tokenisation of wordsOf. Increase it whenever the same text would give
// other words: stores with another version are reindexed when opened, because removing a memory requires
// the words it was indexed with.
const wordsVersion = 1

// tagMark opens the words that encode tags. Tokens never contain it, so tags and texts cannot match each
// other.
const tagMark = "\x01"

// wordCount is a word of a memory.
type wordCount struct {
	word string
	tf   uint32
}

// wordsOf returns the indexed words of a memory in ascending order, each with its weighted frequency,
// and its length in tokens. Topic key and tags count like the title. Stop words are left out of the
// content, where they would take a third of the index without affecting the ranking.
func wordsOf(m engram.Memory) (words []wordCount, length int) {
	tf := make(map[string]uint32, 64)
	text.Scan(text.Title(m), func(t text.Token) {
		length++
		tf[t.Text()] += text.TitleWeight
	})
	text.Scan(m.Content, func(t text.Token) {
		if !t.Stop {
			length++
			tf[t.Text()]++
		}
	})
	for _, tag := range m.Tags {
		tf[tagMark+tag] = 1
	}
	words = make([]wordCount, 0, len(tf))
	for w, n := range tf {
		words = append(words, wordCount{w, n})
	}
	slices.SortFunc(words, func(a, b wordCount) int { return strings.Compare(a.word, b.word) })
	return words, length
}

// sameWords reports whether wordsOf returns the same for a and b.
func sameWords(a, b engram.Memory) bool {
	return a.Title == b.Title && a.Content == b.Content && a.TopicKey == b.TopicKey && slices.Equal(a.Tags, b.Tags)
}

// wordBlock encodes the words of one memory as a block of a segment with a single document.
func wordBlock(words []wordCount) []byte {
	w := postings.NewWriter(1 << 30)
	var list []byte
	for _, c := range words {
		list = postings.AppendList(list[:0], []postings.Posting{{Slot: 0, TF: c.tf}})
		w.Add([]byte(c.word), list)
	}
	if blocks := w.Blocks(); len(blocks) > 0 {
		return blocks[0].Data
	}
	return []byte{}
}
