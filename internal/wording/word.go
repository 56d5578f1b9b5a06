package wording

import (
	"slices"
	"strings"
	"unicode"

	"github.com/alanbuscaglia/engram/internal/text"
)

// word is a word of a sentence.
type word struct {
	key    string // for comparison
	turned bool   // a participle from a passive, which may match its verb
	number bool   // contains a digit or is a numeral
	opens  bool   // may begin an addition to the sentence
	limits bool   // negates or limits
	denies bool   // negates
	past   bool   // ends in ed
}

type sentence []word

// is reports whether two words are the same.
func (w word) is(o word) bool {
	return w.key == o.key || w.turned != o.turned && w.past != o.past && !w.number && !o.number && stemOf(w.key) == stemOf(o.key)
}

// wordOf prepares a written word for comparison. Words with a digit or a joiner are names or
// numbers and keep their endings.
func wordOf(body string) word {
	w := word{key: strings.ToLower(body)}
	w.number = strings.ContainsFunc(body, unicode.IsDigit)
	if !letters(body) {
		return w
	}
	var folded string
	n := 0
	text.Scan(body, func(t text.Token) {
		if n++; n == 1 {
			folded = t.Word
		}
	})
	if n != 1 {
		return w
	}
	w.key = folded
	w.denies = denying.Has(folded)
	w.limits = w.denies || limiting.Has(folded)
	w.number, w.past = numbers.Has(folded), strings.HasSuffix(folded, "ed")
	if w.key = singular(folded); preferring.Has(folded) || preferring.Has(w.key) {
		w.key = "prefer"
	}
	return w
}

// singular removes the s of a plural or a verb. Derived words (product, production) and past forms
// stay: owned is not owns.
func singular(w string) string {
	n := len(w)
	if n < 4 || w[n-1] != 's' {
		return w
	}
	switch {
	case strings.HasSuffix(w, "ss") || strings.HasSuffix(w, "us") || strings.HasSuffix(w, "is"):
		return w
	case strings.HasSuffix(w, "ies") && n > 4:
		return w[:n-3] + "y"
	case strings.HasSuffix(w, "sses") || strings.HasSuffix(w, "shes") || strings.HasSuffix(w, "ches") || strings.HasSuffix(w, "xes"):
		return w[:n-2]
	}
	return w[:n-1]
}

// active turns a passive with by around: "tokens validated by the gateway" equals "the gateway
// validates tokens". It does nothing if more follows the agent.
func active(s sentence) sentence {
	for i := 2; i < len(s)-1; i++ {
		verb := s[i-1]
		if s[i].key != "by" || s[i].limits || !verb.past {
			continue
		}
		if slices.ContainsFunc(s[i+1:], func(w word) bool { return w.opens || w.limits }) {
			return s
		}
		rest := slices.DeleteFunc(slices.Clone(s[:i-1]), func(w word) bool { return w.key == "was" || w.key == "were" })
		// In the present it matches the verb; in the past it is the same word.
		verb.turned = len(rest) == i-1
		return slices.Concat(s[i+1:], sentence{verb}, rest)
	}
	return s
}

func stemOf(w string) (stem string) {
	text.Scan(w, func(t text.Token) { stem = t.Text() })
	return stem
}

var (
	// neutral are words without meaning here: articles, the present of to be, we. Of other
	// languages only those that mean nothing else in English.
	neutral = text.Words{List: `a an the is are am be being do does we our that it its please
		el los las una unos unas
		der das dem ein eine einen einem einer eines ist sind wir
		le les une est`}

	// stress are words that only add stress, unless negated.
	stress = text.Words{List: `really very quite strongly definitely always indeed certainly clearly actually also too just generally
		currently now still already simply muy siempre tambien sehr immer auch`}

	// openers are words that continue a sentence which could have ended before them.
	openers = text.Words{List: `in on at with for because since as so and which who where when while via under during per to by from using
		through within across inside among of
		en con para porque desde durante por
		im am mit fur weil bei wegen auf seit durch
		dans avec pour parce`}

	// denying negates a statement; limiting limits or postpones it.
	denying = text.Words{List: `no not never none without nor neither nobody nothing hardly rarely seldom barely scarcely
		dont doesnt didnt isnt arent wasnt werent wont wouldnt shouldnt mustnt hasnt havent hadnt cant couldnt neednt aint cannot
		nunca jamas sin tampoco
		nicht kein keine keinen keiner keines keinem nie niemals ohne
		pas jamais sans`}
	limiting = text.Words{List: `unless until till except only but however instead rather against although though
		false falsely wrong if may might maybe perhaps formerly longer anymore stop stopped avoid cease ceased outdated obsolete
		deprecated correction than over before after almost nearly supposedly allegedly temporarily sometimes partly used
		salvo excepto solo pero ya ausser nur aber bis sauf mais`}

	// preferring are synonyms.
	preferring = text.Words{List: "prefer preferred preference like favor favour"}

	numbers = text.Words{List: `two three four five six seven eight nine ten twelve hundred thousand dos tres cuatro cinco diez zwei drei vier funf zehn`}
)
