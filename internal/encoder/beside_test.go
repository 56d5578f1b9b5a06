//go:build unix

package encoder_test

import (
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/alanbuscaglia/engram/internal/encoder"
	"github.com/alanbuscaglia/engram/internal/encoder/encodertest"
	"github.com/alanbuscaglia/engram/internal/encoder/kernel"
	"github.com/alanbuscaglia/engram/internal/tokenizer"
)

var beside = flag.String("onnxruntime", "", "folder with side.mjs and its modules, for TestBesideONNXRuntime")

// A side is ONNX Runtime in another process.
type side struct {
	in  *json.Encoder
	out *json.Decoder
}

func startSide(t *testing.T, m *encodertest.Model) side {
	t.Helper()
	dir := t.TempDir()
	for _, name := range []string{"config.json", "model.safetensors"} {
		if err := os.WriteFile(filepath.Join(dir, name), m.Files[name], 0o600); err != nil {
			t.Fatal(err)
		}
	}
	cmd := exec.CommandContext(t.Context(), "node", "side.mjs", dir)
	cmd.Dir, cmd.Stderr = *beside, os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { in.Close(); _ = cmd.Wait() })
	return side{json.NewEncoder(in), json.NewDecoder(out)}
}

// run computes a batch some times; it returns the processor time of each in milliseconds, and the first text's first vector.
func (s side) run(t *testing.T, inputs []tokenizer.Sequence, runs int) ([]float64, []float64) {
	t.Helper()
	ids := make([][]int32, len(inputs))
	for i, in := range inputs {
		ids[i] = in.IDs
	}
	var answer struct{ MS, First []float64 }
	if err := s.in.Encode(map[string]any{"ids": ids, "runs": runs}); err != nil {
		t.Fatal(err)
	}
	if err := s.out.Decode(&answer); err != nil {
		t.Fatal(err)
	}
	return answer.MS, answer.First
}

// TestBesideONNXRuntime compares vectors and processor time with ONNX Runtime's, in turns, on random weights in the shape of
// published models: make bench-models.
func TestBesideONNXRuntime(t *testing.T) {
	if *beside == "" {
		t.Skip("ONNX Runtime is asked for by -onnxruntime: make bench-models")
	}
	const rounds, runs = 5, 3
	for _, name := range slices.Sorted(maps.Keys(realShapes())) {
		shape := realShapes()[name]
		shape.CLS = true
		m := encodertest.New(shape, 1)
		other := startSide(t, m)
		for _, size := range [][2]int{{1, 16}, {1, 64}, {1, 256}, {16, 16}, {16, 64}} {
			inputs := sequences(m.Shape, slices.Repeat([]int{size[1]}, size[0])...)
			for i := range inputs {
				clear(inputs[i].Types)
			}
			var theirs []float64
			ours := map[string][]float64{}
			for range rounds {
				ms, first := other.run(t, inputs, runs)
				theirs = append(theirs, ms...)
				for _, set := range kernel.Sets() {
					if set.Name() == "portable" {
						continue
					}
					for precision, narrow := range map[string]bool{"f32": false, "w8": true} {
						e := cached(t, m, name, set, narrow)
						for range runs {
							before := cpu()
							vectors, err := e.Embed(t.Context(), inputs, encoder.CLS)
							if err != nil {
								t.Fatal(err)
							}
							key := set.Name() + " " + precision
							ours[key] = append(ours[key], cpu()-before)
							agree(t, name+" "+key, vectors[0], first, narrow)
						}
					}
				}
			}
			row := fmt.Sprintf("%-18s %2d × %3d  onnxruntime %6.1f ms a text", name, size[0], size[1], median(theirs)/float64(size[0]))
			for _, key := range slices.Sorted(maps.Keys(ours)) {
				row += fmt.Sprintf("  %s ×%.2f", key, median(ours[key])/median(theirs))
			}
			t.Log(row)
		}
	}
}

func median(x []float64) float64 {
	x = slices.Sorted(slices.Values(x))
	return x[len(x)/2]
}

// agree compares a vector of length 1 with another of the same direction.
func agree(t *testing.T, what string, got []float32, other []float64, narrow bool) {
	t.Helper()
	var squares float64
	for _, x := range other {
		squares += x * x
	}
	want := make([]float64, len(other))
	for i, x := range other {
		want[i] = x / math.Sqrt(squares)
	}
	if d := farthest(got, want); !narrow && !(d <= 3e-6) {
		t.Errorf("%s: a number is %.2g from ONNX Runtime's", what, d)
	}
	if c := cosine(got, want); narrow && !(c >= 0.998) {
		t.Errorf("%s: the cosine with ONNX Runtime's vector is %f", what, c)
	}
}

var encoders = map[string]*encoder.Encoder{}

// cached returns an encoder, which takes longer to make than to use.
func cached(t *testing.T, m *encodertest.Model, name string, set *kernel.Set, narrow bool) *encoder.Encoder {
	t.Helper()
	key := strings.Join([]string{name, set.Name(), fmt.Sprint(narrow)}, " ")
	if encoders[key] == nil {
		encoders[key] = must(t, m, encoder.Options{Kernels: set, Narrow: narrow})
	}
	return encoders[key]
}
