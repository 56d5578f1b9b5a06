package capture

import (
	"regexp"
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"
)

// wrapped is the least length in bytes of a line that continues: shorter ones end on purpose.
const wrapped = 50

// paragraph is prose, split into sentences.
type paragraph []string

// prose returns the sentences of a text: it omits fenced code, quotations, tables and headers, and
// each list item is its own paragraph.
func prose(s string) []paragraph {
	var all []paragraph
	var open []string
	flush := func() {
		if p := sentences(strings.Join(open, " ")); len(p) > 0 {
			all = append(all, p)
		}
		open = nil
	}
	for _, line := range blankFences(strings.Split(s, "\n")) {
		line = strings.TrimRight(line, " \t\r")
		kind, item := listItem(line)
		level, _ := header(line)
		bare := strings.TrimSpace(line)
		switch {
		case bare == "" || level > 0 || bare[0] == '>' || bare[0] == '|' || len(open) == 0 && strings.HasPrefix(line, "    ") && kind == noList:
			flush()
		case kind != noList:
			flush()
			open = []string{item}
		case len(open) > 0 && len(open[len(open)-1]) < wrapped:
			flush()
			open = []string{bare}
		default:
			open = append(open, bare)
		}
	}
	flush()
	return all
}

// sentences splits a paragraph at full stops, question and exclamation marks.
func sentences(s string) paragraph {
	s = strings.Join(strings.Fields(strings.NewReplacer("**", "", "__", "").Replace(s)), " ")
	var all paragraph
	from := 0
	for i, r := range s {
		if i < from || !strings.ContainsRune(".!?…", r) || !ends(s, i, utf8.RuneLen(r)) {
			continue
		}
		end := i + utf8.RuneLen(r)
		if one := strings.TrimSpace(s[from:end]); one != "" {
			all = append(all, one)
		}
		from = end
	}
	if one := strings.TrimSpace(s[from:]); one != "" {
		all = append(all, one)
	}
	return all
}

// ends reports whether the mark of long bytes at i, before a blank and no lower case, ends a sentence.
func ends(s string, i, long int) bool {
	rest := s[i+long:]
	if rest == "" {
		return true
	}
	if rest[0] != ' ' || len(rest) < 2 {
		return false
	}
	next, _ := utf8.DecodeRuneInString(rest[1:])
	return !unicode.IsLower(next) || s[i] != '.'
}

func words(s string) int { return len(strings.Fields(s)) }

func asks(s string) bool {
	return strings.HasSuffix(strings.TrimRight(s, " \"'”’)"), "?") || strings.HasPrefix(s, "¿")
}

// mostHeadline is the maximum length of a title, in characters.
const mostHeadline = 80

// headline makes a title of a sentence: its first words, capitalised, without the full stop.
func headline(s string) string {
	s = shortened(s)
	r, n := utf8.DecodeRuneInString(s)
	if n == 0 {
		return s
	}
	return string(unicode.ToUpper(r)) + s[n:]
}

// shortened cuts a sentence to the length of a title.
func shortened(s string) string {
	s = strings.TrimRight(strings.TrimSpace(s), ".,;:—- ")
	if utf8.RuneCountInString(s) <= mostHeadline {
		return s
	}
	cut := string([]rune(s)[:mostHeadline-1])
	if i := strings.LastIndexByte(cut, ' '); i > len(cut)/2 {
		cut = cut[:i]
	}
	return strings.TrimRight(cut, ".,;:—- ") + "…"
}

// pattern is an expression that is tried only on texts with one of the words, which are in lower
// case: expressions are slow, and most texts have none of the words.
type pattern struct {
	words []string
	find  *regexp.Regexp
}

// may reports whether a text in lower case has one of the words.
func (p pattern) may(lower string) bool {
	return slices.ContainsFunc(p.words, func(w string) bool { return strings.Contains(lower, w) })
}

// reasons matches the beginning of a reason in a sentence.
var reasons = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)[,;:—-]*\s*\b(because|since (it|we|they|that|the|this|there|each|every|all|both)\b|so that\b|` +
		`in order to\b|to (avoid|keep|prevent|reduce|stay|make sure|ensure|allow)\b|rather than\b|` +
		`instead of\b|due to\b|given (that|the|how)\b|otherwise\b|as (it|we|they|the|this|that) |` +
		`which (means|lets|keeps|avoids|makes|gives)\b|` +
		`porque\b|ya que\b|para (que|evitar|no|poder|mantener|reducir)\b|en lugar de\b|en vez de\b|debido a\b|puesto que\b|dado que\b)`)
})

// goesOn matches a sentence that gives the reason for the previous one.
var goesOn = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)^(because|reason:|the reason|rationale|why:|that way|this way|that (keeps|avoids|lets|means|` +
		`gives|makes)|this (keeps|avoids|lets|means|gives|makes)|it (keeps|avoids|lets|gives|makes|is|has|` +
		`was)|otherwise|` +
		`porque|así|de lo contrario|el motivo|la razón|motivo:|razón:|esto (evita|permite|mantiene)|eso (evita|permite))\b`)
})
