package lexicon

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/alanbuscaglia/engram/internal/index"
	"github.com/alanbuscaglia/engram/internal/postings"
)

// Sizes, chosen by measurement (docs/adr/0004-search-schema.md).
const (
	sealAt   = 64          // unsealed memories
	mergeAt  = 8 * sealAt  // memories of small segments that become a medium one
	settleAt = 8 * mergeAt // memories of medium segments that move to large ones
	settlers = settleAt    // slots of sparse large segments that may be moved along
	groups   = 24          // projects that get segments of their own per settling
	enough   = 32          // memories of one project that justify its own segment
	sparse   = 2           // a large segment is dissolved if less than one slot in so many is live

	blockSize   = 3900 // bytes; with its row header a block fills a database page
	pageDocs    = 124  // documents per row, for the same reason
	pageLengths = 1950 // lengths per row, likewise
)

// MaxSlots is the most slots of a segment.
const MaxSlots = 4096

// put adds a live memory to the unsealed ones, and reorganises the newest memories at certain row
// numbers: no counter is needed, and each reorganisation runs once.
func (x *Index) put(ctx context.Context, d postings.Doc, words []wordCount) error {
	before, added := x.before, x.added
	if !x.changes {
		before = x.cat
	}
	x.touched()
	u := index.Unsealed{Memory: d.Num, Document: postings.AppendDoc(nil, d), Words: wordBlock(words)}
	seq, err := x.Store.AddUnsealed(ctx, u)
	if err != nil {
		return err
	}
	if x.Served {
		x.before, x.added = before, append(added, source{docs: u.Document, blocks: [][]byte{u.Words}})
		return nil
	}
	return x.order(ctx, seq-1, seq)
}

// Due reports whether so many memories wait that Seal should move them to segments.
func (x *Index) Due(ctx context.Context) (bool, error) {
	now, err := x.Store.State(ctx)
	return now.Unsealed >= sealAt, err
}

// Seal moves the memories that wait to segments, if it is due.
func (x *Index) Seal(ctx context.Context) error {
	due, err := x.Due(ctx)
	if err != nil || !due {
		return err
	}
	now, err := x.Store.State(ctx)
	if err != nil {
		return err
	}
	all, err := x.segments(ctx)
	if err != nil {
		return err
	}
	small, medium := int(now.Unsealed), 0
	for _, g := range all {
		switch g.level {
		case levelSmall:
			small += g.live
		case levelMedium:
			medium += g.live
		}
	}
	switch {
	case small+medium >= settleAt:
		err = x.settle(ctx, nil)
	case small >= mergeAt:
		err = x.merge(ctx, nil)
	default:
		err = x.seal(ctx, nil)
	}
	return doing(err, "seal the newest memories")
}

// order reorganises the newest memories if the numbers of table unsealed, going from last to seq, pass a
// multiple of a size. more are memories in no table of the index yet.
func (x *Index) order(ctx context.Context, last, seq int64, more ...source) error {
	passed := func(every int64) bool { return last/every < seq/every }
	if !passed(sealAt) {
		return nil
	}
	var err error
	switch {
	case passed(settleAt):
		err = x.settle(ctx, more)
	case passed(mergeAt):
		err = x.merge(ctx, more)
	default:
		err = x.seal(ctx, more)
	}
	return doing(err, "reorganise the newest memories")
}

// unsealed reads the memories that are in no segment.
func (x *Index) unsealed(ctx context.Context) (all []source, err error) {
	err = x.Store.Unsealed(ctx, 0, true, func(u index.Unsealed) error {
		all = append(all, source{docs: u.Document, blocks: [][]byte{u.Words}})
		return nil
	})
	return all, err
}

// seal moves the unsealed memories to a small segment.
func (x *Index) seal(ctx context.Context, more []source) error {
	from, err := x.unsealed(ctx)
	if err != nil {
		return err
	}
	return x.gatherInto(ctx, append(from, more...), levelSmall)
}

