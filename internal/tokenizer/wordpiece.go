package tokenizer

import "unicode/utf8"

// wordPiece takes the longest piece that a word begins with, then the longest continuation, and so on. A word with a part
// that is no piece is unknown as a whole.
//
// Source: Schuster, Nakajima, "Japanese and Korean Voice Search", 2012; the greedy search is BERT's.
type wordPiece struct {
	starts    map[string]int32 // pieces that begin a word
	continues map[string]int32 // pieces that go on, without their prefix
	longest   int              // bytes of the longest piece
	unknown   int32
	limit     int // runes; longer words are unknown
}

func (w *wordPiece) encode(ids []int32, word string, forbidden map[int32]bool) []int32 {
	if len(word) > w.limit && utf8.RuneCountInString(word) > w.limit {
		return append(ids, w.unknown)
	}
	begin := len(ids)
	pieces := w.starts
	for word != "" {
		end := min(len(word), w.longest)
		for end < len(word) && !utf8.RuneStart(word[end]) {
			end--
		}
		id, ok := int32(0), false
		for end > 0 {
			id, ok = pieces[word[:end]]
			if ok = ok && !forbidden[id]; ok {
				break
			}
			_, n := utf8.DecodeLastRuneInString(word[:end])
			end -= n
		}
		if !ok {
			return append(ids[:begin], w.unknown)
		}
		ids, word, pieces = append(ids, id), word[end:], w.continues
	}
	return ids
}
