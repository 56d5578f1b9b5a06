// Package static is the built-in embedding model: a table with a vector for each of 30,000 words
// and word pieces, whose weighted sum is the vector of a text. It needs no server or download, and
// a text costs microseconds. It covers English and identifiers of programs; text in another script
// gives the zero vector.
//
// The table (model.bin) and the index of its vocabulary (index.bin) are embedded and used without
// decoding. file.go defines the formats, token.go splits a text into entries.
// NOTICE at the root of the repository names the training data.
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

// Meaning of the model's cosines, and how they join a lexical ranking.
const (
	name = "static-30k-256"
	// related and duplicate are cosines of two memories. On seven collections, one in a hundred
	// unrelated pairs is above .43 to .64, one in a thousand above .58 to .75; a text without
	// every fifth word has .84 to .94 or more with itself nine times in ten, and the nearest other
	// text is below .90 as often.
	related   = 0.62
	duplicate = 0.93
	weight    = 0.2
	// noise and answer are cosines of a question without stop words and a memory.
	noise, answer = 0.05, 0.51
	// pooling changes if the same table would give other vectors.
	pooling = 1
)

// mostTokens is how many entries make a vector; the rest of a text is ignored. It is part of the
// model: another number gives other vectors.
const mostTokens = 512

// Model is an engram.Embedder with a table. It may be used concurrently.
type Model struct {
	manifest engram.Model
	table    func() (*table, error)
	pairs    pairs
}

// pairs keeps similarities of words: those of a subject are compared again and again. It is half a megabyte, made for the
// second question: many processes ask one.
type pairs struct {
	sync.Mutex
	asked bool
	known []pair // by a hash of the words
}

// take returns what is known, until give; nil for the first question and beside another one.
func (p *pairs) take() []pair {
	switch {
	case !p.TryLock():
		return nil
	case p.known == nil && p.asked:
		p.known = make([]pair, mostPairs)
	case !p.asked:
		p.asked = true
		p.Unlock()
		return nil
	}
	return p.known
}

func (p *pairs) give(known []pair) {
	if known != nil {
		p.Unlock()
	}
}

type pair struct {
	words      uint32 // their numbers, plus one; 0: none
	similarity float64
}

const mostPairs = 1 << 15

// placeOf returns where the similarity of two words is, or may be put; without pairs, none.
func placeOf(known []pair, none *pair, a, b uint16) (place *pair, words uint32) {
	words = (uint32(a)<<16 | uint32(b)) + 1
	if known == nil {
		return none, words
	}
	return &known[words*2654435761>>17], words
}

var _ engram.WordEmbedder = (*Model)(nil)

// New returns the built-in model. It opens the table on the first Embed, which is CodeUnavailable
// if the program file was altered so that it cannot be opened. It does not verify the checksum,
// which would read all eight megabytes in every command that embeds one text; a test does.
func New() *Model {
	h, _ := readHeader(builtIn) // opening the table reports an error
	return &Model{manifest: manifest(h), table: sync.OnceValues(func() (*table, error) {
		t, err := openBuiltIn()
		if err != nil {
			return nil, engram.Errorf(engram.CodeUnavailable, "the built-in model is damaged").
				WithHint("the program file was altered: install it again; until then search uses only words").WithCause(err)
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

func manifest(h header) engram.Model {
	return engram.Model{
		Name: name, Fingerprint: fmt.Sprintf("static-%08x-%d", h.checksum, pooling), Dimensions: h.dimensions,
		Related: related, Duplicate: duplicate, Noise: noise, Answer: answer, Fusion: engram.FusionScore, Weight: weight, Instant: true,
	}
}

// Model describes the vectors.
func (m *Model) Model() engram.Model { return m.manifest }

// Embed returns one vector per text. It ignores the role: a question is embedded like its answer.
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

// Line returns the place of a word in the vocabulary, which is in order of frequency in general language, from 0; -1
// if the model does not have it whole, or cannot answer.
func (m *Model) Line(word string) int {
	t, err := m.table()
	if err != nil {
		return -1
	}
	if id, whole := t.whole(word); whole {
		return int(id)
	}
	return -1
}

// embed sums the vectors of tokens in v, which is zero, and normalises it.
func (t *table) embed(v []float32, tokens []uint16) {
	for ; len(tokens) >= 4; tokens = tokens[4:] {
		t.add4(v, [4]uint16(tokens))
	}
	for _, id := range tokens {
		t.add(v, id)
	}
	vector.Normalise(v)
}

// Similarities returns the similarity in meaning of each of words to each of others, which are lines, one row per word:
// 1 for the same word, around 0 for unrelated words, and 0 if one of them is -1. It skips pieces of unknown names and
// numbers with these: they are similar to those of any other.
func (m *Model) Similarities(words, others []int) [][]float64 {
	rows, scores := make([][]float64, len(words)), make([]float64, len(words)*len(others))
	for i := range rows {
		rows[i] = scores[i*len(others) : (i+1)*len(others) : (i+1)*len(others)]
	}
	t, err := m.table()
	if err != nil {
		return rows
	}
	asked := make([][]float32, len(words))
	for i, id := range words {
		if id >= 0 {
			asked[i] = make([]float32, t.dimensions)
			t.embed(asked[i], []uint16{uint16(id)})
		}
	}
	pairs := m.pairs.take()
	defer m.pairs.give(pairs)
	var none pair
	for j, id := range others {
		if id < 0 {
			continue
		}
		row, length := t.rows[id*t.dimensions:][:t.dimensions], -1.0
		for i, v := range asked {
			if v == nil {
				continue
			}
			known, words := placeOf(pairs, &none, uint16(words[i]), uint16(id))
			if known.words != words {
				if length < 0 {
					length = vector.CodesLength(row)
				}
				*known = pair{words: words}
				if length > 0 {
					known.similarity = vector.DotCodes(v, row) / length
				}
			}
			rows[i][j] = known.similarity
		}
	}
	return rows
}

// whole returns the entry that is the whole word.
func (t *table) whole(word string) (id uint16, whole bool) {
	h := uint64(hashStart)
	for i := range len(word) {
		if c := word[i]; (c < 'a' || c > 'z') && (c < '0' || c > '9') || i == mostWord {
			var room [2]uint16 // normalised, it may be one entry
			ids := t.tokens(room[:0], word)
			return room[0], len(ids) == 1
		}
		h = (h ^ uint64(word[i])) * hashPrime
	}
	return t.find(h, "", []byte(word))
}
