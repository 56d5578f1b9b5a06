package static

import "github.com/alanbuscaglia/engram/internal/vector"

// Similarity returns the similarity of two words in meaning: 1 for the same word, around 0 for
// unrelated words, and 0 if the model does not have one of them as a whole word or cannot answer.
// It costs about a microsecond.
func (m *Model) Similarity(a, b string) float64 {
	return m.Similarities([]string{a}, []string{b})[0][0]
}

// Similarities returns the Similarity of each of words to each of others, one row per word. It
// looks each word up once, so that the words of a question can be compared with all words of some
// memories.
func (m *Model) Similarities(words, others []string) [][]float64 {
	rows, scores := make([][]float64, len(words)), make([]float64, len(words)*len(others))
	for i := range rows {
		rows[i] = scores[i*len(others) : (i+1)*len(others) : (i+1)*len(others)]
	}
	t, err := m.table()
	if err != nil {
		return rows
	}
	asked := make([][]float32, len(words))
	for i, w := range words {
		if id, whole := t.whole(w); whole {
			asked[i] = make([]float32, t.dimensions)
			t.embed(asked[i], []uint16{id})
		}
	}
	for j, other := range others {
		// Skip pieces of unknown names and numbers: they are similar to those of any other.
		id, whole := t.whole(other)
		if !whole {
			continue
		}
		row := t.rows[int(id)*t.dimensions:][:t.dimensions]
		length := vector.CodesLength(row)
		for i, v := range asked {
			if v != nil && length > 0 {
				rows[i][j] = vector.DotCodes(v, row) / length
			}
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
