package sqlite

import (
	"github.com/alanbuscaglia/engram/internal/postings"
	"github.com/alanbuscaglia/engram/internal/retrieval"
)

// bySession scores the sessions in which something was found, each as one long text made
// of its memories in the project: by BM25, a word as rare as it is among the sessions.
// It is empty where there are fewer than two sessions, which tells none apart.
func (s *search) bySession(ws []*word) (map[int64]float64, error) {
	length, sum := s.sessionLengths()
	sessions := 0
	for _, l := range length {
		if l > 0 {
			sessions++
		}
	}
	scores := map[int64]float64{}
	if sessions < 2 {
		return scores, nil
	}
	collection := retrieval.BM25{Rows: sessions, Length: float64(sum) / float64(sessions)}
	tf := make([]uint32, len(length)) // of one word in each session
	var having []uint32               // the sessions that have it
	for _, w := range ws {
		having = having[:0]
		for i, g := range s.scope.segments {
			if w.spread[i].empty() {
				continue
			}
			ps, err := w.spread[i].postings(s.scratch)
			if err != nil {
				return nil, err
			}
			if w.spread[i].merged == nil {
				s.scratch = ps
			}
			if len(ps) > 0 && int(ps[len(ps)-1].Slot) >= g.docs.Len() {
				return nil, postings.ErrDamaged
			}
			mixed := s.scope.mixed(g)
			for _, p := range ps {
				slot := int(p.Slot)
				if mixed && int64(g.docs.Project(slot)) != s.scope.project {
					continue
				}
				at := g.docs.Session(slot)
				if at == 0 {
					continue
				}
				if tf[at] == 0 {
					having = append(having, at)
				}
				tf[at] += p.TF
			}
		}
		worth := collection.Word(len(having))
		if w.repaired {
			worth = worth.Times(repairedWorth)
		}
		for _, at := range having {
			scores[int64(at)] += worth.Score(float64(tf[at]), float64(length[at]))
			tf[at] = 0
		}
	}
	return scores, nil
}

// sessionLengths counts the words of each session in the project, by its number, and of
// all of them.
func (s *search) sessionLengths() (length []int64, sum int64) {
	for _, g := range s.scope.segments {
		mixed := s.scope.mixed(g)
		for slot := range g.docs.Len() {
			at := int(g.docs.Session(slot))
			if at == 0 || !g.docs.Live(slot) || mixed && int64(g.docs.Project(slot)) != s.scope.project {
				continue
			}
			if at >= len(length) {
				length = append(length, make([]int64, at+1-len(length))...)
			}
			length[at] += int64(g.docs.Length(slot))
			sum += int64(g.docs.Length(slot))
		}
	}
	return length, sum
}
