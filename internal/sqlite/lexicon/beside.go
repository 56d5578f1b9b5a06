package lexicon

import (
	"cmp"
	"slices"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/postings"
)

// bytesPerWord is the average text length per indexed word: 8 to 10.5 bytes in seven collections.
const bytesPerWord = 10

// standing is the place of a hit: ordered by session, then by number, which is the order of saving.
type standing struct {
	session uint32
	num     int64
	words   int
}

func byPlace(a, b standing) int {
	return cmp.Or(cmp.Compare(a.session, b.session), cmp.Compare(a.num, b.num))
}

// standing returns the places of the hits that have a session. It reads the documents of the index,
// because looking up 400 memories would cost as much as the rest of the search.
func (s *search) standing() []standing {
	wanted := newNumbers(len(s.hits))
	for _, h := range s.hits {
		wanted.add(h.Num)
	}
	var hits []standing
	s.inProject(func(d postings.Docs, slot int, session uint32) {
		if num := d.Num(slot); wanted.has(num) {
			hits = append(hits, standing{session, num, d.Length(slot)})
		}
	})
	slices.SortFunc(hits, byPlace)
	return hits
}

// neighbours returns the memories saved directly before and after each hit in its session.
func (s *search) neighbours(hits []standing) map[int64]engram.Beside {
	if len(hits) == 0 {
		return nil
	}
	sessions := newNumbers(len(hits))
	all := make([]engram.Beside, len(hits))
	for i, f := range hits {
		sessions.add(int64(f.session))
		all[i] = engram.Beside{Session: int64(f.session), Size: f.words * bytesPerWord}
	}
	s.inProject(func(d postings.Docs, slot int, session uint32) {
		if !sessions.has(int64(session)) {
			return
		}
		m := standing{session, d.Num(slot), d.Length(slot)}
		at, itself := slices.BinarySearchFunc(hits, m, byPlace)
		// The next hit limits what counts as after this one.
		if before := at - 1; before >= 0 && hits[before].session == session && (all[before].After.Num == 0 || m.num < all[before].After.Num) {
			all[before].After = engram.Neighbour{Num: m.num, Size: m.words * bytesPerWord}
		}
		if itself {
			at++
		}
		if at < len(hits) && hits[at].session == session && m.num > all[at].Before.Num {
			all[at].Before = engram.Neighbour{Num: m.num, Size: m.words * bytesPerWord}
		}
	})
	beside := make(map[int64]engram.Beside, len(hits))
	for i, f := range hits {
		beside[f.num] = all[i]
	}
	return beside
}

// numbers is a set with very many negative lookups: a bit filter answers most of them without the map.
type numbers struct {
	bits [256]uint64
	all  map[int64]bool
}

func newNumbers(n int) *numbers { return &numbers{all: make(map[int64]bool, n)} }

// bit hashes a number to a bit.
func (s *numbers) bit(n int64) (word *uint64, bit uint64) {
	h := uint64(n) * 0x9e3779b97f4a7c15
	return &s.bits[h>>56], 1 << (h >> 50 & 63)
}

func (s *numbers) add(n int64) {
	word, bit := s.bit(n)
	*word |= bit
	s.all[n] = true
}

func (s *numbers) has(n int64) bool {
	word, bit := s.bit(n)
	return *word&bit != 0 && s.all[n]
}
