package lexicon

import (
	"bytes"
	"context"
	"math"
	"math/bits"
	"strings"
	"unicode/utf8"

	"github.com/alanbuscaglia/engram/internal/postings"
)

// To find what a misspelt word meant would read a fifth of the index. So the words of a segment that begin
// alike are kept, some 14 bytes each, with what rules out nearly all of them without comparing letters.

// mostInitials bounds the bytes of these words in memory, as mostLists does.
const mostInitials = 3 << 20

// initialOf identifies the words of a segment that have an initial.
type initialOf struct {
	segment, version int64
	initial          string
}

// initial is the words of a segment that have an initial, in order.
type initial struct {
	text    string   // the words, one after the other
	lengths []uint8  // in bytes
	letters []uint32 // see lettersOf
	rows    []uint16 // memories that have the word, of all projects; 0 if its list is damaged
	long    bool     // there are words too long to be here
}

// leastInBlock is how many words nearly all blocks have.
const leastInBlock = 150

// initial returns the words of a segment that have an initial. Words too long for a typing error are left
// out.
func (x *Index) initial(ctx context.Context, g *segment, begins string) (*initial, error) {
	of, lasting := initialOf{g.num, g.version, begins}, x.lasting(g)
	if lasting {
		if in, known := x.Cache.initials.Get(of, x.most(mostInitials)); known {
			return in, nil
		}
	}
	in := &initial{}
	var text strings.Builder
	if n := (g.blocksOf(begins) - 2) * leastInBlock; n > 0 {
		in.lengths, in.letters, in.rows = make([]uint8, 0, n), make([]uint32, 0, n), make([]uint16, 0, n)
		text.Grow(8 * n)
	}
	err := x.walk(ctx, g, begins, func(word, raw []byte) bool {
		if !bytes.HasPrefix(word, []byte(begins)) {
			return false
		}
		if len(word) > math.MaxUint8 {
			in.long = true
		} else {
			rows := 0
			if l, err := postings.ReadList(raw); err == nil {
				rows = l.Len()
			}
			text.Write(word)
			in.lengths, in.letters, in.rows = append(in.lengths, uint8(len(word))), append(in.letters, lettersOf(word)), append(in.rows, uint16(min(rows, math.MaxUint16)))
		}
		return true
	})
	if err != nil {
		return nil, err
	}
	in.text = text.String()
	if lasting {
		x.Cache.initials.Put(of, in, 7*cap(in.letters)+len(in.text)+200, x.most(mostInitials))
	}
	return in, nil
}

// lacks reports whether a segment certainly has no word with a prefix, if that is known without reading.
func (x *Index) lacks(g *segment, begins string) bool {
	_, size := utf8.DecodeRuneInString(begins)
	if !x.lasting(g) {
		return false
	}
	in, known := x.Cache.initials.Get(initialOf{g.num, g.version, begins[:size]}, x.most(mostInitials))
	return known && !in.begins(begins)
}

// begins reports whether a word, among those that are not too long, has a prefix.
func (in *initial) begins(prefix string) bool {
	text := in.text
	for _, n := range in.lengths {
		if word := text[:n]; word >= prefix { // in order
			return strings.HasPrefix(word, prefix) || in.long
		}
		text = text[n:]
	}
	return in.long
}

// near calls fn for the words with at most most typing errors: their index and their errors.
func (in *initial) near(forms []form, most int, fn func(i int, word string, errors int)) {
	shortest, longest := math.MaxInt, 0
	for _, f := range forms {
		shortest, longest = min(shortest, len(f.word)-most*f.width), max(longest, len(f.word)+most*f.width)
	}
	end := 0
	for i, letters := range in.letters {
		bytes := int(in.lengths[i])
		if end += bytes; bytes < shortest || bytes > longest {
			continue
		}
		for _, f := range forms {
			if f.mayBe(bytes, letters, most) {
				word := in.text[end-bytes : end]
				if n := errorsTo(word, forms, most); n <= most {
					fn(i, word, n)
				}
				break
			}
		}
	}
}

// form is a spelling to compare indexed words with.
type form struct {
	word    string
	letters uint32 // see lettersOf
	width   int    // bytes per letter at most
}

// mayBe reports whether a word of so many bytes, with these letters, may have at most most typing errors.
func (f form) mayBe(bytes int, letters uint32, most int) bool {
	differ := most * f.width // bytes
	return bytes-len(f.word) <= differ && len(f.word)-bytes <= differ &&
		bits.OnesCount32(letters&^f.letters) <= differ && bits.OnesCount32(f.letters&^letters) <= differ
}

// lettersOf hashes the bytes of a word to a set of 32. One typing error adds and removes at most one
// element, which rules out most words without comparing them.
func lettersOf[S []byte | string](word S) (set uint32) {
	for i := range len(word) {
		set |= 1 << (word[i] & 31)
	}
	return set
}
