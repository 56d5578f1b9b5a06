package engine

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"sync"

	"github.com/alanbuscaglia/engram"
)

// lot are records that come back from where they waited.
type lot struct {
	records []incoming
	ahead   <-chan computed // of their texts, once
	err     error
}

// computed is what was found out of texts before they are written.
type computed struct {
	vectors  map[string][]float32    // by the text that is embedded
	suspects map[string][]suspicious // what reads like an order, by judgedBy; nil of a memory where nothing does
}

// lotSize is how many records come back together.
const lotSize = 128

// lotsAhead is how many lots are under way beside the one that is written, in their order.
const lotsAhead = 4

// each calls fn with every record, in lots. While one is written, others decode the next and
// reckon with their texts: whoever writes keeps others waiting. reckon is called for each
// lot in its turn some lots before fn, by the same goroutine; what it returns is called beside.
func (w *waiting) each(ctx context.Context, reckon func(context.Context, []incoming) (func() computed, error), fn func(lot) error) error {
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
			lines, err := nextLines(from)
			more = len(lines) == lotSize && err == nil
			next := make(chan lot, 1)
			select {
			case ahead <- next:
			case <-ctx.Done():
				return
			}
			readers.Go(func() {
				b := lot{err: err}
				if err == nil {
					b.records, b.err = incomingOf(lines)
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
		run, err := reckon(ctx, b.records)
		if err != nil {
			return err
		}
		done := make(chan computed, 1)
		b.ahead = done
		readers.Go(func() { done <- run() })
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

// nextLines reads up to lotSize records as they were kept; fewer are the last.
func nextLines(in *bufio.Reader) ([][]byte, error) {
	var all [][]byte
	for len(all) < lotSize {
		line, err := in.ReadBytes('\n')
		if errors.Is(err, io.EOF) && len(line) == 0 {
			break
		}
		if err != nil {
			return nil, err
		}
		all = append(all, line)
	}
	return all, nil
}

// incomingOf decodes records, and makes of each memory the state that is to be merged.
func incomingOf(lines [][]byte) ([]incoming, error) {
	all := make([]incoming, len(lines))
	for n, line := range lines {
		if err := json.Unmarshal(line, &all[n]); err != nil {
			return nil, err
		}
		all[n].prepare()
	}
	return all, nil
}

// computeNew looks a lot up, and returns what embeds and judges those of it that are not here.
func (i *importing) computeNew(ctx context.Context, records []incoming) (func() computed, error) {
	if err := i.lookUp(ctx, records); err != nil {
		return nil, err
	}
	fresh := i.fresh(records)
	return func() computed { return computed{i.embedAhead(ctx, fresh), judgeAhead(fresh)} }, nil
}

// judgeAhead looks for orders in memories that come in.
func judgeAhead(records []incoming) map[string][]suspicious {
	suspects := make(map[string][]suspicious, len(records))
	for _, r := range records {
		if r.Memory != nil {
			suspects[judgedBy(r.Memory.Memory)] = suspicionsOf(r.Memory.Memory)
		}
	}
	return suspects
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
