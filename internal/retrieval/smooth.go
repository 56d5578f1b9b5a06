package retrieval

import "github.com/alanbuscaglia/engram"

// What memories of one session lend each other. Measured on six label sets with R@10
// and nDCG@10 in the mean: the best neighbour 0.5 (0.4 to 0.6 alike), the session 0.35
// (0.3 to 0.4 alike).
const (
	besideShare  = 0.5
	sessionShare = 0.35
)

// shortSize is the size in bytes up to which a memory borrows fully. A short turn of a
// talk ("Yes, the blue one.") says what it is about only beside the one before; a long
// text says it itself, and what stands next to it is another matter. Without this limit
// long transcripts lose .03 R@10; 250 to 450 measure alike.
const shortSize = 350

// Lent is what the memories around one added to its score.
type Lent struct {
	Beside  float64 // by its best neighbour
	Session float64 // by its session as a whole
}

// Smooth lets the finds of the lexical channel lend score to the memories around them:
//
//	score += gate · (besideShare · best neighbour's score + sessionShare · session's score)
//	gate = cohesion · min(1, shortSize / the memory's size)
//
// It is the greatest single step for what an agent remembers of a talk: .03 to .09 R@10
// on label sets of talks, 0 where nothing has a session. The session's share goes to
// finds alone; a neighbour's also to memories that no word found, which appear in the
// answer for that reason.
//
// beside is what the store knows of each find (Reader.Beside); finds that it lacks
// neither lend nor borrow. sessions has for each find the score of its session
// (Lexical.Sessions), in any unit: they are stretched until the best of them equals the
// best find. When nil, a session is as good as its best find; scores that regard it as
// one long text, by BM25, are worth .015 R@10 more on short turns. cohesion is how far
// neighbours speak of the same matter (Cohesion), 0 to 1. The answer is in order, the
// best first, and tells what was lent to whom. The arguments are not changed.
//
// Source: the idea of document neighbours in Kurland, Lee, "Corpus Structure, Language
// Models, and Ad Hoc Information Retrieval", SIGIR 2004.
func Smooth(finds []engram.Ranked, beside map[int64]engram.Beside, sessions map[int64]float64, cohesion float64) ([]engram.Ranked, map[int64]Lent) {
	s := smoothing{cohesion: cohesion, size: make(map[int64]int, 2*len(beside)), neighbour: make(map[int64]float64, 2*len(beside)), session: map[int64]float64{}}
	for _, f := range finds {
		if b, ok := beside[f.Num]; ok {
			s.lend(f, b)
		}
	}
	whole := stretched(sessions, finds)
	smoothed, lent := make([]engram.Ranked, 0, len(finds)+len(s.neighbour)), make(map[int64]Lent, len(finds)+len(s.neighbour))
	add := func(f engram.Ranked, l Lent) {
		if l != (Lent{}) {
			lent[f.Num] = l
			f.Score += l.Beside + l.Session
		}
		smoothed = append(smoothed, f)
	}
	for _, f := range finds {
		l := Lent{Beside: s.besides(f.Num)}
		if b, ok := beside[f.Num]; ok {
			session := whole[f.Num]
			if sessions == nil {
				session = s.session[b.Session]
			}
			l.Session = sessionShare * s.gate(f.Num) * session
		}
		add(f, l)
		delete(s.neighbour, f.Num)
	}
	for num := range s.neighbour {
		if s.besides(num) == 0 {
			continue // they have nothing to do with each other
		}
		add(engram.Ranked{Num: num}, Lent{Beside: s.besides(num)})
	}
	Sort(smoothed)
	return smoothed, lent
}

// smoothing collects what there is to lend.
type smoothing struct {
	cohesion  float64
	size      map[int64]int     // of a memory, in bytes
	neighbour map[int64]float64 // to a memory: the score of the best next to it
	session   map[int64]float64 // the score of a session
}

// stretched returns the scores of the finds' sessions, the greatest of them as great as that of the
// finds.
func stretched(sessions map[int64]float64, finds []engram.Ranked) map[int64]float64 {
	best, most := 0.0, 0.0
	for _, f := range finds {
		best = max(best, f.Score)
	}
	for _, score := range sessions {
		most = max(most, score)
	}
	out := make(map[int64]float64, len(sessions))
	for num, score := range sessions {
		if most > 0 {
			out[num] = max(score, 0) / most * best
		}
	}
	return out
}

func (s smoothing) lend(f engram.Ranked, b engram.Beside) {
	s.size[f.Num] = b.Size
	for _, n := range []engram.Neighbour{b.Before, b.After} {
		if n.Num != 0 && f.Score > 0 {
			s.size[n.Num] = n.Size
			s.neighbour[n.Num] = max(s.neighbour[n.Num], f.Score)
		}
	}
	s.session[b.Session] = max(s.session[b.Session], f.Score)
}

func (s smoothing) besides(num int64) float64 {
	return besideShare * s.gate(num) * s.neighbour[num]
}

func (s smoothing) gate(num int64) float64 {
	return s.cohesion * min(1, shortSize/float64(max(s.size[num], 1)))
}
