package secret

import (
	"cmp"
	"slices"
)

// words finds the keywords of all rules in one pass. Three characters, of five bits each, decide
// whether any keyword can begin there; in prose few do.
type words struct {
	begins [1 << 10]uint16  // by two characters: 1 + the index in thirds, 0 for none
	thirds [][1 << 5]uint16 // by the third: 1 + the index in lists, 0 for none
	lists  [][]word
	always []int // rules without keywords
}

type word struct {
	text string
	rule int
}

type place struct{ rule, at int }

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
	w := &words{}
	each := func(do func(key uint32, k word)) {
		for n := range rules {
			for _, k := range rules[n].keywords {
				keysOf(k, func(key uint32) { do(key, word{k, n}) })
			}
		}
	}
	var sizes []int // of the lists; each begins where the one before it ends, in one piece of memory
	all := 0
	each(func(key uint32, _ word) {
		begin := &w.begins[key>>5]
		if *begin == 0 {
			w.thirds = append(w.thirds, [1 << 5]uint16{})
			*begin = uint16(len(w.thirds))
		}
		list := &w.thirds[*begin-1][key&(1<<5-1)]
		if *list == 0 {
			sizes = append(sizes, 0)
			*list = uint16(len(sizes))
		}
		sizes[*list-1]++
		all++
	})
	w.lists = make([][]word, len(sizes))
	room := make([]word, all)
	for i, n := range sizes {
		w.lists[i], room = room[:0:n], room[n:]
	}
	each(func(key uint32, k word) { list := &w.lists[w.list(key)-1]; *list = append(*list, k) })
	for n := range rules {
		if len(rules[n].keywords) == 0 {
			w.always = append(w.always, n)
		}
	}
	return w
}

// list returns 1 + the index in lists of three characters, 0 for none.
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

// places returns the positions of keywords in a text, by rule and position.
func (w *words) places(text string) (all []place) {
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
		for _, k := range w.lists[list-1] {
			if hasPrefixFold(text[i-2:], k.text) {
				all = append(all, place{k.rule, i - 2})
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
