package exchange

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
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
	first [][]Incoming // kept as they are, in batches, about mostKept bytes of texts: most imports have no more
	kept  int          // bytes of texts in first
	spool Spool        // of the others
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

// bytes returns about how much memory a record takes.
func (r Incoming) bytes() int {
	const row = 1000
	n := row
	if r.Memory != nil {
		n += len(r.Memory.Memory.Title) + len(r.Memory.Memory.Content) + len(r.Memory.Memory.Summary)
		for _, v := range r.Memory.Revisions {
			n += row + len(v.Title) + len(v.Content)
		}
		for _, v := range r.Memory.Vectors {
			n += row + 4*len(v.Values)
		}
	}
	if r.Prompt != nil {
		n += len(r.Prompt.Content)
	}
	return n
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

// mostKept is how many bytes of texts are kept without a spool.
const mostKept = 16 << 20

func (w *spooledRecords) add(r Incoming) error {
	w.total++
	if w.kept < mostKept {
		last := len(w.first) - 1
		if last < 0 || len(w.first[last]) == BatchSize {
			w.first = append(w.first, make([]Incoming, 0, BatchSize))
			last++
		}
		w.first[last], w.kept = append(w.first[last], r), w.kept+r.bytes()
		return nil
	}
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

type spooledBatch struct {
	records  []Incoming
	computed computed // of their texts
	err      error
}

// computed is what was computed from texts before they are written.
type computed struct {
	vectors map[string][]float32           // by the text that is embedded
	flags   map[string][]screen.Suspicious // by judgedBy; nil for a memory that is not flagged
}

// BatchSize is how many records are decoded together.
const BatchSize = 128

// batchesAhead is how many batches are under way besides the one that is written.
const batchesAhead = 4

// each calls fn with every record, in batches. While one is written, other goroutines decode and compute the next:
// other writers wait for the transaction. compute is called for each batch, in order and by the same goroutine, some
// batches before fn; what it returns is called in another goroutine.
func (w *spooledRecords) each(ctx context.Context, compute func(context.Context, []Incoming) (func() computed, error), fn func(spooledBatch) error) error {
	if err := w.out.Flush(); err != nil {
		return fmt.Errorf("spool records: %w", err)
	}
	in, err := w.spool.Rewind()
	if err != nil {
		return err
	}
	type task struct {
		records []Incoming
		run     func() computed
	}
	tasks := func(yield func(task, error) bool) {
		for b, err := range workAhead(w.batches(in), incomingOf) {
			t := task{records: b.records}
			if err = cmp.Or(err, b.err); err != nil {
				err = fmt.Errorf("read spooled records: %w", err)
			} else {
				t.run, err = compute(ctx, b.records)
			}
			if !yield(t, err) {
				return
			}
		}
	}
	for b, err := range workAhead(tasks, func(t task) spooledBatch { return spooledBatch{records: t.records, computed: t.run()} }) {
		if err == nil {
			err = fn(b)
		}
		if err != nil {
			return err
		}
	}
	return ctx.Err()
}

// workAhead yields work(x) for each x of in, in that order. Up to batchesAhead calls are under way in other goroutines;
// they have ended when the loop ends. An error of in is yielded at once.
func workAhead[A, B any](in iter.Seq2[A, error], work func(A) B) iter.Seq2[B, error] {
	return func(yield func(B, error) bool) {
		var workers sync.WaitGroup
		defer workers.Wait()
		var window []chan B
		for x, err := range in {
			if err != nil {
				yield(*new(B), err)
				return
			}
			done := make(chan B, 1)
			workers.Go(func() { done <- work(x) })
			if window = append(window, done); len(window) < batchesAhead {
				continue
			}
			if !yield(<-window[0], nil) {
				return
			}
			window = window[1:]
		}
		for _, done := range window {
			if !yield(<-done, nil) {
				return
			}
		}
	}
}

// spooledLines yields kept records, undecoded, up to batchSize at a time.
func spooledLines(spool io.Reader) iter.Seq2[[][]byte, error] {
	return func(yield func([][]byte, error) bool) {
		in := bufio.NewReaderSize(spool, 1<<16)
		for more := true; more; {
			var lines [][]byte
			for more && len(lines) < BatchSize {
				line, err := in.ReadBytes('\n')
				if more = len(line) > 0; more && err != nil || err != nil && !errors.Is(err, io.EOF) {
					yield(nil, err)
					return
				}
				if more {
					lines = append(lines, line)
				}
			}
			if len(lines) > 0 && !yield(lines, nil) {
				return
			}
		}
	}
}

// undecoded are records that come in: lines of a spool, or the records themselves.
type undecoded struct {
	lines   [][]byte
	records []Incoming
}

// batches yields all records, up to BatchSize at a time.
func (w *spooledRecords) batches(spool io.Reader) iter.Seq2[undecoded, error] {
	return func(yield func(undecoded, error) bool) {
		for n, records := range w.first {
			if w.first[n] = nil; !yield(undecoded{records: records}, nil) {
				return
			}
		}
		for lines, err := range spooledLines(spool) {
			if !yield(undecoded{lines: lines}, err) {
				return
			}
		}
	}
}

// incomingOf decodes records, and makes of each memory the state to be merged.
func incomingOf(u undecoded) spooledBatch {
	b := spooledBatch{records: u.records}
	if b.records == nil {
		b.records = make([]Incoming, len(u.lines))
	}
	for n := range b.records {
		if u.lines != nil {
			if b.err = json.Unmarshal(u.lines[n], &b.records[n]); b.err != nil {
				break
			}
		}
		b.records[n].prepare()
	}
	return b
}

// computeNew looks up a batch, and returns a function that embeds and judges its new memories.
func (i *Importing) computeNew(ctx context.Context, records []Incoming) (func() computed, error) {
	if err := i.LookUp(ctx, records); err != nil {
		return nil, err
	}
	fresh := i.fresh(records)
	return func() computed {
		flags := make(map[string][]screen.Suspicious, len(fresh))
		for _, r := range fresh {
			flags[screen.JudgedBy(r.Memory.Memory)] = screen.SuspicionsOf(r.Memory.Memory)
		}
		return computed{i.Porter.EmbedAhead(ctx, fresh), flags}
	}, nil
}

// EmbedAhead computes the vectors of memories that come in. If the model fails they have none until the next Reembed.
func (p *Porter) EmbedAhead(ctx context.Context, records []Incoming) map[string][]float32 {
	if p.ledger.Embedder == nil || !p.ledger.Embedder.Model().Instant {
		return nil
	}
	var texts []string
	for _, r := range records {
		if r.Memory != nil && !r.Memory.Memory.Forgotten() {
			texts = append(texts, ledger.EmbeddedText(r.Memory.Memory))
		}
	}
	if len(texts) == 0 {
		return nil
	}
	vectors, err := ledger.VectorsOf(ctx, p.ledger.Embedder, texts, engram.RoleMemory)
	if err != nil {
		return nil
	}
	embedded := make(map[string][]float32, len(texts))
	for i, v := range vectors {
		embedded[texts[i]] = v
	}
	return embedded
}
