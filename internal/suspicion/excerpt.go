package suspicion

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/alanbuscaglia/engram/internal/suspicion/finding"
)

// reasonsOf returns the reasons in the order of their places.
func reasonsOf(f finding.Findings, text string) []Reason {
	if len(f) == 0 {
		return nil
	}
	slices.SortStableFunc(f, func(a, b finding.Finding) int { return cmp.Compare(a.From, b.From) })
	all := make([]Reason, min(len(f), maxReasons))
	for i := range all {
		all[i] = Reason{Code: f[i].Code, Excerpt: excerpt(text, f[i].From, f[i].To), Why: f[i].Why}
	}
	return all
}

// excerpt returns text[from:to] with a few words around it, on one line of visible characters.
func excerpt(text string, from, to int) string {
	const around = 24
	to = min(to, from+maxExcerpt)
	a, b := max(0, from-around), min(len(text), to+around)
	for a > 0 && a < from && !utf8.RuneStart(text[a]) {
		a++
	}
	for b < len(text) && b > to && !utf8.RuneStart(text[b]) {
		b--
	}
	if cut := strings.IndexAny(text[a:from], " \n"); a > 0 && cut >= 0 {
		a += cut
	} else if a > 0 {
		a = from // within a long word
	}
	if b < len(text) {
		b = to + max(strings.LastIndexAny(text[to:b], " \n"), 0)
	}
	shown := visible(text[a:b])
	if len(shown) <= maxExcerpt {
		return shown
	}
	const more = "…"
	end := maxExcerpt - len(more)
	for !utf8.RuneStart(shown[end]) {
		end--
	}
	if cut := strings.LastIndexByte(shown[:end], ' '); cut > maxExcerpt/2 {
		end = cut
	}
	return shown[:end] + more
}

// visible returns s on one line with invisible characters escaped.
func visible(s string) string {
	var b strings.Builder
	for _, word := range strings.Fields(s) {
		if b.Len() > 0 {
			b.WriteByte(' ')
		}
		for i := 0; i < len(word); {
			r, size := utf8.DecodeRuneInString(word[i:])
			switch {
			case r == utf8.RuneError && size == 1:
				fmt.Fprintf(&b, `\x%02x`, word[i])
			case unicode.IsGraphic(r) && !finding.IsSelector(r):
				b.WriteRune(r)
			default:
				fmt.Fprintf(&b, `\u{%x}`, r)
			}
			i += size
		}
	}
	return b.String()
}

const (
	maxExcerpt = 160 // bytes
	maxReasons = 12  // of a text
)
