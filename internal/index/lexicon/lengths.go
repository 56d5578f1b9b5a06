package lexicon

import (
	"bytes"
	"context"
	"fmt"

	"github.com/alanbuscaglia/engram/internal/index"
	"github.com/alanbuscaglia/engram/internal/postings"
)

// Scoring needs only the lengths of documents, and the words of a query occur in most pages of
// documents. So large segments store the lengths separately too, in a sixteenth of the space: a process
// that runs one query reads these, and the document pages of the best hits only.

// lengthsOf returns the lengths of a segment's documents.
func (x *Index) lengthsOf(ctx context.Context, g *segment) (postings.Lengths, error) {
	g.loading.Lock()
	defer g.loading.Unlock()
	switch {
	case g.lengths != nil:
	case g.loaded:
		return g.docs.Lengths(), nil
	default:
		all, err := x.pages(ctx, index.Lengths, g, postings.LengthSize)
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
	return x.appendPages(ctx, index.Lengths, g.num, slots, postings.AppendLengths(nil, docs), postings.LengthSize, pageLengths)
}

// patchLength rewrites the length of a slot of the transaction's own segment.
func (x *Index) patchLength(ctx context.Context, g *segment, slot int) error {
	if !g.large() {
		return nil
	}
	page := slot / pageLengths
	docs := g.docs[page*pageLengths*postings.DocSize : min((page+1)*pageLengths*postings.DocSize, len(g.docs))]
	return x.Store.PutPart(ctx, index.Lengths, index.Place{Segment: g.num, N: page}, postings.AppendLengths(nil, docs))
}

// checkLengths compares the lengths of a loaded segment with its documents.
func (x *Index) checkLengths(ctx context.Context, g *segment) error {
	if !g.large() {
		return nil
	}
	alone, err := x.pages(ctx, index.Lengths, g, postings.LengthSize)
	if err == nil && !bytes.Equal(alone, postings.AppendLengths(nil, g.docs)) {
		err = postings.ErrDamaged
	}
	return doing(err, "lengths of segment %d", g.num)
}
