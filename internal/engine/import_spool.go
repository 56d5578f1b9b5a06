package engine

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/alanbuscaglia/engram"
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
	spool   Spool
	out     *bufio.Writer
	encoder *json.Encoder
	total   int
}

// incoming is a record that was looked at.
type incoming struct {
	engram.Record
	// Undated says that the times of a memory cannot be true: they are in the future.
	// Whatever is here counts as later.
	Undated bool `json:",omitempty"`
}

func (e *Engine) newWaiting() (*waiting, error) {
	var s Spool = &memorySpool{}
	if e.spool != nil {
		var err error
		if s, err = e.spool(); err != nil {
			return nil, err
		}
	}
	out := bufio.NewWriterSize(s, 1<<16)
	return &waiting{spool: s, out: out, encoder: json.NewEncoder(out)}, nil
}

// drop removes what was kept. What cannot be removed is a file in a folder for such.
func (w *waiting) drop() { _ = w.spool.Close() }

func (w *waiting) add(r incoming) error {
	w.total++
	if err := w.encoder.Encode(r); err != nil {
		return fmt.Errorf("keep what was read: %w", err)
	}
	return nil
}

// each calls fn with every record.
func (w *waiting) each(fn func(incoming) error) error {
	if err := w.out.Flush(); err != nil {
		return fmt.Errorf("keep what was read: %w", err)
	}
	in, err := w.spool.Rewind()
	if err != nil {
		return err
	}
	d := json.NewDecoder(bufio.NewReaderSize(in, 1<<16))
	for {
		var r incoming
		err := d.Decode(&r)
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("read what was kept: %w", err)
		}
		if err := fn(r); err != nil {
			return err
		}
	}
}

// readAll reads a file to its end, cleans what is in it and keeps it. What is wrong is
// rejected here already.
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
	c := cleaning{now: e.now(), project: in.Project}
	for rec, err := range records {
		if err == nil {
			err = ctx.Err()
		}
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

// take cleans one record and keeps it, or rejects it.
func (c cleaning) take(rec engram.Record, w *waiting, res *Imported) error {
	flaw := rec.Flaw
	var clean incoming
	if flaw == nil {
		clean, flaw = c.record(rec)
	}
	if flaw != nil {
		res.Reject(rec, engram.ImportNote{Item: rec.Item, Name: nameOf(rec), Reason: line(flaw.Error())})
		return nil
	}
	return w.add(clean)
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
