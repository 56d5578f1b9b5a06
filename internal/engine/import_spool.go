package engine

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
	"github.com/alanbuscaglia/engram/internal/lifecycle"
)

// Spool keeps bytes for a while: what is written to it can be read from its beginning
// once. It is used by one goroutine.
type Spool interface {
	io.Writer
	// Rewind ends the writing.
	Rewind() (io.Reader, error)
	// Close removes what was kept.
	Close() error
}

// memorySpool is a Spool for imports of a moderate size.
type memorySpool struct{ bytes.Buffer }

// Rewind implements Spool.
func (s *memorySpool) Rewind() (io.Reader, error) { return &s.Buffer, nil }

// Close implements Spool.
func (s *memorySpool) Close() error { return nil }

// waiting are the records of a file that were found good, on their way to the store: a
// file is read to its end before anything is written, for a slow one would keep every
// other writer waiting, and a broken one would be half in.
type waiting struct {
	spool Spool
	out   *bufio.Writer
	lines *json.Encoder // to out
	total int
}

// incoming is a record that was looked at.
type incoming struct {
	engram.Record
	// Undated says that the times of a memory or a relation are not told, or cannot be true:
	// they are in the future. Whatever is here counts as later.
	Undated bool
	// Cut are the kinds of secrets that were cut out of a memory: whether that is to be
	// told is known only beside what the memory says here.
	Cut []string
	// state is a memory as a state to be merged, when it was made ahead; nil: not yet.
	state *engram.Record
}

// prepare makes the state of a memory: that hashes all that it says, and need not wait.
func (r *incoming) prepare() {
	if r.Memory != nil {
		s := lifecycle.Normal(stateOf(*r))
		r.state = &s
	}
}

func (e *Engine) newWaiting() (*waiting, error) {
	var s Spool = &memorySpool{}
	if e.options.Spool != nil {
		var err error
		if s, err = e.options.Spool(); err != nil {
			return nil, err
		}
	}
	out := bufio.NewWriterSize(s, 1<<16)
	lines := json.NewEncoder(out)
	lines.SetEscapeHTML(false)
	return &waiting{spool: s, out: out, lines: lines}, nil
}

// drop removes what was kept. What cannot be removed is a file in a folder for such.
func (w *waiting) drop() { _ = w.spool.Close() }

// add keeps a record, as a line of JSON.
func (w *waiting) add(r incoming) error {
	w.total++
	if err := w.lines.Encode(r); err != nil {
		return fmt.Errorf("keep what was read: %w", err)
	}
	return nil
}

// readAll reads a file to its end, cleans what is in it and keeps it. What is wrong is
// rejected here already. One goroutine decodes while this one cleans.
func (e *Engine) readAll(ctx context.Context, f engram.Format, r io.Reader, in ImportInput, res *Imported) (*waiting, error) {
	head, records, err := f.Read(r)
	if err != nil {
		return nil, err
	}
	res.From = head
	w, err := e.newWaiting()
	if err != nil {
		return nil, err
	}
	c := cleaning{now: e.now(), project: in.Project, redactor: e.redactor(), mine: in.Mine, numbers: in.own}
	if in.own {
		c.origin = engram.OriginAgent
	}
	err = readAhead(ctx, records, func(rec engram.Record) error { return c.take(rec, w, res) })
	if err != nil {
		w.drop()
		return nil, err
	}
	return w, nil
}

// readAhead calls fn with records that another goroutine reads, until either has an error or
// ctx is done. That goroutine has ended when readAhead returns.
func readAhead(ctx context.Context, records iter.Seq2[engram.Record, error], fn func(engram.Record) error) error {
	type piece struct {
		records []engram.Record
		err     error
	}
	const size = 32
	pieces, stop := make(chan piece, 2), make(chan struct{})
	var reader sync.WaitGroup
	defer reader.Wait()
	defer close(stop)
	reader.Go(func() {
		defer close(pieces)
		var p piece
		send := func() bool {
			select {
			case pieces <- p:
				p = piece{}
				return true
			case <-stop:
				return false
			}
		}
		for rec, err := range records {
			if p.err = err; err == nil {
				p.records = append(p.records, rec)
			}
			if (err != nil || len(p.records) == size) && (!send() || err != nil) {
				return
			}
		}
		send()
	})
	for p := range pieces {
		for _, rec := range p.records {
			if err := ctx.Err(); err != nil {
				return err
			}
			if err := fn(rec); err != nil {
				return err
			}
		}
		if p.err != nil {
			return p.err
		}
	}
	return ctx.Err()
}

// take cleans one record and keeps it, or rejects it.
func (c cleaning) take(rec engram.Record, w *waiting, res *Imported) error {
	flaw := rec.Flaw
	var clean incoming
	if flaw == nil {
		clean, flaw = c.record(rec)
	}
	if flaw != nil {
		reason := flaw.Error()
		if told, ok := flaw.(*engram.Error); ok {
			reason = told.Msg // its cause is for programs
		}
		res.Reject(rec, engram.ImportNote{Item: rec.Item, Name: nameOf(rec), Reason: line(reason)})
		return nil
	}
	c.reportCut(rec, &clean, res)
	return w.add(clean)
}

// reportCut notes what secrets were cut out of a record, and forgets them; of a memory they are kept for
// whoever takes it in.
func (c cleaning) reportCut(rec engram.Record, clean *incoming, res *Imported) {
	if clean.Memory != nil {
		clean.Cut = c.redactor.kinds
	} else {
		noteCut(rec, c.redactor.kinds, res)
	}
	c.redactor.kinds = nil
}

// reportCut notes what secrets were cut out of a memory that is taken in.
func (i *importing) reportCut(r incoming) { noteCut(r.Record, r.Cut, i.res) }

func noteCut(rec engram.Record, kinds []string, res *Imported) {
	if len(kinds) > 0 {
		res.Note(engram.ImportNote{Item: rec.Item, Name: nameOf(rec), Reason: cutWarning(kinds)})
	}
}

// nameOf is what a record calls itself, for a message.
func nameOf(r engram.Record) string {
	switch {
	case r.Project != nil:
		return line(r.Project.Name)
	case r.Session != nil:
		return line(r.Session.ID)
	case r.Prompt != nil:
		return line(r.Prompt.SyncID)
	case r.Memory != nil && r.Memory.Memory.ID != "":
		return line(string(r.Memory.Memory.ID))
	case r.Memory != nil:
		return line(r.Memory.Memory.SyncID)
	case r.Relation != nil:
		return line(r.Relation.Relation.ID)
	case r.Erased != nil:
		return line(r.Erased.ID)
	}
	return ""
}
