package sqlite

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/postings"
	"github.com/alanbuscaglia/engram/internal/text"
)

// A score asks of a document its length alone, and a question has words that stand in most
// pages of documents. So large segments have their lengths once more, a sixteenth as long:
// a process that asks one question reads these, and of documents the pages of the best finds.

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

// known returns the documents of a segment if they are in memory; nil if not.
func (g *segment) known() postings.Docs {
	g.loading.Lock()
	defer g.loading.Unlock()
	if !g.loaded {
		return nil
	}
	return g.docs
}

// appendLengths appends the lengths of documents to those of a segment, of which there are
// so many.
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

// patchLength writes the length of a slot of the transaction's own segment anew.
func (t *tx) patchLength(ctx context.Context, g *segment, slot int) error {
	if g.level != levelLarge {
		return nil
	}
	page := slot / pageLengths
	docs := g.docs[page*pageLengths*postings.DocSize : min((page+1)*pageLengths*postings.DocSize, len(g.docs))]
	_, err := t.exec(ctx, `UPDATE lengths SET rows = ? WHERE num = ?`, postings.AppendLengths(nil, docs), part(g.num, page))
	return err
}

// checkLengths holds the lengths of a segment that is loaded against its documents.
func (t *tx) checkLengths(ctx context.Context, g *segment) error {
	if g.level != levelLarge {
		return nil
	}
	alone, err := t.pages(ctx, lengthsSQL, g, postings.LengthSize)
	if err == nil && !bytes.Equal(alone, postings.AppendLengths(nil, g.docs)) {
		err = postings.ErrDamaged
	}
	if err != nil {
		return fmt.Errorf("lengths of segment %d: %w", g.num, err)
	}
	return nil
}

// wordsVersion says which words wordsOf gives for a text. It rises whenever the same
// text would give others; a store that was indexed by another version is indexed anew
// when it is opened, for a word can only be taken out by finding it again.
const wordsVersion = 1

// tagMark opens the word of a tag, by which memories are filtered. No token of a text
// holds it, so a filter never matches a text, nor a text a filter.
const tagMark = "\x01"

// wordCount is a word of a memory.
type wordCount struct {
	word string
	tf   uint32
}

// wordsOf is what the index has of a memory: its words in ascending order, each once
// with its weighted frequency, and its length in tokens. Topic key and tags are found
// like the title. Words without meaning are left out of the content alone: there they
// would cost a third of the index and order nothing.
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

// sameWords reports whether wordsOf gives the same for a and b.
func sameWords(a, b engram.Memory) bool {
	return a.Title == b.Title && a.Content == b.Content && a.TopicKey == b.TopicKey && slices.Equal(a.Tags, b.Tags)
}

// wordBlock writes the words of one memory as a block of a segment whose only document
// it is.
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
