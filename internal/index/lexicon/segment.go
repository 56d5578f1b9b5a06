package lexicon

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/alanbuscaglia/engram/internal/index"
	"github.com/alanbuscaglia/engram/internal/postings"
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
	lengths  []byte   // of the documents; nil if not read yet
	wordless bool     // unsealed memories whose words are not ready yet
	waiting  []source // unsealed memories whose words were read along; is not changed
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

// row is what the store keeps of a segment beside its parts.
func (g *segment) row() index.Segment {
	return index.Segment{Num: g.num, Level: g.level, Project: g.project, Version: g.version, Slots: g.slots, Live: g.live, Tokens: g.tokens, Firsts: encodeFirsts(g.firsts)}
}

func readSegment(r index.Segment) (*segment, error) {
	g := &segment{num: r.Num, version: r.Version, level: r.Level, project: r.Project, slots: r.Slots, live: r.Live, tokens: r.Tokens}
	var err error
	if g.firsts, err = postings.ReadWords(r.Firsts); err == nil && (g.slots < 0 || g.slots > postings.MaxSlots) {
		err = postings.ErrDamaged
	}
	return g, doing(err, "segment %d", g.num)
}

// segments reads the segments, without documents and blocks.
func (x *Index) segments(ctx context.Context) (all []*segment, err error) {
	err = x.Store.Segments(ctx, func(r index.Segment) error {
		g, err := readSegment(r)
		all = append(all, g)
		return err
	})
	if err != nil {
		return nil, err
	}
	return all, nil
}

// load ensures that a segment's documents are in memory.
func (x *Index) load(ctx context.Context, g *segment) error {
	g.loading.Lock()
	loaded := g.loaded
	if g.loading.Unlock(); loaded {
		return nil
	}
	return x.loadAll(ctx, g)
}

// loadAll ensures that the documents of segments, which are ordered by number, are in memory.
func (x *Index) loadAll(ctx context.Context, all ...*segment) error {
	var documents, blocks []int64
	lacking := map[int64]*segment{}
	for _, g := range all {
		g.loading.Lock() // in the order of their numbers, as all do
		if g.loaded {
			g.loading.Unlock()
			continue
		}
		defer g.loading.Unlock()
		lacking[g.num], documents = g, append(documents, g.num)
		if !g.large() {
			blocks = append(blocks, g.num)
		}
	}
	if len(lacking) == 0 {
		return nil
	}
	docs, err := x.pagesOf(ctx, index.Documents, lacking, documents, postings.DocSize)
	if err != nil {
		return err
	}
	words, err := x.blocksOf(ctx, blocks)
	if err != nil {
		return err
	}
	for num, g := range lacking {
		g.docs, g.blocks, g.lengths = docs[num], words[num], postings.AppendLengths(nil, docs[num]) // close together, since scoring reads many
		g.count()
		g.loaded = true
	}
	return nil
}

// documents reads the documents of a segment.
func (x *Index) documents(ctx context.Context, g *segment) (postings.Docs, error) {
	return x.pages(ctx, index.Documents, g, postings.DocSize)
}

// pages reads rows of size bytes, one per slot of a segment.
func (x *Index) pages(ctx context.Context, of index.Sort, g *segment, size int) ([]byte, error) {
	all, err := x.pagesOf(ctx, of, map[int64]*segment{g.num: g}, []int64{g.num}, size)
	return all[g.num], err
}

// pagesOf is pages for the segments with these numbers.
func (x *Index) pagesOf(ctx context.Context, of index.Sort, segments map[int64]*segment, nums []int64, size int) (map[int64][]byte, error) {
	all := make(map[int64][]byte, len(nums))
	for num, g := range segments {
		all[num] = make([]byte, 0, g.slots*size)
	}
	err := x.Store.Parts(ctx, of, nums, 0, func(p index.Place, page []byte) error {
		all[p.Segment] = append(all[p.Segment], page...)
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("documents: %w", err)
	}
	for num, g := range segments {
		if len(all[num]) != g.slots*size {
			return nil, fmt.Errorf("documents of segment %d: %w", num, postings.ErrDamaged)
		}
	}
	return all, nil
}

// blocks reads all blocks of a segment.
func (x *Index) blocks(ctx context.Context, segment int64) ([][]byte, error) {
	all, err := x.blocksOf(ctx, []int64{segment})
	return all[segment], err
}

// blocksOf is blocks for several segments.
func (x *Index) blocksOf(ctx context.Context, segments []int64) (map[int64][][]byte, error) {
	all := make(map[int64][][]byte, len(segments))
	err := x.Store.Parts(ctx, index.Blocks, segments, 0, func(p index.Place, block []byte) error {
		all[p.Segment] = append(all[p.Segment], block)
		return nil
	})
	return all, doing(err, "words of segments")
}

// part reads one part of a segment.
func (x *Index) part(ctx context.Context, of index.Sort, segment int64, n int) (data []byte, err error) {
	found := false
	err = x.Store.PartsAt(ctx, of, []index.Place{{Segment: segment, N: n}}, func(_ index.Place, there []byte) error {
		data, found = there, true
		return nil
	})
	if err == nil && !found {
		err = postings.ErrDamaged
	}
	return data, err
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
// is empty but not nil, which a table would take for NULL.
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
	b, err := x.part(ctx, index.Blocks, g.num, n)
	return b, doing(err, "words of segment %d", g.num)
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

// errStop ends an iteration early.
var errStop = errors.New("stop")

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
	return x.Store.Parts(ctx, index.Blocks, []int64{g.num}, n, func(_ index.Place, b []byte) error { return fn(b) })
}
