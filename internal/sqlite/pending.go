package sqlite

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/postings"
)

// Sizes of what a transaction keeps of the index until it writes it.
const (
	pendingMost  = 2 * settleAt // memories; some 15 MB with their words and vectors
	pendingBatch = sealAt       // memories whose words are made together
	pendingAhead = 8            // batches that wait for their words: their texts are kept so long
)

// pending are the live memories that a transaction has put into the index and that no
// table of it has yet. They are written when they are many, when somebody asks the index,
// and at the end: an import of a hundred thousand would otherwise sort each of them into
// segments again and again. The words of many are made beside the transaction.
type pending struct {
	list  []putting
	place map[int64]int // in list, of the memories that did not go again
	texts []engram.Memory
	rows  map[vectorOf][]byte // the vectors of those that are whole

	batches chan []engram.Memory // nil: nobody makes words
	done    chan struct{}        // closed when all words are made
	lexicon *lexicon             // these belong to who makes words until done is closed
	words   [][]termCount
	lengths []int
}

// putting is a memory on its way into the index.
type putting struct {
	doc   postings.Doc // without its length
	gone  bool         // taken out again
	whole bool         // new in this transaction: all vectors that it has are in rows
}

// await keeps a live memory for the index; whole says that it was inserted just now.
func (t *tx) await(ctx context.Context, d postings.Doc, m engram.Memory, whole bool) error {
	p := t.pending
	if p == nil {
		p = &pending{place: map[int64]int{}, rows: map[vectorOf][]byte{}}
		t.pending = p
	}
	p.place[d.Num] = len(p.list)
	p.list = append(p.list, putting{doc: d, whole: whole})
	p.texts = append(p.texts, spoken(m))
	if len(p.texts) == pendingBatch {
		if err := t.widen(ctx); err != nil {
			return err
		}
		p.send()
	}
	if len(p.list) < pendingMost {
		return nil
	}
	return t.flush(ctx)
}

// send gives the texts to who makes words of them.
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
	p.lexicon = newLexicon()
	for batch := range p.batches {
		for _, m := range batch {
			words, length := p.lexicon.of(m)
			p.words, p.lengths = append(p.words, words), append(p.lengths, length)
		}
	}
}

// end waits for who makes words.
func (p *pending) end() {
	if p != nil && p.batches != nil {
		close(p.batches)
		<-p.done
		p.batches = nil
	}
}

// forgo leaves the pending memories: they are not to be indexed any more.
func (t *tx) forgo() {
	t.pending.end()
	t.pending = nil
}

// withdraw takes a memory out of the pending ones; waiting says whether it was there.
func (t *tx) withdraw(num int64) (waiting bool) {
	if t.pending == nil {
		return false
	}
	i, waiting := t.pending.place[num]
	if waiting {
		t.pending.list[i].gone = true
		delete(t.pending.place, num)
	}
	return waiting
}

// spoken is what wordsOf reads of a memory.
func spoken(m engram.Memory) engram.Memory {
	return engram.Memory{Title: m.Title, Content: m.Content, TopicKey: m.TopicKey, Tags: m.Tags}
}

// flush takes out of the index what is to leave it, and writes the pending memories into it.
func (t *tx) flush(ctx context.Context) error {
	p, l := t.pending, t.leaving
	t.pending, t.leaving = nil, nil // first: what follows asks the index
	defer p.end()
	if l != nil {
		if err := t.empty(ctx, l); err != nil {
			return err
		}
	}
	if p == nil {
		return nil
	}
	if p.batches != nil {
		return t.flushMany(ctx, p)
	}
	for i, w := range p.list {
		if w.gone {
			continue
		}
		words, length := wordsOf(p.texts[i])
		w.doc.Length = length
		if err := t.put(ctx, w.doc, words); err != nil {
			return err
		}
	}
	return nil
}

// flushMany writes many pending memories straight into segments. They take as many
// numbers of unsealed as rows would, so that what becomes of the segments goes by the
// same count.
func (t *tx) flushMany(ctx context.Context, p *pending) error {
	p.send()
	p.end()
	s := source{words: p.words, lexicon: p.lexicon}
	live := int64(0)
	for i, w := range p.list {
		w.doc.Length, w.doc.Dead = p.lengths[i], w.gone
		s.docs = postings.AppendDoc(s.docs, w.doc)
		if !w.gone {
			live++
		}
	}
	last, seq, err := t.takeNumbers(ctx, max(live, sealAt)) // sealed they must be, not that many
	if err != nil {
		return err
	}
	t.placing = p
	defer func() { t.placing = nil }()
	return t.order(ctx, last, seq, s)
}

// keep keeps the vector of a memory that is pending until it gets a slot; waiting says
// whether it is.
func (p *pending) keep(of vectorOf, row []byte) (waiting bool) {
	if p == nil {
		return false
	}
	i, waiting := p.place[of.memory]
	if waiting && p.list[i].whole {
		p.rows[of] = row
	}
	return waiting
}

