// Package encodertest makes small models of random weights, as folders of the files that published models have, and
// computes in float64, by the plainest loops, what an encoder must find (reference.go). Tests that use it need no
// model from elsewhere; sizes are the caller's, so the same code makes a model of a real one's shape to measure speed.
package encodertest

import (
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
)

// A Shape is the sizes of a model. The zero value of a field that has a default gets it.
type Shape struct {
	XLMR       bool // else BERT
	Hidden     int  // a multiple of Heads
	Layers     int
	Heads      int
	Inner      int  // width between the two layers of the feed-forward part
	Positions  int  // longest text, with special tokens
	Vocabulary int  // at least the tokenizer's, which is the default
	Classifier bool // a reranker
	CLS        bool // pooling by the first token, else the mean
}

// Tiny returns a shape whose sizes are no multiples of what kernels like.
func Tiny() Shape { return Shape{Hidden: 24, Layers: 2, Heads: 3, Inner: 40, Positions: 40} }

// A Model is a made model.
type Model struct {
	Shape   Shape
	Files   map[string][]byte // by name, with slashes
	weights map[string][]float32
}

// A tensor is a name in a weights file with its shape.
type tensor struct {
	name  string
	shape []int
}

// eps is what layer normalisations add to the variance.
func (s Shape) eps() float64 {
	if s.XLMR {
		return 1e-5
	}
	return 1e-12
}

// offset is the position of the first token: XLM-R's positions start after that of its padding token.
func (s Shape) offset() int {
	if s.XLMR {
		return 2
	}
	return 0
}

func (s Shape) types() int {
	if s.XLMR {
		return 1
	}
	return 2
}

// prefix opens the names of tensors of models with a head.
func (s Shape) prefix() string {
	switch {
	case s.Classifier && s.XLMR:
		return "roberta."
	case s.Classifier:
		return "bert."
	}
	return ""
}

// New makes a model of a shape; equal seeds make equal models.
func New(s Shape, seed uint64) *Model {
	tokenizer, size := WordPiece()
	if s.XLMR {
		tokenizer, size = Unigram()
	}
	s.Vocabulary = max(s.Vocabulary, size)
	m := &Model{Shape: s, weights: map[string][]float32{}, Files: map[string][]byte{
		"tokenizer.json": tokenizer, "config.json": s.config(),
		"sentence_bert_config.json": fmt.Appendf(nil, `{"max_seq_length":%d,"do_lower_case":false}`, s.Positions),
		"1_Pooling/config.json": fmt.Appendf(nil, `{"word_embedding_dimension":%d,"pooling_mode_cls_token":%t,"pooling_mode_mean_tokens":%t}`,
			s.Hidden, s.CLS, !s.CLS),
	}}
	r := rand.New(rand.NewPCG(seed, 24))
	tensors := s.tensors()
	for _, t := range tensors {
		m.weights[t.name] = t.random(r)
	}
	m.Files["model.safetensors"] = weightsFile(m.weights, tensors...)
	return m
}

// random returns numbers of a size that keeps activations near 1.
func (t tensor) random(r *rand.Rand) []float32 {
	n, spread, middle := 1, 0.2, 0.0
	for _, d := range t.shape {
		n *= d
	}
	switch {
	case strings.HasSuffix(t.name, "LayerNorm.weight"):
		middle = 1
	case strings.HasSuffix(t.name, "embeddings.weight"):
		spread = 1
	case len(t.shape) == 2:
		spread = 1 / math.Sqrt(float64(t.shape[1]))
	}
	x := make([]float32, n)
	for i := range x {
		x[i] = float32(middle + spread*r.NormFloat64())
	}
	return x
}

func (s Shape) config() []byte {
	kind, head, pad := "bert", "BertModel", 0
	if s.XLMR {
		kind, head, pad = "xlm-roberta", "XLMRobertaModel", 1
	}
	if s.Classifier {
		head = strings.TrimSuffix(head, "Model") + "ForSequenceClassification"
	}
	return fmt.Appendf(nil, `{"architectures":[%q],"model_type":%q,"hidden_act":"gelu","hidden_size":%d,"num_hidden_layers":%d,`+
		`"num_attention_heads":%d,"intermediate_size":%d,"layer_norm_eps":%g,"max_position_embeddings":%d,"type_vocab_size":%d,`+
		`"vocab_size":%d,"pad_token_id":%d,"id2label":{"0":"LABEL_0"}}`,
		head, kind, s.Hidden, s.Layers, s.Heads, s.Inner, s.eps(), s.Positions+s.offset(), s.types(), s.Vocabulary, pad)
}

