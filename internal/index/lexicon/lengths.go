package lexicon

import (
	"bytes"
	"context"
	"fmt"

	"github.com/alanbuscaglia/engram/internal/postings"
	"github.com/alanbuscaglia/engram/internal/sqlite/conn"
)

// Scoring needs only the lengths of documents, and the words of a query occur in most pages of
// documents. So large segments store the lengths separately too, in a sixteenth of the space: a process
// that runs one query reads these, and the document pages of the best hits only.

const lengthsSQL = `SELECT rows FROM lengths WHERE num BETWEEN ? AND ? ORDER BY num`

// lengthsOf returns the lengths of a segment's documents.
func (x *Index) lengthsOf(ctx context.Context, g *segment) (postings.Lengths, error) {
	g.loading.Lock()
	defer g.loading.Unlock()
	switch {
	case g.lengths != nil:
	case g.loaded:
		return g.docs.Lengths(), nil
	default:
		all, err := x.pages(ctx, lengthsSQL, g, postings.LengthSize)
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
func (x *Index) appendLengths(ctx context.Context, g *segment, slots int, docs postings.Docs) error {
	if !g.large() {
		return nil
	}
	const (
		read  = `SELECT rows FROM lengths WHERE num = ?`
		write = `INSERT INTO lengths (num, rows) VALUES (?,?) ON CONFLICT (num) DO UPDATE SET rows = excluded.rows`
	)
	return x.appendPages(ctx, read, write, g.num, slots, postings.AppendLengths(nil, docs), postings.LengthSize, pageLengths)
}

// patchLength rewrites the length of a slot of the transaction's own segment.
func (x *Index) patchLength(ctx context.Context, g *segment, slot int) error {
	if !g.large() {
		return nil
	}
	page := slot / pageLengths
	docs := g.docs[page*pageLengths*postings.DocSize : min((page+1)*pageLengths*postings.DocSize, len(g.docs))]
	err := x.DB.Run(ctx, `UPDATE lengths SET rows = ? WHERE num = ?`, postings.AppendLengths(nil, docs), part(g.num, page))
	return err
}

// checkLengths compares the lengths of a loaded segment with its documents.
func (x *Index) checkLengths(ctx context.Context, g *segment) error {
	if !g.large() {
		return nil
	}
	alone, err := x.pages(ctx, lengthsSQL, g, postings.LengthSize)
	if err == nil && !bytes.Equal(alone, postings.AppendLengths(nil, g.docs)) {
		err = postings.ErrDamaged
	}
	return conn.Doing(err, "lengths of segment %d", g.num)
}
