package text

import (
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
)

// rule returns the meaning and the words of the longest rule that matches from word i on.
func (s *timeScan) rule(i int, tied bool) (best timeSpan, length int) {
	if s.words[i].lex == nil {
		return best, 0
	}
	for _, r := range s.words[i].lex.rules {
		if r.tied && !tied {
			continue
		}
		end, m := s.match(r, r.parts, i, i, timeMatch{})
		if end-i <= length || s.words[end-1].gluedAfter || r.last && s.goesOn(end-1) || !m.isMonth(r) {
			continue
		}
		if span, ok := r.span(s.calendar, m); ok {
			span.exact = m.year != 0 || !m.date.from.IsZero()
			best, length = span, end-i
		}
	}
	return best, length
}

func (m timeMatch) isMonth(r *timeRule) bool {
	return m.month() == 0 || m.doubt <= r.sure || m.capital || m.year != 0 || m.ordinal && m.doubt == verb
}

// match matches parts with the words from at on and returns where they end; 0 if they do not match.
// Rules are short, so trying an optional part both ways is cheap.
func (s *timeScan) match(r *timeRule, parts []timePart, start, at int, m timeMatch) (int, timeMatch) {
	if len(parts) == 0 {
		return at, m
	}
	if at < len(s.words) && (at == start || s.joins(at, parts[0].class)) {
		with := m
		if n := s.fits(parts[0], at, &with); n > 0 {
			if end, all := s.match(r, parts[1:], start, at+n, with); end > 0 {
				return end, all
			}
		}
	}
	if parts[0].optional {
		return s.match(r, parts[1:], start, at, m)
	}
	return 0, m
}

// joins reports whether the word at at continues the phrase.
func (s *timeScan) joins(at int, class timeClass) bool {
	switch s.words[at].gap {
	case gapSpace, gapHyphen:
		return true
	case gapComma:
		return class == classYear
	case gapDot: // 5. Mai
		return class == classMonth && s.words[at-1].lex == timeLexicon().digits
	}
	return false
}

// fits returns how many words from at on match the part; 0 if none do.
func (s *timeScan) fits(p timePart, at int, m *timeMatch) int {
	w := s.words[at]
	if p.class == literal {
		for word := range strings.SplitSeq(p.words, "|") {
			if w.word == word {
				return 1
			}
		}
		return 0
	}
	if p.class == classNumber {
		return s.number(at, m)
	}
	if w.lex == nil || !w.lex.begins(p.class) {
		return 0
	}
	m.is[p.class] = w.lex.is[p.class]
	switch p.class {
	case classMonth:
		m.doubt, m.capital = w.lex.doubt, w.capital
	case classYear:
		m.year = s.calendar.year(w.word)
		return btoi(m.year > 0)
	case classDay:
		m.day, m.ordinal = dayOf(w.word)
		return btoi(m.day > 0)
	case classDate:
		var ok bool
		m.date, ok = s.calendar.written(w.word)
		return btoi(ok)
	}
	return 1
}

// number reads 3, three, few, a few, a couple of.
func (s *timeScan) number(at int, m *timeMatch) int {
	const most = 999 // a larger number is not a time
	w := s.words[at]
	switch {
	case w.lex == nil:
		return 0
	case w.lex == timeLexicon().digits:
		n, err := strconv.Atoi(w.word)
		m.n, m.vague = n, false
		return btoi(err == nil && n >= 1 && n <= most)
	case w.lex.is[classNumber] == 0:
		return 0
	}
	m.n, m.vague = int(w.lex.is[classNumber]), w.lex.vague
	n := 1
	if w.word == "a" && at+1 < len(s.words) && s.words[at+1].gap == gapSpace && s.words[at+1].lex != nil && s.words[at+1].lex.vague {
		m.n, m.vague = int(s.words[at+1].lex.is[classNumber]), true
		n++
	}
	if m.n == 2 && m.vague && at+n < len(s.words) && s.words[at+n].word == "of" {
		n++
	}
	return n
}

// year reads a year that memories can have; 0 for anything else.
func (c calendar) year(word string) int {
	const first = 1970
	n, err := strconv.Atoi(word)
	if err != nil || len(word) != 4 || n < first || n > c.now.Year()+1 {
		return 0
	}
	return n
}

// dayOf reads the day of a month, 5 or 5th; 0 for anything else.
func dayOf(word string) (day int, ordinal bool) {
	digits := strings.TrimRight(word, "stndrh")
	switch suffix := word[len(digits):]; suffix {
	case "st", "nd", "rd", "th":
		ordinal = true
	case "":
	default:
		return 0, false
	}
	n, err := strconv.Atoi(digits)
	if err != nil || len(digits) > 2 || n < 1 || n > 31 {
		return 0, false
	}
	return n, ordinal
}