// merge moves the unsealed memories and the small segments to a medium segment.
func (x *Index) merge(ctx context.Context, more []source) error {
	from, err := x.sources(ctx, func(g *segment) bool { return g.level == levelSmall })
	if err != nil {
		return err
	}
	return x.gatherInto(ctx, append(from, more...), levelMedium)
}

// gatherInto moves everything in the sources to a new segment, or several if one is too small.
func (x *Index) gatherInto(ctx context.Context, from []source, level int) error {
	var into *target
	all, err := gather(from, func(postings.Doc) *target {
		if into == nil || into.capacity() == 0 {
			into = &target{segment: &segment{level: level, project: Several}}
		}
		return into
	})
	if err != nil {
		return err
	}
	return x.spread(ctx, all, from)
}

// spread writes the targets and removes the sources.
func (x *Index) spread(ctx context.Context, all *gathering, from []source) error {
	for _, to := range all.order {
		if err := x.extend(ctx, to, all.additions(to)); err != nil {
			return err
		}
	}
	if err := x.drop(ctx, from); err != nil {
		return err
	}
	return x.Store.ClearUnsealed(ctx)
}

// settle moves all memories of small and medium segments to large ones: those of the projects with the
// most memories to their own segments, the others to a common one. It also dissolves sparse large
// segments.
func (x *Index) settle(ctx context.Context, more []source) error {
	all, err := x.segments(ctx)
	if err != nil {
		return err
	}
	most := settlers
	from, err := x.sources(ctx, func(g *segment) bool {
		if g.level != levelLarge {
			return !g.outdated()
		}
		if g.live*sparse >= g.slots || g.slots > most {
			return false
		}
		most -= g.slots
		return true
	})
	if err != nil {
		return err
	}
	from = append(from, more...)
	open := map[int64]*target{}
	for _, g := range all {
		leaves := slices.ContainsFunc(from, func(s source) bool { return s.segment == g.num })
		if g.level == levelLarge && g.slots < MaxSlots && !leaves {
			open[g.project] = &target{segment: g}
		}
	}
	large := largest(from)
	gathered, err := gather(from, func(d postings.Doc) *target {
		project := int64(d.Project)
		if !large[project] {
			project = Several
		}
		to := open[project]
		if to == nil || to.capacity() == 0 {
			to = &target{segment: &segment{level: levelLarge, project: project}}
			open[project] = to
		}
		return to
	})
	if err != nil {
		return err
	}
	return x.spread(ctx, gathered, from)
}

// largest selects the projects with at least enough memories in the sources, at most groups of them.
func largest(from []source) map[int64]bool {
	count := map[int64]int{}
	for _, s := range from {
		for slot := range s.docs.Len() {
			if s.docs.Live(slot) {
				count[int64(s.docs.Project(slot))]++
			}
		}
	}
	var projects []int64
	for p, n := range count {
		if n >= enough {
			projects = append(projects, p)
		}
	}
	slices.SortFunc(projects, func(a, b int64) int { return cmp.Or(count[b]-count[a], cmp.Compare(a, b)) })
	large := map[int64]bool{}
	for _, p := range projects[:min(len(projects), groups)] {
		large[p] = true
	}
	return large
}

// sources reads the selected segments and the unsealed memories.
func (x *Index) sources(ctx context.Context, which func(*segment) bool) ([]source, error) {
	all, err := x.segments(ctx)
	if err != nil {
		return nil, err
	}
	chosen, nums := map[int64]*segment{}, []int64(nil)
	for _, g := range all {
		if which(g) {
			chosen[g.num], nums = g, append(nums, g.num)
		}
	}
	docs, err := x.pagesOf(ctx, index.Documents, chosen, nums, postings.DocSize)
	if err != nil {
		return nil, err
	}
	blocks, err := x.blocksOf(ctx, nums)
	if err != nil {
		return nil, err
	}
	from := make([]source, len(nums))
	for i, num := range nums {
		from[i] = source{segment: num, docs: docs[num], blocks: blocks[num]}
	}
	unsealed, err := x.unsealed(ctx)
	return append(from, unsealed...), err
}

