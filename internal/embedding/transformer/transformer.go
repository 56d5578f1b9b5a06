// Package transformer is embedding models and rerankers in a folder of files, as they are published: configuration,
// tokenizer and weights. folder.go reads what is small and refuses what is not computed here, mapping.go maps the weights,
// and packages tokenizer and encoder do the rest.
//
// A model is opened when it is asked for and costs the memory of its packed weights; word vectors stay in the mapped file.
// Files must not change while a model is open. Nothing here writes or downloads.
package transformer

import (
	"context"
	"errors"
	"io"
	"math"
	"slices"
	"sync"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/embedding/prefix"
	"github.com/alanbuscaglia/engram/internal/encoder"
	"github.com/alanbuscaglia/engram/internal/encoder/safetensors"
	"github.com/alanbuscaglia/engram/internal/tokenizer"
	"github.com/alanbuscaglia/engram/internal/vector"
)

// Options says how a folder is used. The zero value takes all from the folder.
type Options struct {
	encoder.Options
	Pooling encoder.Pooling // where the folder does not say, and instead of what it says
	Limit   int             // tokens of a text or window, at most those of the folder
	// Source names the weights, so that packed ones in the folder (WritePack) are used if they are made of them; "" uses none.
	Source string
}

// A Model is an open folder. It is safe for concurrent use.
type Model struct {
	name      string
	tokenizer *tokenizer.Tokenizer
	encoder   *encoder.Encoder
	pooling   encoder.Pooling
	limit     int
	prefixes  prefix.Set

	open    sync.RWMutex // held for reading while the files are in use
	weights *mapping     // nil after Close
	pack    *mapping     // nil without one
}

// overlap is the part of a window that repeats the one before it: a sentence at the border is whole in one of them.
const overlap = 8

// Open opens the model in a folder. CodeNotFound where there is no folder, CodeInvalid where files are missing, damaged,
// contradict each other, or describe another kind of model.
func Open(name string, o Options) (m *Model, err error) {
	f, err := openFolder(name)
	if err != nil {
		return nil, err
	}
	defer f.root.Close()
	m = &Model{name: base(name), pooling: o.Pooling}
	config, err := m.configure(f, o)
	if err != nil {
		return nil, err
	}
	if m.weights, err = f.mapping(weightsFile, maxWeights); err != nil {
		return nil, err
	}
	if o.Narrow && o.Source != "" {
		o.Pack = m.readPack(f, config, o.Source)
	}
	weights, err := safetensors.Read(m.weights.data)
	if err == nil {
		m.encoder, err = encoder.New(config, weights, o.Options)
	}
	if err != nil {
		_ = m.Close() // the first error says more
		return nil, err
	}
	release(m.weights.data)
	return m, nil
}

// New returns a model that is part of the program, whose weights are in the format of a folder's. o has its pooling and
// limit. The folder packs may have a PackFile; "" has none.
func New(name string, c encoder.Config, t *tokenizer.Tokenizer, weights []byte, packs string, o Options) (*Model, error) {
	file, err := safetensors.Read(weights)
	if err != nil {
		return nil, err
	}
	m := &Model{name: name, tokenizer: t, pooling: o.Pooling, limit: o.Limit, weights: &mapping{data: weights}}
	if packs != "" {
		if f, err := openFolder(packs); err == nil {
			o.Pack = m.readPack(f, c, o.Source)
			f.root.Close()
		}
	}
	if m.encoder, err = encoder.New(c, file, o.Options); err != nil {
		_ = m.Close() // the first error says more
		return nil, err
	}
	return m, nil
}

// readPack returns the packed weights in the folder; nil if they cannot be used.
func (m *Model) readPack(f folder, c encoder.Config, source string) *encoder.Pack {
	mapped, err := f.mapping(PackFile, maxWeights)
	if err != nil {
		return nil
	}
	p, ok := encoder.ReadPack(mapped.data, c, source)
	if !ok {
		_ = mapped.close() // it was only read
		return nil
	}
	m.pack = mapped
	return p
}

// Packed reports whether the weights are those of PackFile.
func (m *Model) Packed() bool { return m.pack != nil }

// WritePack writes the content of PackFile, with which the model opens in a small part of the time; source names the
// weights. CodeInvalid for weights that are not narrow.
func (m *Model) WritePack(w io.Writer, source string) error { return m.encoder.WritePack(w, source) }

// Check reads all but the weights in a folder, and returns what model they are of. Errors are those of Open.
func Check(name string) (encoder.Config, error) {
	f, err := openFolder(name)
	if err != nil {
		return encoder.Config{}, err
	}
	defer f.root.Close()
	return (&Model{}).configure(f, Options{})
}

