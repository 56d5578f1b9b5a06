package lexicon

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/alanbuscaglia/engram/internal/postings"
	"github.com/alanbuscaglia/engram/internal/sqlite/conn"
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
	x.touched()
	res, err := x.DB.Exec(ctx, `INSERT INTO unsealed (memory, document, words) VALUES (?,?,?)`,
		d.Num, postings.AppendDoc(nil, d), wordBlock(words))
	if err != nil {
		return fmt.Errorf("index memory %d: %w", d.Num, err)
	}
	seq, err := res.LastInsertId()
	if err != nil {
		return err
	}
	return x.order(ctx, seq-1, seq)
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
	return conn.Doing(err, "reorganise the newest memories")
}

// unsealed reads the memories that are in no segment.
func (x *Index) unsealed(ctx context.Context) ([]source, error) {
	return conn.List(ctx, x.DB, "read unsealed memories", unsealedSQL, nil, func(r conn.Scanner) (source, error) {
		var doc, words []byte
		err := r.Scan(&doc, &words)
		return source{docs: doc, blocks: [][]byte{words}}, err
	})
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
	err := x.DB.Run(ctx, `DELETE FROM unsealed`)
	return err
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
	var from []source
	for _, g := range all {
		if !which(g) {
			continue
		}
		s := source{segment: g.num}
		if s.docs, err = x.documents(ctx, g); err != nil {
			return nil, err
		}
		if s.blocks, err = x.blocks(ctx, g.num); err != nil {
			return nil, err
		}
		from = append(from, s)
	}
	unsealed, err := x.unsealed(ctx)
	return append(from, unsealed...), err
}

// extend appends documents and their words to a segment, creating it if needed.
func (x *Index) extend(ctx context.Context, to *target, adds []postings.Addition) error {
	g := to.segment
	first := g.slots
	version, err := x.changed(ctx)
	if err != nil {
		return err
	}
	if g.num == 0 {
		res, err := x.DB.Exec(ctx, `INSERT INTO segments (level, project, version, slots, live, tokens, firsts) VALUES (?,?,0,0,0,0,'')`, g.level, projectOrNull(g.project))
		if err != nil {
			return err
		}
		if g.num, err = res.LastInsertId(); err != nil {
			return err
		}
	}
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
	if err := x.writeBlocks(ctx, g.num, blocks, len(old)); err != nil {
		return err
	}
	if err := x.appendDocs(ctx, g, first, to.docs); err != nil {
		return err
	}
	const query = `UPDATE segments SET version = ?, slots = slots + ?, live = live + ?, tokens = tokens + ?, firsts = ? WHERE num = ?`
	n := to.docs.Len()
	if err := x.DB.Run(ctx, query, version, n, n, to.tokens, encodeFirsts(firstsOf(blocks)), g.num); err != nil {
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
	const (
		update = `UPDATE postings SET words = ? WHERE num = ?`
		insert = `INSERT INTO postings (words, num) VALUES (?,?)`
	)
	for i, b := range blocks {
		query := update
		if i >= old {
			query = insert
		}
		if err := x.DB.Run(ctx, query, b.Data, part(segment, i)); err != nil {
			return err
		}
	}
	err := x.DB.Run(ctx, `DELETE FROM postings WHERE num BETWEEN ? AND ?`, part(segment, len(blocks)), part(segment+1, 0)-1)
	return err
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
	const write = `INSERT INTO documents (num, rows) VALUES (?,?) ON CONFLICT (num) DO UPDATE SET rows = excluded.rows`
	return x.appendPages(ctx, documentPageSQL, write, segment, slots, docs, postings.DocSize, pageDocs)
}

// appendPages appends rows of size bytes each to pages of most rows, after slots existing rows.
func (x *Index) appendPages(ctx context.Context, read, write string, segment int64, slots int, rows []byte, size, most int) error {
	page := slots / most
	if slots%most > 0 {
		var begun []byte
		if _, err := x.DB.Maybe(ctx, read, []any{part(segment, page)}, &begun); err != nil {
			return err
		}
		if len(begun) != slots%most*size {
			return fmt.Errorf("the last rows of segment %d: %w", segment, postings.ErrDamaged)
		}
		rows = append(begun, rows...)
	}
	for len(rows) > 0 {
		n := min(len(rows), most*size)
		if err := x.DB.Run(ctx, write, part(segment, page), rows[:n]); err != nil {
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
	first, last := part(num, 0), part(num+1, 0)-1
	err := x.DB.RunAll(ctx, conn.With(`DELETE FROM postings WHERE num BETWEEN ? AND ?`, first, last),
		conn.With(`DELETE FROM documents WHERE num BETWEEN ? AND ?`, first, last),
		conn.With(`DELETE FROM lengths WHERE num BETWEEN ? AND ?`, first, last), conn.With(`DELETE FROM segments WHERE num = ?`, num))
	if err != nil {
		return err
	}
	return x.Slots.Dropped(ctx, num)
}

func projectOrNull(project int64) any {
	if project == Several {
		return nil
	}
	return project
}
