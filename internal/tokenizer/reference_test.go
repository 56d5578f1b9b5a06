package tokenizer_test

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/alanbuscaglia/engram/internal/tokenizer"
)

// references is the folder of models and ids that other programs made; the gate has it, a lone checkout has not.
const references = "../../../shared/reference-models"

// reference reads a file of references, unpacked, or skips the test.
func reference(t *testing.T, name string) []byte {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(references, name))
	if os.IsNotExist(err) {
		t.Skipf("%s is not there: the ids of the reference implementation are not compared", name)
	}
	if err == nil && filepath.Ext(name) == ".gz" {
		var z io.Reader
		if z, err = gzip.NewReader(bytes.NewReader(b)); err == nil {
			b, err = io.ReadAll(z)
		}
	}
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// decode reads JSON of references.
func decode(t *testing.T, name string, v any) {
	t.Helper()
	if err := json.Unmarshal(reference(t, name), v); err != nil {
		t.Fatalf("%s: %v", name, err)
	}
}

// The ids are those of Hugging Face's tokenizers in Rust for 1,000 strings that tokenizers stumble over.
func TestIDsAreThoseOfTheReference(t *testing.T) {
	for ids, file := range map[string]string{
		"bert-small": "models/bert-tiny/tokenizer.json",
		"bert-real":  "tokenizers/bert-real.tokenizer.json.gz",
		"uni-xlmr":   "models/rerank-tiny/tokenizer.json",
		"uni-bgem3":  "models/bgem3-tiny/tokenizer.json",
	} {
		t.Run(ids, func(t *testing.T) {
			var texts []string
			decode(t, "tokenizers/strings.json", &texts)
			var want struct {
				IDs   [][]int32
				Pairs [][4]json.RawMessage
			}
			decode(t, "tokenizers/"+ids+".ids.json", &want)
			tok, err := tokenizer.Read(reference(t, file))
			if err != nil {
				t.Fatal(err)
			}
			for i, text := range texts {
				if got := tok.Encode(text, 0); !slices.Equal(got.IDs, want.IDs[i]) {
					t.Errorf("%q\n got: %d\nwant: %d", text, got.IDs, want.IDs[i])
				}
			}
			for _, pair := range want.Pairs {
				var a, b int
				var ids, types []int32
				for i, into := range []any{&a, &b, &ids, &types} {
					if err := json.Unmarshal(pair[i], into); err != nil {
						t.Fatal(err)
					}
				}
				got := tok.Pair(texts[a], texts[b], 0, false)
				if !slices.Equal(got.IDs, ids) || !slices.Equal(got.Types, types) {
					t.Errorf("%q and %q\n got: %d, types %d\nwant: %d, types %d", texts[a], texts[b], got.IDs, got.Types, ids, types)
				}
			}
		})
	}
}

// Texts beyond the limit are shortened as the reference does it.
func TestLimitsAreThoseOfTheReference(t *testing.T) {
	for _, model := range []string{"bert-tiny", "bgem3-tiny", "rerank-tiny"} {
		t.Run(model, func(t *testing.T) {
			var golden struct {
				Limit int `json:"max_tokens"`
				Cases []struct {
					Text string
					IDs  []int32
				}
				Pairs []struct {
					A, B       string
					IDs, Types []int32
				}
			}
			decode(t, "models/"+model+"/golden.json", &golden)
			tok, err := tokenizer.Read(reference(t, "models/"+model+"/tokenizer.json"))
			if err != nil {
				t.Fatal(err)
			}
			for _, c := range golden.Cases {
				if got := tok.Encode(c.Text, golden.Limit); !slices.Equal(got.IDs, c.IDs) {
					t.Errorf("%q\n got: %d\nwant: %d", c.Text, got.IDs, c.IDs)
				}
			}
			for _, c := range golden.Pairs {
				if got := tok.Pair(c.A, c.B, golden.Limit, false); !slices.Equal(got.IDs, c.IDs) || !slices.Equal(got.Types, c.Types) {
					t.Errorf("%q and %q\n got: %d, types %d\nwant: %d, types %d", c.A, c.B, got.IDs, got.Types, c.IDs, c.Types)
				}
			}
		})
	}
}
