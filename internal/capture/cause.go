package capture

import (
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"
)

// causes are the patterns for the reason of a failure, clearest first.
var causes = sync.OnceValue(func() []pattern {
	return []pattern{
		{[]string{"root cause", "causa raíz", "causa real", "culprit"}, regexp.MustCompile(`(?i)\b(?:root cause|culprit|causa raíz|causa real)\b`)},
		{[]string{
			"problem", "issue", "bug", "error", "failure", "cause", "reason", "causa", "fallo", "motivo", "fall",
		}, regexp.MustCompile(`(?i)\b(?:the|this|that|el|la|este|esta) (?:\w+ )?(?:problem|issue|bug|error|failure|cause|reason|` +
			`problema|fallo|causa|motivo)(?: here| aquí| with [^.]{3,60}| in [^.]{3,60})? (?:is|was|came from|` +
			`comes from|es|era|fue|estaba|venía)\b`)},
		{[]string{
			"caused by", "because", "turns out", "turned out", "due to", "fails since", "failed since", "porque",
			"resulta que", "debido a", "causado por",
		}, regexp.MustCompile(`(?i)\b(?:caused by|because|turns out|turned out|due to|fail(?:s|ed) since|porque|resulta(?:ba)? que|` +
			`debido a|causado por)\b`)},
	}
})

// guesses are words of a guess, or of a plan.
func guesses() []string {
	return []string{"might", "may", "maybe", "perhaps", "probably", "possibly", "likely", "could be", "let me", "let's", "i'll", "i will", "i need to", "need to find", "need to check", "need to see",
		"checking", "see if", "to find", "not sure", "unclear", "whether", "looks like", "seems", "suspect",
		"quizás", "quizá", "tal vez", "puede que", "puede ser", "probablemente", "parece", "voy a", "veamos", "déjame"}
}

// guessing reports whether a sentence, in lower case, contains a word of guesses.
func guessing(lower string) bool {
	return slices.ContainsFunc(guesses(), func(w string) bool { return hasWord(lower, w) })
}

// hasWord reports whether a text contains a word without letters next to it.
func hasWord(s, word string) bool {
	for from := 0; ; {
		i := strings.Index(s[from:], word)
		if i < 0 {
			return false
		}
		i += from
		before, _ := utf8.DecodeLastRuneInString(s[:i])
		after, _ := utf8.DecodeRuneInString(s[i+len(word):])
		if !unicode.IsLetter(before) && !unicode.IsLetter(after) {
			return true
		}
		from = i + len(word)
	}
}

// failures are parts of words that indicate a failure.
func failures() []string {
	return []string{"fail", "broke", "break", "crash", "panic", "error", "wrong", "hang", "hung", "timed out", "times out", "missing", "caused", "turns out", "turned out",
		"n't ", "n’t ", " not ", "never", "fall", "romp", "causado", "resulta", " no "}
}

func tellsFailure(s string) bool {
	lower := " " + strings.ToLower(s)
	return slices.ContainsFunc(failures(), func(w string) bool { return strings.Contains(lower, w) })
}

// caused returns the sentence that best explains a failure, and its rank: 0 is best. ok is false if
// it finds none. Decisions do not count: they explain what should be, and are proposed as
// decisions.
func caused(s string) (cause string, rank int, ok bool) {
	lower := strings.ToLower(s)
	for rank, c := range causes() {
		if !c.may(lower) {
			continue
		}
		for _, p := range prose(s) {
			for i, one := range p {
				low := strings.ToLower(one)
				if !c.may(low) || words(one) < leastCause || words(one) > mostCause || asks(one) || guessing(low) || !c.find.MatchString(one) {
					continue
				}
				if _, _, decides := ofDecisions().read(one, RoleAgent); decides {
					continue
				}
				if i+1 < len(p) && (words(one) < 8 || goesOn().MatchString(p[i+1])) && !guessing(strings.ToLower(p[i+1])) {
					one += " " + p[i+1]
				}
				return one, rank, true
			}
		}
	}
	return "", 0, false
}

const (
	leastCause = 5  // words
	mostCause  = 80 // words of a sentence that says one thing
)