// written reads 2024-03-05 (a time of day may follow), 2024/03/05, 2024-03 and 5.3.2024.
func (c calendar) written(word string) (timeSpan, bool) {
	if len(word) > 10 && word[10] == 't' {
		word = word[:10]
	}
	for _, l := range []struct {
		layout string
		month  bool
	}{{time.DateOnly, false}, {"2006/01/02", false}, {"2006/1/2", false}, {"2.1.2006", false}, {"2006-01", true}} {
		if !sameShape(word, l.layout) {
			continue
		}
		t, err := time.ParseInLocation(l.layout, word, c.now.Location())
		if err != nil || c.year(strconv.Itoa(t.Year())) == 0 {
			continue
		}
		if l.month {
			return c.months(t.Year(), t.Month(), 1), true
		}
		return days(t, 1), true
	}
	return timeSpan{}, false
}

// sameShape is a cheap check before parsing: most numbers are not dates.
func sameShape(word, layout string) bool {
	sign := strings.IndexAny(layout, "-/.")
	return len(word) >= len(layout)-1 && len(word) <= 10 && strings.Count(word, layout[sign:sign+1]) == strings.Count(layout, layout[sign:sign+1])
}

type timeWord struct {
	start, end  int
	word        string   // lower case, without the genitive s
	lex         *timeLex // nil for a word of no rule
	gap         timeGap  // what precedes it
	capital     bool     // capitalised inside a sentence
	gluedBefore bool     // touches a character that does not belong to prose
	gluedAfter  bool
}

// timeGap is the text between a word and the previous one.
type timeGap uint8

const (
	gapOther  timeGap = iota // the beginning, or anything else
	gapSpace                 // only white space
	gapHyphen                // only a hyphen
	gapComma                 // a comma and white space
	gapDot                   // a full stop and white space
)

// timeWordsOf splits the first words of a question. Signs inside a number belong to it: 2024-03-05
// is one word, and so is 2023.1.
func timeWordsOf(s string) []timeWord {
	words := make([]timeWord, 0, 16)
	last := 0
	for i := 0; i < len(s) && len(words) < maxTimeWords; {
		r, size := decode(s, i)
		if !isWord(r) {
			i += size
			continue
		}
		end := timeWordEnd(s, i)
		w := timeWord{start: i, end: end, gap: gapOf(s[last:i], len(words) == 0)}
		// Longer words are not times.
		if end-i <= maxToken {
			w.word = strings.ToLower(strings.ReplaceAll(s[i:end], "\u2019", "'"))
			w.word = strings.TrimSuffix(w.word, "'s")
			w.lex = timeLexOf(w.word)
		}
		w.capital = unicode.IsUpper(r) && w.gap != gapOther && w.gap != gapDot
		w.gluedBefore, w.gluedAfter = gluedBefore(s, i), gluedAfter(s, end)
		words = append(words, w)
		i, last = end, end
	}
	return words
}

// timeWordEnd returns where the word that begins at i ends.
func timeWordEnd(s string, i int) int {
	first, _ := decode(s, i)
	number := first < utf8.RuneSelf && unicode.IsDigit(first)
	for i < len(s) {
		r, size := decode(s, i)
		if !isWord(r) {
			next, _ := decode(s, i+size)
			inside := r == '\'' || r == '\u2019'
			if number {
				inside = (r == '-' || r == '/' || r == '.' || r == ':') && next < utf8.RuneSelf && unicode.IsDigit(next)
			}
			if !inside || i+size >= len(s) || !isWord(next) {
				return i
			}
		}
		i += size
	}
	return i
}

func gapOf(between string, first bool) timeGap {
	if first {
		return gapOther
	}
	switch trimmed := strings.TrimSpace(between); {
	case trimmed == "" && between != "":
		return gapSpace
	case between == "-":
		return gapHyphen
	case trimmed == "," && between != ",":
		return gapComma
	case trimmed == "." && between != ".":
		return gapDot
	}
	return gapOther
}

// gluedBefore reports whether the character before i makes the word part of something else: a name (last_week),
// a path, a quotation, a flag. Characters that begin a sentence or a bracket do not, nor do non-ASCII ones.
func gluedBefore(s string, i int) bool {
	if i == 0 {
		return false
	}
	return !strings.ContainsRune(" \t\r\n([{,;!?", rune(s[i-1])) && s[i-1] < utf8.RuneSelf
}

// gluedAfter is gluedBefore for the character after a word. A full stop or colon before white space
// belongs to the sentence.
func gluedAfter(s string, end int) bool {
	if end == len(s) {
		return false
	}
	switch c := s[end]; {
	case c == '.' || c == ':':
		return end+1 < len(s) && !strings.ContainsRune(" \t\r\n)]}", rune(s[end+1])) && s[end+1] != c
	case c == '\'':
		return false // the genitive of a plural
	default:
		return !strings.ContainsRune(" \t\r\n)]},;!?", rune(c)) && c < utf8.RuneSelf
	}
}
