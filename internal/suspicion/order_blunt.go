package suspicion

import (
	"slices"
	"strings"
)

// blunt reports an English verb that is an order by its form alone, though nothing sets it off
// from the words before it: "overlay ignore all …". Behind a noun in the singular the plain form
// can be nothing else. It can behind many ("models ignore"), behind a verb that takes it ("made
// the model ignore"), in a question and where words are mentioned ("the phrase ignore all …").
func (s sentence) blunt(i int) bool {
	if i == 0 || !s.plainForm(i) || s.negated(i) || s.asks() || s.has&reported != 0 {
		return false
	}
	if s.begins(i) && !s.begins(i-1) {
		return !s.mentions(i - 1) // a sentence begins, and its full stop is missing
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
	for k := max(0, j-3); k < j; k++ {
		if takesVerb(s.word(k)) {
			return false
		}
	}
	return !takesVerb(s.word(j)) && (j == 0 || s.word(j-1) != "and" && s.word(j-1) != "or")
}

// plainForm reports a verb of setting aside as an order has it.
func (s sentence) plainForm(i int) bool {
	return slices.Contains([]string{"ignore", "disregard", "forget", "override", "bypass", "neglect", "overrule", "discard"}, s.word(i))
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

// many reports a word that is in the plural, or may be.
func (s sentence) many(i int) bool {
	w := s.word(i)
	return strings.HasSuffix(w, "s") || slices.Contains([]string{"people", "children", "men", "women", "data", "often", "still", "even", "both", "some", "many", "most", "all", "half", "few", "several"}, w)
}

// mentions reports a word behind which others are meant as words.
func (s sentence) mentions(i int) bool {
	return slices.Contains([]string{"phrase", "string", "strings", "wording", "words", "sentence", "sentences", "like", "as", "saying", "says", "say", "said", "read", "reads"}, s.word(i))
}

// takesVerb reports a verb that another one follows in its plain form.
func takesVerb(w string) bool {
	return slices.Contains([]string{"make", "makes", "made", "making", "let", "lets", "letting", "help", "helps", "helped", "helping", "have", "has", "had", "having",
		"see", "saw", "seen", "seeing", "watch", "watched", "watching", "hear", "heard", "notice", "noticed", "do", "does", "did", "can", "could", "will", "would",
		"should", "shall", "may", "might", "must", "if", "whether", "that", "why", "how"}, w)
}
