package grammar

import (
	"strings"
	"sync"
)

// entry describes a word.
type entry struct {
	is    sign
	means notion
	form  form
	heads bool // first word of a pair in the vocabulary
}

// A listing has the words, and the pairs of words, of an entry, between bars, in the spelling of wordAt.
type listing struct {
	entry
	words string
}

// vocabulary finds entries.
type vocabulary struct {
	slots [1 << 12]uint16 // by hash, the next free one if it is taken: 1 + the index in words; 0 is free
	words []listed
	rooms sync.Pool // of *Sentences, of texts that are read no more
}

// room returns the room for a text: Sentences of none.
func (v *vocabulary) room() *Sentences {
	if room, ok := v.rooms.Get().(*Sentences); ok {
		return room
	}
	return new(Sentences)
}

// listed is a word: its place among the words of a listing.
type listed struct{ of, from, to uint16 }

func (l listed) text() string { return listings[l.of].words[l.from:l.to] }

// mostListed is the number of words, for one allocation.
const mostListed = 2243

// known has the words of listings. It is built at the first use, in a tenth of the time that inflecting them takes
// (TestVocabulary).
var known = sync.OnceValue(func() *vocabulary {
	v := &vocabulary{words: make([]listed, 0, mostListed)}
	for i, l := range listings {
		from := 0
		for word := range strings.SplitSeq(l.words, "|") {
			at := v.slotOf([]byte(word))
			v.words = append(v.words, listed{uint16(i), uint16(from), uint16(from + len(word))})
			v.slots[at] = uint16(len(v.words))
			from += len(word) + len("|")
		}
	}
	return v
})

// find returns the entry of a word or a pair.
func (v *vocabulary) find(word []byte) (e entry, found bool) {
	n := v.slots[v.slotOf(word)]
	if n == 0 {
		return entry{}, false
	}
	return listings[v.words[n-1].of].entry, true
}

// slotOf returns the slot of a word, or the free one for it.
//
// Source of the hash: FNV-1a, draft-eastlake-fnv.
func (v *vocabulary) slotOf(word []byte) uint32 {
	sum := uint32(2166136261)
	for i := range len(word) {
		sum = (sum ^ uint32(word[i])) * 16777619
	}
	at := (sum ^ sum>>16) % uint32(len(v.slots))
	for v.slots[at] != 0 && v.words[v.slots[at]-1].text() != string(word) {
		at = (at + 1) % uint32(len(v.slots))
	}
	return at
}