// extend appends documents and their words to a segment, creating it if needed.
func (x *Index) extend(ctx context.Context, to *target, adds []postings.Addition) (err error) {
	g, first, n := to.segment, to.segment.slots, to.docs.Len()
	var old [][]byte
	if first > 0 {
		if old, err = x.blocks(ctx, g.num); err != nil {
			return err
		}
	}
	blocks, err := postings.Merge(old, adds, blockSize)
	if err != nil {
		return err
	}
	if g.version, err = x.changed(ctx); err != nil {
		return err
	}
	g.slots, g.live, g.tokens, g.firsts = g.slots+n, g.live+n, g.tokens+to.tokens, firstsOf(blocks)
	if g.num == 0 {
		g.num, err = x.Store.AddSegment(ctx, g.row())
	} else {
		err = x.Store.PutSegment(ctx, g.row())
	}
	if err != nil {
		return err
	}
	if err := x.writeBlocks(ctx, g.num, blocks, len(old)); err != nil {
		return err
	}
	if err := x.appendDocs(ctx, g, first, to.docs); err != nil {
		return err
	}
	nums := make([]int64, n)
	for i := range nums {
		nums[i] = to.docs.Num(i)
	}
	return x.Slots.Placed(ctx, g.num, first, nums, x.inserted)
}

// firstsOf returns the first words of blocks.
func firstsOf(blocks []postings.Block) []string {
	firsts := make([]string, len(blocks))
	for i, b := range blocks {
		firsts[i] = b.First
	}
	return firsts
}

// writeBlocks replaces the old blocks of a segment.
func (x *Index) writeBlocks(ctx context.Context, segment int64, blocks []postings.Block, old int) error {
	for i, b := range blocks {
		if err := x.Store.PutPart(ctx, index.Blocks, index.Place{Segment: segment, N: i}, b.Data); err != nil {
			return err
		}
	}
	if old <= len(blocks) {
		return nil
	}
	return x.Store.CutParts(ctx, index.Blocks, segment, len(blocks))
}

// appendDocs appends documents and their lengths to a segment after its slots.
func (x *Index) appendDocs(ctx context.Context, g *segment, slots int, docs postings.Docs) error {
	if err := x.writeDocs(ctx, g.num, slots, docs); err != nil {
		return err
	}
	return x.appendLengths(ctx, g, slots, docs)
}

// writeDocs is appendDocs without the lengths.
func (x *Index) writeDocs(ctx context.Context, segment int64, slots int, docs postings.Docs) error {
	return x.appendPages(ctx, index.Documents, segment, slots, docs, postings.DocSize, pageDocs)
}

// appendPages appends rows of size bytes each to pages of most rows, after slots existing rows.
func (x *Index) appendPages(ctx context.Context, of index.Sort, segment int64, slots int, rows []byte, size, most int) error {
	page := slots / most
	if slots%most > 0 {
		begun, err := x.part(ctx, of, segment, page)
		if err == nil && len(begun) != slots%most*size {
			err = postings.ErrDamaged
		}
		if err != nil {
			return fmt.Errorf("the last rows of segment %d: %w", segment, err)
		}
		rows = slices.Concat(begun, rows)
	}
	for len(rows) > 0 {
		n := min(len(rows), most*size)
		if err := x.Store.PutPart(ctx, of, index.Place{Segment: segment, N: page}, rows[:n]); err != nil {
			return err
		}
		rows, page = rows[n:], page+1
	}
	return nil
}

// drop removes the segments among the sources.
func (x *Index) drop(ctx context.Context, from []source) error {
	for _, s := range from {
		if s.segment == 0 {
			continue
		}
		if err := x.dropSegment(ctx, s.segment); err != nil {
			return err
		}
	}
	return nil
}

func (x *Index) dropSegment(ctx context.Context, num int64) error {
	if _, err := x.changed(ctx); err != nil {
		return err
	}
	if err := x.Store.DropSegment(ctx, num); err != nil {
		return err
	}
	return x.Slots.Dropped(ctx, num)
}
