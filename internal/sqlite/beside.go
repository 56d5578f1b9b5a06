package sqlite

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/alanbuscaglia/engram"
	"github.com/alanbuscaglia/engram/internal/postings"
)

// besideSQL looks up the neighbours in memories_session; row 0 means no session. octet_length reads only
// the row headers, not the contents.
const besideSQL = `SELECT m.num, m.session, octet_length(m.title) + octet_length(m.content),
		coalesce(b.num, 0), coalesce(octet_length(b.title) + octet_length(b.content), 0),
		coalesce(a.num, 0), coalesce(octet_length(a.title) + octet_length(a.content), 0)
	FROM json_each(?) AS asked CROSS JOIN memories m ON m.num = asked.value
	LEFT JOIN memories b ON b.num = (SELECT num FROM memories WHERE session = m.session AND num < m.num AND deleted_at IS NULL ORDER BY num DESC LIMIT 1)
	LEFT JOIN memories a ON a.num = (SELECT num FROM memories WHERE session = m.session AND num > m.num AND deleted_at IS NULL ORDER BY num LIMIT 1)
	WHERE m.session <> 0`

// Beside returns the neighbours of each memory in its session.
func (t *tx) Beside(ctx context.Context, nums []int64) (map[int64]engram.Beside, error) {
	if len(nums) == 0 {
		return nil, nil
	}
	u, err := t.unchanged(ctx)
	if err != nil {
		return nil, err
	}
	beside, unread := make(map[int64]engram.Beside, len(nums)), nums
	if u != nil {
		unread = nil
		for _, num := range nums {
			b, known := u.beside[num]
			if !known {
				unread = append(unread, num)
			} else if b.Session != 0 {
				beside[num] = b
			}
		}
	}
	if len(unread) == 0 {
		return beside, nil
	}
	err = t.rows(ctx, besideSQL, []any{jsonNums(unread)}, func(s scanner) error {
		var num int64
		var b engram.Beside
		err := s.Scan(&num, &b.Session, &b.Size, &b.Before.Num, &b.Before.Size, &b.After.Num, &b.After.Size)
		beside[num] = b
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("read neighbours: %w", err)
	}
	if u != nil {
		u.grow(100 * len(unread))
		for _, num := range unread {
			u.beside[num] = beside[num]
		}
	}
	return beside, nil
}

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
