package secret

import (
	"cmp"
	"slices"
)

// words finds the keywords of all rules in one pass. Three characters, of five bits each, decide
// whether any keyword can begin there; in prose few do.
type words struct {
	rules  []compiled
	begins [1 << 10]uint16  // by two characters: 1 + the index in thirds, 0 for none
	thirds [][1 << 5]uint16 // by the third: 1 + the index of its list in starts, 0 for none
	starts []uint16         // where lists begin in words; each ends where the next one begins, the last at the last number
	words  []word
	always []int // rules without keywords
}

// word is a keyword of a rule, by their indexes.
type word struct{ rule, keyword uint16 }

type place struct{ rule, at int }

// mostBegins is the number of thirds, for one allocation.
const mostBegins = 143

// code maps a character to five bits, ignoring case.
func code(c byte) uint32 {
	switch {
	case 'a' <= c && c <= 'z':
		return uint32(c - 'a')
	case 'A' <= c && c <= 'Z':
		return uint32(c - 'A')
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
	w := &words{rules: rules, thirds: make([][1 << 5]uint16, 0, mostBegins)}
	each := func(do func(key uint32, k word)) {
		for n := range rules {
			for i, k := range rules[n].keywords {
				keysOf(k, func(key uint32) { do(key, word{uint16(n), uint16(i)}) })
			}
		}
	}
	each(func(key uint32, _ word) { // makes the lists, and counts their words
		begin := &w.begins[key>>5]
		if *begin == 0 {
			w.thirds = append(w.thirds, [1 << 5]uint16{})
			*begin = uint16(len(w.thirds))
		}
		list := &w.thirds[*begin-1][key&(1<<5-1)]
		if *list == 0 {
			w.starts = append(w.starts, 0)
			*list = uint16(len(w.starts))
		}
		w.starts[*list-1]++
	})
	all := uint16(0)
	for i, n := range w.starts {
		all += n
		w.starts[i] = all // its end, before which its words come
	}
	w.starts = append(w.starts, all)
	w.words = make([]word, all)
	each(func(key uint32, k word) {
		start := &w.starts[w.list(key)-1]
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

// list returns 1 + the index in starts of three characters, 0 for none.
func (w *words) list(key uint32) uint16 {
	if begin := w.begins[key>>5]; begin > 0 {
		return w.thirds[begin-1][key&(1<<5-1)]
	}
	return 0
}

// keysOf calls do with the three-character keys of a keyword; for one of two characters, with any third.
func keysOf(keyword string, do func(key uint32)) {
	first := code(keyword[0])<<10 | code(keyword[1])<<5
	if len(keyword) > 2 {
		do(first | code(keyword[2]))
		return
	}
	for third := range uint32(32) {
		do(first | third)
	}
}

// places appends the positions of keywords in a text to all, which is empty, by rule and position.
func (w *words) places(all []place, text string) []place {
	for _, r := range w.always {
		all = append(all, place{r, 0})
	}
	var key uint32
	for i := range len(text) {
		key = (key<<5 | code(text[i])) & (1<<15 - 1)
		if i < 2 {
			continue
		}
		list := w.list(key)
		if list == 0 {
			continue
		}
		for _, k := range w.words[w.starts[list-1]:w.starts[list]] {
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
