package own

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"math"
	"os"
	"slices"
	"testing"

	"github.com/alanbuscaglia/engram/internal/embedding/static"
)

// The vectors are those of the trainer's own arithmetic, in PyTorch, with the same weights.
func TestVectorsAreThoseOfTheTrainer(t *testing.T) {
	t.Parallel()
	var golden struct {
		Cases []struct {
			Text      string
			IDs       []int32
			Embedding []float64
		}
	}
	b, err := os.ReadFile("testdata/golden.json")
	if err == nil {
		err = json.Unmarshal(b, &golden)
	}
	if err != nil || len(golden.Cases) == 0 {
		t.Fatalf("%d cases, %v", len(golden.Cases), err)
	}
	m, err := Open(1, "")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range golden.Cases {
		ids := static.New().Tokens(nil, c.Text)
		for i := range ids {
			ids[i] += before
		}
		ids = slices.Concat([]int32{opens}, ids[:min(len(ids), Tokens-2)], []int32{closes})
		if !slices.Equal(ids, c.IDs) {
			t.Errorf("%.40q: ids %v, want %v", c.Text, ids, c.IDs)
		}
		v, err := m.Embed(t.Context(), "", []string{c.Text})
		if err != nil {
			t.Fatal(err)
		}
		for i, x := range v[0] {
			if math.Abs(float64(x)-c.Embedding[i]) > 2e-6 {
				t.Errorf("%.40q: number %d is %v, want %v", c.Text, i, x, c.Embedding[i])
				break
			}
		}
	}
}

func TestTheFileIsTheOneThatIsNamed(t *testing.T) {
	t.Parallel()
	if sum := sha256.Sum256(Weights()); hex.EncodeToString(sum[:]) != SHA256 || len(Weights()) != Size {
		t.Errorf("%d bytes with the hash %x, want %d with %s", len(Weights()), sum, Size, SHA256)
	}
	m, err := Open(1, "")
	if err != nil {
		t.Fatal(err)
	}
	if c := m.Config(); c.Hidden != Dimensions || c.Layers != Layers || c.Vocabulary != before+static.New().Size() || m.Limit() != Tokens || len(m.Unused()) > 0 {
		t.Errorf("the model is %+v with %d tokens, unused %v", c, m.Limit(), m.Unused())
	}
}

func BenchmarkOpen(b *testing.B) {
	for b.Loop() {
		if _, err := Open(1, ""); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkEmbed(b *testing.B) {
	m, err := Open(1, "")
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if _, err := m.Embed(b.Context(), "", []string{"Which worker retries a failed upload, and how often does it try?"}); err != nil {
			b.Fatal(err)
		}
	}
}
