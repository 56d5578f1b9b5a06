package transformer_test

import (
	"context"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/embedding/transformer"
	"github.com/alanbuscaglia/engram/internal/encoder"
	"github.com/alanbuscaglia/engram/internal/encoder/encodertest"
)

// write lays a made model's files in a new folder, some of them changed: nil leaves a file out.
func write(t testing.TB, m *encodertest.Model, changed map[string][]byte) string {
	t.Helper()
	dir := t.TempDir()
	for name, b := range m.Files {
		if c, ok := changed[name]; ok {
			b = c
		}
		if b != nil {
			put(t, dir, name, b)
		}
	}
	for name, b := range changed {
		if _, ok := m.Files[name]; !ok {
			put(t, dir, name, b)
		}
	}
	return dir
}

func put(t testing.TB, dir, name string, b []byte) {
	t.Helper()
	path := filepath.Join(dir, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, b, 0o644); err != nil {
		t.Fatal(err)
	}
}

func open(t testing.TB, dir string, o transformer.Options) *transformer.Model {
	t.Helper()
	m, err := transformer.Open(dir, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { m.Close() })
	return m
}

func dot(a, b []float32) (sum float64) {
	for i, v := range a {
		sum += float64(v) * float64(b[i])
	}
	return sum
}

func TestEmbedGivesAVectorPerText(t *testing.T) {
	made := encodertest.New(encodertest.Tiny(), 1)
	m := open(t, write(t, made, nil), transformer.Options{})
	long := strings.Repeat("the user decided to search the memory, ", 20)
	texts := []string{"the memory", "", long, "the memory"}
	got, err := m.Embed(t.Context(), "", texts)
	if err != nil {
		t.Fatal(err)
	}
	for i, v := range got {
		if length := dot(v, v); len(v) != made.Shape.Hidden || math.Abs(length-1) > 1e-5 {
			t.Errorf("%.20q: a vector of %d numbers and length %f", texts[i], len(v), length)
		}
	}
	if !slices.Equal(got[0], got[3]) {
		t.Error("equal texts have different vectors")
	}
	passages, err := m.Passages(t.Context(), "", texts)
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []bool{false, false, true, false} {
		if many := len(passages[i]) > 1; many != want {
			t.Errorf("%.20q has %d windows", texts[i], len(passages[i]))
		}
	}
	// Pooling is the folder's, unless the caller knows better; so is the limit.
	if m.Pooling() != encoder.Mean || m.Limit() != made.Shape.Positions {
		t.Errorf("pooling %s, limit %d", m.Pooling(), m.Limit())
	}
	other := open(t, write(t, made, nil), transformer.Options{Pooling: encoder.CLS, Limit: 20})
	if v, err := other.Embed(t.Context(), "", texts[:1]); err != nil || slices.Equal(v[0], got[0]) || other.Limit() != 20 {
		t.Errorf("by the first token: %v, limit %d", err, other.Limit())
	}
}

// What opens a text changes its vector, and stands in each of its windows.
func TestWhatOpensATextCounts(t *testing.T) {
	m := open(t, write(t, encodertest.New(encodertest.Tiny(), 2), map[string][]byte{
		"config_sentence_transformers.json": []byte(`{"prompts":{"query":"the user ","document":"the memory "}}`)}), transformer.Options{})
	if got := m.Prefixes(); got[engram.RoleQuery] != "the user " || got[engram.RoleMemory] != "the memory " {
		t.Errorf("prefixes: %q", got)
	}
	long := strings.Repeat("search the token, ", 40)
	got, err := m.Passages(t.Context(), "the user ", []string{"search", long})
	if err != nil {
		t.Fatal(err)
	}
	whole, err := m.Embed(t.Context(), "", []string{"the user search"})
	if err != nil || !slices.Equal(got[0][0], whole[0]) {
		t.Errorf("a short text is not what the two are as one: %v", err)
	}
	without, err := m.Passages(t.Context(), "", []string{long})
	if err != nil || len(got[1]) < 3 {
		t.Fatalf("%d windows, %v", len(got[1]), err)
	}
	last, plain := got[1][len(got[1])-1], without[0][len(without[0])-1]
	if slices.Equal(last, plain) {
		t.Error("the last window lacks what opens the text")
	}
}

func TestEndOfALongTextCounts(t *testing.T) {
	m := open(t, write(t, encodertest.New(encodertest.Tiny(), 2), nil), transformer.Options{})
	long := strings.Repeat("the user decided to search the memory, ", 20)
	got, err := m.Embed(t.Context(), "", []string{long, long + "0123456789 xyz"})
	if err != nil {
		t.Fatal(err)
	}
	if slices.Equal(got[0], got[1]) {
		t.Error("what follows the first window changes nothing")
	}
}

func TestRerankScoresTexts(t *testing.T) {
	for _, xlmr := range []bool{false, true} {
		shape := encodertest.Tiny()
		shape.XLMR, shape.Classifier = xlmr, true
		m := open(t, write(t, encodertest.New(shape, 3), nil), transformer.Options{})
		texts := []string{"the memory", strings.Repeat("we search the token. ", 30), "", "[SEP] </s> [CLS]"}
		got, err := m.Rerank(t.Context(), "the user is", texts)
		if err != nil {
			t.Fatal(err)
		}
		for i, s := range got {
			if !(s > 0 && s < 1) {
				t.Errorf("%.20q: score %v", texts[i], s)
			}
			alone, err := m.Rerank(t.Context(), "the user is", texts[i:i+1])
			if err != nil || alone[0] != s {
				t.Errorf("%.20q alone: %v, %v, want %v", texts[i], alone, err, s)
			}
		}
	}
	m := open(t, write(t, encodertest.New(encodertest.Tiny(), 3), nil), transformer.Options{})
	if _, err := m.Rerank(t.Context(), "a", []string{"b"}); engram.CodeOf(err) != engram.CodeInvalid {
		t.Errorf("an embedding model reranks: %v", err)
	}
}

