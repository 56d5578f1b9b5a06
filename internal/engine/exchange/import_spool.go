package exchange

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"iter"
	"sync"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/engine/ledger"
	"github.com/alanbuscaglia/engram/internal/engine/screen"
	"github.com/alanbuscaglia/engram/internal/lifecycle"
)

// Spool keeps bytes that are written, then read once from the beginning. It is used by one goroutine.
type Spool interface {
	io.Writer
	// Rewind ends the writing.
	Rewind() (io.Reader, error)
	// Close removes what was kept.
	Close() error
}

// memorySpool is a Spool in memory, for imports of moderate size.
type memorySpool struct{ bytes.Buffer }

// Rewind implements Spool.
func (s *memorySpool) Rewind() (io.Reader, error) { return &s.Buffer, nil }

// Close implements Spool.
func (s *memorySpool) Close() error { return nil }

// spooledRecords are the good records of a file. A file is read to its end before anything is written: a slow one
// would block other writers, and a broken one would be half in.
type spooledRecords struct {
	spool Spool
	out   *bufio.Writer
	lines *json.Encoder // to out
	total int
}

// Incoming is a cleaned record on its way in.
type Incoming struct {
	engram.Record
	// Undated says that the times of a memory or a relation are missing or in the future: the thing here counts as
	// later.
	Undated bool
	// Cut are the kinds of secrets that were removed from a memory. Whether to report them depends on the memory
	// here.
	Cut []string
	// state is the memory as a state to merge, if it was prepared.
	state *engram.Record
}

// prepare computes the state of a memory, which hashes all its texts, before the transaction needs it.
func (r *Incoming) prepare() {
	if r.Memory != nil {
		s := lifecycle.Normal(stateOf(*r))
		r.state = &s
	}
}

func (p *Porter) newSpool() (*spooledRecords, error) {
	var s Spool = &memorySpool{}
	if p.spool != nil {
		var err error
		if s, err = p.spool(); err != nil {
			return nil, err
		}
	}
	out := bufio.NewWriterSize(s, 1<<16)
	lines := json.NewEncoder(out)
	lines.SetEscapeHTML(false)
	return &spooledRecords{spool: s, out: out, lines: lines}, nil
}

// drop removes what was kept. A file that cannot be removed is in a folder for temporary files.
func (w *spooledRecords) drop() { _ = w.spool.Close() }

func (w *spooledRecords) add(r Incoming) error {
	w.total++
	if err := w.lines.Encode(r); err != nil {
		return fmt.Errorf("spool records: %w", err)
	}
	return nil
}

// readAll cleans the records of a file and keeps them until the file was read to its end. It rejects items that are
// wrong. One goroutine decodes while this one cleans.
func (p *Porter) readAll(ctx context.Context, records iter.Seq2[engram.Record, error], in ImportInput, res *Imported) (*spooledRecords, error) {
	w, err := p.newSpool()
	if err != nil {
		return nil, err
	}
	c := Cleaning{Now: p.ledger.Now(), project: in.Project, Redactor: p.screen.Redactor(), mine: in.Mine, numbers: in.own}
	if in.own {
		c.Origin = engram.OriginAgent
	}
	for rec, err := range readAhead(ctx, records) {
		if err == nil {
			err = c.take(rec, w, res)
		}
		if err != nil {
			w.drop()
			return nil, err
		}
	}
	return w, nil
}

// readAhead yields records that another goroutine reads meanwhile, until ctx is done. That goroutine has ended when the
// loop ends.
func readAhead(ctx context.Context, records iter.Seq2[engram.Record, error]) iter.Seq2[engram.Record, error] {
	type item struct {
		record engram.Record
		err    error
	}
	return func(yield func(engram.Record, error) bool) {
		items := make(chan item, 64)
		var reader sync.WaitGroup
		defer reader.Wait()
		ctx, cancel := context.WithCancel(ctx)
		defer cancel()
		reader.Go(func() {
			defer close(items)
			for record, err := range records {
				select {
				case items <- item{record, err}:
				case <-ctx.Done():
					return
				}
			}
		})
		for next := range items {
			if ctx.Err() != nil {
				break
			}
			if !yield(next.record, next.err) || next.err != nil {
				return
			}
		}
		if err := ctx.Err(); err != nil {
			yield(engram.Record{}, err)
		}
	}
}

func (c Cleaning) take(rec engram.Record, w *spooledRecords, res *Imported) error {
	flaw := rec.Flaw
	var clean Incoming
	if flaw == nil {
		clean, flaw = c.Record(rec)
	}
	if flaw != nil {
		reason := flaw.Error()
		if coded, ok := flaw.(*engram.Error); ok {
			reason = coded.Msg // without its cause, which is for programs
		}
		res.Reject(rec, engram.ImportNote{Item: rec.Item, Name: ledger.NameOf(rec), Reason: screen.Line(reason)})
		return nil
	}
	c.ReportCut(rec, &clean, res)
	return w.add(clean)
}

// ReportCut notes which secrets were removed from a record. For a memory it keeps them for the transaction.
func (c Cleaning) ReportCut(rec engram.Record, clean *Incoming, res *Imported) {
	if clean.Memory != nil {
		clean.Cut = c.Redactor.Kinds
	} else {
		noteCut(rec, c.Redactor.Kinds, res)
	}
	c.Redactor.Kinds = nil
}

// ReportCut notes which secrets were removed from a memory that comes in.
func (i *Importing) ReportCut(r Incoming) { noteCut(r.Record, r.Cut, i.Res) }

func noteCut(rec engram.Record, kinds []string, res *Imported) {
	if len(kinds) > 0 {
		res.Note(engram.ImportNote{Item: rec.Item, Name: ledger.NameOf(rec), Reason: screen.CutWarning(kinds)})
	}
}