// configure reads all files but the weights.
func (m *Model) configure(f folder, o Options) (encoder.Config, error) {
	file, err := f.read(configFile, maxConfig)
	if err != nil {
		return encoder.Config{}, err
	}
	config, err := encoder.ReadConfig(file)
	if err != nil {
		return config, err
	}
	if file, err = f.read(tokenizerFile, maxTokenizer); err != nil {
		return config, err
	}
	if m.tokenizer, err = tokenizer.Read(file); err != nil {
		return config, err
	}
	if n := m.tokenizer.Size(); n > config.Vocabulary {
		return config, invalid("the model's tokenizer has %d tokens, and its weights are for %d", n, config.Vocabulary)
	}
	if err := f.checkModules(); err != nil {
		return config, err
	}
	if m.pooling == "" {
		if m.pooling, err = f.pooling(); err != nil {
			return config, err
		}
	}
	if m.pooling == "" && !config.Classifier {
		return config, invalid("the model's files do not say how it pools: %s is missing", poolingFile)
	}
	if m.prefixes, err = f.prefixes(); err != nil {
		return config, err
	}
	limit, err := f.limit()
	if err != nil {
		return config, err
	}
	m.limit = config.Positions
	for _, n := range []int{limit, o.Limit} {
		if n > 0 {
			m.limit = min(m.limit, n)
		}
	}
	if least := m.tokenizer.Specials() + 2*overlap; m.limit < least {
		return config, invalid("the model takes texts of %d tokens, fewer than %d", m.limit, least)
	}
	return config, nil
}

// Close ends the use of the folder's files, after calls that are under way.
func (m *Model) Close() error {
	m.open.Lock()
	defer m.open.Unlock()
	err := errors.Join(m.weights.close(), m.pack.close())
	m.weights, m.pack = nil, nil
	return err
}

// Name is the folder's name.
func (m *Model) Name() string { return m.name }

// Config is the model's configuration.
func (m *Model) Config() encoder.Config { return m.encoder.Config() }

// Pooling is how the model makes one vector of a text's tokens; "" for a reranker.
func (m *Model) Pooling() encoder.Pooling { return m.pooling }

// Limit is the most tokens of a text that has one window.
func (m *Model) Limit() int { return m.limit }

// Prefixes is what the model wants before texts; nil where its files do not say. Calls add nothing by themselves.
func (m *Model) Prefixes() prefix.Set { return m.prefixes }

// Unused returns the names of tensors in the weights file that the model does not need.
func (m *Model) Unused() []string { return m.encoder.Unused() }

// use holds the files open for a call.
func (m *Model) use() (done func(), err error) {
	m.open.RLock()
	if m.weights != nil && m.weights.whole() && m.pack.whole() {
		return m.open.RUnlock, nil
	}
	m.open.RUnlock()
	return nil, engram.Errorf(engram.CodeUnavailable, "the model %s was closed, or its weights file changed", m.name).
		WithHint("open the model again; its files must not be edited while it is in use")
}

// Passages returns vectors of length 1 for each text, in order: one for a text within Limit, and for a longer one those of
// windows that overlap and cover it. before opens each text and window. A text is as near to another as the nearest of
// its windows. Errors are those of encoder.Embed, and CodeUnavailable after Close.
func (m *Model) Passages(ctx context.Context, before string, texts []string) ([][][]float32, error) {
	done, err := m.use()
	if err != nil {
		return nil, err
	}
	defer done()
	var inputs []tokenizer.Sequence
	counts := make([]int, len(texts))
	for i, text := range texts {
		windows := m.tokenizer.Windows(before, text, m.limit, m.limit/overlap)
		inputs, counts[i] = append(inputs, windows...), len(windows)
	}
	vectors, err := m.encoder.Embed(ctx, inputs, m.pooling)
	if err != nil {
		return nil, err
	}
	out := make([][][]float32, len(texts))
	for i, n := range counts {
		out[i], vectors = vectors[:n:n], vectors[n:]
	}
	return out, nil
}

// Embed returns one vector of length 1 for each text, in order: for a text of several windows the direction of their
// mean. Errors are those of Passages.
func (m *Model) Embed(ctx context.Context, before string, texts []string) ([][]float32, error) {
	return m.EmbedPassages(ctx, before, texts, 0)
}

// EmbedPassages is Embed with the vectors of a text's windows behind that of the text, if it has several. Of more than
// most, those that follow each other have one together. Errors are those of Passages.
func (m *Model) EmbedPassages(ctx context.Context, before string, texts []string, most int) ([][]float32, error) {
	passages, err := m.Passages(ctx, before, texts)
	if err != nil {
		return nil, err
	}
	out := make([][]float32, len(texts))
	for i, windows := range passages {
		out[i] = vector.Mean(windows)
		if len(windows) > 1 && most > 0 {
			for part := range slices.Chunk(windows, (len(windows)+most-1)/most) {
				out[i] = append(out[i], vector.Mean(part)...)
			}
		}
	}
	return out, nil
}

// Rerank returns a score for each text, in order: how well it answers the question, from 0 to 1. A text that is longer than
// the model takes beside the question has the score of its best window. CodeInvalid for a model that is no reranker.
func (m *Model) Rerank(ctx context.Context, question string, texts []string) ([]float64, error) {
	done, err := m.use()
	if err != nil {
		return nil, err
	}
	defer done()
	var inputs []tokenizer.Sequence
	var owner []int
	for i, text := range texts {
		for _, w := range m.tokenizer.PairWindows(question, text, m.limit, m.limit/overlap) {
			inputs, owner = append(inputs, w), append(owner, i)
		}
	}
	logits, err := m.encoder.Score(ctx, inputs)
	if err != nil {
		return nil, err
	}
	scores := make([]float64, len(texts))
	for i, logit := range logits {
		scores[owner[i]] = max(scores[owner[i]], 1/(1+math.Exp(-float64(logit))))
	}
	return scores, nil
}
