package grammar

import (
	"slices"
	"strings"

	"github.com/alanbuscaglia/engram/internal/suspicion/finding"
)

// sentence is one sentence with the grammatical categories of its words.
type sentence struct {
	text   string
	tokens []token
	has    sign               // of all its tokens
	attack bool               // it describes an attack, or the next sentence does
	room   *[mostWords]notion // of its scenes, for one at a time
}

// Orders finds known instructions to an agent, sentence by sentence.
func Orders(t *Sentences, found *finding.Findings) {
	for i := range t.begins {
		s := t.of(i)
		for _, r := range wordRules {
			if s.has&r.needs != r.needs {
				continue
			}
			if from, to, ok := r.find(s); ok && !s.cited(from) {
				found.Add(r.code, r.why, int(s.tokens[from].from), int(s.tokens[to].to))
			}
		}
	}
}

// wordRule finds one kind of instruction in a sentence.
type wordRule struct {
	code  string
	why   string
	needs sign                                     // required in the sentence
	find  func(s sentence) (from, to int, ok bool) // its first and last token
}

var wordRules = []wordRule{
	{finding.Override, "overrides the agent's earlier instructions", setAside, sentence.override},
	{finding.Override, "asks to ignore the agent's instructions", not | obey, sentence.disobeyed},
	{finding.Override, "assigns the agent another role", you | now, sentence.persona},
	{finding.Override, "gives the agent new instructions", your | made, sentence.replaced},
	{finding.Secrecy, "asks not to tell the user", not | report, sentence.untold},
	{finding.Secrecy, "asks to keep it from the user", not | know | person, sentence.unknown},
	{finding.Secrecy, "asks to hide something from the user", hide | person, sentence.hiding},
	{finding.Bypass, "asks to act without asking the user", not | ask, sentence.unconfirmed},
	{finding.Order, "a standing order runs or fetches what is on another machine", addressed, sentence.standing},
	{finding.Planted, "asks to distort answers to the user", advise, sentence.bent},
	{finding.Planted, "asks to insert something into the agent's answers", put | answer, sentence.seeded},
	{finding.Exfil, "a file of secrets is to be read and passed on", secretFile | read1, sentence.passed},
	{finding.Exfil, "asks the agent to reveal its instructions", spill | your, sentence.spilled},
}

// next returns the first token after i, with at most gap tokens between, that has one of these
// signs; -1 without one.
func (s sentence) next(i int, want sign, gap int) int {
	for j := i + 1; j < len(s.tokens) && j <= i+1+gap; j++ {
		if s.tokens[j].is&want != 0 {
			return j
		}
	}
	return -1
}

// then is next, and -1 for a missing token i.
func (s sentence) then(i int, want sign, gap int) int {
	if i < 0 {
		return -1
	}
	return s.next(i, want, gap)
}

// prev is next backwards.
func (s sentence) prev(i int, want sign, gap int) int {
	for j := i - 1; j >= 0 && j >= i-1-gap; j-- {
		if s.tokens[j].is&want != 0 {
			return j
		}
	}
	return -1
}

// each calls end for the tokens with one of these signs until it returns the last token of an
// instruction, not -1.
func (s sentence) each(want sign, end func(i int) int) (from, to int, ok bool) {
	for i, t := range s.tokens {
		if t.is&want == 0 {
			continue
		}
		if to = end(i); to >= 0 {
			return i, to, true
		}
	}
	return 0, 0, false
}

// commands reports an imperative: a verb at the beginning of a clause or after a word such as
// must, please or then.
func (s sentence) commands(i int) bool {
	if i > 0 && s.tokens[i-1].is&aside != 0 && s.tokens[i-1].is&must == 0 && !s.tokens[i].opens {
		// "remember to run", "make sure to run", but not "is used to run".
		return s.word(i-1) == "to" && i > 1 && s.tokens[i-2].is&must != 0
	}
	return !s.negated(i) && (i == 0 || s.tokens[i].opens || s.tokens[i-1].is&(must|session) != 0)
}

// negated reports a verb with a negative before it, except in "do not hesitate to run".
func (s sentence) negated(i int) bool { return !s.tokens[i].opens && s.prev(i, not, 0) >= 0 }

// together reports two tokens without a comma, colon or quotation mark between them.
func (s sentence) together(i, j int) bool {
	return !slices.ContainsFunc(s.tokens[i+1:j+1], func(t token) bool { return t.opens })
}

// word returns the token as written, in lower case.
func (s sentence) word(i int) string { return finding.Lowered(s.text[s.tokens[i].from:s.tokens[i].to]) }

// last reports the end of a clause.
func (s sentence) last(i int) bool {
	return i == len(s.tokens)-1 || s.tokens[i+1].opens || s.word(i+1) == "and"
}

// cited reports a quotation in a sentence about attacks, such as the test case of a filter.
func (s sentence) cited(i int) bool {
	if !s.attack {
		return false
	}
	open := false
	for _, c := range s.text[s.tokens[0].from:s.tokens[i].from] {
		switch c {
		case '"', '`', '\'':
			open = !open
		case '“', '«', '‘':
			open = true
		case '”', '»', '’':
			open = false
		}
	}
	return open
}

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
