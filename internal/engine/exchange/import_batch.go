package exchange

import (
	"bufio"
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
)

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
		for b, err := range workAhead(spooledLines(in), incomingOf) {
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

// incomingOf decodes records, and makes of each memory the state to be merged.
func incomingOf(lines [][]byte) spooledBatch {
	b := spooledBatch{records: make([]Incoming, len(lines))}
	for n, line := range lines {
		if b.err = json.Unmarshal(line, &b.records[n]); b.err != nil {
			break
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
