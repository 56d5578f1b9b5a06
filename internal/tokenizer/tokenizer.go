// Package tokenizer turns texts into the token ids of a transformer model, by the model's own tokenizer.json:
// WordPiece (wordpiece.go), as BERT has it, and Unigram (unigram.go), as XLM-R has it, with the normalizers
// (normalise.go, charsmap.go) and pre-tokenizers (split.go) of published models of both. file.go reads the file and
// refuses other kinds by name: a tokenizer that is almost right gives vectors that are quietly wrong.
//
// The reference is Hugging Face's tokenizers in Rust; ids are equal. Texts may be anything; what is not UTF-8 counts as
// U+FFFD. Work and memory grow linearly with the text. Everything is pure and safe for concurrent use.
package tokenizer

import (
	"slices"
	"strings"
)

// A Tokenizer is what one tokenizer.json says.
type Tokenizer struct {
	added      addedTokens // found in a text before it is normalised
	normalised addedTokens // found after that
	normalise  []func(string) string
	split      []splitter
	model      model
	single     template
	pair       template
	special    map[int32]bool
	size       int
}

// A model turns a piece of normalised text into ids, which it appends.
type model interface {
	// encode takes no token of forbidden.
	encode(ids []int32, piece string, forbidden map[int32]bool) []int32
}

// Encode is a model that is a function: it appends the ids of a text.
type Encode func(ids []int32, text string) []int32

func (f Encode) encode(ids []int32, piece string, _ map[int32]bool) []int32 { return f(ids, piece) }

// Of returns a tokenizer whose ids, less than size, are those of encode, between opens and closes. No text gives these
// two.
func Of(encode Encode, size int, opens, closes int32) *Tokenizer {
	return &Tokenizer{model: encode, size: size, single: template{{-1, opens, 0}, {0, 0, 0}, {-1, closes, 0}}}
}

// A splitter cuts pieces further; first says that the first piece opens the text.
type splitter func(pieces []string, first bool) []string

// A slot is a place of a template: a special token, or a text by its number.
type slot struct {
	text int   // 0 or 1; -1 for the special token
	id   int32 // of the special token
	kind int32 // token type
}

// A template says how special tokens surround texts.
type template []slot

// specials counts the special tokens.
func (t template) specials() (n int) {
	for _, s := range t {
		if s.text < 0 {
			n++
		}
	}
	return n
}

// fill returns ids and types of the template with the given texts.
func (t template) fill(texts ...[]int32) (s Sequence) {
	for _, slot := range t {
		ids := []int32{slot.id}
		if slot.text >= 0 {
			ids = texts[slot.text]
		}
		s.IDs = append(s.IDs, ids...)
		for range ids {
			s.Types = append(s.Types, slot.kind)
		}
	}
	return s
}

// A Sequence is the input of a model: token ids with special tokens, and their types, 0 or 1.
type Sequence struct {
	IDs, Types []int32
}

// Size is one more than the largest id that the tokenizer gives.
func (t *Tokenizer) Size() int { return t.size }

// Specials is the number of special tokens around one text.
func (t *Tokenizer) Specials() int { return t.single.specials() }

// IDs returns the ids of a text, without special tokens around it.
//
// A special token written in the text, such as "[SEP]", becomes that token, as in the reference. literal treats it as
// plain text instead: for texts of unknown origin in a pair, where it would shift what is question and what is answer.
func (t *Tokenizer) IDs(text string, literal bool) (ids []int32) {
	text = strings.ToValidUTF8(text, "\uFFFD")
	if literal {
		return t.encode(ids, text, true, t.special)
	}
	first := true
	t.added.cut(text, func(part string, id int32) {
		if part != "" {
			ids, first = t.encode(ids, part, first, nil), false
		}
		if id >= 0 {
			ids, first = append(ids, id), false
		}
	})
	return ids
}

// encode appends the ids of a part of a text.
func (t *Tokenizer) encode(ids []int32, part string, first bool, forbidden map[int32]bool) []int32 {
	most := len(part)*maxGrowth + maxPiece
	for _, f := range t.normalise {
		part = f(part)
		part = part[:min(len(part), most)]
	}
	added := &t.normalised
	if forbidden != nil {
		added = &addedTokens{}
	}
	added.cut(part, func(part string, id int32) {
		if part != "" {
			pieces := []string{part}
			for _, f := range t.split {
				pieces = f(pieces, first)
			}
			for _, p := range pieces {
				ids = t.model.encode(ids, p, forbidden)
			}
			first = false
		}
		if id >= 0 {
			ids, first = append(ids, id), false
		}
	})
	return ids
}

// Encode returns the sequence of one text, of at most limit ids: the end of a longer text is left out, the special
// token after it stays. limit 0 is no limit.
func (t *Tokenizer) Encode(text string, limit int) Sequence {
	ids := t.IDs(text, false)
	if room := max(0, limit-t.single.specials()); limit > 0 && len(ids) > room {
		ids = ids[:room]
	}
	return t.single.fill(ids)
}

// Windows returns the sequences of a text that may be longer than limit: of all its parts of equal length, each but the
// first repeating about overlap ids of the one before. A text within the limit has one. prefix opens the text and each
// part, of which it takes half at most.
func (t *Tokenizer) Windows(prefix, text string, limit, overlap int) (windows []Sequence) {
	ids, room := t.IDs(prefix+text, false), limit-t.single.specials()
	var lead []int32
	if prefix != "" && len(ids) > room {
		lead = t.IDs(strings.TrimSpace(prefix), false)
		lead = lead[:min(len(lead), room/2)]
		ids, room = t.IDs(text, false), room-len(lead)
	}
	for _, part := range parts(ids, room, overlap) {
		windows = append(windows, t.single.fill(slices.Concat(lead, part)))
	}
	return windows
}

// parts cuts ids into parts of room, at least one. The last is as long as the others and ends where ids end.
func parts(ids []int32, room, overlap int) (all [][]int32) {
	room = max(1, room)
	step := max(1, room-overlap)
	for at := 0; ; at += step {
		if at+room >= len(ids) {
			return append(all, ids[max(0, len(ids)-room):])
		}
		all = append(all, ids[at:at+room])
	}
}

// Pair returns the sequence of two texts, of at most limit ids: the longer text is shortened first. limit 0 is no limit.
func (t *Tokenizer) Pair(a, b string, limit int, literal bool) Sequence {
	x, y := t.IDs(a, literal), t.IDs(b, literal)
	if limit > 0 {
		x, y = longestFirst(x, y, max(0, limit-t.pair.specials()))
	}
	return t.pair.fill(x, y)
}

// longestFirst shortens two texts to room ids together, as the reference does.
func longestFirst(a, b []int32, room int) (x, y []int32) {
	if len(a)+len(b) <= room {
		return a, b
	}
	if len(a) > len(b) {
		y, x = longestFirst(b, a, room)
		return x, y
	}
	// a is the shorter one: it stays whole where it takes no more than half, else both get half.
	n := len(a)
	if 2*n > room {
		n = room / 2
	}
	return a[:n], b[:room-n]
}

// PairWindows returns the sequences of a question with all parts of a text, as Windows does, for texts of unknown origin:
// special tokens written in them are plain text. The question gets half of limit at most.
func (t *Tokenizer) PairWindows(question, text string, limit, overlap int) (windows []Sequence) {
	room := max(2, limit-t.pair.specials())
	q := t.IDs(question, true)
	q = q[:min(len(q), room/2)]
	for _, part := range parts(t.IDs(text, true), room-len(q), overlap) {
		windows = append(windows, t.pair.fill(q, part))
	}
	return windows
}
