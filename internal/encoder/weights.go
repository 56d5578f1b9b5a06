package encoder

import (
	"fmt"
	"strings"
	"sync"

	"github.com/alanbuscaglia/engram/internal/encoder/kernel"
	"github.com/alanbuscaglia/engram/internal/encoder/safetensors"
)

// A norm is the gain and the bias of a layer normalisation.
type norm struct{ gain, bias []float32 }

// A layer is one of the model's layers. Queries, keys and values are one matrix.
type layer struct {
	attention, output, up, down *kernel.Matrix
	afterAttention, afterInner  norm
}

// A head gives a reranker's score: score·tanh(dense·x) + bias for the vector x of the first token.
type head struct {
	dense *kernel.Matrix
	score []float32
	bias  float32
}

// A loader takes tensors from a file, and keeps the first thing that was wrong.
type loader struct {
	file    *safetensors.File
	prefix  string
	narrow  bool
	checked bool
	pack    *Pack

	mu   sync.Mutex
	used map[string]bool
	err  error
}

func (l *loader) fail(err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.err == nil {
		l.err = err
	}
}

// tensor returns a tensor; an empty one after a failure.
func (l *loader) tensor(name string, shape ...int) (t safetensors.Tensor, ok bool) {
	t, err := l.file.Tensor(name, shape...)
	if err != nil {
		l.fail(err)
		return t, false
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.used[name], l.used[safetensors.ScaleOf(name)] = true, true
	return t, true
}

// read fills dst from a tensor and checks that all numbers are finite, unless they were checked before.
func (l *loader) read(t safetensors.Tensor, name string, dst []float32, from int) {
	t.Floats(dst, from)
	if l.checked {
		return
	}
	for i, v := range dst {
		if v-v != 0 { // only NaN and the infinities differ from themselves this way
			l.fail(invalid("the weights file has the number %v in %s, at %d", v, name, from+i))
			return
		}
	}
}

func (l *loader) vector(name string, n int) []float32 {
	name = l.prefix + name
	v := make([]float32, n)
	if t, ok := l.tensor(name, n); ok {
		l.read(t, name, v, 0)
	}
	return v
}

func (l *loader) norm(name string, n int) norm {
	return norm{l.vector(name+".LayerNorm.weight", n), l.vector(name+".LayerNorm.bias", n)}
}

// table returns a matrix that stays in the file, and checks that all its numbers are finite.
func (l *loader) table(name string, rows, columns int) safetensors.Tensor {
	name = l.prefix + name
	t, ok := l.tensor(name, rows, columns)
	if ok && !l.checked {
		row := make([]float32, columns)
		for i := range rows {
			l.read(t, name, row, i*columns)
		}
	}
	return t
}

// linear packs the named linear layers, each with out outputs, side by side.
func (l *loader) linear(out, in int, names ...string) *kernel.Matrix {
	var bias []float32
	tensors := make([]safetensors.Tensor, len(names))
	for i, name := range names {
		bias = append(bias, l.vector(name+".bias", out)...)
		var ok bool
		if tensors[i], ok = l.tensor(l.prefix+name+".weight", out, in); !ok {
			return nil
		}
	}
	return kernel.Pack(in, out*len(names), func(i int, row []float32) {
		l.read(tensors[i/out], l.prefix+names[i/out]+".weight", row, i%out*in)
	}, bias, l.narrow)
}

func (l *loader) layer(c Config, i int) layer {
	name := fmt.Sprintf("encoder.layer.%d.", i)
	self := name + "attention.self."
	all := layer{afterAttention: l.norm(name+"attention.output", c.Hidden), afterInner: l.norm(name+"output", c.Hidden)}
	if l.pack != nil {
		all.attention, all.output, all.up, all.down = l.pack.layer(i)
		return all
	}
	all.attention = l.linear(c.Hidden, c.Hidden, self+"query", self+"key", self+"value")
	all.output = l.linear(c.Hidden, c.Hidden, name+"attention.output.dense")
	all.up = l.linear(c.Inner, c.Hidden, name+"intermediate.dense")
	all.down = l.linear(c.Hidden, c.Inner, name+"output.dense")
	return all
}

// head loads the classifier: XLM-R's own two layers, or one over BERT's pooler.
func (l *loader) head(c Config) *head {
	dense, score, narrow, prefix := "classifier.dense", "classifier.out_proj", l.narrow, l.prefix
	defer func() { l.narrow, l.prefix = narrow, prefix }()
	l.narrow = false // one row of a thousandth of the model
	if c.Kind == BERT {
		dense, score = l.prefix+"pooler.dense", "classifier"
	}
	l.prefix = ""
	h := &head{dense: l.linear(c.Hidden, c.Hidden, dense), score: make([]float32, c.Hidden), bias: l.vector(score+".bias", 1)[0]}
	if t, ok := l.tensor(score+".weight", 1, c.Hidden); ok {
		l.read(t, score+".weight", h.score, 0)
	}
	return h
}

// prefix returns what opens the names of a model's tensors: models with a head have one.
func prefix(file *safetensors.File) string {
	for _, p := range []string{"bert.", "roberta."} {
		if file.Has(p + "embeddings.word_embeddings.weight") {
			return p
		}
	}
	return ""
}

// unused returns the names of tensors that are neither used nor known to be of no use.
func (l *loader) unused() (names []string) {
	for _, name := range l.file.Names() {
		short := strings.TrimPrefix(name, l.prefix)
		if !l.used[name] && !strings.HasPrefix(short, "pooler.") && short != "embeddings.position_ids" {
			names = append(names, name)
		}
	}
	return names
}
