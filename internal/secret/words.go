package secret

import (
	"cmp"
	"slices"
)

// words finds the keywords of all rules in one pass. Three characters, of five bits each, decide
// whether any keyword can begin there; in prose few do.
type words struct {
	begins [1 << 15]uint16 // by three characters: 1 + the index in lists, 0 for none
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

func newWords(rules []rule) *words {
	w := &words{}
	byKey := map[uint32][]word{}
	for n, r := range rules {
		if len(r.keywords) == 0 {
			w.always = append(w.always, n)
		}
		for _, k := range r.keywords {
			for _, key := range keysOf(k) {
				byKey[key] = append(byKey[key], word{k, n})
			}
		}
	}
	for key, list := range byKey {
		w.lists = append(w.lists, list)
		w.begins[key] = uint16(len(w.lists))
	}
	return w
}

// keysOf returns the three-character keys of a keyword; for one of two characters, with any third.
func keysOf(keyword string) (keys []uint32) {
	if len(keyword) > 2 {
		return []uint32{code(keyword[0])<<10 | code(keyword[1])<<5 | code(keyword[2])}
	}
	for third := range uint32(32) {
		keys = append(keys, code(keyword[0])<<10|code(keyword[1])<<5|third)
	}
	return keys
}

// places returns the positions of keywords in a text, by rule and position.
func (w *words) places(text string) (all []place) {
	for _, r := range w.always {
		all = append(all, place{r, 0})
	}
	var key uint32
	for i := range len(text) {
		key = (key<<5 | code(text[i])) & (1<<15 - 1)
		if i < 2 || w.begins[key] == 0 {
			continue
		}
		for _, k := range w.lists[w.begins[key]-1] {
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
