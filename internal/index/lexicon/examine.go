package lexicon

import (
	"context"
	"fmt"
	"hash/fnv"
	"math"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/health"
	"github.com/alanbuscaglia/engram/internal/index"
	"github.com/alanbuscaglia/engram/internal/postings"
)

// Document is a live memory as its table has it, and what Examine found of it in the index.
type Document struct {
	Home
	Type    engram.Type
	Scope   engram.Scope
	Created int64 // milliseconds since 1970

	slots  int    // number of slots it was found in
	length int    // in tokens, in the index
	words  uint64 // checksum of its words in the index
}

// Examine compares every slot with the live memories, by number, and decodes every list; with q.Full it
// compares the words with the texts, over which texts calls its function. An index that cannot be read to
// its end is into.Broken; the error is that of ctx or texts.
func (x *Index) Examine(ctx context.Context, q health.Query, live map[int64]*Document, texts func(context.Context, func(engram.Memory) error) error, into *health.Index) error {
	into.Live = len(live)
	e := examination{Index: x, live: live, most: q.Most, into: into}
	if into.Broken = e.read(ctx); into.Broken != nil {
		return ctx.Err()
	}
	for num, m := range live {
		switch {
		case m.slots == 0:
			into.Missing.Add(num, q.Most)
		case m.slots > 1:
			into.Doubled.Add(num, q.Most)
		}
	}
	if !q.Full {
		return nil
	}
	return texts(ctx, func(m engram.Memory) error { e.compareWords(m); return nil })
}

// examination is the state of Examine.
type examination struct {
	*Index
	live map[int64]*Document
	most int // memories to name of a kind
	into *health.Index
}

// read reads the whole index the way searches do.
func (x *examination) read(ctx context.Context) error {
	cat, err := x.catalogue(ctx)
	if err != nil {
		return err
	}
	for _, g := range cat.all() {
		if err := x.load(ctx, g); err != nil {
			return err
		}
		of, err := x.compare(g, cat.kinds)
		if err == nil {
			err = x.checkLengths(ctx, g)
		}
		if err == nil {
			err = x.decode(ctx, g, of)
		}
		if err != nil {
			return fmt.Errorf("segment %d: %w", g.num, err)
		}
	}
	return nil
}

// compare compares the documents of a segment with the memories, and returns these by slot; nil for
// dead slots and unknown memories.
func (x *examination) compare(g *segment, kinds map[index.Kind]uint32) ([]*Document, error) {
	of := make([]*Document, g.docs.Len())
	live, tokens := 0, int64(0)
	for slot := range of {
		d := g.docs.Doc(slot)
		if d.Dead {
			continue
		}
		live++
		tokens += int64(d.Length)
		if g.project != Several && int64(d.Project) != g.project {
			return nil, fmt.Errorf("memory %d is of another project than its segment: %w", d.Num, postings.ErrDamaged)
		}
		m := x.live[d.Num]
		if m == nil {
			x.into.Dead.Add(d.Num, x.most)
			continue
		}
		m.slots++
		m.length, of[slot] = d.Length, m
		num, known := kinds[index.Kind{Type: m.Type, Scope: m.Scope}]
		if m.Home != (Home{int64(d.Project), int64(d.Session)}) || m.Created != d.Created || !known || num != d.Kind {
			x.into.Moved.Add(d.Num, x.most)
		}
	}
	x.into.Indexed += live
	if live != g.live || tokens != g.tokens {
		return nil, fmt.Errorf("it has %d memories of %d tokens and counts %d of %d: %w", live, tokens, g.live, g.tokens, postings.ErrDamaged)
	}
	return of, nil
}

// decode decodes every list of a segment and adds each word to its memories' checksums.
func (x *examination) decode(ctx context.Context, g *segment, of []*Document) error {
	var scratch []postings.Posting
	n, last := 0, ""
	err := x.eachBlock(ctx, g, 0, func(b []byte) error {
		if n == len(g.firsts) {
			return postings.ErrDamaged
		}
		e := postings.NewEntries(b)
		for first := true; e.Next(); first = false {
			if string(e.Word()) <= last || first && string(e.Word()) != g.firsts[n] {
				return fmt.Errorf("a word stands in a wrong place: %w", postings.ErrDamaged)
			}
			last = string(e.Word())
			x.into.Words++
			l, err := postings.ReadList(e.List())
			if err == nil {
				scratch, err = l.Decode(scratch[:0])
			}
			if err != nil {
				return err
			}
			sum := wordSum(e.Word())
			for _, p := range scratch {
				if int(p.Slot) >= len(of) || !g.docs.Live(int(p.Slot)) {
					return fmt.Errorf("a word of no memory: %w", postings.ErrDamaged)
				}
				if m := of[p.Slot]; m != nil {
					m.words += sum * uint64(p.TF)
				}
			}
		}
		n++
		return e.Err()
	})
	if err == nil && n != len(g.firsts) {
		err = postings.ErrDamaged
	}
	return doing(err, "words")
}

// wordSum is a word's contribution to a checksum that does not depend on the order.
func wordSum(word []byte) uint64 {
	h := fnv.New64a()
	_, _ = h.Write(word) // never fails
	return h.Sum64()
}

// compareWords tokenises a text again. A memory with other words in the index counts as missing.
func (x *examination) compareWords(m engram.Memory) {
	var sum uint64
	words, length := wordsOf(m)
	for _, w := range words {
		sum += wordSum([]byte(w.word)) * uint64(w.tf)
	}
	if has := x.live[m.Num]; has != nil && has.slots == 1 && (has.words != sum || has.length != min(length, math.MaxUint16)) {
		x.into.Missing.Add(m.Num, x.most)
	}
}