// lacks reports whether a memory is pending and surely has no vector yet.
func (p *pending) lacks(of vectorOf) bool {
	if p == nil {
		return false
	}
	i, waiting := p.place[of.memory]
	return waiting && p.list[i].whole && p.rows[of] == nil
}

// known calls fn for the vectors that were kept, and returns the memories of which
// nothing is known.
func (p *pending) known(m model, nums []int64, fn func(num int64, row []byte)) (unknown []int64) {
	if p == nil {
		return nums
	}
	for _, num := range nums {
		if i, here := p.place[num]; !here || !p.list[i].whole {
			unknown = append(unknown, num)
		} else if row := p.rows[vectorOf{m.num, num}]; row != nil {
			fn(num, row)
		}
	}
	return unknown
}

// takeNumbers takes so many numbers of unsealed, from behind last to seq.
func (t *tx) takeNumbers(ctx context.Context, n int64) (last, seq int64, err error) {
	t.touched()
	const query = `INSERT INTO unsealed (memory, document, words) VALUES (0, x'', x'')`
	res, err := t.exec(ctx, query)
	if err == nil {
		last, err = res.LastInsertId()
	}
	if err == nil {
		err = t.run(ctx, `DELETE FROM unsealed WHERE seq = ?`, last)
	}
	last--
	seq = last + n
	if err == nil {
		err = t.run(ctx, `UPDATE sqlite_sequence SET seq = ? WHERE name = 'unsealed'`, seq)
	}
	if err != nil {
		return 0, 0, fmt.Errorf("number the newest memories: %w", err)
	}
	return last, seq, nil
}

// Sizes of what a transaction keeps of the memories that leave the index.
const (
	leavingMost = settleAt // memories; then they are taken out
	// leavingFew is up to how many slots of a segment are emptied one by one, in the blocks
	// of their words alone; beyond, the segment is written anew without them.
	leavingFew = 24
)

// leaving are the memories that a transaction takes out of segments, by segment and slot.
// They leave when they are many, when somebody asks the index, and at the end: whoever
// forgets what an import brought would otherwise write each block of a segment some
// thousand times.
type leaving struct {
	count    int
	segments map[int64]map[int]engram.Memory // only what wordsOf reads
}

// leave notes that a memory is to leave the slot in which it is.
func (t *tx) leave(ctx context.Context, at place, was engram.Memory) error {
	if t.leaving == nil {
		t.leaving = &leaving{segments: map[int64]map[int]engram.Memory{}}
	}
	l := t.leaving
	slots := l.segments[at.segment]
	if slots == nil {
		slots = map[int]engram.Memory{}
		l.segments[at.segment] = slots
	}
	if len(slots) < leavingFew { // of more nobody asks the words
		slots[at.slot] = spoken(was)
	} else {
		slots[at.slot] = engram.Memory{}
	}
	if l.count++; l.count < leavingMost {
		return nil
	}
	return t.flush(ctx)
}

// leaves reports whether a slot is about to be emptied.
func (l *leaving) leaves(at place) bool {
	if l == nil {
		return false
	}
	_, leaves := l.segments[at.segment][at.slot]
	return leaves
}

// empty empties the slots that were noted.
func (t *tx) empty(ctx context.Context, l *leaving) error {
	for _, num := range slices.Sorted(maps.Keys(l.segments)) {
		if err := t.emptySlots(ctx, num, l.segments[num]); err != nil {
			return fmt.Errorf("take memories out of segment %d: %w", num, err)
		}
	}
	return nil
}

func (t *tx) emptySlots(ctx context.Context, segment int64, slots map[int]engram.Memory) error {
	if len(slots) > leavingFew {
		return t.emptyMany(ctx, segment, slots)
	}
	for slot, m := range slots {
		words, _ := wordsOf(m)
		if err := t.vacate(ctx, place{segment, slot}, words); err != nil {
			return err
		}
	}
	return nil
}

// emptyMany writes a segment anew without some of its memories, each in the slot in which
// it was.
func (t *tx) emptyMany(ctx context.Context, num int64, slots map[int]engram.Memory) error {
	g, _, version, err := t.thinning(ctx, num, slots)
	if err != nil || g == nil {
		return err
	}
	old, err := t.blocks(ctx, num)
	if err != nil {
		return err
	}
	blocks, err := postings.Keep(old, func(slot uint32) bool { _, leaves := slots[int(slot)]; return !leaves }, blockSize)
	if err != nil {
		return err
	}
	if err := t.writeBlocks(ctx, num, blocks, len(old)); err != nil {
		return err
	}
	docs, tokens := slices.Clone(g.docs), int64(0)
	dead := postings.AppendDoc(nil, postings.Doc{Dead: true})
	for slot := range slots {
		tokens += int64(docs.Length(slot))
		copy(docs[slot*postings.DocSize:], dead)
	}
	if err := t.appendDocs(ctx, g, 0, docs); err != nil {
		return err
	}
	const query = `UPDATE segments SET version = ?, live = live - ?, tokens = tokens - ?, firsts = ? WHERE num = ?`
	err = t.run(ctx, query, version, len(slots), tokens, postings.AppendWords(nil, firstsOf(blocks)), num)
	return err
}
