package encoder

import (
	"context"
	"sync"
	"sync/atomic"

	"github.com/alanbuscaglia/engram/internal/encoder/kernel"
	"github.com/alanbuscaglia/engram/internal/tokenizer"
)

// How much is computed at a time.
const (
	batchRows = 1024 // tokens of a batch, or those of one longer text: 10 MB at a width of 384
	blockRows = 96   // rows that go through a layer together: their inner activations stay in a second-level cache
)

// A matrix is rows of numbers in a larger one.
type matrix struct {
	values []float32
	n      int // rows
	width  int // numbers of a row
	stride int // from row to row
}

// newMatrix returns a matrix in buffer, which grows to its size. Its content is undefined.
func newMatrix(buffer *[]float32, n, width int) matrix {
	stride := kernel.Stride(width)
	return matrix{grown(buffer, n*stride), n, width, stride}
}

func (m matrix) row(i int) []float32 { return m.values[i*m.stride:][:m.width] }

// from returns the n rows from i on.
func (m matrix) from(i, n int) matrix {
	m.values, m.n = m.values[i*m.stride:], n
	return m
}

// rows are the buffers of a batch. Those of the last are kept for the next, or every batch would leave megabytes to collect.
type rows struct{ x, attended []float32 }

// A scratch is what one goroutine needs for its part of the work.
type scratch struct {
	buffer, row          []float32
	inner, out           []float32 // of the feed-forward part
	keys, values, scores []float32 // of attention
}

// grown returns a buffer of n numbers, whose content is undefined.
func grown(b *[]float32, n int) []float32 {
	if cap(*b) < n {
		*b = make([]float32, n)
	}
	return (*b)[:n]
}

// each calls f for 0 to n-1, in any order, on up to e.threads goroutines.
func (e *Encoder) each(n int, f func(i int, s *scratch)) {
	var next atomic.Int64
	work := func() {
		s := e.scratches.Get().(*scratch)
		defer e.scratches.Put(s)
		for i := int(next.Add(1)) - 1; i < n; i = int(next.Add(1)) - 1 {
			f(i, s)
		}
	}
	var wg sync.WaitGroup
	for range min(e.threads, n) - 1 {
		wg.Go(work)
	}
	work()
	wg.Wait()
}

// run computes inputs, some at a time, and hands the last layer's rows of each to result.
func (e *Encoder) run(ctx context.Context, inputs []tokenizer.Sequence, result func(i int, rows matrix) error) error {
	for _, in := range inputs {
		if err := e.check(in); err != nil {
			return err
		}
	}
	buffers := e.buffers.Get().(*rows)
	defer e.buffers.Put(buffers)
	for first := 0; first < len(inputs); {
		begins, rows := []int{0}, 0
		for last := first; last < len(inputs) && (last == first || rows+len(inputs[last].IDs) <= batchRows); last++ {
			rows += len(inputs[last].IDs)
			begins = append(begins, rows)
		}
		n := len(begins) - 1
		x, err := e.batch(ctx, inputs[first:first+n], begins, buffers)
		if err != nil {
			return err
		}
		for i := range n {
			if err := result(first+i, x.from(begins[i], begins[i+1]-begins[i])); err != nil {
				return err
			}
		}
		first += n
	}
	return nil
}

// batch computes the rows of some inputs; begins are their first rows and the end.
func (e *Encoder) batch(ctx context.Context, inputs []tokenizer.Sequence, begins []int, b *rows) (matrix, error) {
	n := begins[len(inputs)]
	x := newMatrix(&b.x, n, e.config.Hidden)
	e.each(len(inputs), func(i int, s *scratch) {
		e.embed(inputs[i], x.from(begins[i], len(inputs[i].IDs)), grown(&s.row, e.config.Hidden))
	})
	// Rows of queries, keys and values. Attention writes its result over the queries.
	attended := newMatrix(&b.attended, n, 3*e.config.Hidden)
	for i := range len(e.layers) + 1 {
		if err := ctx.Err(); err != nil {
			return x, err
		}
		e.blocks(n, func(from, n int, s *scratch) {
			x, attended := x.from(from, n), attended.from(from, n)
			if i > 0 {
				e.feedForward(&e.layers[i-1], x, attended, s)
			}
			if i < len(e.layers) {
				e.multiply(x, e.layers[i].attention, attended, s)
			}
		})
		if i < len(e.layers) {
			e.each(len(inputs)*e.config.Heads, func(j int, s *scratch) {
				text := j / e.config.Heads
				e.attend(attended.from(begins[text], begins[text+1]-begins[text]), j%e.config.Heads, s)
			})
		}
	}
	return x, nil
}

// blocks calls f for all n rows in blocks of about equal size, a multiple of the threads.
func (e *Encoder) blocks(n int, f func(from, n int, s *scratch)) {
	count := (n + blockRows - 1) / blockRows
	count = min(n, (count+e.threads-1)/e.threads*e.threads)
	e.each(count, func(i int, s *scratch) {
		from := i * n / count
		f(from, (i+1)*n/count-from, s)
	})
}

func (e *Encoder) multiply(a matrix, w *kernel.Matrix, c matrix, s *scratch) {
	e.set.Multiply(a.n, a.values, a.stride, w, c.values, c.stride, s.buffer)
}

// embed writes a text's first rows: the sum of its tokens' vectors, those of their positions and of their types, normalised.
func (e *Encoder) embed(in tokenizer.Sequence, x matrix, row []float32) {
	width := e.config.Hidden
	for i, id := range in.IDs {
		to := x.row(i)
		e.words.Floats(to, int(id)*width)
		if e.config.Types > 1 {
			e.types.Floats(row, int(in.Types[i])*width)
		} else {
			e.types.Floats(row, 0)
		}
		for j, v := range row {
			to[j] += v
		}
		e.positions.Floats(row, (i+e.config.offset)*width)
		e.set.AddNorm(to, row, e.embedded.gain, e.embedded.bias, e.config.eps)
	}
}

// feedForward takes rows from the attention of a layer to the layer's end.
func (e *Encoder) feedForward(l *layer, x, attended matrix, s *scratch) {
	out := newMatrix(&s.out, x.n, e.config.Hidden)
	e.multiply(attended, l.output, out, s)
	e.addNorm(x, out, l.afterAttention)
	inner := newMatrix(&s.inner, x.n, kernel.Padded(e.config.Inner))
	e.multiply(x, l.up, inner, s)
	for i := range inner.n {
		e.set.GELU(inner.row(i))
	}
	e.multiply(inner, l.down, out, s)
	e.addNorm(x, out, l.afterInner)
}

func (e *Encoder) addNorm(x, y matrix, n norm) {
	for i := range x.n {
		e.set.AddNorm(x.row(i), y.row(i), n.gain, n.bias, e.config.eps)
	}
}
