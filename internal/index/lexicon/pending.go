package lexicon

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/postings"
)

// Limits of the index changes that a transaction buffers.
const (
	pendingMost  = 2 * settleAt // memories; some 15 MB with their words and vectors
	pendingBatch = sealAt       // memories that are tokenised together
	pendingAhead = 8            // batches that may wait for tokenising, with their texts
)

// pending are live memories that a transaction has added to the index but not yet written to its tables.
// They are written when they reach a limit, when the index is read, and before the commit: otherwise an
// import of a hundred thousand would rewrite segments again and again. Many memories are tokenised in a
// goroutine beside the transaction.
type pending struct {
	list  []pendingDoc
	place map[int64]int // index in list, except of memories removed again
	texts []engram.Memory

	batches    chan []engram.Memory // to the tokenising goroutine; nil if it does not run
	done       chan struct{}        // closed when all memories are tokenised
	vocabulary *vocabulary          // owned by the goroutine until done is closed
	words      [][]termCount
	lengths    []int
}

// pendingDoc is a memory on its way into the index.
type pendingDoc struct {
	doc   postings.Doc // without its length
	gone  bool         // removed again
	whole bool         // inserted in this transaction
}

// addPending adds a live memory to the pending ones; whole tells that this transaction inserted it.
func (x *Index) addPending(ctx context.Context, d postings.Doc, m engram.Memory, whole bool) error {
	p := x.pending
	if p == nil {
		p = &pending{place: map[int64]int{}}
		x.pending = p
	}
	p.place[d.Num] = len(p.list)
	p.list = append(p.list, pendingDoc{doc: d, whole: whole})
	p.texts = append(p.texts, indexedFields(m))
	if len(p.texts) == pendingBatch {
		p.send()
	}
	if len(p.list) < pendingMost {
		return nil
	}
	return x.Flush(ctx)
}

// send passes the texts to the tokenising goroutine, starting it if needed.
func (p *pending) send() {
	if p.batches == nil {
		p.batches, p.done = make(chan []engram.Memory, pendingAhead), make(chan struct{})
		go p.makeWords()
	}
	p.batches <- p.texts
	p.texts = nil
}

func (p *pending) makeWords() {
	defer close(p.done)
	p.vocabulary = newVocabulary()
	for batch := range p.batches {
		for _, m := range batch {
			words, length := p.vocabulary.of(m)
			p.words, p.lengths = append(p.words, words), append(p.lengths, length)
		}
	}
}

// end waits for the tokenising goroutine.
func (p *pending) end() {
	if p != nil && p.batches != nil {
		close(p.batches)
		<-p.done
		p.batches = nil
	}
}

// Discard drops the pending changes, and ends the goroutine beside the transaction.
func (x *Index) Discard() {
	x.pending.end()
	x.pending = nil
}

// removePending removes a memory from the pending ones; waiting reports whether it was there.
func (x *Index) removePending(num int64) (waiting bool) {
	if x.pending == nil {
		return false
	}
	i, waiting := x.pending.place[num]
	if waiting {
		x.pending.list[i].gone = true
		delete(x.pending.place, num)
	}
	return waiting
}

// indexedFields returns the fields of a memory that wordsOf reads.
func indexedFields(m engram.Memory) engram.Memory {
	return engram.Memory{Title: m.Title, Content: m.Content, TopicKey: m.TopicKey, ToolName: m.ToolName, Tags: m.Tags}
}

// Flush writes the buffered removals and additions to the tables of the index.
func (x *Index) Flush(ctx context.Context) error {
	p, l := x.pending, x.leaving
	x.pending, x.leaving = nil, nil // reset first: the statements below read the index
	defer p.end()
	if l != nil {
		if err := x.empty(ctx, l); err != nil {
			return err
		}
	}
	if p == nil {
		return nil
	}
	defer x.Slots.Written()
	if p.batches != nil {
		return x.flushMany(ctx, p)
	}
	for i, w := range p.list {
		if w.gone {
			continue
		}
		words, length := wordsOf(p.texts[i])
		w.doc.Length = length
		if err := x.put(ctx, w.doc, words); err != nil {
			return err
		}
	}
	return nil
}

// flushMany writes many pending memories straight into segments. They take as many numbers of table
// unsealed as rows would, because these numbers decide when segments are merged.
func (x *Index) flushMany(ctx context.Context, p *pending) error {
	p.send()
	p.end()
	s := source{words: p.words, vocabulary: p.vocabulary}
	live := int64(0)
	for i, w := range p.list {
		w.doc.Length, w.doc.Dead = p.lengths[i], w.gone
		s.docs = postings.AppendDoc(s.docs, w.doc)
		if !w.gone {
			live++
		}
	}
	n := max(live, sealAt) // at least one sealing, however few they are
	x.touched()
	last, err := x.Store.Reserve(ctx, n)
	if err != nil {
		return err
	}
	x.placing = p
	defer func() { x.placing = nil }()
	return x.order(ctx, last, last+n, s)
}

