// Package encoder runs transformer encoders, BERT and XLM-RoBERTa: from token ids to one vector per text, or to the score
// of a pair of texts by a reranker. config.go says which models, weights.go packs their weights, forward.go and
// attention.go compute a batch of texts, whose arithmetic is in package kernel.
//
// Batches are ragged: the tokens of all texts are the rows of one matrix, without padding. A text's result is equal, to
// the last bit, alone and in any batch, with any number of threads. Nothing here reads a file or a clock.
//
// Sources: Devlin et al., "BERT", NAACL 2019; Conneau et al., "Unsupervised Cross-lingual Representation Learning at
// Scale", ACL 2020; Vaswani et al., "Attention Is All You Need", 2017.
package encoder

import (
	"context"
	"math"
	"sync"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/encoder/kernel"
	"github.com/alanbuscaglia/engram/internal/encoder/safetensors"
	"github.com/alanbuscaglia/engram/internal/tokenizer"
)

// Options says how a model computes. The zero value is right for most.
type Options struct {
	// Narrow keeps weights of linear layers as int8 with a scale per output: a quarter of the memory, vectors whose cosine
	// with the exact ones is above 0.999. Arithmetic and all else stay float32.
	Narrow bool
	// Threads is the most goroutines that compute; 1 for 0 and less.
	Threads int
	// Checked says that the file was read before, so that its numbers are finite: they are not looked at again.
	Checked bool
	// Pack has the matrices of the file in narrow form; nil to make them.
	Pack *Pack
	// Kernels are the processor's functions; the best of this processor for nil.
	Kernels *kernel.Set
}

// An Encoder is a model that is ready to compute. It is safe for concurrent use.
type Encoder struct {
	config  Config
	set     *kernel.Set
	threads int
	narrow  bool

	words, positions, types safetensors.Tensor // in the file
	embedded                norm
	layers                  []layer
	head                    *head // nil without a classifier
	unused                  []string

	scratches sync.Pool // of *scratch
	buffers   sync.Pool // of *rows
}

// New makes an encoder of the weights in file, which is kept: word vectors are read from it. CodeInvalid where tensors are
// missing, have another shape than config says, or contain a number that is not finite.
func New(config Config, file *safetensors.File, o Options) (*Encoder, error) {
	e := &Encoder{config: config, set: o.Kernels, threads: max(1, o.Threads), narrow: o.Narrow, layers: make([]layer, config.Layers)}
	if e.set == nil {
		e.set = kernel.Best()
	}
	e.scratches.New = func() any { return &scratch{buffer: make([]float32, kernel.Scratch)} }
	e.buffers.New = func() any { return &rows{} }
	l := &loader{file: file, prefix: prefix(file), narrow: o.Narrow, checked: o.Checked, pack: o.Pack, used: map[string]bool{}}
	e.each(config.Layers+1, func(i int, _ *scratch) {
		if i > 0 {
			e.layers[i-1] = l.layer(config, i-1)
			return
		}
		e.words = l.table("embeddings.word_embeddings.weight", config.Vocabulary, config.Hidden)
		e.positions = l.table("embeddings.position_embeddings.weight", config.Positions+config.offset, config.Hidden)
		e.types = l.table("embeddings.token_type_embeddings.weight", config.Types, config.Hidden)
		e.embedded = l.norm("embeddings", config.Hidden)
	})
	if config.Classifier {
		e.head = l.head(config)
	}
	if l.err != nil {
		return nil, l.err
	}
	if o.Pack == nil {
		e.unused = l.unused()
	}
	return e, nil
}

// Config is the model's configuration.
func (e *Encoder) Config() Config { return e.config }

// Unused returns the names of tensors that the model does not need, sorted: empty for published models, and with a Pack.
func (e *Encoder) Unused() []string { return e.unused }

// Pooling is how the vectors of a text's tokens become one.
type Pooling string

// The poolings. A model works with the one that it was trained with.
const (
	CLS  Pooling = "cls"  // that of the first token
	Mean Pooling = "mean" // the mean of all, special tokens included
)

// Embed returns a vector of length 1 for each input, in order, of Config().Hidden numbers. CodeInvalid for an input that is
// empty, too long, or has ids that the model does not know; ctx's error when it ends before.
func (e *Encoder) Embed(ctx context.Context, inputs []tokenizer.Sequence, p Pooling) ([][]float32, error) {
	vectors := make([][]float32, len(inputs))
	err := e.run(ctx, inputs, func(i int, rows matrix) error {
		if p == CLS {
			rows.n = 1
		}
		sum := make([]float64, e.config.Hidden)
		for t := range rows.n {
			for j, v := range rows.row(t) {
				sum[j] += float64(v)
			}
		}
		var squares float64
		for _, v := range sum {
			squares += v * v
		}
		if !(squares > 0 && squares <= math.MaxFloat64) {
			return engram.Errorf(engram.CodeUnavailable, "the model computed a vector without a direction").
				WithHint("check the model; its weights may be damaged")
		}
		scale := 1 / math.Sqrt(squares)
		vectors[i] = make([]float32, len(sum))
		for j, v := range sum {
			vectors[i][j] = float32(v * scale)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return vectors, nil
}

// Score returns a reranker's score for each input, a pair of texts: greater is better, and the logistic function of it is
// what the model was trained to make a probability. Errors are those of Embed, and CodeInvalid for a model without a
// classifier.
func (e *Encoder) Score(ctx context.Context, inputs []tokenizer.Sequence) ([]float32, error) {
	if e.head == nil {
		return nil, invalid("the model has no classifier: it embeds texts and cannot rerank")
	}
	scores := make([]float32, len(inputs))
	hidden, buffer := make([]float32, kernel.Padded(e.config.Hidden)), make([]float32, kernel.Scratch)
	err := e.run(ctx, inputs, func(i int, rows matrix) error {
		e.set.Multiply(1, rows.row(0), e.config.Hidden, e.head.dense, hidden, len(hidden), buffer)
		score := float64(e.head.bias)
		for j, w := range e.head.score {
			score += float64(w) * math.Tanh(float64(hidden[j]))
		}
		if score-score != 0 {
			return engram.Errorf(engram.CodeUnavailable, "the model computed the score %v", score).
				WithHint("check the model; its weights may be damaged")
		}
		scores[i] = float32(score)
		return nil
	})
	if err != nil {
		return nil, err
	}
	return scores, nil
}

// check refuses an input that the tables have no rows for.
func (e *Encoder) check(in tokenizer.Sequence) error {
	switch {
	case len(in.IDs) == 0 || len(in.IDs) > e.config.Positions:
		return invalid("a text has %d tokens; the model takes 1 to %d", len(in.IDs), e.config.Positions)
	case len(in.Types) != len(in.IDs):
		return invalid("a text has %d tokens and %d types", len(in.IDs), len(in.Types))
	}
	for i, id := range in.IDs {
		if id < 0 || int(id) >= e.config.Vocabulary {
			return invalid("a text has the token %d; the model has %d", id, e.config.Vocabulary)
		}
		if k := in.Types[i]; k < 0 || int(k) >= e.config.Types && e.config.Types > 1 {
			return invalid("a text has a token of the type %d; the model has %d", k, e.config.Types)
		}
	}
	return nil
}
