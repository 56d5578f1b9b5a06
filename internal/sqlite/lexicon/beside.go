package lexicon

import (
	"cmp"
	"slices"
	"time"

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
	at      int64 // when it was created, in milliseconds since 1970
	// location in scope
	segment, slot int
}

func standingOf(segment int, d postings.Docs, slot int, session uint32) standing {
	return standing{session: session, num: d.Num(slot), words: d.Length(slot), at: d.Created(slot), segment: segment, slot: slot}
}

// neighbour returns what a hit knows of f, nothing of none.
func (f standing) neighbour() engram.Neighbour {
	if f.num == 0 {
		return engram.Neighbour{}
	}
	return engram.Neighbour{Num: f.num, Size: f.words * bytesPerWord, At: f.created()}
}

func (f standing) created() time.Time { return time.UnixMilli(f.at).UTC() }

func byPlace(a, b standing) int {
	return cmp.Or(cmp.Compare(a.session, b.session), cmp.Compare(a.num, b.num))
}

// standing returns the places of the hits. It reads the documents of the index,
// because looking up 400 memories would cost as much as the rest of the search.
func (s *search) standing() []standing {
	wanted := newNumbers(len(s.hits))
	for _, h := range s.hits {
		wanted.add(h.Num)
	}
	var hits []standing
	s.inProject(func(segment int, d postings.Docs, slot int, session uint32) {
		if wanted.has(d.Num(slot)) {
			hits = append(hits, standingOf(segment, d, slot, session))
		}
	})
	slices.SortFunc(hits, byPlace)
	return hits
}

// neighbours returns the memories saved directly before and after each hit in its session.
func (s *search) neighbours(hits []standing) map[int64]engram.Beside {
	for len(hits) > 0 && hits[0].session == 0 {
		hits = hits[1:]
	}
	if len(hits) == 0 {
		return nil
	}
	sessions := newNumbers(len(hits))
	befores, afters := make([]standing, len(hits)), make([]standing, len(hits))
	for _, f := range hits {
		sessions.add(int64(f.session))
	}
	s.inProject(func(segment int, d postings.Docs, slot int, session uint32) {
		if session == 0 || !sessions.has(int64(session)) {
			return
		}
		m := standingOf(segment, d, slot, session)
		at, itself := slices.BinarySearchFunc(hits, m, byPlace)
		// The next hit limits what counts as after this one.
		if before := at - 1; before >= 0 && hits[before].session == session && (afters[before].num == 0 || m.num < afters[before].num) {
			afters[before] = m
		}
		if itself {
			at++
		}
		if at < len(hits) && hits[at].session == session && m.num > befores[at].num {
			befores[at] = m
		}
	})
	beside := make(map[int64]engram.Beside, len(hits))
	for i, f := range hits {
		beside[f.num] = engram.Beside{Session: int64(f.session), Size: f.words * bytesPerWord, At: f.created(),
			Before: befores[i].neighbour(), After: afters[i].neighbour()}
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
