package vector

import (
	"encoding/binary"
	"math/bits"
	"slices"
)

// wordBytes is the size of one word of a code.
const wordBytes = 8

// SignWords returns the number of 64-bit words in the code of a vector.
func SignWords(dimensions int) int { return (dimensions + 63) / 64 }

// SignBytes returns the size of a code written by RowSigns.
func SignBytes(dimensions int) int { return SignWords(dimensions) * wordBytes }

// Signs returns a vector's code: a bit per number, lowest first, set if it is above zero; the rest of
// the last word is zero. The number of bits in which two codes differ grows with the angle between their
// vectors.
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

// Hamming returns the number of bits in which two codes differ, a from Signs, b from RowSigns; a shorter
// b counts as far as it goes.
func Hamming(a []uint64, b []byte) int {
	d := 0
	for i := 0; i < len(a) && (i+1)*wordBytes <= len(b); i++ {
		d += bits.OnesCount64(a[i] ^ binary.LittleEndian.Uint64(b[i*wordBytes:]))
	}
	return d
}

// NearestCodes finds the codes nearest to one among a stream of many. It keeps fewer than twice as many
// as requested, so a scan costs little more than the distances.
type NearestCodes struct {
	code  []uint64
	most  int
	limit int // greatest distance that may still be among the nearest
	under int // number of found codes within limit, below most
	found []near
	at    []int // number of found codes by distance

	distances [64]int32 // of the codes that are compared
}

type near struct {
	num      int64
	distance int
}

// NewNearestCodes returns a NearestCodes for at most most codes nearest to code.
func NewNearestCodes(code []uint64, most int) *NearestCodes {
	s := new(NearestCodes)
	s.Reset(code, most)
	return s
}

// Reset begins anew, in the same room: 128 kB for thousands of codes.
func (s *NearestCodes) Reset(code []uint64, most int) {
	s.code, s.most, s.limit, s.under = code, max(most, 0), len(code)*64, 0
	s.at = slices.Grow(s.at[:0], len(code)*64+1)[:len(code)*64+1]
	clear(s.at)
	if most <= 0 {
		s.limit = -1
	}
	s.found = slices.Grow(s.found[:0], min(2*s.most, 8192)) // growing to that would allocate three times as much
}

// Scan adds the codes in packed, as RowSigns writes them; the code in slot i gets the number first+i.
// among has a bit per candidate slot, lowest first; slots beyond either end are ignored. If pass is not
// nil, it is called for slots that are near enough, and may reject them. Slots are scanned from the
// last, the newest, to the first: among codes at equal distance the earlier scanned win.
func (s *NearestCodes) Scan(packed []byte, among []uint64, first int64, pass func(slot int) bool) {
	size := len(s.code) * wordBytes
	if size == 0 {
		return
	}
	slots := min(len(packed)/size, len(among)*64)
	for w := (slots+63)/64 - 1; w >= 0; w-- {
		word := among[w]
		if w*64+64 > slots {
			word &= 1<<(slots-w*64) - 1
		}
		if word == 0 {
			continue
		}
		// Of many codes of 256 bits, those of the built-in model, first all distances are computed, then the few that are
		// near enough looked at: the two do not wait for each other.
		dense := len(s.code) == 4 && bits.OnesCount64(word) > 32
		if dense {
			word &= s.near4((*[4]uint64)(s.code), packed[w*64*size:min(w*64+64, slots)*size])
		}
		for word != 0 {
			bit := 63 - bits.LeadingZeros64(word)
			word &^= 1 << bit
			slot := w*64 + bit
			var d int
			switch {
			case dense:
				d = int(s.distances[bit])
			case len(s.code) == 4:
				d = hamming4((*[4]uint64)(s.code), packed[slot*32:slot*32+32])
			default:
				d = Hamming(s.code, packed[slot*size:slot*size+size])
			}
			if d <= s.limit && (pass == nil || pass(slot)) {
				s.keep(near{first + int64(slot), d})
			}
		}
	}
}

// near4 sets the distances of up to 64 codes of 256 bits, and returns which are within the limit.
func (s *NearestCodes) near4(code *[4]uint64, codes []byte) (within uint64) {
	if counts && len(codes) == 64*32 {
		return within64(code, &codes[0], &s.distances, int32(s.limit))
	}
	limit := s.limit
	for i := range len(codes) / 32 {
		n := hamming4(code, codes[i*32:i*32+32])
		s.distances[i&63] = int32(n)
		within |= uint64(uint32(n-limit-1)>>31) << (i & 63)
	}
	return within
}

func (s *NearestCodes) keep(n near) {
	s.found = append(s.found, n)
	s.at[n.distance]++
	for s.under++; s.under >= s.most; s.limit-- { // later ones at the limit are beyond those
		s.under -= s.at[s.limit]
	}
	if len(s.found) >= 2*s.most {
		s.shrink()
	}
}

// shrink keeps the nearest; at the greatest kept distance the earlier scanned win.
func (s *NearestCodes) shrink() {
	if len(s.found) < s.most {
		return
	}
	last, nearer := 0, 0
	for nearer+s.at[last] < s.most {
		nearer += s.at[last]
		last++
	}
	room, kept := s.most-nearer, s.found[:0]
	for _, n := range s.found {
		if n.distance > last || n.distance == last && room == 0 {
			continue
		}
		if n.distance == last {
			room--
		}
		kept = append(kept, n)
	}
	clear(s.at[last+1:])
	s.at[last] = s.most - nearer
	s.found = kept
}

// Found appends the numbers of the nearest codes to dst, in the order of the scan.
func (s *NearestCodes) Found(dst []int64) []int64 {
	s.shrink()
	dst = slices.Grow(dst, len(s.found))
	for _, n := range s.found {
		dst = append(dst, n.num)
	}
	return dst
}

func hamming4(a *[4]uint64, b []byte) int {
	_ = b[31]
	return bits.OnesCount64(a[0]^binary.LittleEndian.Uint64(b)) + bits.OnesCount64(a[1]^binary.LittleEndian.Uint64(b[8:])) +
		bits.OnesCount64(a[2]^binary.LittleEndian.Uint64(b[16:])) + bits.OnesCount64(a[3]^binary.LittleEndian.Uint64(b[24:]))
}