func (s Shape) tensors() (all []tensor) {
	add := func(name string, shape ...int) { all = append(all, tensor{s.prefix() + name, shape}) }
	linear := func(name string, out, in int) {
		add(name+".weight", out, in)
		add(name+".bias", out)
	}
	add("embeddings.word_embeddings.weight", s.Vocabulary, s.Hidden)
	add("embeddings.position_embeddings.weight", s.Positions+s.offset(), s.Hidden)
	add("embeddings.token_type_embeddings.weight", s.types(), s.Hidden)
	norm := func(name string) {
		add(name+".LayerNorm.weight", s.Hidden)
		add(name+".LayerNorm.bias", s.Hidden)
	}
	norm("embeddings")
	for i := range s.Layers {
		layer := fmt.Sprintf("encoder.layer.%d.", i)
		for _, name := range []string{"query", "key", "value"} {
			linear(layer+"attention.self."+name, s.Hidden, s.Hidden)
		}
		linear(layer+"attention.output.dense", s.Hidden, s.Hidden)
		norm(layer + "attention.output")
		linear(layer+"intermediate.dense", s.Inner, s.Hidden)
		linear(layer+"output.dense", s.Hidden, s.Inner)
		norm(layer + "output")
	}
	if !s.XLMR { // BERT has a pooler, which embeddings do not use
		linear("pooler.dense", s.Hidden, s.Hidden)
	}
	if s.Classifier && s.XLMR {
		all = append(all, tensor{"classifier.dense.weight", []int{s.Hidden, s.Hidden}}, tensor{"classifier.dense.bias", []int{s.Hidden}},
			tensor{"classifier.out_proj.weight", []int{1, s.Hidden}}, tensor{"classifier.out_proj.bias", []int{1}})
	} else if s.Classifier {
		all = append(all, tensor{"classifier.weight", []int{1, s.Hidden}}, tensor{"classifier.bias", []int{1}})
	}
	return all
}

// weightsFile returns a weights file of the named tensors, of those that shapes give.
func weightsFile(values map[string][]float32, shapes ...tensor) []byte {
	header, data := map[string]any{}, []byte{}
	for _, t := range shapes {
		from := len(data)
		for _, v := range values[t.name] {
			data = binary.LittleEndian.AppendUint32(data, math.Float32bits(v))
		}
		header[t.name] = map[string]any{"dtype": "F32", "shape": t.shape, "data_offsets": []int{from, len(data)}}
	}
	text, _ := json.Marshal(header) // maps of numbers and texts
	return slices.Concat(binary.LittleEndian.AppendUint64(nil, uint64(len(text))), text, data)
}

// Tensors returns the names of the model's tensors, sorted.
func (m *Model) Tensors() []string { return slices.Sorted(maps.Keys(m.weights)) }

// WithTensor returns the model's weights file with one tensor replaced: by other values, of another shape.
func (m *Model) WithTensor(name string, values []float32, shape ...int) []byte {
	all := maps.Clone(m.weights)
	all[name] = values
	var tensors []tensor
	for _, t := range m.Shape.tensors() {
		if t.name == name {
			t.shape = shape
		}
		if t.shape != nil {
			tensors = append(tensors, t)
		}
	}
	return weightsFile(all, tensors...)
}

// Tensor returns the values of a tensor, which the caller must not change, and its shape.
func (m *Model) Tensor(name string) ([]float32, []int) {
	for _, t := range m.Shape.tensors() {
		if t.name == name {
			return m.weights[name], t.shape
		}
	}
	return nil, nil
}

// words are in both tokenizers as a whole.
func words() []string {
	return []string{"the", "memory", "token", "decid", "search", "user", "we", "to", "is"}
}

// WordPiece returns a tokenizer of BERT's kind for lower-case English, and the number of its tokens.
func WordPiece() ([]byte, int) {
	vocab := map[string]int{}
	for _, special := range []string{"[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"} {
		vocab[special] = len(vocab)
	}
	for _, w := range words() {
		vocab[w] = len(vocab)
	}
	for _, w := range append(strings.Split("abcdefghijklmnopqrstuvwxyz0123456789", ""), "ing", "ed", "s") {
		vocab["##"+w] = len(vocab)
		if len(w) == 1 {
			vocab[w] = len(vocab)
		}
	}
	for _, w := range strings.Split(".,!?-_()", "") {
		vocab[w] = len(vocab)
	}
	var added []map[string]any
	for _, special := range []string{"[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"} {
		added = append(added, map[string]any{"id": vocab[special], "content": special, "special": true})
	}
	special := func(name string, kind int) any {
		return map[string]any{"SpecialToken": map[string]any{"id": name, "type_id": kind}}
	}
	text := func(name string, kind int) any {
		return map[string]any{"Sequence": map[string]any{"id": name, "type_id": kind}}
	}
	file, _ := json.Marshal(map[string]any{
		"truncation":    map[string]any{"max_length": 8}, // as published files have it: to be ignored
		"added_tokens":  added,
		"normalizer":    map[string]any{"type": "BertNormalizer", "clean_text": true, "handle_chinese_chars": true, "strip_accents": nil, "lowercase": true},
		"pre_tokenizer": map[string]any{"type": "BertPreTokenizer"},
		"post_processor": map[string]any{"type": "TemplateProcessing",
			"single":         []any{special("[CLS]", 0), text("A", 0), special("[SEP]", 0)},
			"pair":           []any{special("[CLS]", 0), text("A", 0), special("[SEP]", 0), text("B", 1), special("[SEP]", 1)},
			"special_tokens": map[string]any{"[CLS]": map[string]any{"ids": []int{2}}, "[SEP]": map[string]any{"ids": []int{3}}}},
		"model": map[string]any{"type": "WordPiece", "unk_token": "[UNK]", "continuing_subword_prefix": "##", "max_input_chars_per_word": 100, "vocab": vocab},
	})
	return file, len(vocab)
}