func TestFoldersThatAreRefused(t *testing.T) {
	m := encodertest.New(encodertest.Tiny(), 4)
	weights := m.Files["model.safetensors"]
	large := encodertest.Tiny()
	large.XLMR = true
	for _, tt := range []struct {
		name    string
		changed map[string][]byte
		want    string
	}{
		{"no configuration", map[string][]byte{"config.json": nil}, "no file config.json"},
		{"a folder for a file", map[string][]byte{"config.json": nil, "config.json/x": {1}}, "not a regular file"},
		{"no tokenizer", map[string][]byte{"tokenizer.json": nil}, "no file tokenizer.json"},
		{"no weights", map[string][]byte{"model.safetensors": nil}, "no file model.safetensors"},
		{"no pooling", map[string][]byte{"1_Pooling/config.json": nil}, "how it pools"},
		{"empty weights", map[string][]byte{"model.safetensors": {}}, "is empty"},
		{"weights cut off", map[string][]byte{"model.safetensors": weights[:len(weights)-4]}, "cut off"},
		{"weights with more behind", map[string][]byte{"model.safetensors": append(slices.Clone(weights), 0, 0, 0, 0)}, "4 bytes after"},
		{"weights of another shape", map[string][]byte{"model.safetensors": encodertest.New(encodertest.Shape{Hidden: 48, Layers: 2, Heads: 3, Inner: 40, Positions: 40}, 1).Files["model.safetensors"]}, "the shape"},
		{"the tokenizer of another model", map[string][]byte{"config.json": []byte(strings.Replace(string(m.Files["config.json"]), `"vocab_size":`, `"vocab_size":1,"x":`, 1))}, "weights are for 1"},
		{"max pooling", map[string][]byte{"1_Pooling/config.json": []byte(`{"pooling_mode_max_tokens":true}`)}, "max_tokens"},
		{"pooling that is no object", map[string][]byte{"1_Pooling/config.json": []byte(`[]`)}, "not what it should be"},
		{"a part of another kind", map[string][]byte{"modules.json": []byte(`[{"type":"sentence_transformers.models.Dense"}]`)}, `"Dense"`},
		{"a negative limit", map[string][]byte{"sentence_bert_config.json": []byte(`{"max_seq_length":-1}`)}, "is -1"},
		{"no room for words", map[string][]byte{"sentence_bert_config.json": []byte(`{"max_seq_length":2}`)}, "2 tokens"},
		{"an enormous configuration", map[string][]byte{"config.json": make([]byte, 1<<20+1)}, "the limit is"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, err := transformer.Open(write(t, m, tt.changed), transformer.Options{})
			if err == nil || !strings.Contains(err.Error(), tt.want) || engram.CodeOf(err) != engram.CodeInvalid {
				t.Errorf("got %v (%s), want an invalid one that says %q", err, engram.CodeOf(err), tt.want)
			}
		})
	}
	if _, err := transformer.Open(filepath.Join(t.TempDir(), "none"), transformer.Options{}); engram.CodeOf(err) != engram.CodeNotFound {
		t.Errorf("a folder that is not there: %v", err)
	}
}

func TestFilesMustLieInTheFolder(t *testing.T) {
	m := encodertest.New(encodertest.Tiny(), 5)
	elsewhere := write(t, m, nil)
	for _, name := range []string{"config.json", "model.safetensors", "tokenizer.json", "1_Pooling/config.json"} {
		dir := write(t, m, map[string][]byte{name: nil})
		if err := os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink(filepath.Join(elsewhere, name), filepath.Join(dir, name)); err != nil {
			t.Skipf("no links here: %v", err)
		}
		if _, err := transformer.Open(dir, transformer.Options{}); engram.CodeOf(err) != engram.CodeInvalid || !strings.Contains(err.Error(), name) {
			t.Errorf("%s leads out of the folder: got %v", name, err)
		}
	}
	// A link within the folder is followed.
	dir := write(t, m, map[string][]byte{"model.safetensors": nil, "blob": m.Files["model.safetensors"]})
	if err := os.Symlink("blob", filepath.Join(dir, "model.safetensors")); err != nil {
		t.Fatal(err)
	}
	open(t, dir, transformer.Options{})
}

func TestUseAfterTheFileChanged(t *testing.T) {
	made := encodertest.New(encodertest.Tiny(), 6)
	dir := write(t, made, nil)
	m := open(t, dir, transformer.Options{})
	put(t, dir, "model.safetensors", []byte("short"))
	if _, err := m.Embed(t.Context(), "", []string{"the memory"}); engram.CodeOf(err) != engram.CodeUnavailable {
		t.Errorf("after the weights were cut off: %v", err)
	}
	closed := open(t, write(t, made, nil), transformer.Options{})
	for range 2 {
		if err := closed.Close(); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := closed.Embed(context.Background(), "", []string{"the memory"}); engram.CodeOf(err) != engram.CodeUnavailable {
		t.Errorf("after Close: %v", err)
	}
}
