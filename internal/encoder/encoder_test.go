package encoder_test

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/encoder"
	"github.com/alanbuscaglia/engram/internal/encoder/encodertest"
	"github.com/alanbuscaglia/engram/internal/encoder/kernel"
	"github.com/alanbuscaglia/engram/internal/encoder/safetensors"
	"github.com/alanbuscaglia/engram/internal/tokenizer"
)

// open returns the encoder of two files.
func open(config, weights []byte, o encoder.Options) (*encoder.Encoder, error) {
	c, err := encoder.ReadConfig(config)
	if err != nil {
		return nil, err
	}
	file, err := safetensors.Read(weights)
	if err != nil {
		return nil, err
	}
	return encoder.New(c, file, o)
}

func must(t testing.TB, m *encodertest.Model, o encoder.Options) *encoder.Encoder {
	t.Helper()
	e, err := open(m.Files["config.json"], m.Files["model.safetensors"], o)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// sequences returns random inputs of the given lengths.
func sequences(s encodertest.Shape, lengths ...int) (all []tokenizer.Sequence) {
	r := rand.New(rand.NewPCG(3, 4))
	for _, n := range lengths {
		var in tokenizer.Sequence
		for i := range n {
			in.IDs = append(in.IDs, int32(r.IntN(s.Vocabulary)))
			kind := int32(0)
			if !s.XLMR && i > n/2 {
				kind = 1
			}
			in.Types = append(in.Types, kind)
		}
		all = append(all, in)
	}
	return all
}

// shapes are small models of every kind.
func shapes() map[string]encodertest.Shape {
	tiny := encodertest.Tiny()
	xlmr, cls, wide := tiny, tiny, tiny
	xlmr.XLMR, xlmr.CLS = true, true
	cls.CLS, cls.Positions = true, 300
	wide.Hidden, wide.Inner, wide.Heads, wide.Layers, wide.Positions = 64, 112, 2, 1, 300
	return map[string]encodertest.Shape{"bert": tiny, "xlmr": xlmr, "long": cls, "wide": wide}
}

func pooling(s encodertest.Shape) encoder.Pooling {
	if s.CLS {
		return encoder.CLS
	}
	return encoder.Mean
}

// every runs f for every set of kernels of this processor.
func every(t *testing.T, f func(t *testing.T, s *kernel.Set)) {
	for _, s := range kernel.Sets() {
		t.Run(s.Name(), func(t *testing.T) { f(t, s) })
	}
}

func farthest(got []float32, want []float64) (most float64) {
	for i, w := range want {
		if d := math.Abs(float64(got[i]) - w); !(d <= most) {
			most = d
		}
	}
	return most
}

func cosine(a []float32, b []float64) (sum float64) {
	for i, v := range a {
		sum += float64(v) * b[i]
	}
	return sum
}

// The vectors are those of the plainest implementation of the formulas.
func TestEmbedComputesTheFormulas(t *testing.T) {
	every(t, func(t *testing.T, set *kernel.Set) {
		for name, shape := range shapes() {
			m := encodertest.New(shape, 1)
			inputs := sequences(m.Shape, 1, 2, 17, 40, 33, 5)
			if shape.Positions > 200 {
				inputs = sequences(m.Shape, 100, 3)
			}
			got, err := must(t, m, encoder.Options{Kernels: set}).Embed(t.Context(), inputs, pooling(shape))
			if err != nil {
				t.Fatal(err)
			}
			narrow, err := must(t, m, encoder.Options{Kernels: set, Narrow: true}).Embed(t.Context(), inputs, pooling(shape))
			if err != nil {
				t.Fatal(err)
			}
			for i, in := range inputs {
				want := m.Embedding(in.IDs, in.Types)
				if d := farthest(got[i], want); !(d <= 3e-6) {
					t.Errorf("%s, %d tokens: a number is %.2g from what it should be", name, len(in.IDs), d)
				}
				if c := cosine(narrow[i], want); !(c >= 0.998) {
					t.Errorf("%s, %d tokens, narrow: the cosine with what it should be is %f", name, len(in.IDs), c)
				}
			}
		}
	})
}

func TestScoreComputesTheFormulas(t *testing.T) {
	every(t, func(t *testing.T, set *kernel.Set) {
		for _, xlmr := range []bool{false, true} {
			shape := encodertest.Tiny()
			shape.XLMR, shape.Classifier = xlmr, true
			m := encodertest.New(shape, 2)
			inputs := sequences(m.Shape, 3, 20, 40)
			got, err := must(t, m, encoder.Options{Kernels: set}).Score(t.Context(), inputs)
			if err != nil {
				t.Fatal(err)
			}
			for i, in := range inputs {
				if want := m.Logit(in.IDs, in.Types); !(math.Abs(float64(got[i])-want) <= 1e-5) {
					t.Errorf("XLM-R %v, %d tokens: the score is %v, want %v", xlmr, len(in.IDs), got[i], want)
				}
			}
		}
	})
}

// A text's vector is the same to the last bit alone, in a batch of any order, and with any number of threads.
func TestTextsDoNotDependOnTheirBatch(t *testing.T) {
	every(t, func(t *testing.T, set *kernel.Set) {
		for _, narrow := range []bool{false, true} {
			if narrow && set.Name() == "portable" {
				continue // slow under the race detector, and tested in package kernel
			}
			shape := shapes()["wide"]
			m := encodertest.New(shape, 5)
			one := must(t, m, encoder.Options{Kernels: set, Narrow: narrow})
			three := must(t, m, encoder.Options{Kernels: set, Narrow: narrow, Threads: 3})
			// More than one batch.
			inputs := sequences(m.Shape, 7, 290, 1, 64, 65, 2, 250, 33, 280, 31, 150)
			got, err := three.Embed(t.Context(), inputs, encoder.Mean)
			if err != nil {
				t.Fatal(err)
			}
			backwards := slices.Clone(inputs)
			slices.Reverse(backwards)
			reversed, err := one.Embed(t.Context(), backwards, encoder.Mean)
			if err != nil {
				t.Fatal(err)
			}
			slices.Reverse(reversed)
			for i, in := range inputs {
				alone, err := one.Embed(t.Context(), []tokenizer.Sequence{in}, encoder.Mean)
				if err != nil {
					t.Fatal(err)
				}
				if !slices.Equal(alone[0], got[i]) || !slices.Equal(reversed[i], got[i]) {
					t.Errorf("narrow %v: the vector of the text of %d tokens changes with its batch", narrow, len(in.IDs))
				}
			}
		}
	})
}

func TestEncodersAreUsedByManyAtOnce(t *testing.T) {
	m := encodertest.New(encodertest.Tiny(), 6)
	e := must(t, m, encoder.Options{Threads: 2})
	inputs := sequences(m.Shape, 9, 30, 4)
	want, err := e.Embed(t.Context(), inputs, encoder.Mean)
	if err != nil {
		t.Fatal(err)
	}
	results := make(chan error)
	const callers = 4
	for range callers {
		go func() {
			got, err := e.Embed(context.Background(), inputs, encoder.Mean)
			for i := range got {
				if !slices.Equal(got[i], want[i]) {
					err = fmt.Errorf("text %d has another vector", i)
				}
			}
			results <- err
		}()
	}
	for range callers {
		if err := <-results; err != nil {
			t.Error(err)
		}
	}
}

func TestInputsThatTheModelCannotTake(t *testing.T) {
	m := encodertest.New(encodertest.Tiny(), 7)
	e := must(t, m, encoder.Options{})
	for _, tt := range []struct {
		name string
		in   tokenizer.Sequence
		want string
	}{
		{"empty", tokenizer.Sequence{}, "0 tokens"},
		{"too long", sequences(m.Shape, m.Shape.Positions+1)[0], "41 tokens"},
		{"a negative id", tokenizer.Sequence{IDs: []int32{-1}, Types: []int32{0}}, "token -1"},
		{"an id beyond the vocabulary", tokenizer.Sequence{IDs: []int32{int32(m.Shape.Vocabulary)}, Types: []int32{0}}, "the model has"},
		{"a type beyond the types", tokenizer.Sequence{IDs: []int32{1}, Types: []int32{2}}, "type 2"},
		{"no types", tokenizer.Sequence{IDs: []int32{1}}, "0 types"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err := e.Embed(t.Context(), []tokenizer.Sequence{tt.in}, encoder.CLS)
			if err == nil || !strings.Contains(err.Error(), tt.want) || engram.CodeOf(err) != engram.CodeInvalid {
				t.Errorf("got %v, want an invalid one that says %q", err, tt.want)
			}
		})
	}
	if _, err := e.Score(t.Context(), nil); engram.CodeOf(err) != engram.CodeInvalid {
		t.Errorf("a model without a classifier scores: %v", err)
	}
	if got, err := e.Embed(t.Context(), nil, encoder.CLS); err != nil || len(got) != 0 {
		t.Errorf("no text gives %v, %v", got, err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := e.Embed(ctx, sequences(m.Shape, 3), encoder.CLS); err != context.Canceled {
		t.Errorf("after the end of its context: %v", err)
	}
}

func TestConfigsThatAreRefused(t *testing.T) {
	m := encodertest.New(encodertest.Tiny(), 8)
	for _, tt := range []struct{ name, old, new, want string }{
		{"another kind", `"model_type":"bert"`, `"model_type":"llama"`, `"llama"`},
		{"another activation", `"gelu"`, `"gelu_new"`, `"gelu_new"`},
		{"relative positions", `"hidden_act"`, `"position_embedding_type":"relative_key","hidden_act"`, "relative_key"},
		{"heads that do not divide", `"num_attention_heads":3`, `"num_attention_heads":5`, "5 heads"},
		{"no heads", `"num_attention_heads":3`, `"num_attention_heads":0`, "num_attention_heads is 0"},
		{"no layers", `"num_hidden_layers":2`, `"num_hidden_layers":0`, "num_hidden_layers is 0"},
		{"many layers", `"num_hidden_layers":2`, `"num_hidden_layers":49`, "is 49"},
		{"an enormous width", `"hidden_size":24`, `"hidden_size":240000`, "is 240000"},
		{"a negative width", `"intermediate_size":40`, `"intermediate_size":-40`, "is -40"},
		{"an enormous vocabulary", `"vocab_size":`, `"vocab_size":10000`, "vocab_size is 10000"},
		{"many positions", `"max_position_embeddings":40`, `"max_position_embeddings":40000`, "is 40000"},
		{"a broken number", `"hidden_size":24`, `"hidden_size":24.5`, "not what it should be"},
		{"a text for a number", `"hidden_size":24`, `"hidden_size":"24"`, "not what it should be"},
		{"no eps", `"layer_norm_eps":1e-12`, `"layer_norm_eps":0`, "layer_norm_eps is 0"},
		{"several classes", `["BertModel"]`, `["BertForSequenceClassification"],"id2label":{"0":"a","1":"b"},"id2labels":0,"x":[0]`, "2 classes"},
		{"not JSON", "{", "[", "not what it should be"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			file := strings.Replace(string(m.Files["config.json"]), tt.old, tt.new, 1)
			if tt.name == "several classes" {
				file = strings.Replace(file, `,"id2label":{"0":"LABEL_0"}`, "", 1)
			}
			_, err := encoder.ReadConfig([]byte(file))
			if err == nil || !strings.Contains(err.Error(), tt.want) || engram.CodeOf(err) != engram.CodeInvalid {
				t.Errorf("%s\n got: %v\nwant: an invalid one that says %q", file, err, tt.want)
			}
		})
	}
}

func TestWeightsThatAreRefused(t *testing.T) {
	plain, head := encodertest.Tiny(), encodertest.Tiny()
	head.Classifier = true
	for _, shape := range []encodertest.Shape{plain, head} {
		m := encodertest.New(shape, 9)
		for _, name := range m.Tensors() {
			values, dims := m.Tensor(name)
			if pooled := strings.HasPrefix(name, "pooler."); pooled {
				continue // never used
			}
			broken := slices.Clone(values)
			broken[len(broken)-1] = float32(math.NaN())
			for what, file := range map[string][]byte{
				"not a number": m.WithTensor(name, broken, dims...),
				"missing":      m.WithTensor(name, nil),
				"longer":       m.WithTensor(name, append(slices.Clone(values), make([]float32, len(values)/dims[0])...), append([]int{dims[0] + 1}, dims[1:]...)...),
			} {
				_, err := open(m.Files["config.json"], file, encoder.Options{Threads: 2})
				if err == nil || !strings.Contains(err.Error(), strings.TrimPrefix(name, "bert.")) || engram.CodeOf(err) != engram.CodeInvalid {
					t.Errorf("%s is %s: got %v, want an invalid one that names it", name, what, err)
				}
			}
		}
	}
}

func TestUnusedTensorsAreNamed(t *testing.T) {
	m := encodertest.New(encodertest.Tiny(), 10)
	if got := must(t, m, encoder.Options{}).Unused(); len(got) != 0 {
		t.Errorf("a sound model has the unused tensors %v", got)
	}
	if got := must(t, encodertest.New(m.Shape, 10), encoder.Options{}).Config(); got.Hidden != 24 || got.Positions != 40 || got.Kind != encoder.BERT {
		t.Errorf("config: %+v", got)
	}
}
