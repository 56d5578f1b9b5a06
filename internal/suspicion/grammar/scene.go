package grammar

import (
	"slices"
	"strings"

	"github.com/alanbuscaglia/engram/internal/suspicion/finding"
)

// scene is a part of a sentence with the notions that count in it.
type scene struct {
	sentence
	from int // index of its first token in the sentence
	has  notion
	as   []notion // the notions of each token that count
}

const (
	mostWords = 48 // tokens of a scene
	stepWords = 24 // tokens between two scenes

	mostBetween = 12 // tokens between a verb and its "out"
)

// scenes splits a sentence into overlapping scenes, each until the next one; most sentences are one.
func (s sentence) scenes(yield func(scene) bool) {
	for from := 0; ; from += stepWords {
		part := s
		part.tokens = s.tokens[from:min(len(s.tokens), from+mostWords)]
		if !yield(part.scene(from)) || from+mostWords >= len(s.tokens) {
			return
		}
	}
}

func (s sentence) scene(from int) scene {
	c := scene{sentence: s, from: from, as: s.room[:len(s.tokens)]}
	var all notion
	for i, t := range s.tokens {
		if all |= t.means; t.means&apart != 0 && s.named(i) {
			all |= theAgent
		}
	}
	for i := range s.tokens {
		c.as[i] = s.counts(i, all)
		if s.tokens[i].means&apart == 0 {
			c.has |= c.as[i]
			continue
		}
		switch s.word(i) {
		case "off": // "turn the firewall off"
			if j := s.prevWord(i, 6, "turn", "switch", "shut"); j >= 0 && s.against(j) < 0 && s.ordered(j, all) {
				c.as[j] |= toLift
				c.has |= toLift
			}
		case "out": // "leave this step out of any summary", "keep what you change there out of it"
			if j := s.prevWord(i, mostBetween, "leave", "keep"); j >= 0 && s.against(j) < 0 && s.ordered(j, all) {
				c.as[j] |= toOmit
				c.has |= toOmit
			}
		case "env": // the output of `env`
			if from := s.tokens[i].from; from > 0 && s.text[from-1] == '`' {
				c.as[i] |= keys
			}
		case "cursor":
			if s.named(i) {
				c.as[i] |= theAgent
			}
		}
		c.has |= c.as[i]
	}
	return c
}

// named reports that a word means the agent Cursor, not the place in a list: "Cursor", "@cursor", "cursor: …".
func (s sentence) named(i int) bool {
	t := s.tokens[i]
	return s.word(i) == "cursor" && (s.begins(i) || t.from > 0 && s.text[t.from-1] == '@' || int(t.to) < len(s.text) && s.text[t.to] == ':')
}

// negatesVerb excludes the English "no", which negates nouns. Spanish and Italian allow a pronoun
// between "no" and the verb.
func (s sentence) negatesVerb(j, i int) bool {
	if s.word(j) != "no" || j == i-1 {
		return true
	}
	return finding.OneOf(s.word(i-1), "le", "lo", "les", "se", "la", "gli")
}

// prevWord returns the last of these words before i, at most reach tokens away; -1 without one.
func (s sentence) prevWord(i, reach int, words ...string) int {
	for j := i - 1; j >= max(0, i-reach); j-- {
		if slices.Contains(words, s.word(j)) {
			return j
		}
	}
	return -1
}

// counts returns the notions of a token that count: those of a verb in an instruction or an
// action of an agent. A negated verb becomes untold, unconfirmed or a warning, which has no
// notions.
func (s sentence) counts(i int, all notion) notion {
	t := s.tokens[i]
	means := t.means
	if means&(toTell|toShow|toSend|toAsk|toClaim) != 0 && means&acts != 0 {
		if j := s.against(i); j >= 0 {
			means &^= acts
			switch {
			case s.twice(j):
			case t.means&toAsk != 0 && (t.form != past || s.word(i-1) == "be"):
				means |= unconfirmed
			case t.means&(toTell|toShow) != 0 && (t.form == plain || t.form == doing) && s.tokens[j].means&anyone == 0 && s.negatesVerb(j, i):
				means |= untold
			}
			return means
		}
	}
	if means&acts == 0 {
		return means
	}
	if s.against(i) >= 0 || !s.ordered(i, all) {
		means &^= acts
	}
	return means
}

// against returns the word that negates the verb at i in the same clause; -1 without one. In
// German and others it may follow the verb.
func (s sentence) against(i int) int {
	for j := i - 1; j >= max(0, i-5); j-- {
		if s.tokens[j+1].opens && s.tokens[j+1].form != noVerb && j+1 < i {
			break
		}
		if s.tokens[j].means&(negates|lacks) != 0 && !(s.tokens[j+1].opens) {
			return j
		}
		if s.tokens[j+1].opens || s.tokens[j].means&acts != 0 && s.tokens[j].form == plain && s.tokens[j].means&toAsk == 0 && j < i-1 {
			return -1
		}
	}
	if s.tokens[i].form == plain && i+1 < len(s.tokens) {
		switch s.word(i + 1) {
		case "nicht", "niet", "pas", "jamais", "nichts", "niets":
			return i + 1
		}
		if i+3 < len(s.tokens) && s.tokens[i].means&toTell != 0 {
			for _, t := range s.tokens[i+1 : i+4] {
				if t.means&anyone != 0 {
					return i + 1
				}
			}
			for j := i + 1; j <= i+3; j++ {
				if w := s.word(j); w == "nichts" || w == "niets" {
					return j
				}
			}
		}
	}
	return -1
}