// Waiting reports whether a memory waits to be written to the index, and so has no slot, and whether this
// transaction has inserted it.
func (x *Index) Waiting(num int64) (waiting, inserted bool) { return x.pending.waiting(num) }

func (p *pending) waiting(num int64) (waiting, inserted bool) {
	if p == nil {
		return false, false
	}
	i, waiting := p.place[num]
	return waiting, waiting && p.list[i].whole
}

// inserted reports whether a memory is being placed that this transaction has inserted.
func (x *Index) inserted(num int64) bool {
	_, inserted := x.placing.waiting(num)
	return inserted
}

// Limits of the removals that a transaction buffers.
const (
	leavingMost = settleAt // memories
	// leavingFew is up to how many slots of a segment are emptied one by one, changing only the blocks
	// of their words; for more, the segment is rewritten.
	leavingFew = 24
)

// leaving are memories to be removed from segments, by segment and slot. They are removed when they
// reach a limit, when the index is read, and before the commit: otherwise forgetting a large import
// would write each block of a segment thousands of times.
type leaving struct {
	count    int
	segments map[int64]map[int]engram.Memory // only the fields that wordsOf reads
}

// leave buffers the removal of a memory from its slot.
func (x *Index) leave(ctx context.Context, at place, was engram.Memory) error {
	if x.leaving == nil {
		x.leaving = &leaving{segments: map[int64]map[int]engram.Memory{}}
	}
	l := x.leaving
	slots := l.segments[at.segment]
	if slots == nil {
		slots = map[int]engram.Memory{}
		l.segments[at.segment] = slots
	}
	if len(slots) < leavingFew { // for more, the words are not needed
		slots[at.slot] = indexedFields(was)
	} else {
		slots[at.slot] = engram.Memory{}
	}
	if l.count++; l.count < leavingMost {
		return nil
	}
	return x.Flush(ctx)
}

// leaves reports whether a slot is about to be emptied.
func (l *leaving) leaves(at place) bool {
	if l == nil {
		return false
	}
	_, leaves := l.segments[at.segment][at.slot]
	return leaves
}

// empty executes the buffered removals.
func (x *Index) empty(ctx context.Context, l *leaving) error {
	for _, num := range slices.Sorted(maps.Keys(l.segments)) {
		if err := x.emptySlots(ctx, num, l.segments[num]); err != nil {
			return fmt.Errorf("remove memories from segment %d: %w", num, err)
		}
	}
	return nil
}

func (x *Index) emptySlots(ctx context.Context, segment int64, slots map[int]engram.Memory) error {
	all, err := x.standing(ctx)
	if err != nil {
		return err
	}
	// Of an outdated segment the words are not those of the texts.
	if i := slices.IndexFunc(all, numbered(segment)); len(slots) > leavingFew || i >= 0 && all[i].outdated() {
		return x.emptyMany(ctx, segment, slots)
	}
	for slot, m := range slots {
		words, _ := wordsOf(m)
		if err := x.vacate(ctx, place{segment, slot}, words); err != nil {
			return err
		}
	}
	return nil
}

// emptyMany rewrites a segment without some of its memories; the others keep their slots.
func (x *Index) emptyMany(ctx context.Context, num int64, slots map[int]engram.Memory) error {
	g, _, version, err := x.thinning(ctx, num, slots)
	if err != nil || g == nil {
		return err
	}
	old, err := x.blocks(ctx, num)
	if err != nil {
		return err
	}
	blocks, err := postings.Keep(old, func(slot uint32) bool { _, leaves := slots[int(slot)]; return !leaves }, blockSize)
	if err != nil {
		return err
	}
	if err := x.writeBlocks(ctx, num, blocks, len(old)); err != nil {
		return err
	}
	docs, tokens := slices.Clone(g.docs), int64(0)
	dead := postings.AppendDoc(nil, postings.Doc{Dead: true})
	for slot := range slots {
		tokens += int64(docs.Length(slot))
		copy(docs[slot*postings.DocSize:], dead)
	}
	if err := x.appendDocs(ctx, g, 0, docs); err != nil {
		return err
	}
	row := g.row()
	row.Version, row.Live, row.Tokens, row.Firsts = version, g.live-len(slots), g.tokens-tokens, encodeFirsts(firstsOf(blocks))
	return x.Store.PutSegment(ctx, row)
}