// Unigram returns a tokenizer of XLM-R's kind, and the number of its tokens.
func Unigram() ([]byte, int) {
	vocab := [][2]any{{"<s>", 0}, {"<pad>", 0}, {"</s>", 0}, {"<unk>", 0}, {"▁", -2.5}}
	for i, w := range words() {
		vocab = append(vocab, [2]any{"▁" + w, -3 - float64(i)/8})
	}
	for i, w := range strings.Split("etaoinshrdlcumwfgypbvkjxqz0123456789.,!?-_()", "") {
		vocab = append(vocab, [2]any{w, -4 - float64(i)/16})
	}
	vocab = append(vocab, [2]any{"ing", -5}, [2]any{"<mask>", 0})
	var added []map[string]any
	for i, special := range []string{"<s>", "<pad>", "</s>", "<unk>"} {
		added = append(added, map[string]any{"id": i, "content": special, "special": true})
	}
	added = append(added, map[string]any{"id": len(vocab) - 1, "content": "<mask>", "special": true, "lstrip": true})
	charsmap := Charsmap(map[string]string{"ﬁ": "fi", "Ａ": "A", "\u00a0": " ", "é": "e", "e\u0301": "e"})
	file, _ := json.Marshal(map[string]any{
		"added_tokens": added,
		"normalizer": map[string]any{"type": "Sequence", "normalizers": []any{
			map[string]any{"type": "Precompiled", "precompiled_charsmap": base64.StdEncoding.EncodeToString(charsmap)},
			map[string]any{"type": "Replace", "pattern": map[string]any{"Regex": " {2,}"}, "content": " "}}},
		"pre_tokenizer":  map[string]any{"type": "Metaspace", "replacement": "▁", "prepend_scheme": "always", "split": true},
		"post_processor": map[string]any{"type": "RobertaProcessing", "cls": []any{"<s>", 0}, "sep": []any{"</s>", 2}},
		"model":          map[string]any{"type": "Unigram", "unk_id": 3, "vocab": vocab, "byte_fallback": false},
	})
	return file, len(vocab)
}

// Charsmap compiles replacements as SentencePiece does: a double array of the keys, then the texts.
func Charsmap(replacements map[string]string) []byte {
	units := map[uint32]uint32{}
	var texts []byte
	var place func(at uint32, prefix string)
	place = func(at uint32, prefix string) {
		next := map[byte]bool{}
		for key := range replacements {
			if rest, ok := strings.CutPrefix(key, prefix); ok && rest != "" {
				next[rest[0]] = true
			}
		}
		text, ends := replacements[prefix]
		base := uint32(1)
		free := func() bool {
			_, taken := units[base]
			for b := range next {
				_, t := units[base^uint32(b)]
				taken = taken || t || base^uint32(b) == 0
			}
			return !taken
		}
		for !free() {
			base++
		}
		units[at] |= (at ^ base) << 10
		if ends {
			units[at] |= 1 << 8
			units[base] = 1<<31 | uint32(len(texts))
			texts = append(append(texts, text...), 0)
		} else if len(next) > 0 {
			units[base] = 1 << 31 // taken, so that no other node has the same base
		}
		children := slices.Sorted(maps.Keys(next))
		for _, b := range children {
			units[base^uint32(b)] = uint32(b)
		}
		for _, b := range children {
			place(base^uint32(b), prefix+string([]byte{b}))
		}
	}
	units[0] = 0
	place(0, "")
	size := slices.Max(slices.Collect(maps.Keys(units))) + 1
	file := binary.LittleEndian.AppendUint32(nil, 4*size)
	for i := range size {
		file = binary.LittleEndian.AppendUint32(file, units[i])
	}
	return append(file, texts...)
}
