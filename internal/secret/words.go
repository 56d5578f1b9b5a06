package secret

import (
	"cmp"
	"math/bits"
	"slices"
)

// words finds the keywords of all rules in one pass. Three characters, of five bits each, decide
// whether any keyword can begin there; in prose few do.
type words struct {
	rules  []compiled
	codes  [1 << 8]uint16 // code of each character
	begins [1 << 9]uint64 // one bit for each three characters: whether they begin a keyword and have a list
	before [1 << 9]uint16 // lists of the bits before each number of begins
	starts []uint16       // where lists begin in words; each ends where the next one begins, the last at the last number
	words  []word
	always []int // rules without keywords
}

// word is a keyword of a rule, by their indexes.
type word struct{ rule, keyword uint16 }

type place struct{ rule, at int }

// code maps a character to five bits, ignoring case.
func code(c byte) uint16 {
	switch {
	case 'a' <= c && c <= 'z':
		return uint16(c - 'a')
	case 'A' <= c && c <= 'Z':
		return uint16(c - 'A')
	case '0' <= c && c <= '9':
		return 26
	}
	switch c {
	case '_':
		return 27
	case '-':
		return 28
	case '.':
		return 29
	case ' ', '\n', '\t':
		return 30
	}
	return 31
}

func newWords(rules []compiled) *words {
	w := &words{rules: rules}
	for c := range w.codes {
		w.codes[c] = code(byte(c))
	}
	each := func(do func(key uint16, k word)) {
		for n := range rules {
			for i, k := range rules[n].keywords {
				keysOf(k, func(key uint16) { do(key, word{uint16(n), uint16(i)}) })
			}
		}
	}
	each(func(key uint16, _ word) { w.begins[key>>6] |= 1 << (key & 63) })
	lists := 0
	for i, b := range w.begins {
		w.before[i] = uint16(lists)
		lists += bits.OnesCount64(b)
	}
	w.starts = make([]uint16, lists+1)
	each(func(key uint16, _ word) { w.starts[w.list(key)]++ })
	all := uint16(0)
	for i, n := range w.starts {
		all += n
		w.starts[i] = all // its end, before which its words come
	}
	w.words = make([]word, all)
	each(func(key uint16, k word) {
		start := &w.starts[w.list(key)]
		*start--
		w.words[*start] = k
	})
	for n := range rules {
		if len(rules[n].keywords) == 0 {
			w.always = append(w.always, n)
		}
	}
	return w
}

// has reports whether three characters begin a keyword.
func (w *words) has(key uint16) bool { return w.begins[key>>6]>>(key&63)&1 != 0 }

// list returns the index in starts of three characters that begin a keyword.
func (w *words) list(key uint16) int {
	return int(w.before[key>>6]) + bits.OnesCount64(w.begins[key>>6]&(1<<(key&63)-1))
}

// keysOf calls do with the three-character keys of a keyword; for one of two characters, with any third.
func keysOf(keyword string, do func(key uint16)) {
	first := code(keyword[0])<<10 | code(keyword[1])<<5
	if len(keyword) > 2 {
		do(first | code(keyword[2]))
		return
	}
	for third := range uint16(32) {
		do(first | third)
	}
}

// places appends the positions of keywords in a text to all, which is empty, by rule and position.
func (w *words) places(all []place, text string) []place {
	for _, r := range w.always {
		all = append(all, place{r, 0})
	}
	var key uint16
	for i := range len(text) {
		key = (key<<5 | w.codes[text[i]]) & (1<<15 - 1)
		if !w.has(key) || i < 2 {
			continue
		}
		list := w.list(key)
		for _, k := range w.words[w.starts[list]:w.starts[list+1]] {
			if hasPrefixFold(text[i-2:], w.rules[k.rule].keywords[k.keyword]) {
				all = append(all, place{int(k.rule), i - 2})
			}
		}
	}
	slices.SortFunc(all, func(a, b place) int { return cmp.Or(cmp.Compare(a.rule, b.rule), cmp.Compare(a.at, b.at)) })
	return slices.Compact(all)
}

// hasPrefixFold reports whether a text begins with a lower-case keyword, ignoring case.
func hasPrefixFold(text, keyword string) bool {
	if len(text) < len(keyword) {
		return false
	}
	for i := range len(keyword) {
		c := text[i]
		if 'A' <= c && c <= 'Z' {
			c += 'a' - 'A'
		}
		if c != keyword[i] {
			return false
		}
	}
	return true
}
