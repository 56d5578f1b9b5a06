package text

import (
	"strings"

	"github.com/alanbuscaglia/engram"
)

// maxTerms limits the different words of a question. People ask in twenty; a pasted log has
// thousands, and its first hundred are enough.
const maxTerms = 100

// Query returns the terms of a question, each once, in order. Stop words are left out unless there
// is nothing else; then they are marked Stop. Nil for a question without words.
//
// For scripts without spaces it returns pairs, since single characters match too much; a single
// character only if it stands alone.
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

// standAlone turns joined forms into words if there is nothing else: the parts of "isA" carry no
// meaning, but isa may. A store may skip joined words, and the question must not become empty.
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

// stopWords are English words without a topic: articles, pronouns, prepositions, auxiliaries and question
// words. Contractions have no apostrophe, as Scan returns them. Words that are also technical names (go, make,
// set) are left out; words used mostly as grammar (will, may, can) are included.
var stopWords = func() map[string]bool {
	m := map[string]bool{}
	for _, w := range strings.Fields(`
		a an the this that these those some any each every either neither both all such same other another
		i me my mine myself we us our ours ourselves you your yours yourself yourselves he him his himself
		she her hers herself it its itself they them their theirs themselves one ones someone somebody something
		anyone anybody anything everyone everything nobody nothing
		who whom whose which what when where why how
		of in on at by for with about against between into through during before after above below to from up down
		out off over under again further then once here there than as until while because so if or and but nor not no
		only own too very just also even ever still yet now more most much many few less least
		am is are was were be been being have has had having do does did doing done will would shall should can could
		may might must ought
		im ive id ill youre youve youd youll hes shes its were weve theyre theyve theyll thats whats wheres whos hows
		isnt arent wasnt werent hasnt havent hadnt doesnt dont didnt wont wouldnt shant shouldnt cant cannot couldnt
		mustnt neednt lets
		s t d m re ve ll o y`) {
		m[w] = true
	}
	return m
}()

const longestStop = len("yourselves")

// Asks reports whether a word, in lower case, asks instead of naming a topic: in "what did we
// decide yesterday", decide adds nothing to the other words.
func Asks(word string) bool {
	switch word {
	case "happen", "happened", "happening", "decide", "decided", "decision", "decisions", "show", "list", "tell",
		"save", "saved", "note", "noted", "notes", "learn", "learned", "learnt", "remember", "remembered",
		"memory", "memories", "work", "worked", "discuss", "discussed", "talk", "talked",
		"change", "changed", "changes", "new", "news", "write", "wrote", "written":
		return true
	}
	return false
}
