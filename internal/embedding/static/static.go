// Package static is the built-in embedding model: a table with a vector for each of
// 30,000 words and pieces of words, whose weighted sum is the vector of a text. It
// needs no server and no download, and a text costs microseconds. English and the
// identifiers of programs; a text in another script gives the zero vector.
//
// The table (model.bin) and the index of its vocabulary (index.bin) are part of the
// program and read where they stand. file.go and index.go are the formats, token.go the way from a text to entries of the table, similar.go compares words.
// NOTICE at the root of the repository names what the table was trained on.
package static

import (
	"context"
	_ "embed" // the table
	"fmt"
	"sync"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/vector"
)

//go:embed model.bin
var builtIn []byte

// What the angles of the model's vectors mean, and how they join a ranking by words.
const (
	name = "static-30k-256"
	// related and duplicate are cosines of two memories. On seven collections one pair in
	// a hundred that has nothing in common but the collection is above .43 to .64, one in a
	// thousand above .58 to .75; a text without every fifth of its words is at .84 to .94 or
	// more of itself nine times in ten, and the nearest other one below .90 as often.
	related   = 0.62
	duplicate = 0.93
	weight    = 0.2
	// noise and answer are cosines of a question without its stop words and a memory.
	noise, answer = 0.05, 0.51
	// pooling changes when the same table would give other vectors.
	pooling = 1
)

// mostTokens is how many entries of the table make a vector; what follows in a text is
// not read. It is part of the model: other vectors would come of another number.
const mostTokens = 512

// Model is an engram.Embedder on a table. It may be used by many goroutines.
type Model struct {
	manifest engram.Model
	table    func() (*table, error)
}

var _ engram.WordEmbedder = (*Model)(nil)

// New returns the built-in model. It costs nothing until the first text is embedded;
// only then is the table opened, and if the program file was altered so that it cannot
// be, every Embed is CodeUnavailable. Its checksum is not looked at, which would read all
// eight megabytes of it in every command that embeds one text: the program's own code is
// not checked either, and a test does it.
func New() *Model {
	h, _ := readHeader(builtIn) // if it cannot be read, opening says so
	return &Model{manifest: manifest(h), table: sync.OnceValues(func() (*table, error) {
		t, err := openBuiltIn()
		if err != nil {
			return nil, engram.Errorf(engram.CodeUnavailable, "the built-in model is damaged").
				WithHint("the program file was altered: install it again; until then search goes by words alone").WithCause(err)
		}
		return t, nil
	})}
}

func openBuiltIn() (*table, error) {
	t, err := readTable(builtIn)
	if err != nil {
		return nil, err
	}
	t.index, err = readIndex(builtInIndex, t.entries)
	return t, err
}

// Open returns the model in file, which is read where it stands and must not be changed
// afterwards. A file that is cut short, altered, or of another format is CodeInvalid.
func Open(file []byte) (*Model, error) {
	t, err := openChecked(file)
	if err != nil {
		return nil, err
	}
	return &Model{manifest: manifest(t.header), table: func() (*table, error) { return t, nil }}, nil
}

func manifest(h header) engram.Model {
	return engram.Model{
		Name: name, Fingerprint: fmt.Sprintf("static-%08x-%d", h.checksum, pooling), Dimensions: h.dimensions,
		Related: related, Duplicate: duplicate, Noise: noise, Answer: answer, Fusion: engram.FusionScore, Weight: weight, Instant: true,
	}
}

// Model describes the vectors.
func (m *Model) Model() engram.Model { return m.manifest }

// Embed returns one vector per text. The role is no matter: a question is embedded like
// its answer.
func (m *Model) Embed(ctx context.Context, texts []string, _ engram.Role) ([][]float32, error) {
	t, err := m.table()
	if err != nil {
		return nil, err
	}
	vectors, numbers := make([][]float32, len(texts)), make([]float32, len(texts)*t.dimensions)
	room := make([]uint16, 0, mostTokens)
	for i, text := range texts {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		vectors[i] = numbers[i*t.dimensions : (i+1)*t.dimensions : (i+1)*t.dimensions]
		t.embed(vectors[i], t.tokens(room, text))
	}
	return vectors, nil
}

// EmbedWords returns the vector of a text made of words, each counting as weights says.
func (m *Model) EmbedWords(ctx context.Context, words []string, weights []float64) ([]float32, error) {
	t, err := m.table()
	if err != nil {
		return nil, err
	}
	var room [mostTokens]uint16
	v, word := make([]float32, t.dimensions), make([]float32, t.dimensions)
	for i, w := range words {
		clear(word)
		for _, id := range t.tokens(room[:0], w) {
			t.add(word, id)
		}
		for k, x := range word {
			v[k] += float32(weights[i]) * x
		}
	}
	vector.Normalise(v)
	return v, ctx.Err()
}

// embed adds up the vectors of tokens in v, which is zero, and makes the sum of length 1.
func (t *table) embed(v []float32, tokens []uint16) {
	for _, id := range tokens {
		t.add(v, id)
	}
	vector.Normalise(v)
}
