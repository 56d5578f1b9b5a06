package text

import "github.com/alanbuscaglia/engram"

// maxTerms is how many different words of a question are used. People ask in
// twenty; a pasted log has thousands, and its first hundred say what it is.
const maxTerms = 100

// Query returns the terms of a question, each once, in the order they are asked.
// Words without meaning are left out unless there is nothing else; then they are
// marked Stop. Nil when the question has no words at all.
//
// Of a script without spaces the pairs are asked: single characters match too much,
// and one is asked only when it stands alone.
func Query(question string) []engram.Term {
	var terms, stops []engram.Term
	seen := map[string]bool{}
	Scan(question, func(t Token) {
		word := t.Text()
		if len(terms) == maxTerms || t.Kind == Char || seen[word] {
			return
		}
		seen[word] = true
		term := engram.Term{Word: word, Written: t.Word, Stop: t.Stop, Joined: t.Kind == Joined}
		if t.Stop {
			if len(stops) < maxTerms {
				stops = append(stops, term)
			}
			return
		}
		terms = append(terms, term)
	})
	if len(terms) == 0 {
		return stops
	}
	standAlone(terms)
	return terms
}

// standAlone makes joined forms words in their own right where nothing else is
// asked: the parts of "isA" carry no meaning, isa may. A store may pass over
// joined words, and a question must not vanish by that.
func standAlone(terms []engram.Term) {
	for _, t := range terms {
		if !t.Joined {
			return
		}
	}
	for i := range terms {
		terms[i].Joined = false
	}
}
