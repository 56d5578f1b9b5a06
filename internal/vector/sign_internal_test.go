package vector

import (
	"testing"

	"pgregory.net/rapid"
)

// Distances are those of the plain count, however many codes there are and whatever the processor has.
func TestManyDistancesAreThoseOfEach(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.SampledFrom([]int{64, 64, 63, 1}).Draw(t, "codes")
		codes := rapid.SliceOfN(rapid.Byte(), 32*n, 32*n).Draw(t, "bytes")
		code := rapid.SliceOfN(rapid.Uint64(), 4, 4).Draw(t, "code")
		s := NearestCodes{code: code, limit: rapid.IntRange(-1, 256).Draw(t, "limit")}
		within := s.near4((*[4]uint64)(code), codes)
		for i := range 64 {
			want := i < n && Hamming(code, codes[min(i, n-1)*32:][:32]) <= s.limit
			if got := within>>i&1 == 1; got != want {
				t.Errorf("code %d is within the limit: %v", i, got)
			}
			if i < n && int(s.distances[i]) != Hamming(code, codes[i*32:i*32+32]) {
				t.Errorf("code %d: distance %d", i, s.distances[i])
			}
		}
	})
}

func TestNearnessOfAllIsThatOfEach(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		query := rapid.SliceOfN(rapid.Float32Range(-1, 1), 1, 300).Draw(t, "query")
		size := SignBytes(len(query))
		codes := rapid.SliceOfN(rapid.Byte(), 6*size, 6*size).Draw(t, "codes")
		e := NewEstimator(query)
		for i, got := range e.NearnessOfAll(nil, codes) {
			if code := codes[2*size*i:]; got != e.Nearness(code[:size], code[size:2*size]) {
				t.Errorf("code %d: %v", i, got)
			}
		}
	})
}
