package gist

import (
	"math"
	"strings"
	"unicode"
	"unicode/utf8"
)

// How much the position of a part counts against its words, and how much less a word counts after each mention.
//
// Source: Luhn, "The Automatic Creation of Literature Abstracts", 1958 (frequent words carry the sentence);
// Edmundson, "New Methods in Automatic Extracting", 1969 (place and headings); Nenkova, Vanderwende, "The
// Impact of Frequency on Summarization", 2005 (repeated words count less).
const (
	opening = 1.5
	repeats = 0.3
	// leastRoom is the least room in characters for one more part.
	leastRoom = 20
)

// choose selects the parts of the gist: the first, then by value for their length while there is room.
func choose(parts []part, most int) []bool {
	chosen := make([]bool, len(parts))
	w := weigh(parts)
	room := most
	labels := map[string]bool{parts[0].label: true}
	for at := 0; at >= 0 && room > 0; {
		chosen[at] = true
		room -= parts[at].chars + len(gap(parts[at].text))
		if !labels[parts[at].label] {
			room -= utf8.RuneCountInString(parts[at].lead())
			labels[parts[at].label] = true
		}
		w.said(at)
		at = -1
		best := 0.0
		for i, p := range parts {
			need := p.chars
			if !labels[p.label] {
				need += utf8.RuneCountInString(p.lead())
			}
			if chosen[i] || need > room || room < leastRoom {
				continue
			}
			if v := w.value(i); v > best {
				at, best = i, v
			}
		}
	}
	return chosen
}

// weights holds the words of parts and their worth.
type weights struct {
	parts []part
	of    [][]int32 // words of each part, each word once
	words []word
}

// word is a word of the text.
type word struct {
	parts, last int32 // how many parts have it, and the last of them
	worth       float64
}

// weigh computes the worth of each word within the text: frequent and long words count more, because in every
// language the words that only join others are short. A word in most parts of a long text is worth nothing.
func weigh(parts []part) *weights {
	chars := 0
	for _, p := range parts {
		chars += p.chars
	}
	some := chars/7 + 1 // words
	w := &weights{parts, make([][]int32, len(parts)), make([]word, 0, some)}
	known := make(map[string]int32, some)
	of := make([]int32, 0, some)
	for i, p := range parts {
		first := len(of)
		eachWord(p.text, func(text string) {
			n, seen := known[text]
			if !seen {
				n = int32(len(w.words))
				known[text] = n
				w.words = append(w.words, word{last: -1, worth: lengthWorth(text)})
			}
			if w.words[n].last != int32(i) {
				w.words[n].last = int32(i)
				w.words[n].parts++
				of = append(of, n)
			}
		})
		w.of[i] = of[first:]
	}
	for n, x := range w.words {
		if len(parts) > 5 && 2*int(x.parts) > len(parts) {
			w.words[n].worth = 0
		}
		w.words[n].worth *= math.Log2(1 + float64(x.parts))
	}
	return w
}

// value returns what part i adds: the worth of its words over the root of its length, so that a long sentence
// wins only if it says more.
func (w *weights) value(i int) float64 {
	sum := 0.0
	for _, n := range w.of[i] {
		sum += w.words[n].worth
	}
	if w.parts[i].opens {
		sum *= opening
	}
	return sum / math.Sqrt(float64(w.parts[i].chars+20))
}

// said reduces the worth of the words of part i.
func (w *weights) said(i int) {
	for _, n := range w.of[i] {
		w.words[n].worth *= repeats
	}
}

// lengthWorth is the worth of a word by its length. A figure or a name has full worth.
func lengthWorth(word string) float64 {
	first, size := utf8.DecodeRuneInString(word)
	if first > 0x2e80 || unicode.IsDigit(first) || size == 1 && unicode.IsUpper(first) && len(word) > 1 && unicode.IsUpper(rune(word[1])) {
		return 1
	}
	return min(1, max(0, float64(utf8.RuneCountInString(word)-2)/4))
}

// eachWord calls emit for the words of a part: between blanks, without surrounding marks, and in scripts
// without blanks each pair of neighbouring characters.
func eachWord(s string, emit func(string)) {
	for word := range strings.FieldsSeq(s) {
		word = strings.TrimFunc(word, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
		if word == "" {
			continue
		}
		if r, _ := utf8.DecodeRuneInString(word); r > 0x2e80 && utf8.RuneCountInString(word) > 2 {
			eachPair(word, emit)
			continue
		}
		if !isName(word) {
			word = strings.ToLower(word)
		}
		emit(word)
	}
}

// isName reports whether a word is in capitals, which distinguishes it from the same word in small letters.
func isName(word string) bool {
	return len(word) > 1 && word[0] >= 'A' && word[0] <= 'Z' && word[1] >= 'A' && word[1] <= 'Z'
}

func eachPair(word string, emit func(string)) {
	before, from := -1, 0
	for i, r := range word {
		if !unicode.IsLetter(r) {
			before = -1
			continue
		}
		if from = before; from >= 0 {
			emit(word[from : i+utf8.RuneLen(r)])
		}
		before = i
	}
}
