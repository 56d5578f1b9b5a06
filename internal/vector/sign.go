package vector

import (
	"encoding/binary"
	"math/bits"
)

// wordBytes is the size of one word of a code.
const wordBytes = 8

// SignWords is the number of 64-bit words in the code of a vector.
func SignWords(dimensions int) int { return (dimensions + 63) / 64 }

// SignBytes is the size of a code as AppendSigns writes it.
func SignBytes(dimensions int) int { return SignWords(dimensions) * wordBytes }

// Signs returns a vector's code: a bit for each number, lowest first, set where it is
// above zero; the rest of the last word is zero. The number of bits in which two codes
// differ grows with the angle between their vectors.
//
// Source: Charikar, "Similarity Estimation Techniques from Rounding Algorithms", STOC 2002.
func Signs(v []float32) []uint64 {
	code := make([]uint64, SignWords(len(v)))
	for i, x := range v {
		if x > 0 {
			code[i/64] |= 1 << (i % 64)
		}
	}
	return code
}

// AppendSigns appends the code of v to dst, SignBytes(len(v)) bytes, its words little endian.
func AppendSigns(dst []byte, v []float32) []byte {
	for _, w := range Signs(v) {
		dst = binary.LittleEndian.AppendUint64(dst, w)
	}
	return dst
}

// Hamming is the number of bits in which two codes differ; a is as Signs makes it, b as
// AppendSigns writes it, and a shorter b counts as far as it goes.
func Hamming(a []uint64, b []byte) int {
	d := 0
	for i := 0; i < len(a) && (i+1)*wordBytes <= len(b); i++ {
		d += bits.OnesCount64(a[i] ^ binary.LittleEndian.Uint64(b[i*wordBytes:]))
	}
	return d
}

// Scan offers to top the codes that are near to code. packed holds codes one after the
// other, as AppendSigns writes them; slot i is offered under the number first+i with a
// score of minus its Hamming distance. among has a bit for each slot that may be
// offered, lowest first; slots beyond either end are passed over. pass, unless it is
// nil, is asked of those slots alone that are near enough, and may refuse them. Later
// slots are looked at first, because among equals they are to stay.
func Scan(top *Top, code []uint64, packed []byte, among []uint64, first int64, pass func(slot int) bool) {
	size := len(code) * wordBytes
	if size == 0 {
		return
	}
	slots := min(len(packed)/size, len(among)*64)
	limit := top.limit()
	for w := (slots+63)/64 - 1; w >= 0; w-- {
		word := among[w]
		if w*64+64 > slots {
			word &= 1<<(slots-w*64) - 1
		}
		for word != 0 {
			bit := 63 - bits.LeadingZeros64(word)
			word &^= 1 << bit
			slot := w*64 + bit
			var d int
			if len(code) == 4 { // 256 dimensions, those of the built-in model
				d = hamming4((*[4]uint64)(code), packed[slot*32:slot*32+32])
			} else {
				d = Hamming(code, packed[slot*size:slot*size+size])
			}
			if d <= limit && (pass == nil || pass(slot)) {
				top.Offer(first+int64(slot), -float64(d))
				limit = top.limit()
			}
		}
	}
}

func hamming4(a *[4]uint64, b []byte) int {
	_ = b[31]
	return bits.OnesCount64(a[0]^binary.LittleEndian.Uint64(b)) + bits.OnesCount64(a[1]^binary.LittleEndian.Uint64(b[8:])) +
		bits.OnesCount64(a[2]^binary.LittleEndian.Uint64(b[16:])) + bits.OnesCount64(a[3]^binary.LittleEndian.Uint64(b[24:]))
}
