package text

import "github.com/alanbuscaglia/engram"

// maxTerms limits the different words of a question. People ask in twenty; a pasted log has
// thousands, and its first hundred are enough.
const maxTerms = 100

// MaxQuestion is how much of a question is read, in bytes. Its first hundred words stand in it, and a mebibyte of Chinese takes a
// second.
const MaxQuestion = 16 << 10

// Query returns the terms of a question, of its first MaxQuestion bytes, each once, in order. Stop words are left out unless there
// is nothing else; then they are marked Stop. Nil for a question without words.
//
// For scripts without spaces it returns pairs, since single characters match too much; a single
// character only if it stands alone.
//
// Terms have the stems of other languages that the question may be in: of all, if no stop word tells which.
func Query(question string) []engram.Term { return query(question, true) }

// Terms is Query without the stems of other languages, which are most of its work.
func Terms(question string) []engram.Term { return query(question, false) }

func query(question string, foreign bool) []engram.Term {
	question = Clip(question, MaxQuestion)
	if !Dense(question) {
		return queryOf(question, foreign)
	}
	topic := withoutPhrases(question)
	if terms := queryOf(topic, foreign); len(terms) > 0 && !terms[0].Stop {
		return terms
	}
	terms := queryOf(question, foreign)
	for i := range terms {
		terms[i].Stop = topic == ""
	}
	return terms
}

func queryOf(question string, foreign bool) []engram.Term {
	var terms, stops []engram.Term
	var tokens []Token // of terms
	seen := map[string]bool{}
	in := languagesOf(question)
	in.scan(question, func(t Token) {
		word := t.Text()
		if len(terms) == maxTerms || t.Kind == Char || seen[word] {
			return
		}
		seen[word] = true
		term := engram.Term{Word: word, Written: t.Word, Foreign: in&all != 0, Stop: t.Stop, Joined: t.Kind == Joined}
		if t.Stop {
			if len(stops) < maxTerms {
				stops = append(stops, term)
			}
			return
		}
		terms, tokens = append(terms, term), append(tokens, t)
	})
	if len(terms) == 0 {
		return stops
	}
	standAlone(terms)
	if !foreign || in == undecided && len(terms) > mostKeywords {
		return terms
	}
	for i, t := range tokens {
		terms[i].Also = t.foreign(in)
	}
	return terms
}

// mostKeywords is how many words without a stop word among them may be keywords in any language. More are code or
// a log, and their stems in eleven languages would cost more than the search.
const mostKeywords = 8

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
