package grammar

import (
	"strings"

	"github.com/alanbuscaglia/engram/internal/suspicion/finding"
)

// blunt reports an English imperative in running text: "overlay ignore all …". After a singular
// noun the plain form is an imperative. It is not one after a plural ("models ignore"), after a
// verb that takes it ("made the model ignore"), in questions and in mentions ("the phrase ignore
// all …").
func (s sentence) blunt(i int) bool {
	if i == 0 || !finding.OneOf(s.word(i), "ignore", "disregard", "forget", "override", "bypass", "neglect", "overrule", "discard") || s.negated(i) || s.asks() || s.has&reported != 0 {
		return false
	}
	if s.begins(i) && !s.begins(i-1) {
		return !s.mentions(i - 1) // a new sentence without a full stop before it
	}
	j := i - 1
	for j >= 0 && strings.HasSuffix(s.word(j), "ly") {
		j--
	}
	if j < 0 {
		return true
	}
	if s.tokens[j].is&(aside|not) != 0 || s.many(j) || s.mentions(j) {
		return false
	}
	for k := max(0, j-3); k <= j; k++ {
		if takesVerb(s.word(k)) {
			return false
		}
	}
	return j == 0 || !finding.OneOf(s.word(j-1), "and", "or")
}

// begins reports a word with a capital.
func (s sentence) begins(i int) bool {
	c := s.text[s.tokens[i].from]
	return c >= 'A' && c <= 'Z'
}

// asks reports a question.
func (s sentence) asks() bool {
	rest := s.text[s.tokens[len(s.tokens)-1].to:]
	return strings.HasPrefix(strings.TrimLeft(rest, "\"'`)”’ "), "?")
}

// many reports a possible plural.
func (s sentence) many(i int) bool {
	w := s.word(i)
	return strings.HasSuffix(w, "s") || finding.OneOf(w, "people", "children", "men", "women", "data", "often", "still", "even", "both", "some", "many", "most", "all", "half", "few", "several")
}

// mentions reports a word that introduces a quotation.
func (s sentence) mentions(i int) bool {
	return finding.OneOf(s.word(i), "phrase", "string", "strings", "wording", "words", "sentence", "sentences", "like", "as", "saying", "says", "say", "said", "read", "reads")
}

// takesVerb reports a word that a verb in the plain form may follow.
func takesVerb(w string) bool {
	return finding.OneOf(w, "make", "makes", "made", "making", "let", "lets", "letting", "help", "helps", "helped", "helping", "have", "has", "had", "having",
		"see", "saw", "seen", "seeing", "watch", "watched", "watching", "hear", "heard", "notice", "noticed", "do", "does", "did", "can", "could", "will", "would",
		"should", "shall", "may", "might", "must", "if", "whether", "that", "why", "how")
}
