package encoder_test

import (
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"testing"

	"github.com/alanbuscaglia/engram/internal/encoder"
	"github.com/alanbuscaglia/engram/internal/encoder/kernel"
	"github.com/alanbuscaglia/engram/internal/tokenizer"
)

// references is the folder of models whose vectors other programs computed: ONNX Runtime and PyTorch.
const references = "../../../shared/reference-models/models"

type golden struct {
	Limit   int `json:"max_tokens"`
	Pooling encoder.Pooling
	Cases   []struct {
		Text      string
		Embedding []float64
	}
	Pairs []struct {
		A, B  string
		Logit float64
	}
}

// From text to vector, every number is that of ONNX Runtime.
func TestVectorsAreThoseOfTheReference(t *testing.T) {
	if _, err := os.Stat(references); err != nil {
		t.Skipf("%s is not there: vectors are not compared with those of other programs", references)
	}
	for _, name := range []string{"bert-tiny", "bert-tiny-f16-cls", "bgem3-tiny", "rerank-tiny"} {
		file := func(file string) []byte {
			b, err := os.ReadFile(filepath.Join(references, name, file))
			if err != nil {
				t.Fatal(err)
			}
			return b
		}
		var want golden
		if err := json.Unmarshal(file("golden.json"), &want); err != nil {
			t.Fatal(err)
		}
		tok, err := tokenizer.Read(file("tokenizer.json"))
		if err != nil {
			t.Fatal(err)
		}
		for _, set := range kernel.Sets() {
			for _, narrow := range []bool{false, true} {
				if narrow && set.Name() == "portable" {
					continue // slow under the race detector, and tested in package kernel
				}
				e, err := open(file("config.json"), file("model.safetensors"), encoder.Options{Kernels: set, Narrow: narrow, Threads: 2})
				if err != nil {
					t.Fatal(err)
				}
				if unused := e.Unused(); len(unused) > 0 {
					t.Errorf("%s: unused tensors %v", name, unused)
				}
				compare(t, name+" "+set.Name(), e, tok, want, narrow)
			}
		}
	}
}

func compare(t *testing.T, name string, e *encoder.Encoder, tok *tokenizer.Tokenizer, want golden, narrow bool) {
	t.Helper()
	var texts, pairs []tokenizer.Sequence
	for _, c := range want.Cases {
		texts = append(texts, tok.Encode(c.Text, want.Limit))
	}
	for _, p := range want.Pairs {
		pairs = append(pairs, tok.Pair(p.A, p.B, want.Limit, false))
	}
	var most, least, logit float64 = 0, 1, 0
	if len(texts) > 0 {
		got, err := e.Embed(t.Context(), texts, want.Pooling)
		if err != nil {
			t.Fatal(err)
		}
		for i, v := range got {
			most = max(most, farthest(v, want.Cases[i].Embedding))
			least = min(least, cosine(v, want.Cases[i].Embedding))
		}
	}
	if len(pairs) > 0 {
		got, err := e.Score(t.Context(), pairs)
		if err != nil {
			t.Fatal(err)
		}
		for i, v := range got {
			logit = max(logit, math.Abs(float64(v)-want.Pairs[i].Logit))
		}
	}
	t.Logf("%s, narrow %v: %d texts within %.2g, cosine at least %.6f; %d pairs within %.2g", name, narrow, len(texts), most, least, len(pairs), logit)
	switch {
	case !narrow && !(most <= 3e-6 && logit <= 1e-5):
		t.Errorf("%s: vectors differ by %.2g, at most 3e-6; scores by %.2g, at most 1e-5", name, most, logit)
	case narrow && !(least >= 0.998 && logit <= 0.15):
		t.Errorf("%s, narrow: cosine %.6f, at least 0.998; scores differ by %.2g, at most 0.15", name, least, logit)
	}
}
