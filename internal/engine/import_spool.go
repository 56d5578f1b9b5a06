package engine

import (
	"bufio"
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"iter"
	"slices"
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
	frame []byte // room for the one that is written
	total int
}

// incoming is a record that was looked at.
type incoming struct {
	engram.Record
	// Undated says that the times of a memory cannot be true: they are in the future.
	// Whatever is here counts as later.
	Undated bool
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
	if e.spool != nil {
		var err error
		if s, err = e.spool(); err != nil {
			return nil, err
		}
	}
	return &waiting{spool: s, out: bufio.NewWriterSize(s, 1<<16)}, nil
}

// drop removes what was kept. What cannot be removed is a file in a folder for such.
func (w *waiting) drop() { _ = w.spool.Close() }

// add keeps a record: its length, and then what packed makes of it.
func (w *waiting) add(r incoming) (err error) {
	w.total++
	if w.frame, err = packed(w.frame[:0], r); err == nil {
		_, err = w.out.Write(binary.AppendUvarint(nil, uint64(len(w.frame))))
	}
	if err == nil {
		_, err = w.out.Write(w.frame)
	}
	if err != nil {
		return fmt.Errorf("keep what was read: %w", err)
	}
	return nil
}

// lot are records that come back from where they waited.
type lot struct {
	records  []incoming
	embedded <-chan map[string][]float32 // vectors of their texts, once
	err      error
}

// lotSize is how many records come back together.
const lotSize = 128

// lotsAhead is how many lots are under way beside the one that is written, in their order.
const lotsAhead = 4

// each calls fn with every record, in lots. While one is written, others unpack the next and
// put their texts into vectors: whoever writes keeps others waiting. embed is called for each
// lot in its turn some lots before fn, by the same goroutine; what it returns is called beside.
func (w *waiting) each(ctx context.Context, embed func(context.Context, []incoming) (func() map[string][]float32, error), fn func(lot) error) error {
	if err := w.out.Flush(); err != nil {
		return fmt.Errorf("keep what was read: %w", err)
	}
	in, err := w.spool.Rewind()
	if err != nil {
		return err
	}
	ahead := make(chan chan lot, lotsAhead)
	var readers sync.WaitGroup
	defer readers.Wait()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	readers.Go(func() {
		defer close(ahead)
		from := bufio.NewReaderSize(in, 1<<16)
		for more := true; more; {
			frames, err := nextFrames(from)
			more = len(frames) == lotSize && err == nil
			next := make(chan lot, 1)
			select {
			case ahead <- next:
			case <-ctx.Done():
				return
			}
			readers.Go(func() {
				b := lot{err: err}
				if err == nil {
					b.records, b.err = incomingOf(frames)
				}
				next <- b
			})
		}
	})
	var window []lot
	write := func() error {
		b := window[0]
		window = window[1:]
		return fn(b)
	}
	for next := range ahead {
		b := <-next
		if b.err != nil {
			return fmt.Errorf("read what was kept: %w", b.err)
		}
		vectors, err := embed(ctx, b.records)
		if err != nil {
			return err
		}
		embedded := make(chan map[string][]float32, 1)
		b.embedded = embedded
		readers.Go(func() { embedded <- vectors() })
		if window = append(window, b); len(window) < lotsAhead {
			continue
		}
		if err := write(); err != nil {
			return err
		}
	}
	for len(window) > 0 {
		if err := write(); err != nil {
			return err
		}
	}
	return ctx.Err()
}

// nextFrames reads up to lotSize records as they were packed; fewer are the last.
func nextFrames(in *bufio.Reader) ([]string, error) {
	var all []string
	var frame []byte
	for len(all) < lotSize {
		n, err := binary.ReadUvarint(in)
		if errors.Is(err, io.EOF) {
			break
		}
		if err == nil {
			frame = slices.Grow(frame[:0], int(n))[:n]
			_, err = io.ReadFull(in, frame)
		}
		if err != nil {
			return nil, err
		}
		all = append(all, string(frame))
	}
	return all, nil
}

// incomingOf unpacks records, and makes of each memory the state that is to be merged.
func incomingOf(frames []string) ([]incoming, error) {
	all := make([]incoming, len(frames))
	for n, frame := range frames {
		var err error
		if all[n], err = unpacked(frame); err != nil {
			return nil, err
		}
		all[n].prepare()
	}
	return all, nil
}

// embedNew looks a lot up, and returns what embeds those of it that are not here.
func (i *importing) embedNew(ctx context.Context, records []incoming) (func() map[string][]float32, error) {
	if err := i.lookUp(ctx, records); err != nil {
		return nil, err
	}
	fresh := i.fresh(records)
	return func() map[string][]float32 { return i.embedAhead(ctx, fresh) }, nil
}

// embedAhead reckons the vectors of memories that come in. A model that cannot answer costs
// them their vectors until the next Reembed.
func (e *Engine) embedAhead(ctx context.Context, records []incoming) map[string][]float32 {
	if e.embedder == nil || !e.embedder.Model().Instant {
		return nil
	}
	var texts []string
	for _, r := range records {
		if r.Memory != nil && !r.Memory.Memory.Forgotten() {
			texts = append(texts, embeddedText(r.Memory.Memory))
		}
	}
	if len(texts) == 0 {
		return nil
	}
	vectors, err := vectorsOf(ctx, e.embedder, texts, engram.RoleMemory)
	if err != nil {
		return nil
	}
	embedded := make(map[string][]float32, len(texts))
	for i, v := range vectors {
		embedded[texts[i]] = v
	}
	return embedded
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
	c := cleaning{now: e.now(), project: in.Project}
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