// twice reports a double negative, which requires confirmation: "no new dependencies without
// asking".
func (s sentence) twice(i int) bool {
	if s.tokens[i].means&lacks == 0 {
		return false
	}
	for j := i - 1; j >= 0; j-- {
		if s.tokens[j].means&negates != 0 {
			return true
		}
		if s.tokens[j+1].opens {
			return false
		}
	}
	return false
}

// ordered reports a verb in an instruction: in the plain form without an auxiliary ("could send",
// "asked people to send"), in another form with an agent or you as its subject, or as a custom
// ("are pasted").
func (s sentence) ordered(i int, all notion) bool {
	t := s.tokens[i]
	if int(t.to) < len(s.text) && (s.text[t.to] == ':' || s.text[t.to] == ']') {
		return false // a label, "Source:", or a link
	}
	switch t.form {
	case plain, noVerb:
		if i == 0 || t.opens {
			return true
		}
		before := s.tokens[i-1]
		if w := s.word(i - 1); (w == "or" || w == "and") && i > 2 && s.word(i-3) == "to" {
			return s.ordered(i-2, all) // "to ignore or bypass"
		}
		switch w := s.word(i - 1); w {
		case "to":
			return i == 1 || s.tokens[i-2].means&(urges|theYou|theAgent|negates|consents) != 0 || s.word(i-2) == "is" || s.word(i-2) == "are"
		case "the", "a", "an", "this", "of", "my", "our", "its", "no", "could", "would", "can", "may", "might", "did", "i", "we", "in", "on", "for", "with", "by":
			return all&(theAgent|theYou) != 0 && (w == "can" || w == "may") || all&theAgent != 0 && w == "i" || w == "on" && i > 1 && s.word(i-2) == "now"
		case "they", "it", "he", "she", "who", "that", "which", "users", "people", "scripts":
			return all&theAgent != 0
		}
		return before.means&thePerson == 0 || before.means&(theAgent|theYou) != 0
	case third, doing:
		return all&theAgent != 0 || t.form == doing && all&theYou != 0 || t.form == doing && all&each != 0 && i == 0
	case past:
		if i > 0 {
			switch s.word(i - 1) {
			case "are", "is", "be", "been":
				return all&(urges|theAgent|theYou) != 0 || i > 0 && s.word(i-1) != "been"
			}
		}
		return false
	}
	return true
}

// span returns the first and last of the tokens that match these sets, the first match of each;
// false if one is missing.
func (c scene) span(sets []notion) (from, to int, ok bool) {
	from, to = len(c.as), -1
	for _, set := range sets {
		at := -1
		for i, n := range c.as {
			if n&set != 0 {
				at = i
				break
			}
		}
		if at < 0 {
			return 0, 0, false
		}
		from, to = min(from, at), max(to, at)
	}
	return from, to, true
}

// reported reports that attackers and the like are mentioned first, except in "to prevent
// attacks".
func (c scene) reported(from int) bool {
	for i := range c.tokens {
		if c.as[i]&reports == 0 {
			continue
		}
		if i == 0 || c.tokens[i-1].means&negates == 0 {
			return i <= from+2
		}
	}
	return false
}

// any reports a token in [from, to) that counts for one of these notions.
func (c scene) any(from, to int, want notion) bool {
	for i := max(0, from); i < min(to, len(c.as)); i++ {
		if c.as[i]&want != 0 {
			return true
		}
	}
	return false
}

// at returns the first token from i on with one of these notions; -1 without one.
func (c scene) at(i int, want notion) int {
	for ; i < len(c.as); i++ {
		if c.as[i]&want != 0 {
			return i
		}
	}
	return -1
}

// reads reports whether these words stand at i; spaces separate alternatives.
func (s sentence) reads(i int, words ...string) bool {
	for n, alternatives := range words {
		if i+n < 0 || i+n >= len(s.tokens) {
			return false
		}
		w, known := s.word(i+n), false
		for alternative := range strings.SplitSeq(alternatives, " ") {
			known = known || alternative == w
		}
		if !known {
			return false
		}
	}
	return true
}

// phrase returns the first place of these words; -1 without one.
func (s sentence) phrase(words ...string) int {
	for i := range s.tokens {
		if s.reads(i, words...) {
			return i
		}
	}
	return -1
}

// says reports whether one of these words occurs.
func (c scene) says(words ...string) bool {
	short, long := len(words[0]), 0
	for _, w := range words {
		short, long = min(short, len(w)), max(long, len(w))
	}
	for i, t := range c.tokens {
		if n := int(t.to - t.from); n >= short && n <= long && slices.Contains(words, c.word(i)) {
			return true
		}
	}
	return false
}
