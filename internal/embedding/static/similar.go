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
	room := make([]uint16, 0, mostTokens)
	asked := make([]float32, len(words)*t.dimensions)
	for i, w := range words {
		if ids := t.tokens(room, w); len(ids) == 1 {
			t.embed(asked[i*t.dimensions:(i+1)*t.dimensions], ids)
		}
	}
	v := make([]float32, t.dimensions)
	for j, other := range others {
		// The pieces of names and numbers that the table lacks are near to those of any other.
		ids := t.tokens(room, other)
		if len(ids) != 1 {
			continue
		}
		clear(v)
		t.embed(v, ids)
		for i := range rows {
			rows[i][j] = vector.Dot(asked[i*t.dimensions:(i+1)*t.dimensions], v)
		}
	}
	return rows
}
