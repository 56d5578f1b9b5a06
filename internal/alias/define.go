package alias

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Define calls found for each two words of s of which one defines the other in parentheses, "Kubernetes (k8s)" or
// "k8s (Kubernetes)", in lower case, the short one first.
//
// Only words with the shape of an abbreviation count, so that a text cannot make any two words equal.
func Define(s string, found func(short, long string)) {
	for {
		open := strings.IndexByte(s, '(') // far less frequent than the space before it
		if open < 0 {
			return
		}
		before, inside := s[:open], s[open+1:]
		s = inside
		before, spaced := strings.CutSuffix(before, " ")
		if !spaced {
			continue
		}
		rest := strings.TrimLeftFunc(inside, isLetter)
		if !strings.HasPrefix(rest, ")") {
			continue
		}
		a := strings.ToLower(before[len(strings.TrimRightFunc(before, isLetter)):])
		b := strings.ToLower(inside[:len(inside)-len(rest)])
		if abbreviates(b, a) {
			a, b = b, a
		}
		if abbreviates(a, b) && indexed(a) != "" && indexed(b) != "" {
			found(a, b)
		}
	}
}

func isLetter(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }

// Lengths of an abbreviation, in characters.
//
// Source: Schwartz, Hearst, "A Simple Algorithm for Identifying Abbreviation Definitions in Biomedical Text", PSB 2003.
const minShort, maxShort = 2, 10

// maxLong bounds the defined word: longer ones are data.
const maxLong = 40

// abbreviates reports whether short, in lower case, is a numeronym of long (k8s, i18n) or some of its letters in
// order, from the first one on (pg, kube), at most half of them: a longer part is rather another word.
func abbreviates(short, long string) bool {
	n, m := utf8.RuneCountInString(short), utf8.RuneCountInString(long)
	if n < minShort || n > maxShort || m > maxLong || 2*n > m {
		return false
	}
	s, l := []rune(short), []rune(long)
	if s[0] != l[0] || !unicode.IsLetter(s[0]) {
		return false
	}
	if left, err := strconv.Atoi(string(s[1 : n-1])); err == nil {
		return s[n-1] == l[m-1] && left == m-2
	}
	at := 0
	for _, r := range l {
		if at < n && s[at] == r {
			at++
		}
	}
	return at == n
}
