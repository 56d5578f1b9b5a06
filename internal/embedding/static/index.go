package static

import (
	"bytes"
	_ "embed" // the index of the table
	"encoding/binary"
	"math/bits"
)

// builtInIndex is the index of builtIn as index.bytes encodes it. Building it takes a millisecond,
// much of the time of a command that embeds one text.
//
//go:embed index.bin
var builtInIndex []byte

// index finds words. Its numbers are 32 bits, little endian, so that it is used without decoding.
type index struct {
	ends   []byte // end of each entry in the words
	slots  []byte // open addressing: 16 bits of the hash, then the entry's number plus one; 0 is free
	length int    // bytes of the longest entry
}

// slotsFor returns how many slots so many entries need, a power of two.
func slotsFor(entries int) int { return 1 << bits.Len(uint(2*entries-1)) }

// indexOf builds the hash table in about a millisecond; a map would take four.
func indexOf(words []byte, entries int) (x index, err error) {
	if n := bytes.Count(words, []byte{'\n'}) + 1; n != entries {
		return x, invalid("has %d words and should have %d", n, entries)
	}
	x = index{ends: make([]byte, 0, 4*entries), slots: make([]byte, 4*slotsFor(entries))}
	start := 0
	for id := range entries {
		end := len(words)
		if n := bytes.IndexByte(words[start:], '\n'); n >= 0 {
			end = start + n
		}
		if start == end {
			return x, invalid("has an entry %d without a word", id)
		}
		x.ends = binary.LittleEndian.AppendUint32(x.ends, uint32(end))
		x.length = max(x.length, end-start)
		x.enter(hashed(hashStart, words[start:end]), uint16(id))
		start = end + 1
	}
	return x, nil
}

// bytes encodes the index: the length of the longest entry, the ends, the slots.
func (x index) bytes() []byte {
	file := binary.LittleEndian.AppendUint32(nil, uint32(x.length))
	return append(append(file, x.ends...), x.slots...)
}

func readIndex(file []byte, entries int) (x index, err error) {
	if want := 4 * (1 + entries + slotsFor(entries)); len(file) != want {
		return x, invalid("has an index of %d bytes and should have %d", len(file), want)
	}
	x.length = int(binary.LittleEndian.Uint32(file))
	x.ends, x.slots = file[4:4*(1+entries)], file[4*(1+entries):]
	return x, nil
}

func (x index) end(id uint16) uint32    { return binary.LittleEndian.Uint32(x.ends[4*int(id):]) }
func (x index) slot(at uint32) uint32   { return binary.LittleEndian.Uint32(x.slots[4*at:]) }
func (x index) next(slot uint32) uint32 { return (slot + 1) & uint32(len(x.slots)/4-1) }

func (t *table) entry(id uint16) []byte {
	start := uint32(0)
	if id > 0 {
		start = t.end(id-1) + 1
	}
	return t.words[start:t.end(id)]
}

// FNV-1a extends the hash of a prefix by one byte per step: hashing all prefixes of a word costs no
// more than hashing the word.
const (
	hashStart = 14695981039346656037
	hashPrime = 1099511628211
)

// hashContinuation is the hash of continuation, "##".
const hashContinuation = 560993955329717731

func hashed(h uint64, s []byte) uint64 {
	for _, b := range s {
		h = (h ^ uint64(b)) * hashPrime
	}
	return h
}

// place returns the first slot for a hash, and the mark to compare.
func (x index) place(h uint64) (slot, mark uint32) {
	h ^= h >> 32
	h *= 0x9e3779b97f4a7c15
	return uint32(h>>40) & uint32(len(x.slots)/4-1), uint32(h) &^ 0xffff
}

func (x index) enter(h uint64, id uint16) {
	slot, mark := x.place(h)
	for x.slot(slot) != 0 {
		slot = x.next(slot)
	}
	binary.LittleEndian.PutUint32(x.slots[4*slot:], mark|uint32(id+1))
}

// find returns the number of the entry that equals prefix plus word; h is its hash.
func (t *table) find(h uint64, prefix string, word []byte) (id uint16, found bool) {
	at, mark := t.place(h)
	for {
		s := t.slot(at)
		if s == 0 {
			return 0, false
		}
		if s&^0xffff == mark {
			id = uint16(s - 1)
			e := t.entry(id)
			if len(e) == len(prefix)+len(word) && string(e[:len(prefix)]) == prefix && bytes.Equal(e[len(prefix):], word) {
				return id, true
			}
		}
		at = t.next(at)
	}
}
