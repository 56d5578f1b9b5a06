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
	if a.session != b.session {
		return cmp.Compare(a.session, b.session)
	}
	return cmp.Compare(a.num, b.num)
}

// mostSessions is the greatest plausible number of a session; greater ones mean damage.
const mostSessions = 1 << 24

// standing returns the places of the hits, whose documents are loaded.
func (s *search) standing() []standing {
	hits := slices.Grow(s.stands[:0], len(s.hits))
	for _, h := range s.hits {
		segment, slot := h.Place>>16, h.Place&(1<<16-1)
		d := s.scope.segments[segment].docs
		if session := d.Session(slot); session <= mostSessions {
			hits = append(hits, standingOf(segment, d, slot, session))
		}
	}
	slices.SortFunc(hits, byPlace)
	s.stands = hits
	return hits
}

// neighbours sets beside to the memories saved directly before and after each hit in its session, in places.
func (s *search) neighbours(hits []standing, places []engram.Beside) {
	for len(hits) > 0 && hits[0].session == 0 {
		hits = hits[1:]
	}
	if len(hits) == 0 {
		return
	}
	if cap(s.before) < len(hits) {
		s.before, s.after = make([]standing, len(hits)), make([]standing, len(hits))
	}
	befores, afters := s.before[:len(hits)], s.after[:len(hits)]
	clear(befores)
	clear(afters)
	for i, g := range s.scope.segments {
		in := g.inSessions()
		in.join(hits, func(hit int, slots []uint16) {
			at, itself := slices.BinarySearchFunc(slots, hits[hit].num, func(slot uint16, num int64) int { return cmp.Compare(g.docs.Num(int(slot)), num) })
			if m, ok := s.nearestOf(i, slots[:at], -1); ok && m.num > befores[hit].num {
				befores[hit] = m
			}
			if itself {
				at++
			}
			if m, ok := s.nearestOf(i, slots[at:], 1); ok && (afters[hit].num == 0 || m.num < afters[hit].num) {
				afters[hit] = m
			}
		})
	}
	for i, f := range hits {
		places[i] = engram.Beside{Session: int64(f.session), Size: f.words * bytesPerWord, At: f.created(),
			Before: befores[i].neighbour(), After: afters[i].neighbour()}
		s.beside[f.num] = &places[i]
	}
}

// nearestOf returns the first memory of the project in slots of a segment, with step -1 the last one.
func (s *search) nearestOf(segment int, slots []uint16, step int) (m standing, ok bool) {
	g := s.scope.segments[segment]
	at := 0
	if step < 0 {
		at = len(slots) - 1
	}
	for ; at >= 0 && at < len(slots); at += step {
		slot := int(slots[at])
		if !s.scope.mixed(g) || s.scope.has(int64(g.docs.Project(slot))) {
			return standingOf(segment, g.docs, slot, g.docs.Session(slot)), true
		}
	}
	return m, false
}

// inSessions are the live documents of a segment that are in sessions, by session and then by number. It
// takes 2 bytes per memory, and spares each search a pass over all memories.
type inSessions struct {
	sessions []uint32 // ascending
	ends     []int    // of each session in slots
	slots    []uint16
}

// inSessions returns the documents of a loaded segment by session.
func (g *segment) inSessions() *inSessions {
	g.ordering.Do(func() {
		slots := make([]uint16, 0, g.docs.Len())
		for slot := range g.docs.Len() {
			if at := g.docs.Session(slot); at > 0 && at <= mostSessions && g.docs.Live(slot) {
				slots = append(slots, uint16(slot))
			}
		}
		slices.SortFunc(slots, func(a, b uint16) int { // mostly sorted already
			return cmp.Or(cmp.Compare(g.docs.Session(int(a)), g.docs.Session(int(b))), cmp.Compare(g.docs.Num(int(a)), g.docs.Num(int(b))))
		})
		in := &inSessions{slots: slots}
		for i, slot := range slots {
			if at := g.docs.Session(int(slot)); i == 0 || at != in.sessions[len(in.sessions)-1] {
				in.sessions, in.ends = append(in.sessions, at), append(in.ends, 0)
			}
			in.ends[len(in.ends)-1] = i + 1
		}
		g.bySession = in
	})
	return g.bySession
}

// join calls fn for each of the hits, which are ordered by session, whose session has documents here: the
// index of the hit, and the slots of its session.
func (in *inSessions) join(hits []standing, fn func(hit int, slots []uint16)) {
	from := 0
	for i, h := range hits {
		end := 1 // the sessions of hits lie close together or far apart
		for from+end < len(in.sessions) && in.sessions[from+end] < h.session {
			end *= 2
		}
		at, found := slices.BinarySearch(in.sessions[from:min(from+end+1, len(in.sessions))], h.session)
		if from += at; from == len(in.sessions) {
			return
		}
		if !found {
			continue
		}
		begin := 0
		if from > 0 {
			begin = in.ends[from-1]
		}
		fn(i, in.slots[begin:in.ends[from]])
	}
}
