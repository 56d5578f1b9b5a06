package static

import "github.com/alanbuscaglia/engram/internal/vector"

// Similarity returns how near two words are in meaning, by the table's angle between
// them: 1 for the same word, around 0 for words that have nothing to do with each other, and 0 where
// the model does not know one of them whole, or cannot answer. It costs about a microsecond.
func (m *Model) Similarity(a, b string) float64 {
	return m.Similarities([]string{a}, []string{b})[0][0]
}

// Similarities returns the Similarity of every one of words to every one of others: a
// row for each of words. It looks each of them up once, so that the words of a question
// can be held against all the words of some memories.
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
		// The pieces of names and numbers that the table lacks are near to those of any other.
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

// whole returns the entry that is all of a word.
func (t *table) whole(word string) (id uint16, whole bool) {
	h := uint64(hashStart)
	for i := range len(word) {
		if c := word[i]; (c < 'a' || c > 'z') && (c < '0' || c > '9') || i == mostWord {
			var room [2]uint16 // it is written otherwise than an entry: taken apart it may be one
			ids := t.tokens(room[:0], word)
			return room[0], len(ids) == 1
		}
		h = (h ^ uint64(word[i])) * hashPrime
	}
	return t.find(h, "", []byte(word))
}
